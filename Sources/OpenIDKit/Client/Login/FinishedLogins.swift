import JOSE
import Synchronization

/// The logins that were finished in this process, by their `state`, until they could no longer be finished.
package final class FinishedLogins: Sendable {
  private struct Known {
    let end: NumericDate
    /// What its code brought, while that can't be judged.
    var answer: RedeemedCode?
  }

  private struct State {
    var ends: [[UInt8]: Known] = [:]
    /// How many there may be before those that are over are looked for.
    var limit = 1024
  }

  private let state = Mutex(State())

  package init() {}

  /// How many are remembered. For tests.
  var count: Int { state.withLock(\.ends.count) }

  /// Whether a login has not been finished before. From now on it has.
  func claim(_ name: String, until end: NumericDate, now: NumericDate) -> Bool {
    state.withLock { state in
      if state.ends.count >= state.limit {
        state.ends = state.ends.filter { now < $0.value.end }
        // As many more as there are: so a login pays for two looks at most, however many go on at once.
        state.limit = max(1024, 2 * state.ends.count)
      }
      let key = Array(name.utf8)
      guard state.ends[key] == nil else { return false }
      state.ends[key] = Known(end: end)
      return true
    }
  }

  /// Holds an answer that could not be judged, until the login is finished again or over.
  func hold(_ answer: RedeemedCode, of name: String) {
    state.withLock { $0.ends[Array(name.utf8)]?.answer = answer }
  }

  /// Gives out the answer that is held of a login, once.
  package func takeHeld(_ name: String) -> RedeemedCode? {
    state.withLock { state in
      let key = Array(name.utf8)
      defer { state.ends[key]?.answer = nil }
      return state.ends[key]?.answer
    }
  }

  /// Gives out all answers that are held, once.
  package func takeAllHeld() -> [RedeemedCode] {
    state.withLock { state in
      let answers = state.ends.values.compactMap(\.answer)
      for key in state.ends.keys { state.ends[key]?.answer = nil }
      return answers
    }
  }
}
