import JOSE
import Testing

@Suite("Ed25519 in JOSE")
struct EdDSATests {
  @Test("EdDSA and Ed25519 are two algorithms")
  func twoNames() throws {
    let jwk = JWK.generate(.eddsa, keyID: "k")
    let token = try JWS.sign([1], with: SigningKey(jwk))
    #expect(try JWS.verify(token, with: VerificationKey(jwk)).payload == [1])
    #expect(code { _ = try VerificationKey(jwk, algorithm: .ed25519) } == .keyMismatch)
    var unbound = jwk
    unbound.algorithm = nil
    let other = try VerificationKey(unbound, algorithm: .ed25519)
    #expect(code { _ = try JWS.verify(token, with: other) } == .algorithmNotAllowed)
    let set = JWKSet([try #require(unbound.publicKey)])
    #expect(try JWS.verify(token, with: set, algorithms: [.eddsa, .es256]).key.algorithm == .eddsa)
    #expect(try JWS.verify(token, with: set, algorithms: [.eddsa, .ed25519]).key.algorithm == .eddsa)
    #expect(code { _ = try JWS.verify(token, with: set, algorithms: [.ed25519]) } == .algorithmNotAllowed)
  }

  @Test("keys keep through JWK and PEM, and wrong ones are refused")
  func keys() throws {
    let key = JWK.generate(.ed25519, keyID: "k")
    #expect(key.keyType == .okp && key.curve == .ed25519 && key.isPrivate)
    #expect(
      try JWK(parsing: key.serializedWithPrivateKey()).serializedWithPrivateKey() == key.serializedWithPrivateKey())
    #expect(try JWK(parsing: key.serialized()).thumbprint() == key.thumbprint())
    let pem = try #require(key.privatePEMRepresentation)
    #expect(try JWK(pemRepresentation: pem).thumbprint() == key.thumbprint())
    let publicPEM = try #require(key.publicPEMRepresentation)
    #expect(try JWK(pemRepresentation: publicPEM).thumbprint() == key.thumbprint())
    let members = try JSONObject(parsing: key.serializedWithPrivateKey())
    let other = try JSONObject(parsing: JWK.generate(.ed25519).serializedWithPrivateKey())
    for (name, value, expected) in [
      ("x", other["x"], "keyInvalid(d)"), ("d", other["d"], "keyInvalid(d)"), ("d", "AQ", "keyInvalid(d)"),
      ("x", "AQ", "keyInvalid(x)"), ("crv", "Ed448", "algorithmUnsupported(crv)"),
      ("crv", "P-256", "algorithmUnsupported(crv)"),
    ] {
      var changed = members
      changed[name] = value
      #expect(refusal { _ = try JWK(changed) } == expected)
    }
    #expect(code { _ = try EncryptionKey(key, algorithm: .ecdhES) } == .keyMismatch)
  }
}

@Suite("RSA-OAEP in JOSE")
struct RSAKeyEncryptionTests {
  @Test(
    "what is encrypted opens, with its own algorithm only",
    arguments: [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512])
  func roundTrip(_ algorithm: KeyManagementAlgorithm) throws {
    var jwk = RSATokenTests.jwk
    (jwk.algorithm, jwk.use) = (nil, nil)
    let key = try DecryptionKey(jwk, algorithm: algorithm)
    let token = try JWE.encrypt([1, 2, 3], to: key.encryptionKey, contentEncryption: .a128gcm)
    #expect(try JWE.decrypt(token, with: key, contentEncryption: [.a128gcm]).plaintext == [1, 2, 3])
    let other = try DecryptionKey(jwk, algorithm: algorithm == .rsaOAEP ? .rsaOAEP256 : .rsaOAEP)
    #expect(code { _ = try JWE.decrypt(token, with: other, contentEncryption: [.a128gcm]) } == .algorithmNotAllowed)
    #expect(KeyManagementAlgorithm(name: "RSA1_5") == nil)
    // A damaged encrypted key, one of another length, and a damaged tag look the same.
    let segments = token.split(separator: ".").map(String.init)
    var octets = try Base64URL.decode(segments[1])
    octets[9] ^= 1
    var descriptions: Set<String> = []
    for encryptedKey in [Base64URL.encode(octets), Base64URL.encode(octets.dropLast()), "AAAA"] {
      var changed = segments
      changed[1] = encryptedKey
      do throws(JOSEError) {
        _ = try JWE.decrypt(changed.joined(separator: "."), with: key, contentEncryption: [.a128gcm])
        Issue.record("a wrong encrypted key was accepted")
      } catch {
        descriptions.insert(error.description)
      }
    }
    var tampered = segments
    tampered[4] = Base64URL.encode([UInt8](repeating: 0, count: 16))
    do throws(JOSEError) {
      _ = try JWE.decrypt(tampered.joined(separator: "."), with: key, contentEncryption: [.a128gcm])
    } catch {
      descriptions.insert(error.description)
    }
    #expect(descriptions.count == 1)
    #expect(code { _ = try DecryptionKey(try #require(jwk.publicKey), algorithm: algorithm) } == .keyMismatch)
    #expect(code { _ = try DecryptionKey(RSATokenTests.jwk, algorithm: algorithm) } == .keyMismatch)
  }
}
