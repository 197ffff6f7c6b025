import JOSE
import PureCrypto

extension FuzzTarget {
  static let certificateTargets = [
    certificateChain("certificate-chain", root: .p256), certificateChain("ml-dsa-certificate-chain", root: .mlDSA),
  ]

  /// A chain of two whose signatures are made here, so that mutation reaches what comes after them. The first two
  /// octets of the input are the length of the leaf's TBSCertificate, which follows; the rest is the authority's.
  /// ML-DSA-44 is the root's alone, whose key and signature stand in no input: they would fill it.
  private static func certificateChain(_ name: String, root: CertificateParts.Root) -> FuzzTarget {
    FuzzTarget(
      name, maximumByteCount: 1024,
      dictionary: [
        "\u{06}\u{03}\u{55}\u{1D}\u{13}", "\u{06}\u{03}\u{55}\u{1D}\u{0F}", "\u{06}\u{03}\u{55}\u{1D}\u{23}",
        "\u{06}\u{03}\u{55}\u{1D}\u{11}", "\u{06}\u{03}\u{55}\u{1D}\u{25}", "\u{06}\u{03}\u{55}\u{1D}\u{1E}",
        "\u{01}\u{01}", "\u{02}\u{01}\u{00}", "270230000000Z", "20490101000000Z", "\u{30}\u{00}", "\u{31}\u{00}",
      ],
      seeds: { _ in
        let parts = try CertificateParts(root)
        return CertificateParts.purposes.flatMap { usage in
          [false, true].map { parts.seed(usage: usage, isLeafAuthority: $0) }
        }
      },
      run: { input in
        guard let (leaf, authority) = CertificateParts.split(input) else { return false }
        let parts = try CertificateParts(root)
        let chain = [try parts.authority.certificate(leaf), try parts.root.certificate(authority)]
        var accepted = false
        for purpose in CertificateTrust.Purpose.allCases {
          let trust = try parts.trust(purpose)
          guard let validated = try? trust.validate(chain) else { continue }
          accepted = true
          try require(validated.certificates == chain, "the chain is what was validated")
          try require(validated.validity.contains(CertificateParts.now), "all of it is valid now")
          let certificate = try LeafCertificate(derRepresentation: chain[0])
          try require(certificate.isFor(validated.publicKey), "the key is the leaf's")
          // What one signature covers is nobody else's to change, and the other key's word is worth nothing.
          let forged = [try parts.root.certificate(leaf), chain[1]]
          try require((try? trust.validate(forged)) == nil, "another key's signature is refused")
          try require((try? trust.validate([chain[0]])) == nil, "the authority is needed")
          try require((try? trust.validate(chain.reversed())) == nil, "the order is fixed")
          for place in chain.indices {
            var spoiled = chain
            spoiled[place][chain[place].count - 1] ^= 1
            try require((try? trust.validate(spoiled)) == nil, "a changed signature is refused")
          }
        }
        return accepted
      })
  }
}

/// What the targets sign, and with what.
private struct CertificateParts {
  static let now = NumericDate(1_782_864_000)

  /// What the root signs with.
  enum Root {
    case p256, mlDSA
  }

  let root: CertificateSigner
  let authority: CertificateSigner
  let leaf: CertificateSigner

  init(_ root: Root) throws {
    func key(_ octet: UInt8) throws -> CertificateSigner {
      .p256(try P256PrivateKey(rawRepresentation: [UInt8](repeating: octet, count: 32)))
    }
    switch root {
    case .p256: self.root = try key(1)
    case .mlDSA: self.root = .mlDSA(try TokenKeys.mlDSA())
    }
    authority = try key(2)
    leaf = try key(3)
  }

  func trust(_ purpose: CertificateTrust.Purpose) throws -> CertificateTrust {
    let body = Self.body(
      "Root", by: "Root", of: root, key: root, extensions: [Self.authorityExtension, Self.usageExtension([1, 0x06])])
    return try CertificateTrust(roots: [try root.certificate(body)], purpose: purpose, clock: .fixed(at: Self.now))
  }

  /// keyUsage of the leaf: for signatures, for key agreement, for contents.
  static let purposes: [[UInt8]] = [[7, 0x80], [3, 0x08], [6, 0xC0]]

  func seed(usage: [UInt8], isLeafAuthority: Bool) -> [UInt8] {
    let leafBody = Self.body(
      "Leaf", by: "Authority", of: authority, key: leaf,
      extensions: [Self.usageExtension(usage), Self.identifierExtension]
        + (isLeafAuthority ? [Self.authorityExtension] : []))
    let authorityBody = Self.body(
      "Authority", by: "Root", of: root, key: authority,
      extensions: [Self.authorityExtension, Self.usageExtension([1, 0x06])])
    return [UInt8(leafBody.count >> 8), UInt8(leafBody.count & 0xFF)] + leafBody + authorityBody
  }

  static func split(_ input: [UInt8]) -> (leaf: [UInt8], authority: [UInt8])? {
    guard input.count > 2 else { return nil }
    let count = Int(input[0]) << 8 | Int(input[1])
    guard count <= input.count - 2 else { return nil }
    return (Array(input[2..<(2 + count)]), Array(input[(2 + count)...]))
  }

  private static func body(
    _ subject: String, by issuer: String, of signer: CertificateSigner, key: CertificateSigner,
    extensions: [[UInt8]]
  ) -> [UInt8] {
    var writer = DERWriter(capacity: 512)
    writer.constructed(.sequence) { body in
      body.constructed(.constructed(0)) { $0.primitive(.integer, [2]) }
      body.primitive(.integer, [0x17])
      signer.writeAlgorithm(&body)
      name(&body, issuer)
      body.constructed(.sequence) { validity in
        validity.time(1_767_225_600)
        validity.time(1_798_761_600)
      }
      name(&body, subject)
      body.whole(key.publicKey)
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

/// Who signs a certificate: with ECDSA on P-256, or with ML-DSA-44.
private enum CertificateSigner {
  case p256(P256PrivateKey)
  case mlDSA(MLDSASigningKey)

  var publicKey: [UInt8] {
    switch self {
    case .p256(let key): return key.publicKey.derRepresentation
    case .mlDSA(let key): return key.publicKey.derRepresentation
    }
  }

  /// ecdsa-with-SHA256, or id-ml-dsa-44.
  func writeAlgorithm(_ writer: inout DERWriter) {
    let contents: [UInt8]
    switch self {
    case .p256: contents = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    case .mlDSA: contents = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11]
    }
    writer.constructed(.sequence) { $0.objectIdentifier(DERObjectIdentifier(contents: contents)) }
  }

  /// The certificate whose TBSCertificate these octets are.
  func certificate(_ body: [UInt8]) throws -> [UInt8] {
    let signature: [UInt8]
    switch self {
    case .p256(let key): signature = key.signature(for: body).derRepresentation
    case .mlDSA(let key): signature = try key.signature(for: body, deterministically: true)
    }
    var writer = DERWriter(capacity: body.count + signature.count + 64)
    writer.constructed(.sequence) { certificate in
      certificate.whole(body)
      writeAlgorithm(&certificate)
      certificate.bitString(signature)
    }
    return writer.bytes
  }
}
