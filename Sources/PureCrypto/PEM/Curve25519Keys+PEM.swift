extension X25519PublicKey {
  /// Reads a `PUBLIC KEY` block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.publicKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in try Self(derRepresentation: bytes) }
  }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String {
    PEMBlock(label: .publicKey, contents: SecretBytes(copying: derRepresentation)).text
  }
}

extension X25519PrivateKey {
  /// Reads a `PRIVATE KEY` (PKCS #8) block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.privateKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in try Self(derRepresentation: bytes) }
  }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  public var pemRepresentation: String { PEMBlock(label: .privateKey, contents: derRepresentation).text }
}

extension Ed25519PublicKey {
  /// Reads a `PUBLIC KEY` block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.publicKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in try Self(derRepresentation: bytes) }
  }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String {
    PEMBlock(label: .publicKey, contents: SecretBytes(copying: derRepresentation)).text
  }
}

extension Ed25519PrivateKey {
  /// Reads a `PRIVATE KEY` (PKCS #8) block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.privateKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in try Self(derRepresentation: bytes) }
  }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  public var pemRepresentation: String { PEMBlock(label: .privateKey, contents: derRepresentation).text }
}
