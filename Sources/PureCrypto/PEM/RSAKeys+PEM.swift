extension RSAPublicKey {
  /// Reads a `PUBLIC KEY` (SubjectPublicKeyInfo) or an `RSA PUBLIC KEY` (PKCS #1) block.
  /// - Parameter text: exactly one block, with white space around it at most.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.publicKey, .rsaPublicKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
      block.label == .publicKey ? try RSAPublicKey(spki: bytes) : try RSAPublicKey(pkcs1: bytes)
    }
  }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String {
    PEMBlock(label: .publicKey, contents: SecretBytes(copying: derRepresentation)).text
  }
}

extension RSAPrivateKey {
  /// Reads a `PRIVATE KEY` (PKCS #8) or an `RSA PRIVATE KEY` (PKCS #1) block.
  /// - Parameter text: exactly one block, with white space around it at most.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure and on lengths, not on the private integers.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.privateKey, .rsaPrivateKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
      block.label == .privateKey ? try RSAPrivateKey(pkcs8: bytes) : try RSAPrivateKey(pkcs1: bytes)
    }
  }

  /// A `PRIVATE KEY` (PKCS #8) block, or `nil` for a key without its prime factors. A `String` can't be wiped: keep it no
  /// longer than you must.
  public var pemRepresentation: String? {
    derRepresentation.map { PEMBlock(label: .privateKey, contents: $0).text }
  }
}

extension PEMLabel {
  /// PKCS #1 RSAPublicKey.
  package static let rsaPublicKey = PEMLabel("RSA PUBLIC KEY")
  /// PKCS #1 RSAPrivateKey.
  package static let rsaPrivateKey = PEMLabel("RSA PRIVATE KEY")
}
