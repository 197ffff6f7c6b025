import PureCrypto
import StrictJSON
import Testing
import PureJOSEVectors

/// Files of NIST's ACVP for ML-KEM and ML-DSA, made of the package's own vectors.
@Suite("Files of ACVP")
struct ACVPFileTests {
  /// One test, in a form of ACVP.
  private struct Form {
    let algorithm: String
    let mode: String
    let group: JSONObject
    let test: JSONObject
    /// Members in which a changed digit must fail the test.
    let decisive: [String]
    /// Members that expected results have, and prompts don't.
    let results: [String]

    /// The file as the server writes it.
    func fromServer(_ test: JSONObject? = nil, group: JSONObject? = nil) -> JSONObject {
      [
        "vsId": 42, "algorithm": .string(algorithm), "mode": .string(mode), "revision": "FIPS", "isSample": true,
        "testGroups": [.object(filled(group ?? self.group, test ?? self.test))],
      ]
    }

    /// The file as one that was joined by others.
    func joined(_ test: JSONObject? = nil) -> JSONObject {
      [
        "source": .string("usnistgov/ACVP-Server \(algorithm)-\(mode)-FIPS"), "numberOfTests": 1,
        "testGroups": [.object(filled(group, test ?? self.test))],
      ]
    }

    private func filled(_ group: JSONObject, _ test: JSONObject) -> JSONObject {
      var (group, test) = (group, test)
      test["tcId"] = 1
      group["tgId"] = 1
      group["testType"] = "AFT"
      group["tests"] = [.object(test)]
      return group
    }
  }

  private func run(_ document: JSONObject) -> VectorReport {
    VectorRunner.run(document.serialized(), fileName: "acvp.json")
  }

  private func failures(_ report: VectorReport) -> [String] {
    report.failures.map { "\($0.testIdentifier): \($0.reason)" }
  }

  private func kemForms(_ set: String) throws -> [Form] {
    let keys = try OwnValues("ml_kem.json", type: "MlKemKey", parameterSet: set)
    let made = try OwnValues("ml_kem.json", type: "MlKemEncapsulation", parameterSet: set)
    let opened = try OwnValues("ml_kem.json", type: "MlKemExpandedKey", parameterSet: set)
    let seed = try keys.text("seed")
    let (name, d, z) = (JSONValue.string(set), String(seed.prefix(64)), String(seed.suffix(64)))
    var forms: [Form] = []
    forms.append(
      Form(
        algorithm: "ML-KEM", mode: "keyGen", group: ["parameterSet": name],
        test: [
          "deferred": false, "d": .string(d), "z": .string(z), "ek": try keys.value("ek"),
          "dk": try keys.value("dk"),
        ], decisive: ["d", "z", "ek", "dk"], results: ["ek", "dk"]))
    forms.append(
      Form(
        algorithm: "ML-KEM", mode: "encapDecap", group: ["parameterSet": name, "function": "encapsulation"],
        test: [
          "ek": try made.value("ek"), "m": try made.value("m"), "c": try made.value("c"), "k": try made.value("K"),
          "reason": "no modification",
        ], decisive: ["m", "c", "k"], results: ["c", "k"]))
    forms.append(
      Form(
        algorithm: "ML-KEM", mode: "encapDecap", group: ["parameterSet": name, "function": "decapsulation"],
        test: [
          "dk": try opened.value("dk"), "ek": try opened.value("ek"), "c": try opened.value("c"),
          "k": try opened.value("K"),
        ], decisive: ["ek", "c", "k"], results: ["k"]))
    forms.append(
      Form(
        algorithm: "ML-KEM", mode: "encapDecap", group: ["parameterSet": name, "function": "decapsulationKeyCheck"],
        test: ["dk": try opened.value("dk"), "testPassed": true], decisive: [], results: ["testPassed"]))
    forms.append(
      Form(
        algorithm: "ML-KEM", mode: "encapDecap", group: ["parameterSet": name, "function": "encapsulationKeyCheck"],
        test: ["ek": try opened.value("ek"), "testPassed": true], decisive: [], results: ["testPassed"]))
    return forms
  }

  private func signatureForms(_ set: String) throws -> [Form] {
    let (name, isPure) = (JSONValue.string(set), JSONValue.string("pure"))
    let signed = try OwnValues("ml_dsa.json", type: "MlDsaSign", parameterSet: set)
    let hedged = try OwnValues("ml_dsa.json", type: "MlDsaSign", parameterSet: set, with: ["rnd", "ctx"])
    let verified = try OwnValues("ml_dsa.json", type: "MlDsaVerify", parameterSet: set, with: ["msg"])
    let parameterSet: MLDSAParameterSet =
      switch set {
      case "ML-DSA-44": .mlDSA44
      case "ML-DSA-65": .mlDSA65
      default: .mlDSA87
      }
    let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: octets(try signed.text("seed"))))
    // Without a context, what the internal functions sign is two octets of zeros and the message.
    let whole = JSONValue.string("0000" + (try verified.text("msg")))
    let message = octets(try verified.text("msg"))
    let publicKey = try MLDSAVerificationKey(parameterSet, rawRepresentation: octets(try verified.text("publicKey")))
    let mu = JSONValue.string(hexadecimal(try publicKey.externalMu(for: message)))
    var forms: [Form] = []
    forms.append(
      Form(
        algorithm: "ML-DSA", mode: "keyGen", group: ["parameterSet": name],
        test: [
          "seed": try signed.value("seed"), "pk": try signed.value("publicKey"),
          "sk": .string(key.expandedRepresentation.withUnsafeBytes { hexadecimal($0) }),
        ], decisive: ["seed", "pk", "sk"], results: ["pk", "sk"]))
    forms.append(
      Form(
        algorithm: "ML-DSA", mode: "sigGen",
        group: ["parameterSet": name, "deterministic": true, "signatureInterface": "external", "preHash": isPure],
        test: [
          "seed": try signed.value("seed"), "pk": try signed.value("publicKey"), "message": try signed.value("msg"),
          "context": "", "hashAlg": "none", "signatureSha256": try signed.value("sigSha256"),
        ], decisive: ["seed", "pk", "message", "signatureSha256"], results: ["signatureSha256"]))
    forms.append(
      Form(
        algorithm: "ML-DSA", mode: "sigGen",
        group: ["parameterSet": name, "deterministic": false, "signatureInterface": "external", "preHash": isPure],
        test: [
          "seed": try hedged.value("seed"), "message": try hedged.value("msg"), "context": try hedged.value("ctx"),
          "rnd": try hedged.value("rnd"), "signatureSha256": try hedged.value("sigSha256"),
        ], decisive: ["message", "context", "rnd", "signatureSha256"], results: ["signatureSha256"]))
    forms.append(
      Form(
        algorithm: "ML-DSA", mode: "sigVer",
        group: ["parameterSet": name, "signatureInterface": "external", "preHash": isPure],
        test: [
          "pk": try verified.value("publicKey"), "message": try verified.value("msg"), "context": "",
          "signature": try verified.value("sig"), "testPassed": true,
        ], decisive: ["pk", "message", "signature"], results: ["testPassed"]))
    forms.append(
      Form(
        algorithm: "ML-DSA", mode: "sigVer", group: ["parameterSet": name, "signatureInterface": "internal"],
        test: [
          "pk": try verified.value("publicKey"), "message": whole, "signature": try verified.value("sig"),
          "testPassed": true,
        ], decisive: ["pk", "message", "signature"], results: ["testPassed"]))
    forms.append(
      Form(
        algorithm: "ML-DSA", mode: "sigVer",
        group: ["parameterSet": name, "signatureInterface": "internal", "preHash": "none", "externalMu": true],
        test: [
          "pk": try verified.value("publicKey"), "mu": mu, "signature": try verified.value("sig"), "testPassed": true,
        ], decisive: ["pk", "mu", "signature"], results: ["testPassed"]))
    return forms
  }

  private func octets(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map { UInt8($0) } }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private func forms() throws -> [Form] {
    try kemForms("ML-KEM-768") + kemForms("ML-KEM-1024") + signatureForms("ML-DSA-44") + signatureForms("ML-DSA-65")
      + signatureForms("ML-DSA-87")
  }

  @Test("Every form passes, as the server writes it, behind the protocol's version, and joined")
  func passes() throws {
    for form in try forms() {
      let wrapped = JSONValue.array([["acvVersion": "1.0"], .object(form.fromServer())])
      for document in [form.fromServer().serialized(), form.joined().serialized(), wrapped.serialized()] {
        let report = VectorRunner.run(document, fileName: "acvp.json")
        #expect(failures(report) == [], "\(form.mode) \(form.group)")
        #expect(report.passed == 1 && report.skipped == 0, "\(form.mode) \(form.group)")
      }
    }
  }

  @Test("A member that is null counts as absent, as the expanded key beside a seed")
  func nullMembers() throws {
    for form in try signatureForms("ML-DSA-44") where form.mode == "sigGen" {
      for name in ["sk", "mu", "pk", "context"] where form.test[name]?.stringValue?.isEmpty ?? true {
        var test = form.test
        test[name] = .null
        var group = form.group
        group["keyFormat"] = "seed"
        let report = run(form.fromServer(test, group: group))
        #expect(failures(report) == [] && report.passed == 1, "\(name)")
      }
      var prompt = form.test
      for name in form.results { prompt[name] = .null }
      #expect(run(form.fromServer(prompt)).skipped == 1)
      #expect(run(form.joined(prompt)).failures.map(\.testIdentifier) == [1])
    }
  }

  @Test("A wrong value fails every form")
  func faults() throws {
    for form in try forms() {
      for name in form.decisive {
        let report = run(form.joined(try form.test.withFault(in: name)))
        #expect(report.failures.map(\.testIdentifier) == [1], "\(form.mode), \(name)")
        #expect(report.passed == 0)
      }
      guard form.test.contains("testPassed") else { continue }
      var turned = form.test
      turned["testPassed"] = false
      #expect(failures(run(form.joined(turned))) == ["1: is invalid but was accepted"])
      for name in form.decisive {
        #expect(failures(run(form.joined(try turned.withFault(in: name)))) == [], "\(form.mode), \(name)")
      }
    }
  }

  @Test("A key that breaks a rule is refused by the checks of keys, and fails where it should be right")
  func keyChecks() throws {
    for form in try kemForms("ML-KEM-768") where form.results == ["testPassed"] {
      let name = form.test.contains("dk") ? "dk" : "ek"
      var broken = form.test
      // 4095 is no coefficient.
      broken[name] = .string("ffffff" + (try #require(form.test[name]?.stringValue).dropFirst(6)))
      #expect(run(form.joined(broken)).failures.map(\.testIdentifier) == [1])
      broken["testPassed"] = false
      #expect(failures(run(form.joined(broken))) == [])
    }
  }

  @Test("An expanded key may be stated as its SHA-256")
  func digests() throws {
    let form = try #require(try kemForms("ML-KEM-768").first)
    var test = form.test.without(["dk"])
    let expanded = octets(try #require(form.test["dk"]?.stringValue))
    test["dkSha256"] = .string(hexadecimal(Array(SHA2.SHA256.hash(expanded))))
    #expect(run(form.joined(test)).passed == 1)
    #expect(run(form.joined(try test.withFault(in: "dkSha256"))).failures.map(\.testIdentifier) == [1])
  }

  @Test("Half of a test is skipped in a file of the server, and fails in a joined one")
  func halves() throws {
    for form in try kemForms("ML-KEM-768") + signatureForms("ML-DSA-44") {
      let prompt = form.test.without(form.results)
      let report = run(form.fromServer(prompt))
      #expect(failures(report) == [])
      #expect(
        report.skippedByReason == ["a prompt of ACVP or its expected results, without the other": 1],
        "\(form.mode) \(form.group)")
      #expect(run(form.joined(prompt)).failures.map(\.testIdentifier) == [1], "\(form.mode) \(form.group)")
    }
    let form = try #require(try kemForms("ML-KEM-768").first)
    let results = run(form.fromServer(form.test.without(["d", "z"]), group: [:]))
    #expect(results.skippedByReason.count == 1 && results.skipped == 1 && results.failures.isEmpty)
  }

  @Test("What the package doesn't have is skipped and named")
  func skipped() throws {
    let key = try #require(try kemForms("ML-KEM-768").first)
    let smaller = run(key.fromServer(group: ["parameterSet": "ML-KEM-512"]))
    #expect(smaller.failures.isEmpty && smaller.skippedByReason == ["ML-KEM-512 is not implemented": 1])
    let signatures = try signatureForms("ML-DSA-44").filter { $0.mode == "sigGen" }
    let form = try #require(signatures.first)
    var hashed = form.group
    hashed["preHash"] = "preHash"
    #expect(run(form.fromServer(group: hashed)).skippedByReason == ["HashML-DSA is not implemented": 1])
    var expanded = form.test.without(["seed"])
    expanded["sk"] = "00"
    #expect(
      run(form.fromServer(expanded)).skippedByReason == ["an ML-DSA private key without its seed is not implemented": 1]
    )
    var other = key.fromServer()
    other["algorithm"] = "SLH-DSA"
    #expect(run(other).skippedByReason == ["SLH-DSA is not implemented": 1])
  }

  @Test("A damaged file fails")
  func malformed() throws {
    let form = try #require(try kemForms("ML-KEM-768").first)
    var counted = form.joined()
    counted["numberOfTests"] = 2
    #expect(failures(run(counted)) == ["0: 1 tests where numberOfTests says 2"])
    var spare = form.test
    spare["spare"] = 1
    #expect(failures(run(form.fromServer(spare))) == ["1: unread field spare"])
    var group = form.group
    group["function"] = "encapsulate"
    #expect(failures(run(form.fromServer(group: group))) == ["0: unknown function encapsulate"])
    var unread = form.fromServer()
    unread["spare"] = 1
    #expect(failures(run(unread)) == ["0: unread field spare"])
    let encapsulation = try kemForms("ML-KEM-768")[1]
    var short = encapsulation.test
    short["m"] = "00"
    #expect(failures(run(encapsulation.fromServer(short))) == ["1: member m is not 32 octets long"])
  }
}
