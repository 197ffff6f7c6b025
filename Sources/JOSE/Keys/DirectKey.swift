import PureCrypto

/// A symmetric key that is the content encryption key itself, made ready for AES-GCM.
///
/// Copies share one count of uses, so that the limit of SP 800-38D §8.3 holds for the key and not for each copy.
package struct DirectKey: Sendable {
  package let cipher: AESGCM
  /// The one content encryption algorithm whose key length this is.
  package let contentEncryption: ContentEncryptionAlgorithm

  init(_ octets: SecretBytes) throws(JOSEError) {
    guard let contentEncryption = Self.contentEncryption(octets), let cipher = try? AESGCM(key: octets) else {
      throw JOSEError(.keyInvalid, "a direct key has 16, 24 or 32 octets", name: "k")
    }
    self.cipher = cipher
    self.contentEncryption = contentEncryption
  }

  private static func contentEncryption(_ octets: SecretBytes) -> ContentEncryptionAlgorithm? {
    ContentEncryptionAlgorithm.allCases.first { $0.row.keyByteCount == octets.count }
  }

  /// What the `alg` of a JWK may say of such a key.
  static func algorithmNames(_ octets: SecretBytes) -> [String] {
    [KeyManagementAlgorithm.dir.name] + (contentEncryption(octets).map { [$0.name] } ?? [])
  }
}
