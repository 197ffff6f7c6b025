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

extension PEMLabel {
  /// PKCS #1 RSAPublicKey.
  package static let rsaPublicKey = PEMLabel("RSA PUBLIC KEY")
}
