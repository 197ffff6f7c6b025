/// The parts of an X.509 certificate.
///
/// Reading one examines neither signature nor names nor extensions: a caller that trusts the key at once needs a reason
/// outside the certificate. For a chain, ``X509Profile`` reads the parts as strictly as RFC 5280 asks.
///
/// Source: RFC 5280 §4.1.
package struct X509Certificate: Sendable {
  /// The whole certificate.
  package let derRepresentation: [UInt8]

  /// TBSCertificate, which ``signature`` signs.
  package let signedPart: [UInt8]

  /// The contents of the BIT STRING signatureValue.
  package let signature: [UInt8]

  /// The AlgorithmIdentifier of the signature, which is the same inside and outside of what is signed.
  let signatureAlgorithm: [UInt8]

  /// 0, 1 or 2 for versions 1, 2 and 3.
  let version: UInt8

  /// The INTEGER serialNumber.
  package let serialNumber: [UInt8]

  /// The Name of the issuer.
  package let issuer: [UInt8]

  /// The Name of the subject.
  package let subject: [UInt8]

  /// The DER of SubjectPublicKeyInfo.
  package let subjectPublicKeyInfo: [UInt8]

  /// The contents of Validity.
  private let encodedValidity: [UInt8]

  /// Whether issuer or subject have a unique identifier, which no profile gives a meaning.
  let hasUniqueIdentifiers: Bool

  /// The contents of [3], the list of extensions; nil for a certificate without extensions.
  let encodedExtensions: [UInt8]?

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
    derRepresentation = Array(bytes)
    let signedPart = try certificate.readWhole(.sequence)
    self.signedPart = Array(signedPart)
    var signed = DERReader(signedPart)
    var body = try signed.read(.sequence)
    let algorithm = try certificate.readWhole(.sequence)
    signatureAlgorithm = Array(algorithm)
    signature = Array(try certificate.readBitString())
    try certificate.finish()

    // TBSCertificate ::= SEQUENCE { [0] version, serialNumber, signature, issuer, validity, subject,
    //   subjectPublicKeyInfo, [1] issuerUniqueID, [2] subjectUniqueID, [3] extensions }
    version = try X509Certificate.readVersion(&body)
    // Issuers have written serial numbers of every kind; only their place matters here.
    let serialNumber = try body.readWhole(.integer)
    guard serialNumber.count > 2 else { throw CryptoError(.malformedDER, "the serial number is empty") }
    self.serialNumber = Array(serialNumber)
    // The algorithm stands inside what is signed and outside of it, and must be the same (RFC 5280 §4.1.1.2).
    guard try body.readWhole(.sequence).elementsEqual(algorithm) else {
      throw CryptoError(.malformedDER, "the certificate's two signature algorithms must be equal")
    }
    issuer = Array(try body.readWhole(.sequence))
    encodedValidity = Array(try body.read(.sequence).bytes)
    subject = Array(try body.readWhole(.sequence))
    let info = try body.readWhole(.sequence)
    try X509Certificate.requireSubjectPublicKeyInfo(info)
    subjectPublicKeyInfo = Array(info)
    var hasUniqueIdentifiers = false
    for tag in [DERTag.primitive(1), .primitive(2)] where try body.readOptional(tag) != nil {
      hasUniqueIdentifiers = true
    }
    self.hasUniqueIdentifiers = hasUniqueIdentifiers
    guard !hasUniqueIdentifiers || version >= 1 else {
      throw CryptoError(.malformedDER, "unique identifiers need version 2")
    }
    encodedExtensions = (try body.readOptional(.constructed(3))).map { Array($0.bytes) }
    guard encodedExtensions == nil || version == 2 else {
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

  /// From when and until when the certificate says that it is valid, both included, in seconds since 1970-01-01 00:00
  /// UTC.
  /// - Throws: `.malformedDER`.
  /// Source: RFC 5280 §4.1.2.5.
  package var validity: ClosedRange<Int> {
    get throws(CryptoError) { try validity(inAnyForm: false) }
  }

  /// The same, in any form that ASN.1 has for dates if the caller asks for it.
  func validity(inAnyForm: Bool) throws(CryptoError) -> ClosedRange<Int> {
    try withContiguousBytes(encodedValidity) { bytes throws(CryptoError) in
      var reader = DERReader(bytes)
      let notBefore = inAnyForm ? try reader.readTimeInAnyForm() : try reader.readTime()
      let notAfter = inAnyForm ? try reader.readTimeInAnyForm() : try reader.readTime()
      try reader.finish()
      guard notBefore <= notAfter else { throw CryptoError(.malformedDER, "the certificate ends before it begins") }
      return notBefore...notAfter
    }
  }
}
