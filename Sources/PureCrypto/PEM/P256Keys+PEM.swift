extension P256PublicKey {
  /// Reads a `PUBLIC KEY` block.
  /// - Parameter text: exactly one block, with white space around it at most.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.publicKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in try P256PublicKey(der: bytes) }
  }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String {
    PEMBlock(label: .publicKey, contents: SecretBytes(copying: derRepresentation)).text
  }
}

extension P256PrivateKey {
  /// Reads a `PRIVATE KEY` (PKCS #8) or an `EC PRIVATE KEY` (SEC 1) block.
  /// - Parameter text: exactly one block, with white space around it at most.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)-(Collection<UInt8>)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10, RFC 5915 §4.
  public init(pemRepresentation text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.privateKey, .ecPrivateKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
      try P256PrivateKey(
        block.label == .privateKey
          ? EllipticCurveDER.readPKCS8(bytes, .p256) : EllipticCurveDER.readSEC1(bytes, .p256, isCurveRequired: true))
    }
  }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  ///
  /// Timing: does not depend on the key.
  public var pemRepresentation: String {
    PEMBlock(label: .privateKey, contents: derRepresentation).text
  }
}
