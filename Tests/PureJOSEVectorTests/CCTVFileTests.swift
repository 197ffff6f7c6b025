import PureCrypto
import PureJOSETestSupport
import StrictJSON
import Testing
import PureJOSEVectors

/// Values and digests of C2SP's CCTV, as objects and as texts.
@Suite("Files of CCTV")
struct CCTVFileTests {
  private func failures(_ report: VectorReport) -> [String] {
    report.failures.map { "\($0.testIdentifier): \($0.reason)" }
  }

  /// The values of one run of ML-KEM, the last of which is a step inside.
  private func values(_ parameterSet: MLKEMParameterSet) throws -> [(name: String, value: String)] {
    let seed = [UInt8](repeating: 7, count: 64)
    let key = try MLKEMPrivateKey(parameterSet, seed: SecretBytes(copying: seed))
    let message = [UInt8](repeating: 9, count: 32)
    let made = key.publicKey.encapsulate(SecretBytes(copying: message))
    let publicKey = key.publicKey.rawRepresentation
    return [
      ("ρ", hexadecimal(publicKey.suffix(32))), ("ek", hexadecimal(publicKey)), ("z", hexadecimal(seed.suffix(32))),
      ("H(ek)", hexadecimal(SHA3.hash(publicKey, .bits256))),
      ("dk", key.expanded.expandedRepresentation.withUnsafeBytes { hexadecimal($0) }), ("m", hexadecimal(message)),
      ("K", made.sharedSecret.withUnsafeBytes { hexadecimal($0) }), ("c", hexadecimal(made.ciphertext)),
      ("w", "{1, 2}"),
    ]
  }

  private func document(_ name: String, _ values: [(name: String, value: String)]) -> [UInt8] {
    let document: JSONObject = [
      "source": .string("C2SP/CCTV ML-KEM/intermediate/\(name).txt"),
      "values": .array(values.map { [.string($0.name), .string($0.value)] }),
    ]
    return document.serialized()
  }

  private func text(_ values: [(name: String, value: String)]) -> [UInt8] {
    Array(values.map { "\($0.name) = \($0.value)\n" }.joined().utf8)
  }

  /// The same values with "00" in place of one of them.
  private func shortened(_ values: [(name: String, value: String)], _ name: String) -> [(name: String, value: String)] {
    var values = values
    for place in values.indices where values[place].name == name { values[place].value = "00" }
    return values
  }

  /// The same values with another first digit in one of them.
  private func faulty(_ values: [(name: String, value: String)], _ place: Int) -> [(name: String, value: String)] {
    var values = values
    values[place].value = (values[place].value.hasPrefix("0") ? "1" : "0") + values[place].value.dropFirst()
    return values
  }

  @Test("Values pass in either form, and every value that differs fails")
  func values() throws {
    for (name, parameterSet) in [
      ("ML-KEM-768", MLKEMParameterSet.mlKEM768), ("ML-KEM-1024", MLKEMParameterSet.mlKEM1024),
    ] {
      let right = try values(parameterSet)
      for (octets, file) in [(document(name, right), "a.json"), (text(right), "a.txt")] {
        let report = VectorRunner.run(octets, fileName: file)
        #expect(failures(report) == [] && report.passed == 1, "\(file)")
        #expect(report.remarks == ["a value of a step inside, which no operation of the package shows": 1])
      }
      for place in right.indices.dropLast() {
        let wrong = faulty(right, place)
        for (octets, file) in [(document(name, wrong), "a.json"), (text(wrong), "a.txt")] {
          let report = VectorRunner.run(octets, fileName: file)
          #expect(report.failures.map(\.testIdentifier) == [1] && report.passed == 0, "\(wrong[place].name), \(file)")
        }
      }
    }
  }

  @Test("A value that is not known, twice there, missing or of a wrong length fails")
  func malformedValues() throws {
    let right = try values(.mlKEM768)
    let cases: [(reason: String, values: [(name: String, value: String)])] = [
      ("1: unread value q", right + [(name: "q", value: "00")]),
      ("1: value ek is not hexadecimal, or twice there", right + [(name: "ek", value: "00")]),
      ("1: value q is not hexadecimal, or twice there", right + [(name: "q", value: "x")]),
      ("1: dk, c or K is missing", right.filter { $0.name != "K" }),
      ("1: m is not 32 octets long", shortened(right, "m")),
    ]
    for (reason, values) in cases {
      #expect(failures(VectorRunner.run(document("ML-KEM-768", values), fileName: "a.json")) == [reason])
      #expect(failures(VectorRunner.run(text(values), fileName: "a.txt")) == [reason])
    }
    let short = shortened(right, "dk")
    #expect(
      failures(VectorRunner.run(text(short), fileName: "a.txt")) == ["1: dk is as long as no key of ML-KEM is"])
  }

  @Test("ML-KEM-512 is skipped by name")
  func smaller() throws {
    let values: [(name: String, value: String)] = [
      ("dk", String(repeating: "00", count: 1632)), ("c", "00"), ("K", "00"),
    ]
    for (octets, file) in [(document("ML-KEM-512", values), "a.json"), (text(values), "a.txt")] {
      let report = VectorRunner.run(octets, fileName: file)
      #expect(report.failures.isEmpty && report.skippedByReason == ["ML-KEM-512 is not implemented": 1], "\(file)")
    }
  }

  private func accumulated(_ digests: JSONObject, _ others: [(String, JSONValue)] = []) -> VectorReport {
    var document: JSONObject = ["source": "C2SP/CCTV ML-DSA/accumulated/README.md", "procedure": ""]
    document["ML-DSA-44"] = .object(digests)
    for (name, value) in others { document[name] = value }
    return VectorRunner.run(document.serialized(), fileName: "a.json")
  }

  @Test("Digests of many keys pass, those of too many are skipped, and a wrong one fails")
  func accumulated() throws {
    let test = try OwnValues("ml_dsa.json", type: "MlDsaAccumulated", parameterSet: "ML-DSA-44")
    let digests: JSONObject = ["100": try test.value("digest")]
    #expect(accumulated(digests).passed == 1)
    #expect(accumulated(try digests.withFault(in: "100")).failures.map(\.testIdentifier) == [1])
    let others = accumulated(
      ["100": try test.value("digest"), "60000000": "00"], [("fieldOperations", ["result": "00"])])
    #expect(others.passed == 1 && others.failures.isEmpty)
    #expect(
      others.skippedByReason == [
        "60000000 keys take hours": 1, "the tests of PureCrypto have the field operations": 1,
      ])
    for name in ["0", "-1", "many"] {
      #expect(failures(accumulated([name: "00"])) == ["0: \(name) is not a number of keys"])
    }
    #expect(failures(accumulated(digests, [("spare", 1)])) == ["0: unread field spare"])
  }
}
