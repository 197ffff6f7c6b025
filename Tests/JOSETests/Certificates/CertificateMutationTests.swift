import JOSE
import PureCrypto
import PureJOSETestSupport
import Testing

/// One change of a valid chain of three, and what it must lead to.
struct CertificateMutation: Sendable, CustomTestStringConvertible {
  let title: String
  let expected: String
  let change: @Sendable (inout CertificateWorld) -> Void

  init(_ title: String, _ expected: String, _ change: @escaping @Sendable (inout CertificateWorld) -> Void) {
    self.title = title
    self.expected = expected == "ok" ? "accepted" : "certificateInvalid(\(expected))"
    self.change = change
  }

  var testDescription: String { title }
}

@Suite("Mutated certificate chains")
struct CertificateMutationTests {
  @Test("signatures and their algorithms", arguments: signatures)
  func signature(_ mutation: CertificateMutation) { check(mutation) }

  @Test("dates", arguments: dates)
  func date(_ mutation: CertificateMutation) { check(mutation) }

  @Test("names and identifiers of keys", arguments: names)
  func name(_ mutation: CertificateMutation) { check(mutation) }

  @Test("authorities, usages and extensions", arguments: extensions)
  func extensionRule(_ mutation: CertificateMutation) { check(mutation) }

  @Test("encoding, numbers and keys", arguments: encoding)
  func encodingRule(_ mutation: CertificateMutation) { check(mutation) }

  @Test("the chain as a whole", arguments: chains)
  func chain(_ mutation: CertificateMutation) { check(mutation) }

  private func check(_ mutation: CertificateMutation) {
    var world = CertificateWorld.shared
    mutation.change(&world)
    #expect(refusal { _ = try world.validate() } == mutation.expected)
    guard let trust = try? world.trust() else { return }
    let explanation = trust.explain(world.chain(world))
    let first = explanation.refusals.first.map { error in refusal { throw error } }
    #expect(first ?? "accepted" == mutation.expected, "\(explanation)")
  }

  /// r ‖ s of a signature as two INTEGERs with the contents given.
  private static func signature(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    DER.element(0x30, DER.element(0x02, r), DER.element(0x02, s))
  }

  static let signatures: [CertificateMutation] = [
    CertificateMutation("nothing is changed", "ok") { _ in },
    CertificateMutation("a bit of the leaf's signature", "x5c[0].signature") {
      $0.leaf.spoilSignature = { $0[$0.count - 1] ^= 1 }
    },
    CertificateMutation("a bit of the authority's signature", "x5c[1].signature") {
      $0.authority.spoilSignature = { $0[$0.count - 1] ^= 1 }
    },
    CertificateMutation("an octet of the serial number", "x5c[0].signature") { $0.leaf.spoilBody = { $0[11] ^= 1 } },
    CertificateMutation("another algorithm outside", "x5c[0].encoding") {
      $0.leaf.outerAlgorithm = CertificateWorld.ecdsaSHA384
    },
    CertificateMutation("another algorithm inside", "x5c[0].encoding") {
      $0.leaf.outerAlgorithm = $0.leaf.innerAlgorithm
      $0.leaf.innerAlgorithm = CertificateWorld.ecdsaSHA384
    },
    CertificateMutation("ECDSA with NULL parameters", "x5c[0].signatureAlgorithm") {
      $0.leaf.innerAlgorithm = DER.algorithm("1.2.840.10045.4.3.2", DER.null)
    },
    CertificateMutation("ECDSA with SHA-384 named and SHA-256 used", "x5c[0].signature") {
      $0.leaf.innerAlgorithm = CertificateWorld.ecdsaSHA384
    },
    CertificateMutation("Ed25519 named for an ECDSA key", "x5c[0].signature") {
      $0.leaf.innerAlgorithm = DER.algorithm("1.3.101.112")
    },
    CertificateMutation("Ed25519 with NULL", "x5c[0].signatureAlgorithm") {
      $0.leaf.innerAlgorithm = DER.algorithm("1.3.101.112", DER.null)
    },
    CertificateMutation("RSA with SHA-1", "x5c[0].signatureAlgorithm") {
      $0.leaf.innerAlgorithm = DER.algorithm("1.2.840.113549.1.1.5", DER.null)
    },
    CertificateMutation("ECDSA with SHA-1", "x5c[0].signatureAlgorithm") {
      $0.leaf.innerAlgorithm = DER.algorithm("1.2.840.10045.4.1")
    },
    CertificateMutation("an unknown algorithm", "x5c[0].signatureAlgorithm") {
      $0.leaf.innerAlgorithm = DER.algorithm("1.2.3.4")
    },
    CertificateMutation("r = 0", "x5c[0].signature") { $0.leaf.sign = { _ in signature([0], [1]) } },
    CertificateMutation("s = n", "x5c[0].signature") {
      $0.leaf.sign = { _ in
        signature(
          [1],
          [0] + [UInt8](repeating: 0xFF, count: 4) + [0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
          ])
      }
    },
    CertificateMutation("r negative", "x5c[0].signature") { $0.leaf.sign = { _ in signature([0x80], [1]) } },
    CertificateMutation("an INTEGER that is not minimal", "x5c[0].signature") {
      $0.leaf.sign = { _ in signature([0, 1], [1]) }
    },
    CertificateMutation("an octet after the two integers", "x5c[0].signature") {
      $0.leaf.spoilSignature = { $0 += [0] }
    },
    CertificateMutation("r ‖ s instead of DER", "x5c[0].signature") { world in
      let key = world.authorityKey
      world.leaf.sign = { key.signature(for: $0).rawRepresentation }
    },
    CertificateMutation("the root's key instead of the authority's", "x5c[0].signature") { world in
      let key = world.rootKey
      world.leaf.sign = { key.signature(for: $0).derRepresentation }
    },
  ]

  private static func leafEnds(_ text: String) -> @Sendable (inout CertificateWorld) -> Void {
    { $0.leaf.notAfter = DER.time(text) }
  }

  static let dates: [CertificateMutation] = [
    CertificateMutation("a second after the end", "x5c[0].notAfter", leafEnds("260630235959Z")),
    CertificateMutation("the last second", "ok", leafEnds("260701000000Z")),
    CertificateMutation("the first second", "ok") { $0.leaf.notBefore = DER.time("260701000000Z") },
    CertificateMutation("a second before the beginning", "x5c[0].notBefore") {
      $0.leaf.notBefore = DER.time("260701000001Z")
    },
    CertificateMutation("the authority expired", "x5c[1].notAfter") {
      $0.authority.notAfter = DER.time("260630235959Z")
    },
    CertificateMutation("the root expired", "root[0].notAfter") { $0.root.notAfter = DER.time("260630235959Z") },
    CertificateMutation("UTCTime without seconds", "x5c[0].validity", leafEnds("2701010000Z")),
    CertificateMutation("UTCTime with an offset", "x5c[0].validity") {
      $0.leaf.notAfter = DER.element(0x17, Array("270101000000+0000".utf8))
    },
    CertificateMutation("GeneralizedTime with a fraction", "x5c[0].validity", leafEnds("20510101000000.5Z")),
    CertificateMutation("2050 as UTCTime, which is 1950", "x5c[0].validity", leafEnds("500101000000Z")),
    CertificateMutation("2049 as GeneralizedTime", "x5c[0].validity", leafEnds("20490101000000Z")),
    CertificateMutation("2050 as GeneralizedTime", "ok", leafEnds("20500101000000Z")),
    CertificateMutation("30 February", "x5c[0].validity", leafEnds("270230000000Z")),
    CertificateMutation("29 February 2027", "x5c[0].validity", leafEnds("270229000000Z")),
    CertificateMutation("29 February 2028", "ok", leafEnds("280229000000Z")),
    CertificateMutation("29 February 2100", "x5c[0].validity", leafEnds("21000229000000Z")),
    CertificateMutation("29 February 2400", "ok", leafEnds("24000229000000Z")),
    CertificateMutation("31 April", "x5c[0].validity", leafEnds("270431000000Z")),
    CertificateMutation("day 0", "x5c[0].validity", leafEnds("270400000000Z")),
    CertificateMutation("month 13", "x5c[0].validity", leafEnds("271301000000Z")),
    CertificateMutation("hour 24", "x5c[0].validity", leafEnds("270101240000Z")),
    CertificateMutation("second 60", "x5c[0].validity", leafEnds("261231235960Z")),
    CertificateMutation("the end before the beginning", "x5c[0].validity", leafEnds("251231235959Z")),
    CertificateMutation("no end", "ok", leafEnds("99991231235959Z")),
    CertificateMutation("a small z", "x5c[0].validity", leafEnds("20510101000000z")),
    CertificateMutation("a sign among the digits", "x5c[0].validity", leafEnds("27010100000-Z")),
  ]

  static let names: [CertificateMutation] = [
    CertificateMutation("the leaf has another issuer", "x5c[0].issuer") { $0.leaf.issuer = DER.name("Somebody") },
    CertificateMutation("the authority has another issuer", "x5c[1].issuer") {
      $0.authority.issuer = DER.name("Somebody")
    },
    CertificateMutation("the same name as another kind of string", "x5c[0].issuer") {
      $0.leaf.issuer = DER.name("Authority", tag: 0x13)
    },
    CertificateMutation("the same name in other letters", "x5c[0].issuer") { $0.leaf.issuer = DER.name("AUTHORITY") },
    CertificateMutation("parts of the name in another order", "x5c[0].issuer") {
      $0.leaf.issuer = DER.element(
        0x30, DER.relativeName("2.5.4.3", "Authority") + DER.relativeName("2.5.4.10", "Example"))
    },
    CertificateMutation("an issuer without a name", "x5c[0].issuer") { $0.leaf.issuer = DER.element(0x30) },
    CertificateMutation("an authority without a name", "x5c[1].subject") { $0.authority.subject = DER.element(0x30) },
    CertificateMutation("an empty set in a name", "x5c[0].subject") {
      $0.leaf.subject = DER.element(0x30, DER.element(0x31))
    },
    CertificateMutation("attributes that are not sorted", "x5c[0].subject") { world in
      let attributes = ["2.5.4.3", "2.5.4.10"].map { DER.element(0x30, DER.identifier($0), DER.element(0x0C, [0x41])) }
      world.leaf.subject = DER.element(0x30, DER.element(0x31, attributes[1], attributes[0]))
    },
    CertificateMutation("an object identifier that is not minimal", "x5c[0].subject") {
      $0.leaf.subject = DER.element(
        0x30, DER.element(0x31, DER.element(0x30, [0x06, 4, 0x55, 0x80, 0x04, 0x03], DER.element(0x0C, [0x41]))))
    },
    CertificateMutation("no name, and one in subjectAltName that is critical", "ok") {
      $0.leaf.subject = DER.element(0x30)
      $0.leaf.extensions.append(
        DER.ext("2.5.29.17", critical: DER.critical, DER.element(0x30, DER.element(0x82, Array("a.example".utf8)))))
    },
    CertificateMutation("no name, and one in subjectAltName that is not critical", "x5c[0].subject") {
      $0.leaf.subject = DER.element(0x30)
      $0.leaf.extensions.append(DER.ext("2.5.29.17", DER.element(0x30, DER.element(0x82, Array("a.example".utf8)))))
    },
    CertificateMutation("a subjectAltName without names", "x5c[0].subjectAltName") {
      $0.leaf.extensions.append(DER.ext("2.5.29.17", DER.element(0x30)))
    },
    CertificateMutation("a subjectAltName of an unknown kind", "x5c[0].subjectAltName") {
      $0.leaf.extensions.append(DER.ext("2.5.29.17", DER.element(0x30, DER.element(0x89, [1]))))
    },
    CertificateMutation("the identifier of another key", "x5c[0].authorityKeyIdentifier") {
      $0.leaf.setExtension(35, DER.ext("2.5.29.35", DER.element(0x30, DER.element(0x80, [9]))))
    },
    CertificateMutation("no identifier of a key", "ok") { $0.leaf.setExtension(35, nil) },
    CertificateMutation("the issuer's certificate by its number", "ok") { world in
      world.leaf.setExtension(35, authorityKeyIdentifier(issuer: world.authority.issuer, serial: [0x17]))
    },
    CertificateMutation("another number of the issuer's certificate", "x5c[0].authorityKeyIdentifier") { world in
      world.leaf.setExtension(35, authorityKeyIdentifier(issuer: world.authority.issuer, serial: [0x18]))
    },
    CertificateMutation("another issuer of the issuer's certificate", "x5c[0].authorityKeyIdentifier") { world in
      world.leaf.setExtension(35, authorityKeyIdentifier(issuer: DER.name("Somebody"), serial: [0x17]))
    },
    CertificateMutation("half of the issuer's certificate", "x5c[0].authorityKeyIdentifier") {
      $0.leaf.setExtension(35, DER.ext("2.5.29.35", DER.element(0x30, DER.element(0x82, [0x17]))))
    },
    CertificateMutation("an identifier of a key that is critical", "x5c[0].extensions") {
      $0.leaf.setExtension(
        35, DER.ext("2.5.29.35", critical: DER.critical, DER.element(0x30, DER.element(0x80, [1, 2, 3]))))
    },
  ]

  static func authorityKeyIdentifier(issuer: [UInt8], serial: [UInt8]) -> [UInt8] {
    DER.ext(
      "2.5.29.35", DER.element(0x30, DER.element(0xA1, DER.element(0xA4, issuer)), DER.element(0x82, serial)))
  }
}
