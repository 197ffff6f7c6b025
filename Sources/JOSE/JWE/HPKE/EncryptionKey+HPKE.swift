import PureCrypto
import StrictJSON

extension EncryptionKey {
  /// Makes a secret that encrypts one message for the key's owner.
  ///
  /// - Throws: ``ErrorCode/keyInvalid`` for a key of small order.
  func sender(_ suite: HPKE.Ciphersuite, _ agreed: HPKEAgreement) throws(JOSEError) -> HPKE.Sender {
    guard case .publicKey(let key) = material else {
      throw JOSEError(.keyMismatch, "the key type is not the algorithm's", name: "kty")
    }
    do throws(CryptoError) {
      return try key.sender(suite, agreed)
    } catch {
      throw JOSEError(.keyInvalid, "no secret can be made for the key")
    }
  }

  /// Encrypts a content encryption key.
  func encapsulated(
    _ key: SecretBytes, _ suite: HPKE.Ciphersuite, for contentEncryption: ContentEncryptionAlgorithm
  ) throws(JOSEError) -> KeyEncryptionKey.Wrapped {
    var sender = try sender(suite, agreement.encryptingKey(for: contentEncryption))
    var parameters: JSONObject = ["ek": .string(Base64URL.encode(sender.encapsulatedKey))]
    for (name, value) in agreement.parameters.members { parameters[name] = value }
    do throws(CryptoError) {
      let encryptedKey = try unsafe key.withUnsafeBytes { key throws(CryptoError) in try unsafe sender.seal(key) }
      return KeyEncryptionKey.Wrapped(encryptedKey: encryptedKey, parameters: parameters)
    } catch {
      throw JOSEError(.keyInvalid, "the content encryption key can't be encrypted")
    }
  }
}
