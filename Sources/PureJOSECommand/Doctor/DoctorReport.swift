import JOSE
import Synchronization

/// All findings.
struct DoctorReport: Sendable {
  private(set) var findings: [DoctorFinding] = []

  mutating func append(_ finding: DoctorFinding) { findings.append(finding) }

  func count(_ verdict: DoctorFinding.Verdict) -> Int { findings.count(where: { $0.verdict == verdict }) }

  var mutationCount: Int { findings.count(where: { $0.isMutation && $0.verdict != .skipped }) }

  var summary: String {
    "\(findings.count) checks, \(mutationCount) mutations: \(count(.right)) right, \(count(.lenient)) lenient, "
      + "\(count(.wrong)) wrong, \(count(.skipped)) skipped"
  }

  /// Findings that one fault explains.
  struct Group: Sendable {
    let verdict: DoctorFinding.Verdict
    let findings: [DoctorFinding]

    var first: DoctorFinding { findings[0] }
    /// Whether something was accepted that an attacker can send.
    var isOpen: Bool { verdict == .wrong && findings.contains { $0.isMutation && $0.observed.hasPrefix("accepted") } }
    var parts: [String] { findings.map(\.part).firstOfEach }
    var subjects: [String] { findings.map(\.subject).firstOfEach }
    var observations: [String] { findings.map(\.observed).firstOfEach }
  }

  /// What is lenient or wrong, by cause, and the worst last.
  var groups: [Group] {
    let faults = findings.filter { $0.verdict == .lenient || $0.verdict == .wrong }
    let all = faults.map(\.cause).firstOfEach.map { cause in
      let findings = faults.filter { $0.cause == cause }
      let isWrong = findings.contains { $0.verdict == .wrong }
      // The worst finding speaks for the group.
      return Group(
        verdict: isWrong ? .wrong : .lenient,
        findings: findings.filter { $0.verdict == .wrong } + findings.filter { $0.verdict != .wrong })
    }
    return all.filter { $0.verdict == .lenient } + all.filter { $0.verdict == .wrong && !$0.isOpen }
      + all.filter(\.isOpen)
  }

  /// How many checks of each part were not made, with the reason.
  var notRun: [(part: String, count: Int, reason: String)] {
    let skipped = findings.filter { $0.verdict == .skipped }
    return skipped.map { "\($0.part): \($0.observed)" }.firstOfEach.compactMap { key in
      let same = skipped.filter { "\($0.part): \($0.observed)" == key }
      return same.first.map { ($0.part, same.count, $0.observed) }
    }
  }

  var jsonObject: JSONObject {
    let rows = findings.map { finding in
      JSONValue.object([
        "name": .string(finding.name), "verdict": .string(finding.verdict.rawValue),
        "observed": .string(finding.observed), "rule": .string(finding.rule), "source": .string(finding.source),
        "cause": .string(finding.cause), "mutation": .bool(finding.isMutation),
      ])
    }
    return [
      "checks": .array(rows), "mutations": .number(JSONNumber(mutationCount)),
      "right": .number(JSONNumber(count(.right))), "lenient": .number(JSONNumber(count(.lenient))),
      "wrong": .number(JSONNumber(count(.wrong))), "skipped": .number(JSONNumber(count(.skipped))),
    ]
  }
}

extension [String] {
  /// Each text once, in the order of their first places.
  var firstOfEach: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

/// Carries the sums out of the task that examined.
final class DoctorVerdicts: Sendable {
  private let sums = Mutex<(wrong: Int, lenient: Int)>((0, 0))

  var counts: (wrong: Int, lenient: Int) { sums.withLock { $0 } }

  func set(wrong: Int, lenient: Int) { sums.withLock { $0 = (wrong, lenient) } }
}
