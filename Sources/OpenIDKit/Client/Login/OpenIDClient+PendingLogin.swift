import JOSE
import PureCrypto
import StrictJSON

extension OpenIDClient {
  /// A login that waits for its browser to come back. It holds secrets, and serves once.
  ///
  /// Keep it for the browser that began it and for no other: in memory under a random name that stands in a cookie
  /// (`Secure`, `HttpOnly`, `SameSite=Lax`), or, where there are several processes, ``serialized()`` in a store that
  /// gives it out once. A person who gets another's pending login and answer is logged in as the other.
  public struct PendingLogin: Sendable {
    /// The provider that was asked.
    public let issuer: String
    /// When the login can't be finished any more.
    public let expiration: NumericDate
    package let clientID: String
    package let redirectURI: String
    package let request: CodeRequest
    package let scopes: [String]
    package let maximumAge: Int?
    /// The key that the tokens are going to be bound to.
    package let proofKey: JWK?
    /// What the tokens are asked for, where that is sent with each request for tokens (RFC 8707 §2).
    var resource: String?
    /// How many logins before it asked for more scopes.
    var stepUps = 0

    package init(
      issuer: String, expiration: NumericDate, clientID: String, redirectURI: String, request: CodeRequest,
      scopes: [String], maximumAge: Int? = nil, proofKey: JWK? = nil
    ) {
      (self.issuer, self.expiration, self.clientID) = (issuer, expiration, clientID)
      (self.redirectURI, self.request, self.scopes) = (redirectURI, request, scopes)
      (self.maximumAge, self.proofKey) = (maximumAge, proofKey)
    }
  }
}

extension OpenIDClient.PendingLogin {
  /// What is sent to the authorization endpoint.
  ///
  /// - Parameters:
  ///   - others: parameters beside those of every request.
  ///   - additional: parameters from elsewhere. They can't replace what is set, nor what is checked of the answer.
  func parameters(
    others: FormFields = [:], additional: FormFields
  ) throws(CodeRequest.Replaced) -> FormFields {
    try request.parameters(
      clientID: clientID, redirectURI: redirectURI, scopes: scopes, others: others, additional: additional,
      reserved: Self.reserved)
  }

  /// What would change where the answer goes, what is checked of it, or what the request says.
  private static let reserved: [WireName] = [
    "response_mode", "request", "request_uri", "max_age", "dpop_jkt", "client_secret", "client_assertion",
    "client_assertion_type",
  ]

  /// The provider has answered with this error code, as it wrote it.
  struct Refused: Error {
    let code: String
  }

  /// The code of a redirect that answers this login, or the provider's error: the login is then over.
  ///
  /// - Parameters:
  ///   - redirect: where the browser was sent: the whole address, or its path and query as a server sees them.
  ///   - requiresIssuer: whether the provider names itself in each answer.
  /// - Throws: `ErrorCode.redirectInvalid` if this is no answer to the login, which then still waits for one.
  func code(
    in redirect: String, requiresIssuer: Bool
  ) throws(OpenIDError) -> Result<String, Refused> {
    let expected = AuthorizationResponse.Request(
      state: request.state, redirectURI: redirectURI, issuer: issuer, requiresIssuer: requiresIssuer)
    do throws(AuthorizationResponse.Fault) {
      return .success(try AuthorizationResponse(redirect: redirect, answering: expected).code)
    } catch {
      switch error {
      case .unrelated:
        throw OpenIDError(.redirectInvalid, "the redirect does not answer this login", name: "state")
      case .issuerMissing:
        throw OpenIDError(.redirectInvalid, "the redirect names no issuer, as the provider does", name: "iss")
      case .issuerMismatch:
        throw OpenIDError(.redirectInvalid, "the redirect names another issuer", name: "iss")
      case .codeMissing:
        throw OpenIDError(.redirectInvalid, "the redirect must have exactly one code", name: "code")
      case .refused(let code): return .failure(Refused(code: code))
      }
    }
  }
}

extension OpenIDClient.PendingLogin {
  /// The login as JSON, for stores that keep bytes. It holds secrets.
  public func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "issuer": .string(issuer), "client": .string(clientID), "redirect": .string(redirectURI),
      "state": .string(request.state), "nonce": .string(request.nonce), "verifier": .string(request.pkce.verifier),
      "scopes": .array(scopes.map { .string($0) }), "expiration": StoredJSON.number(expiration.secondsSince1970),
    ]
    if let maximumAge { object["maximumAge"] = .number(JSONNumber(maximumAge)) }
    if let resource { object["resource"] = .string(resource) }
    if stepUps > 0 { object["stepUps"] = .number(JSONNumber(stepUps)) }
    // Text in text: a key is read and written by its own rules.
    if let proofKey {
      object["proofKey"] = .string(String(decoding: proofKey.serializedWithPrivateKey(), as: UTF8.self))
    }
    return object.serialized()
  }

  /// Reads a login that ``serialized()`` wrote.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  public init(parsing json: some Collection<UInt8>) throws(OpenIDError) {
    do {
      let object = try JSONObject(parsing: json)
      let maximumAge = try object.number(ifPresent: "maximumAge")
      guard try object.integer("version") == 1,
        maximumAge.map({ $0.exactly(Int.self).map { $0 >= 0 } ?? false }) ?? true
      else { throw JSONError(.typeMismatch, "not a login of this version") }
      let (state, nonce) = (try object.string("state"), try object.string("nonce"))
      guard !state.isEmpty, !nonce.isEmpty else {
        throw JSONError(.typeMismatch, "a stored login needs a state and a nonce")
      }
      self.init(
        issuer: try object.string("issuer"), expiration: try StoredJSON.date(object.number("expiration")),
        clientID: try object.string("client"), redirectURI: try object.string("redirect"),
        request: CodeRequest(state: state, nonce: nonce, pkce: try PKCE(verifier: object.string("verifier"))),
        scopes: try StoredJSON.strings(object["scopes"]), maximumAge: maximumAge?.exactly(Int.self),
        proofKey: try object.string(ifPresent: "proofKey").map(Self.key))
      resource = try object.string(ifPresent: "resource")
      stepUps = try object.number(ifPresent: "stepUps")?.exactly(Int.self) ?? 0
    } catch {
      throw OpenIDError(.recordMalformed, "the stored login can't be read")
    }
  }

  /// A private key that signs.
  private static func key(_ text: String) throws -> JWK {
    let key = try JWK(parsing: text)
    guard key.keyType != .oct else { throw JSONError(.typeMismatch, "a proof must be signed with an asymmetric key") }
    _ = try SigningKey(key)
    return key
  }
}

extension OpenIDClient.PendingLogin: Redacted {}
