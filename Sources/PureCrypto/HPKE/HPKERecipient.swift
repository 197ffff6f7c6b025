extension HPKE {
  /// Who decrypts what a ``Sender`` has sent, in the same order. The value can't be copied.
  public struct Recipient: ~Copyable, Sendable {
    private var context: Context

    /// Learns the secret of a sender.
    /// - Parameter privateKey: on the curve of the suite.
    /// - Parameter encapsulatedKey: what the sender has sent.
    /// - Parameter suite: that of the sender.
    /// - Parameter info: that of the sender.
    /// - Parameter preSharedKey: that of the sender. With another one, or none where the sender has one, every message
    ///   fails.
    /// - Throws: `.unsupportedKey` for a key of another curve, `.invalidPublicKey` when the encapsulated key has
    ///   another length or is no point of the curve, `.invalidKeyLength` when the pre-shared key has not 32 to 65 535
    ///   bytes or has an empty identifier, `.lengthLimitExceeded` when `info` or identifier has more than 65 535 bytes.
    ///
    /// Timing: depends on the lengths and the encapsulated key only.
    /// Source: RFC 9180 §5.1.1, §5.1.2.
    public init<Curve>(
      _ privateKey: ECPrivateKey<Curve, KeyUse.Agreement>, encapsulatedKey: some Collection<UInt8>, suite: Ciphersuite,
      info: some Collection<UInt8> = EmptyCollection<UInt8>(),
      preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
    ) throws(CryptoError) {
      try self.init(
        key: privateKey, encapsulatedKey: Array(encapsulatedKey), suite: suite, info: Array(info),
        preSharedKey: preSharedKey)
    }

    /// Learns the secret of a sender with a key of X25519.
    /// - Parameter privateKey: of the recipient.
    /// - Parameter encapsulatedKey: what the sender has sent.
    /// - Parameter suite: that of the sender.
    /// - Parameter info: that of the sender.
    /// - Parameter preSharedKey: that of the sender. With another one, or none where the sender has one, every message
    ///   fails.
    /// - Throws: `.unsupportedKey` when the suite has another curve, `.invalidPublicKey` when the encapsulated key has
    ///   another length or is a point of small order, `.invalidKeyLength` when the pre-shared key has not 32 to 65 535
    ///   bytes or has an empty identifier, `.lengthLimitExceeded` when `info` or identifier has more than 65 535 bytes.
    ///
    /// Timing: depends on the lengths and the encapsulated key only.
    /// Source: RFC 9180 §5.1.1, §5.1.2.
    public init(
      _ privateKey: X25519PrivateKey, encapsulatedKey: some Collection<UInt8>, suite: Ciphersuite,
      info: some Collection<UInt8> = EmptyCollection<UInt8>(),
      preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
    ) throws(CryptoError) {
      try self.init(
        key: privateKey, encapsulatedKey: Array(encapsulatedKey), suite: suite, info: Array(info),
        preSharedKey: preSharedKey)
    }

    /// Learns the secret of a sender with a key of any KEM.
    /// - Parameter sequenceNumber: the first number. For vectors only.
    /// - Throws: `.unsupportedKey` for a key of another KEM, what ``HPKE/KEM/decapsulate(_:with:)`` says of
    ///   encapsulated keys, and else what the public initialisers throw.
    ///
    /// Timing: depends on the lengths and the encapsulated key only.
    package init(
      key: some HPKEPrivateKey, encapsulatedKey: [UInt8], suite: Ciphersuite, info: [UInt8],
      preSharedKey: (key: SecretBytes, identifier: [UInt8])?, sequenceNumber: UInt64 = 0
    ) throws(CryptoError) {
      let schedule = try KeySchedule(
        kem: suite.kem.identifier, kdf: suite.kdf, aead: suite.aead,
        sharedSecret: suite.kem.decapsulate(encapsulatedKey, with: key), info: info, preSharedKey: preSharedKey)
      self.context = try Context(schedule, suite, sequenceNumber: sequenceNumber)
    }

    /// Checks and decrypts the next message.
    /// - Parameter ciphertext: with its tag.
    /// - Parameter additionalAuthenticatedData: what was given on sealing.
    /// - Returns: the plaintext.
    /// - Throws: `.authenticationFailed` when any part is not what the sender sealed as its next message, which
    ///   then still is the next; `.usageLimitReached` after 2⁶⁴ − 1 messages and when the suite is for exports
    ///   only; `.lengthLimitExceeded`.
    ///
    /// Timing: depends on the lengths and on whether the tag is right.
    /// Source: RFC 9180 §5.2.
    public mutating func open(
      _ ciphertext: some Collection<UInt8>,
      authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
    ) throws(CryptoError) -> [UInt8] {
      try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
        try withContiguousBytes(additionalAuthenticatedData) { data throws(CryptoError) in
          try context.open(ciphertext, data)
        }
      }
    }

    /// The same for a message that is a secret, into storage that is wiped.
    package mutating func openSecret(_ ciphertext: [UInt8]) throws(CryptoError) -> SecretBytes {
      try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in try context.openSecret(ciphertext) }
    }

    /// Derives a secret that the sender can derive as well. Messages don't change it.
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
