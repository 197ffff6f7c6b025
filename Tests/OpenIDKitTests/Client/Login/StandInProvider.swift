import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// An OpenID provider and the browser that goes to it, which a test can make answer wrongly.
final class StandInProvider: Sendable {
  /// What is wrong.
  struct Faults: Sendable {
    /// Changes the claims of ID tokens; a nil removes one.
    var claims: [String: JSONValue?] = [:]
    /// Changes the answer of the token endpoint; a nil removes a member.
    var answer: [String: JSONValue?] = [:]
    /// What the token endpoint answers instead.
    var response: HTTPResponseValue?
    /// Signs ID tokens instead.
    var signingKey: SigningKey?
    /// How many nonces the token endpoint wants before it looks at a request.
    var nonces = 0
    /// What the UserInfo endpoint answers instead.
    var userInfo: HTTPResponseValue?
    /// The status of the key set.
    var keySetStatus = 200
    /// What stands in the place of the key set.
    var keySetPage: String?
    /// Whether the key set can't be reached.
    var isKeySetOffline = false
    var isOffline = false
  }

  struct Code: Sendable {
    let parameters: FormFields
    var isUsed = false
  }

  private struct State {
    var faults = Faults()
    var codes: [String: Code] = [:]
    var pushed: [String: FormFields] = [:]
    var sent: [HTTPRequestValue] = []
    var wanted: [String] = []
    var count = 0
  }

  let issuer: String
  let key: SigningKey
  let clock: VirtualClock
  private let pushes: Bool
  private let names: Bool
  private let state = Mutex(State())
  private let proofs: DPoPVerifier

  /// - Parameters:
  ///   - pushes: whether it takes pushed requests.
  ///   - names: whether its answers name it (RFC 9207).
  init(
    _ issuer: String = "https://op.example.com", pushes: Bool = false, names: Bool = true,
    clock: VirtualClock = VirtualClock()
  ) throws {
    (self.issuer, self.pushes, self.names, self.clock) = (issuer, pushes, names, clock)
    key = try .generate(.es256, keyID: "k1")
    proofs = DPoPVerifier(clock: clock.wall, records: MemoryRecordStore())
  }

  /// The requests so far.
  var sent: [HTTPRequestValue] { state.withLock { $0.sent } }

  /// The requests to an endpoint.
  func sent(to path: String) -> [HTTPRequestValue] { sent.filter { $0.url.hasPrefix(issuer + path) } }

  func fail(_ change: (inout Faults) -> Void) { state.withLock { change(&$0.faults) } }

  var document: JSONObject {
    var members: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
      "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/jwks"),
      "revocation_endpoint": .string(issuer + "/revoke"), "userinfo_endpoint": .string(issuer + "/userinfo"),
      "end_session_endpoint": .string(issuer + "/logout"),
    ]
    if pushes { members["pushed_authorization_request_endpoint"] = .string(issuer + "/par") }
    if names { members["authorization_response_iss_parameter_supported"] = true }
    return members
  }

  // MARK: The network

  var transport: HTTPTransport {
    { [self] request in
      let faults = state.withLock { state in
        state.sent.append(request)
        return state.faults
      }
      if faults.isOffline { throw RequestNotSent() }
      switch request.url {
      case issuer + "/.well-known/openid-configuration":
        return HTTPResponseValue(status: 200, body: document.serialized())
      case issuer + "/jwks":
        let keys = JWKSet([try #require(key.verificationKey.publicJWK)])
        if faults.isKeySetOffline { throw RequestNotSent() }
        return HTTPResponseValue(
          status: faults.keySetStatus, body: faults.keySetPage.map { Array($0.utf8) } ?? keys.serialized())
      case issuer + "/par": return try push(request)
      case issuer + "/token": return try await token(request, faults)
      case issuer + "/revoke": return HTTPResponseValue(status: 200)
      case issuer + "/userinfo":
        return faults.userInfo ?? HTTPResponseValue(status: 200, body: Array(#"{"sub":"alice","name":"Alice"}"#.utf8))
      default: return HTTPResponseValue(status: 404)
      }
    }
  }

  private static func json(
    _ status: Int, _ object: JSONObject, _ headers: [(String, String)] = []
  ) throws -> HTTPResponseValue {
    HTTPResponseValue(status: status, headers: try HTTPHeaderFields(headers), body: object.serialized())
  }

  private func push(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
    let form = try request.form()
    let name = state.withLock { state in
      state.count += 1
      let name = "urn:ietf:params:oauth:request_uri:\(state.count)"
      state.pushed[name] = form
      return name
    }
    return try Self.json(201, ["request_uri": .string(name), "expires_in": 60])
  }

  // MARK: The browser

  /// What the address that a browser was sent to asks for.
  func parameters(of url: String) throws -> FormFields {
    let prefix = issuer + "/authorize?"
    #expect(url.hasPrefix(prefix))
    let query = try FormFields(decoding: Array(url.dropFirst(prefix.count).utf8))
    guard let reference = query.values("request_uri").first else { return query }
    #expect(query.fields.map(\.name).sorted() == ["client_id", "request_uri"])
    return try #require(state.withLock { $0.pushed.removeValue(forKey: reference) })
  }

  /// A user logs in: where the browser is sent then.
  func authorize(_ url: String) throws -> String {
    let asked = try parameters(of: url)
    let code = state.withLock { state in
      state.count += 1
      state.codes["code-\(state.count)"] = Code(parameters: asked)
      return "code-\(state.count)"
    }
    var answer: FormFields = ["code": code, "state": try asked.requiredValue("state")]
    if names { answer.append("iss", issuer) }
    let address = try asked.requiredValue("redirect_uri")
    return address + (address.contains("?") ? "&" : "?") + answer.encodedAsQuery()
  }

  // MARK: The token endpoint

  private func token(_ request: HTTPRequestValue, _ faults: Faults) async throws -> HTTPResponseValue {
    if let response = faults.response { return response }
    let form = try request.form()
    let type = try await tokenType(of: request, faults)
    guard let type else {
      let nonce = state.withLock { state in
        state.count += 1
        state.wanted.append("nonce-\(state.count)")
        return "nonce-\(state.count)"
      }
      return try Self.json(400, ["error": "use_dpop_nonce"], [("DPoP-Nonce", nonce)])
    }
    if try form.requiredValue("grant_type") == "refresh_token" {
      return try answer(type, try idToken(["nonce": nil], accessToken: "at-2", faults), "at-2", "rt-2", faults)
    }
    let name = try form.requiredValue("code")
    let code = state.withLock { state in
      defer { state.codes[name]?.isUsed = true }
      return state.codes[name]
    }
    guard let code, !code.isUsed,
      PKCE.isValid(
        verifier: try form.requiredValue("code_verifier"),
        forChallenge: try code.parameters.requiredValue("code_challenge")),
      try form.requiredValue("redirect_uri") == code.parameters.requiredValue("redirect_uri"),
      try thumbprint(of: request) == code.parameters.uniqueValue("dpop_jkt")
    else { return try Self.json(400, ["error": "invalid_grant"]) }
    let nonce = try code.parameters.requiredValue("nonce")
    return try answer(
      type, try idToken(["nonce": .string(nonce)], accessToken: "at-1", faults), "at-1", "rt-1", faults)
  }

  /// What the tokens are going to be; nil if another nonce is wanted.
  private func tokenType(of request: HTTPRequestValue, _ faults: Faults) async throws -> String? {
    guard let proof = request.headers.values("DPoP").first else { return "Bearer" }
    let wanted = state.withLock { $0.wanted }
    guard wanted.count >= faults.nonces else { return nil }
    _ = try await proofs.verify(proof, method: "POST", url: request.url, binding: .none, nonce: wanted.last)
    return "DPoP"
  }

  private func thumbprint(of request: HTTPRequestValue) throws -> String? {
    guard let proof = request.headers.values("DPoP").first else { return nil }
    return try Self.thumbprint(ofProof: proof)
  }

  /// The thumbprint of the key that is in a proof.
  static func thumbprint(ofProof proof: String) throws -> String {
    let header = try UnverifiedJWS(parsing: proof).unverifiedHeader.parameters
    return try JWK(parsing: try #require(header["jwk"]?.objectValue).serialized()).thumbprint()
  }

  private func idToken(
    _ more: [String: JSONValue?], accessToken: String, _ faults: Faults
  ) throws -> String {
    let now = clock.date.wholeSeconds
    let key = faults.signingKey ?? key
    var claims: JSONObject = [
      "iss": .string(issuer), "sub": "alice", "aud": "site", "iat": .number(JSONNumber(now)),
      "exp": .number(JSONNumber(now + 300)), "auth_time": 1_759_999_900, "sid": "s1",
      "at_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: accessToken)),
    ]
    for (name, value) in more { claims[name] = value }
    for (name, value) in faults.claims { claims[name] = value }
    return try JWT.sign(claims, with: key)
  }

  private func answer(
    _ type: String, _ idToken: String, _ accessToken: String, _ refreshToken: String, _ faults: Faults
  ) throws -> HTTPResponseValue {
    var object: JSONObject = [
      "access_token": .string(accessToken), "token_type": .string(type), "expires_in": 3600,
      "refresh_token": .string(refreshToken), "id_token": .string(idToken),
    ]
    for (name, value) in faults.answer { object[name] = value }
    return try Self.json(200, object)
  }
}
