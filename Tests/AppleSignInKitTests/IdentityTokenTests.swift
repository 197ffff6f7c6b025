import JOSE
import PureCrypto
import StrictJSON
import PureJOSETestSupport
import Testing

@testable import AppleSignInKit

@Suite struct IdentityTokenTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func verify(
    _ token: String, now: Int = Fixture.now, nonce: String? = "n-5f2c9a", form: AppleNonce.Form = .exact,
    origin: AppleIdentityTokenOrigin = .authorizationResponse(code: Fixture.code),
    change: (inout AppleIdentityTokenVerifier) -> Void = { _ in }
  ) throws -> AppleIdentity {
    var verifier = fixture.verifier(now: now)
    change(&verifier)
    return try verifier.verify(
      token, keys: fixture.keys, nonce: nonce.map { try AppleNonce(raw: $0, form: form) }, origin: origin)
  }

  private func changed(_ base: JSONObject = Fixture.claimsF, _ change: (inout JSONObject) -> Void) throws -> String {
    var claims = base
    change(&claims)
    return try fixture.token(claims)
  }

  private let tokenEndpoint = AppleIdentityTokenOrigin.tokenResponse(
    code: Fixture.code, accessToken: Fixture.accessToken)

  @Test func `P10 token F`() throws {
    let identity = try verify(fixture.token(Fixture.claimsF))
    #expect(identity.subject == Fixture.subject && identity.isEmailVerified && identity.isPrivateEmail)
    #expect(identity.email == "synth7user@privaterelay.appleid.com" && identity.isNonceSupported == true)
  }

  @Test func `P11 token T with its access token`() throws {
    #expect(try verify(fixture.token(Fixture.claimsT), origin: tokenEndpoint).isEmailVerified)
  }

  @Test func `P10 and P11 the printed tokens, by Apple's algorithm`() throws {
    let keys = try JWKSet(parsing: Printed.keySet)
    let verifier = AppleIdentityTokenVerifier(audiences: [Fixture.clientID], clock: fixture.clock)
    func verify(_ token: String, _ origin: AppleIdentityTokenOrigin) throws -> AppleIdentity {
      try verifier.verify(token, keys: keys, nonce: fixture.nonce(), origin: origin)
    }
    let origins: [(String, AppleIdentityTokenOrigin)] = [
      (Printed.tokenF, .authorizationResponse(code: Fixture.code)), (Printed.tokenT, tokenEndpoint),
    ]
    for (token, origin) in origins {
      #expect(try verify(token, origin).subject == Fixture.subject)
    }
  }

  @Test func `P12 both tokens are about the same user`() throws {
    let first = try verify(fixture.token(Fixture.claimsF))
    let second = try verify(fixture.token(Fixture.claimsT), origin: tokenEndpoint)
    #expect(first.subject == second.subject && first.audience == second.audience)
  }

  @Test func `P13 hashed nonces`() throws {
    let raw = "Xr3kP0aZ9uQ2wL7mN5vB1cD8eF4gH6jT"
    let hex = "b9ab11201129d4a5ebd9cfdce8796f1810e1813a96e37ae9794c31e68015afab"
    let base64URL = "uasRIBEp1KXr2c_c6HlvGBDhgTqW43rpeUwx5oAVr6s"
    #expect(AppleNonce.Form.sha256Hex.claim(for: raw) == hex)
    #expect(AppleNonce.Form.sha256Base64URL.claim(for: raw) == base64URL)
    for (claim, form) in [(hex, AppleNonce.Form.sha256Hex), (base64URL, .sha256Base64URL)] {
      let token = try changed { $0["nonce"] = .string(claim) }
      #expect(try verify(token, nonce: raw, form: form).subject == Fixture.subject)
    }
  }

  @Test func `P14 no is_private_email means false`() throws {
    #expect(try !verify(changed { $0["is_private_email"] = nil }).isPrivateEmail)
  }

  @Test(arguments: ["false", false, "FALSE", 0] as [JSONValue]) func `P15 false in every form`(_ value: JSONValue)
    throws
  {
    #expect(try !verify(changed { $0["email_verified"] = value }).isEmailVerified)
  }

  @Test(arguments: ["true", true, "True", 1] as [JSONValue]) func `P15 true in every form`(_ value: JSONValue) throws {
    #expect(try verify(changed { $0["email_verified"] = value }).isEmailVerified)
  }

  @Test func `P16 an unknown real_user_status`() throws {
    #expect(try verify(changed { $0["real_user_status"] = 7 }).realUserStatus == .other(7))
    #expect(try verify(changed { $0["real_user_status"] = 2 }).realUserStatus == .likelyReal)
  }

  @Test func `P17 app and website share a verifier`() throws {
    for audience in ["com.example.app", "com.example.web"] {
      let token = try changed { $0["aud"] = .string(audience) }
      let identity = try verify(token) { $0.audiences = ["com.example.app", "com.example.web"] }
      #expect(identity.audience == audience)
    }
    #expect(try verify(changed { $0["aud"] = ["com.example.web"] }).audience == "com.example.web")
  }

  @Test func `N14 each bit of the signature counts`() throws {
    let token = try fixture.token(Fixture.claimsF)
    let parts = token.split(separator: ".")
    let signature = try Base64URL.decode(String(parts[2]))
    for index in 0..<64 {
      var tampered = signature
      tampered[index] ^= 1 << UInt8(index % 8)
      let forged = "\(parts[0]).\(parts[1]).\(Base64URL.encode(tampered))"
      #expect(failure { _ = try verify(forged) }?.code == .signatureInvalid)
    }
  }

  private func forged(header: String) -> String {
    let payload = Base64URL.encode(Fixture.claimsF.serialized())
    return "\(Base64URL.encode(header.utf8)).\(payload).\(Base64URL.encode([UInt8](repeating: 1, count: 64)))"
  }

  @Test(
    arguments: [
      (#"{"kid":"SYNTHKEY01","alg":"none"}"#, .algorithmNotAllowed),
      (#"{"kid":"SYNTHKEY01","alg":"None"}"#, .algorithmNotAllowed),
      (#"{"kid":"SYNTHKEY01","alg":"HS256"}"#, .algorithmNotAllowed),
      (#"{"kid":"SYNTHKEY01","alg":"RS384"}"#, .algorithmNotAllowed),
      (#"{"kid":"SYNTHKEY01","alg":"es256"}"#, .algorithmNotAllowed), (#"{"kid":"SYNTHKEY01"}"#, .headerInvalid),
      (#"{"alg":"ES256"}"#, .headerInvalid), (#"{"kid":"","alg":"ES256"}"#, .headerInvalid),
      (#"{"kid":7,"alg":"ES256"}"#, .headerInvalid), (#"{"kid":"OTHER","alg":"ES256"}"#, .keyNotFound),
      (#"{"kid":"SYNTHKEY01","alg":"ES256","crit":["x"],"x":1}"#, .criticalHeaderUnsupported),
      (#"{"kid":"SYNTHKEY01","alg":"ES256","alg":"ES256"}"#, .malformed),
      (#"{"kid":"SYNTHKEY01","alg":"ES256"}"#, .signatureInvalid),
    ] as [(String, ErrorCode)])
  func `N15 headers that must not pass`(header: String, code: ErrorCode) {
    #expect(failure { _ = try verify(forged(header: header)) }?.code == code)
  }

  @Test func `N15 an HMAC keyed with the RSA modulus, and ES256 under an RSA key`() throws {
    let set = try JWKSet(parsing: Printed.keySet)
    let object = try JSONObject(parsing: Printed.keySet.utf8)
    let modulus = try #require(object["keys"]?.arrayValue?.first?.objectValue?["n"]?.stringValue)
    let hmac = try SigningKey(secret: Base64URL.decode(modulus), algorithm: .hs256, keyID: "SYNTHKEY01")
    var service = AppleService.apple
    service.signatureAlgorithmNames = ["RS256", "ES256"]
    let verifier = AppleIdentityTokenVerifier(audiences: [Fixture.clientID], service: service, clock: fixture.clock)
    let tokens = [try JWT.sign(Fixture.claimsF, with: hmac, type: nil), try fixture.token(Fixture.claimsF)]
    for token in tokens {
      let error = failure {
        _ = try verifier.verify(
          token, keys: set, nonce: fixture.nonce(), origin: .authorizationResponse(code: Fixture.code))
      }
      #expect(error?.fault == .notAuthentic)
    }
  }

  static let badClaims: [(name: String, change: @Sendable (inout JSONObject) -> Void, code: ErrorCode)] = [
    ("N16 issuer with a slash", { $0["iss"] = "https://appleid.apple.com/" }, .claimMismatch),
    ("N16 issuer by http", { $0["iss"] = "http://appleid.apple.com" }, .claimMismatch),
    ("N16 no issuer", { $0["iss"] = nil }, .claimMissing),
    ("N17 another audience", { $0["aud"] = "com.example.other" }, .claimMismatch),
    ("N17 two audiences", { $0["aud"] = ["com.example.web", "com.example.other"] }, .claimMismatch),
    ("N17 no audience", { $0["aud"] = nil }, .claimMissing),
    ("N17 audience number", { $0["aud"] = 7 }, .claimInvalid),
    ("no expiration", { $0["exp"] = nil }, .claimMissing), ("no date of issue", { $0["iat"] = nil }, .claimMissing),
    ("expiration text", { $0["exp"] = "1760086400" }, .claimInvalid),
    ("not before tomorrow", { $0["nbf"] = 1_760_090_000 }, .claimNotYetValid),
    ("N19 wrong nonce", { $0["nonce"] = "n-5f2c9b" }, .nonceMismatch),
    ("N19 nonce number", { $0["nonce"] = 5 }, .claimInvalid),
    ("N19 no nonce, supported", { $0["nonce"] = nil }, .nonceMissing),
    (
      "N19 no nonce, supported as text",
      {
        $0["nonce"] = nil; $0["nonce_supported"] = "true"
      }, .nonceMissing
    ),
    (
      "N20 no nonce, unsupported",
      {
        $0["nonce"] = nil; $0["nonce_supported"] = false
      }, .nonceMissing
    ),
    (
      "N20 no nonce, unsupported as text",
      {
        $0["nonce"] = nil; $0["nonce_supported"] = "false"
      }, .nonceMissing
    ),
    ("no subject", { $0["sub"] = nil }, .claimMissing), ("empty subject", { $0["sub"] = "" }, .claimInvalid),
    ("long subject", { $0["sub"] = .string(String(repeating: "a", count: 256)) }, .claimInvalid),
    ("subject number", { $0["sub"] = 1 }, .claimInvalid),
    ("N23 hash of another code", { $0["c_hash"] = "5Tvixh1AuWgOsaKyPR_VfQ" }, .claimMismatch),
    ("N23 no hash of the code", { $0["c_hash"] = nil }, .claimMissing),
    ("hash of the code no text", { $0["c_hash"] = 1 }, .claimInvalid),
    ("verified maybe", { $0["email_verified"] = "maybe" }, .claimInvalid),
    ("verified null", { $0["email_verified"] = nil as JSONValue? ?? .null }, .claimInvalid),
    ("email no text", { $0["email"] = ["a"] }, .claimInvalid),
    ("authenticated tomorrow", { $0["auth_time"] = 1_760_086_400 }, .claimNotYetValid),
    ("transfer no text", { $0["transfer_sub"] = 7 }, .claimInvalid),
  ]

  @Test(arguments: badClaims.indices) func `claims that are refused`(_ index: Int) throws {
    let (name, change, code) = Self.badClaims[index]
    let token = try changed { change(&$0) }
    let error = failure { _ = try verify(token) }
    // A null where a member was removed stands for a wrong type.
    #expect(error?.code == code, "\(name): \(String(describing: error))")
  }

  @Test func `N18 just expired and just not issued, with the leeway`() throws {
    let token = try fixture.token(Fixture.claimsF)
    #expect(failure { _ = try verify(token, now: 1_760_086_461) }?.code == .claimExpired)
    #expect(failure { _ = try verify(token, now: 1_760_086_459) } == nil)
    let young = try changed { $0["auth_time"] = nil }
    #expect(failure { _ = try verify(young, now: 1_759_999_939) }?.code == .claimNotYetValid)
    #expect(failure { _ = try verify(young, now: 1_759_999_940) } == nil)
  }

  @Test func `N20 the option for old platforms`() throws {
    let token = try changed {
      $0["nonce"] = nil; $0["nonce_supported"] = "false"
    }
    #expect(try verify(token) { $0.allowsMissingNonceWhenUnsupported = true }.isNonceSupported == false)
    for none in [JSONValue?.none, .some(.null)] {
      let supported = try changed {
        $0["nonce"] = none; $0["nonce_supported"] = "true"
      }
      #expect(
        failure { _ = try verify(supported) { $0.allowsMissingNonceWhenUnsupported = true } }?.code == .nonceMissing)
    }
  }

  @Test func `N21 a nonce that was not sent`() throws {
    #expect(failure { _ = try verify(fixture.token(Fixture.claimsF), nonce: nil) }?.code == .nonceMismatch)
    #expect(failure { _ = try verify(changed { $0["nonce"] = nil }, nonce: nil) } == nil)
  }

  @Test func `N22 the hash submitted as the raw value`() throws {
    let hash = AppleNonce.Form.sha256Hex.claim(for: "raw")
    let token = try changed { $0["nonce"] = .string(hash) }
    #expect(failure { _ = try verify(token, nonce: hash, form: .sha256Hex) }?.code == .nonceMismatch)
    #expect(failure { _ = try verify(token, nonce: "raw", form: .exact) }?.code == .nonceMismatch)
  }

  @Test func `N24 at_hash of another access token`() throws {
    let token = try fixture.token(Fixture.claimsT)
    let other = AppleIdentityTokenOrigin.tokenResponse(code: Fixture.code, accessToken: "another")
    #expect(failure { _ = try verify(token, origin: other) }?.code == .claimMismatch)
  }

  @Test func `N36 a claim that is there twice`() throws {
    let payload = #"{"iss":"https://appleid.apple.com","sub":"a","sub":"b"}"#
    let token = try JWS.sign(Array(payload.utf8), with: fixture.serviceKey)
    #expect(failure { _ = try verify(token) }?.code == .malformed)
  }

  @Test(arguments: ["", "a.b", "a.b.c.d", "..", "a.b.c", "%.%.%", String(repeating: "a", count: 16 * 1024 + 1)])
  func `texts that are no token`(_ token: String) {
    let code = failure { _ = try verify(token) }?.code
    #expect(code == (token.utf8.count > 16 * 1024 ? .limitExceeded : .malformed))
  }

  @Test func `an empty list of audiences is the caller's mistake`() throws {
    let token = try fixture.token(Fixture.claimsF)
    #expect(failure { _ = try verify(token) { $0.audiences = [] } }?.fault == .callerMisuse)
  }

  @Test func `the hashes of the reference page`() {
    #expect(SignatureAlgorithm.rs256.leftHalfHash(of: Fixture.code) == "vU8sYNqJoxQ6e6Yi6fRsTA")
    #expect(SignatureAlgorithm.rs256.leftHalfHash(of: Fixture.accessToken) == "5Tvixh1AuWgOsaKyPR_VfQ")
  }
}
