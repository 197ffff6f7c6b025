import PureCrypto
import StrictJSON

/// Tests of NIST's ACVP for ML-KEM and ML-DSA: what prompts and expected results say, joined, with expanded keys as
/// their SHA-256.
enum ACVPFile {
  /// Whether a document has the shape of such a file.
  static func recognizes(_ document: JSONObject) -> Bool {
    document["source"]?.stringValue?.hasPrefix("usnistgov/ACVP-Server ") == true
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    do throws(VectorFault) {
      let file = MemberReader(document)
      _ = try file.string("source")
      let stated = try file.integer(ifPresent: "numberOfTests")
      var count = 0
      for group in try file.objects("testGroups") {
        let run = try operation(of: group)
        for test in try group.objects("tests") {
          count += 1
          let isRefused = try test.boolean(ifPresent: "testPassed") == false
          var outcome = Outcome(
            reading: test, number: try test.integer("tcId"), expected: isRefused ? .invalid : .valid)
          outcome.judge(running: run)
          outcome.requireEverythingRead(group: group)
          outcome.add(to: &report)
        }
      }
      if let stated, stated != count { report.fail(0, "\(count) tests where numberOfTests says \(stated)") }
      if let name = file.unread.first { throw .malformed("unread field \(name)") }
    } catch {
      report.fail(0, "\(error)")
    }
  }

  /// What a group's tests ask for.
  private static func operation(of group: MemberReader) throws(VectorFault) -> (MemberReader) throws -> Verdict {
    _ = try group.integer(ifPresent: "tgId")
    if let type = try group.string(ifPresent: "testType"), type != "AFT" { throw .malformed("unknown test type") }
    if try group.string("parameterSet").hasPrefix("ML-DSA") { return try operationOfMLDSA(group) }
    let parameterSet = try group.mlKEMParameterSet()
    switch try group.string(ifPresent: "function") {
    case "decapsulationKeyCheck":
      return { test in
        _ = try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: test.octets("dk"))
        return .accepted
      }
    case "encapsulationKeyCheck":
      return { test in
        _ = try MLKEMPublicKey(parameterSet, rawRepresentation: test.octets("ek"))
        return .accepted
      }
    case nil:
      return { test in
        let (publicKey, expandedDigest) = (try test.octets("ek"), try test.octets("dkSha256"))
        let seed = SecretBytes(copying: try test.octets("d") + test.octets("z"))
        let key = try MLKEMPrivateKey(parameterSet, seed: seed)
        return .accepted(
          if: key.publicKey.rawRepresentation == publicKey
            && Array(SHA2.SHA256.hash(key.expanded.expandedRepresentation.octets)) == expandedDigest,
          otherwise: "a key differs")
      }
    case let function?:
      throw .malformed("unknown function \(function)")
    }
  }
  private static func operationOfMLDSA(
    _ group: MemberReader
  ) throws(VectorFault) -> (MemberReader) throws -> Verdict {
    let parameterSet = try MLDSAParameterSet(named: try group.string("parameterSet"))
    guard let interface = try group.string(ifPresent: "signatureInterface") else {
      return { test in
        let (seed, publicKey) = (try test.octets("seed"), try test.octets("pk"))
        let expandedDigest = try test.octets("skSha256")
        let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: seed))
        return .accepted(
          if: key.publicKey.rawRepresentation == publicKey
            && Array(SHA2.SHA256.hash(key.expandedRepresentation.octets)) == expandedDigest,
          otherwise: "a key differs")
      }
    }
    guard interface == "external", try group.string("preHash") == "pure" else {
      throw .malformed("unknown form of signature")
    }
    return { test in
      let key = try MLDSAVerificationKey(parameterSet, rawRepresentation: test.octets("pk"))
      let (message, context) = (try test.octets("message"), try test.octets("context"))
      return .accepted(if: key.isValidSignature(try test.octets("signature"), for: message, context: context))
    }
  }
}
