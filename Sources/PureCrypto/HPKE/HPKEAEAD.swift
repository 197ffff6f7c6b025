extension HPKE {
  /// How messages are encrypted.
  ///
  /// Source: RFC 9180 §7.3.
  package struct AEAD: Hashable, Sendable {
    enum Cipher { case gcm, chaChaPoly, none }

    /// The number in the registry.
    package let identifier: UInt16
    let cipher: Cipher
    /// The length of keys in bytes, Nk.
    let keyByteCount: Int

    /// AES-128-GCM.
    package static let aes128GCM = AEAD(identifier: 0x0001, cipher: .gcm, keyByteCount: 16)
    /// AES-256-GCM.
    package static let aes256GCM = AEAD(identifier: 0x0002, cipher: .gcm, keyByteCount: 32)
    /// ChaCha20-Poly1305.
    package static let chaCha20Poly1305 = AEAD(identifier: 0x0003, cipher: .chaChaPoly, keyByteCount: 32)
    /// No messages: secrets are exported only.
    package static let exportOnly = AEAD(identifier: 0xffff, cipher: .none, keyByteCount: 0)

    /// The length of nonces in bytes, Nn.
    var nonceByteCount: Int {
      switch cipher {
      case .gcm, .chaChaPoly: 12
      case .none: 0
      }
    }
  }
}
