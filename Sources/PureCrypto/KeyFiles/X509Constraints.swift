/// basicConstraints: whether the subject is an authority, and how many authorities may follow it.
///
/// Source: RFC 5280 §4.2.1.9.
package struct X509BasicConstraints: Sendable {
  package let isAuthority: Bool
  /// How many authorities may stand between this one and the leaf; nil for any number.
  package let pathLength: Int?

  /// SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER (0..MAX) OPTIONAL }.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    var constraints = try reader.read(.sequence)
    try reader.finish()
    isAuthority = try constraints.readFlag()
    var pathLength: Int?
    if constraints.isNext(.integer) {
      let magnitude = try constraints.readUnsignedInteger()
      // No chain is as long as a second octet could say.
      pathLength = magnitude.count > 1 ? 0x100 : Int(magnitude.first ?? 0)
    }
    try constraints.finish()
    guard isAuthority || pathLength == nil else {
      throw CryptoError(.malformedDER, "a path length is given, but the subject is not a certificate authority")
    }
    self.pathLength = pathLength
  }
}

/// authorityKeyIdentifier: which of the issuer's keys and certificates is meant.
///
/// Source: RFC 5280 §4.2.1.1.
package struct X509AuthorityKeyIdentifier: Sendable {
  private let keyIdentifier: [UInt8]?
  /// The Name in the issuer's own certificate of who issued that one.
  private let issuersIssuer: [UInt8]?
  /// The INTEGER serialNumber of the issuer's certificate.
  private let issuersSerialNumber: [UInt8]?

  /// SEQUENCE { [0] KeyIdentifier OPTIONAL, [1] GeneralNames OPTIONAL, [2] CertificateSerialNumber OPTIONAL }, the last
  /// two both or neither.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    var identifier = try reader.read(.sequence)
    try reader.finish()
    keyIdentifier = try identifier.readOptional(.primitive(0)).map { Array($0.bytes) }
    let names = try identifier.readOptional(.constructed(1))
    let serialNumber = try identifier.readOptional(.primitive(2))
    try identifier.finish()
    guard (names == nil) == (serialNumber == nil) else {
      throw CryptoError(
        .malformedDER, "authorityKeyIdentifier must have issuer and serial number both or neither")
    }
    issuersSerialNumber = serialNumber.map { serial in
      var writer = DERWriter(capacity: serial.bytes.count &+ 8)
      writer.primitive(.integer, serial.bytes)
      return writer.bytes
    }
    var directoryName: [UInt8]?
    if var names {
      while !names.bytes.isEmpty {
        guard var name = try names.readOptional(.constructed(4)) else {
          _ = try names.readAnyWhole()
          continue
        }
        directoryName = Array(try name.readWhole(.sequence))
        try name.finish()
      }
    }
    issuersIssuer = directoryName
  }

  /// Whether nothing in it speaks against this issuer. It says nothing for it: that is up to the signature.
  package func mayMean(_ issuer: X509Certificate, _ extensions: X509Extensions) -> Bool {
    if let keyIdentifier, let own = extensions.subjectKeyIdentifier, keyIdentifier != own { return false }
    if let issuersSerialNumber, issuersSerialNumber != issuer.serialNumber { return false }
    if let issuersIssuer, issuersIssuer != issuer.issuer { return false }
    return true
  }
}
