import Synchronization

/// How far an examination has come.
final class DoctorProgress: Sendable {
  private let counts = Mutex<(checks: Int, faults: Int)>((0, 0))
  private let expected: Int

  init(expected: Int) { self.expected = expected }

  /// The line after one more finding.
  func line(after finding: DoctorFinding) -> String {
    let now = counts.withLock { counts in
      counts.checks += 1
      if finding.verdict == .wrong || finding.verdict == .lenient { counts.faults += 1 }
      return counts
    }
    return "\(now.checks) of about \(max(expected, now.checks)) checks, \(now.faults) not right: \(finding.part)"
  }
}
