import JOSE
import StrictJSON
import Testing

/// One kind of token: what is issued, and the policy that takes it.
struct ProfileFixture: Sendable, CustomTestStringConvertible {
  static let now = 1_700_000_000
  static let clock = WallClock.fixed(at: NumericDate(now))
  static let issuer = "https://idp.example.com"
  static let client = "client-1"
  static let api = "https://api.example.com"

  let name: String
  let claims: JWTClaims
  let policy: JWTPolicy

  var testDescription: String { name }

  /// A token of this kind with changed claims or another type, signed properly.
  func token(type: String?? = nil, _ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
    var claims = claims
    claims.clock = Self.clock
    var members = try claims.issued()
    change(&members)
    return try JWT.sign(members, with: TestKeys.signing(), type: type ?? claims.type)
  }

  /// What the policy says of such a token.
  func verdict(type: String?? = nil, _ changeClaims: (inout JSONObject) -> Void = { _ in }) throws -> String {
    try Self.verdict(of: token(type: type, changeClaims), policy)
  }

  /// What a changed policy says of such a token.
  func verdict(
    type: String?? = nil, policy change: (inout JWTPolicy) -> Void,
    claims changeClaims: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var policy = policy
    change(&policy)
    return try Self.verdict(of: token(type: type, changeClaims), policy)
  }

  static func verdict(of token: String, _ policy: JWTPolicy) throws -> String {
    let key = try TestKeys.signing().verificationKey
    return refusal { _ = try JWTVerifier(key: key, policy: policy).verify(token) }
  }

  /// Requires that each claim is demanded.
  func expectRequired(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try verdict() == "accepted", sourceLocation: sourceLocation)
    for name in names {
      #expect(try verdict { $0[name] = nil } == "claimMissing(\(name))", sourceLocation: sourceLocation)
    }
  }

  static let accessToken = ProfileFixture(
    name: "access token",
    claims: .accessToken(
      issuer: issuer, audience: [api], subject: "jane", clientID: client, scope: "orders", lifetime: .seconds(600)),
    policy: .accessToken(issuer: issuer, audience: api, clock: clock))
  static let idToken = ProfileFixture(
    name: "ID token",
    claims: .idToken(issuer: issuer, clientID: client, subject: "jane", nonce: "n-1", lifetime: .seconds(600)),
    policy: .idToken(
      from: .openID(issuer: issuer), clientID: client, answering: IDTokenRequest(nonce: "n-1"), clock: clock))
  static let logoutToken = ProfileFixture(
    name: "logout token", claims: .logoutToken(issuer: issuer, clientID: client, subject: "jane", sessionID: "s-1"),
    policy: .logoutToken(issuer: issuer, clientID: client, clock: clock))
  static let introspection = ProfileFixture(
    name: "introspection",
    claims: .introspection(issuer: issuer, audience: api, answer: ["active": true, "sub": "jane", "scope": "orders"]),
    policy: .introspection(issuer: issuer, audience: api, clock: clock))
  static let requestObject = ProfileFixture(
    name: "request object",
    claims: .requestObject(
      clientID: client, audience: issuer, parameters: ["response_type": "code", "scope": "openid", "nonce": "n-1"]),
    policy: .requestObject(clientID: client, audience: issuer, clock: clock))
  static let clientAssertion = ProfileFixture(
    name: "client assertion", claims: .clientAssertion(clientID: client, audience: issuer),
    policy: .clientAssertion(clientID: client, audience: [issuer], clock: clock))
  static let securityEvent = ProfileFixture(
    name: "security event",
    claims: .securityEvent(
      issuer: issuer, audience: [api], events: ["https://schemas.example.com/risc/account-disabled": [:]]),
    policy: .securityEvent(issuer: issuer, audience: api, clock: clock))

  static let all = [
    accessToken, idToken, logoutToken, introspection, requestObject, clientAssertion, securityEvent,
  ]
}
