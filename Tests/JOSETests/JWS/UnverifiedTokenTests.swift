import StrictJSON
import Testing

@testable import JOSE

@Suite("Tokens that were taken apart once")
struct UnverifiedTokenTests {
  private static let claims: JSONObject = ["iss": "i", "sub": "jane", "aud": "a", "exp": 2_000_000_000]

  @Test("a JWS shows its parts and verifies itself, with a key or a set")
  func signed() throws {
    let signer = try TestKeys.signing(keyID: "k1")
    let text = try JWT.sign(Self.claims, with: signer)
    let token = try UnverifiedJWS(parsing: text)
    #expect(token.unverifiedHeader.keyID == "k1" && token.unverifiedClaims?["iss"] == "i")
    #expect(token.unverifiedPayload == Self.claims.serialized())
    let verified = try token.verified(with: signer.verificationKey)
    #expect(verified.payload == token.unverifiedPayload && verified.key.keyID == "k1")
    let set = JWKSet([try #require(signer.verificationKey.publicJWK)])
    #expect(try token.verified(with: set, algorithms: [.es256]).payload == verified.payload)
    #expect(refusal { _ = try token.verified(with: set, algorithms: [.es384]) } == "algorithmNotAllowed(alg)")
    #expect(refusal { _ = try token.verified(with: JWKSet([]), algorithms: [.es256]) } == "keyNotFound(kid)")
    #expect(refusal { _ = try token.verified(with: SigningKey.generate(.es256).verificationKey) } == "signatureInvalid")
    let verifier = JWTVerifier(keys: set, algorithms: [.es256], issuer: "i", audience: "a")
    #expect(try verifier.verify(parsed: token).claims == Self.claims)
    #expect(try verifier.verify(parsed: token, as: [String: JSONValue].self).claims["sub"] == "jane")
    #expect(try UnverifiedJWS(utf8: Array(text.utf8)).unverifiedClaims == token.unverifiedClaims)
  }

  @Test("a payload that isn't JSON has no claims, and an unencoded payload stays as it is")
  func otherPayloads() throws {
    let signer = try TestKeys.signing()
    let token = try UnverifiedJWS(parsing: JWS.sign([1, 2, 3], with: signer))
    #expect(token.unverifiedClaims == nil && token.unverifiedPayload == [1, 2, 3])
    #expect(try token.verified(with: signer.verificationKey).payload == [1, 2, 3])
    let verifier = JWTVerifier(key: signer.verificationKey, policy: JWTVerifierTests.policy())
    #expect(refusal { _ = try verifier.verify(parsed: token) } == "malformed")
    let header = Base64URL.encode(#"{"alg":"ES256","b64":false,"crit":["b64"]}"#.utf8)
    let signature = try signer.signature(for: Array("\(header).$plain".utf8))
    let plain = try UnverifiedJWS(parsing: "\(header).$plain.\(Base64URL.encode(signature))")
    #expect(try plain.verified(with: signer.verificationKey).payload == Array("$plain".utf8))
    #expect(
      refusal { _ = try plain.verified(with: signer.verificationKey, understanding: []) }
        == "criticalHeaderUnsupported(crit)")
    #expect(refusal { _ = try verifier.verify(parsed: plain) } == "criticalHeaderUnsupported(crit)")
  }

  @Test("each token has the verdict of its text, in both steps together")
  func sameVerdicts() throws {
    let signer = try TestKeys.signing()
    let key = signer.verificationKey
    let good = try JWT.sign(Self.claims, with: signer)
    let parts = good.split(separator: ".").map(String.init)
    func headed(_ header: String, _ payload: String? = nil) throws -> String {
      let input = Base64URL.encode(header.utf8) + "." + (payload ?? parts[1])
      return input + "." + Base64URL.encode(try signer.signature(for: Array(input.utf8)))
    }
    let tokens = [
      good, try withAnotherTag(good), good + ".", good + "=", "", "..", parts[0], "\(parts[0]).\(parts[1]).AA",
      "\(parts[0]).e30.\(parts[2])", try headed(#"{"alg":"ES384"}"#), try headed(#"{"alg":"none"}"#),
      try headed(#"{"alg":"ES256","crit":["x"],"x":1}"#), try headed(#"{"alg":"ES256","crit":[]}"#),
      try headed(#"{"alg":"ES256","b64":true}"#), try headed(#"{"alg":"ES256","cty":"JWT"}"#),
      try headed(#"{"alg":"ES256"}"#, "W10"), try headed(#"{"alg":"ES256"}"#, "eyJhIjoxLCJhIjoyfQ"),
      try headed(#"{"alg":"ES256"}"#, Base64URL.encode(#"{"exp":1}"#.utf8)),
      try headed(#"{"alg":"ES256"}"#, Base64URL.encode(#"{"exp":"x"}"#.utf8)), try headed(#"{"typ":"JWT"}"#),
      try headed(#"{"alg":"ES256","typ":"x"}"#), try JWE.encrypt([1], to: TestKeys.decryption().encryptionKey),
    ]
    let verifier = JWTVerifier(key: key, policy: JWTVerifierTests.policy())
    for token in tokens {
      let verdict = refusal { _ = try JWS.verify(token, with: key) }
      #expect(refusal { _ = try UnverifiedJWS(parsing: token).verified(with: key) } == verdict, "\(token)")
      let claimsVerdict = refusal { _ = try verifier.verify(token) }
      #expect(refusal { _ = try verifier.verify(parsed: UnverifiedJWS(parsing: token)) } == claimsVerdict, "\(token)")
    }
  }

  @Test("the limits of a policy hold, whatever the limits of the parsing were")
  func limits() throws {
    let signer = try TestKeys.signing()
    let token = try UnverifiedJWS(parsing: JWT.sign(Self.claims, with: signer))
    for (member, verdict) in [
      (\Limits.tokenByteCount, "limitExceeded(tokenByteCount)"), (\.claimsByteCount, "limitExceeded(claimsByteCount)"),
      (\.headerByteCount, "limitExceeded(headerByteCount)"), (\.objectMemberCount, "limitExceeded(json)"),
    ] {
      var limits = Limits()
      limits[keyPath: member] = 3
      let verifier = JWTVerifier(key: signer.verificationKey, policy: JWTVerifierTests.policy { $0.limits = limits })
      #expect(refusal { _ = try verifier.verify(parsed: token) } == verdict)
    }
    var short = Limits()
    short.messageByteCount = token.text.count - 1
    #expect(
      refusal { _ = try UnverifiedJWS(utf8: token.text, limits: short) } == "limitExceeded(messageByteCount)")
  }

  @Test("a JWE shows its header and opens itself, with a key or a set")
  func encrypted() throws {
    let jwk = try JWK.generate(.ecdhESA128KW, keyID: "k1")
    let key = try DecryptionKey(jwk)
    let text = try JWE.encrypt([1, 2, 3], to: key.encryptionKey)
    let token = try UnverifiedJWE(parsing: text)
    #expect(token.unverifiedHeader.keyID == "k1" && token.unverifiedHeader.algorithm == "ECDH-ES+A128KW")
    #expect(try token.decrypted(with: key, contentEncryption: [.a256gcm]).plaintext == [1, 2, 3])
    let opened = try token.decrypted(
      with: JWKSet([jwk]), keyManagement: [.ecdhESA128KW], contentEncryption: [.a256gcm])
    #expect(opened.plaintext == [1, 2, 3])
    #expect(refusal { _ = try token.decrypted(with: key, contentEncryption: [.a128gcm]) } == "algorithmNotAllowed(enc)")
    #expect(
      refusal { _ = try token.decrypted(with: JWKSet([]), keyManagement: [.dir], contentEncryption: [.a256gcm]) }
        == "algorithmNotAllowed(alg)")
    let spoiled = try UnverifiedJWE(parsing: withAnotherTag(text))
    #expect(refusal { _ = try spoiled.decrypted(with: key, contentEncryption: [.a256gcm]) } == "decryptionFailed")
    #expect(refusal { _ = try UnverifiedJWE(parsing: "a.b.c") } == "malformed")
  }

  #if DEBUG
    @Test("each part of a token is taken apart once")
    func once() async throws {
      let signer = try TestKeys.signing()
      let verifier = JWTVerifier(key: signer.verificationKey, policy: JWTVerifierTests.policy())
      let text = try JWT.sign(Self.claims, with: signer)
      try expect(compact: 1, json: 2) {
        let token = try UnverifiedJWS(parsing: text)
        _ = token.unverifiedClaims
        _ = try token.verified(with: signer.verificationKey)
        _ = try verifier.verify(parsed: token)
        _ = try verifier.verify(parsed: token, as: [String: JSONValue].self)
      }
      // With other limits it is another question.
      let strict = JWTVerifier(
        key: signer.verificationKey, policy: JWTVerifierTests.policy { $0.limits.claimsDepth = 2 })
      try expect(compact: 2, json: 4) { _ = try strict.verify(parsed: UnverifiedJWS(parsing: text)) }
      let key = try TestKeys.decryption()
      let sealed = try JWE.encrypt([1], to: key.encryptionKey)
      try expect(compact: 1, json: 1) {
        let token = try UnverifiedJWE(parsing: sealed)
        _ = try token.decrypted(with: key, contentEncryption: [.a256gcm])
      }
      let proof = try DPoP.proof(method: "GET", url: "https://a.example/", key: signer)
      let count = ParseCount()
      try await ParseCount.$current.withValue(count) {
        let proofs = DPoPVerifier(records: MemoryRecordStore())
        _ = try await proofs.verify(proof, method: "GET", url: "https://a.example/", binding: .none)
      }
      #expect(count[.compact] == 1 && count[.json] == 2)
    }

    private func expect(compact: Int, json: Int, _ body: () throws -> Void) rethrows {
      let count = ParseCount()
      try ParseCount.$current.withValue(count) { try body() }
      #expect(count[.compact] == compact && count[.json] == json)
    }
  #endif
}
