import PureCrypto
import StrictJSON

/// A JWE whose form, headers and lengths are legal. Nothing secret has been touched yet, so its errors may differ.
struct ParsedJWE: Sendable {
  /// One recipient's share of the message. A compact JWE has one.
  struct Recipient: Sendable {
    /// The protected header, with the algorithm of this recipient.
    let header: ProtectedHeader
    /// All parameters that hold for this recipient, protected or not.
    let parameters: JSONObject
    /// Those that nothing authenticates. Only JSON serializations have any.
    var unprotectedHeader: JSONObject = [:]
    /// `kid`, protected or not.
    let keyID: String?
    /// Empty with direct algorithms.
    let encryptedKey: [UInt8]
  }

  /// `enc`; nil where HPKE encrypts the content.
  let contentEncryption: ContentEncryptionAlgorithm?
  let recipients: [Recipient]
  /// The additional authenticated data as received: the header's text, and after a dot the text of `aad` if there is
  /// any.
  private let authenticatedText: [UInt8]
  private let content: ContentCipher.Sealed
  /// Whether the plaintext is to be decompressed, and into how many octets at most.
  private let decompressedByteLimit: Int?

  /// Puts the parts of a message together.
  ///
  /// - Parameters:
  ///   - contentEncryption: what ``accepted(_:among:)`` found.
  ///   - protectedParameters: those that the sender's authentication tag covers: the only place for `zip` and `crit`.
  init(
    _ contentEncryption: ContentEncryptionAlgorithm?, protectedParameters: JSONObject, recipients: [Recipient],
    authenticatedText: [UInt8], content: ContentCipher.Sealed, limits: Limits
  ) throws(JOSEError) {
    decompressedByteLimit = try Self.decompressedByteLimit(protectedParameters, limits: limits)
    (self.contentEncryption, self.recipients) = (contentEncryption, recipients)
    (self.authenticatedText, self.content) = (authenticatedText, content)
  }

  /// The content encryption algorithm that a header names, if it is one that is accepted; nil where its `alg` encrypts
  /// the content itself, which leaves none to be named.
  ///
  /// - Parameter header: the parameters that are protected, and `enc` if it may be unprotected.
  static func accepted(
    _ header: JSONObject, among allowed: [ContentEncryptionAlgorithm]
  ) throws(JOSEError) -> ContentEncryptionAlgorithm? {
    if let name = try header.string(ifPresent: "alg", orThrow: .headerInvalid), isIntegrated(name) { return nil }
    guard !allowed.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "contentEncryption")
    }
    guard let name = try header.string(ifPresent: "enc", orThrow: .headerInvalid) else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "enc")
    }
    guard let algorithm = ContentEncryptionAlgorithm(name: name), allowed.contains(algorithm) else {
      throw JOSEError(.algorithmNotAllowed, "the token's enc must be one that contentEncryption accepts", name: "enc")
    }
    return algorithm
  }

  /// A compact message whose header the caller accepts.
  init(
    _ message: UnverifiedJWE, contentEncryption allowed: [ContentEncryptionAlgorithm],
    understanding understood: [String], limits: Limits? = nil
  ) throws(JOSEError) {
    let header = message.unverifiedHeader
    try header.requireUnderstood(understood)
    let recipient = Recipient(
      header: header, parameters: header.parameters, keyID: header.keyID, encryptedKey: message.encryptedKey)
    try self.init(
      Self.accepted(header.parameters, among: allowed), protectedParameters: header.parameters,
      recipients: [recipient], authenticatedText: message.headerText, content: message.content,
      limits: limits ?? message.limits)
  }

  static func isIntegrated(_ algorithm: String) -> Bool {
    KeyManagementAlgorithm(name: algorithm)?.row.isIntegrated ?? false
  }

  /// The limit for a compressed plaintext, or nil if it is not compressed.
  private static func decompressedByteLimit(_ header: JSONObject, limits: Limits) throws(JOSEError) -> Int? {
    guard try header.string(ifPresent: "zip", orThrow: .headerInvalid) != nil else { return nil }
    guard let limit = limits.decompressedByteCount, header["zip"] == "DEF" else {
      throw JOSEError(.algorithmNotAllowed, "compression is not accepted", name: "zip")
    }
    return limit
  }

  /// Checks what the key management algorithm says about the other parts.
  func requireForm(of algorithm: KeyManagementAlgorithm, for recipient: Recipient) throws(JOSEError) {
    guard recipient.header.algorithmName == algorithm.name else { throw Self.notAllowed }
    guard recipient.encryptedKey.isEmpty == algorithm.row.hasNoEncryptedKey else {
      throw JOSEError(.malformed, "the encrypted key must be empty with direct algorithms, and only with them")
    }
    try requireForm(ofHPKE: algorithm, for: recipient)
    let row = contentEncryption?.row
    guard content.initializationVector.count == row?.initializationVectorByteCount ?? 0 else {
      throw JOSEError(.malformed, "the initialization vector must have the algorithm's length")
    }
    guard content.authenticationTag.count == row?.authenticationTagByteCount ?? 0 else {
      throw JOSEError(.malformed, "the authentication tag must have the algorithm's length")
    }
  }

  static var notAllowed: JOSEError {
    JOSEError(.algorithmNotAllowed, "the token's algorithm is not one that is accepted", name: "alg")
  }

  /// Opens the content. Whatever is wrong with it looks the same.
  func open(with cipher: ContentCipher, for recipient: Recipient) throws(JOSEError) -> DecryptedJWE {
    try opened(for: recipient) { content, authenticatedText in cipher.open(content, authenticating: authenticatedText) }
  }

  /// The same with whatever opens it.
  func opened(
    for recipient: Recipient, by open: (ContentCipher.Sealed, [UInt8]) -> [UInt8]?
  ) throws(JOSEError) -> DecryptedJWE {
    guard var plaintext = open(content, authenticatedText) else { throw JOSEError.messageNotOpened }
    if let decompressedByteLimit { plaintext = try Inflate.decompress(plaintext, byteLimit: decompressedByteLimit) }
    return DecryptedJWE(header: recipient.header, unprotectedHeader: recipient.unprotectedHeader, plaintext: plaintext)
  }

  /// Opens the message for one recipient with one key: the operation that a message's work consists of.
  func open(
    with key: DecryptionKey, for recipient: Recipient, agreedParties: AgreedParties, ephemeralKey: PublicKey? = nil,
    limits: Limits, work: inout WorkBudget
  ) throws(JOSEError) -> DecryptedJWE {
    try requireForm(of: key.algorithm, for: recipient)
    let mechanism = key.algorithm.row.mechanism
    if key.algorithm.row.suite != nil {
      try key.encryptionKey.agreement.requireMode(of: recipient.parameters)
    }
    // What everybody can see to be another key's costs nothing.
    guard key.mayOpen(recipient.encryptedKey) else { throw JOSEError.messageNotOpened }
    let agreement: Agreement? =
      if case .agreement = mechanism {
        try agreement(agreedParties, on: key.encryptionKey.curve, ephemeralKey: ephemeralKey, for: recipient)
      } else {
        nil
      }
    let iterationCount =
      key.algorithm.usesPassword ? try PasswordKey.parameters(recipient.parameters, limits: limits).1 : 0
    try work.spend(
      key.work(byteCount: content.ciphertext.count + authenticatedText.count, iterationCount: iterationCount))
    if case .hpke(let suite) = mechanism { return try open(suite, with: key, for: recipient) }
    // A message whose algorithm is another than the protected header's has one: only integrated encryption has none.
    guard let contentEncryption else { throw Self.notAllowed }
    let byteCount = contentEncryption.row.keyByteCount
    switch (mechanism, key.material) {
    case (.direct, .direct(let direct)):
      return try open(with: direct.cipher(for: contentEncryption), for: recipient)
    case (.symmetric, .wrapping(let wrappingKey)):
      let contentKey = try wrappingKey.unwrap(
        recipient.encryptedKey, parameters: recipient.parameters, byteCount: byteCount, limits: limits)
      return try open(with: ContentCipher(key: contentKey, for: contentEncryption), for: recipient)
    case (.rsaOAEP, .privateKey(.rsa(let privateKey))):
      let contentKey = privateKey.unwrappedOrRandom(
        recipient.encryptedKey, byteCount: byteCount, algorithm: key.algorithm)
      return try open(with: ContentCipher(key: contentKey, for: contentEncryption), for: recipient)
    case (.hpkeKeyEncryption(let suite), _):
      let contentKey = try contentEncryptionKey(suite, with: key, for: recipient, contentEncryption: contentEncryption)
      return try open(with: ContentCipher(key: contentKey, for: contentEncryption), for: recipient)
    case (.agreement, .privateKey), (.agreement, .external):
      guard let agreement else { throw Self.notAllowed }
      let secret = try key.sharedSecret(with: agreement.ephemeralKey)
      return try open(sharedSecret: secret, agreement: agreement, algorithm: key.algorithm, for: recipient)
    case (.direct, _), (.symmetric, _), (.rsaOAEP, _), (.agreement, _), (.hpke, _):
      throw Self.notAllowed
    }
  }
}

extension JOSEError {
  /// Everything that depends on a secret: a wrong key, a wrong password, an octet that was changed.
  package static var messageNotOpened: JOSEError {
    JOSEError(.decryptionFailed, "the message could not be opened: it is for another key or password, or was changed")
  }
}
