import PureCrypto
import StrictJSON

extension JWE {
  /// Opens a JWE in flattened or general JSON serialization with one key, which fixes the one key management algorithm accepted.
  ///
  /// The recipient is chosen by the key: by its algorithm, and by its name if it has one. A foreign recipient can't change the outcome.
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
  /// - Throws: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``, and ``JOSEErrorCode/keyNotFound`` if no
  ///   recipient fits the key.
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
  /// ``decrypt(_:with:keyManagement:contentEncryption:agreedParties:understanding:limits:)``; the first that opens decides.
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
