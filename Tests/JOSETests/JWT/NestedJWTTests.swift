import JOSE
import Testing

@Suite("Nested JWTs")
struct NestedJWTTests {
  static let claims: JSONObject = ["iss": "https://a.example", "sub": "jane", "aud": "api", "exp": 1_700_000_100]
  static let json = #"{"iss":"https://a.example","sub":"jane","aud":"api","exp":1700000100}"#

  static func verifier(
    signedWith key: SigningKey? = nil, policy change: (inout JWTPolicy) -> Void = { _ in }
  ) throws -> NestedJWTVerifier {
    var policy = JWTPolicy(
      issuer: .anyOf(["https://a.example"]), audience: .anyOf(["api"]), clock: .fixed(at: NumericDate(1_700_000_000)))
    change(&policy)
    let key = if let key { key } else { try TestKeys.signing() }
    return NestedJWTVerifier(
      decryptionKey: try TestKeys.decryption(), contentEncryption: [.a256gcm],
      verifier: JWTVerifier(key: key.verificationKey, policy: policy))
  }

  /// An encryption around any content, as JSON text of the header says.
  static func encrypted(
    _ content: String, contentType: String? = "JWT", additional: JSONObject = [:]
  ) throws -> String {
    try JWE.encrypt(
      content.utf8, to: TestKeys.decryption().encryptionKey,
      header: HeaderParameters(contentType: contentType, additional: additional))
  }

  static func signed(_ claims: JSONObject = claims, header: HeaderParameters = HeaderParameters()) throws -> String {
    try JWT.sign(claims, with: TestKeys.signing(), header: header)
  }

  struct Claims: Decodable { var sub: String }

  @Test("what is signed and then encrypted comes out verified, for each key management algorithm")
  func roundTrip() throws {
    let token = try JWT.signAndEncrypt(
      Self.claims, with: TestKeys.signing(), to: TestKeys.decryption().encryptionKey,
      header: HeaderParameters(keyID: "inner"), encryptionHeader: HeaderParameters(type: "JWT", keyID: "outer"))
    let header = try UnverifiedJWE(parsing: token).unverifiedHeader
    #expect(header.contentType == "JWT" && header.type == "JWT" && header.keyID == "outer")
    let verified = try Self.verifier().verify(token, as: Claims.self)
    #expect(verified.claims.sub == "jane" && verified.header.keyID == "inner" && verified.header.type == "JWT")
    #expect(try Self.verifier().verify(token).claims == Self.claims)

    var jwk = try JWK.generate(.a256kw, keyID: "k")
    jwk.keyID = "k"
    let sealed = try JWT.signAndEncrypt(
      Self.claims, with: TestKeys.signing(), to: EncryptionKey(jwk), contentEncryption: .a128cbcHS256)
    let bySet = NestedJWTVerifier(
      decryptionKeys: JWKSet([jwk]), keyManagement: [.a256kw], contentEncryption: [.a128cbcHS256],
      verifier: try Self.verifier().verifier)
    #expect(try bySet.verify(sealed).claims == Self.claims)
    #expect(
      refusal {
        _ = try NestedJWTVerifier(
          decryptionKeys: JWKSet([jwk]), keyManagement: [], contentEncryption: [.a128cbcHS256],
          verifier: Self.verifier().verifier
        ).verify(sealed)
      } == "callerMisuse(keyManagement)")
  }

  @Test("each other shape is refused, with its own error")
  func shapes() throws {
    let verifier = try Self.verifier()
    func refused(_ token: String) -> String { refusal { _ = try verifier.verify(token) } }
    let signed = try Self.signed()
    let header = Base64URL.encode(#"{"alg":"none"}"#.utf8)
    let unsecured = "\(header).\(Base64URL.encode(Self.json.utf8))."
    let encrypted = try Self.encrypted(signed)
    #expect(refused(encrypted) == "accepted")
    // Not encrypted, not signed, not secured.
    #expect(refused(signed) == "malformed")
    #expect(refused(try Self.encrypted(Self.json)) == "malformed")
    #expect(refused(try Self.encrypted("")) == "malformed")
    #expect(refused(try Self.encrypted(unsecured)) == "algorithmNotAllowed(alg)")
    // Signed by somebody else, and signed with what the receiver's public key is made of.
    let stranger = try JWT.sign(Self.claims, with: .generate(.es256))
    #expect(refused(try Self.encrypted(stranger)) == "signatureInvalid")
    let hmac = try JWT.sign(Self.claims, with: TestKeys.hmac())
    #expect(refused(try Self.encrypted(hmac)) == "algorithmNotAllowed(alg)")
    // Deeper, or the other way round.
    #expect(refused(try Self.encrypted(encrypted)) == "limitExceeded(nestingDepth)")
    let twice = try JWS.sign(signed.utf8, with: TestKeys.signing(), header: HeaderParameters(contentType: "JWT"))
    #expect(refused(try Self.encrypted(twice)) == "limitExceeded(nestingDepth)")
    #expect(refused(try JWS.sign(encrypted.utf8, with: TestKeys.signing())) == "malformed")
    // Encrypted for somebody else, or changed on the way.
    let foreign = try JWT.signAndEncrypt(
      Self.claims, with: TestKeys.signing(), to: DecryptionKey.generateForKeyAgreement().encryptionKey)
    #expect(refused(foreign) == "decryptionFailed")
    #expect(refused(try withAnotherTag(encrypted)) == "decryptionFailed")
  }

  @Test("a token that a signed token holds is never taken for claims, and the outer signature counts")
  func signedTwice() throws {
    let verifier = try Self.verifier().verifier
    let twice = try JWS.sign(
      Self.signed().utf8, with: TestKeys.signing(), header: HeaderParameters(contentType: "application/jwt"))
    #expect(refusal { _ = try verifier.verify(twice) } == "limitExceeded(nestingDepth)")
    let broken = try JWS.sign(
      Self.signed().utf8, with: .generate(.es256), header: HeaderParameters(contentType: "JWT"))
    #expect(refusal { _ = try verifier.verify(broken) } == "signatureInvalid")
  }

  @Test(
    "cty must say that the content is a JWT, in any case of letters",
    arguments: [
      ("JWT", "accepted"), ("jwt", "accepted"), ("application/jwt", "accepted"), ("Application/JWT", "accepted"),
      (nil, "headerInvalid(cty)"), ("", "headerInvalid(cty)"), ("text/jwt", "headerInvalid(cty)"),
      ("jwt;x=1", "headerInvalid(cty)"), ("json", "headerInvalid(cty)"), ("\u{212A}WT", "headerInvalid(cty)"),
    ])
  func contentType(_ contentType: String?, _ expected: String) throws {
    let token = try Self.encrypted(Self.signed(), contentType: contentType)
    #expect(refusal { _ = try Self.verifier().verify(token) } == expected)
  }

  @Test(
    "claims that the encryption's header repeats are those of the token inside",
    arguments: [
      (["iss": "https://a.example", "sub": "jane", "aud": "api"], "accepted"), (["aud": ["api"]], "accepted"),
      (["iss": "https://b.example"], "claimMismatch(iss)"), (["iss": 1], "claimMismatch(iss)"),
      (["sub": "Jane"], "claimMismatch(sub)"), (["sub": nil], "claimMismatch(sub)"),
      (["aud": ["api", "x"]], "claimMismatch(aud)"), (["aud": []], "claimMismatch(aud)"),
      (["aud": "x"], "claimMismatch(aud)"), (["exp": 1_700_000_100], "accepted"),
      (["exp": 1_700_000_100.0], "accepted"), (["exp": 1_700_000_101], "claimMismatch(exp)"),
      (["exp": "1700000100"], "claimMismatch(exp)"), (["exp": nil], "claimMismatch(exp)"),
      (["nbf": 1], "claimMismatch(nbf)"), (["iat": 1], "claimMismatch(iat)"), (["jti": "x"], "claimMismatch(jti)"),
    ] as [(JSONObject, String)])
  func repeatedClaims(_ additional: JSONObject, _ expected: String) throws {
    let token = try Self.encrypted(Self.signed(), additional: additional)
    #expect(refusal { _ = try Self.verifier().verify(token) } == expected)
  }

  @Test("a claim that is repeated but absent inside is refused")
  func repeatedButAbsent() throws {
    for name in ["iss", "sub", "aud"] {
      let token = try Self.encrypted(Self.signed(["exp": 1_700_000_100]), additional: [name: "x"])
      let verifier = try Self.verifier { policy in
        policy.issuer = .notChecked
        policy.audience = .notChecked
      }
      #expect(refusal { _ = try verifier.verify(token) } == "claimMismatch(\(name))")
    }
  }

  @Test("the policy of the signed token and its limits hold")
  func policy() throws {
    let token = try Self.encrypted(Self.signed())
    #expect(
      refusal { _ = try Self.verifier { $0.audience = .anyOf(["x"]) }.verify(token) } == "claimMismatch(aud)")
    #expect(
      refusal { _ = try Self.verifier { $0.clock = .fixed(at: NumericDate(1_700_000_100)) }.verify(token) }
        == "claimExpired(exp)")
    #expect(
      refusal { _ = try Self.verifier { $0.limits.tokenByteCount = token.utf8.count }.verify(token) } == "accepted")
    #expect(
      refusal { _ = try Self.verifier { $0.limits.tokenByteCount = token.utf8.count - 1 }.verify(token) }
        == "limitExceeded(tokenByteCount)")
    #expect(refusal { _ = try Self.verifier { $0.leeway = .seconds(-1) }.verify(token) } == "callerMisuse(leeway)")
    let compressed = Base64URL.encode(#"{"alg":"ECDH-ES","enc":"A256GCM","zip":"DEF","cty":"JWT"}"#.utf8) + "..AA.AA.AA"
    #expect(refusal { _ = try Self.verifier().verify(compressed) } == "algorithmNotAllowed(zip)")
  }

  @Test("a caller can't declare another content, and every change of a character is refused")
  func producer() throws {
    let token = try JWT.signAndEncrypt(
      Self.claims, with: TestKeys.signing(), to: TestKeys.decryption().encryptionKey,
      encryptionHeader: HeaderParameters(contentType: "text/plain"))
    let verifier = try Self.verifier()
    #expect(try verifier.verify(token).claims == Self.claims)
    var characters = Array(token.utf8)
    for index in stride(from: 0, to: characters.count, by: 7) {
      let original = characters[index]
      characters[index] = original == 0x41 ? 0x42 : 0x41
      #expect(throws: JOSEError.self) { try verifier.verify(String(decoding: characters, as: UTF8.self)) }
      characters[index] = original
    }
    #expect(
      refusal {
        _ = try JWT.signAndEncrypt(
          [1], with: TestKeys.signing(), to: TestKeys.decryption().encryptionKey)
      } == "callerMisuse")
  }
}
