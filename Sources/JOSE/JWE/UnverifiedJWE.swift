import PureCrypto

/// A compact JWE that has been taken apart and not opened.
///
/// Its header may choose a key; it may decide nothing. Opening it takes nothing apart again.
public struct UnverifiedJWE: Sendable {
  /// The protected header as its sender wrote it. Critical extensions have not been examined.
  public let unverifiedHeader: ProtectedHeader

  package let encryptedKey: [UInt8]
  let content: ContentCipher.Sealed
  /// The header's text, which the authentication tag covers.
  package let headerText: [UInt8]
  /// The bounds that the parts were read within.
  let limits: Limits
  /// The length of what was parsed.
  let byteCount: Int

  /// Takes a compact JWE apart.
  ///
  /// - Parameters:
  ///   - token: the five segments.
  ///   - limits: bounds on the message's size, on `p2c`, and whether `zip` is accepted, which hold for the decryption
  ///     as well.
  /// - Throws: ``ErrorCode/malformed``, ``ErrorCode/headerInvalid``, ``ErrorCode/limitExceeded``.
  public init(parsing token: String, limits: Limits = .default) throws(JOSEError) {
    self = try unsafe withInlinedContiguousBytes(token.utf8) { token throws(JOSEError) in
      try unsafe UnverifiedJWE(token, limits: limits)
    }
  }

  private init(_ token: UnsafeRawBufferPointer, limits: Limits) throws(JOSEError) {
    let segments = try unsafe CompactSegments(token, count: 5, byteLimit: limits.messageByteCount)
    let headerBytes = try segments.decoded(0, byteLimit: limits.headerByteCount, limitName: "headerByteCount")
    encryptedKey = try segments.decoded(
      1, byteLimit: limits.encryptedKeyByteCount, limitName: "encryptedKeyByteCount")
    content = ContentCipher.Sealed(
      // Longer than any that opens here: Platform SSO knows a server that makes 96 octets of 96 bits.
      initializationVector: try segments.decoded(2, byteLimit: 256, limitName: "initializationVector"),
      ciphertext: try segments.decoded(3, byteLimit: limits.messageByteCount, limitName: "messageByteCount"),
      authenticationTag: try segments.decoded(4, byteLimit: 64, limitName: "authenticationTag"))
    unverifiedHeader = try ProtectedHeader(parsing: headerBytes, understanding: nil, limits: limits)
    headerText = unsafe Array(segments[0])
    (self.limits, byteCount) = (limits, token.count)
  }

  /// A token for a verifier, whose bounds hold from here on.
  ///
  /// - Throws: ``ErrorCode/limitExceeded``.
  init(token: String, limits: Limits) throws(JOSEError) {
    // Longer ones are not taken apart.
    guard token.utf8.count <= limits.tokenByteCount else { throw CompactSegments.tooLong("tokenByteCount") }
    try self.init(parsing: token, limits: limits)
  }

  /// The message, if a policy accepts its header and its length.
  func accepted(
    by policy: JWTPolicy, contentEncryption: [ContentEncryptionAlgorithm]
  ) throws(JOSEError) -> ParsedJWE {
    try requireWithin(policy.limits)
    return try ParsedJWE(
      self, contentEncryption: contentEncryption, understanding: policy.understoodCriticalParameters,
      limits: policy.limits)
  }

  /// Requires that a parsing within other limits would have come to the same parts.
  private func requireWithin(_ limits: Limits) throws(JOSEError) {
    guard byteCount <= limits.tokenByteCount else { throw CompactSegments.tooLong("tokenByteCount") }
    guard limits != self.limits else { return }
    guard byteCount <= limits.messageByteCount else { throw CompactSegments.tooLong("messageByteCount") }
    guard encryptedKey.count <= limits.encryptedKeyByteCount else {
      throw CompactSegments.segmentTooLong("encryptedKeyByteCount")
    }
    guard headerText.count <= Base64URL.characterLimit(limits.headerByteCount) else {
      throw CompactSegments.segmentTooLong("headerByteCount")
    }
    _ = try ProtectedHeader(parsing: try Base64URL.decode(utf8: headerText), understanding: nil, limits: limits)
  }

  /// The second to last three segments, decoded.
  package var initializationVector: [UInt8] { content.initializationVector }
  package var ciphertext: [UInt8] { content.ciphertext }
  package var authenticationTag: [UInt8] { content.authenticationTag }

  /// Opens the message with one key, which fixes the one key management algorithm accepted.
  ///
  /// - Parameters: as of ``JWE/decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``.
  ///
  /// Timing: as that method.
  /// - Throws: as that method.
  public func decrypted(
    with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    agreedParties: AgreedParties = AgreedParties(), understanding understood: [String] = []
  ) throws(JOSEError) -> DecryptedJWE {
    let accepted = try ParsedJWE(self, contentEncryption: contentEncryption, understanding: understood)
    return try accepted.open(compactWith: key, agreedParties: agreedParties, limits: limits)
  }

  /// As ``decrypted(with:contentEncryption:agreedParties:understanding:)``, with an ephemeral key that takes the place
  /// of the one in the header. The caller has read it, by rules of its own, and checked it.
  package func decrypted(
    with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties,
    ephemeralKey: P256PublicKey
  ) throws(JOSEError) -> DecryptedJWE {
    let accepted = try ParsedJWE(self, contentEncryption: contentEncryption, understanding: [])
    return try accepted.open(
      compactWith: key, agreedParties: agreedParties, ephemeralKey: .ec(.p256(ephemeralKey)), limits: limits)
  }

  /// Opens the message with a set of private or symmetric keys and the algorithms that the caller accepts. The key is
  /// chosen as by ``JWE/decrypt(_:with:keyManagement:contentEncryption:agreedParties:understanding:limits:)``.
  ///
  /// - Throws: as that method.
  public func decrypted(
    with keys: JWKSet, keyManagement: [KeyManagementAlgorithm], contentEncryption: [ContentEncryptionAlgorithm],
    agreedParties: AgreedParties = AgreedParties(), understanding understood: [String] = []
  ) throws(JOSEError) -> DecryptedJWE {
    guard !keyManagement.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "keyManagement")
    }
    let accepted = try ParsedJWE(self, contentEncryption: contentEncryption, understanding: understood)
    return try accepted.open(
      with: keys, keyManagement: keyManagement, agreedParties: agreedParties, limits: limits)
  }

  /// Begins opening with a key that is held elsewhere and answers later: compute the shared secret with
  /// ``PreparedDecryption/ephemeralPublicKey``, then call ``PreparedDecryption/finish(sharedSecret:)``.
  ///
  /// - Throws: ``JOSEError``, if the token is not one for ECDH-ES, with or without key wrapping, that the caller
  ///   accepts.
  public func preparedDecryption(
    contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    understanding understood: [String] = []
  ) throws(JOSEError) -> PreparedDecryption {
    let parsed = try ParsedJWE(self, contentEncryption: contentEncryption, understanding: understood)
    let recipient = parsed.recipients[0]
    guard let algorithm = KeyManagementAlgorithm(name: recipient.header.algorithm), algorithm.row.isAgreement
    else {
      throw ParsedJWE.notAllowed
    }
    try parsed.requireForm(of: algorithm, for: recipient)
    return PreparedDecryption(
      parsed: parsed, recipient: recipient, algorithm: algorithm,
      agreement: try parsed.agreement(agreedParties, on: nil, for: recipient))
  }
}
