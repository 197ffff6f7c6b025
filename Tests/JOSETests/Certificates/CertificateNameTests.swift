import JOSE
import PureCrypto
import PureJOSETestSupport
import Testing

/// Whose key it is, and which names an authority may certify.
@Suite("Names in certificates")
struct CertificateNameTests {
  /// A GeneralName: its tag, and text or octets.
  struct Name: Sendable, CustomTestStringConvertible {
    let tag: UInt8
    let octets: [UInt8]
    var der: [UInt8] { DER.element(tag, octets) }
    var testDescription: String { "\(tag): \(String(decoding: octets, as: UTF8.self))" }

    static func dns(_ text: String) -> Name { Name(tag: 0x82, octets: Array(text.utf8)) }
    static func email(_ text: String) -> Name { Name(tag: 0x81, octets: Array(text.utf8)) }
    static func uri(_ text: String) -> Name { Name(tag: 0x86, octets: Array(text.utf8)) }
    static func ip(_ octets: UInt8...) -> Name { Name(tag: 0x87, octets: octets) }
    static func directory(_ name: [UInt8]) -> Name { Name(tag: 0xA4, octets: name) }
  }

  static func alternativeNames(_ names: [Name]) -> [UInt8] {
    DER.ext("2.5.29.17", DER.element(0x30, names.flatMap(\.der)))
  }

  static func constraints(
    permitted: [Name] = [], excluded: [Name] = [], critical: [UInt8] = DER.critical
  ) -> [UInt8] {
    func subtrees(_ tag: UInt8, _ names: [Name]) -> [UInt8] {
      names.isEmpty ? [] : DER.element(tag, names.flatMap { DER.element(0x30, $0.der) })
    }
    return DER.ext(
      "2.5.29.30", critical: critical, DER.element(0x30, subtrees(0xA0, permitted) + subtrees(0xA1, excluded)))
  }

  private func verdict(_ change: (inout CertificateWorld) -> Void) -> String {
    var world = CertificateWorld.shared
    change(&world)
    let refusal = refusal { _ = try world.validate() }
    return refusal == "accepted" ? "ok" : String(refusal.dropFirst("certificateInvalid(".count).dropLast())
  }

  private func verdict(_ name: Name, permitted: [Name] = [], excluded: [Name] = []) -> String {
    verdict {
      $0.authority.extensions.append(Self.constraints(permitted: permitted, excluded: excluded))
      $0.leaf.extensions.append(Self.alternativeNames([name]))
    }
  }

  @Test("a validated chain has its subject, issuer, serial number and alternative names")
  func identity() throws {
    var world = CertificateWorld.shared
    world.leaf.serialNumber = [0, 0x80, 0, 1]
    world.leaf.subject = DER.element(
      0x30,
      DER.relativeName("2.5.4.6", "DE") + DER.relativeName("2.5.4.10", "Example, \"Inc\" + Söhne")
        + DER.relativeName("1.2.3.4", "#x ") + DER.relativeName("2.5.4.3", "Jane"))
    let text = "https://user@a.example:443/x?y"
    world.leaf.extensions.append(
      Self.alternativeNames([
        .dns("*.A.example"), .email("jane@a.example"), .uri(text), .ip(10, 0, 0, 1), .directory(DER.name("D")),
        Name(tag: 0x88, octets: [0x2A]),
      ]))
    let chain = try world.validate()
    #expect(chain.serialNumber == [0x80, 0, 1])
    #expect("\(chain.issuer)" == "CN=Authority,O=Example" && chain.issuer.commonName == "Authority")
    #expect(chain.issuer.derRepresentation == DER.name("Authority"))
    #expect("\(chain.subject)" == ##"CN=Jane,1.2.3.4=\#x\ ,O=Example\, \"Inc\" \+ Söhne,C=DE"##)
    #expect(chain.subject["2.5.4.10"] == ["Example, \"Inc\" + Söhne"] && chain.subject["2.5.4.11"].isEmpty)
    #expect(chain.subject.attributes.map(\.identifier) == ["2.5.4.6", "2.5.4.10", "1.2.3.4", "2.5.4.3"])
    guard chain.subjectAlternativeNames.count == 6, case .directory(let directory) = chain.subjectAlternativeNames[4]
    else {
      Issue.record("\(chain.subjectAlternativeNames)")
      return
    }
    #expect(
      Array(chain.subjectAlternativeNames.prefix(4)) == [
        .dns("*.A.example"), .email("jane@a.example"), .uri(text), .ip([10, 0, 0, 1]),
      ])
    #expect(directory.commonName == "D" && chain.subjectAlternativeNames[5] == .other(kind: 8))
    #expect(try CertificateWorld.shared.validate().subjectAlternativeNames.isEmpty)
  }

  @Test("an attribute that is no text, or has control characters, is not shown as one")
  func attributes() throws {
    for (tag, octets, expected) in [
      (0x0C, Array("a\0b".utf8), nil), (0x0C, [0xFF], nil), (0x13, Array("Jane".utf8), "Jane"),
      (0x13, Array("Jané".utf8), nil), (0x1E, [0, 0x4A, 0x01, 0x61], "Jš"), (0x1E, [0, 0x4A, 0x01], nil),
      (0x1E, [0xD8, 0], nil), (0x1C, [0, 1, 0xF6, 0], "😀"), (0x14, Array("Jane".utf8), nil), (0x30, [], nil),
      (0x0C, Array("a\u{85}".utf8), nil),
    ] as [(UInt8, [UInt8], String?)] {
      var world = CertificateWorld.shared
      world.leaf.subject = DER.element(
        0x30, DER.element(0x31, DER.element(0x30, DER.identifier("2.5.4.3"), DER.element(tag, octets))))
      let subject = try world.validate().subject
      #expect(subject.attributes.map(\.text) == [expected] && subject.commonName == expected)
      #expect("\(subject)" == "CN=\(expected ?? "?")")
    }
  }

  @Test(
    "malformed names are refused, constraints or not",
    arguments: [
      .dns(""), .dns("."), .dns("a."), .dns(".a.example"), .dns("a..example"), .dns("a.example\0.evil.example"),
      .dns("*"), .dns("a.*.example"), .dns("*a.example"), .dns("a*.example"), .dns("*.*.example"), .dns("**.example"),
      .dns("bücher.example"), .dns("a b.example"), .dns("-a.example"), .dns("a-.example"), .dns("a/b"), .dns("a:1"),
      .dns(String(repeating: "a", count: 64) + ".example"), .dns(String(repeating: "a.", count: 127) + "a"),
      .email("a.example"), .email("@a.example"), .email("a@"), .email("a@b@c.example"), .email("\"a\"@b.example"),
      .email("a@[10.0.0.1]"), .email("a..b@c.example"), .email("a\0@b.example"), .email("ä@b.example"),
      .email("a@*.example"), .email("a b@c.example"), .email(String(repeating: "a", count: 65) + "@b.example"),
      .uri(""), .uri("a.example"), .uri("//a.example"), .uri("https://a.example/\0"), .uri("https://a.example/ä"),
      .uri("1a:b"), .uri(":b"), .uri("ht_tp:b"), .ip(), .ip(10, 0, 0), .ip(10, 0, 0, 0, 255, 0, 0, 0), .directory([]),
      .directory([0x31, 0]), Name(tag: 0xA0, octets: []), Name(tag: 0xA0, octets: [0x06, 1, 0x80]),
    ] as [Name])
  func malformed(_ name: Name) {
    #expect(
      verdict { $0.leaf.extensions.append(Self.alternativeNames([.dns("a.example"), name])) } == "x5c[0].subjectAltName"
    )
  }

  @Test("names within and outside of what is permitted or excluded")
  func subtrees() {
    let all: [(Name, Name, Bool)] = [
      (.dns("example.com"), .dns("example.com"), true), (.dns("example.com"), .dns("EXAMPLE.Com"), true),
      (.dns("Example.COM"), .dns("a.b.example.com"), true), (.dns("example.com"), .dns("notexample.com"), false),
      (.dns("example.com"), .dns("example.com.evil"), false), (.dns("example.com"), .dns("com"), false),
      (.dns(".example.com"), .dns("a.example.com"), true), (.dns(".example.com"), .dns("example.com"), false),
      (.dns(""), .dns("example.com"), true), (.dns("example.com"), .dns("*.example.com"), true),
      (.dns("xn--bcher-kva.example"), .dns("a.XN--BCHER-KVA.example"), true),
      (.email("example.com"), .email("a@Example.com"), true), (.email("example.com"), .email("a@b.example.com"), false),
      (.email(".example.com"), .email("a@b.example.com"), true),
      (.email(".example.com"), .email("a@example.com"), false),
      (.email("a@example.com"), .email("a@EXAMPLE.com"), true),
      (.email("a@example.com"), .email("b@example.com"), false),
      (.email(""), .email("b@example.com"), true), (.email("a@example.com"), .email("a@b.example.com"), false),
      (.uri("example.com"), .uri("https://u:p@EXAMPLE.com:8443/x"), true),
      (.uri("example.com"), .uri("https://a.example.com/"), false),
      (.uri(".example.com"), .uri("a://a.example.com"), true),
      (.uri(".example.com"), .uri("https://example.com"), false),
      (.uri("example.com"), .uri("x://evil/example.com"), false),
      (.uri("example.com"), .uri("https://example.com@evil.test/"), false),
      (.ip(10, 0, 0, 0, 255, 0, 0, 0), .ip(10, 1, 2, 3), true),
      (.ip(10, 0, 0, 0, 255, 0, 0, 0), .ip(11, 1, 2, 3), false),
      (.ip(10, 9, 9, 9, 255, 0, 0, 0), .ip(10, 1, 2, 3), true), (.ip(0, 0, 0, 0, 0, 0, 0, 0), .ip(9, 9, 9, 9), true),
      (.ip(10, 1, 2, 3, 255, 255, 255, 255), .ip(10, 1, 2, 3), true),
      (.ip(10, 1, 2, 2, 255, 255, 255, 254), .ip(10, 1, 2, 4), false),
      (
        Name(
          tag: 0x87, octets: [0x20, 1] + .init(repeating: 0, count: 14) + [255, 255] + .init(repeating: 0, count: 14)),
        Name(tag: 0x87, octets: [0x20, 1] + .init(repeating: 7, count: 14)), true
      ),
      (.ip(10, 0, 0, 0, 255, 0, 0, 0), Name(tag: 0x87, octets: .init(repeating: 10, count: 16)), false),
    ]
    for (base, name, isWithin) in all {
      #expect(verdict(name, permitted: [base]) == (isWithin ? "ok" : "x5c[0].nameConstraints"), "\(base) \(name)")
      #expect(verdict(name, excluded: [base]) == (isWithin ? "x5c[0].nameConstraints" : "ok"), "\(base) \(name)")
      #expect(verdict(name, permitted: [base], excluded: [base]) == "x5c[0].nameConstraints")
    }
  }

  @Test("a name that can't be compared exactly counts against its certificate")
  func doubtful() {
    let refused = "x5c[0].nameConstraints"
    // A wildcard stands for names that are excluded, and for more than is permitted.
    #expect(verdict(.dns("*.example.com"), excluded: [.dns("a.example.com")]) == refused)
    #expect(verdict(.dns("*.example.com"), excluded: [.dns(".example.com")]) == refused)
    #expect(verdict(.dns("*.example.com"), permitted: [.dns("a.example.com")]) == refused)
    #expect(verdict(.dns("*.example.com"), excluded: [.dns("a.example.org")]) == "ok")
    // Local parts in other letters are the same mailbox nearly everywhere.
    #expect(verdict(.email("Root@example.com"), excluded: [.email("root@example.com")]) == refused)
    #expect(verdict(.email("Root@example.com"), permitted: [.email("root@example.com")]) == refused)
    // A URI without a host that is a name, and an address beyond ASCII, can't be compared.
    for text in [
      "urn:a:b", "https://10.0.0.1/", "https://[::1]/", "https://a%2eb/", "mailto:a@example.com", "https://a:b/",
    ] {
      #expect(verdict(.uri(text), excluded: [.uri("example.com")]) == refused, "\(text)")
      #expect(verdict(.uri(text), permitted: [.dns("example.com")]) == "ok", "\(text)")
    }
    let mailbox = Name(
      tag: 0xA0, octets: DER.identifier("1.3.6.1.5.5.7.8.9") + DER.element(0xA0, DER.element(0x0C, Array("ä@b".utf8))))
    #expect(verdict(mailbox, excluded: [.email("example.com")]) == refused)
    #expect(verdict(mailbox, permitted: [.dns("example.com")]) == "ok")
    // Kinds that no constraint is about are free, and several subtrees of a kind permit what one of them does.
    #expect(verdict(.dns("example.com"), permitted: [.email("example.org")]) == "ok")
    #expect(verdict(.dns("b.org"), permitted: [.dns("a.org"), .dns("b.org")]) == "ok")
  }

  @Test(
    "constraints hold for e-mail addresses and the name of the subject, and for all certificates below, by all above")
  func everywhere() {
    func subject(_ email: String) -> [UInt8] {
      DER.element(0x30, DER.relativeName("2.5.4.10", "O") + DER.relativeName("1.2.840.113549.1.9.1", email))
    }
    for (email, expected) in [
      ("a@example.com", "ok"), ("a@example.org", "x5c[0].nameConstraints"), ("example.com", "x5c[0].nameConstraints"),
    ] {
      #expect(
        verdict {
          $0.leaf.subject = subject(email)
          $0.authority.extensions.append(Self.constraints(permitted: [.email("example.com")], critical: []))
        } == expected)
    }
    let organization = DER.element(0x30, DER.relativeName("2.5.4.10", "O"))
    for (base, expected) in [
      (organization, "ok"), (DER.name("O"), "x5c[0].nameConstraints"), (DER.element(0x30), "ok"),
    ] {
      #expect(
        verdict {
          $0.leaf.subject = subject("a@example.com")
          $0.authority.extensions.append(Self.constraints(permitted: [.directory(base)]))
        } == expected)
    }
    // The root's constraints reach the leaf and the authority; the authority may narrow them, and not widen.
    for (root, authority, expected) in [
      (["com"], ["example.com"], "ok"), (["org"], ["example.com"], "x5c[0].nameConstraints"),
      (["com"], ["org"], "x5c[0].nameConstraints"),
    ] {
      #expect(
        verdict {
          $0.root.extensions.append(Self.constraints(permitted: root.map { .dns($0) }))
          $0.authority.extensions.append(Self.constraints(permitted: authority.map { .dns($0) }))
          $0.leaf.extensions.append(Self.alternativeNames([.dns("a.example.com")]))
        } == expected)
    }
    #expect(
      verdict {
        $0.root.extensions.append(Self.constraints(permitted: [.dns("com")]))
        $0.authority.extensions.append(Self.alternativeNames([.dns("example.org")]))
      } == "x5c[1].nameConstraints")
    // Its own names are not subject to an authority's constraints.
    #expect(
      verdict {
        $0.authority.extensions += [
          Self.constraints(permitted: [.dns("com")]), Self.alternativeNames([.dns("example.org")]),
        ]
      } == "ok")
  }

  @Test("constraints of a form or kind that can't be checked are refused")
  func malformedConstraints() {
    let base = Name.dns("example")
    func verdictOf(_ contents: [UInt8]) -> String {
      verdict { $0.authority.extensions.append(DER.ext("2.5.29.30", critical: DER.critical, contents)) }
    }
    let subtree = DER.element(0x30, base.der)
    for contents in [
      [], DER.element(0x30), DER.element(0x30, DER.element(0xA0)),
      DER.element(0x30, DER.element(0xA1, subtree), DER.element(0xA0, subtree)),
      DER.element(0x30, DER.element(0xA0, subtree), DER.element(0xA0, subtree)),
      DER.element(0x30, DER.element(0xA0, DER.element(0x30, base.der, DER.element(0x80, [1])))),
      DER.element(0x30, DER.element(0xA0, DER.element(0x30, base.der, DER.element(0x80, [0])))),
      DER.element(0x30, DER.element(0xA0, DER.element(0x30, base.der, DER.element(0x81, [1])))),
      DER.element(0x30, DER.element(0xA0, subtree)) + [0],
    ] {
      #expect(verdictOf(contents) == "x5c[1].nameConstraints")
    }
    for name in [
      .dns("*.example"), .dns("a..b"), .dns("."), .dns("ä"), .dns("a\0"), .email("a@b@c"), .email("a@"), .email("@b"),
      .uri("https://a.example"), .uri("a.example:443"), .ip(10, 0, 0, 0), .ip(10, 0, 0, 0, 255, 0, 255, 0),
      Name(tag: 0x88, octets: [0x2A]), Name(tag: 0xA0, octets: [0x06, 1, 0x2A]), .directory([]),
    ] as [Name] {
      for extensionValue in [Self.constraints(permitted: [name]), Self.constraints(excluded: [name])] {
        #expect(verdict { $0.authority.extensions.append(extensionValue) } == "x5c[1].nameConstraints", "\(name)")
      }
    }
    #expect(
      verdict { $0.authority.extensions.append(Self.constraints(excluded: [.directory(DER.name("X"))])) }
        == "x5c[1].nameConstraints")
    #expect(verdict { $0.leaf.extensions.append(Self.constraints(permitted: [base])) } == "x5c[0].nameConstraints")
    #expect(
      verdict { $0.root.extensions.append(Self.constraints(permitted: [.dns("*")])) } == "root[0].nameConstraints")
  }

  @Test("names times constraints are bounded by the octets that are compared, at 1 MiB and one past it")
  func manyNames() {
    func verdictOf(_ names: [Name], _ constraints: [Name]) -> String {
      verdict {
        $0.leaf.extensions.append(Self.alternativeNames(names))
        $0.authority.extensions.append(Self.constraints(excluded: constraints))
      }
    }
    // Each name counts for 16 octets at least with each constraint of its kind; of a URI its host counts, and of an
    // e-mail address all but the `@`. A constraint of another kind counts for 1, as each does for the subject.
    let host = String(repeating: "a", count: 30) + ".x"
    for (name, byteCount, kind) in [
      (Name.dns("a.x"), 16, { .dns("b\($0).x") }), (.dns(host), 32, { .dns("b\($0).x") }),
      (.email("ab@" + host), 34, { .email("b\($0).x") }),
      (.uri("https://\(host)/" + String(repeating: "p", count: 300)), 32, { .uri("b\($0).x") }),
    ] as [(Name, Int, (Int) -> Name)] {
      let names = [Name](repeating: name, count: ((1 << 20) - 256) / (256 * (byteCount + 1)))
      #expect(verdictOf(names, (0..<256).map(kind)) == "ok", "\(name)")
      #expect(verdictOf(names + [name], (0..<256).map(kind)) == "x5c[0].nameConstraints", "\(name)")
      #expect(verdictOf(names + [name], (0..<256).map { _ in .ip(10, 0, 0, 0, 255, 0, 0, 0) }) == "ok")
    }
  }

  @Test("name constraints of an authority with an invalid signature are not evaluated")
  func strangers() {
    #expect(
      verdict {
        $0.leaf.extensions.append(Self.alternativeNames([.dns("a.example.org")]))
        $0.authority.extensions.append(Self.constraints(permitted: [.dns("example.com")]))
        $0.authority.spoilSignature = { $0[$0.count - 1] ^= 1 }
      } == "x5c[1].signature")
  }
}
