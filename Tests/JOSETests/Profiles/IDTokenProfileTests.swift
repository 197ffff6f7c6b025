import JOSE
import StrictJSON
import Testing

@Suite("ID tokens")
struct IDTokenProfileTests {
  private typealias Fixture = ProfileFixture
  private let fixture = ProfileFixture.idToken

  private func verdict(
    _ provider: IDTokenProvider = .openID(issuer: ProfileFixture.issuer), nonce: String? = "n-1",
    _ claims: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    try verdict(provider, nonce: nonce, asking: { _ in }, claims)
  }

  private func verdict(
    _ provider: IDTokenProvider = .openID(issuer: ProfileFixture.issuer), nonce: String? = "n-1",
    asking change: (inout IDTokenRequest) -> Void, _ claims: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var request = IDTokenRequest(nonce: nonce)
    change(&request)
    let policy = JWTPolicy.idToken(
      from: provider, clientID: Fixture.client, answering: request, clock: Fixture.clock)
    return try Fixture.verdict(of: fixture.token(claims), policy)
  }

  @Test("an ID token names issuer, subject, audience and times")
  func claims() throws {
    try fixture.expectRequired("iss", "sub", "aud", "exp", "iat")
    #expect(try fixture.verdict(type: .some(nil)) == "accepted")
    #expect(try fixture.verdict(type: "at+jwt") == "typeMismatch(typ)")
    #expect(try verdict { $0["iss"] = .string(Fixture.issuer + "/") } == "claimMismatch(iss)")
    #expect(try verdict { $0["events"] = [:] } == "claimMismatch(events)")
    #expect(try verdict { $0["iat"] = 1_700_000_061 } == "claimNotYetValid(iat)")
    for subject in ["", String(repeating: "x", count: 256), "é"] {
      #expect(try verdict { $0["sub"] = .string(subject) } == "claimInvalid(sub)")
    }
    #expect(try verdict { $0["sub"] = .string(String(repeating: "x", count: 255)) } == "accepted")
  }

  @Test("the nonce that was sent must come back; one that wasn't must be absent")
  func nonce() throws {
    #expect(try verdict(nonce: "n-2") == "claimMismatch(nonce)")
    #expect(try verdict { $0["nonce"] = nil } == "claimMissing(nonce)")
    #expect(try verdict { $0["nonce"] = 1 } == "claimInvalid(nonce)")
    #expect(try verdict(nonce: nil) == "claimMismatch(nonce)")
    #expect(try verdict(nonce: nil) { $0["nonce"] = nil } == "accepted")
  }

  @Test("other audiences are trusted by name, and then azp says whose token it is")
  func parties() throws {
    #expect(try verdict { $0["aud"] = [.string(Fixture.client), "other"] } == "claimMismatch(aud)")
    func trusting(_ party: JSONValue?) throws -> String {
      try verdict(asking: { $0.trustedAudiences = ["other"] }) {
        ($0["aud"], $0["azp"]) = ([.string(Fixture.client), "other"], party)
      }
    }
    #expect(try trusting(.string(Fixture.client)) == "accepted")
    #expect(try trusting(nil) == "claimMissing(azp)")
    #expect(try trusting("other") == "claimMismatch(azp)")
    #expect(try verdict(asking: { $0.trustedAudiences = ["other"] }) { $0["aud"] = "other" } == "claimMismatch(aud)")
    #expect(try verdict { $0["azp"] = .string(Fixture.client) } == "accepted")
    #expect(try verdict { $0["azp"] = "app" } == "claimMismatch(azp)")
    #expect(try verdict(asking: { $0.authorizedParties = ["app"] }) { $0["azp"] = "app" } == "accepted")
    #expect(try verdict { $0["azp"] = 1 } == "claimInvalid(azp)")
  }

  @Test("an ID token under a client secret must have one audience")
  func sharedSecret() throws {
    var request = IDTokenRequest(nonce: "n-1")
    request.trustedAudiences = ["other"]
    let policy = JWTPolicy.idToken(
      from: .openID(issuer: Fixture.issuer), clientID: Fixture.client, answering: request, clock: Fixture.clock)
    let key = try TestKeys.hmac()
    var claims = fixture.claims
    claims.clock = Fixture.clock
    try claims.set("azp", to: Fixture.client)
    let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
    let token = try JWT.sign(claims, with: key)
    #expect(refusal { _ = try verifier.verify(token) } == "accepted")
    claims.audience = [Fixture.client, "other"]
    let shared = try JWT.sign(claims, with: key)
    #expect(refusal { _ = try verifier.verify(shared) } == "claimMismatch(aud)")
  }

  @Test("max_age and acr that were asked for must be answered")
  func authentication() throws {
    #expect(try verdict(asking: { $0.maximumAuthenticationAge = .seconds(100) }) == "claimMissing(auth_time)")
    #expect(
      try verdict(asking: { $0.maximumAuthenticationAge = .seconds(100) }) { $0["auth_time"] = 1_699_999_840 }
        == "accepted")
    #expect(
      try verdict(asking: { $0.maximumAuthenticationAge = .seconds(100) }) { $0["auth_time"] = 1_699_999_839 }
        == "claimExpired(auth_time)")
    #expect(
      try verdict(asking: { $0.maximumAuthenticationAge = .seconds(-1) }) { $0["auth_time"] = 1 }
        == "callerMisuse(max_age)")
    #expect(try verdict { $0["auth_time"] = "x" } == "claimInvalid(auth_time)")
    #expect(try verdict(asking: { $0.authenticationContexts = ["a", "b"] }) == "claimMissing(acr)")
    #expect(try verdict(asking: { $0.authenticationContexts = ["a", "b"] }) { $0["acr"] = "b" } == "accepted")
    #expect(
      try verdict(asking: { $0.authenticationContexts = ["a", "b"] }) { $0["acr"] = "c" } == "claimMismatch(acr)")
    #expect(try verdict { $0["acr"] = 1 } == "claimInvalid(acr)")
  }

  @Test("hashes of what came beside the token")
  func hashes() throws {
    let hash = JSONValue.string(SignatureAlgorithm.es256.leftHalfHash(of: "token"))
    #expect(try verdict(asking: { $0.accessToken = "token" }) == "accepted")
    #expect(try verdict(asking: { $0.accessToken = "token" }) { $0["at_hash"] = hash } == "accepted")
    #expect(try verdict(asking: { $0.accessToken = "other" }) { $0["at_hash"] = hash } == "claimMismatch(at_hash)")
    #expect(try verdict { $0["at_hash"] = hash } == "accepted")
    func require(_ request: inout IDTokenRequest) {
      request.accessToken = "token"
      request.requiresAccessTokenHash = true
    }
    #expect(try verdict(asking: require) == "claimMissing(at_hash)")
    #expect(
      try verdict(asking: { $0.requiresAccessTokenHash = true }) { $0["at_hash"] = hash } == "callerMisuse(at_hash)")
    #expect(try verdict(asking: { $0.code = "token" }) == "claimMissing(c_hash)")
    #expect(try verdict(asking: { $0.code = "token" }) { $0["c_hash"] = hash } == "accepted")
    #expect(try verdict(asking: { $0.code = "other" }) { $0["c_hash"] = hash } == "claimMismatch(c_hash)")
    #expect(try verdict(asking: { $0.state = "token" }) == "claimMissing(s_hash)")
    #expect(try verdict(asking: { $0.state = "token" }) { $0["s_hash"] = hash } == "accepted")
  }

  /// SHA-256, SHA-384, SHA-512 and SHAKE256 of the text, computed elsewhere, and cut in half.
  @Test(
    "a hash is the left half of the algorithm's own, of Ed25519 SHA-512, of ML-DSA SHAKE256",
    arguments: [
      (SignatureAlgorithm.rs256, "77QmUPtjPfzWtF2AnpK9RQ"), (.es384, "jtAeDp945y1dDqU3nkIVGNZP1HjH_MFs"),
      (.ps512, "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM"),
      (.ed25519, "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM"),
      (.eddsa, "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM"),
      (.mlDSA44, "W6Ie3EoycJT-JESJ2WSAWX7LRP3FuHvmvNycBMeL-Nk"),
      (.mlDSA87, "W6Ie3EoycJT-JESJ2WSAWX7LRP3FuHvmvNycBMeL-Nk"),
    ])
  func leftHalf(_ algorithm: SignatureAlgorithm, _ expected: String) {
    #expect(algorithm.leftHalfHash(of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y") == expected)
  }

  @Test("an ID token that EdDSA signs has its access token's hash by SHA-512", arguments: ["EdDSA", "Ed25519"])
  func edDSA(_ name: String) throws {
    let algorithm = try #require(SignatureAlgorithm(name: name))
    let key = try SigningKey.generate(algorithm)
    var request = IDTokenRequest(nonce: "n-1")
    (request.accessToken, request.requiresAccessTokenHash) = ("token", true)
    let policy = JWTPolicy.idToken(
      from: .openID(issuer: Fixture.issuer), clientID: Fixture.client, answering: request, clock: Fixture.clock)
    let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
    var claims = fixture.claims
    claims.clock = Fixture.clock
    try claims.set("at_hash", to: algorithm.leftHalfHash(of: "token"))
    let token = try JWT.sign(claims, with: key)
    #expect(refusal { _ = try verifier.verify(token) } == "accepted")
    try claims.set("at_hash", to: SignatureAlgorithm.es256.leftHalfHash(of: "token"))
    let wrong = try JWT.sign(claims, with: key)
    #expect(refusal { _ = try verifier.verify(wrong) } == "claimMismatch(at_hash)")
  }

  @Test("Google has two names, and a domain where it is asked for")
  func google() throws {
    for issuer in ["https://accounts.google.com", "accounts.google.com"] {
      #expect(try verdict(.google()) { $0["iss"] = .string(issuer) } == "accepted")
      #expect(try verdict(.google(hostedDomain: "example.com")) { $0["iss"] = .string(issuer) } == "claimMissing(hd)")
      #expect(
        try verdict(.google(hostedDomain: "example.com")) {
          ($0["iss"], $0["hd"]) = (.string(issuer), "example.com")
        } == "accepted")
      #expect(
        try verdict(.google(hostedDomain: "example.com")) {
          ($0["iss"], $0["hd"]) = (.string(issuer), "example.org")
        } == "claimMismatch(hd)")
    }
    #expect(try verdict(.google()) == "claimMismatch(iss)")
  }

  @Test("Apple has one name")
  func apple() throws {
    #expect(try verdict(.apple) { $0["iss"] = "https://appleid.apple.com" } == "accepted")
    #expect(try verdict(.apple) == "claimMismatch(iss)")
  }

  private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
  private static let other = "9188040d-6c67-4c5b-b112-36a304b66dad"

  private func microsoft(
    issuer: String? = nil, tenant: JSONValue? = .string(tenant), keyIssuer: String? = nil, version: String = "2.0",
    accepts: @escaping @Sendable (String) -> Bool = { $0 == tenant }
  ) throws -> String {
    var jwk = try #require(try TestKeys.signing().verificationKey.publicJWK)
    jwk.algorithm = nil
    jwk.keyID = "k"
    if let keyIssuer { jwk.otherMembers["issuer"] = .string(keyIssuer) }
    let policy = JWTPolicy.idToken(
      from: .microsoft(acceptsTenant: accepts), clientID: Fixture.client, answering: IDTokenRequest(nonce: "n-1"),
      clock: Fixture.clock)
    let verifier = JWTVerifier(keys: JWKSet([jwk]), algorithms: [.es256], policy: policy)
    let token = try fixture.token {
      $0["iss"] = .string(issuer ?? "https://login.microsoftonline.com/\(Self.tenant)/v2.0")
      ($0["tid"], $0["ver"]) = (tenant, .string(version))
    }
    return refusal { _ = try verifier.verify(token) }
  }

  @Test("Microsoft's issuer is the tenant's, the key is the issuer's, and the tenant is one that is accepted")
  func microsoft() throws {
    #expect(try microsoft() == "accepted")
    #expect(try microsoft(keyIssuer: "https://login.microsoftonline.com/{tenantid}/v2.0") == "accepted")
    #expect(try microsoft(keyIssuer: "https://login.microsoftonline.com/{tenantID}/v2.0") == "accepted")
    #expect(try microsoft(keyIssuer: "https://login.microsoftonline.com/\(Self.tenant)/v2.0") == "accepted")
    // A key of personal accounts doesn't speak for a company.
    #expect(try microsoft(keyIssuer: "https://login.microsoftonline.com/\(Self.other)/v2.0") == "claimMismatch(iss)")
    for template in [
      "", "{tenantid", "{tenantid}", "{tenantid}{tenantid}", "https://login.microsoftonline.com/{tenantid}",
    ] {
      #expect(try microsoft(keyIssuer: template) == "claimMismatch(iss)")
    }
    #expect(try microsoft(accepts: { _ in false }) == "claimMismatch(tid)")
    #expect(try microsoft(tenant: .string(Self.other), accepts: { _ in true }) == "claimMismatch(iss)")
    #expect(
      try microsoft(issuer: "https://login.microsoftonline.com/\(Self.tenant)/v2.0/") == "claimMismatch(iss)")
    #expect(try microsoft(issuer: "https://sts.windows.net/\(Self.tenant)/") == "claimMismatch(iss)")
    #expect(try microsoft(tenant: nil) == "claimMissing(tid)")
    for tenant in ["common", "", "72f988bf-86f1-41af-91ab-2d7cd011db4g", "../../72f988bf-86f1-41af-91ab-2d7cd011db47"] {
      #expect(
        try microsoft(
          issuer: "https://login.microsoftonline.com/\(tenant)/v2.0", tenant: .string(tenant), accepts: { _ in true })
          == "claimInvalid(tid)")
    }
    #expect(try microsoft(version: "1.0") == "claimMismatch(ver)")
  }
}
