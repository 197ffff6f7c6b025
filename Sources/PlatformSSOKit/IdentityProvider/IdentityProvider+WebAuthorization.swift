import JOSE
import StrictJSON

/// A signed authorization request that has been checked (macOS 27): the registered device asks for a login by its
/// browser. Show the login page, then send the browser to ``callbackURL(code:)``.
public struct AuthorizationRequest: Sendable {
  /// The device that signed the request.
  public let device: RegisteredDevice
  /// What the provider named, signed by the device; the scope may have grown.
  public let parameters: AuthorizationParameters
  /// `login_hint`: the user whom the device expects. It stands in the address, and is not signed unless the request
  /// repeats it.
  public let loginHint: String?
  /// What the login is for, if the scope says so.
  public let authorizationScope: AuthorizationScope?
  /// The header. Certificates in it prove nothing by themselves.
  public let header: ProtectedHeader

  /// Where to send the browser once the user has logged in: `redirect_uri` as the device wrote it, which is
  /// ``AuthorizationParameters/callbackURL`` in whatever case.
  ///
  /// - Parameter code: unguessable, good for one use and for this device and user, for a few minutes.
  public func callbackURL(code: String) -> String {
    Self.callbackURL(parameters.redirectURI, code: code, state: parameters.state)
  }

  static func callbackURL(_ redirectURI: String, code: String, state: String) -> String {
    "\(redirectURI)?\(FormFields([("code", code), ("state", state)]).encodedAsQuery())"
  }
}

extension IdentityProvider {
  /// The parameters of an authorization request that a device is to sign: `nonce` and `state` are fresh, and belong
  /// together.
  ///
  /// They need no database: `authorizationRequest(from:)` recognises them, as it does server nonces.
  public func authorizationParameters(
    clientID: String, scope: String = "openid"
  ) -> AuthorizationParameters {
    let state = UUIDText.random()
    return AuthorizationParameters(
      clientID: clientID, nonce: serverNonces.make(at: clock.now, boundTo: Self.binding(state)), scope: scope,
      state: state)
  }

  /// Checks a signed authorization request: form, header, device, signature, parameters, and that the nonce is fresh
  /// and unused.
  ///
  /// Source: Apple, Implementing web-based authentication with Platform Single Sign-on.
  package func authorizationRequest(
    from request: HTTPRequestValue
  ) async throws(JOSEError) -> AuthorizationRequest {
    let form = try PostedForm(request, configuration: configuration)
    return try await authorizationRequest(in: form.signed(parameterNames: ["request"], limits: configuration.limits))
  }

  /// A browser posts the form, which need not have `client-request-id`.
  func authorizationRequest(in form: SignedForm) async throws(JOSEError) -> AuthorizationRequest {
    try form.requireParameter(oneOf: ["request"])
    let signed = try await signedByDevice(form.message, type: .authorizationRequest)
    let claims = signed.claims
    let parameters = try AuthorizationParameters(claims)
    guard configuration.clientIDs(of: signed.device).contains(WireName(parameters.clientID)) else {
      throw claims.mismatch("client_id")
    }
    let scope = try AuthorizationScope(in: parameters.scope)
    try await useNonces(server: checkedServerNonce(parameters.nonce, boundTo: Self.binding(parameters.state)))
    let queryHint = try Self.loginHint(form.form.request, parameters: parameters)
    let loginHint = try claims.string(ifPresent: "login_hint") ?? queryHint
    return AuthorizationRequest(
      device: signed.device, parameters: parameters, loginHint: loginHint, authorizationScope: scope,
      header: signed.header)
  }

  /// `login_hint` of the address, whose `state` and `nonce` must be the signed ones if they are there.
  private static func loginHint(
    _ request: HTTPRequestValue, parameters: AuthorizationParameters
  ) throws(JOSEError) -> String? {
    let items = try Self.queryItems(request)
    for (name, signed) in [("state", parameters.state), ("nonce", parameters.nonce)] {
      guard items.values(name).wireNames.allSatisfy({ $0 == signed }) else {
        throw JOSEError(.claimMismatch, "the URL's parameters must equal those of the signed request", name: name)
      }
    }
    let hints = items.values("login_hint")
    guard hints.count <= 1 else {
      throw JOSEError(
        .fieldDuplicated, "the query has a duplicate field", name: "login_hint")
    }
    return hints.first
  }

  private static func queryItems(_ request: HTTPRequestValue) throws(JOSEError) -> FormFields {
    guard request.url.utf8.count <= 8192 else {
      throw JOSEError(.limitExceeded, "the address is too long", name: "url")
    }
    // A server sees the path and the query, a client the whole address.
    let query = request.url.utf8.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
    guard let items = try? FormFields(decoding: Array(query.joined()), acceptsDuplicates: true) else {
      throw JOSEError(.malformed, "the query is not a form", name: "url")
    }
    return items
  }

  /// The nonce of an authorization is good for its own state alone. It is used up like any server nonce, whatever it
  /// was used for.
  private static func binding(_ state: String) -> String { "authorization state " + state }
}

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
  package var accountType: String
  /// `federation_protocol`: the protocol of that login, such as `OIDC` or `WSTrust`.
  package var federationProtocol: String?
  /// `authorizationURL`: where the user logs in by a browser.
  package var authorizationURL: String?
  /// `authorizationRequest`: what the device signs and posts there.
  package var authorizationRequest: AuthorizationParameters?
  /// Further members of the answer, for an extension that reads them; none may replace one of those above.
  public var additional = JSONObject()

  /// An answer with a type of account alone.
  public init(accountType: String) { self.accountType = accountType }

  /// A user who logs in as everybody does.
  public static let managed = PreauthenticationAnswer(accountType: "Managed")

  /// A user who logs in by a browser.
  ///
  /// - Parameters:
  ///   - url: where the user logs in: absolute, by `https`, or the device refuses the answer.
  ///   - request: from ``IdentityProvider/authorizationParameters(clientID:scope:)``, if the device is to sign it.
  public static func webAuthorization(at url: String, request: AuthorizationParameters?) -> PreauthenticationAnswer {
    var answer = PreauthenticationAnswer(accountType: "Federated")
    (answer.federationProtocol, answer.authorizationURL, answer.authorizationRequest) = ("OIDC", url, request)
    return answer
  }
}

extension IdentityProvider {
  /// Reads a preauthentication request.
  ///
  /// The answer is the same for every user unknown as for a known one without a browser, if a caller must not learn
  /// which users there are.
  ///
  /// Source: Apple, Performing a preauthentication request.
  package func preauthenticationRequest(
    from request: HTTPRequestValue
  ) throws(JOSEError) -> PreauthenticationRequest {
    guard request.hasMethod("GET") else {
      throw JOSEError(.methodNotAllowed, "the request's method is not GET")
    }
    try configuration.requiredHTTPHeaders.check(request)
    let items = try Self.queryItems(request)
    let users = configuration.preauthenticationUserNames.flatMap { items.values($0) }
    guard let user = users.first, !user.isEmpty else {
      throw JOSEError(.fieldMissing, "the query names no user", name: "user")
    }
    guard users.wireNames.allSatisfy({ $0 == user }),
      configuration.preauthenticationUserNames.allSatisfy({ items.values($0).count <= 1 })
    else {
      throw JOSEError(.fieldDuplicated, "the query has a duplicate field", name: "user")
    }
    let rule = configuration.clientRequestID
    return PreauthenticationRequest(
      userName: user, queryItems: items,
      clientRequestID: try PostedForm.clientRequestID(request, rule: rule == .notChecked ? rule : .required))
  }

  /// Whether a query has a field for the user, however it is written.
  func namesUser(_ request: HTTPRequestValue) -> Bool {
    guard let items = try? Self.queryItems(request) else { return true }
    return configuration.preauthenticationUserNames.contains { !items.values($0).isEmpty }
  }

  /// Answers a preauthentication request.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if an additional member would replace another.
  public func preauthenticationResponse(
    to request: PreauthenticationRequest, _ answer: PreauthenticationAnswer
  ) throws(JOSEError) -> HTTPResponseValue {
    var body: JSONObject = ["account_type": .string(answer.accountType)]
    if let name = answer.federationProtocol { body["federation_protocol"] = .string(name) }
    if let url = answer.authorizationURL { body[configuration.authorizationURLMember] = .string(url) }
    if let parameters = answer.authorizationRequest { body["authorizationRequest"] = .object(parameters.jsonObject) }
    try body.append(answer.additional, reserved: [])
    return .json(200, body)
  }
}
