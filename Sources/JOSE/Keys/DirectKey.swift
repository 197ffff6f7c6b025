import PureCrypto

/// A symmetric key that is the content encryption key itself, made ready for the algorithms that it may serve.
///
/// Copies share one count of uses, so that the limit of SP 800-38D §8.3 holds for the key and not for each copy.
package struct DirectKey: Sendable {
  private let ciphers: [Cipher]

  private struct Cipher: Sendable {
    let algorithm: ContentEncryptionAlgorithm
    let cipher: ContentCipher
  }

  /// - Parameter algorithmName: the key's own `alg`. If it names a content encryption algorithm, the key serves that
  ///   one only.
  init(_ octets: SecretBytes, algorithmName: String?) throws(JOSEError) {
    let named = algorithmName.flatMap(ContentEncryptionAlgorithm.init(name:))
    let fitting = ContentEncryptionAlgorithm.allCases.filter {
      $0.row.keyByteCount == octets.count && (named == nil || named == $0)
    }
    guard !fitting.isEmpty else {
      throw JOSEError(
        .keyInvalid, "a direct key has the length of its content encryption algorithm's key: 32 octets for A256GCM",
        name: "k")
    }
    var ciphers: [Cipher] = []
    for algorithm in fitting {
      ciphers.append(Cipher(algorithm: algorithm, cipher: try ContentCipher(key: octets, for: algorithm)))
    }
    self.ciphers = ciphers
  }

  /// The algorithm to encrypt with unless the caller names another: AES-GCM where both fit.
  var defaultContentEncryption: ContentEncryptionAlgorithm { ciphers[0].algorithm }

  /// The key made ready for an algorithm.
  ///
  /// - Throws: ``ErrorCode/keyMismatch`` if the key is not one for the algorithm.
  func cipher(for algorithm: ContentEncryptionAlgorithm) throws(JOSEError) -> ContentCipher {
    guard let cipher = ciphers.first(where: { $0.algorithm == algorithm }) else {
      throw JOSEError(.keyMismatch, "the key is not one of this content encryption algorithm", name: "enc")
    }
    return cipher.cipher
  }

  /// What the `alg` of a JWK may say of such a key.
  static func algorithmNames(_ octets: SecretBytes) -> [String] {
    let fitting = ContentEncryptionAlgorithm.allCases.filter { $0.row.keyByteCount == octets.count }
    return [KeyManagementAlgorithm.dir.name] + fitting.map(\.name)
  }
}
