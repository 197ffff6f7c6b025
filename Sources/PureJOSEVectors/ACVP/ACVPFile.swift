import PureCrypto
import StrictJSON

/// Tests of NIST's ACVP for ML-KEM and ML-DSA: as the server writes them, what prompts and expected results say joined
/// in one file; or such a file with its source, and expanded keys as their SHA-256.
enum ACVPFile {
  /// Whether a document has the shape of such a file.
  static func recognizes(_ document: JSONObject) -> Bool {
    document["source"]?.stringValue?.hasPrefix("usnistgov/ACVP-Server ") == true || isFromServer(document)
  }

  /// The document in an array that has the protocol's version before it.
  static func unwrapped(_ elements: [JSONValue]) -> JSONObject? {
    guard elements.count == 2, elements[0].objectValue?.contains("acvVersion") == true,
      let document = elements[1].objectValue, isFromServer(document)
    else { return nil }
    return document
  }

  private static func isFromServer(_ document: JSONObject) -> Bool {
    ["vsId", "testGroups"].allSatisfy(document.contains)
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    do throws(VectorFault) {
      let file = MemberReader(document)
      let context = try isFromServer(document) ? ACVPContext(envelope: file) : ACVPContext(source: file)
      let stated = try file.integer(ifPresent: "numberOfTests")
      var count = 0
      for group in try file.objects("testGroups") {
        let tests = try group.objects("tests")
        count += tests.count
        do throws(VectorFault) {
          let operation = try operation(of: group, in: context)
          for test in tests { run(test, of: group, operation, in: context, into: &report) }
        } catch {
          let isNewer = if case .unknown = error { !report.isStrict } else { false }
          guard error.isReasonToSkip || isNewer else { throw error }
          report.skip("\(error)", count: tests.count)
        }
      }
      if count == 0 { throw .malformed("the file has no tests") }
      if let stated, stated != count { report.fail(0, "\(count) tests where numberOfTests says \(stated)") }
      report.noteUnread(file.unread.first)
    } catch {
      report.fail(0, "\(error)")
    }
  }

  private static func run(
    _ test: MemberReader, of group: MemberReader, _ operation: any ACVPOperation, in context: ACVPContext,
    into report: inout VectorReport
  ) {
    do throws(VectorFault) {
      let isRefused = try test.boolean(ifPresent: "testPassed") == false
      var outcome = Outcome(
        reading: test, number: try test.integer("tcId"), expected: isRefused ? .invalid : .valid)
      outcome.judge { test in
        // Whether the server looks into it later, and what was changed.
        _ = (try test.boolean(ifPresent: "deferred"), try test.string(ifPresent: "reason"))
        try context.requireBothHalves(of: test, group, operation)
        return try operation.run(ACVPTest(test: test, group: group, mode: context.mode))
      }
      outcome.requireEverythingRead(group: group, isStrict: report.isStrict)
      outcome.add(to: &report)
    } catch {
      report.fail(0, "\(error)")
    }
  }

  /// What a group's tests ask for.
  private static func operation(
    of group: MemberReader, in context: ACVPContext
  ) throws(VectorFault) -> any ACVPOperation {
    _ = try group.integer(ifPresent: "tgId")
    if let type = try group.string(ifPresent: "testType"), !["AFT", "GDT", "VAL"].contains(type) {
      throw .unknown("test type \(type)")
    }
    if let algorithm = context.algorithm, !["ML-KEM", "ML-DSA"].contains(algorithm) {
      throw .notImplemented(algorithm)
    }
    guard context.isWhole || group.has("parameterSet") else { throw ACVPContext.half }
    let name = try group.string("parameterSet")
    if name.hasPrefix("ML-DSA") {
      return try ACVPMLDSA(parameterSet: MLDSAParameterSet(named: name), reading: group)
    }
    return try ACVPMLKEM(parameterSet: group.mlKEMParameterSet(), reading: group)
  }
}

/// What a file says of all its tests.
struct ACVPContext {
  /// What is tested, where the file says it.
  enum Mode: String, CaseIterable {
    case keyGen
    case encapDecap
    case sigGen
    case sigVer
  }

  /// The algorithm, in a file as the server writes it.
  let algorithm: String?
  let mode: Mode?
  /// Whether the file was joined, so that a missing member is a fault.
  let isWhole: Bool

  static let half = VectorFault.incomplete("a prompt of ACVP or its expected results, without the other")

  /// Reads the members of a file as the server writes it.
  init(envelope file: MemberReader) throws(VectorFault) {
    _ = (try file.integer("vsId"), try file.string(ifPresent: "revision"), try file.boolean(ifPresent: "isSample"))
    algorithm = try file.string(ifPresent: "algorithm")
    mode = try file.string(ifPresent: "mode").flatMap(Mode.init(rawValue:))
    isWhole = false
    // Of a joined file too, which says where it is from.
    _ = try file.string(ifPresent: "source")
  }

  /// Reads the member of a joined file that names the server's: "usnistgov/ACVP-Server ML-DSA-keyGen-FIPS204".
  init(source file: MemberReader) throws(VectorFault) {
    let source = try file.string("source")
    algorithm = nil
    mode = Mode.allCases.first { source.contains("-\($0.rawValue)-") }
    isWhole = true
  }

  /// A test as the server writes it may be half of one, which can't be run.
  func requireBothHalves(
    of test: MemberReader, _ group: MemberReader, _ operation: any ACVPOperation
  ) throws(VectorFault) {
    guard !isWhole else { return }
    let test = ACVPTest(test: test, group: group, mode: mode)
    let (inputs, outputs) = operation.members(of: test)
    let hasOutput = outputs.contains(where: test.has)
    guard inputs.contains(where: test.has), hasOutput else { throw Self.half }
  }
}

/// What the tests of a group ask for.
protocol ACVPOperation {
  /// Members that a prompt has, and those of its expected results: at least one of each is there in a whole test.
  func members(of test: ACVPTest) -> (inputs: [String], outputs: [String])

  func run(_ test: ACVPTest) throws -> Verdict
}

/// A test with its group, in which stands what all of them have in common.
struct ACVPTest {
  let test: MemberReader
  let group: MemberReader
  /// What is tested, where the file says it.
  let mode: ACVPContext.Mode?

  /// Whether a member is there; null, as for a key that is given as its seed, says that it isn't.
  func has(_ name: String) -> Bool { test.hasValue(name) || group.hasValue(name) }

  func octets(ifPresent name: String) throws(VectorFault) -> [UInt8]? {
    for reader in [test, group] where reader.value(ifPresent: name)?.isNull == false { return try reader.octets(name) }
    return nil
  }

  func octets(_ name: String) throws(VectorFault) -> [UInt8] {
    guard let octets = try octets(ifPresent: name) else { throw .malformed("member \(name) is missing") }
    return octets
  }

  /// Whether octets are those of a member, or those that the member with "Sha256" behind its name is the hash of.
  /// - Returns: nil when there is neither.
  func states(_ name: String, _ octets: [UInt8]) throws(VectorFault) -> Bool? {
    let (whole, digest) = (try self.octets(ifPresent: name), try self.octets(ifPresent: "\(name)Sha256"))
    guard whole != nil || digest != nil else { return nil }
    return (whole ?? octets) == octets && (digest.map { $0 == Array(SHA2.SHA256.hash(octets)) } ?? true)
  }

  /// The same of a member that must be there in either form.
  func requireStated(_ name: String, _ octets: [UInt8]) throws(VectorFault) -> Bool {
    guard let isStated = try states(name, octets) else { throw .malformed("member \(name) is missing") }
    return isStated
  }
}
