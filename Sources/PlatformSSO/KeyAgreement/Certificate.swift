import JOSE
import PureCrypto

/// As much of X.509 as a key response needs: the public key of a certificate, and a self-signed certificate for one.
///
/// Source: RFC 5280 §4.1.
enum Certificate {
  /// The P-256 key of a certificate in DER, as 65 octets. Neither signature nor dates are looked at.
  ///
  /// - Throws: ``PlatformSSOError/Code/certificateInvalid``.
  static func p256PublicKey(of certificate: [UInt8]) throws(PlatformSSOError) -> [UInt8] {
    let key = certificate.withUnsafeBytes { bytes in
      try? P256PublicKey(derRepresentation: subjectPublicKeyInfo(bytes))
    }
    guard let key else {
      throw PlatformSSOError(.certificateInvalid, "no certificate with a public key on P-256", name: "certificate")
    }
    return key.x963Representation
  }

  private static func subjectPublicKeyInfo(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
    var body = try fromSignatureAlgorithm(bytes)
    // Signature algorithm, issuer, validity, subject.
    for _ in 0..<4 { _ = try body.read(.sequence) }
    let info = try body.read(.sequence).bytes
    return element(0x30, [Array(info)])
  }

  /// The body of a certificate behind version and serial number.
  static func fromSignatureAlgorithm(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> DERReader {
    var reader = DERReader(bytes)
    var certificate = try reader.read(.sequence)
    try reader.finish()
    var body = try certificate.read(.sequence)
    _ = try body.readOptional(.constructed(0))
    _ = try body.read(.integer)
    return body
  }

  /// A self-signed certificate for key agreement.
  ///
  /// - Parameter commonName: issuer and subject.
  static func selfSigned(
    _ key: P256PrivateKey, commonName: String, notBefore: NumericDate, notAfter: NumericDate
  ) -> [UInt8] {
    // ecdsa-with-SHA256, 1.2.840.10045.4.3.2.
    let algorithm = element(0x30, [[0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]])
    let commonNameType: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x03]
    let name = element(
      0x30, [element(0x31, [element(0x30, [commonNameType, element(0x0C, [Array(commonName.utf8)])])])])
    // keyUsage, critical: keyAgreement alone, bit 4 of a string whose last three bits are unused.
    let keyUsage = element(
      0x30, [[0x06, 0x03, 0x55, 0x1D, 0x0F], [0x01, 0x01, 0xFF], element(0x04, [[0x03, 0x02, 0x03, 0x08]])])
    // Positive, 20 octets at most, and not zero.
    let serialNumber = [0x40 | SystemRandom.bytes(count: 1)[0] & 0x3F] + SystemRandom.bytes(count: 15)
    let body = element(
      0x30,
      [
        element(0xA0, [[0x02, 0x01, 0x02]]), element(0x02, [serialNumber]), algorithm, name,
        element(0x30, [time(notBefore), time(notAfter)]), name, key.publicKey.derRepresentation,
        element(0xA3, [element(0x30, [keyUsage])]),
      ])
    let signature = key.signature(for: body).derRepresentation
    return element(0x30, [body, algorithm, element(0x03, [[0x00], signature])])
  }

  /// Tag, length and contents. Contents are this package's own, below 64 KiB.
  static func element(_ tag: UInt8, _ contents: [[UInt8]]) -> [UInt8] {
    let octets = Array(contents.joined())
    let count = octets.count
    let length: [UInt8] =
      count < 0x80
      ? [UInt8(truncatingIfNeeded: count)]
      : count < 0x100
        ? [0x81, UInt8(truncatingIfNeeded: count)]
        : [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    return [tag] + length + octets
  }
}
