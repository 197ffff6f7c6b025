import JOSE
import PureCrypto
import StrictJSON
import Testing

@testable import AppleSignInKit

@Suite struct ClientSecretTests {
  @Test func `P18 the printed client secret`() throws {
    let clock = WallClock.fixed(at: NumericDate(1_760_000_005))
    let signer = try AppleClientSecretSigner(p8: Printed.p8, teamID: Fixture.teamID, keyID: Fixture.keyID, clock: clock)
    let secret = try signer.clientSecret(for: Fixture.clientID)
    func signingInput(_ token: String) -> Substring { token[..<(token.lastIndex(of: ".") ?? token.startIndex)] }
    #expect(signingInput(secret.value) == signingInput(Printed.clientSecret))
    let key = try VerificationKey(JWK(parsing: Printed.clientJWK), algorithm: .es256)
    let own = try JWS.verify(secret.value, with: key)
    #expect(own.header.keyID == Fixture.keyID)
    #expect(try JWS.verify(Printed.clientSecret, with: key).payload == own.payload)
    #expect(try Base64URL.decode(String(secret.value.split(separator: ".")[2])).count == 64)
    #expect(!"\(secret)".contains(secret.value))
  }

  @Test func `P19 the longest lifetime`() throws {
    let secret = try Fixture().signer().clientSecret(for: Fixture.clientID, lifetime: 15_777_000)
    #expect(secret.expiration.wholeSeconds - secret.issuedAt.wholeSeconds == 15_777_000)
  }

  @Test func `P20 the key file's point is the JWK's`() throws {
    let file = try JWK(pemRepresentation: Printed.p8)
    #expect(try file.x963Representation == JWK(parsing: Printed.clientJWK).x963Representation)
  }

  @Test(arguments: [15_777_001, 0, -1, .infinity, .nan] as [Double]) func `N26 lifetimes`(_ lifetime: Double) throws {
    let signer = try Fixture().signer()
    #expect(
      failure { _ = try signer.clientSecret(for: Fixture.clientID, lifetime: lifetime) }?.code == .lifetimeInvalid)
  }

  @Test(arguments: ["TEAM12345", "TEAM1234567", "team123456", "TEAM 12345", ""])
  func `N26 identifiers that are not 10 capitals and digits`(_ text: String) throws {
    let key = try Fixture().clientKey
    let team = failure { _ = try AppleClientSecretSigner(key: key, teamID: text, keyID: Fixture.keyID) }
    let keyID = failure { _ = try AppleClientSecretSigner(key: key, teamID: Fixture.teamID, keyID: text) }
    #expect(team?.code == .teamIDInvalid && keyID?.code == .keyIDInvalid)
  }

  @Test(arguments: [
    "", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    // An RSA key's algorithm identifier.
    "-----BEGIN PRIVATE KEY-----\nMBgCAQAwDQYJKoZIhvcNAQEBBQAEBDACAQA=\n-----END PRIVATE KEY-----\n",
  ]) func `N26 files without a P-256 key`(_ p8: String) {
    #expect(
      failure { _ = try AppleClientSecretSigner(p8: p8, teamID: Fixture.teamID, keyID: Fixture.keyID) }?.code
        == .keyMismatch)
  }

  @Test func `N26 a public key and an HMAC key`() throws {
    let pem = try #require(try JWK(parsing: Printed.clientJWK).publicPEMRepresentation)
    #expect(
      failure { _ = try AppleClientSecretSigner(p8: pem, teamID: Fixture.teamID, keyID: Fixture.keyID) }?.code
        == .keyMismatch)
    let hmac = try SigningKey.generate(.hs256)
    #expect(
      failure { _ = try AppleClientSecretSigner(key: hmac, teamID: Fixture.teamID, keyID: Fixture.keyID) }?.code
        == .keyMismatch)
  }

  @Test func `N03 a client identifier with the Team ID gets no secret`() throws {
    let signer = try Fixture().signer()
    #expect(failure { _ = try signer.clientSecret(for: "TEAM123456.com.example") }?.code == .clientIDInvalid)
  }

  @Test func `a client secret is reused until four fifths of its lifetime have passed`() async throws {
    let clock = ManualClock(1_760_000_005)
    let cache = AppleClientSecretCache(signer: try Fixture().signer(clock: clock.wallClock))
    let first = try await cache.clientSecret(for: Fixture.clientID)
    clock.move(to: 1_760_000_239)
    #expect(try await cache.clientSecret(for: Fixture.clientID).value == first.value)
    clock.move(to: 1_760_000_240)
    #expect(try await cache.clientSecret(for: Fixture.clientID).value != first.value)
  }

  @Test func `a secret from before the clock was set back is not used again`() async throws {
    let clock = ManualClock(1_760_086_405)
    let cache = AppleClientSecretCache(signer: try Fixture().signer(clock: clock.wallClock))
    let fromTheFuture = try await cache.clientSecret(for: Fixture.clientID)
    clock.move(to: 1_760_000_005)
    let secret = try await cache.clientSecret(for: Fixture.clientID)
    #expect(secret.value != fromTheFuture.value && secret.issuedAt == NumericDate(1_760_000_000))
  }

  /// Client secrets that the provider refuses: what is different in each.
  static let forgeries: [(name: String, change: @Sendable (inout JSONObject) -> Void)] = [
    ("N27 another subject", { $0["sub"] = "com.example.other" }),
    ("N27 another audience", { $0["aud"] = "https://example.com" }),
    ("N27 expired", { $0["exp"] = 1_760_000_099 }),
    ("N26 expires too late", { $0["exp"] = .number(JSONNumber(1_760_000_100 + 15_777_001)) }),
    ("another team", { $0["iss"] = "TEAM999999" }), ("issued in the future", { $0["iat"] = 1_760_000_131 }),
    ("no subject", { $0["sub"] = nil }), ("no expiration", { $0["exp"] = nil }),
    ("no date of issue", { $0["iat"] = nil }),
    ("no issuer", { $0["iss"] = nil }),
  ]

  private func response(_ secret: String, _ fixture: Fixture) async throws -> HTTPResponseValue {
    let standIn = try fixture.standIn()
    let code = try #require(await standIn.nativeCode(clientID: Fixture.clientID, user: fixture.user, nonce: nil))
    return await standIn.token(
      FormBody.post(
        [
          ("client_id", Fixture.clientID), ("client_secret", secret), ("grant_type", "authorization_code"),
          ("code", code),
        ], to: fixture.service.tokenURL))
  }

  private func secret(_ fixture: Fixture, keyID: String? = Fixture.keyID, _ change: (inout JSONObject) -> Void) throws
    -> String
  {
    var claims: JSONObject = [
      "iss": .string(Fixture.teamID), "iat": 1_760_000_100, "exp": 1_760_000_400, "aud": "https://appleid.apple.com",
      "sub": .string(Fixture.clientID),
    ]
    change(&claims)
    return try JWT.sign(claims, with: fixture.clientKey, type: nil, header: HeaderParameters(keyID: keyID))
  }

  @Test(arguments: forgeries.indices) func `client secrets that the provider refuses`(_ index: Int) async throws {
    let fixture = try Fixture()
    let response = try await response(try secret(fixture) { Self.forgeries[index].change(&$0) }, fixture)
    #expect(response.status == 400 && response.body == Array(#"{"error":"invalid_client"}"#.utf8))
    #expect(try await self.response(try secret(fixture) { _ in }, fixture).status == 200)
  }

  @Test func `N26 and N27 a DER signature, an unknown key, another algorithm, no token`() async throws {
    let fixture = try Fixture()
    let good = try secret(fixture) { _ in }
    let parts = good.split(separator: ".")
    let der = try P256Signature(rawRepresentation: Base64URL.decode(String(parts[2]))).derRepresentation
    let hmac = try JWT.sign(
      ["sub": "x"] as JSONObject, with: SigningKey.generate(.hs256), type: nil,
      header: HeaderParameters(keyID: Fixture.keyID))
    let other = try JWT.sign(
      [
        "iss": .string(Fixture.teamID), "iat": 1_760_000_100, "exp": 1_760_000_400, "aud": "https://appleid.apple.com",
        "sub": .string(Fixture.clientID),
      ] as JSONObject,
      with: SigningKey.generate(.es256), type: nil, header: HeaderParameters(keyID: Fixture.keyID))
    let secrets = [
      "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))", try secret(fixture, keyID: "OTHERKEY00") { _ in }, hmac,
      other, "", "a.b.c",
    ]
    for secret in secrets {
      let response = try await response(secret, fixture)
      #expect(response.status == 400 && response.body == Array(#"{"error":"invalid_client"}"#.utf8))
    }
  }
}
