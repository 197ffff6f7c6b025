import PureCrypto
import PureJOSETestSupport
import StrictJSON
import Testing
import PureJOSEVectors

/// Files that are an array, and families of files whose subject the package doesn't have.
@Suite("Files that are an array")
struct ArrayFileTests {
  private func run(_ elements: [JSONValue], _ name: String = "a.json") -> VectorReport {
    VectorRunner.run(JSONValue.array(elements).serialized(), fileName: name)
  }

  private func failures(_ report: VectorReport) -> [String] {
    report.failures.map { "\($0.testIdentifier): \($0.reason)" }
  }

  // MARK: X-Wing

  private func xWing(_ number: UInt8) throws -> JSONObject {
    let seed = [UInt8](repeating: number, count: 32)
    let (message, scalar) = ([UInt8](repeating: number &+ 1, count: 32), [UInt8](repeating: number &+ 2, count: 32))
    let key = try XWingPrivateKey(seed: SecretBytes(copying: seed))
    let made = try LatticeKEMPublicKey(.mlKEM768X25519, rawRepresentation: key.publicKey.rawRepresentation)
      .encapsulate(randomness: SecretBytes(copying: message + scalar))
    return [
      "seed": .string(hexadecimal(seed)), "sk": .string(hexadecimal(seed)),
      "eseed": .string(hexadecimal(message + scalar)), "pk": .string(hexadecimal(key.publicKey.rawRepresentation)),
      "ct": .string(hexadecimal(made.ciphertext)),
      "ss": .string(made.sharedSecret.withUnsafeBytes { hexadecimal($0) }),
    ]
  }

  @Test("The draft's vectors of X-Wing pass, and each value that differs fails its test")
  func xWing() throws {
    let (first, second) = (try xWing(1), try xWing(4))
    let report = run([.object(first), .object(second)])
    #expect(failures(report) == [] && report.passed == 2)
    for name in ["seed", "sk", "eseed", "pk", "ct", "ss"] {
      let report = run([.object(first), .object(try second.withFault(in: name))])
      #expect(report.failures.map(\.testIdentifier) == [2] && report.passed == 1, "\(name)")
    }
    var short = second
    short["eseed"] = "00"
    var spare = second
    spare["spare"] = "00"
    let broken = run([.object(first), .object(short), .object(spare), .object(second.without(["pk"])), "text"])
    #expect(
      failures(broken) == [
        "2: member eseed is not 64 octets long", "3: unread field spare", "4: member pk is missing",
        "5: member seed is missing",
      ])
  }

  // MARK: HPKE

  /// Source: RFC 9180 §A.1.1.
  private static let hpke: JSONObject = [
    "mode": 0, "kem_id": 32, "kdf_id": 1, "aead_id": 1, "info": "4f6465206f6e2061204772656369616e2055726e",
    "ikmE": "7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234",
    "ikmR": "6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037",
    "skRm": "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8",
    "enc": "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
  ]
  private static let hpkeMessage: JSONValue = [
    "pt": "4265617574792069732074727574682c20747275746820626561757479", "aad": "436f756e742d30",
    "nonce": "56d890e5accaaf011cff4b7d",
    "ct": "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
  ]

  @Test("Runs of HPKE pass in both forms, and each value that differs fails its test")
  func runsOfHPKE() throws {
    var first = Self.hpke
    first["base_nonce"] = "56d890e5accaaf011cff4b7d"
    first["encryptions"] = [Self.hpkeMessage]
    var second = Self.hpke
    second["encryptions_accumulated"] = "dcabb32ad8e8acea785275323395abd0"
    second["exports_accumulated"] = "45db490fc51c86ba46cca1217f66a75e"
    let report = run([.object(first), .object(second)])
    #expect(failures(report) == [] && report.passed == 2)
    for name in ["ikmE", "ikmR", "skRm", "enc", "info", "base_nonce"] {
      #expect(run([.object(try first.withFault(in: name))]).failures.count == 1, "\(name)")
    }
    for name in ["skRm", "enc", "info", "encryptions_accumulated", "exports_accumulated"] {
      #expect(run([.object(try second.withFault(in: name))]).failures.count == 1, "\(name)")
    }
    var document = Self.hpke
    (document["mode"], document["kem_id"], document["pkEm"]) = ("0", "32", document["enc"])
    let whole: JSONObject = [
      "vectors": [["suite": "", "values": .object(document), "encryptions": [Self.hpkeMessage]]]
    ]
    #expect(failures(VectorRunner.run(whole.serialized(), fileName: "a.json")) == [])
    document["spare"] = "00"
    let spare: JSONObject = ["vectors": [["suite": "", "values": .object(document)]]]
    #expect(failures(VectorRunner.run(spare.serialized(), fileName: "a.json")) == ["1: unread field spare"])
    #expect(failures(run([.object(Self.hpke.without(["info"]))])) == ["1: member info is missing"])
  }

  // MARK: Messages

  @Test("Messages are signed and verified with the parameter set that the file's name says")
  func messages() {
    for (name, count) in [("ml_dsa_44_benchmark.json", 3), ("ML-DSA-65.json", 2), ("ML-DSA-87.alt.json", 1)] {
      let report = run([JSONValue](repeating: "BUS7IAZWYOZ4JHJQYDWRTJL4", count: count), name)
      #expect(failures(report) == [] && report.passed == count && report.skipped == 0, "\(name)")
    }
  }

  @Test("A message that is not printable ASCII fails, and a name without a parameter set leaves the form unknown")
  func brokenMessages() {
    let report = run(["A", "", "é", "a\nb", "B"], "ml_dsa_44.json")
    #expect(report.failures.map(\.testIdentifier) == [2, 3, 4] && report.passed == 2)
    for name in ["messages.json", "ml_dsa_45.json"] {
      #expect(run(["A", "B"], name).skippedByReason == [VectorRunner.unknownForm: 1])
    }
    #expect(run(["A", 1], "ml_dsa_44.json").skippedByReason == [VectorRunner.unknownForm: 1])
  }

  // MARK: What the package doesn't have

  @Test("Runs of HPKE with other KEMs and keys with tokens are skipped, each by name")
  func skippedArrays() {
    let hpke: JSONValue = ["mode": 0, "kem_id": 33, "kdf_id": 1, "aead_id": 1]
    #expect(run([hpke, hpke]).skippedByReason == ["KEM 33 of HPKE is not implemented": 2])
    let tokens: [JSONValue] = [
      ["alg": "HPKE-98", "jwk": [:], "compact": ""], ["alg": "HPKE-99", "jwk": [:], "flattened": [:]],
      ["alg": "HPKE-98", "jwk": [:], "compact": ""], ["alg": "ES256", "jwk": [:], "compact": ""], 1,
    ]
    let report = run(tokens)
    #expect(report.failures.isEmpty && report.executed == 0)
    #expect(
      report.skippedByReason == [
        "HPKE-98 is not implemented": 2, "HPKE-99 is not implemented": 1, VectorRunner.unknownForm: 2,
      ])
  }

  @Test(
    "Documents of other subjects are skipped, and their tests counted",
    arguments: [
      (
        #"{"source":"","vectors":[{"suite":"","values":{"kem_id":"33"}},{"suite":"","values":{"kem_id":"33"}}]}"#,
        "KEM 33 of HPKE is not implemented", 2
      ),
      (#"{"lists":[{"bits":1,"lst":""},{},{}]}"#, "unknown form", 1),
      (#"{"vectors":[{"suites":""}]}"#, "unknown form", 1), (#"{"lists":[]}"#, "unknown form", 1),
    ])
  func skippedDocuments(_ text: String, _ reason: String, _ count: Int) {
    let report = VectorRunner.run(Array(text.utf8), fileName: "a.json")
    #expect(report.failures.isEmpty && report.executed == 0 && report.skippedByReason == [reason: count])
  }

  @Test("The draft's status lists are read, and a wrong status among them is a failure")
  func statusLists() {
    func report(_ status: Int, size: Int = 16, text: String = "eNrbuRgAAhcBXQ") -> VectorReport {
      let statuses = [0, 3, 4, 5, 7, 8, 9, 13, 15].map { "[\($0),\($0 == 15 ? status : 1)]" }.joined(separator: ",")
      let list = #"{"name":"a","bits":1,"lst":"\#(text)","size":\#(size),"statuses":[\#(statuses)]}"#
      return VectorRunner.run(Array(#"{"source":"","lists":[\#(list)]}"#.utf8), fileName: "a.json")
    }
    let right = report(1)
    #expect(right.failures.isEmpty && right.executed == 1 && right.skippedByReason.isEmpty)
    for wrong in [report(0), report(1, size: 17), report(1, text: "eNrbuRgAAhcBXA")] {
      #expect(wrong.failures.count == 1)
    }
  }
}
