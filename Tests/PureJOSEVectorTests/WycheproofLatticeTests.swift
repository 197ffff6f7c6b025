import PureCrypto
import PureJOSETestSupport
import StrictJSON
import Testing
import PureJOSEVectors

/// Wycheproof's groups of ML-DSA and ML-KEM, made of the package's own vectors.
@Suite("Wycheproof's groups of lattices")
struct WycheproofLatticeTests {
  private func run(
    _ schema: String, algorithm: String, type: String, group: JSONObject, test: JSONObject, result: JSONValue = "valid"
  ) -> VectorReport {
    var (group, test) = (group, test)
    test["tcId"] = 1
    test["result"] = result
    group["type"] = .string(type)
    group["source"] = ["name": "own", "version": "1"]
    group["tests"] = [.object(test)]
    let document: JSONObject = [
      "algorithm": .string(algorithm), "header": [], "schema": .string(schema), "numberOfTests": 1, "notes": [:],
      "testGroups": [.object(group)],
    ]
    return VectorRunner.run(document.serialized(), fileName: "a.json")
  }

  private func failures(_ report: VectorReport) -> [String] {
    report.failures.map { "\($0.testIdentifier): \($0.reason)" }
  }

  @Test("Signatures of messages and of their digests are verified", arguments: ["msg", "mu"])
  func verify(_ name: String) throws {
    let own = try OwnValues("ml_dsa.json", type: "MlDsaVerify", parameterSet: "ML-DSA-44", with: [name])
    let group: JSONObject = ["publicKey": try own.value("publicKey")]
    let test: JSONObject = [name: try own.value(name), "sig": try own.value("sig"), "flags": ["Internal"]]
    func run(_ test: JSONObject, _ result: JSONValue = "valid") -> VectorReport {
      self.run(
        "mldsa_verify_schema.json", algorithm: "ML-DSA-44", type: "MlDsaVerify", group: group, test: test,
        result: result)
    }
    let report = run(test)
    #expect(failures(report) == [] && report.passed == 1)
    #expect(report.remarks == ["flag Internal is not explained": 1])
    #expect(failures(run(test, "invalid")) == ["1: is invalid but was accepted"])
    for member in [name, "sig"] {
      let faulty = try test.withFault(in: member)
      #expect(run(faulty).failures.map(\.testIdentifier) == [1], "\(member)")
      #expect(failures(run(faulty, "invalid")) == [], "\(member)")
    }
    #expect(failures(run(test.without([name]))) == ["1: msg and mu are missing"])
    var both = test
    both["msg"] = "ff"
    both["mu"] = .string(String(repeating: "00", count: 64))
    #expect(failures(run(both)) == ["1: mu is not that of msg"])
  }

  @Test("Signatures are made from a seed in the group or in the test, and exact")
  func sign() throws {
    let own = try OwnValues("ml_dsa.json", type: "MlDsaSign", parameterSet: "ML-DSA-44", with: ["rnd", "ctx"])
    let seed = try own.text("seed")
    let digits = Array(seed.utf8).map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0) }
    let octets = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    let key = try MLDSASigningKey(.mlDSA44, seed: SecretBytes(copying: octets))
    let signature = try key.signature(for: [0x31], deterministically: true)
    let mu = try key.publicKey.externalMu(for: [0x31])
    let hedged = try key.signature(externalMu: mu, randomness: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
    let inGroup: JSONObject = ["privateSeed": .string(seed), "publicKey": try own.value("publicKey")]
    let inTest: JSONObject = [
      "privateSeed": .string(seed), "publicKey": try own.value("publicKey"),
      "privateKey": .string(key.expandedRepresentation.withUnsafeBytes { hexadecimal($0) }),
      "randomness": .string(String(repeating: "05", count: 32)), "msg": "31", "ctx": "",
      "mu": .string(hexadecimal(mu)), "sig": .string(hexadecimal(hedged)),
    ]
    func run(_ group: JSONObject, _ test: JSONObject) -> VectorReport {
      self.run("mldsa_sign_seed_schema.json", algorithm: "ML-DSA-44", type: "MlDsaSign", group: group, test: test)
    }
    let ofMessage: JSONObject = ["msg": "31", "sig": .string(hexadecimal(signature))]
    let ofMu: JSONObject = ["mu": .string(hexadecimal(mu)), "sig": .string(hexadecimal(signature))]
    let cases: [(JSONObject, JSONObject)] = [
      (inGroup, ofMessage), (inGroup, ofMu), ([:], inTest), ([:], inTest.without(["publicKey", "privateKey"])),
      (inGroup.without(["publicKey"]), ofMessage),
    ]
    for (group, test) in cases {
      #expect(failures(run(group, test)) == [])
      for (member, value) in test.members where value.stringValue?.isEmpty == false {
        #expect(run(group, try test.withFault(in: member)).failures.map(\.testIdentifier) == [1], "\(member)")
      }
    }
    var short = inTest
    short["randomness"] = "00"
    #expect(failures(run([:], short)) == ["1: member rnd is not 32 octets long"])
  }

  @Test("Private keys without a seed are skipped by name")
  func expandedPrivateKeys() {
    let report = run(
      "mldsa_sign_noseed_schema.json", algorithm: "ML-DSA-44", type: "MlDsaSign", group: ["privateKey": "00"],
      test: ["msg": "", "sig": ""])
    #expect(report.failures.isEmpty && report.executed == 0)
    #expect(report.skippedByReason == ["an ML-DSA private key without its seed is not implemented": 1])
    let inTest = run(
      "mldsa_sign_noseed_schema.json", algorithm: "ML-DSA-44", type: "MlDsaSign", group: [:],
      test: ["privateKey": "00", "publicKey": "00", "msg": "", "sig": ""])
    #expect(inTest.failures.isEmpty && inTest.skippedByReason == report.skippedByReason)
    let without = run(
      "mldsa_sign_seed_schema.json", algorithm: "ML-DSA-44", type: "MlDsaSign", group: [:],
      test: ["msg": "", "sig": ""])
    #expect(failures(without) == ["1: member privateSeed is missing"])
  }

  @Test("Expanded keys decapsulate, whether or not the secret is stated")
  func expandedKeys() throws {
    let own = try OwnValues("ml_kem.json", type: "MlKemExpandedKey", parameterSet: "ML-KEM-768")
    let test: JSONObject = [
      "dk": try own.value("dk"), "ek": try own.value("ek"), "c": try own.value("c"), "K": try own.value("K"),
    ]
    func run(_ test: JSONObject, _ result: JSONValue = "valid") -> VectorReport {
      self.run(
        "mlkem_decaps_test_schema.json", algorithm: "ML-KEM", type: "MLKEMDecapsValidationTest",
        group: ["parameterSet": "ML-KEM-768"], test: test, result: result)
    }
    for test in [test, test.without(["K"]), test.without(["K", "ek"])] {
      #expect(failures(run(test)) == [])
      #expect(failures(run(test, "invalid")) == ["1: is invalid but was accepted"])
    }
    for member in ["ek", "c", "K"] {
      #expect(run(try test.withFault(in: member)).failures.map(\.testIdentifier) == [1], "\(member)")
    }
    var short = test.without(["K", "ek"])
    short["c"] = "00"
    #expect(run(short).failures.map(\.testIdentifier) == [1])
    #expect(failures(run(short, "invalid")) == [])
  }

  @Test("A type of group that the runner doesn't know is skipped by name")
  func unknownType() {
    let report = run(
      "ecdsa_bitcoin_verify_schema.json", algorithm: "ECDSA", type: "EcdsaOtherVerify", group: [:], test: [:])
    #expect(report.failures.isEmpty && report.skippedByReason == ["group type EcdsaOtherVerify is not implemented": 1])
  }

  @Test("A message for an encapsulation has 32 octets")
  func shortMessage() throws {
    let own = try OwnValues("ml_kem.json", type: "MlKemEncapsulation", parameterSet: "ML-KEM-768")
    let report = run(
      "mlkem_encaps_test_schema.json", algorithm: "ML-KEM", type: "MLKEMEncapsTest",
      group: ["parameterSet": "ML-KEM-768"],
      test: ["m": "00", "ek": try own.value("ek"), "c": try own.value("c"), "K": try own.value("K")])
    #expect(failures(report) == ["1: member m is not 32 octets long"])
  }
}
