import JOSE
import PureCrypto
import StrictJSON
import Testing

/// A token with any one bit changed is another token: none is accepted, and none traps.
@Suite("Tokens with any bit flipped")
struct EveryBitTests {
  /// The texts that differ from a token in one bit, at every position.
  private func neighbours(_ token: String) -> [[UInt8]] {
    let octets = Array(token.utf8)
    return octets.indices.flatMap { index in
      (0..<8).map { bit in
        var changed = octets
        changed[index] ^= 1 << UInt8(bit)
        return changed
      }
    }
  }

  @Test("signed tokens", arguments: [SignatureAlgorithm.hs256, .hs384, .hs512, .es256, .eddsa])
  func signatures(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm, keyID: "k")
    let token = try JWS.sign(Array("payload".utf8), with: key, header: HeaderParameters(type: "t"))
    let verificationKey = key.verificationKey
    #expect(try JWS.verify(token, with: verificationKey).payload == Array("payload".utf8))
    for changed in neighbours(token) {
      #expect(throws: JOSEError.self) { try JWS.verify(utf8: changed, with: verificationKey) }
    }
  }

  @Test("a signed token in JSON")
  func signedJSON() throws {
    let key = try SigningKey.generate(.hs256, keyID: "k")
    let text = try JWS.signJSON([1, 2, 3], with: [JWSSigner(key: key)], serialization: .flattened)
    let original = try JWS.verifyJSON(text, requiring: .key(key.verificationKey))
    for changed in neighbours(text) {
      // An unprotected member's name may change; what was signed may not.
      let verified = try? JWS.verifyJSON(String(decoding: changed, as: UTF8.self), requiring: .key(key.verificationKey))
      #expect(verified == nil || verified?.payload == original.payload)
    }
  }

  @Test(
    "encrypted tokens",
    arguments: [KeyManagementAlgorithm.dir, .a128kw, .a128gcmKW, .ecdhES, .ecdhESA128KW],
    [ContentEncryptionAlgorithm.a128gcm, .a128cbcHS256])
  func encryption(algorithm: KeyManagementAlgorithm, content: ContentEncryptionAlgorithm) throws {
    let jwk = algorithm == .dir ? JWK.generate(content) : try JWK.generate(algorithm)
    let key = try DecryptionKey(jwk, algorithm: algorithm)
    let token = try JWE.encrypt(Array("plaintext".utf8), to: key.encryptionKey, contentEncryption: content)
    #expect(try JWE.decrypt(token, with: key, contentEncryption: [content]).plaintext == Array("plaintext".utf8))
    for changed in neighbours(token) {
      guard let text = String(validating: changed, as: UTF8.self) else { continue }
      #expect(throws: JOSEError.self) { try JWE.decrypt(text, with: key, contentEncryption: [content]) }
    }
  }
}
