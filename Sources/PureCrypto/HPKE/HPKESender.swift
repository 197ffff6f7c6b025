extension HPKE {
  /// Who encrypts messages to the owner of a public key, one after the other.
  ///
  /// Each message has a number, which is never used twice: the value can't be copied.
  public struct Sender: ~Copyable, Sendable {
    /// What the recipient needs before the first message.
    public let encapsulatedKey: [UInt8]

    private var context: Context

    /// Makes a secret for the owner of a key.
    /// - Parameter publicKey: on the curve of the suite.
    /// - Parameter suite: the algorithms.
    /// - Parameter info: what the keys are for; at most 65 535 bytes. Public.
    /// - Parameter preSharedKey: 32 to 65 535 bytes that only sender and recipient have, and 1 to 65 535 bytes that
    ///   name them. Its presence chooses the mode psk.
    /// - Throws: `.unsupportedKey` for a key of another curve, `.invalidKeyLength` when the pre-shared key is too short
    ///   or too long or has an empty identifier, `.lengthLimitExceeded` for `info` and identifier.
    ///
    /// Timing: depends on the lengths and the public key only.
    /// Source: RFC 9180 §5.1.1, §5.1.2.
    public init<Curve>(
      to publicKey: ECPublicKey<Curve, KeyUse.Agreement>, suite: Ciphersuite,
      info: some Collection<UInt8> = EmptyCollection<UInt8>(),
      preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
    ) throws(CryptoError) {
      try self.init(key: publicKey, suite: suite, info: Array(info), preSharedKey: preSharedKey)
    }

    /// Makes a secret for the owner of a key of X25519.
    /// - Parameter publicKey: of the recipient.
    /// - Parameter suite: the algorithms.
    /// - Parameter info: what the keys are for; at most 65 535 bytes. Public.
    /// - Parameter preSharedKey: 32 to 65 535 bytes that only sender and recipient have, and 1 to 65 535 bytes that
    ///   name them. Its presence chooses the mode psk.
    /// - Throws: `.unsupportedKey` when the suite has another curve, `.invalidPublicKey` for a point of small order,
    ///   `.invalidKeyLength` when the pre-shared key is too short or too long or has an empty identifier,
    ///   `.lengthLimitExceeded` for `info` and identifier.
    ///
    /// Timing: depends on the lengths and the public key only.
    /// Source: RFC 9180 §5.1.1, §5.1.2.
    public init(
      to publicKey: X25519PublicKey, suite: Ciphersuite, info: some Collection<UInt8> = EmptyCollection<UInt8>(),
      preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
    ) throws(CryptoError) {
      try self.init(key: publicKey, suite: suite, info: Array(info), preSharedKey: preSharedKey)
    }

    /// Makes a secret for the owner of a key of any KEM.
    /// - Throws: `.unsupportedKey` for a key of another KEM, and else what the public initialisers throw.
    ///
    /// Timing: depends on the lengths and the public key only.
    package init(
      key publicKey: some HPKEPublicKey, suite: Ciphersuite, info: [UInt8],
      preSharedKey: (key: SecretBytes, identifier: [UInt8])?, sequenceNumber: UInt64 = 0
    ) throws(CryptoError) {
      try self.init(
        suite.kem.encapsulate(to: publicKey), suite: suite, info: info, preSharedKey: preSharedKey,
        sequenceNumber: sequenceNumber)
    }

    /// The same with given randomness, and a first number. For vectors only.
    package init(
      key publicKey: some HPKEPublicKey, randomness: SecretBytes, suite: Ciphersuite, info: [UInt8],
      preSharedKey: (key: SecretBytes, identifier: [UInt8])?, sequenceNumber: UInt64 = 0
    ) throws(CryptoError) {
      try self.init(
        suite.kem.encapsulate(to: publicKey, randomness: randomness), suite: suite, info: info,
        preSharedKey: preSharedKey, sequenceNumber: sequenceNumber)
    }

    /// The same with a given key for one use, and a first number. For vectors only.
    package init<Key: DHKEMPublicKey>(
      to publicKey: Key, ephemeral: Key.Ephemeral, suite: Ciphersuite, info: [UInt8],
      preSharedKey: (key: SecretBytes, identifier: [UInt8])?, sequenceNumber: UInt64 = 0
    ) throws(CryptoError) {
      try self.init(
        suite.kem.encapsulate(to: publicKey, ephemeral: ephemeral), suite: suite, info: info,
        preSharedKey: preSharedKey, sequenceNumber: sequenceNumber)
    }

    private init(
      _ encapsulation: (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]), suite: Ciphersuite, info: [UInt8],
      preSharedKey: (key: SecretBytes, identifier: [UInt8])?, sequenceNumber: UInt64
    ) throws(CryptoError) {
      let schedule = try KeySchedule(
        kem: suite.kem.identifier, kdf: suite.kdf, aead: suite.aead, sharedSecret: encapsulation.sharedSecret,
        info: info, preSharedKey: preSharedKey)
      self.context = try Context(schedule, suite, sequenceNumber: sequenceNumber)
      self.encapsulatedKey = encapsulation.encapsulatedKey
    }

    /// Encrypts the next message.
    /// - Parameter plaintext: of any length that the suite's AEAD takes.
    /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the recipient must have it too.
    /// - Returns: the ciphertext with its tag, 16 bytes longer than the plaintext.
    /// - Throws: `.usageLimitReached` after 2⁶⁴ − 1 messages and when the suite is for exports only,
    ///   `.lengthLimitExceeded`. No number is then used up.
    ///
    /// Timing: depends on the lengths only.
    /// Source: RFC 9180 §5.2.
    public mutating func seal(
      _ plaintext: some Collection<UInt8>,
      authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
    ) throws(CryptoError) -> [UInt8] {
      try withContiguousBytes(plaintext) { plaintext throws(CryptoError) in
        try withContiguousBytes(additionalAuthenticatedData) { data throws(CryptoError) in
          try context.seal(plaintext, data)
        }
      }
    }

    /// Derives a secret that the recipient can derive as well. Messages don't change it.
    /// - Parameter exporterContext: what the secret is for. Public.
    /// - Parameter byteCount: 0 to 255 times the length of the KDF's digest; with SHAKE256 to 65 535.
    /// - Throws: `.invalidKeyLength` for any other length.
    ///
    /// Timing: depends on the lengths only.
    /// Source: RFC 9180 §5.3.
    public func export(
      context exporterContext: some Collection<UInt8>, byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
      try context.export(context: Array(exporterContext), byteCount: byteCount)
    }
  }
}
