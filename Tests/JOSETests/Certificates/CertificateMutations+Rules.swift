import JOSE
import PureCrypto
import PureJOSETestSupport

extension CertificateMutationTests {
  static let extensions: [CertificateMutation] = [
    CertificateMutation("an authority without basicConstraints", "x5c[1].basicConstraints") {
      $0.authority.setExtension(19, nil)
    },
    CertificateMutation("an authority that doesn't say so", "x5c[1].basicConstraints") {
      $0.authority.setExtension(19, DER.basicConstraints([]))
    },
    CertificateMutation("cA FALSE written out", "x5c[1].basicConstraints") {
      $0.authority.setExtension(19, DER.basicConstraints([0x01, 1, 0]))
    },
    CertificateMutation("cA written as 01", "x5c[1].basicConstraints") {
      $0.authority.setExtension(19, DER.basicConstraints([0x01, 1, 1]))
    },
    CertificateMutation("a further authority below pathLen 0", "x5c[2].pathLenConstraint") { world in
      let below = world.authority(named: "Below")
      issueLeaf(from: below, in: &world)
    },
    CertificateMutation("a further authority below pathLen 1", "ok") { world in
      world.authority.setExtension(19, DER.authority(1))
      let below = world.authority(named: "Below")
      issueLeaf(from: below, in: &world)
    },
    CertificateMutation("a further authority below no pathLen", "ok") { world in
      world.authority.setExtension(19, DER.authority())
      let below = world.authority(named: "Below")
      issueLeaf(from: below, in: &world)
    },
    CertificateMutation("two authorities below a root with pathLen 1", "root[0].pathLenConstraint") { world in
      world.root.setExtension(19, DER.authority(1))
      world.authority.setExtension(19, DER.authority())
      let below = world.authority(named: "Below")
      issueLeaf(from: below, in: &world)
    },
    CertificateMutation("two authorities below a root with pathLen 2", "ok") { world in
      world.root.setExtension(19, DER.authority(2))
      world.authority.setExtension(19, DER.authority())
      let below = world.authority(named: "Below")
      issueLeaf(from: below, in: &world)
    },
    CertificateMutation("an authority below a root with pathLen 0", "root[0].pathLenConstraint") {
      $0.root.setExtension(19, DER.authority(0))
    },
    CertificateMutation("pathLen 0, and an authority that renewed its key", "ok") { world in
      let renewed = world.authority(named: "Authority")
      issueLeaf(from: renewed, in: &world)
    },
    CertificateMutation("a negative pathLen", "x5c[1].basicConstraints") {
      $0.authority.setExtension(19, DER.basicConstraints(DER.critical + [0x02, 1, 0xFF]))
    },
    CertificateMutation("a pathLen that is no authority's", "x5c[0].basicConstraints") {
      $0.leaf.extensions.append(DER.basicConstraints([0x02, 1, 0]))
    },
    CertificateMutation("a large pathLen", "ok") {
      $0.authority.setExtension(19, DER.basicConstraints(DER.critical + [0x02, 3, 1, 0, 0]))
    },
    CertificateMutation("a leaf as issuer", "x5c[1].basicConstraints") { world in
      // The first leaf, which is honest, signs a certificate for another key.
      let honest = world.leaf
      let key = world.leafKey
      var draft = world.leaf
      draft.issuer = honest.subject
      draft.subject = DER.name("Other")
      draft.publicKey = world.otherKey.publicKey.derRepresentation
      draft.setExtension(35, nil)
      draft.sign = { key.signature(for: $0).derRepresentation }
      let forged = draft.certificate
      world.chain = { [forged, honest.certificate, $0.authority.certificate] }
    },
    CertificateMutation("the first is an authority", "x5c[0].basicConstraints") {
      $0.leaf.extensions.append(DER.authority())
    },
    CertificateMutation("the first says that it is no authority", "ok") {
      $0.leaf.extensions.append(DER.basicConstraints([]))
    },
    CertificateMutation("an authority whose key signs no certificates", "x5c[1].keyUsage") {
      $0.authority.setExtension(15, DER.digitalSignature)
    },
    CertificateMutation("an authority without keyUsage", "ok") { $0.authority.setExtension(15, nil) },
    CertificateMutation("a key that doesn't sign", "x5c[0].keyUsage") {
      $0.leaf.setExtension(15, DER.keyUsage([4, 0x30]))
    },
    CertificateMutation("a key that doesn't sign, which nobody asked", "ok") {
      $0.leaf.setExtension(15, DER.keyUsage([4, 0x30]))
      $0.purpose = .any
    },
    CertificateMutation("a key that commits to contents", "ok") { $0.leaf.setExtension(15, DER.keyUsage([6, 0x40])) },
    CertificateMutation("a leaf without keyUsage", "ok") { $0.leaf.setExtension(15, nil) },
    CertificateMutation("a leaf whose key signs certificates", "x5c[0].keyUsage") {
      $0.leaf.setExtension(15, DER.keyUsage([2, 0x84]))
    },
    CertificateMutation("keyUsage without a bit", "x5c[0].keyUsage") { $0.leaf.setExtension(15, DER.keyUsage([0])) },
    CertificateMutation("keyUsage of zeros", "x5c[0].keyUsage") { $0.leaf.setExtension(15, DER.keyUsage([7, 0])) },
    CertificateMutation("keyUsage with zeros at its end", "x5c[0].keyUsage") {
      $0.leaf.setExtension(15, DER.keyUsage([0, 0x80]))
    },
    CertificateMutation("keyUsage with nine bits", "ok") { $0.leaf.setExtension(15, DER.keyUsage([7, 0x80, 0x80])) },
    CertificateMutation("keyUsage with too many octets", "x5c[0].keyUsage") {
      $0.leaf.setExtension(15, DER.keyUsage([0, 0x80, 0, 1]))
    },
    CertificateMutation("no extKeyUsage where one is asked for", "x5c[0].extKeyUsage") {
      $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
    },
    CertificateMutation("the extKeyUsage that is asked for", "ok") {
      $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
      $0.leaf.extensions.append(DER.extendedKeyUsage("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.8"))
    },
    CertificateMutation("another extKeyUsage", "x5c[0].extKeyUsage") {
      $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
      $0.leaf.extensions.append(DER.extendedKeyUsage("1.3.6.1.5.5.7.3.1"))
    },
    CertificateMutation("any extKeyUsage", "x5c[0].extKeyUsage") {
      $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
      $0.leaf.extensions.append(DER.extendedKeyUsage("2.5.29.37.0"))
    },
    CertificateMutation("an authority with another extKeyUsage", "x5c[1].extKeyUsage") {
      $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
      $0.leaf.extensions.append(DER.extendedKeyUsage("1.3.6.1.5.5.7.3.8"))
      $0.authority.extensions.append(DER.extendedKeyUsage("1.3.6.1.5.5.7.3.1"))
    },
    CertificateMutation("an authority with any extKeyUsage", "ok") {
      $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
      $0.leaf.extensions.append(DER.extendedKeyUsage("1.3.6.1.5.5.7.3.8"))
      $0.authority.extensions.append(DER.extendedKeyUsage("2.5.29.37.0"))
    },
    CertificateMutation("an empty extKeyUsage", "x5c[0].extKeyUsage") {
      $0.leaf.extensions.append(DER.extendedKeyUsage())
    },
    CertificateMutation("an unknown critical extension", "x5c[0].extensions") {
      $0.leaf.extensions.append(DER.ext("1.2.3.4", critical: DER.critical, [1]))
    },
    CertificateMutation("an unknown critical extension of the authority", "x5c[1].extensions") {
      $0.authority.extensions.append(DER.ext("1.2.3.4", critical: DER.critical, [1]))
    },
    CertificateMutation("an unknown extension", "ok") { $0.leaf.extensions.append(DER.ext("1.2.3.4", [1])) },
    CertificateMutation("an extension twice", "x5c[0].extensions") {
      $0.leaf.extensions += [DER.ext("1.2.3.4", [1]), DER.ext("1.2.3.4", [1])]
    },
    CertificateMutation("a known extension twice", "x5c[0].extensions") {
      $0.leaf.extensions.append(DER.digitalSignature)
    },
    CertificateMutation("critical FALSE written out", "x5c[0].extensions") {
      $0.leaf.extensions.append(DER.ext("1.2.3.4", critical: [0x01, 1, 0], [1]))
    },
    CertificateMutation("critical written as 01", "x5c[0].extensions") {
      $0.leaf.extensions.append(DER.ext("1.2.3.4", critical: [0x01, 1, 1], [1]))
    },
    CertificateMutation("64 extensions", "ok") { world in
      for number in world.leaf.extensions.count..<64 { world.leaf.extensions.append(DER.ext("1.2.3.\(number)", [])) }
    },
    CertificateMutation("65 extensions", "x5c[0].extensions") { world in
      for number in world.leaf.extensions.count..<65 { world.leaf.extensions.append(DER.ext("1.2.3.\(number)", [])) }
    },
    CertificateMutation("critical policyConstraints", "x5c[1].extensions") {
      $0.authority.extensions.append(
        DER.ext("2.5.29.36", critical: DER.critical, DER.element(0x30, DER.element(0x80, [0]))))
    },
    CertificateMutation("critical certificatePolicies", "ok") {
      $0.leaf.extensions.append(
        DER.ext("2.5.29.32", critical: DER.critical, DER.element(0x30, DER.element(0x30, DER.identifier("1.2.3")))))
    },
  ]

  /// The leaf is issued by `draft`, whose key is the world's other one, and which the authority has issued.
  private static func issueLeaf(from draft: CertificateDraft, in world: inout CertificateWorld) {
    let key = world.otherKey
    world.leaf.issuer = draft.subject
    world.leaf.setExtension(35, nil)
    world.leaf.sign = { key.signature(for: $0).derRepresentation }
    let between = draft.certificate
    world.chain = { [$0.leaf.certificate, between, $0.authority.certificate] }
  }

  static let encoding: [CertificateMutation] = [
    CertificateMutation("an authority of version 1", "x5c[1].version") {
      $0.authority.version = nil
      $0.authority.extensions = []
    },
    CertificateMutation("version 1 with extensions", "x5c[0].encoding") { $0.leaf.version = nil },
    CertificateMutation("version 4", "x5c[0].encoding") { $0.leaf.version = [3] },
    CertificateMutation("version 1 written out", "x5c[0].encoding") { $0.leaf.version = [0] },
    CertificateMutation("serial number 0", "x5c[0].serialNumber") { $0.leaf.serialNumber = [0] },
    CertificateMutation("a negative serial number", "x5c[0].serialNumber") { $0.leaf.serialNumber = [0x80] },
    CertificateMutation("a serial number of 20 octets", "ok") {
      $0.leaf.serialNumber = [UInt8](repeating: 0x7F, count: 20)
    },
    CertificateMutation("a serial number of 21 octets", "x5c[0].serialNumber") {
      $0.leaf.serialNumber = [UInt8](repeating: 0x7F, count: 21)
    },
    CertificateMutation("a serial number that is not minimal", "x5c[0].serialNumber") {
      $0.leaf.serialNumber = [0, 1]
    },
    CertificateMutation("a unique identifier", "x5c[0].uniqueIdentifier") {
      $0.leaf.uniqueIdentifier = DER.element(0x81, [0, 1])
    },
    CertificateMutation("an indefinite length", "x5c[0].encoding") {
      $0.leaf.spoilWhole = { $0 = [0x30, 0x80] + $0.dropFirst(4) + [0, 0] }
    },
    CertificateMutation("a length that is not minimal", "x5c[0].encoding") {
      $0.leaf.spoilWhole = { $0 = [0x30, 0x83, 0] + $0.dropFirst(2) }
    },
    CertificateMutation("an octet after the certificate", "x5c[0].encoding") { $0.leaf.spoilWhole = { $0.append(0) } },
    CertificateMutation("an octet too few", "x5c[0].encoding") { $0.leaf.spoilWhole = { $0.removeLast() } },
    CertificateMutation("PEM instead of DER", "x5c[0].encoding") {
      $0.leaf.spoilWhole = { whole in
        guard let certificate = try? LeafCertificate(derRepresentation: whole) else { return }
        whole = Array(certificate.pemRepresentation.utf8)
      }
    },
    CertificateMutation("a signature with unused bits", "x5c[0].encoding") {
      $0.leaf.spoilWhole = { whole in
        // 03 len 00 30 …: the octet before the signature's SEQUENCE.
        guard
          let index = whole.indices.last(where: {
            $0 > 1 && whole[$0] == 0 && whole[$0 - 1] == whole.count - $0 && whole[$0 - 2] == 3
          })
        else { return whole = [] }
        whole[index] = 1
      }
    },
    CertificateMutation("a curve that is written out", "x5c[0].subjectPublicKeyInfo") { world in
      world.leaf.publicKey = ellipticCurveKey(
        DER.element(0x30, [0x02, 1, 1]), world.leafKey.publicKey.x963Representation)
    },
    CertificateMutation("a compressed point", "x5c[0].subjectPublicKeyInfo") { world in
      let key = world.leafKey.publicKey
      world.leaf.publicKey = ellipticCurveKey(DER.identifier("1.2.840.10045.3.1.7"), key.compressedRepresentation)
    },
    CertificateMutation("a point that is not on the curve", "x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey[$0.leaf.publicKey.count - 1] ^= 1
    },
    CertificateMutation("brainpoolP256r1", "x5c[0].subjectPublicKeyInfo") { world in
      let point = world.leafKey.publicKey.x963Representation
      world.leaf.publicKey = ellipticCurveKey(DER.identifier("1.3.36.3.3.2.8.1.1.7"), point)
    },
    CertificateMutation("a point of P-256 on secp256k1", "x5c[0].subjectPublicKeyInfo") { world in
      let point = world.leafKey.publicKey.x963Representation
      world.leaf.publicKey = ellipticCurveKey(DER.identifier("1.3.132.0.10"), point)
    },
    CertificateMutation("an RSA modulus of 1024 bits", "x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey = rsaKey([UInt8](repeating: 0xFF, count: 128), [1, 0, 1])
    },
    CertificateMutation("an RSA modulus that is even", "x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey = rsaKey([UInt8](repeating: 0xFE, count: 256), [1, 0, 1])
    },
    CertificateMutation("an RSA exponent of 1", "x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey = rsaKey([UInt8](repeating: 0xFF, count: 256), [1])
    },
    CertificateMutation("an RSA exponent of 3", "x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey = rsaKey([UInt8](repeating: 0xFF, count: 256), [3])
    },
    CertificateMutation("an RSA exponent of 65537", "ok") {
      $0.leaf.publicKey = rsaKey([UInt8](repeating: 0xFF, count: 256), [1, 0, 1])
    },
    CertificateMutation("an RSA key without NULL", "x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey = rsaKey([UInt8](repeating: 0xFF, count: 256), [1, 0, 1], parameters: [])
    },
  ]

  /// The world's root as another root has certified it.
  private static func crossSigned(in world: CertificateWorld) -> CertificateDraft {
    let key = world.otherKey
    var edition = world.root
    edition.serialNumber = [0x44]
    edition.issuer = DER.name("Older")
    edition.innerAlgorithm = DER.ecdsaSHA256
    edition.sign = { key.signature(for: $0).derRepresentation }
    return edition
  }

  private static func ellipticCurveKey(_ parameters: [UInt8], _ point: [UInt8]) -> [UInt8] {
    DER.element(0x30, DER.algorithm("1.2.840.10045.2.1", parameters), DER.element(0x03, [0], point))
  }

  private static func rsaKey(_ modulus: [UInt8], _ exponent: [UInt8], parameters: [UInt8] = DER.null) -> [UInt8] {
    let key = DER.element(0x30, DER.element(0x02, [0], modulus), DER.element(0x02, exponent))
    return DER.element(0x30, DER.algorithm("1.2.840.113549.1.1.1", parameters), DER.element(0x03, [0], key))
  }

  static let chains: [CertificateMutation] = [
    CertificateMutation("the wrong way round", "x5c[0].basicConstraints") {
      $0.chain = { [$0.authority.certificate, $0.leaf.certificate] }
    },
    CertificateMutation("without the authority", "x5c[0].issuer") { $0.chain = { [$0.leaf.certificate] } },
    CertificateMutation("no certificate", "x5c") { $0.chain = { _ in [] } },
    CertificateMutation("an empty certificate", "x5c[0].encoding") { $0.chain = { _ in [[]] } },
    CertificateMutation("the leaf twice", "x5c[0].issuer") {
      $0.chain = { [$0.leaf.certificate, $0.leaf.certificate, $0.authority.certificate] }
    },
    CertificateMutation("a certificate that has nothing to do with it", "ok") {
      $0.chain = { [$0.leaf.certificate, $0.authority.certificate, $0.authority(named: "Unrelated").certificate] }
    },
    CertificateMutation("what is no certificate behind the last that counts", "ok") {
      $0.chain = { [$0.leaf.certificate, $0.authority.certificate, [1, 2, 3], []] }
    },
    CertificateMutation("what is no certificate between two that count", "x5c[1].encoding") {
      $0.chain = { [$0.leaf.certificate, [1, 2, 3], $0.authority.certificate] }
    },
    CertificateMutation("a chain without a root, and the root behind it", "x5c[1].issuer") { world in
      world.leaf.issuer = DER.name("Somebody")
      world.authority.subject = DER.name("Somebody")
      world.authority.issuer = DER.name("Nobody")
      world.chain = { [$0.leaf.certificate, $0.authority.certificate, $0.root.certificate] }
    },
    CertificateMutation("the root that another root has certified at the end", "ok") { world in
      let edition = crossSigned(in: world)
      world.chain = { [$0.leaf.certificate, $0.authority.certificate, edition.certificate] }
    },
    CertificateMutation("the root as another root has certified it, and that root", "ok") { world in
      let edition = crossSigned(in: world)
      let other = world.authority(named: "Older", key: world.otherKey).certificate
      world.chain = { [$0.leaf.certificate, $0.authority.certificate, edition.certificate, other] }
    },
    CertificateMutation("an earlier edition of the root, expired and signed with SHA-1", "ok") { world in
      var edition = world.root
      edition.serialNumber = [0x44]
      edition.innerAlgorithm = DER.algorithm("1.2.840.113549.1.1.5", DER.null)
      edition.notAfter = DER.time("260101000001Z")
      let certificate = edition.certificate
      world.chain = { [$0.leaf.certificate, $0.authority.certificate, certificate] }
    },
    CertificateMutation("an identifier that means another edition of the root", "ok") { world in
      world.authority.setExtension(35, authorityKeyIdentifier(issuer: DER.name("Older"), serial: [0x44]))
    },
    CertificateMutation("a root that was renewed with another key, which the old one certifies", "ok") { world in
      // The authority is issued by a root of the same name that is not trusted itself.
      let key = world.otherKey
      var renewed = world.authority(named: "Root", issuer: DER.name("Root"))
      renewed.innerAlgorithm = CertificateWorld.ecdsaSHA384
      renewed.sign = world.root.sign
      world.authority.setExtension(35, nil)
      world.authority.innerAlgorithm = DER.ecdsaSHA256
      world.authority.sign = { key.signature(for: $0).derRepresentation }
      let certificate = renewed.certificate
      world.chain = { [$0.leaf.certificate, $0.authority.certificate, certificate] }
    },
    CertificateMutation("the root at the end", "ok") {
      let root = $0.root.certificate
      $0.roots = { _ in [root] }
      $0.chain = { [$0.leaf.certificate, $0.authority.certificate, root] }
    },
    CertificateMutation("a root with the same name and another key at the end", "ok") { world in
      var other = world.authority(named: "Root", issuer: DER.name("Root"))
      other.setExtension(35, DER.ext("2.5.29.35", DER.element(0x30, DER.element(0x80, [9]))))
      world.authority.setExtension(35, nil)
      let certificate = other.certificate
      world.chain = { [$0.leaf.certificate, $0.authority.certificate, certificate] }
    },
    CertificateMutation("a whole chain from another root of the same name", "x5c[1].signature") { world in
      let key = world.otherKey
      world.authority.innerAlgorithm = DER.ecdsaSHA256
      world.authority.sign = { key.signature(for: $0).derRepresentation }
    },
    CertificateMutation("a root of that name beside the right one", "ok") { world in
      let other = world.authority(named: "Root", issuer: DER.name("Root")).certificate
      world.roots = { [other, $0.root.certificate] }
    },
    CertificateMutation("a leaf that signs itself", "x5c[0].issuer") { world in
      let key = world.leafKey
      world.leaf.issuer = world.leaf.subject
      world.leaf.sign = { key.signature(for: $0).derRepresentation }
      world.chain = { [$0.leaf.certificate] }
    },
    CertificateMutation("the root as leaf", "x5c[0].trust") { world in
      let root = world.root.certificate
      world.roots = { _ in [root] }
      world.chain = { _ in [root] }
    },
    CertificateMutation("another edition of the root as leaf", "x5c[0].trust") { world in
      let edition = crossSigned(in: world)
      world.chain = { [edition.certificate, $0.root.certificate] }
    },
    CertificateMutation("a root that is no authority", "root[0].basicConstraints") { $0.root.setExtension(19, nil) },
    CertificateMutation("a root whose key signs no certificates", "root[0].keyUsage") {
      $0.root.setExtension(15, DER.digitalSignature)
    },
    CertificateMutation("a root of version 1", "ok") {
      $0.root.version = nil
      $0.root.extensions = []
    },
    CertificateMutation("a root with serial number 0 and a signature of nobody", "ok") {
      $0.root.serialNumber = [0]
      $0.root.spoilSignature = { $0[9] ^= 1 }
    },
    CertificateMutation("a root signed with SHA-1", "ok") {
      $0.root.innerAlgorithm = DER.algorithm("1.2.840.113549.1.1.5", DER.null)
    },
    CertificateMutation("a root signed with what is unknown", "ok") {
      $0.root.innerAlgorithm = DER.algorithm("1.2.3.4")
    },
    CertificateMutation("a root that another one has issued, and that has a unique identifier", "ok") {
      $0.root.issuer = DER.element(0x30)
      $0.root.uniqueIdentifier = DER.element(0x81, [0, 1])
    },
    CertificateMutation("two authorities that certify each other", "x5c[3].subject") { world in
      // Leaf, A by B, B by A, A by the root: A comes back.
      let (a, b) = (world.authorityKey, world.otherKey)
      var aByB = world.authority(named: "Authority", issuer: DER.name("B"), key: a)
      aByB.sign = { b.signature(for: $0).derRepresentation }
      aByB.extensions.append(DER.ext("2.5.29.14", DER.element(0x04, [1, 2, 3])))
      let bByA = world.authority(named: "B", key: b)
      world.authority.setExtension(19, DER.authority())
      let between = [aByB.certificate, bByA.certificate]
      world.chain = { [$0.leaf.certificate] + between + [$0.authority.certificate] }
    },
    CertificateMutation("an attested key", "ok") { $0.purpose = .attestation },
    CertificateMutation("an attested key that only commits to contents", "x5c[0].keyUsage") {
      $0.purpose = .attestation
      $0.leaf.setExtension(15, DER.keyUsage([6, 0x40]))
    },
    CertificateMutation("an attested key on P-384", "x5c[0].subjectPublicKeyInfo") {
      $0.purpose = .attestation
      $0.leaf.publicKey = $0.rootKey.publicKey.derRepresentation
    },
  ]
}
