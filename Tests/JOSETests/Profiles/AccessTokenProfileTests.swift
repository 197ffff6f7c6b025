import JOSE
import StrictJSON
import Testing

@Suite("Access tokens and introspection answers")
struct AccessTokenProfileTests {
  @Test("an access token names issuer, audience, subject, client, times and itself")
  func accessToken() throws {
    let fixture = ProfileFixture.accessToken
    try fixture.expectRequired("iss", "aud", "sub", "client_id", "exp", "iat", "jti")
    for type in ["at+jwt", "at+JWT", "application/at+jwt", "Application/AT+JWT"] {
      #expect(try fixture.verdict(type: type) == "accepted")
    }
    for type in [nil, "JWT", "jwt+at", "at", "x/at+jwt"] as [String?] {
      #expect(try fixture.verdict(type: .some(type)) == "typeMismatch(typ)")
    }
    #expect(try fixture.verdict { $0["iss"] = .string(ProfileFixture.issuer + "/") } == "claimMismatch(iss)")
    #expect(try fixture.verdict { $0["aud"] = "other" } == "claimMismatch(aud)")
    #expect(try fixture.verdict { $0["aud"] = ["other", .string(ProfileFixture.api)] } == "accepted")
    #expect(try fixture.verdict { $0["exp"] = 1_699_999_940 } == "claimExpired(exp)")
    #expect(try fixture.verdict { $0["exp"] = 1_699_999_941 } == "accepted")
    #expect(try fixture.verdict { $0["iat"] = 1_700_000_061 } == "claimNotYetValid(iat)")
  }

  @Test(
    "its claims have their types",
    arguments: [
      ("client_id", 1), ("client_id", ""), ("scope", ["orders"]), ("acr", 1), ("auth_time", "x"), ("amr", "pwd"),
      ("amr", [1]),
    ] as [(String, JSONValue)])
  func accessTokenTypes(_ name: String, _ value: JSONValue) throws {
    let verdict = try ProfileFixture.accessToken.verdict { $0[name] = value }
    #expect(verdict == "claimInvalid(\(name))" || verdict == "claimMissing(\(name))")
    #expect(try ProfileFixture.accessToken.verdict { $0["amr"] = ["pwd", "otp"] } == "accepted")
  }

  @Test("a token that is bound to a key is no bearer token, unless its binding is checked")
  func boundAccessToken() async throws {
    let fixture = ProfileFixture.accessToken
    for confirmation in [["jkt": "x"], ["x5t#S256": "x"], [:]] as [JSONValue] {
      #expect(try fixture.verdict { $0["cnf"] = confirmation } == "claimMismatch(cnf)")
    }
    let checked = JWTPolicy.accessToken(
      issuer: ProfileFixture.issuer, audience: ProfileFixture.api, bindingIsChecked: true, clock: ProfileFixture.clock)
    let bound = try fixture.token { $0["cnf"] = ["x5t#S256": "x"] }
    #expect(try ProfileFixture.verdict(of: bound, checked) == "accepted")
    // The verifier of both says so by itself.
    let client = try SigningKey.generate(.es256)
    let thumbprint = try #require(client.verificationKey.publicJWK).thumbprint()
    let verifier = DPoPAccessTokenVerifier(
      tokens: JWTVerifier(key: try TestKeys.signing().verificationKey, policy: fixture.policy),
      proofs: DPoPVerifier(clock: ProfileFixture.clock, records: MemoryRecordStore()))
    let token = try fixture.token { $0["cnf"] = ["jkt": .string(thumbprint)] }
    let proof = try DPoP.proof(
      method: "GET", url: "https://api.example.com/", key: client, accessToken: token, clock: ProfileFixture.clock)
    struct Claims: Decodable, Sendable { var sub: String }
    let access = try await verifier.verify(
      authorization: "DPoP " + token, proofs: [proof], method: "GET", url: "https://api.example.com/", as: Claims.self)
    #expect(access.token.claims.sub == "jane")
  }

  @Test("an introspection answer is young, about a token, and says that it is active")
  func introspection() throws {
    let fixture = ProfileFixture.introspection
    try fixture.expectRequired("iss", "aud", "iat", "token_introspection")
    for name in ["sub", "exp"] {
      let verdict = try fixture.verdict { $0[name] = name == "sub" ? "jane" : 1_700_000_600 }
      #expect(verdict == "claimMismatch(\(name))")
    }
    #expect(try fixture.verdict { $0["iat"] = 1_699_999_880 } == "claimExpired(iat)")
    #expect(try fixture.verdict { $0["iat"] = 1_699_999_881 } == "accepted")
    func verdict(_ answer: JSONValue, acceptsInactive: Bool = false) throws -> String {
      let policy = JWTPolicy.introspection(
        issuer: ProfileFixture.issuer, audience: ProfileFixture.api, acceptsInactive: acceptsInactive,
        clock: ProfileFixture.clock)
      return try fixture.verdict(policy: { $0 = policy }, claims: { $0["token_introspection"] = answer })
    }
    #expect(try verdict(["active": true]) == "accepted")
    #expect(try verdict([]) == "claimInvalid(token_introspection)")
    #expect(try verdict([:]) == "claimInvalid(active)")
    #expect(try verdict(["active": "true"]) == "claimInvalid(active)")
    #expect(try verdict(["active": false]) == "claimMismatch(active)")
    #expect(try verdict(["active": false], acceptsInactive: true) == "accepted")
    #expect(try verdict(["active": false, "sub": "jane"], acceptsInactive: true) == "claimInvalid(active)")
    #expect(try verdict(["active": true, "exp": 1_699_999_940]) == "claimExpired(token_introspection.exp)")
    #expect(try verdict(["active": true, "nbf": 1_700_000_061]) == "claimNotYetValid(token_introspection.nbf)")
    #expect(try verdict(["active": true, "exp": "x"]) == "claimInvalid(token_introspection.exp)")
    #expect(try verdict(["active": true, "exp": 1_700_000_001, "nbf": 1_700_000_000]) == "accepted")
  }
}
