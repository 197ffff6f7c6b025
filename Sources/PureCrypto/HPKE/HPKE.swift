/// Hybrid public key encryption: messages to the owner of a public key, in the modes base and psk.
///
/// A ``Sender`` makes a secret for the owner of a key, sends ``Sender/encapsulatedKey``, and seals messages under keys
/// that both derive; the ``Recipient`` opens them in the same order. The functions `seal` and `open` do it for one
/// message.
///
/// The public key is all that a sender needs: only a pre-shared key tells the recipient more of who it is. A private
/// key that becomes known opens all earlier messages.
///
/// Source: RFC 9180.
public enum HPKE {
  /// Encrypts one message.
  /// - Parameter plaintext: of any length that the suite's AEAD takes.
  /// - Parameter publicKey: of the recipient, on the curve of the suite.
  /// - Parameter suite: the algorithms.
  /// - Parameter info: what the keys are for; at most 65 535 bytes. Public.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the recipient must have it too.
  /// - Parameter preSharedKey: 32 bytes or more that only sender and recipient have, and 1 to 65 535 bytes that name
  ///   them. Its presence chooses the mode psk.
  /// - Returns: the encapsulated key, and the ciphertext with its tag of 16 bytes.
  /// - Throws: what the initialisers of ``Sender`` and ``Sender/seal(_:authenticating:)`` throw.
  ///
  /// Timing: depends on the lengths and the public key only.
  /// Source: RFC 9180 §6.1.
  public static func seal<Curve>(
    _ plaintext: some Collection<UInt8>, to publicKey: ECPublicKey<Curve, KeyUse.Agreement>, suite: Ciphersuite,
    info: some Collection<UInt8> = EmptyCollection<UInt8>(),
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
  ) throws(CryptoError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
    var sender = try Sender(to: publicKey, suite: suite, info: info, preSharedKey: preSharedKey)
    let ciphertext = try sender.seal(plaintext, authenticating: additionalAuthenticatedData)
    return (sender.encapsulatedKey, ciphertext)
  }

  /// Encrypts one message to the owner of a key of X25519.
  /// - Parameter plaintext: of any length that the suite's AEAD takes.
  /// - Parameter publicKey: of the recipient.
  /// - Parameter suite: the algorithms.
  /// - Parameter info: what the keys are for; at most 65 535 bytes. Public.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the recipient must have it too.
  /// - Parameter preSharedKey: 32 bytes or more that only sender and recipient have, and 1 to 65 535 bytes that name
  ///   them. Its presence chooses the mode psk.
  /// - Returns: the encapsulated key, and the ciphertext with its tag of 16 bytes.
  /// - Throws: what the initialisers of ``Sender`` and ``Sender/seal(_:authenticating:)`` throw.
  ///
  /// Timing: depends on the lengths and the public key only.
  /// Source: RFC 9180 §6.1.
  public static func seal(
    _ plaintext: some Collection<UInt8>, to publicKey: X25519PublicKey, suite: Ciphersuite,
    info: some Collection<UInt8> = EmptyCollection<UInt8>(),
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
  ) throws(CryptoError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
    var sender = try Sender(to: publicKey, suite: suite, info: info, preSharedKey: preSharedKey)
    let ciphertext = try sender.seal(plaintext, authenticating: additionalAuthenticatedData)
    return (sender.encapsulatedKey, ciphertext)
  }

  /// Checks and decrypts one message.
  /// - Parameter ciphertext: with its tag.
  /// - Parameter privateKey: of the recipient, on the curve of the suite.
  /// - Parameter encapsulatedKey: what the sender has sent.
  /// - Parameter suite: that of the sender.
  /// - Parameter info: that of the sender.
  /// - Parameter additionalAuthenticatedData: what was given on sealing.
  /// - Parameter preSharedKey: that of the sender.
  /// - Returns: the plaintext.
  /// - Throws: what the initialisers of ``Recipient`` and ``Recipient/open(_:authenticating:)`` throw.
  ///
  /// Timing: depends on the lengths, on what the sender has sent, and on whether the tag is right.
  /// Source: RFC 9180 §6.1.
  public static func open<Curve>(
    _ ciphertext: some Collection<UInt8>, with privateKey: ECPrivateKey<Curve, KeyUse.Agreement>,
    encapsulatedKey: some Collection<UInt8>, suite: Ciphersuite,
    info: some Collection<UInt8> = EmptyCollection<UInt8>(),
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
  ) throws(CryptoError) -> [UInt8] {
    var recipient = try Recipient(
      privateKey, encapsulatedKey: encapsulatedKey, suite: suite, info: info, preSharedKey: preSharedKey)
    return try recipient.open(ciphertext, authenticating: additionalAuthenticatedData)
  }

  /// Checks and decrypts one message with a key of X25519.
  /// - Parameter ciphertext: with its tag.
  /// - Parameter privateKey: of the recipient.
  /// - Parameter encapsulatedKey: what the sender has sent.
  /// - Parameter suite: that of the sender.
  /// - Parameter info: that of the sender.
  /// - Parameter additionalAuthenticatedData: what was given on sealing.
  /// - Parameter preSharedKey: that of the sender.
  /// - Returns: the plaintext.
  /// - Throws: what the initialisers of ``Recipient`` and ``Recipient/open(_:authenticating:)`` throw.
  ///
  /// Timing: depends on the lengths, on what the sender has sent, and on whether the tag is right.
  /// Source: RFC 9180 §6.1.
  public static func open(
    _ ciphertext: some Collection<UInt8>, with privateKey: X25519PrivateKey, encapsulatedKey: some Collection<UInt8>,
    suite: Ciphersuite, info: some Collection<UInt8> = EmptyCollection<UInt8>(),
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    preSharedKey: (key: SecretBytes, identifier: [UInt8])? = nil
  ) throws(CryptoError) -> [UInt8] {
    var recipient = try Recipient(
      privateKey, encapsulatedKey: encapsulatedKey, suite: suite, info: info, preSharedKey: preSharedKey)
    return try recipient.open(ciphertext, authenticating: additionalAuthenticatedData)
  }
}
