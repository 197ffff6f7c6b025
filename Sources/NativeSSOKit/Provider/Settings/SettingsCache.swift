import JOSE
import StrictJSON
import Synchronization

/// What the records held a while ago, so that it need not be asked for each request.
final class SettingsCache: Sendable {
  private struct State {
    var stored: (settings: NativeSSOSettings, at: NumericDate)?
    /// Counts the changes: what was read before one of them is not kept after it.
    var changes: UInt64 = 0
  }

  private let lifetime: Duration
  private let clock: WallClock
  private let state = Mutex(State())

  init(lifetime: Duration, clock: WallClock) {
    self.lifetime = lifetime
    self.clock = clock
  }

  /// The settings, if they were read less than a lifetime ago. A clock that was set back prolongs nothing.
  var settings: NativeSSOSettings? {
    let now = clock.now
    return state.withLock { state in
      guard let (settings, date) = state.stored, date <= now, now < date.advanced(by: lifetime) else { return nil }
      return settings
    }
  }

  /// Names the moment at which the store is asked.
  var mark: (changes: UInt64, date: NumericDate) { (state.withLock { $0.changes }, clock.now) }

  /// Keeps what the store answered, unless it was asked before the last change.
  func keep(_ settings: NativeSSOSettings, asOf mark: (changes: UInt64, date: NumericDate)) {
    state.withLock { state in
      if state.changes == mark.changes { state.stored = (settings, mark.date) }
    }
  }

  /// Forgets, because the store has changed or is about to.
  func forget() {
    state.withLock { state in
      state.stored = nil
      state.changes &+= 1
    }
  }
}
