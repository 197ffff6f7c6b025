import JOSE
import StrictJSON
import Testing

@Suite("Claims to be issued")
struct JWTClaimsTests {
  private func claims() -> JWTClaims {
    var claims = JWTClaims(issuer: "https://idp.example.com", audience: "api", subject: "jane", lifetime: .seconds(600))
    claims.clock = ProfileFixture.clock
    return claims
  }

  @Test("times are those of the clock when a token is signed, and each token has its own name")
  func issued() throws {
    var claims = claims()
    try claims.set("scope", to: "orders")
    try claims.set("roles", to: ["admin"])
    let first = try claims.issued()
    #expect(first["iss"] == "https://idp.example.com" && first["aud"] == "api" && first["sub"] == "jane")
    #expect(first["iat"] == 1_700_000_000 && first["exp"] == 1_700_000_600 && first["nbf"] == nil)
    #expect(first["scope"] == "orders" && first["roles"] == ["admin"] && claims["scope"] == "orders")
    #expect(first["jti"]?.stringValue?.utf8.count == 22)
    #expect(try claims.issued()["jti"] != first["jti"])
    claims.audience = ["a", "b"]
    claims.saysNotBefore = true
    claims.clock = .fixed(at: NumericDate(1_700_000_001))
    let second = try claims.issued()
    #expect(second["aud"] == ["a", "b"] && second["exp"] == 1_700_000_601 && second["nbf"] == 1_700_000_001)
  }

  @Test("what it signs, a verifier for the same names takes")
  func roundTrip() throws {
    let key = try TestKeys.signing()
    let token = try JWT.sign(claims(), with: key)
    var verifier = JWTVerifier(key: key.verificationKey, issuer: "https://idp.example.com", audience: "api")
    verifier.policy.clock = ProfileFixture.clock
    #expect(try verifier.verify(token).header.type == "JWT")
    verifier.policy.clock = .fixed(at: NumericDate(1_700_000_600))
    #expect(refusal { _ = try verifier.verify(token) } == "claimExpired(exp)")
  }

  @Test(
    "registered claims are set by their members only", arguments: ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"])
  func registered(_ name: String) throws {
    var claims = claims()
    let attempt = refusal { try claims.set(name, to: "x") }
    #expect(attempt == "callerMisuse(\(name))")
  }

  @Test("a token without an audience, an issuer or a positive lifetime is not issued")
  func misuse() throws {
    func verdict(_ change: (inout JWTClaims) -> Void) -> String {
      var claims = claims()
      change(&claims)
      return refusal { _ = try JWT.sign(claims, with: TestKeys.signing()) }
    }
    #expect(verdict { _ in } == "accepted")
    #expect(verdict { $0.audience = [] } == "callerMisuse(aud)")
    #expect(verdict { $0.audience = ["a", ""] } == "callerMisuse(aud)")
    #expect(verdict { $0.issuer = "" } == "callerMisuse(iss)")
    for lifetime in [.zero, .seconds(-1), .milliseconds(999), .seconds(-1e20)] as [Duration] {
      #expect(
        refusal { _ = try JWTClaims(issuer: "i", audience: "a", lifetime: lifetime).issued() } == "callerMisuse(exp)")
    }
    #expect(
      refusal { _ = try JWTClaims(issuer: "i", audience: "a", lifetime: .seconds(Int.max)).issued() } == "accepted")
    struct Unencodable: Encodable {
      func encode(to encoder: any Encoder) throws { throw JSONFailure() }
      struct JSONFailure: Error {}
    }
    #expect(
      verdict { claims in #expect(throws: JOSEError.self) { try claims.set("x", to: Unencodable()) } } == "accepted")
  }

  @Test("acceptsSubject decides whether an issuer may name a subject")
  func acceptsSubject() throws {
    let key = try TestKeys.signing()
    var policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: ProfileFixture.clock)
    policy.acceptsSubject = { issuer, subject in issuer == "https://idp.example.com" && subject == "jane" }
    let token = try JWT.sign(claims(), with: key)
    #expect(refusal { _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) } == "accepted")
    policy.acceptsSubject = { _, subject in subject == "joe" }
    let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
    #expect(refusal { _ = try verifier.verify(token) } == "claimMismatch(sub)")
  }
}
