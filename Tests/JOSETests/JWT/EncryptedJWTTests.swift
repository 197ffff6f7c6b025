import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("JWTs that are encrypted and not signed")
struct EncryptedJWTTests {
  private struct Session: Codable, Equatable {
    var sub: String
    var aud: Audience
    var exp: NumericDate
  }

  static let json = #"{"sub":"jane","aud":"app","exp":1700000100}"#

  private func policy(_ change: (inout JWTPolicy) -> Void = { _ in }) -> JWTPolicy {
    var policy = JWTPolicy(
      issuer: .notChecked, audience: .anyOf(["app"]), clock: .fixed(at: NumericDate(1_700_000_000)))
    change(&policy)
    return policy
  }

  private static func token(
    _ text: String = json, to key: DecryptionKey, header: HeaderParameters = HeaderParameters()
  ) throws -> String {
    try JWE.encrypt(Array(text.utf8), to: key.encryptionKey, header: header)
  }

  private func verdict(
    _ token: String, _ key: DecryptionKey, anonymous: Bool = false, _ change: (inout JWTPolicy) -> Void = { _ in }
  ) -> String {
    refusal {
      _ = try EncryptedJWTVerifier(
        decryptionKey: key, contentEncryption: ContentEncryptionAlgorithm.allCases, policy: policy(change),
        acceptsAnonymousSenders: anonymous
      ).verify(token)
    }
  }

  @Test("a token under a shared secret opens, and its claims are checked")
  func sharedSecrets() throws {
    for key in [
      try DecryptionKey(JWK.generate(ContentEncryptionAlgorithm.a256cbcHS512), algorithm: .dir),
      try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a256kw)),
      try DecryptionKey(password: "entrap".utf8, algorithm: .pbes2HS256A128KW),
    ] {
      let token = try Self.token(to: key)
      let verifier = EncryptedJWTVerifier(
        decryptionKey: key, contentEncryption: ContentEncryptionAlgorithm.allCases, policy: policy())
      let opened = try verifier.verify(token, as: Session.self)
      #expect(opened.claims == Session(sub: "jane", aud: "app", exp: NumericDate(1_700_000_100)))
      #expect(opened.registeredClaims.audience == ["app"])
      #expect(verdict(token, key) == "accepted")
      #expect(verdict(token, key) { $0.audience = .anyOf(["x"]) } == "claimMismatch(aud)")
      #expect(verdict(token, key) { $0.clock = .fixed(at: NumericDate(1_700_000_100)) } == "claimExpired(exp)")
      #expect(verdict(token, key) { $0.requiredClaims = ["jti"] } == "claimMissing(jti)")
      #expect(verdict(token, key) { $0.limits.tokenByteCount = 10 } == "limitExceeded(tokenByteCount)")
      #expect(verdict(try withAnotherTag(token), key) == "decryptionFailed")
    }
  }

  @Test("a JWT encrypted to a public key is refused unless anonymous senders are accepted")
  func publicKeys() throws {
    let key = try TestKeys.decryption()
    let token = try Self.token(to: key)
    #expect(verdict(token, key) == "callerMisuse(alg)")
    #expect(verdict(token, key, anonymous: true) == "accepted")
    var jwk = try JWK(parsing: TestKeys.ecdhES)
    jwk.algorithm = "ECDH-ES"
    func bySet(_ anonymous: Bool) -> String {
      refusal {
        _ = try EncryptedJWTVerifier(
          decryptionKeys: JWKSet([jwk]), keyManagement: [.ecdhES, .dir], contentEncryption: [.a256gcm],
          policy: policy(),
          acceptsAnonymousSenders: anonymous
        ).verify(token)
      }
    }
    #expect(bySet(false) == "callerMisuse(alg)")
    #expect(bySet(true) == "accepted")
  }

  @Test("what is no claims set, or a signed token, is refused")
  func shapes() throws {
    let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128kw))
    for (text, contentType, expected) in [
      ("[]", nil, "malformed"), ("x", nil, "malformed"), (#"{"aud":"app","aud":"app"}"#, nil, "malformed"),
      (Self.json, "JWT", "headerInvalid(cty)"), (Self.json, "json", "accepted"),
      (#"{"aud":"app","exp":true}"#, nil, "claimInvalid(exp)"),
    ] as [(String, String?, String)] {
      let token = try Self.token(text, to: key, header: HeaderParameters(contentType: contentType))
      #expect(verdict(token, key) == expected)
    }
    let repeated = try Self.token(to: key, header: HeaderParameters(additional: ["exp": 1_800_000_000]))
    #expect(verdict(repeated, key) == "claimMismatch(exp)")
    let signed = try JWT.sign(["exp": 1] as JSONObject, with: TestKeys.signing())
    #expect(verdict(signed, key) == "malformed")
    #expect(verdict(try Self.token(signed, to: key), key) == "malformed")
  }

  @Test("an audience is one name or several, and is written as it is read")
  func audiences() throws {
    for (text, names) in [(#"{"aud":"a"}"#, ["a"]), (#"{"aud":["a","b"]}"#, ["a", "b"])] {
      let claims = try StrictJSONDecoder().decode([String: Audience].self, from: text.utf8)
      #expect(claims["aud"]?.names == names && claims["aud"]?.contains("a") == true)
      #expect(try StrictJSONEncoder().encode(claims) == Array(text.utf8))
    }
    let one = try StrictJSONDecoder().decode(Audience.self, from: #"["a"]"#.utf8)
    #expect(one == "a" && one != ["a", "b"])
    #expect(Audience(["\u{e9}"]) != Audience(["e\u{301}"]))
    for text in ["[]", "1", "[1]", "null", "{}"] {
      #expect(throws: (any Error).self) { try StrictJSONDecoder().decode(Audience.self, from: text.utf8) }
    }
  }

  @Test("what JWT.encrypt makes, the verifier opens: under secrets, and for a public key where both sides say so")
  func made() throws {
    let claims = Session(sub: "jane", aud: "app", exp: NumericDate(1_700_000_100))
    for (key, isSecret) in [
      (try DecryptionKey(JWK.generate(ContentEncryptionAlgorithm.a256cbcHS512), algorithm: .dir), true),
      (try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128gcmKW)), true),
      (try DecryptionKey(password: "entrap".utf8, algorithm: .pbes2HS256A128KW), true),
      (try DecryptionKey(JWK.generateForKeyAgreement()), false),
    ] {
      #expect((code { _ = try JWT.encrypt(claims, to: key.encryptionKey) } == .callerMisuse) == !isSecret)
      let token = try JWT.encrypt(claims, to: key.encryptionKey, anonymously: !isSecret)
      let opened = try EncryptedJWTVerifier(
        decryptionKey: key, contentEncryption: ContentEncryptionAlgorithm.allCases, policy: policy(),
        acceptsAnonymousSenders: !isSecret
      ).verify(token, as: Session.self)
      #expect(opened.claims == claims && opened.header.type == "JWT" && opened.header.contentType == nil)
      // A token that is signed inside is another kind, and neither verifier takes the other's.
      #expect(
        code {
          _ = try NestedJWTVerifier(
            decryptionKey: key, contentEncryption: ContentEncryptionAlgorithm.allCases,
            verifier: JWTVerifier(key: TestKeys.signing().verificationKey, policy: policy())
          ).verify(token)
        } == .headerInvalid)
    }
    let key = try DecryptionKey(JWK.generate(ContentEncryptionAlgorithm.a256gcm), algorithm: .dir)
    for contentType in ["JWT", "jwt", "application/jwt"] {
      #expect(
        refusal {
          _ = try JWT.encrypt(claims, to: key.encryptionKey, header: HeaderParameters(contentType: contentType))
        } == "callerMisuse(cty)")
    }
    #expect(code { _ = try JWT.encrypt("text", to: key.encryptionKey) } == .callerMisuse)
  }

  @Test("claims to be issued are encrypted, or signed and encrypted, as of now and with their type")
  func issued() throws {
    var claims = JWTClaims(issuer: "https://a.example", audience: "app", subject: "jane", lifetime: .seconds(100))
    claims.clock = .fixed(at: NumericDate(1_700_000_000))
    claims.type = "session+jwt"
    var policy = policy { $0.type = .anyOf(["session+jwt"]) }
    policy.issuer = .anyOf(["https://a.example"])
    let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a256kw))
    let algorithms = ContentEncryptionAlgorithm.allCases
    let encrypted = try EncryptedJWTVerifier(decryptionKey: key, contentEncryption: algorithms, policy: policy).verify(
      JWT.encrypt(claims, to: key.encryptionKey))
    #expect(encrypted.registeredClaims.expiration == NumericDate(1_700_000_100))
    let signer = try TestKeys.signing()
    let nested = try NestedJWTVerifier(
      decryptionKey: key, contentEncryption: algorithms,
      verifier: JWTVerifier(key: signer.verificationKey, policy: policy)
    ).verify(JWT.signAndEncrypt(claims, with: signer, to: key.encryptionKey))
    #expect(
      nested.registeredClaims.subject == "jane" && nested.registeredClaims.tokenID != encrypted.registeredClaims.tokenID
    )
  }
}
