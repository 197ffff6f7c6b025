import JOSE
import PureCrypto

extension FuzzTarget {
  static let certificateTargets = [certificateChain]

  /// A chain of two whose signatures are made here, so that mutation reaches what comes after them. The first two
  /// octets of the input are the length of the leaf's TBSCertificate, which follows; the rest is the authority's.
  private static let certificateChain = FuzzTarget(
    "certificate-chain", maximumByteCount: 1024,
    dictionary: [
      "\u{06}\u{03}\u{55}\u{1D}\u{13}", "\u{06}\u{03}\u{55}\u{1D}\u{0F}", "\u{06}\u{03}\u{55}\u{1D}\u{23}",
      "\u{06}\u{03}\u{55}\u{1D}\u{11}", "\u{06}\u{03}\u{55}\u{1D}\u{25}", "\u{06}\u{03}\u{55}\u{1D}\u{1E}",
      "\u{01}\u{01}", "\u{02}\u{01}\u{00}", "270230000000Z", "20490101000000Z", "\u{30}\u{00}", "\u{31}\u{00}",
    ],
    seeds: { _ in
      try CertificateParts.purposes.flatMap { usage in
        try [false, true].map { try CertificateParts.seed(usage: usage, isLeafAuthority: $0) }
      }
    },
    run: { input in
      guard let (leaf, authority) = CertificateParts.split(input) else { return false }
      let keys = try CertificateParts.keys()
      let chain = [
        CertificateParts.signed(leaf, by: keys.authority), CertificateParts.signed(authority, by: keys.root),
      ]
      var accepted = false
      for purpose in CertificateTrust.Purpose.allCases {
        let trust = try CertificateParts.trust(purpose)
        guard let validated = try? trust.validate(chain) else { continue }
        accepted = true
        try require(validated.certificates == chain, "the chain is what was validated")
        try require(validated.validity.contains(CertificateParts.now), "all of it is valid now")
        let certificate = try LeafCertificate(derRepresentation: chain[0])
        try require(certificate.isFor(validated.publicKey), "the key is the leaf's")
        // What one signature covers is nobody else's to change, and the other key's word is worth nothing.
        let forged = [CertificateParts.signed(leaf, by: keys.root), chain[1]]
        try require((try? trust.validate(forged)) == nil, "another key's signature is refused")
        try require((try? trust.validate([chain[0]])) == nil, "the authority is needed")
        try require((try? trust.validate(chain.reversed())) == nil, "the order is fixed")
        var spoiled = chain
        spoiled[0][chain[0].count - 1] ^= 1
        try require((try? trust.validate(spoiled)) == nil, "a changed signature is refused")
      }
      return accepted
    })
}

/// What the target signs, and with what.
private enum CertificateParts {
  static let now = NumericDate(1_782_864_000)

  static func keys() throws -> (root: P256PrivateKey, authority: P256PrivateKey, leaf: P256PrivateKey) {
    func key(_ octet: UInt8) throws -> P256PrivateKey {
      try P256PrivateKey(rawRepresentation: [UInt8](repeating: octet, count: 32))
    }
    return (try key(1), try key(2), try key(3))
  }

  static func trust(_ purpose: CertificateTrust.Purpose) throws -> CertificateTrust {
    let keys = try keys()
    let root = body(
      "Root", by: "Root", key: keys.root, isAuthority: true,
      extensions: [authorityExtension, usageExtension([1, 0x06])])
    return try CertificateTrust(roots: [signed(root, by: keys.root)], purpose: purpose, clock: .fixed(at: now))
  }

  /// keyUsage of the leaf: for signatures, for key agreement, for contents.
  static let purposes: [[UInt8]] = [[7, 0x80], [3, 0x08], [6, 0xC0]]

  static func seed(usage: [UInt8], isLeafAuthority: Bool) throws -> [UInt8] {
    let keys = try keys()
    let leaf = body(
      "Leaf", by: "Authority", key: keys.leaf, isAuthority: isLeafAuthority,
      extensions: [usageExtension(usage), identifierExtension] + (isLeafAuthority ? [authorityExtension] : []))
    let authority = body(
      "Authority", by: "Root", key: keys.authority, isAuthority: true,
      extensions: [authorityExtension, usageExtension([1, 0x06])])
    return [UInt8(leaf.count >> 8), UInt8(leaf.count & 0xFF)] + leaf + authority
  }

  static func split(_ input: [UInt8]) -> (leaf: [UInt8], authority: [UInt8])? {
    guard input.count > 2 else { return nil }
    let count = Int(input[0]) << 8 | Int(input[1])
    guard count <= input.count - 2 else { return nil }
    return (Array(input[2..<(2 + count)]), Array(input[(2 + count)...]))
  }

  static func signed(_ body: [UInt8], by key: P256PrivateKey) -> [UInt8] {
    var writer = DERWriter(capacity: body.count + 128)
    writer.constructed(.sequence) { certificate in
      certificate.whole(body)
      algorithm(&certificate)
      certificate.bitString(key.signature(for: body).derRepresentation)
    }
    return writer.bytes
  }

  private static func algorithm(_ writer: inout DERWriter) {
    writer.constructed(.sequence) {
      $0.objectIdentifier(DERObjectIdentifier(contents: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
    }
  }

  private static func body(
    _ subject: String, by issuer: String, key: P256PrivateKey, isAuthority: Bool, extensions: [[UInt8]]
  ) -> [UInt8] {
    var writer = DERWriter(capacity: 512)
    writer.constructed(.sequence) { body in
      body.constructed(.constructed(0)) { $0.primitive(.integer, [2]) }
      body.primitive(.integer, [0x17])
      algorithm(&body)
      name(&body, issuer)
      body.constructed(.sequence) { validity in
        validity.time(1_767_225_600)
        validity.time(1_798_761_600)
      }
      name(&body, subject)
      body.whole(key.publicKey.derRepresentation)
      body.constructed(.constructed(3)) { list in
        list.constructed(.sequence) { list in for element in extensions { list.whole(element) } }
      }
    }
    return writer.bytes
  }

  private static func name(_ writer: inout DERWriter, _ text: String) {
    writer.constructed(.sequence) { names in
      names.constructed(.set) { set in
        set.constructed(.sequence) { attribute in
          attribute.objectIdentifier(DERObjectIdentifier(contents: [0x55, 0x04, 0x03]))
          attribute.primitive(.utf8String, text.utf8)
        }
      }
    }
  }

  /// basicConstraints, cA.
  private static let authorityExtension: [UInt8] = [
    0x30, 0x0F, 6, 3, 0x55, 0x1D, 0x13, 1, 1, 0xFF, 4, 5, 0x30, 3, 1, 1, 0xFF,
  ]

  /// subjectKeyIdentifier.
  private static let identifierExtension: [UInt8] = [0x30, 0x0B, 6, 3, 0x55, 0x1D, 0x0E, 4, 4, 4, 2, 1, 2]

  private static func usageExtension(_ bits: [UInt8]) -> [UInt8] {
    [0x30, 0x0E, 6, 3, 0x55, 0x1D, 0x0F, 1, 1, 0xFF, 4, 4, 3, 2] + bits
  }
}
