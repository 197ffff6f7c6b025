import PureCrypto

/// Certificates that lead from a key to a root that the program trusts. Made by ``CertificateTrust`` only.
///
/// It says whose key it is by the word of the authorities, at the time of the validation; not that they still stand by
/// it.
public struct CertificateChain: Sendable {
  /// The certificates in DER that lead to the root, that of the key first, without the root and what followed.
  public let certificates: [[UInt8]]

  /// The trusted root, in DER.
  public let root: [UInt8]

  /// The key of the first certificate, without metadata.
  public let publicKey: JWK

  /// Whose key it is. Empty if the certificate names its subject in ``subjectAlternativeNames`` only.
  public var subject: DistinguishedName { DistinguishedName(leaf.subject) }

  /// Further names of the subject, in the order of the certificate; none if it has none. All are well-formed, and
  /// within the constraints of the authorities. The name of a server stands here as ``CertificateName/dns(_:)``.
  public var subjectAlternativeNames: [CertificateName] { leaf.extensions.subjectAltNames.map { CertificateName($0) } }

  /// Who certified the key.
  public var issuer: DistinguishedName { DistinguishedName(leaf.issuer) }

  /// The number of the first certificate, different among all of its issuer: 1 to 20 octets, most significant first,
  /// without leading zeros.
  public var serialNumber: [UInt8] { leaf.serialNumber }

  /// From when until when all certificates are valid, the root included, and both ends.
  public let validity: ClosedRange<NumericDate>

  private let leaf: X509Profile

  init(leaf: X509Profile, path: [X509Profile], root: X509Profile, validity: ClosedRange<Int>) {
    self.leaf = leaf
    certificates = path.map(\.certificate.derRepresentation)
    self.root = root.certificate.derRepresentation
    publicKey = JWK(.publicKey(leaf.publicKey))
    self.validity = NumericDate(validity.lowerBound)...NumericDate(validity.upperBound)
  }

  /// The value of an extension of the first certificate: the octets inside its OCTET STRING, as the authority wrote
  /// them.
  ///
  /// - Parameter identifier: the object identifier, numbers with dots: `1.2.840.113635.100.8.11.1` for instance.
  /// - Returns: nil if the certificate has no such extension, or the text is not an object identifier.
  public func extensionValue(_ identifier: String) -> [UInt8]? {
    DERObjectIdentifier(identifier).flatMap { leaf.extensions[$0] }
  }
}

extension CertificateChain: CustomStringConvertible {
  /// The number of certificates and the type of the key. Names are for people who read certificates.
  public var description: String { "CertificateChain(\(certificates.count) certificates, \(publicKey))" }
}
