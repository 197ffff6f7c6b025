import StrictJSON
import PureJOSETestSupport
import Testing
import PureJOSEVectors

/// The runner fails where a file and what was run of it don't agree.
@Suite("Vector runner")
struct VectorRunnerTests {
  /// Changes the envelope of a file and runs it.
  private func run(
    _ name: String = "hmac.json", overrides: VectorOverrides = .none, changing change: (inout JSONValue) throws -> Void
  ) throws -> VectorReport {
    var document = try JSONValue(parsing: try VectorFiles.own(name))
    try change(&document)
    return VectorRunner.run(document.serialized(), fileName: name, overrides: overrides)
  }

  /// The failures as text, `number: reason`.
  private func failures(_ report: VectorReport) -> [String] {
    report.failures.map { "\($0.testIdentifier): \($0.reason)" }
  }

  @Test("An unchanged file passes")
  func unchanged() throws {
    let report = try run { _ in }
    #expect(failures(report) == [])
    #expect(report.passed == 72)
    #expect(report.executed == 72)
    #expect(report.skipped == 0)
  }

  @Test(
    "A flipped octet in any output or input fails that test",
    arguments: [
      ("sha2.json", ["msg", "digest"]), ("hmac.json", ["key", "msg", "tag"]), ("aes.json", ["key", "pt", "ct"]),
      ("aes_gcm.json", ["key", "iv", "aad", "msg", "ct", "tag"]), ("ecdsa_p256.json", ["msg", "k", "r", "s", "sig"]),
      ("secp256k1.json", ["msg", "k", "r", "s", "sig"]),
      ("ecdh_p256.json", ["private", "shared"]), ("concat_kdf.json", ["z", "otherInfo", "derivedKey"]),
      ("ml_kem.json", ["seed", "ek", "dk", "m", "c", "K"]), ("ml_dsa.json", ["sigSha256", "sig"]),
      ("x_wing.json", ["sk", "ct", "ss"]), ("lattice_kems.json", ["ikm", "sk", "pkSha256", "randomness", "ct", "ss"]),
      ("hpke.json", ["nonce", "msg", "aad", "ct", "exported", "exporterContext"]),
    ])
  func flippedOctet(_ name: String, _ members: [String]) throws {
    for member in members {
      var changed: Int?
      let report = try run(name) { document in
        changed = try document.changeTest(
          where: { test in
            test["result"]?.stringValue == "valid" && (test[member]?.stringValue?.count ?? 0) >= 8
          },
          { test in
            guard let text = test[member]?.stringValue else { return }
            test[member] = .string((text.hasPrefix("0") ? "1" : "0") + text.dropFirst())
          })
      }
      #expect(report.failures.map(\.testIdentifier) == [try #require(changed)], "\(name), \(member)")
    }
  }

  @Test(
    "A number that decides how much is computed is bounded, and a test that computes nothing is no pass",
    arguments: [
      (
        "EcdsaVerify", #""publicKey":{"type":"EcPublicKey","curve":"secp256k1","keySize":9223372036854775807}"#,
        #"{"tcId":1,"comment":"","flags":[],"result":"valid","msg":"","sig":""}"#,
        "keySize is not that of the curve"
      ),
      (
        "XdhIterated", #""curve":"X25519""#,
        #"{"tcId":1,"comment":"","flags":[],"result":"valid","start":"00","iterations":-1,"shared":"00"}"#,
        "member iterations is out of range"
      ),
      (
        "XdhIterated", #""curve":"X25519""#,
        #"{"tcId":1,"comment":"","flags":[],"result":"valid","start":"00","iterations":0,"shared":"00"}"#,
        "member iterations is out of range"
      ),
      (
        "PbkdfTest", #""algorithm":"PBKDF2-HMACSHA256""#,
        #"{"tcId":1,"comment":"","flags":[],"result":"valid","password":"00","salt":"00","iterationCount":9223372036854775807,"dkLen":1,"dk":"00"}"#,
        "member iterationCount is out of range"
      ),
    ])
  func bounds(_ type: String, _ group: String, _ test: String, _ reason: String) {
    let isWycheproof = type == "EcdsaVerify"
    let file = isWycheproof ? #""schema":"ecdsa_verify_schema_v1.json""# : #""schema":"jose_vectors_v1","source":{}"#
    let text = #"""
      {\#(file),"algorithm":"X","notes":{},"numberOfTests":1,"testGroups":[{"type":"\#(type)",\#(group),
      "source":{"name":"a","version":"b"},"tests":[\#(test)]}]}
      """#
    let report = VectorRunner.run(Array(text.utf8), fileName: "made.json", overrides: .none)
    #expect(report.passed == 0)
    #expect(report.failures.contains { $0.reason.contains(reason) }, "\(failures(report))")
  }

  @Test("A file of the ACVP server or of CCTV without a test fails")
  func noTests() {
    for text in [
      #"{"vsId":1,"algorithm":"ML-KEM","mode":"keyGen","revision":"FIPS203","testGroups":[]}"#,
      #"{"source":"C2SP/CCTV ML-DSA","procedure":"x"}"#,
    ] {
      let report = VectorRunner.run(Array(text.utf8), fileName: "made.json", overrides: .none)
      #expect(report.failures.map(\.testIdentifier) == [0], "\(text): \(failures(report))")
    }
  }

  @Test("A test turned from valid to invalid fails, and the other way round")
  func turnedResult() throws {
    for (from, to) in [("valid", "invalid"), ("invalid", "valid")] {
      var changed: Int?
      let report = try run { document in
        changed = try document.changeTest(where: { $0["result"]?.stringValue == from }) { $0["result"] = .string(to) }
      }
      #expect(report.failures.map(\.testIdentifier) == [try #require(changed)])
    }
  }

  @Test("Acceptable passes either way, but not with a wrong output")
  func acceptable() throws {
    for from in ["valid", "invalid"] {
      let report = try run { document in
        _ = try document.changeTest(where: { $0["result"]?.stringValue == from }) { $0["result"] = "acceptable" }
      }
      #expect(failures(report) == [])
    }
    let report = try run("sha2.json") { document in
      _ = try document.changeTest { test in
        test["result"] = "acceptable"
        test["msg"] = "00"
      }
    }
    #expect(failures(report) == ["1: the digest differs"])
  }

  @Test("A member that nobody reads fails the test", arguments: ["sha2.json", "aes_gcm.json", "jws.json"])
  func unreadMember(_ name: String) throws {
    let report = try run(name) { document in
      _ = try document.changeTest { $0["spare"] = "1" }
    }
    #expect(failures(report) == ["1: unread field spare"])
  }

  @Test("A member that nobody reads fails in a nested object too")
  func unreadNestedMember() throws {
    let report = try run("ecdh_p256.json") { document in
      _ = try document.changeTest { test in
        guard case .object(var point)? = test["public"] else { return }
        point["z"] = "00"
        test["public"] = .object(point)
      }
    }
    #expect(failures(report) == ["1: unread field public.z"])
  }

  @Test("A member of a group that nobody reads fails every test of the group")
  func unreadGroupMember() throws {
    let report = try run("sha2.json") { document in
      try document.changeGroup { $0["spare"] = "1" }
    }
    #expect(failures(report) == (1...11).map { "\($0): unread field spare in the group" })
  }

  @Test("A member of the file that nobody reads fails the file")
  func unreadFileMember() throws {
    let report = try run { try $0.changeObject { $0["spare"] = "1" } }
    #expect(failures(report) == ["0: unread field spare"])
  }

  @Test("A missing member fails the test", arguments: ["key", "msg", "tag", "comment", "result"])
  func missingMember(_ name: String) throws {
    let report = try run { document in _ = try document.changeTest { $0[name] = nil } }
    #expect(failures(report) == ["1: member \(name) is missing"])
  }

  @Test("A number of tests that differs fails the file", arguments: [71, 73, 0])
  func numberOfTests(_ number: Int) throws {
    let report = try run { try $0.changeObject { $0["numberOfTests"] = .number(JSONNumber(number)) } }
    #expect(failures(report) == ["0: 72 tests where numberOfTests says \(number)"])
  }

  @Test("A flag that the notes don't explain is a remark, and so are flags that lack; neither hides a fault")
  func flags() throws {
    #expect(try run { _ in }.remarks == [:])
    for (flags, remark) in [(["Surprise"], "flag Surprise is not explained"), (nil, "a test has no flags")]
      as [(JSONValue?, String)]
    {
      let report = try run { document in _ = try document.changeTest { $0["flags"] = flags } }
      #expect(failures(report) == [] && report.passed == 72 && report.remarks == [remark: 1])
      let faulty = try run { document in
        _ = try document.changeTest { test in
          test["flags"] = flags
          test["tag"] = "00"
        }
      }
      #expect(faulty.failures.map(\.testIdentifier) == [1] && faulty.remarks == [remark: 1])
    }
    let wrong = try run { document in _ = try document.changeTest { $0["flags"] = "Surprise" } }
    #expect(failures(wrong) == ["1: member flags is not an array"])
  }

  @Test("A number that occurs twice fails")
  func repeatedNumber() throws {
    let report = try run { document in _ = try document.changeTest { $0["tcId"] = 2 } }
    #expect(failures(report) == ["2: another test has the same number"])
  }

  @Test("An unknown group type fails where the algorithm is claimed, and is skipped where it isn't")
  func unknownGroupType() throws {
    let claimed = try run("sha2.json") { try $0.changeGroup { $0["type"] = "Hsh" } }
    #expect(failures(claimed) == (1...11).map { "\($0): unknown group type Hsh" })
    let unclaimed = try run("sha2.json") { document in
      try document.changeObject { $0["algorithm"] = "Rot13" }
      try document.changeGroup { $0["type"] = "Rotate" }
    }
    #expect(failures(unclaimed) == [])
    #expect(unclaimed.skippedByReason == ["Rot13 is not implemented": 11])
    #expect(unclaimed.executed == 28)
    // Whatever is wrong with a test that can't be run is not looked at.
    let incomplete = try run("sha2.json") { document in
      try document.changeObject { $0["algorithm"] = "Rot13" }
      try document.changeGroup { $0["type"] = "Rotate" }
      _ = try document.changeTest { $0["comment"] = nil }
    }
    #expect(failures(incomplete) == [] && incomplete.skipped == 11)
  }

  @Test("An algorithm that the package doesn't have is skipped and named")
  func unknownAlgorithm() throws {
    let report = try run("ecdh_p256.json") { try $0.changeGroup { $0["curve"] = "P-224" } }
    #expect(failures(report) == [])
    #expect(report.skippedByReason == ["P-224 is not implemented": 27])
    #expect(report.executed == 0)
  }

  @Test("A recipient whose algorithm the package doesn't have is skipped and named, unless it is not allowed")
  func unknownAlgorithmOfRecipient() {
    let token = """
      {"protected":"eyJlbmMiOiJBMjU2R0NNIn0","recipients":[{"header":{"alg":"A256KW"},"encrypted_key":"AA"},
       {"header":{"alg":"HPKE-98"},"encrypted_key":"AA"}],"iv":"AAAAAAAAAAAAAAAA","ciphertext":"AA",
       "tag":"AAAAAAAAAAAAAAAAAAAAAA"}
      """
    func run(_ algorithms: JSONValue) -> VectorReport {
      let test: JSONObject = [
        "tcId": 1, "comment": "", "flags": [], "serialization": "general", "algs": algorithms, "encs": ["A256GCM"],
        "key": ["kty": "oct", "k": .string(String(repeating: "A", count: 43))], "token": .string(token), "payload": "",
        "result": "valid",
      ]
      let file: JSONObject = [
        "algorithm": "JWE", "schema": "jose_vectors_v1", "source": [:], "numberOfTests": 1, "notes": [:],
        "testGroups": [["type": "JweDecrypt", "tests": [.object(test)]]],
      ]
      return VectorRunner.run(file.serialized(), fileName: "jwe.json")
    }
    let report = run(["A256KW", "HPKE-98"])
    #expect(report.failures.isEmpty && report.skippedByReason == ["HPKE-98 is not implemented": 1])
    #expect(run(["A256KW"]).failures.map(\.testIdentifier) == [1])
  }

  @Test("An error that a test names must be the one that comes", arguments: ["malformed", "claimInvalid(exp)"])
  func expectedError(_ error: String) throws {
    let report = try run("jws.json") { document in
      _ = try document.changeTest(where: { $0["error"] == "signatureInvalid" }) { $0["error"] = .string(error) }
    }
    #expect(failures(report) == ["2: was refused with signatureInvalid instead of \(error)"])
  }

  @Test("A schema that is not known fails the file", arguments: ["jose_vectors_v2", "", "schema"])
  func unknownSchema(_ name: String) throws {
    let report = try run { try $0.changeObject { $0["schema"] = .string(name) } }
    #expect(failures(report) == ["0: unknown schema \(name)"])
  }

  @Test(
    "What is not JSON, and an envelope without its members, fails",
    arguments: ["", "{", "[", "{}{}", "{\"a\":1,\"a\":1}", "{\"testGroups\":[]}", "Hello"])
  func malformedFile(_ text: String) {
    let report = VectorRunner.run(Array(text.utf8), fileName: "x.json")
    #expect(report.failures.map(\.testIdentifier) == [0])
    #expect(report.executed == 0 && report.skipped == 0)
  }

  @Test(
    "A file of an unknown form is skipped and says so",
    arguments: [
      "[]", "{}", "null", "\"text\"", "[1, 2]", "[\"a\", \"b\"]", "{\"title\": \"A schema\", \"type\": \"object\"}",
    ])
  func unknownForm(_ text: String) {
    let report = VectorRunner.run(Array(text.utf8), fileName: "x.json")
    #expect(report.failures.isEmpty && report.executed == 0)
    #expect(report.skippedByReason == ["unknown form": 1])
  }

  @Test("A folder's files are run by their names")
  func names() {
    for name in ["a.json", "a.txt", "a.json.gz", "a.txt.gz", "b.schema.json"] {
      #expect(VectorFolder.runsFile(named: name), "\(name)")
    }
    for name in [
      "README.md", "schema.json", "wycheproof_overrides.json", "schema.json.gz", ".json", ".gz", "a.gz", "json",
      "a.rsp",
    ] {
      #expect(!VectorFolder.runsFile(named: name), "\(name)")
    }
  }

  // MARK: Overrides

  private func overrides(
    _ result: String, upstream: String = "valid", test: Int = 1, comment: String = "case 1", file: String = "hmac.json"
  ) throws -> VectorOverrides {
    let document: JSONObject = [
      "description": "", "schema": "wycheproof_overrides_v1",
      "overrides": [
        [
          "file": .string(file), "tcId": .number(JSONNumber(test)), "comment": .string(comment),
          "upstreamResult": .string(upstream), "result": .string(result), "reason": "",
        ]
      ],
    ]
    return try VectorOverrides(parsing: JSONValue.object(document).serialized())
  }

  @Test("An override replaces the expected result of its test alone")
  func override() throws {
    #expect(failures(try run(overrides: try overrides("acceptable")) { _ in }) == [])
    #expect(
      failures(try run(overrides: try overrides("invalid")) { _ in }) == ["1: is invalid but was accepted"])
    #expect(failures(try run(overrides: try overrides("invalid", file: "other.json")) { _ in }) == [])
  }

  @Test("An override that doesn't fit its test fails")
  func staleOverride() throws {
    let stale = ["1: is not the test that the override was written for"]
    #expect(failures(try run(overrides: try overrides("acceptable", comment: "case 2")) { _ in }) == stale)
    #expect(failures(try run(overrides: try overrides("acceptable", upstream: "invalid")) { _ in }) == stale)
    #expect(
      failures(try run(overrides: try overrides("valid", test: 1000)) { _ in })
        == ["1000: is overridden but not in the file"])
  }

  @Test(
    "A document that isn't one of overrides is refused",
    arguments: [
      "", "{}", "[]", #"{"description":"","schema":"x","overrides":[]}"#, #"{"schema":"wycheproof_overrides_v1"}"#,
    ])
  func noOverrides(_ text: String) {
    #expect(throws: VectorFault.self) { try VectorOverrides(parsing: Array(text.utf8)) }
  }
}
