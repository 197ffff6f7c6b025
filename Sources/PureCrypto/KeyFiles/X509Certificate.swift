/// What a program can use of an X.509 certificate without validating it: the subject's public key, and the two dates.
///
/// Neither signature nor names nor extensions are examined: whoever trusts the key has a reason outside the certificate.
/// Source: RFC 5280 §4.1.
package struct X509Certificate: Sendable {
  /// The DER of SubjectPublicKeyInfo.
  package let subjectPublicKeyInfo: [UInt8]

  /// The contents of Validity.
  private let encodedValidity: [UInt8]

  /// Reads the structure.
  /// - Parameter certificate: strict DER, nothing after it.
  /// - Throws: `.malformedDER`.
  package init(derRepresentation certificate: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(certificate) { bytes throws(CryptoError) in try X509Certificate(der: bytes) }
  }

  /// Certificate ::= SEQUENCE { TBSCertificate, AlgorithmIdentifier, BIT STRING }.
  private init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var certificate = try outer.read(.sequence)
    try outer.finish()
    var body = try certificate.read(.sequence)
    let algorithm = try certificate.readWhole(.sequence)
    _ = try certificate.readBitString()
    try certificate.finish()

    // TBSCertificate ::= SEQUENCE { [0] version, serialNumber, signature, issuer, validity, subject,
    //   subjectPublicKeyInfo, [1] issuerUniqueID, [2] subjectUniqueID, [3] extensions }
    let version = try X509Certificate.readVersion(&body)
    // Issuers have written serial numbers of every kind; only their place matters here.
    guard !(try body.read(.integer).bytes.isEmpty) else {
      throw CryptoError(.malformedDER, "the serial number is empty")
    }
    // The algorithm stands inside what is signed and outside of it, and must be the same (RFC 5280 §4.1.1.2).
    guard try body.readWhole(.sequence).elementsEqual(algorithm) else {
      throw CryptoError(.malformedDER, "the certificate names two signature algorithms")
    }
    _ = try body.read(.sequence)
    encodedValidity = Array(try body.read(.sequence).bytes)
    _ = try body.read(.sequence)
    let info = try body.readWhole(.sequence)
    try X509Certificate.requireSubjectPublicKeyInfo(info)
    subjectPublicKeyInfo = Array(info)
    for tag in [DERTag.primitive(1), .primitive(2)] {
      guard try body.readOptional(tag) == nil || version >= 1 else {
        throw CryptoError(.malformedDER, "unique identifiers need version 2")
      }
    }
    guard try body.readOptional(.constructed(3)) == nil || version == 2 else {
      throw CryptoError(.malformedDER, "extensions need version 3")
    }
    try body.finish()
  }

  /// SubjectPublicKeyInfo ::= SEQUENCE { AlgorithmIdentifier, BIT STRING }: no other form of a key can take its place.
  private static func requireSubjectPublicKeyInfo(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    _ = try info.read(.sequence)
    _ = try info.readBitString()
    try info.finish()
  }

  /// 0, 1 or 2 for versions 1, 2 and 3. Version 1 is absent: DER writes no default values.
  private static func readVersion(_ body: inout DERReader) throws(CryptoError) -> UInt8 {
    guard var version = try body.readOptional(.constructed(0)) else { return 0 }
    let number = try version.readSmallInteger()
    try version.finish()
    guard number == 1 || number == 2 else { throw CryptoError(.malformedDER, "the certificate has no known version") }
    return number
  }

  /// From when and until when the certificate says that it is valid, both included, in seconds since 1970-01-01 00:00 UTC.
  /// - Throws: `.malformedDER`.
  /// Source: RFC 5280 §4.1.2.5.
  package var validity: ClosedRange<Int> {
    get throws(CryptoError) {
      try withContiguousBytes(encodedValidity) { bytes throws(CryptoError) in
        var reader = DERReader(bytes)
        let notBefore = try reader.readTime()
        let notAfter = try reader.readTime()
        try reader.finish()
        guard notBefore <= notAfter else { throw CryptoError(.malformedDER, "the certificate ends before it begins") }
        return notBefore...notAfter
      }
    }
  }
}
