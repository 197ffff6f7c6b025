import JOSE
import PureJOSETestSupport
import Testing

@Suite("Trust anchors: what counts of them, and what an error says where they are in the chain")
struct TrustAnchorTests {
  let world = CertificateWorld.shared

  /// The words for an accepted chain, or the error.
  private func verdict(_ change: (inout CertificateWorld) -> Void) -> String {
    var changed = world
    change(&changed)
    let made = changed
    return refusal { _ = try made.validate() }
  }

  // MARK: Form

  private static let dates: [(String, UInt8, Bool)] = [
    ("201110060839Z", 0x18, true), ("20111006083956Z", 0x18, true), ("20111006083956.25Z", 0x18, true),
    ("2011100608,5Z", 0x18, true), ("20111006083956", 0x18, true), ("20111006083956+0100", 0x18, true),
    ("1110060839Z", 0x17, true), ("111006083956-0130", 0x17, true), ("20111306083956Z", 0x18, false),
    ("20110230083956Z", 0x18, false), ("2011100Z", 0x18, false), ("", 0x18, false), ("Z", 0x17, false),
    ("+0100", 0x17, false), ("11100608395XZ", 0x17, false), ("111006083956+01X0", 0x17, false),
    ("2011100608395600Z", 0x18, false),
  ]

  @Test("a date of an anchor may have any form that ASN.1 has for it, one of another certificate has RFC 5280's")
  func dates() {
    for (text, tag, isDate) in Self.dates {
      let date = DER.element(tag, Array(text.utf8))
      let expected = isDate ? "accepted" : "certificateInvalid(root[0].validity)"
      #expect(verdict { $0.root.notBefore = date } == expected, "\(text)")
      #expect(verdict { $0.authority.notBefore = date } == "certificateInvalid(x5c[1].validity)", "\(text)")
    }
  }

  @Test("the date itself counts, with its offset")
  func offsets() {
    // The time of the tests is 2026-07-01 00:00.
    for (text, isValid) in [
      ("20260701000000Z", true), ("20260630235959Z", false), ("202607010000Z", true), ("20260701010000+0100", true),
      ("20260701005959+0100", false), ("20260630223000-0130", true), ("20260630222959-0130", false),
      ("2026070100", true), ("20260630235959.9Z", false),
    ] {
      let date = DER.element(0x18, Array(text.utf8))
      #expect(
        verdict { $0.root.notAfter = date } == (isValid ? "accepted" : "certificateInvalid(root[0].notAfter)"),
        "\(text)")
    }
  }

  @Test("keyUsage of an anchor need not be minimal; without the bit for certificates, it is refused")
  func keyUsage() {
    let certificates: [[UInt8]] = [[1, 0x06], [0, 0x06], [7, 0x06, 0], [0, 0x04, 0, 0], [2, 0x07]]
    let others: [[UInt8]] = [[0], [0, 0], [7, 0x80, 0], [0, 0xFB], [3, 0x04], [5, 0, 0x04]]
    for bits in certificates {
      #expect(verdict { $0.root.setExtension(15, DER.keyUsage(bits)) } == "accepted", "\(bits)")
    }
    for bits in others + [[], [8, 0], [1]] {
      #expect(
        verdict { $0.root.setExtension(15, DER.keyUsage(bits)) } == "certificateInvalid(root[0].keyUsage)", "\(bits)")
    }
    for bits in certificates.dropFirst() {
      #expect(
        verdict { $0.authority.setExtension(15, DER.keyUsage(bits)) } == "certificateInvalid(x5c[1].keyUsage)",
        "\(bits)")
    }
  }

  @Test(
    "extensions that say nothing about what an anchor may certify are not read", arguments: [14, 17, 35, 37] as [UInt8])
  func otherExtensions(number: UInt8) {
    for critical in [[], DER.critical] {
      let broken = DER.ext("2.5.29.\(number)", critical: critical, [0x05])
      #expect(verdict { $0.root.setExtension(number, broken) } == "accepted")
      #expect(verdict { $0.authority.setExtension(number, broken) }.hasPrefix("certificateInvalid(x5c[1]."))
    }
  }

  @Test("extensions that limit an anchor count, and a critical one that isn't known")
  func limits() {
    for (number, rule) in [(19, "basicConstraints"), (30, "nameConstraints")] as [(UInt8, String)] {
      let broken = DER.ext("2.5.29.\(number)", critical: DER.critical, [0x05])
      #expect(verdict { $0.root.setExtension(number, broken) } == "certificateInvalid(root[0].\(rule))")
    }
    let unknown = DER.ext("1.2.3", critical: DER.critical, [0x05, 0])
    #expect(verdict { $0.root.extensions.append(unknown) } == "certificateInvalid(root[0].extensions)")
  }

  // MARK: Errors

  /// What may be wrong with an anchor, or with what it has issued.
  private static let faults: [(String, @Sendable (inout CertificateWorld) -> Void)] = [
    ("root[0].notAfter", { $0.root.notAfter = DER.time("260630235959Z") }),
    ("root[0].pathLenConstraint", { $0.root.setExtension(19, DER.authority(0)) }),
    ("x5c[1].signature", { $0.authority.spoilSignature = { $0[$0.count - 1] ^= 1 } }),
    ("x5c[0].signature", { $0.leaf.spoilSignature = { $0[$0.count - 1] ^= 1 } }),
    ("x5c[0].notAfter", { $0.leaf.notAfter = DER.time("260630235959Z") }),
    ("x5c[1].notAfter", { $0.authority.notAfter = DER.time("260630235959Z") }),
  ]

  @Test("a chain that has the anchor in it is refused for the cause that decides, which an explanation has first")
  func anchorInChain() throws {
    for (rule, change) in Self.faults {
      var changed = world
      change(&changed)
      changed.chain = { [$0.leaf.certificate, $0.authority.certificate, $0.root.certificate] }
      let made = changed
      #expect(refusal { _ = try made.validate() } == "certificateInvalid(\(rule))")
      let explanation = try made.trust().explain(made.chain(made))
      #expect(explanation.refusals.map { error in refusal { throw error } }.first == "certificateInvalid(\(rule))")
      #expect(!"\(explanation)".contains("comes back"), "\(explanation)")
      // Of the leaf's issuer that is true.
      #expect("\(explanation)".ranges(of: "no trusted root").count == 1, "\(explanation)")
    }
  }

  @Test("of several anchors with one name, the one whose key has signed says why")
  func anchorsOfOneName() {
    var namesake = world.root
    namesake.publicKey = world.otherKey.publicKey.derRepresentation
    let other = namesake.certificate
    for (rule, change) in Self.faults where rule.hasPrefix("root") {
      for isFirst in [true, false] {
        let expected = isFirst ? rule : rule.replacing("root[0]", with: "root[1]")
        #expect(
          verdict {
            change(&$0)
            $0.roots = { isFirst ? [$0.root.certificate, other] : [other, $0.root.certificate] }
          } == "certificateInvalid(\(expected))")
      }
    }
  }
}
