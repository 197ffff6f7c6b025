import JOSE
import StrictJSON
import Testing

/// Rules of the JWT best current practice that no other suite shows by itself; the article has a row for each rule.
@Suite("JWT best current practice")
struct BestPracticeTests {
  private static let clock = WallClock.fixed(at: NumericDate(1_700_000_000))

  private func claims(_ issuer: String = "https://a.example", audience: JSONValue? = "api") -> JSONObject {
    var claims: JSONObject = ["iss": .string(issuer), "sub": "jane", "exp": 1_700_000_600]
    claims["aud"] = audience
    return claims
  }

  private func verifier(
    _ keys: [JWK], _ algorithms: [SignatureAlgorithm], issuer: String = "https://a.example",
    type: TypePolicy = .jwtOrAbsent
  ) -> JWTVerifier {
    JWTVerifier(
      keys: JWKSet(keys), algorithms: algorithms,
      policy: JWTPolicy(
        issuer: .anyOf([issuer]), audience: .anyOf(["api"]), type: type, clock: Self.clock))
  }

  /// A token whose header says what it likes, with a signature that no key is looked up for.
  private func token(header: String) -> String {
    "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims().serialized())).\(Base64URL.encode([1, 2, 3]))"
  }

  @Test(
    "what is not on the list is refused by its name, in any spelling, before a key is looked for",
    arguments: ["none", "None", "NONE", "nOnE", "noNE", "", "ES384", "RS256", "HS256", "es256", "ES256 ", "ES256\u{0}"])
  func listed(_ algorithm: String) throws {
    let header = String(decoding: (["alg": .string(algorithm)] as JSONObject).serialized(), as: UTF8.self)
    let verifier = verifier([], [.es256])
    #expect(refusal { _ = try verifier.verify(token(header: header)) } == "algorithmNotAllowed(alg)")
  }

  @Test("an empty list is the caller's mistake, not a permission")
  func emptyList() throws {
    let key = JWK.generate(.es256)
    let token = try JWT.sign(claims(), with: SigningKey(key))
    #expect(refusal { _ = try verifier([key], []).verify(token) }.hasPrefix("callerMisuse"))
  }

  @Test("there is no algorithm none, for making and for accepting")
  func none() throws {
    for name in ["none", "None", "NONE"] { #expect(SignatureAlgorithm(name: name) == nil) }
    #expect(SignatureAlgorithm.allCases.allSatisfy { $0.name.asciiLowercased != "none" })
    let key = JWK.generate(.es256)
    let unsigned = "\(Base64URL.encode(#"{"alg":"none"}"#.utf8)).\(Base64URL.encode(claims().serialized()))."
    for algorithms in [[.es256], SignatureAlgorithm.allCases] {
      #expect(refusal { _ = try verifier([key], algorithms).verify(unsigned) } == "algorithmNotAllowed(alg)")
    }
  }

  @Test("a token is refused if its alg differs from that of the key that kid names")
  func keyOfAnotherAlgorithm() throws {
    let key = JWK.generate(.es256, keyID: "a")
    let other = JWK.generate(.es384, keyID: "b")
    let signed = try JWT.sign(claims(), with: SigningKey(other))
    #expect(refusal { _ = try verifier([key, other], [.es256, .es384]).verify(signed) } == "accepted")
    // The same token under the name of the other key.
    var renamed = other
    renamed.keyID = "a"
    let confused = try JWT.sign(claims(), with: SigningKey(renamed))
    #expect(refusal { _ = try verifier([key, other], [.es256, .es384]).verify(confused) }.hasPrefix("keyMismatch"))
  }

  @Test("each issuer has its own keys and algorithms, and a token of an impostor is refused")
  func issuersApart() throws {
    let (a, b) = (JWK.generate(.es256, keyID: "k"), JWK.generate(.es384, keyID: "k"))
    let verifierA = verifier([a], [.es256])
    let verifierB = verifier([b], [.es384], issuer: "https://b.example")
    let tokenA = try JWT.sign(claims(), with: SigningKey(a))
    let tokenB = try JWT.sign(claims("https://b.example"), with: SigningKey(b))
    #expect(refusal { _ = try verifierA.verify(tokenA) } == "accepted")
    #expect(refusal { _ = try verifierB.verify(tokenB) } == "accepted")
    #expect(refusal { _ = try verifierA.verify(tokenB) } == "algorithmNotAllowed(alg)")
    #expect(refusal { _ = try verifierB.verify(tokenA) } == "algorithmNotAllowed(alg)")
    // Somebody with keys of their own who calls themselves A, and A who calls itself B.
    let impostor = try JWT.sign(claims(), with: SigningKey(JWK.generate(.es256, keyID: "k")))
    #expect(refusal { _ = try verifierA.verify(impostor) } == "signatureInvalid")
    let posing = try JWT.sign(claims("https://b.example"), with: SigningKey(a))
    #expect(refusal { _ = try verifierA.verify(posing) } == "claimMismatch(iss)")
  }

  @Test("an encrypted token's alg and enc are on the receiver's lists")
  func encryptionLists() throws {
    let secret = JWK.generate(.a256gcm)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: Self.clock)
    let sealed = try JWE.encrypt(claims().serialized(), to: EncryptionKey(secret))
    func verdict(_ keyManagement: [KeyManagementAlgorithm], _ content: [ContentEncryptionAlgorithm]) -> String {
      let verifier = EncryptedJWTVerifier(
        decryptionKeys: JWKSet([secret]), keyManagement: keyManagement, contentEncryption: content, policy: policy)
      return refusal { _ = try verifier.verify(sealed) }
    }
    #expect(verdict([.dir], [.a256gcm]) == "accepted")
    #expect(verdict([.a256kw], [.a256gcm]) == "algorithmNotAllowed(alg)")
    #expect(verdict([.dir], [.a128gcm]) == "algorithmNotAllowed(enc)")
    let old = #"{"alg":"RSA1_5","enc":"A256GCM"}"#
    let token = "\(Base64URL.encode(old.utf8)).AAAA.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
    let verifier = EncryptedJWTVerifier(
      decryptionKeys: JWKSet([secret]), keyManagement: KeyManagementAlgorithm.allCases, contentEncryption: [.a256gcm],
      policy: policy, acceptsAnonymousSenders: true)
    #expect(refusal { _ = try verifier.verify(token) } == "algorithmNotAllowed(alg)")
  }

  @Test("algorithms can be replaced while both are in use")
  func transition() throws {
    let (old, new) = (JWK.generate(.es256, keyID: "old"), JWK.generate(.ed25519, keyID: "new"))
    for key in [old, new] {
      let token = try JWT.sign(claims(), with: SigningKey(key))
      #expect(refusal { _ = try verifier([old, new], [.es256, .ed25519]).verify(token) } == "accepted")
    }
  }

  @Test("signing twice gives two signatures that verify, and Ed25519 is called by its own name")
  func signing() throws {
    let key = JWK.generate(.es256)
    for _ in 0..<2 {
      let token = try JWT.sign(claims(), with: SigningKey(key))
      #expect(refusal { _ = try verifier([key], [.es256]).verify(token) } == "accepted")
    }
    let token = try JWT.sign(claims(), with: SigningKey.generate(.ed25519))
    #expect(try UnverifiedJWS(parsing: token).unverifiedHeader.algorithm == "Ed25519")
  }

  @Test("one signature that fails spoils a message that must have all")
  func allSignatures() throws {
    let (a, b) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
    let signed = try JWS.signJSON(
      Array("x".utf8), with: [JWSSigner(key: a), JWSSigner(key: b)], serialization: .general)
    let stranger = try SigningKey.generate(.es256).verificationKey
    #expect(
      refusal { _ = try JWS.verifyJSON(signed, requiring: .all(of: [a.verificationKey, b.verificationKey])) }
        == "accepted")
    #expect(
      refusal { _ = try JWS.verifyJSON(signed, requiring: .all(of: [a.verificationKey, stranger])) }
        == "signatureInvalid")
  }

  @Test("a password serves PBES2 alone, and neither HMAC nor other encryption")
  func passwords() throws {
    let password = Array("correct horse battery staple".utf8)
    #expect(refusal { _ = try SigningKey(secret: password, algorithm: .hs256) } == "keyTooWeak")
    let key = try EncryptionKey(password: password, algorithm: .pbes2HS256A128KW)
    #expect(key.algorithm == .pbes2HS256A128KW)
    for algorithm in KeyManagementAlgorithm.allCases where !"\(algorithm)".hasPrefix("PBES2") {
      #expect(refusal { _ = try EncryptionKey(password: password, algorithm: algorithm) } != "accepted")
    }
  }

  @Test("a token must have an aud that names the verifier, and is not issued without one")
  func audience() throws {
    let key = JWK.generate(.es256)
    let verifier = verifier([key], [.es256])
    func verdict(_ audience: JSONValue?) throws -> String {
      let token = try JWT.sign(claims(audience: audience), with: SigningKey(key))
      return refusal { _ = try verifier.verify(token) }
    }
    #expect(try verdict("api") == "accepted" && verdict(["x", "api"]) == "accepted")
    #expect(try verdict(nil) == "claimMissing(aud)" && verdict("x") == "claimMismatch(aud)")
    #expect(try verdict([]) == "claimInvalid(aud)" && verdict(.null) == "claimMissing(aud)")
    #expect(
      refusal { _ = try JWTClaims(issuer: "i", audience: [], lifetime: .seconds(1)).issued() } == "callerMisuse(aud)")
  }

  @Test("typ is written without application/, read with or without it, and must name the type")
  func types() throws {
    let key = JWK.generate(.es256)
    let access = JWTClaims.accessToken(
      issuer: "i", audience: "a", subject: "s", clientID: "c", scope: nil, lifetime: .seconds(60))
    let token = try JWT.sign(access, with: SigningKey(key))
    #expect(try UnverifiedJWS(parsing: token).unverifiedHeader.type == "at+jwt")
    func verdict(_ type: String?, _ policy: TypePolicy) throws -> String {
      let token = try JWT.sign(claims(), with: SigningKey(key), type: type)
      return refusal { _ = try verifier([key], [.es256], type: policy).verify(token) }
    }
    for type in ["at+jwt", "application/at+jwt", "AT+JWT"] {
      #expect(try verdict(type, .anyOf(["at+jwt"])) == "accepted")
      #expect(try verdict(type, .ifPresent(["application/at+jwt"])) == "accepted")
    }
    for type in ["JWT", "logout+jwt", "text/at+jwt"] {
      #expect(try verdict(type, .anyOf(["at+jwt"])) == "typeMismatch(typ)")
      #expect(try verdict(type, .ifPresent(["at+jwt"])) == "typeMismatch(typ)")
    }
    #expect(try verdict(nil, .anyOf(["at+jwt"])) == "typeMismatch(typ)")
    #expect(try verdict(nil, .ifPresent(["at+jwt"])) == "accepted")
    #expect(try verdict("at+jwt", .jwtOrAbsent) == "typeMismatch(typ)")
  }

  @Test("of a nested token the inner type counts")
  func nestedType() throws {
    let (key, receiver) = (try SigningKey.generate(.es256), JWK.generateForKeyAgreement())
    let nested = NestedJWTVerifier(
      decryptionKey: try DecryptionKey(receiver), contentEncryption: [.a256gcm],
      verifier: JWTVerifier(
        key: key.verificationKey,
        policy: JWTPolicy(
          issuer: .notChecked, audience: .notChecked, type: .anyOf(["at+jwt"]), clock: Self.clock)))
    func verdict(inner: String?, outer: String?) throws -> String {
      var header = HeaderParameters()
      header.type = outer
      let token = try JWT.signAndEncrypt(
        claims(), with: key, to: EncryptionKey(receiver), contentEncryption: .a256gcm, type: inner,
        encryptionHeader: header)
      return refusal { _ = try nested.verify(token) }
    }
    #expect(try verdict(inner: "at+jwt", outer: nil) == "accepted")
    #expect(try verdict(inner: "JWT", outer: "at+jwt") == "typeMismatch(typ)")
    #expect(try verdict(inner: nil, outer: "at+jwt") == "typeMismatch(typ)")
  }

  @Test("letters, digits, minus, underscore and dots, and nothing else, make a token")
  func compactForm() throws {
    let key = JWK.generate(.es256)
    let verifier = verifier([key], [.es256])
    let token = try JWT.sign(claims(), with: SigningKey(key))
    #expect(refusal { _ = try verifier.verify(token) } == "accepted")
    for character in ["=", "+", "/", " ", "\n", "\r", "\t", "{", "\"", "%", "é", "\u{0}", "."] {
      for changed in [token + character, character + token, token.replacing(".", with: character + ".")] {
        #expect(refusal { _ = try verifier.verify(changed) } == "malformed")
      }
    }
    let json = try JWS.signJSON(
      claims().serialized(), with: [JWSSigner(key: SigningKey(key))], serialization: .flattened)
    #expect(refusal { _ = try verifier.verify(json) } == "malformed")
  }

  @Test("header and claims are UTF-8 and nothing else")
  func utf8() throws {
    let key = try SigningKey.generate(.es256)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [], clock: Self.clock)
    func verdict(_ payload: [UInt8]) throws -> String {
      let token = try JWS.sign(payload, with: key)
      return refusal { _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) }
    }
    #expect(try verdict(Array(#"{"a":"é"}"#.utf8)) == "accepted")
    let utf16 = Array("{\"a\":1}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    for bad in [
      utf16, [0xEF, 0xBB, 0xBF] + Array("{}".utf8), Array(#"{"a":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8),
      Array(#"{"a":""#.utf8) + [0xE9] + Array(#""}"#.utf8),
      Array(#"{"a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8),
    ] {
      #expect(try verdict(bad) == "malformed")
    }
  }
}
