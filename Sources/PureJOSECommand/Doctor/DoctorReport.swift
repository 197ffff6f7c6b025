import JOSE
import Synchronization

/// What one check found.
struct DoctorFinding: Sendable {
  /// How a server stood a check.
  enum Verdict: String, Sendable, CaseIterable {
    /// As it must be.
    case right
    /// It works, but is unsafe or hard on users: something is accepted that should be refused, or refused in a way that
    /// troubles Macs.
    case lenient
    /// Macs fail, or an attacker gets on.
    case wrong
    /// The check could not be made, or does not concern this server.
    case skipped
  }

  let name: String
  let verdict: Verdict
  /// What was seen: a status, or why a check was skipped.
  let observed: String
  /// What must be so.
  let rule: String
  /// Who says so.
  let source: String
  /// Whether a changed request was sent, which is to be refused.
  let isMutation: Bool
}

/// All findings, and how they are shown.
struct DoctorReport: Sendable {
  private(set) var findings: [DoctorFinding] = []

  mutating func append(_ finding: DoctorFinding) { findings.append(finding) }

  func count(_ verdict: DoctorFinding.Verdict) -> Int { findings.count(where: { $0.verdict == verdict }) }

  var mutationCount: Int { findings.count(where: { $0.isMutation && $0.verdict != .skipped }) }

  /// A line for each finding, what is wrong last, and a line of sums.
  func table(showingEverything: Bool) -> String {
    var lines: [String] = []
    let order: [DoctorFinding.Verdict] = [.skipped, .right, .lenient, .wrong]
    for verdict in order where showingEverything || verdict == .lenient || verdict == .wrong {
      for finding in findings where finding.verdict == verdict {
        lines.append(
          [
            Self.padded(verdict.rawValue, 8), Self.padded(finding.name, 46), Self.padded(finding.observed, 28),
            finding.rule, "[\(finding.source)]",
          ].joined(separator: " "))
      }
    }
    lines.append(summary)
    return lines.joined(separator: "\n") + "\n"
  }

  var summary: String {
    "\(findings.count) checks, \(mutationCount) mutations: \(count(.right)) right, \(count(.lenient)) lenient, "
      + "\(count(.wrong)) wrong, \(count(.skipped)) skipped"
  }

  var jsonObject: JSONObject {
    let rows = findings.map { finding in
      JSONValue.object([
        "name": .string(finding.name), "verdict": .string(finding.verdict.rawValue),
        "observed": .string(finding.observed), "rule": .string(finding.rule), "source": .string(finding.source),
        "mutation": .bool(finding.isMutation),
      ])
    }
    return [
      "checks": .array(rows), "mutations": .number(JSONNumber(mutationCount)),
      "right": .number(JSONNumber(count(.right))), "lenient": .number(JSONNumber(count(.lenient))),
      "wrong": .number(JSONNumber(count(.wrong))), "skipped": .number(JSONNumber(count(.skipped))),
    ]
  }

  private static func padded(_ text: String, _ length: Int) -> String {
    text + String(repeating: " ", count: max(0, length - text.count))
  }
}

/// Carries the sums out of the task that examined.
final class DoctorVerdicts: Sendable {
  private let sums = Mutex<(wrong: Int, lenient: Int)>((0, 0))

  var counts: (wrong: Int, lenient: Int) { sums.withLock { $0 } }

  func set(wrong: Int, lenient: Int) { sums.withLock { $0 = (wrong, lenient) } }
}
