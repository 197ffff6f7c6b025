/// Counts expectations.
struct Check {
  private(set) var count = 0
  private(set) var failures = 0

  /// Adds what was counted elsewhere.
  mutating func add(_ other: Check) {
    count += other.count
    failures += other.failures
  }

  mutating func expect(_ holds: Bool, _ rule: String) {
    count += 1
    if holds { return }
    failures += 1
    print("FAILED: \(rule)")
  }
}
