/// The label of a PEM block, which says what the DER inside is.
///
/// Source: RFC 7468 §4.
package struct PEMLabel: Hashable, Sendable {
  /// The text between "BEGIN " or "END " and the hyphens.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// SubjectPublicKeyInfo. Source: RFC 7468 §13.
  package static let publicKey = PEMLabel("PUBLIC KEY")
  /// PKCS #8 PrivateKeyInfo. Source: RFC 7468 §10.
  package static let privateKey = PEMLabel("PRIVATE KEY")
  /// SEC 1 ECPrivateKey. Source: RFC 5915 §4.
  package static let ecPrivateKey = PEMLabel("EC PRIVATE KEY")
  /// An X.509 certificate. Source: RFC 7468 §5.
  package static let certificate = PEMLabel("CERTIFICATE")
}
