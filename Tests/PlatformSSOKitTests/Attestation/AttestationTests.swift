import JOSE
import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport
import Testing

/// One change of a good attestation, and the error it must lead to.
struct AttestationFault: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The code and, behind a space, the name; empty for none.
  let expected: String
  let change: @Sendable (inout AttestationWorld) throws -> Void

  init(_ title: String, _ expected: String, _ change: @escaping @Sendable (inout AttestationWorld) throws -> Void) {
    (testDescription, self.expected, self.change) = (title, expected, change)
  }
}

@Suite("Attestation of Macs' keys")
struct AttestationTests {
  private static func flip(_ certificate: inout CertificateDraft) {
    certificate.spoilSignature = { $0[$0.count - 1] ^= 1 }
  }

  static let chains: [AttestationFault] = [
    .init("nothing", "") { _ in },
    .init("the root stands at the end", "") {
      let root = $0.root.certificate
      $0.policyRoots = [root]
      $0.chain = { [$0.leaf.certificate, $0.authority.certificate, root] }
    },
    .init("an authority on P-256 signs the leaf", "") {
      let key = P256PrivateKey()
      $0.authority.publicKey = key.publicKey.derRepresentation
      $0.leaf.innerAlgorithm = DER.ecdsaSHA256
      $0.leaf.sign = { key.signature(for: $0).derRepresentation }
    },
    .init("no certificates", "attestationMissing attestation") { $0.chain = { _ in [] } },
    .init("the leaf alone", "attestationInvalid x5c[0].issuer") { $0.chain = { [$0.leaf.certificate] } },
    .init("the authority alone", "attestationInvalid x5c[0].basicConstraints") {
      $0.chain = { [$0.authority.certificate] }
    },
    .init("the root alone", "attestationInvalid x5c[0].trust") {
      let root = $0.root.certificate
      $0.policyRoots = [root]
      $0.chain = { _ in [root] }
    },
    .init("the other way round", "attestationInvalid x5c[0].basicConstraints") {
      $0.chain = { [$0.authority.certificate, $0.leaf.certificate] }
    },
    .init("a root of the sender's own making", "attestationInvalid x5c[1].signature") {
      let key = P384PrivateKey()
      $0.authority.sign = { key.signature(for: $0).derRepresentation }
    },
    .init("a leaf that signs itself", "attestationInvalid x5c[0].issuer") {
      let own = try VectorKeys.privateKey("psso-vector/device-signing")
      $0.leaf.issuer = $0.leaf.subject
      $0.leaf.innerAlgorithm = DER.ecdsaSHA256
      $0.leaf.sign = { own.signature(for: $0).derRepresentation }
      $0.chain = { [$0.leaf.certificate] }
    },
    .init("another leaf as the authority of the leaf", "attestationInvalid x5c[1].basicConstraints") {
      $0.authority.extensions = [DER.digitalSignature]
    },
    .init("an authority whose key may not sign certificates", "attestationInvalid x5c[1].keyUsage") {
      $0.authority.setExtension(15, DER.digitalSignature)
    },
    .init("two authorities where one is allowed", "attestationInvalid x5c[2].pathLenConstraint") {
      let key = P384PrivateKey()
      var lower = $0.authority
      lower.issuer = $0.authority.subject
      lower.subject = DER.name("Lower")
      lower.publicKey = key.publicKey.derRepresentation
      lower.sign = $0.leaf.sign
      $0.leaf.issuer = lower.subject
      $0.leaf.sign = { key.signature(for: $0).derRepresentation }
      let certificate = lower.certificate
      $0.chain = { [$0.leaf.certificate, certificate, $0.authority.certificate] }
    },
    .init("a bit of the leaf's signature", "attestationInvalid x5c[0].signature") { Self.flip(&$0.leaf) },
    .init("a bit of the authority's signature", "attestationInvalid x5c[1].signature") { Self.flip(&$0.authority) },
    .init("the last character of the UDID in the leaf", "attestationInvalid x5c[0].signature") {
      $0.leaf.spoilBody = { $0[$0.count - 1] ^= 1 }
    },
    .init("the leaf has expired", "attestationInvalid x5c[0].notAfter") {
      $0.leaf.notAfter = DER.time("251231235959Z")
    },
    .init("the leaf is not valid yet", "attestationInvalid x5c[0].notBefore") {
      $0.leaf.notBefore = DER.time("260102000000Z")
    },
    .init("the authority has expired", "attestationInvalid x5c[1].notAfter") {
      $0.authority.notAfter = DER.time("251231235959Z")
    },
    .init("the root has expired", "attestationInvalid root[0].notAfter") {
      $0.root.notAfter = DER.time("251231235959Z")
    },
    .init("an unknown critical extension", "attestationInvalid x5c[0].extensions") {
      $0.leaf.extensions.append(DER.ext("1.2.3.4", critical: DER.critical, [1]))
    },
    .init("the freshness code twice", "attestationInvalid x5c[0].extensions") {
      $0.leaf.extensions.append($0.leaf.extensions[1])
    },
    .init("a leaf that may not sign", "attestationInvalid x5c[0].keyUsage") {
      $0.leaf.setExtension(15, DER.keyUsage([3, 0x08]))
    },
    .init("a leaf on P-384", "attestationInvalid x5c[0].subjectPublicKeyInfo") {
      $0.leaf.publicKey = P384PrivateKey().publicKey.derRepresentation
    },
    .init("octets behind the leaf", "attestationInvalid x5c[0].encoding") { $0.leaf.spoilWhole = { $0.append(0) } },
    .init("no certificate at all", "attestationInvalid x5c[0].encoding") { $0.chain = { _ in [[0x30, 0]] } },
    .init("eleven certificates", "limitExceeded certificateCount") {
      $0.chain = { .init(repeating: $0.leaf.certificate, count: 11) }
    },
  ]

  static let claims: [AttestationFault] = [
    .init("another key is registered", "attestationKeyMismatch x5c[0]") {
      $0.registeredKey = AttestationWorld.otherKey.publicKey.x963Representation
    },
    .init("another key is attested", "attestationKeyMismatch x5c[0]") {
      $0.leaf.publicKey = AttestationWorld.otherKey.publicKey.derRepresentation
    },
    .init("no freshness code", "attestationNotFresh freshness") { $0.set("11.1", nil) },
    .init("an empty freshness code", "attestationNotFresh freshness") { $0.set("11.1", []) },
    .init("another nonce", "attestationNotFresh freshness") { $0.expectedNonce = "another" },
    .init("the nonce itself and not its hash", "attestationNotFresh freshness") {
      $0.set("11.1", Array(AttestationWorld.nonce.utf8))
    },
    .init("half of the hash", "attestationNotFresh freshness") {
      $0.set("11.1", Array(SHA2.SHA256.hash(Array(AttestationWorld.nonce.utf8)).prefix(16)))
    },
    .init("the hash in a string of DER", "") {
      $0.set("11.1", DER.element(0x04, Array(SHA2.SHA256.hash(Array(AttestationWorld.nonce.utf8)))))
    },
    .init("the serial number in a string of DER", "") {
      $0.set("9.1", DER.element(0x0C, Array("C02ABC123".utf8)))
      $0.expectedSerialNumber = "C02ABC123"
    },
    .init("the identifiers are those expected", "") {
      ($0.expectedSerialNumber, $0.expectedUDID) = ("C02ABC123", "00008103-0001")
    },
    .init("another serial number", "attestedIdentifierMismatch serialNumber") { $0.expectedSerialNumber = "C02ABC124" },
    .init("a serial number in small letters", "attestedIdentifierMismatch serialNumber") {
      $0.expectedSerialNumber = "c02abc123"
    },
    .init("another UDID", "attestedIdentifierMismatch udid") { $0.expectedUDID = "00008103-0002" },
    .init("no identifiers, and none asked for", "") {
      $0.set("9.1", nil)
      $0.set("9.2", nil)
    },
    .init("no serial number where it is required", "attestedIdentifierMissing serialNumber") {
      $0.requiresDeviceIdentifiers = true
      $0.set("9.1", nil)
    },
    .init("a blank UDID where it is required", "attestedIdentifierMissing udid") {
      $0.requiresDeviceIdentifiers = true
      $0.set("9.2", [0x20])
    },
    .init("no UDID where one is expected", "attestedIdentifierMissing udid") {
      $0.set("9.2", nil)
      $0.expectedUDID = "00008103-0001"
    },
    .init("a serial number that is no text", "attestedIdentifierMissing serialNumber") {
      $0.set("9.1", [0xFF, 0xFE])
      $0.expectedSerialNumber = "C02ABC123"
    },
    .init("a serial number with a line break", "attestedIdentifierMissing serialNumber") {
      $0.set("9.1", Array("C02\nABC".utf8))
      $0.expectedSerialNumber = "C02\nABC"
    },
  ]

  private func refusal(of world: AttestationWorld) throws -> String {
    do {
      _ = try world.verify()
      return ""
    } catch let error as JOSEError {
      return "\(error.code) \(error.name ?? "")"
    }
  }

  @Test("Each certificate chain of an attestation is accepted or refused with its error", arguments: chains)
  func chain(_ fault: AttestationFault) throws {
    var world = try AttestationWorld()
    try fault.change(&world)
    #expect(try refusal(of: world) == fault.expected)
  }

  @Test("Each attested key, freshness code and identifier is accepted or refused with its error", arguments: claims)
  func claim(_ fault: AttestationFault) throws {
    var world = try AttestationWorld()
    try fault.change(&world)
    #expect(try refusal(of: world) == fault.expected)
  }

  @Test("Attested values can be read, and descriptions don't show them")
  func properties() throws {
    var world = try AttestationWorld()
    world.set("10.1", Array("15.4".utf8))
    world.set("13.2", Array("Full Security".utf8))
    let attestation = try world.verify()
    #expect(attestation.serialNumber == "C02ABC123" && attestation.udid == "00008103-0001")
    #expect(attestation.text(AttestationWorld.prefix + "10.1") == "15.4")
    #expect(attestation.text(AttestationWorld.prefix + "13.2") == "Full Security")
    #expect(attestation.text(AttestationWorld.prefix + "11.1") == nil && attestation.text("10.3") == nil)
    #expect("\(attestation)" == "VerifiedAttestation(redacted)")
  }

  @Test("Every octet of a leaf is authentic")
  func everyOctet() throws {
    var world = try AttestationWorld()
    world.requiresDeviceIdentifiers = true
    let good = world.certificates
    let policy = try world.policy()
    let key = try RegisteredKey(x963Representation: world.registeredKey)
    for index in good[0].indices {
      var chain = good
      chain[0][index] ^= 1
      #expect(throws: JOSEError.self, "octet \(index)") {
        try policy.verify(chain, of: key, clientDataHash: Array(SHA2.SHA256.hash(Array(AttestationWorld.nonce.utf8))))
      }
    }
  }

  @Test("A policy needs a root that is an authority, and a hash of 32 octets")
  func misuse() throws {
    let world = try AttestationWorld()
    #expect(throws: JOSEError(.callerMisuse, "", name: "roots")) {
      try AttestationPolicy(trust: CertificateTrust(roots: [], purpose: .attestation))
    }
    #expect(throws: JOSEError(.certificateInvalid, "", name: "root[0].basicConstraints")) {
      try AttestationPolicy(trust: CertificateTrust(roots: [world.leaf.certificate], purpose: .attestation))
    }
    #expect(throws: JOSEError(.malformed, "", name: "x5c")) {
      try AttestationPolicy(trust: CertificateTrust(pemRoots: "none", purpose: .attestation))
    }
    #expect(throws: JOSEError(.callerMisuse, "", name: "clientDataHash")) {
      try world.policy().verify(
        world.certificates, of: RegisteredKey(x963Representation: world.registeredKey), clientDataHash: [])
    }
  }
}
