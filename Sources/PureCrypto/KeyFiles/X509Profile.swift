/// A certificate whose every part is as RFC 5280 wants it for a chain. Whether the parts fit others of the chain, and
/// the date, is still open.
///
/// Source: RFC 5280 §4.1, §4.2.
package struct X509Profile: Sendable {
  package let certificate: X509Certificate
  package let publicKey: PublicKey
  /// Nil of a trust anchor, for who signed it, and how, is of no interest.
  package let signatureAlgorithm: X509SignatureAlgorithm?
  /// From when until when, both included, in seconds since 1970.
  package let validity: ClosedRange<Int>
  package let extensions: X509Extensions
  /// That of the subject, if this is a trust anchor.
  package let issuer: X509Name
  package let subject: X509Name

  /// Whether it can have extensions.
  package var isVersion3: Bool { certificate.version == 2 }

  /// Whether issuer and subject are the same, as when an authority renews its key.
  package var isSelfIssued: Bool { certificate.issuer == certificate.subject }

  /// Reads the parts.
  ///
  /// - Parameter isAnchor: whether the caller trusts the certificate for its own sake. Then its subject, its key, its
  ///   dates and the extensions that limit it count, whatever their form, and nothing else: anchors of version 1, with
  ///   any serial number, with a signature of SHA-1 and with a keyUsage that isn't minimal are in use.
  ///
  /// Source: RFC 5280 §6.1.1 (d).
  package init(_ certificate: X509Certificate, isAnchor: Bool = false) throws(X509Refusal) {
    self.certificate = certificate
    if !isAnchor {
      guard certificate.version == 2 else { throw X509Refusal(.version, "the certificate is not of version 3") }
      guard Self.isSerialNumber(certificate.serialNumber) else {
        throw X509Refusal(.serialNumber, "the serial number is zero, negative or longer than 20 octets")
      }
      guard !certificate.hasUniqueIdentifiers else {
        throw X509Refusal(.uniqueIdentifier, "issuer or subject have a unique identifier")
      }
      signatureAlgorithm = try X509Refusal.reading(.signatureAlgorithm) { () throws(CryptoError) in
        try withContiguousBytes(certificate.signatureAlgorithm) { bytes throws(CryptoError) in
          try X509SignatureAlgorithm(bytes)
        }
      }
    } else {
      signatureAlgorithm = nil
    }
    validity = try X509Refusal.reading(.validity) { () throws(CryptoError) in
      try certificate.validity(inAnyForm: isAnchor)
    }
    publicKey = try X509Refusal.reading(.subjectPublicKeyInfo) { () throws(CryptoError) in
      try Self.publicKey(certificate.subjectPublicKeyInfo)
    }
    extensions = try X509Extensions(certificate.encodedExtensions, isAnchor: isAnchor)
    subject = try Self.name(certificate.subject, .subject)
    issuer = isAnchor ? subject : try Self.name(certificate.issuer, .issuer)
    guard !issuer.attributes.isEmpty else { throw X509Refusal(.issuer, "the issuer has no name") }
    // A certificate can't name an authority without a name as its issuer.
    guard
      !subject.attributes.isEmpty
        || extensions.hasCriticalSubjectAltName && extensions.basicConstraints?.isAuthority != true
    else {
      throw X509Refusal(.subject, "the subject has no name, or one that is not marked as critical")
    }
  }

  /// Whether it is positive, minimal and of 20 octets at most.
  /// Source: RFC 5280 §4.1.2.2.
  private static func isSerialNumber(_ element: [UInt8]) -> Bool {
    withContiguousBytes(element) { bytes in
      var reader = DERReader(bytes)
      guard let magnitude = try? reader.readUnsignedInteger() else { return false }
      return (1...20).contains(magnitude.count)
    }
  }

  /// The key, in the one form in which it is written here: a point without compression, an RSA key with its NULL.
  private static func publicKey(_ info: [UInt8]) throws(CryptoError) -> PublicKey {
    let key = try PublicKey(derRepresentation: info)
    guard key.derRepresentation == info else {
      throw CryptoError(.invalidPublicKey, "the key is not encoded in its usual form")
    }
    // Small exponents are sound, but every forgery of the last decades was one of them.
    if case .rsa(let rsa) = key, rsa.publicExponent.count < 3 {
      throw CryptoError(.invalidPublicKey, "the exponent is below 65537")
    }
    return key
  }

  private static func name(_ encoded: [UInt8], _ rule: X509Refusal.Rule) throws(X509Refusal) -> X509Name {
    try X509Refusal.reading(rule) { () throws(CryptoError) in try withContiguousBytes(encoded, X509Name.init) }
  }

  /// The serial number, most significant octet first, without leading zeros; of a root perhaps in no usual form.
  package var serialNumber: [UInt8] { Array(certificate.serialNumber.dropFirst(2).drop { $0 == 0 }) }

  /// 1.2.840.113549.1.9.1, emailAddress.
  private static let emailAddress = DERObjectIdentifier(
    contents: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01])

  /// All names that constraints apply to: those of subjectAltName, the subject, and the e-mail addresses in it.
  var constrainedNames: [X509GeneralName] {
    let addresses = subject.attributes.filter { $0.identifier == Self.emailAddress }
    return extensions.subjectAltNames + addresses.map { X509GeneralName(emailAddress: $0.contents) }
      + (subject.attributes.isEmpty ? [] : [.directory(subject)])
  }
}
