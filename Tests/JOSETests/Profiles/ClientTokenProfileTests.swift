import JOSE
import StrictJSON
import Testing

@Suite("Request objects and client assertions")
struct ClientTokenProfileTests {
  @Test("a request object is the client's, for this server, and holds the parameters")
  func requestObject() throws {
    let fixture = ProfileFixture.requestObject
    try fixture.expectRequired("iss", "aud", "client_id", "exp")
    for type in ["oauth-authz-req+jwt", "JWT", nil] as [String?] {
      #expect(try fixture.verdict(type: .some(type)) == "accepted")
    }
    #expect(try fixture.verdict(type: "at+jwt") == "typeMismatch(typ)")
    let typed = JWTPolicy.requestObject(
      clientID: ProfileFixture.client, audience: ProfileFixture.issuer, requiresType: true, clock: ProfileFixture.clock)
    #expect(try fixture.verdict(type: "JWT", policy: { $0 = typed }) == "typeMismatch(typ)")
    #expect(try fixture.verdict(policy: { $0 = typed }) == "accepted")
    #expect(try fixture.verdict { $0["client_id"] = "other" } == "claimMismatch(client_id)")
    #expect(try fixture.verdict { $0["iss"] = "other" } == "claimMismatch(iss)")
    #expect(try fixture.verdict { $0["request"] = "x" } == "claimMismatch(request)")
    #expect(try fixture.verdict { $0["request_uri"] = "x" } == "claimMismatch(request_uri)")
    #expect(try fixture.verdict { $0["sub"] = .string(ProfileFixture.client) } == "claimMismatch(sub)")
    #expect(try fixture.verdict { $0["sub"] = "jane" } == "accepted")
    #expect(try fixture.verdict { $0["exp"] = 1_700_003_600 } == "accepted")
    #expect(try fixture.verdict { $0["exp"] = 1_700_003_601 } == "claimMismatch(exp)")
  }

  @Test("what the RFC only recommends can be waived, and counts if it is there")
  func lenientRequestObject() throws {
    let fixture = ProfileFixture.requestObject
    func waive(_ policy: inout JWTPolicy) {
      policy.issuer = .notChecked
      policy.audience = .ifPresent([ProfileFixture.issuer])
      policy.requiredClaims = []
    }
    #expect(
      try fixture.verdict(
        policy: waive,
        claims: { for name in ["iss", "aud", "exp", "nbf", "iat"] { $0[name] = nil } }) == "accepted")
    #expect(try fixture.verdict(policy: waive, claims: { $0["iss"] = "other" }) == "claimMismatch(iss)")
    #expect(try fixture.verdict(policy: waive, claims: { $0["aud"] = "other" }) == "claimMismatch(aud)")
    #expect(try fixture.verdict(policy: waive, claims: { $0["client_id"] = nil }) == "claimMissing(client_id)")
  }

  @Test("a client assertion is from and about the client, for one server, and short-lived")
  func clientAssertion() throws {
    let fixture = ProfileFixture.clientAssertion
    try fixture.expectRequired("iss", "sub", "aud", "exp", "jti")
    for type in ["client-authentication+jwt", "JWT", nil] as [String?] {
      #expect(try fixture.verdict(type: .some(type)) == "accepted")
    }
    #expect(try fixture.verdict(type: "at+jwt") == "typeMismatch(typ)")
    #expect(try fixture.verdict { $0["iss"] = "other" } == "claimMismatch(iss)")
    #expect(try fixture.verdict { $0["sub"] = "other" } == "claimMismatch(sub)")
    #expect(try fixture.verdict { $0["aud"] = [.string(ProfileFixture.issuer)] } == "accepted")
    #expect(try fixture.verdict { $0["aud"] = [.string(ProfileFixture.issuer), "other"] } == "claimMismatch(aud)")
    #expect(try fixture.verdict { $0["aud"] = "https://idp.example.com/token" } == "claimMismatch(aud)")
    #expect(try fixture.verdict { $0["jti"] = "" } == "claimMissing(jti)")
    #expect(try fixture.verdict { $0["exp"] = 1_700_000_300 } == "accepted")
    #expect(try fixture.verdict { $0["exp"] = 1_700_000_301 } == "claimMismatch(exp)")
    // Without a beginning, the end counts from now, with leeway for the two clocks.
    #expect(try fixture.verdict { ($0["iat"], $0["exp"]) = (nil, 1_700_000_361) } == "claimMismatch(exp)")
    #expect(try fixture.verdict { ($0["iat"], $0["exp"]) = (nil, 1_700_000_360) } == "accepted")
  }
}
