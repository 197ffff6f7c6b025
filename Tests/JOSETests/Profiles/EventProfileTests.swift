import JOSE
import StrictJSON
import Testing

@Suite("Security events and logout tokens")
struct EventProfileTests {
  @Test("a security event token must have iss, iat, jti, aud and events")
  func securityEvent() throws {
    let fixture = ProfileFixture.securityEvent
    try fixture.expectRequired("iss", "iat", "jti", "aud", "events")
    #expect(try fixture.verdict(type: "JWT") == "typeMismatch(typ)")
    #expect(try fixture.verdict(type: "application/secevent+jwt") == "accepted")
    let untyped = JWTPolicy.securityEvent(
      issuer: ProfileFixture.issuer, audience: ProfileFixture.api, requiresType: false, clock: ProfileFixture.clock)
    #expect(try fixture.verdict(type: .some(nil), policy: { $0 = untyped }) == "accepted")
    #expect(try fixture.verdict(policy: { $0.audience = .ifPresent(["x"]) }, claims: { $0["aud"] = nil }) == "accepted")
    // An event may have happened long ago, and expires only if the token says so.
    #expect(try fixture.verdict { $0["iat"] = 1 } == "accepted")
    #expect(try fixture.verdict { $0["exp"] = 1 } == "claimExpired(exp)")
    #expect(try fixture.verdict { ($0["txn"], $0["toe"]) = ("t", 1_699_000_000) } == "accepted")
    #expect(try fixture.verdict { $0["txn"] = 1 } == "claimInvalid(txn)")
    #expect(try fixture.verdict { $0["toe"] = "x" } == "claimInvalid(toe)")
  }

  @Test(
    "events are objects under URIs, one at least",
    arguments: [
      ([], false), ([:], false), ("x", false), (["urn:x": 1], false), (["urn:x": [:], "y": [:]], false),
      (["x": [:]], false), (["": [:]], false), ([":x": [:]], false), (["urn:": [:]], false), (["1a:x": [:]], false),
      (["urn:x y": [:]], false), (["urn:x": [:]], true), (["https://a.example/e": ["a": 1], "urn:y": [:]], true),
    ] as [(JSONValue, Bool)])
  func events(_ events: JSONValue, _ isAccepted: Bool) throws {
    let verdict = try ProfileFixture.securityEvent.verdict { $0["events"] = events }
    #expect(verdict == (isAccepted ? "accepted" : "claimInvalid(events)"))
  }

  @Test("a logout token must have a logout event and sub or sid, and no nonce")
  func logoutToken() throws {
    let fixture = ProfileFixture.logoutToken
    try fixture.expectRequired("iss", "aud", "iat", "jti", "events")
    for type in ["logout+jwt", "JWT", nil] as [String?] {
      #expect(try fixture.verdict(type: .some(type)) == "accepted")
    }
    #expect(try fixture.verdict(type: "secevent+jwt") == "typeMismatch(typ)")
    let typed = JWTPolicy.logoutToken(
      issuer: ProfileFixture.issuer, clientID: ProfileFixture.client, requiresType: true, clock: ProfileFixture.clock)
    #expect(try fixture.verdict(type: "JWT", policy: { $0 = typed }) == "typeMismatch(typ)")
    #expect(try fixture.verdict { $0["nonce"] = "n" } == "claimMismatch(nonce)")
    #expect(try fixture.verdict { $0["sub"] = nil } == "accepted")
    #expect(try fixture.verdict { $0["sid"] = nil } == "accepted")
    #expect(try fixture.verdict { ($0["sub"], $0["sid"]) = (nil, nil) } == "claimMissing(sub)")
    #expect(try fixture.verdict { $0["sid"] = 1 } == "claimInvalid(sid)")
    #expect(try fixture.verdict { $0["events"] = ["urn:other": [:]] } == "claimMismatch(events)")
    let event = "http://schemas.openid.net/event/backchannel-logout"
    for value in ["x", true, [], 1] as [JSONValue] {
      #expect(try fixture.verdict { $0["events"] = .object([event: value]) } == "claimInvalid(events)")
    }
    #expect(try fixture.verdict { $0["events"] = [:] } == "claimMismatch(events)")
    #expect(try fixture.verdict { $0["events"] = [.string(event)] } == "claimInvalid(events)")
    // Other members are passed over, whatever they are (§2.6).
    for (name, value) in [
      ("revoke_offline_access", true), ("revoke_offline_access", [:]), ("urn:other", [:]), ("", .null), ("x y", 1),
    ] as [(String, JSONValue)] {
      #expect(try fixture.verdict { $0["events"] = .object([event: [:], name: value]) } == "accepted")
      #expect(try fixture.verdict { $0["events"] = .object([name: value, event: ["a": 1]]) } == "accepted")
      #expect(try fixture.verdict { $0["events"] = .object([name: value]) } == "claimMismatch(events)")
    }
    #expect(try fixture.verdict { $0["exp"] = 1_699_999_940 } == "claimExpired(exp)")
    #expect(try fixture.verdict { ($0["exp"], $0["iat"]) = (nil, 1_699_999_821) } == "accepted")
    #expect(try fixture.verdict { ($0["exp"], $0["iat"]) = (nil, 1_699_999_820) } == "claimExpired(iat)")
  }
}
