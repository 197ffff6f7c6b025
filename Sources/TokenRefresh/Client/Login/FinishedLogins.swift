import JOSE
import Synchronization

/// The logins that were finished in this process, by their `state`, until nobody could finish them any more.
final class FinishedLogins: Sendable {
  private struct State {
    var ends: [[UInt8]: NumericDate] = [:]
    /// How many there may be before those that are over are looked for.
    var limit = 1024
  }

  private let state = Mutex(State())

  /// How many are remembered. For tests.
  var count: Int { state.withLock(\.ends.count) }

  /// Whether a login has not been finished before. From now on it has.
  func claim(_ name: String, until end: NumericDate, now: NumericDate) -> Bool {
    state.withLock { state in
      if state.ends.count >= state.limit {
        state.ends = state.ends.filter { now < $0.value }
        // As many more as there are: so a login pays for two looks at most, however many go on at once.
        state.limit = max(1024, 2 * state.ends.count)
      }
      return state.ends.updateValue(end, forKey: Array(name.utf8)) == nil
    }
  }
}
