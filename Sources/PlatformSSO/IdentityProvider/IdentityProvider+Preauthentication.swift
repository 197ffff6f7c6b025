import JOSEHTTP
import JOSE
import StrictJSON

/// A preauthentication request that has been read. Nothing in it is authentic: anybody may ask.
public struct PreauthenticationRequest: Sendable {
  /// The user whom the device asks about.
  public let userName: String
  /// All items of the query, custom ones included.
  public let queryItems: FormFields
  /// The header field `client-request-id`.
  public let clientRequestID: String
}

/// How a user logs in.
public struct PreauthenticationAnswer: Sendable, Hashable {
  /// `account_type`, which the login configuration's predicate asks for.
  public var accountType: String
  /// `federation_protocol`.
  public var federationProtocol: String?
  /// `authorizationURL`: where the user logs in by a browser.
  public var authorizationURL: String?
  /// `authorizationRequest`: what the device signs and posts there.
  public var authorizationRequest: AuthorizationParameters?
  /// Further members.
  public var additional: JSONObject

  /// An answer of members of the caller's choice.
  public init(
    accountType: String, federationProtocol: String? = nil, authorizationURL: String? = nil,
    authorizationRequest: AuthorizationParameters? = nil, additional: JSONObject = [:]
  ) {
    self.accountType = accountType
    self.federationProtocol = federationProtocol
    self.authorizationURL = authorizationURL
    self.authorizationRequest = authorizationRequest
    self.additional = additional
  }

  /// A user who logs in as everybody does.
  public static let managed = PreauthenticationAnswer(accountType: "Managed")

  /// A user who logs in by a browser.
  ///
  /// - Parameters:
  ///   - url: where the user logs in: absolute, by `https`, or the device refuses the answer.
  ///   - request: from ``IdentityProvider/authorizationParameters(clientID:scope:)``, if the device is to sign it.
  public static func webAuthorization(at url: String, request: AuthorizationParameters?) -> PreauthenticationAnswer {
    PreauthenticationAnswer(
      accountType: "Federated", federationProtocol: "OIDC", authorizationURL: url, authorizationRequest: request)
  }
}

extension IdentityProvider {
  /// Reads a preauthentication request.
  ///
  /// The answer is the same for every user unknown as for a known one without a browser, if nobody is to learn which users there are.
  /// Source: Apple, Performing a preauthentication request.
  /// - Throws: ``PlatformSSOErrorCode/methodNotAllowed``, ``PlatformSSOErrorCode/formInvalid``,
  ///   ``PlatformSSOErrorCode/fieldMissing``, ``PlatformSSOErrorCode/fieldInvalid``, ``PlatformSSOErrorCode/limitExceeded``.
  public func preauthenticationRequest(
    from request: HTTPRequestValue
  ) throws(PlatformSSOError) -> PreauthenticationRequest {
    guard request.method.hasSameBytes(as: "GET") else {
      throw PlatformSSOError(.methodNotAllowed, "the request's method is not GET")
    }
    try configuration.requiredHTTPHeaders.check(request)
    guard request.url.utf8.count <= 8192 else {
      throw PlatformSSOError(.limitExceeded, "the address is too long", name: "url")
    }
    // A server sees the path and the query, a client the whole address.
    let query = request.url.utf8.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
    guard let items = try? FormFields(decoding: Array(query.joined()), duplicates: .kept) else {
      throw PlatformSSOError(.formInvalid, "the query is no form", name: "url")
    }
    let users = configuration.preauthenticationUserNames.flatMap { items.values($0) }
    guard let user = users.first, !user.isEmpty else {
      throw PlatformSSOError(.fieldMissing, "the query names no user", name: "user")
    }
    guard users.allSatisfy({ $0.hasSameBytes(as: user) }),
      configuration.preauthenticationUserNames.allSatisfy({ items.values($0).count <= 1 })
    else {
      throw PlatformSSOError(.formInvalid, "the query has an item twice that must be there once", name: "user")
    }
    let rule = configuration.clientRequestID
    return PreauthenticationRequest(
      userName: user, queryItems: items,
      clientRequestID: try PostedForm.clientRequestID(request, rule: rule == .notChecked ? rule : .required))
  }

  /// Answers a preauthentication request.
  ///
  /// - Throws: ``PlatformSSOErrorCode/callerMisuse`` if an additional member would replace another.
  public func preauthenticationResponse(
    to request: PreauthenticationRequest, _ answer: PreauthenticationAnswer
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    var body: JSONObject = ["account_type": .string(answer.accountType)]
    if let name = answer.federationProtocol { body["federation_protocol"] = .string(name) }
    if let url = answer.authorizationURL { body[configuration.authorizationURLMember] = .string(url) }
    if let parameters = answer.authorizationRequest { body["authorizationRequest"] = .object(parameters.jsonObject) }
    for (name, value) in answer.additional.members {
      guard body[name] == nil else {
        throw PlatformSSOError(.callerMisuse, "an additional member would replace another", name: name)
      }
      body[name] = value
    }
    return .success(mediaType: MediaType.json, body: body.serialized())
  }
}
