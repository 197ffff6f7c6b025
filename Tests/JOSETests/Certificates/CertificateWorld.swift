import JOSE
import PureCrypto
import PureJOSETestSupport

/// A root, an authority below it and a leaf, all with keys of their own.
struct CertificateWorld: Sendable {
  let rootKey: P384PrivateKey
  let authorityKey: P256PrivateKey
  let leafKey: P256PrivateKey
  let otherKey: P256PrivateKey
  var root: CertificateDraft
  var authority: CertificateDraft
  var leaf: CertificateDraft
  /// What is sent: changed by tests of the chain itself.
  var chain: @Sendable (CertificateWorld) -> [[UInt8]] = { [$0.leaf.certificate, $0.authority.certificate] }
  var roots: @Sendable (CertificateWorld) -> [[UInt8]] = { [$0.root.certificate] }
  /// 2026-07-01.
  var now = 1_782_864_000
  var purpose = CertificateTrust.Purpose.signature
  var extendedKeyUsage: String?

  /// Keys are made once: which they are is of no interest.
  static let shared = CertificateWorld(
    rootKey: P384PrivateKey(), authorityKey: P256PrivateKey(), leafKey: P256PrivateKey(), otherKey: P256PrivateKey())

  private init(
    rootKey: P384PrivateKey, authorityKey: P256PrivateKey, leafKey: P256PrivateKey, otherKey: P256PrivateKey
  ) {
    self.rootKey = rootKey
    self.authorityKey = authorityKey
    self.leafKey = leafKey
    self.otherKey = otherKey
    let byRoot = { @Sendable (body: [UInt8]) in rootKey.signature(for: body).derRepresentation }
    let byAuthority = { @Sendable (body: [UInt8]) in authorityKey.signature(for: body).derRepresentation }
    let identifiers = [
      DER.ext("2.5.29.14", DER.element(0x04, [1, 2, 3])),
      DER.ext("2.5.29.35", DER.element(0x30, DER.element(0x80, [4, 5]))),
    ]
    root = CertificateDraft(
      innerAlgorithm: Self.ecdsaSHA384, issuer: DER.name("Root"), subject: DER.name("Root"),
      publicKey: rootKey.publicKey.derRepresentation,
      extensions: [
        DER.authority(), DER.keyCertSign, DER.ext("2.5.29.14", DER.element(0x04, [4, 5])),
      ], sign: byRoot)
    authority = CertificateDraft(
      innerAlgorithm: Self.ecdsaSHA384, issuer: DER.name("Root"), subject: DER.name("Authority"),
      publicKey: authorityKey.publicKey.derRepresentation,
      extensions: [DER.authority(0), DER.keyCertSign] + identifiers,
      sign: byRoot)
    leaf = CertificateDraft(
      issuer: DER.name("Authority"), subject: DER.name("Leaf"), publicKey: leafKey.publicKey.derRepresentation,
      extensions: [
        DER.digitalSignature, DER.ext("2.5.29.35", DER.element(0x30, DER.element(0x80, [1, 2, 3]))),
        DER.ext("1.2.840.113635.100.8.11.1", [0xCA, 0xFE]),
      ], sign: byAuthority)
  }

  static let ecdsaSHA384 = DER.algorithm("1.2.840.10045.4.3.3")

  func trust() throws -> CertificateTrust {
    var trust = try CertificateTrust(roots: roots(self), purpose: purpose, clock: .fixed(at: NumericDate(now)))
    trust.extendedKeyUsage = extendedKeyUsage
    return trust
  }

  func validate() throws -> CertificateChain { try trust().validate(chain(self)) }

  /// A further authority between the two, of which the leaf's issuer is then an authority.
  func authority(
    named name: String, issuer: [UInt8]? = nil, key: P256PrivateKey? = nil, extensions: [[UInt8]]? = nil
  ) -> CertificateDraft {
    var draft = authority
    draft.issuer = issuer ?? authority.subject
    draft.subject = DER.name(name)
    draft.publicKey = (key ?? otherKey).publicKey.derRepresentation
    draft.innerAlgorithm = DER.ecdsaSHA256
    draft.extensions = extensions ?? [DER.authority(), DER.keyCertSign]
    let signer = authorityKey
    draft.sign = { signer.signature(for: $0).derRepresentation }
    return draft
  }
}
