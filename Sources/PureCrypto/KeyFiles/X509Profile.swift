/// A certificate whose every part is as RFC 5280 wants it for a chain. Whether the parts fit others of the chain, and the date, is still open.
///
/// Source: RFC 5280 §4.1, §4.2.
package struct X509Profile: Sendable {
  package let certificate: X509Certificate
  package let publicKey: PublicKey
  package let signatureAlgorithm: X509SignatureAlgorithm
  /// From when until when, both included, in seconds since 1970.
  package let validity: ClosedRange<Int>
  package let extensions: X509Extensions

  /// Whether it can have extensions.
  package var isVersion3: Bool { certificate.version == 2 }

  /// Whether issuer and subject are the same, as when an authority renews its key.
  package var isSelfIssued: Bool { certificate.issuer == certificate.subject }

  /// Reads the parts.
  /// - Parameter isRoot: whether the caller trusts the certificate for its own sake. Roots of version 1 and with any serial number are
  ///   in use, and who signed a root is of no interest.
  package init(_ certificate: X509Certificate, isRoot: Bool = false) throws(X509Refusal) {
    self.certificate = certificate
    if !isRoot {
      guard certificate.version == 2 else { throw X509Refusal(.version, "the certificate is not of version 3") }
      guard Self.isSerialNumber(certificate.serialNumber) else {
        throw X509Refusal(.serialNumber, "the serial number is zero, negative or longer than 20 octets")
      }
    }
    guard !certificate.hasUniqueIdentifiers else {
      throw X509Refusal(.uniqueIdentifier, "issuer or subject have a unique identifier")
    }
    signatureAlgorithm = try X509Refusal.reading(.signatureAlgorithm) { () throws(CryptoError) in
      try withContiguousBytes(certificate.signatureAlgorithm) { bytes throws(CryptoError) in
        try X509SignatureAlgorithm(bytes)
      }
    }
    validity = try X509Refusal.reading(.validity) { () throws(CryptoError) in try certificate.validity }
    publicKey = try X509Refusal.reading(.subjectPublicKeyInfo) { () throws(CryptoError) in
      try Self.publicKey(certificate.subjectPublicKeyInfo)
    }
    extensions = try X509Extensions(certificate.encodedExtensions)
    guard try Self.attributeCount(certificate.issuer, .issuer) > 0 else {
      throw X509Refusal(.issuer, "the issuer has no name")
    }
    let isNamed = try Self.attributeCount(certificate.subject, .subject) > 0
    // Nobody could name an authority without a name as issuer.
    guard isNamed || extensions.hasCriticalSubjectAltName && extensions.basicConstraints?.isAuthority != true else {
      throw X509Refusal(.subject, "the subject has no name, or one that is not marked as critical")
    }
  }

  /// Whether it is positive, minimal and of 20 octets at most. Source: RFC 5280 §4.1.2.2.
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

  /// The number of relative names in Name ::= SEQUENCE OF SET OF SEQUENCE { OBJECT IDENTIFIER, value }, 64 at most.
  private static func attributeCount(_ name: [UInt8], _ rule: X509Refusal.Rule) throws(X509Refusal) -> Int {
    try X509Refusal.reading(rule) { () throws(CryptoError) in
      try withContiguousBytes(name) { bytes throws(CryptoError) in
        var reader = DERReader(bytes)
        var sequence = try reader.read(.sequence)
        var count = 0
        while !sequence.bytes.isEmpty {
          var set = try sequence.read(.set)
          var last: [UInt8]?
          repeat {
            let whole = Array(try set.readWhole(.sequence))
            try requireAttribute(whole)
            // DER sorts a SET OF (X.690 §11.6).
            guard last.map({ !whole.lexicographicallyPrecedes($0) }) ?? true else {
              throw CryptoError(.malformedDER, "the attributes of a name are not sorted")
            }
            last = whole
            count &+= 1
          } while !set.bytes.isEmpty
        }
        guard count <= 64 else { throw CryptoError(.malformedDER, "the name has too many attributes") }
        return count
      }
    }
  }

  private static func requireAttribute(_ element: [UInt8]) throws(CryptoError) {
    try withContiguousBytes(element) { bytes throws(CryptoError) in
      var reader = DERReader(bytes)
      var attribute = try reader.read(.sequence)
      _ = try attribute.readObjectIdentifierContents()
      _ = try attribute.readAnyWhole()
      try attribute.finish()
    }
  }
}
