import JOSE
import PlatformSSOKit
import PureCrypto

/// An authority of the administrator's own, which the examined server trusts in place of Apple's: only Macs get
/// attestations of Apple's.
struct AttestationAuthority: Sendable {
  /// In DER.
  let certificate: [UInt8]
  private let subject: [UInt8]
  private var keyIdentifier: [UInt8]?
  private let key: SigningKey

  /// An authority.
  ///
  /// - Parameters:
  ///   - certificate: in DER, of an authority on P-256.
  ///   - key: the private key of the certificate, for ES256.
  /// - Throws: `ErrorCode.certificateInvalid`; `ErrorCode.keyMismatch` for another key than the certificate's.
  init(certificate: [UInt8], key: SigningKey) throws(JOSEError) {
    let profile: X509Profile
    do {
      profile = try X509Profile(X509Certificate(derRepresentation: certificate), isAnchor: true)
    } catch {
      throw JOSEError(.certificateInvalid, "the authority's certificate can't be read")
    }
    guard profile.certificate.subjectPublicKeyInfo == key.subjectPublicKeyInfo else {
      throw JOSEError(.keyMismatch, "the authority's key must be the P-256 key of its certificate")
    }
    (self.certificate, subject, self.key) = (certificate, profile.certificate.subject, key)
    // 2.5.29.14, subjectKeyIdentifier: an OCTET STRING of less than 128 octets.
    let identifier = profile.extensions[DERObjectIdentifier(contents: [0x55, 0x1D, 0x0E])]
    keyIdentifier = identifier.flatMap { $0.count > 2 && $0[0] == 0x04 && $0[1] < 0x80 ? Array($0.dropFirst(2)) : nil }
  }

  /// Makes sure that a server that trusts this authority takes what it attests: a fault of the authority would be told
  /// as one of the server.
  ///
  /// - Throws: `ErrorCode.certificateInvalid`, with what is wrong as the error's name.
  func requireSound(clock: WallClock) throws(JOSEError) {
    let now = clock.now
    let sample = AttestationDraft(
      key: try .generate(.es256), nonce: nil, serialNumber: nil, udid: nil,
      validity: now.advanced(by: .seconds(-60))...now.advanced(by: .seconds(60)))
    let trust = try CertificateTrust(roots: [certificate], purpose: .attestation, clock: clock)
    _ = try trust.validate([certificate(for: sample)])
  }

  /// A new authority, valid for a day.
  ///
  /// - Parameter subject: its Name in DER; nil for a name of its own.
  static func generate(now: NumericDate, subject: [UInt8]? = nil) throws(JOSEError) -> AttestationAuthority {
    let key = try SigningKey.generate(.es256)
    let subject = subject ?? Certificate.name("Attestations for tests")
    let certificate = Certificate.signed(
      issuer: subject, subject: subject, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
      validity: now.advanced(by: .seconds(-86_400))...now.advanced(by: .seconds(86_400))
    ) {
      $0.constructed(.sequence) { constraints in
        // basicConstraints, critical: cA.
        constraints.objectIdentifier(DERObjectIdentifier(contents: [0x55, 0x1D, 0x13]))
        constraints.primitive(.boolean, [0xFF])
        constraints.constructed(.octetString) { $0.constructed(.sequence) { $0.primitive(.boolean, [0xFF]) } }
      }
      // keyCertSign, bit 5.
      Certificate.usage(&$0, [0x02, 0x04])
    } sign: {
      key.derSignature(for: $0)
    }
    return try AttestationAuthority(certificate: certificate, key: key)
  }

  /// Another authority that calls itself and its key as this one does.
  func impostor(now: NumericDate) throws(JOSEError) -> AttestationAuthority {
    var impostor = try AttestationAuthority.generate(now: now, subject: subject)
    impostor.keyIdentifier = keyIdentifier
    return impostor
  }

  /// The certificate of an attestation.
  func certificate(for attestation: AttestationDraft) -> [UInt8] {
    Certificate.signed(
      issuer: subject, subject: Certificate.name("attested key"),
      subjectPublicKeyInfo: attestation.key.subjectPublicKeyInfo, validity: attestation.validity
    ) { extensions in
      Certificate.usage(&extensions, Certificate.digitalSignature)
      if let keyIdentifier {
        extensions.constructed(.sequence) { identifier in
          // authorityKeyIdentifier: keyIdentifier.
          identifier.objectIdentifier(DERObjectIdentifier(contents: [0x55, 0x1D, 0x23]))
          identifier.constructed(.octetString) { value in
            value.constructed(.sequence) { $0.primitive(.primitive(0), keyIdentifier) }
          }
        }
      }
      for (identifier, value) in attestation.properties {
        guard let value, let identifier = DERObjectIdentifier(identifier) else { continue }
        extensions.constructed(.sequence) { property in
          property.objectIdentifier(identifier)
          property.primitive(.octetString, value)
        }
      }
    } sign: {
      key.derSignature(for: $0)
    }
  }
}

/// What an attestation says.
struct AttestationDraft {
  /// The attested key.
  var key: SigningKey
  /// The provider's nonce, whose hash the attestation was asked for with; nil for none.
  var nonce: String?
  var serialNumber: String?
  var udid: String?
  var validity: ClosedRange<NumericDate>

  fileprivate var properties: [(String, [UInt8]?)] {
    [
      (AttestedProperty.serialNumber, serialNumber.map { Array($0.utf8) }),
      (AttestedProperty.udid, udid.map { Array($0.utf8) }),
      (AttestedProperty.freshness, nonce.map { Array(SHA2.SHA256.hash(Array($0.utf8))) }),
    ]
  }
}
