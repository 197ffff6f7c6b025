import JOSE
import PureCrypto

/// A certificate before it is signed, every part of which a test may spoil.
struct CertificateDraft: Sendable {
  var version: [UInt8]? = [2]
  var serialNumber: [UInt8] = [0x17]
  var innerAlgorithm = DER.ecdsaSHA256
  var outerAlgorithm: [UInt8]?
  var issuer: [UInt8]
  var subject: [UInt8]
  var notBefore = DER.time("260101000000Z")
  var notAfter = DER.time("270101000000Z")
  var publicKey: [UInt8]
  var uniqueIdentifier: [UInt8] = []
  /// Whole extensions.
  var extensions: [[UInt8]]
  /// The key that signs TBSCertificate.
  var sign: @Sendable ([UInt8]) -> [UInt8]
  /// Changes what is signed after it has been.
  var spoilBody: @Sendable (inout [UInt8]) -> Void = { _ in }
  var spoilSignature: @Sendable (inout [UInt8]) -> Void = { _ in }
  var spoilWhole: @Sendable (inout [UInt8]) -> Void = { _ in }

  var certificate: [UInt8] {
    var parts: [[UInt8]] = []
    if let version { parts.append(DER.element(0xA0, DER.element(0x02, version))) }
    parts += [DER.element(0x02, serialNumber), innerAlgorithm, issuer]
    parts += [DER.element(0x30, notBefore, notAfter), subject, publicKey, uniqueIdentifier]
    if !extensions.isEmpty { parts.append(DER.element(0xA3, DER.element(0x30, extensions.flatMap { $0 }))) }
    var body = DER.element(0x30, parts.flatMap { $0 })
    var signature = sign(body)
    spoilBody(&body)
    spoilSignature(&signature)
    var whole = DER.element(0x30, body, outerAlgorithm ?? innerAlgorithm, DER.element(0x03, [0], signature))
    spoilWhole(&whole)
    return whole
  }

  /// Replaces the extension 2.5.29.n, or takes it away.
  mutating func setExtension(_ number: UInt8, _ replacement: [UInt8]?) {
    extensions.removeAll { $0.dropFirst(2).starts(with: [0x06, 3, 0x55, 0x1D, number]) }
    if let replacement { extensions.append(replacement) }
  }
}

/// DER by hand, the illegal kinds included.
enum DER {
  static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap { $0 }
    let length: [UInt8] =
      contents.count < 0x80
      ? [UInt8(contents.count)]
      : contents.count < 0x100
        ? [0x81, UInt8(contents.count)] : [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
    return [tag] + length + contents
  }

  static func identifier(_ text: String) -> [UInt8] {
    element(0x06, DERObjectIdentifier(text)?.contents ?? [])
  }

  static func algorithm(_ text: String, _ parameters: [UInt8] = []) -> [UInt8] {
    element(0x30, identifier(text), parameters)
  }

  static let ecdsaSHA256 = algorithm("1.2.840.10045.4.3.2")
  static let null: [UInt8] = [0x05, 0]

  static func time(_ text: String) -> [UInt8] {
    element(text.utf8.count > 13 ? 0x18 : 0x17, Array(text.utf8))
  }

  static func name(_ text: String, tag: UInt8 = 0x0C) -> [UInt8] {
    element(0x30, relativeName("2.5.4.10", "Example") + relativeName("2.5.4.3", text, tag: tag))
  }

  static func relativeName(_ type: String, _ text: String, tag: UInt8 = 0x0C) -> [UInt8] {
    element(0x31, element(0x30, identifier(type), element(tag, Array(text.utf8))))
  }

  /// An extension; `critical` as the octets that stand for it.
  static func ext(_ identifier: String, critical: [UInt8] = [], _ value: [UInt8]) -> [UInt8] {
    element(0x30, self.identifier(identifier), critical, element(0x04, value))
  }

  static let critical: [UInt8] = [0x01, 1, 0xFF]

  static func basicConstraints(_ contents: [UInt8]) -> [UInt8] {
    ext("2.5.29.19", critical: critical, element(0x30, contents))
  }

  /// pathLen, if any, of an authority.
  static func authority(_ pathLength: UInt8? = nil) -> [UInt8] {
    basicConstraints(critical + (pathLength.map { [0x02, 1, $0] } ?? []))
  }

  static func keyUsage(_ bits: [UInt8]) -> [UInt8] { ext("2.5.29.15", critical: critical, element(0x03, bits)) }
  static let keyCertSign = keyUsage([1, 0x06])
  static let digitalSignature = keyUsage([7, 0x80])

  static func extendedKeyUsage(_ purposes: String...) -> [UInt8] {
    ext("2.5.29.37", element(0x30, purposes.flatMap(identifier)))
  }
}

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
