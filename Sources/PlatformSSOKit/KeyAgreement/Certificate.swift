import JOSE
import PureCrypto

/// As much of X.509 as a key response needs: the public key and the dates of a certificate, and certificates that are
/// signed here.
///
/// Source: RFC 5280 §4.1.
package enum Certificate {
  /// The P-256 key of a certificate in DER, as 65 octets. Neither signature nor dates are looked at.
  static func p256PublicKey(of certificate: [UInt8]) throws(JOSEError) -> [UInt8] {
    guard let certificate = try? X509Certificate(derRepresentation: certificate),
      let key = try? P256PublicKey(derRepresentation: certificate.subjectPublicKeyInfo)
    else {
      throw JOSEError(.certificateInvalid, "the certificate must have a public key on P-256", name: "certificate")
    }
    return key.x963Representation
  }

  /// From when and until when a certificate is valid, both included.
  static func validity(of certificate: [UInt8]) throws(JOSEError) -> ClosedRange<NumericDate> {
    guard let validity = try? X509Certificate(derRepresentation: certificate).validity else {
      throw JOSEError(.certificateInvalid, "the certificate's dates are malformed", name: "certificate")
    }
    return NumericDate(validity.lowerBound)...NumericDate(validity.upperBound)
  }

  /// 1.2.840.10045.4.3.2, ecdsa-with-SHA256.
  /// Source: RFC 5758 §3.2.
  private static let ecdsaWithSHA256 = DERObjectIdentifier(contents: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
  /// 2.5.4.3, id-at-commonName.
  private static let commonName = DERObjectIdentifier(contents: [0x55, 0x04, 0x03])
  /// 2.5.29.14, id-ce-subjectKeyIdentifier.
  private static let subjectKeyIdentifier = DERObjectIdentifier(contents: [0x55, 0x1D, 0x0E])
  /// 2.5.29.15, id-ce-keyUsage.
  private static let keyUsage = DERObjectIdentifier(contents: [0x55, 0x1D, 0x0F])

  /// A self-signed certificate for key agreement.
  ///
  /// The one thing that the key signs is this certificate of itself.
  /// - Parameter commonName: issuer and subject.
  static func selfSigned(
    _ key: P256AgreementPrivateKey, commonName: String, notBefore: NumericDate, notAfter: NumericDate
  ) -> [UInt8] {
    let name = Self.name(commonName)
    let signingKey = P256SigningKey(key)
    return signed(
      issuer: name, subject: name, subjectPublicKeyInfo: key.publicKey.derRepresentation,
      validity: notBefore...max(notBefore, notAfter)
    ) { extensions in
      usage(&extensions, keyAgreement)
      identifier(&extensions, of: key.publicKey.x963Representation)
    } sign: {
      signingKey.signature(for: $0).derRepresentation
    }
  }

  /// A certificate in DER, with a serial number of its own.
  ///
  /// - Parameters:
  ///   - issuer: a Name in DER.
  ///   - subject: a Name in DER.
  ///   - validity: from when until when, both included.
  ///   - extensions: writes extensions, each a sequence.
  ///   - sign: signs by ECDSA on P-256 with SHA-256, and writes the signature in DER.
  package static func signed(
    issuer: [UInt8], subject: [UInt8], subjectPublicKeyInfo: [UInt8], validity: ClosedRange<NumericDate>,
    extensions: (inout DERWriter) -> Void, sign: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    var body = DERWriter(capacity: 512)
    body.constructed(.sequence) { body in
      body.constructed(.constructed(0)) { $0.primitive(.integer, [2]) }
      // Positive, 20 octets at most, and not zero.
      body.primitive(.integer, [0x40 | SystemRandom.bytes(count: 1)[0] & 0x3F] + SystemRandom.bytes(count: 15))
      algorithm(&body)
      body.whole(issuer)
      body.constructed(.sequence) { dates in
        dates.time(validity.lowerBound.wholeSeconds)
        dates.time(validity.upperBound.wholeSeconds)
      }
      body.whole(subject)
      body.whole(subjectPublicKeyInfo)
      body.constructed(.constructed(3)) { $0.constructed(.sequence, extensions) }
    }
    var certificate = DERWriter(capacity: body.bytes.count + 128)
    certificate.constructed(.sequence) { certificate in
      certificate.whole(body.bytes)
      algorithm(&certificate)
      certificate.bitString(sign(body.bytes))
    }
    return certificate.bytes
  }

  private static func algorithm(_ writer: inout DERWriter) {
    writer.constructed(.sequence) { $0.objectIdentifier(ecdsaWithSHA256) }
  }

  /// A Name of one attribute, in DER.
  package static func name(_ commonName: String) -> [UInt8] {
    var writer = DERWriter(capacity: 64)
    writer.constructed(.sequence) { names in
      names.constructed(.set) { set in
        set.constructed(.sequence) { attribute in
          attribute.objectIdentifier(self.commonName)
          attribute.primitive(.utf8String, commonName.utf8)
        }
      }
    }
    return writer.bytes
  }

  /// subjectKeyIdentifier: SHA-1 of the point, which is also the hash by which a Mac remembers an unlock key (RFC 5280
  /// §4.2.1.2).
  private static func identifier(_ writer: inout DERWriter, of point: [UInt8]) {
    writer.constructed(.sequence) { identifier in
      identifier.objectIdentifier(subjectKeyIdentifier)
      identifier.constructed(.octetString) { $0.primitive(.octetString, SHA1.hash(point)) }
    }
  }

  /// The contents of a BIT STRING that names keyAgreement alone, bit 4: its last three bits are unused.
  private static let keyAgreement: [UInt8] = [0x03, 0x08]
  /// The same of digitalSignature, bit 0.
  package static let digitalSignature: [UInt8] = [0x07, 0x80]

  /// keyUsage, critical.
  package static func usage(_ writer: inout DERWriter, _ bits: [UInt8]) {
    writer.constructed(.sequence) { usage in
      usage.objectIdentifier(keyUsage)
      usage.primitive(.boolean, [0xFF])
      usage.constructed(.octetString) { $0.primitive(.bitString, bits) }
    }
  }
}
