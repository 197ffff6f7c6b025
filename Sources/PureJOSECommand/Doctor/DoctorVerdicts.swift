import Synchronization

/// Carries the sums out of the task that examined.
final class DoctorVerdicts: Sendable {
  private let sums = Mutex<(wrong: Int, lenient: Int)>((0, 0))

  var counts: (wrong: Int, lenient: Int) { sums.withLock { $0 } }

  func set(wrong: Int, lenient: Int) { sums.withLock { $0 = (wrong, lenient) } }
}
