import JOSE
import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport

/// An attestation as Apple's are made: a root on P-384, an authority on P-384, a leaf for an attested key on P-256;
/// every part of it a test may spoil.
struct AttestationWorld: Sendable {
  /// 2026-01-01, the fixture's time.
  static let now = Fixture.now
  static let nonce = "0f3a5c7e-1b2d-4e6f-8a9b-0c1d2e3f4a5b"
  static let otherKey = P256PrivateKey()

  private static let rootKey = P384PrivateKey()
  private static let authorityKey = P384PrivateKey()
  static let prefix = "1.2.840.113635.100.8."

  var root: CertificateDraft
  var authority: CertificateDraft
  var leaf: CertificateDraft
  var policyRoots: [[UInt8]]?
  var requiresDeviceIdentifiers = false
  var expectedSerialNumber: String?
  var expectedUDID: String?
  var expectedNonce = Self.nonce
  var registeredKey: [UInt8]
  /// What is sent, of leaf and authority.
  var chain: @Sendable (AttestationWorld) -> [[UInt8]] = { [$0.leaf.certificate, $0.authority.certificate] }

  /// - Parameters:
  ///   - point: the attested key.
  ///   - nonce: that the attestation is for.
  init(point: [UInt8]? = nil, nonce: String = Self.nonce) throws {
    let point = try point ?? VectorKeys.point("device-signing")
    registeredKey = point
    expectedNonce = nonce
    let ecdsaSHA384 = DER.algorithm("1.2.840.10045.4.3.3")
    let byRoot = { @Sendable (body: [UInt8]) in Self.rootKey.signature(for: body).derRepresentation }
    let byAuthority = { @Sendable (body: [UInt8]) in Self.authorityKey.signature(for: body).derRepresentation }
    let rootName = DER.name("Test Enterprise Attestation Root CA")
    let authorityName = DER.name("Test Enterprise Attestation Sub CA")
    root = CertificateDraft(
      innerAlgorithm: ecdsaSHA384, issuer: rootName, subject: rootName,
      publicKey: Self.rootKey.publicKey.derRepresentation, extensions: [DER.authority(), DER.keyCertSign], sign: byRoot)
    authority = CertificateDraft(
      innerAlgorithm: ecdsaSHA384, issuer: rootName, subject: authorityName,
      publicKey: Self.authorityKey.publicKey.derRepresentation, extensions: [DER.authority(0), DER.keyCertSign],
      sign: byRoot)
    leaf = CertificateDraft(
      innerAlgorithm: ecdsaSHA384, issuer: authorityName, subject: DER.name("attested key"),
      publicKey: try P256PublicKey(x963Representation: point).derRepresentation,
      extensions: [DER.digitalSignature], sign: byAuthority)
    for date in [\CertificateDraft.notBefore] {
      (root[keyPath: date], authority[keyPath: date]) = (DER.time("250101000000Z"), DER.time("250101000000Z"))
      leaf[keyPath: date] = DER.time("251231000000Z")
    }
    set("11.1", Array(SHA2.SHA256.hash(Array(nonce.utf8))))
    set("9.1", Array("C02ABC123".utf8))
    set("9.2", Array("00008103-0001".utf8))
  }

  /// Sets one of Apple's extensions of the leaf, or takes it away.
  mutating func set(_ tail: String, _ value: [UInt8]?) {
    let identifier = DER.identifier(Self.prefix + tail)
    leaf.extensions.removeAll { $0.dropFirst(2).starts(with: identifier) }
    if let value { leaf.extensions.append(DER.ext(Self.prefix + tail, value)) }
  }

  var certificates: [[UInt8]] { chain(self) }

  func policy(clock: WallClock = .fixed(at: Self.now)) throws -> AttestationPolicy {
    var policy = try AttestationPolicy(
      trust: CertificateTrust(roots: policyRoots ?? [root.certificate], purpose: .attestation, clock: clock))
    policy.requiresDeviceIdentifiers = requiresDeviceIdentifiers
    return policy
  }

  func verify() throws -> VerifiedAttestation {
    try policy().verify(
      certificates, of: RegisteredKey(x963Representation: registeredKey),
      clientDataHash: Array(SHA2.SHA256.hash(Array(expectedNonce.utf8))),
      serialNumber: expectedSerialNumber, udid: expectedUDID)
  }
}
