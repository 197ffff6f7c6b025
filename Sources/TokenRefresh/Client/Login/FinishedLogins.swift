import JOSE
import Synchronization

/// The logins that were finished in this process, by their `state`, until nobody could finish them any more.
final class FinishedLogins: Sendable {
  private let ends = Mutex<[[UInt8]: NumericDate]>([:])

  /// Whether a login has not been finished before. From now on it has.
  func claim(_ state: String, until end: NumericDate, now: NumericDate) -> Bool {
    ends.withLock { ends in
      // Whoever gets here has brought the answer to a login, so there are few; those that are over are swept out anyway.
      if ends.count >= 1024 { ends = ends.filter { now < $0.value } }
      return ends.updateValue(end, forKey: Array(state.utf8)) == nil
    }
  }
}
