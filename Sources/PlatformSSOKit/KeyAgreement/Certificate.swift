import JOSE
import PureCrypto

/// As much of X.509 as a key response needs: the public key and the dates of a certificate, and a self-signed
/// certificate for a key.
///
/// Source: RFC 5280 §4.1.
enum Certificate {
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
    var body = DERWriter(capacity: 512)
    body.constructed(.sequence) { body in
      body.constructed(.constructed(0)) { $0.primitive(.integer, [2]) }
      // Positive, 20 octets at most, and not zero.
      body.primitive(.integer, [0x40 | SystemRandom.bytes(count: 1)[0] & 0x3F] + SystemRandom.bytes(count: 15))
      algorithm(&body)
      name(&body, commonName)
      body.constructed(.sequence) { validity in
        validity.time(notBefore.wholeSeconds)
        validity.time(notAfter.wholeSeconds)
      }
      name(&body, commonName)
      body.whole(key.publicKey.derRepresentation)
      body.constructed(.constructed(3)) {
        $0.constructed(.sequence) { extensions in
          keyAgreementUsage(&extensions)
          extensions.constructed(.sequence) { identifier(&$0, of: key.publicKey.x963Representation) }
        }
      }
    }
    let signature = P256SigningKey(key).signature(for: body.bytes).derRepresentation
    var certificate = DERWriter(capacity: body.bytes.count + 128)
    certificate.constructed(.sequence) { certificate in
      certificate.whole(body.bytes)
      algorithm(&certificate)
      certificate.bitString(signature)
    }
    return certificate.bytes
  }

  private static func algorithm(_ writer: inout DERWriter) {
    writer.constructed(.sequence) { $0.objectIdentifier(ecdsaWithSHA256) }
  }

  /// A distinguished name of one attribute.
  private static func name(_ writer: inout DERWriter, _ text: String) {
    writer.constructed(.sequence) { names in
      names.constructed(.set) { set in
        set.constructed(.sequence) { attribute in
          attribute.objectIdentifier(commonName)
          attribute.primitive(.utf8String, text.utf8)
        }
      }
    }
  }

  /// subjectKeyIdentifier: SHA-1 of the point, which is also the hash by which a Mac remembers an unlock key (RFC 5280
  /// §4.2.1.2).
  private static func identifier(_ writer: inout DERWriter, of point: [UInt8]) {
    writer.objectIdentifier(subjectKeyIdentifier)
    writer.constructed(.octetString) { $0.primitive(.octetString, SHA1.hash(point)) }
  }

  /// keyUsage, critical: keyAgreement alone, bit 4 of a string whose last three bits are unused.
  private static func keyAgreementUsage(_ writer: inout DERWriter) {
    writer.constructed(.sequence) { usage in
      usage.objectIdentifier(keyUsage)
      usage.primitive(.boolean, [0xFF])
      usage.constructed(.octetString) { $0.primitive(.bitString, [0x03, 0x08]) }
    }
  }
}
