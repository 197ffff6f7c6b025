import PureCrypto
import StrictJSON

extension JWE {
  /// Opens a compact JWE with one key, which fixes the one key management algorithm accepted.
  ///
  /// - Parameters:
  ///   - token: the five segments. Nothing in them is trusted before the message has opened.
  ///   - key: the receiver's. The token's `alg` must be its algorithm; the token's `kid` is not looked at.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - agreedParties: party infos known without the header, as Platform SSO allows.
  ///   - understood: extensions that `crit` may name because the caller processes them. None by default.
  ///   - limits: bounds on the message's size, on `p2c`, and whether `zip` is accepted.
  ///
  /// Timing: depends on lengths, on the header, and on whether the message is authentic; not on the keys, nor on which
  /// secret-dependent step fails: an encrypted key that is not intact is replaced by a random one, and the tag fails
  /// (RFC 7516 §11.5).
  /// - Throws: ``JOSEError``. Everything that depends on a secret is ``ErrorCode/decryptionFailed``.
  public static func decrypt(
    _ token: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    agreedParties: AgreedParties = AgreedParties(), understanding understood: [String] = [],
    limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    try UnverifiedJWE(parsing: token, limits: limits).decrypted(
      with: key, contentEncryption: contentEncryption, agreedParties: agreedParties, understanding: understood)
  }

  /// Opens a compact JWE with a set of private or symmetric keys and the algorithms that the caller accepts.
  ///
  /// The key is chosen by `kid`, compared as bytes; an unknown `kid` finds no key. A JWK without `alg` serves the
  /// accepted algorithms that fit its type if they are of one family: all PBES2, or all ECDH-ES; otherwise accept only
  /// one that fits.
  /// - Throws: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``, and
  ///   ``ErrorCode/keyNotFound``, ``ErrorCode/keyMismatch``.
  public static func decrypt(
    _ token: String, with keys: JWKSet, keyManagement: [KeyManagementAlgorithm],
    contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    try UnverifiedJWE(parsing: token, limits: limits).decrypted(
      with: keys, keyManagement: keyManagement, contentEncryption: contentEncryption, agreedParties: agreedParties,
      understanding: understood)
  }

  /// Begins opening with a key that is held elsewhere and answers later: compute the shared secret with
  /// ``PreparedDecryption/ephemeralPublicKey``, then call ``PreparedDecryption/finish(sharedSecret:)``.
  ///
  /// - Throws: ``JOSEError``, if the token is not one for ECDH-ES, with or without key wrapping, that the caller
  ///   accepts.
  package static func prepareDecryption(
    _ token: String, contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> PreparedDecryption {
    try UnverifiedJWE(parsing: token, limits: limits).preparedDecryption(
      contentEncryption: contentEncryption, agreedParties: agreedParties, understanding: understood)
  }

  static func parse(
    _ token: String, contentEncryption: [ContentEncryptionAlgorithm], understanding understood: [String], limits: Limits
  ) throws(JOSEError) -> ParsedJWE {
    try ParsedJWE(
      UnverifiedJWE(parsing: token, limits: limits), contentEncryption: contentEncryption, understanding: understood)
  }
}

/// A JWE for ECDH-ES that waits for its shared secret.
public struct PreparedDecryption: Sendable {
  private let parsed: ParsedJWE
  private let recipient: ParsedJWE.Recipient
  private let algorithm: KeyManagementAlgorithm
  private let agreement: ParsedJWE.Agreement

  init(
    parsed: ParsedJWE, recipient: ParsedJWE.Recipient, algorithm: KeyManagementAlgorithm,
    agreement: ParsedJWE.Agreement
  ) {
    (self.parsed, self.recipient, self.algorithm, self.agreement) = (parsed, recipient, algorithm, agreement)
  }

  /// The header, whose `kid` may say which key is meant. Not authenticated yet.
  public var unverifiedHeader: ProtectedHeader { recipient.header }

  /// The sender's ephemeral public key, as `04 ‖ X ‖ Y`: 65 octets on P-256, 97 on P-384, 133 on P-521. It has been
  /// checked to be on the curve. Of X25519 its 32 octets.
  public var ephemeralPublicKey: [UInt8] { agreement.ephemeralKey.agreementOctets }

  /// Opens the message.
  ///
  /// - Parameter sharedSecret: Z, the x-coordinate of the product of private key and ``ephemeralPublicKey``, big-endian
  ///   and as long as a coordinate: 32, 48 or 66 octets; of X25519 the 32 octets of the function.
  /// - Throws: ``ErrorCode/externalKeyFailed`` if the secret has another length,
  ///   ``ErrorCode/decryptionFailed``.
  public func finish(sharedSecret: [UInt8]) throws(JOSEError) -> DecryptedJWE {
    try parsed.open(
      sharedSecret: SharedSecret(externalSharedSecret: sharedSecret, with: agreement.ephemeralKey),
      agreement: agreement,
      algorithm: algorithm, for: recipient)
  }
}

extension JWE {
  /// Opens a JWE in flattened or general JSON serialization with one key, which fixes the one key management algorithm
  /// accepted.
  ///
  /// The recipient is chosen by the key: by its algorithm, and by its name if it has one. A foreign recipient can't
  /// change the outcome.
  /// - Parameters:
  ///   - text: the JSON text, flattened or general. Nothing in it is trusted before the message has opened.
  ///   - key: the receiver's. If it has a name, recipients with another `kid` are passed over.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - agreedParties: party infos known without the header.
  ///   - acceptsUnprotectedEncryption: whether `enc` may stand in the unprotected header.
  ///   - understood: extensions that `crit` may name because the caller processes them. None by default.
  ///   - limits: bounds on the message's size, on its recipients and on `p2c`, and whether `zip` is accepted.
  ///
  /// Timing: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)`` for each recipient tried.
  /// - Throws: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``, and
  ///   ``ErrorCode/keyNotFound`` if no recipient fits the key.
  public static func decryptJSON(
    _ text: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    agreedParties: AgreedParties = AgreedParties(), acceptsUnprotectedEncryption: Bool = false,
    understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    let parsed = try ParsedJWE(
      json: text, keyManagement: [key.algorithm], contentEncryption: contentEncryption,
      acceptsUnprotectedEncryption: acceptsUnprotectedEncryption, understanding: understood, limits: limits)
    return try parsed.open(with: key, agreedParties: agreedParties, limits: limits)
  }

  /// Opens a JWE in flattened or general JSON serialization with a set of private or symmetric keys.
  ///
  /// Each recipient's `kid` chooses its key, as in
  /// ``decrypt(_:with:keyManagement:contentEncryption:agreedParties:understanding:limits:)``; the first that opens
  /// decides.
  /// - Throws: as that method.
  public static func decryptJSON(
    _ text: String, with keys: JWKSet, keyManagement: [KeyManagementAlgorithm],
    contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    acceptsUnprotectedEncryption: Bool = false, understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    guard !keyManagement.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "keyManagement")
    }
    let parsed = try ParsedJWE(
      json: text, keyManagement: keyManagement, contentEncryption: contentEncryption,
      acceptsUnprotectedEncryption: acceptsUnprotectedEncryption, understanding: understood, limits: limits)
    return try parsed.open(with: keys, keyManagement: keyManagement, agreedParties: agreedParties, limits: limits)
  }
}
