import JOSE
import PureCrypto
import Testing

/// Keys that name no algorithm, as many issuers publish them: each serves accepted algorithms of one family, and a
/// token never chooses between two schemes.
@Suite("Keys without alg")
struct UnboundKeyTests {
  private static func unnamed(_ key: SigningKey) throws -> JWK {
    var jwk = try #require(key.verificationKey.publicJWK)
    (jwk.algorithm, jwk.use) = (nil, nil)
    return jwk
  }

  private func verdict(_ token: String, _ key: JWK, _ algorithms: [SignatureAlgorithm]) -> String {
    refusal { _ = try JWS.verify(token, with: JWKSet([key]), algorithms: algorithms) }
  }

  @Test("accepted algorithms of one family all verify, and say which it was")
  func families() throws {
    let ed25519 = JWK.generate(.ed25519)
    let rsa = RSATokenTests.jwk
    for (jwk, family, other) in [
      (ed25519, [.eddsa, .ed25519], nil), (rsa, [.rs256, .rs384, .rs512], SignatureAlgorithm.ps256),
      (rsa, [.ps256, .ps384, .ps512], .rs256),
    ] as [(JWK, [SignatureAlgorithm], SignatureAlgorithm?)] {
      var jwk = jwk
      (jwk.algorithm, jwk.use, jwk.keyID) = (nil, nil, "k")
      for algorithm in family {
        let key = try SigningKey(jwk, algorithm: algorithm)
        let token = try JWS.sign([1], with: key)
        let set = JWKSet([try Self.unnamed(key)])
        #expect(try JWS.verify(token, with: set, algorithms: family + [.es256]).key.algorithm == algorithm)
        let json = try JWS.signJSON([1], with: [JWSSigner(key: key)])
        #expect(try JWS.verifyJSON(json, requiring: .any(of: set, algorithms: family)).payload == [1])
        if let other { #expect(verdict(token, set.keys[0], family + [other]) == "keyMismatch(alg)") }
        // A key that names its algorithm serves that one, whatever else is accepted.
        var named = set.keys[0]
        named.algorithm = algorithm.name
        #expect(verdict(token, named, family + [other].compactMap { $0 }) == "accepted")
        named.algorithm = family.first { $0 != algorithm }?.name
        #expect(verdict(token, named, family) == "keyMismatch(alg)")
      }
    }
  }

  @Test(
    "a key of a JWE set serves one family as well",
    arguments: [
      ([.a256kw], "accepted"), ([.a256kw, .a128kw], "accepted"), ([.a256kw, .rsaOAEP], "accepted"),
      ([.a256kw, .dir], "keyMismatch(alg)"), ([.a256kw, .a256gcmKW], "keyMismatch(alg)"),
      ([.a256kw, .pbes2HS256A128KW], "keyMismatch(alg)"), (KeyManagementAlgorithm.allCases, "keyMismatch(alg)"),
    ])
  func symmetricKeys(_ accepted: [KeyManagementAlgorithm], _ expected: String) throws {
    let octets = SecretBytes.random(count: 32)
    let token = try JWE.encrypt([1], to: EncryptionKey(JWK(.octets(octets), keyID: "k"), algorithm: .a256kw))
    let set = JWKSet([JWK(.octets(octets), keyID: "k")])
    #expect(
      refusal { _ = try JWE.decrypt(token, with: set, keyManagement: accepted, contentEncryption: [.a256gcm]) }
        == expected)
    let named = JWKSet([JWK(.octets(octets), keyID: "k", algorithm: "A256KW")])
    #expect(
      try JWE.decrypt(token, with: named, keyManagement: accepted, contentEncryption: [.a256gcm]).plaintext == [1])
  }

  @Test("a secret without alg decrypts only if one accepted algorithm fits it")
  func oneSecret() throws {
    let octets = SecretBytes.random(count: 32)
    let all: [KeyManagementAlgorithm] = [.dir, .a256kw, .a256gcmKW, .pbes2HS512A256KW]
    let set = JWKSet([JWK(.octets(octets))])
    for algorithm in all {
      let key = try EncryptionKey(JWK(.octets(octets)), algorithm: algorithm)
      let token = try JWE.encrypt([1], to: key, contentEncryption: .a256gcm)
      func verdict(_ accepted: [KeyManagementAlgorithm]) -> String {
        refusal { _ = try JWE.decrypt(token, with: set, keyManagement: accepted, contentEncryption: [.a256gcm]) }
      }
      #expect(verdict([algorithm]) == "accepted")
      #expect(verdict(all) == "keyNotFound(kid)")
    }
  }

  @Test("an RSA key opens one OAEP, and an agreement key all variants of ECDH-ES")
  func asymmetricKeys() throws {
    var rsa = RSATokenTests.jwk
    (rsa.algorithm, rsa.use, rsa.keyID) = (nil, nil, "k")
    let token = try JWE.encrypt([1], to: EncryptionKey(rsa, algorithm: .rsaOAEP256))
    func verdict(_ token: String, _ key: JWK, _ accepted: [KeyManagementAlgorithm]) -> String {
      refusal {
        _ = try JWE.decrypt(token, with: JWKSet([key]), keyManagement: accepted, contentEncryption: [.a256gcm])
      }
    }
    #expect(verdict(token, rsa, [.rsaOAEP256]) == "accepted")
    #expect(verdict(token, rsa, [.rsaOAEP256, .rsaOAEP]) == "keyMismatch(alg)")
    var agreement = try JWK(parsing: TestKeys.ecdhES)
    agreement.keyID = "k"
    for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA128KW] {
      let token = try JWE.encrypt([1], to: EncryptionKey(agreement, algorithm: algorithm))
      #expect(verdict(token, agreement, [.ecdhES, .ecdhESA128KW, .rsaOAEP]) == "accepted")
    }
  }
}
