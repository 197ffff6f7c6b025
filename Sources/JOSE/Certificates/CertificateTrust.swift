import PureCrypto

/// Which certificates a program trusts, and for what: the roots that it was given, and no others.
///
/// ```swift
/// let trust = try CertificateTrust(pemRoots: roots, purpose: .signature)
/// let chain = try trust.validate(UnverifiedJWS(parsing: token).unverifiedHeader)
/// let message = try JWS.verify(token, with: VerificationKey(chain.publicKey, algorithm: .es256))
/// ```
///
/// Validation is that of RFC 5280 §6.1 without policies, and stricter where the RFC leaves a choice: the chain comes
/// in order and leads to a root; names are equal as bytes; every certificate is of version 3, in strict DER, and valid
/// now, the root included; whatever is critical is understood; names are well-formed and within the constraints of all
/// authorities. Signatures are ECDSA on P-256, P-384, P-521 or secp256k1 and RSA (PKCS#1 v1.5 or PSS) with SHA-256,
/// SHA-384 or SHA-512, Ed25519, and ML-DSA.
///
/// **Revocation is not checked**: a caller that needs it asks the authority, for the certificates of the result.
/// Nothing is fetched.
///
/// Source: RFC 5280 §6.1.
public struct CertificateTrust: Sendable {
  /// What the key of the first certificate must be fit for.
  public enum Purpose: Sendable, CaseIterable {
    /// Anything: a keyUsage of the first certificate may list any use.
    case any
    /// Signatures: if there is a keyUsage, it has digitalSignature or contentCommitment.
    case signature
    /// A key that a device attests: on P-256, and signed all the way with ECDSA on P-256 or P-384. If there is a
    /// keyUsage, it has digitalSignature.
    case attestation
  }

  /// What the key must be fit for.
  package var purpose: Purpose

  /// The object identifier of a purpose that extKeyUsage of the first certificate must list, such as
  /// `1.3.6.1.5.5.7.3.8` for time stamps; nil asks for none. anyExtendedKeyUsage is not enough; of an authority with an
  /// extKeyUsage it is.
  public var extendedKeyUsage: String?

  /// The object identifier of an extension that the first certificate must have, where an authority marks by one what
  /// a key is for: `1.2.840.113635.100.6.11.1` of Apple's for the App Store; nil asks for none.
  public var requiredExtension: String?

  /// Whether the first certificate must name the issuer of the token that it comes with, where
  /// ``JWTVerifier/init(trust:algorithms:policy:)`` verifies one: `iss` as a URI in subjectAltName, or the host of an
  /// https `iss` as a DNS name without `*`. It need not unless set: any holder of a certificate speaks for any issuer
  /// that the policy accepts.
  public var namesIssuer = false

  /// The clock by which certificates are valid.
  public var clock: WallClock

  /// Bounds on the number of certificates and their octets.
  package var limits: Limits

  /// Why roots of the list are not trusted, one error for each. Its name says which root
  /// breaks which rule: `root[3].subjectPublicKeyInfo`.
  public let unusableRoots: [JOSEError]

  let anchors: [TrustAnchor]

  /// Trust in roots in DER.
  ///
  /// Of a root, its subject, key, dates and the extensions that limit it count, whatever form dates and keyUsage have;
  /// its own signature doesn't. One that can't be used, as with a
  /// key of a kind that is not supported, is left out, and ``unusableRoots`` says why: lists of roots that come with
  /// systems hold some.
  ///
  /// - Parameters:
  ///   - roots: at least one that can be used. A root of version 3 must be an authority by its own word.
  ///   - purpose: what the key of a validated chain must be fit for.
  ///   - clock: by which certificates, roots included, are valid.
  ///   - limits: bounds on what is validated.
  /// - Throws: ``ErrorCode/callerMisuse`` if there is no root, and the first of ``unusableRoots`` if no root can be
  ///   used: ``ErrorCode/certificateInvalid`` for one that is not an authority, has no key that is supported or is not
  ///   in strict DER.
  public init(
    roots: [[UInt8]], purpose: Purpose = .any, clock: WallClock = .system, limits: Limits = .default
  ) throws(JOSEError) {
    guard !roots.isEmpty else { throw JOSEError(.callerMisuse, "at least one trusted root is required", name: "roots") }
    var anchors: [TrustAnchor] = []
    var refusals: [JOSEError] = []
    for (index, root) in roots.enumerated() {
      do throws(JOSEError) {
        anchors.append(try TrustAnchor(root, at: index))
      } catch {
        refusals.append(error)
      }
    }
    if anchors.isEmpty, let refusal = refusals.first { throw refusal }
    self.anchors = anchors
    unusableRoots = refusals
    self.purpose = purpose
    self.clock = clock
    self.limits = limits
  }

  /// Trust in roots in PEM: one block `CERTIFICATE` or several.
  ///
  /// - Throws: ``ErrorCode/malformed`` if the text is not such PEM, ``ErrorCode/limitExceeded`` if there are
  ///   more than 256 blocks, and as ``init(roots:purpose:clock:limits:)``.
  public init(
    pemRoots text: String, purpose: Purpose = .any, clock: WallClock = .system, limits: Limits = .default
  ) throws(JOSEError) {
    try self.init(
      roots: try PEMBlock.certificates(text, maximumCount: 256), purpose: purpose, clock: clock, limits: limits)
  }

  /// Validates a chain in PEM: blocks `CERTIFICATE`, the first that of the key.
  ///
  /// - Throws: ``ErrorCode/malformed`` if the text is not such PEM, and as ``validate(_:)-([[UInt8]])``.
  public func validate(pemRepresentation text: String) throws(JOSEError) -> CertificateChain {
    try validate(try PEMBlock.certificates(text, maximumCount: limits.certificateCount))
  }

  /// Validates the `x5c` of a header. `x5t` and `x5t#S256`, where present, must be thumbprints of the first
  /// certificate.
  ///
  /// The header need not be verified yet: whether the key of the chain made the token is seen by verifying the token
  /// with it.
  /// - Throws: ``ErrorCode/headerInvalid`` if there is no `x5c` or it is malformed, and as
  ///   ``validate(_:)-([[UInt8]])``.
  public func validate(_ header: ProtectedHeader) throws(JOSEError) -> CertificateChain {
    guard try header.leafCertificate(limits: limits) != nil, let certificates = try header.certificates(limits: limits)
    else { throw JOSEError(.headerInvalid, "there are no certificates", name: "x5c") }
    return try validate(certificates)
  }

  /// Validates the `x5c` of a JWK, whose key must be that of the first certificate.
  ///
  /// - Throws: ``ErrorCode/keyInvalid`` if there is no `x5c` or it is malformed, ``ErrorCode/keyMismatch`` if
  ///   the certificate is for another key, and as ``validate(_:)-([[UInt8]])``.
  public func validate(_ key: JWK) throws(JOSEError) -> CertificateChain {
    guard try key.leafCertificate(limits: limits) != nil,
      let certificates = try LeafCertificate.certificates(
        of: key.otherMembers, refusedWith: .keyInvalid, limits: limits)
    else { throw JOSEError(.keyInvalid, "there are no certificates", name: "x5c") }
    return try validate(certificates)
  }
}
