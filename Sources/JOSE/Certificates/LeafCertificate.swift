import PureCrypto
import StrictJSON

/// The first certificate of an `x5c`: its sender claims that the key is theirs.
///
/// Only the public key is read, by strict DER. **Nothing is validated**: neither the chain nor any signature, time,
/// name or extension, so the certificate proves nothing. It becomes useful when its key is compared with one that is
/// trusted already, or when the program validates the chain by other means.
///
/// Source: RFC 7515 §4.1.6 to §4.1.8, RFC 7517 §4.7 to §4.9.
public struct LeafCertificate: Sendable {
  /// The certificate in DER.
  public let derRepresentation: [UInt8]

  /// The subject's public key, without metadata.
  public let publicKey: JWK

  /// Reads a certificate in DER.
  ///
  /// - Throws: ``ErrorCode/malformed`` if the octets are not a certificate in strict DER, and what
  ///   ``JWK/init(derRepresentation:keyID:)`` throws for its key.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(JOSEError) {
    guard let certificate = try? X509Certificate(derRepresentation: bytes) else {
      throw JOSEError(.malformed, "not a certificate in DER", name: "x5c")
    }
    do throws(CryptoError) {
      publicKey = JWK(.publicKey(try PublicKey(derRepresentation: certificate.subjectPublicKeyInfo)))
    } catch {
      throw JOSEError(keyFile: error)
    }
    derRepresentation = Array(bytes)
  }

  /// Reads a certificate in PEM: one block with the label `CERTIFICATE`.
  ///
  /// - Throws: as ``init(derRepresentation:)``.
  public init(pemRepresentation text: String) throws(JOSEError) {
    let blocks: [PEMBlock]
    do throws(CryptoError) {
      blocks = try PEMBlock.all(text, label: .certificate, maximumCount: 1)
    } catch {
      throw JOSEError(
        .malformed,
        error.code == .lengthLimitExceeded
          ? "one certificate is read here: give the first of the chain, or validate all by CertificateTrust"
          : "not PEM of a certificate: JWK(pemRepresentation:) reads a key", name: "x5c")
    }
    try self.init(derRepresentation: blocks[0].contents.unwipedOctets)
  }

  /// The certificate in PEM.
  public var pemRepresentation: String {
    PEMBlock(label: .certificate, contents: SecretBytes(copying: derRepresentation)).text
  }

  /// `x5t`: the SHA-1 digest of the certificate in base64url. A name, which says nothing about authenticity:
  /// certificates can be made to collide.
  public var sha1Thumbprint: String { Base64URL.encode(SHA1.hash(derRepresentation)) }

  /// `x5t#S256`: the SHA-256 digest of the certificate in base64url.
  public var sha256Thumbprint: String { Base64URL.encode(SHA2.SHA256.hash(derRepresentation)) }

  /// Whether the certificate's key is this one. Only the public key counts, not the metadata.
  public func isFor(_ key: JWK) -> Bool {
    guard let publicKey = key.publicKey else { return false }
    return publicKey.thumbprintInput == self.publicKey.thumbprintInput
  }

  /// The first certificate of a header or JWK, or nil if there is no `x5c`.
  ///
  /// - Throws: ``ErrorCode/malformed``, ``ErrorCode/limitExceeded``; with `code` if a thumbprint beside it is
  ///   another certificate's.
  init?(
    of object: JSONObject, refusedWith code: ErrorCode, limits: Limits
  ) throws(JOSEError) {
    guard let certificates = try Self.certificates(of: object, refusedWith: code, limits: limits) else { return nil }
    try self.init(derRepresentation: certificates[0])
    for (name, thumbprint) in [("x5t", sha1Thumbprint), ("x5t#S256", sha256Thumbprint)] {
      guard let value = object[name] else { continue }
      guard value == .string(thumbprint) else {
        throw JOSEError(code, "the thumbprint is not that of the certificate", name: name)
      }
    }
  }

  /// The certificates of `x5c` in DER, at least one, or nil if there is no such member.
  static func certificates(
    of object: JSONObject, refusedWith code: ErrorCode, limits: Limits
  ) throws(JOSEError) -> [[UInt8]]? {
    guard let value = object["x5c"] else { return nil }
    let invalid = JOSEError(code, "not an array of base64 strings", name: "x5c")
    guard case .array(let entries) = value, !entries.isEmpty else { throw invalid }
    guard entries.count <= limits.certificateCount else {
      throw JOSEError(.limitExceeded, "too many certificates", name: "certificateCount")
    }
    var certificates: [[UInt8]] = []
    for entry in entries {
      guard case .string(let text) = entry, let certificate = try? Base64.decode(text) else { throw invalid }
      certificates.append(certificate)
    }
    return certificates
  }
}

extension ProtectedHeader {
  /// `x5c`: certificates in DER, the signer's first. They prove nothing until their chain has been validated; nothing
  /// here does that.
  ///
  /// - Throws: ``ErrorCode/headerInvalid`` if the parameter is not an array of padded base64 strings,
  ///   ``ErrorCode/limitExceeded`` if there are too many.
  public func certificates(limits: Limits = .default) throws(JOSEError) -> [[UInt8]]? {
    try LeafCertificate.certificates(of: parameters, refusedWith: .headerInvalid, limits: limits)
  }

  /// The first certificate of `x5c`, or nil if there is none. `x5t` and `x5t#S256`, where present, must be its
  /// thumbprints.
  ///
  /// The certificate is what the sender says; see ``LeafCertificate``. Of a verified token, use
  /// ``VerifiedJWS/leafCertificate(limits:)``.
  /// - Throws: ``ErrorCode/headerInvalid``, ``ErrorCode/limitExceeded``, and as
  ///   ``LeafCertificate/init(derRepresentation:)``.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    try LeafCertificate(of: parameters, refusedWith: .headerInvalid, limits: limits)
  }

  /// The certificate of `x5c`, which must be one for the key that verified the message.
  fileprivate func leafCertificate(for key: VerificationKey, limits: Limits) throws(JOSEError) -> LeafCertificate? {
    guard let certificate = try leafCertificate(limits: limits) else { return nil }
    guard let jwk = key.publicJWK, certificate.isFor(jwk) else {
      throw JOSEError(.keyMismatch, "the certificate is for another key than the one that verified", name: "x5c")
    }
    return certificate
  }
}

extension VerifiedJWS {
  /// The first certificate of the header's `x5c`, or nil if there is none. Its key is the one that verified the
  /// signature.
  ///
  /// Its chain has not been validated; see ``LeafCertificate``.
  /// - Throws: ``ErrorCode/keyMismatch`` if the certificate is for another key, and as
  ///   ``ProtectedHeader/leafCertificate(limits:)``.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    try header.leafCertificate(for: key, limits: limits)
  }
}

extension VerifiedJWT {
  /// The first certificate of the header's `x5c`; see ``VerifiedJWS/leafCertificate(limits:)``.
  ///
  /// - Throws: as that method.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    try header.leafCertificate(for: key, limits: limits)
  }
}

extension JWK {
  /// The first certificate of the member `x5c`, or nil if there is none. Its key is this one, and `x5t` and `x5t#S256`,
  /// where present, are its thumbprints.
  ///
  /// Reading a JWK looks at none of these members, since nothing here trusts them: many keys live longer than their
  /// certificates.
  /// - Throws: ``ErrorCode/keyInvalid`` if `x5c` or a thumbprint is wrong, ``ErrorCode/keyMismatch`` if the
  ///   certificate is for another key, ``ErrorCode/limitExceeded``, and as
  ///   ``LeafCertificate/init(derRepresentation:)``.
  public func leafCertificate(limits: Limits = .default) throws(JOSEError) -> LeafCertificate? {
    guard let certificate = try LeafCertificate(of: otherMembers, refusedWith: .keyInvalid, limits: limits) else {
      return nil
    }
    guard certificate.isFor(self) else {
      throw JOSEError(.keyMismatch, "the certificate is for another key", name: "x5c")
    }
    return certificate
  }
}
