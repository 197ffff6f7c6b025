import JOSE
import Synchronization

@testable import OpenIDKit

/// A clock that tests move. Pauses pass at once and move it; a request's time-out fires only when the test says so.
final class VirtualClock: Sendable {
  /// The one duration that is not a pause.
  static let requestTimeout = Duration.milliseconds(97_250)

  private struct State {
    var seconds: Double
    var wallOffset = 0.0
    var pauses: [Double] = []
    var isDead = false
    var timeouts: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<UInt64> = []
    var next: UInt64 = 0
  }

  private let state: Mutex<State>

  init(_ seconds: Double = 1_760_000_000) { state = Mutex(State(seconds: seconds)) }

  var now: Double { state.withLock { $0.seconds } }
  var date: NumericDate { NumericDate(0).advanced(by: state.withLock { $0.seconds + $0.wallOffset }) }
  /// The pauses that were slept.
  var pauses: [Double] { state.withLock { $0.pauses } }

  func advance(_ seconds: Double) { state.withLock { $0.seconds += seconds } }
  func setWallBack(_ seconds: Double) { state.withLock { $0.wallOffset -= seconds } }

  /// Ends every sleep from now on with an error: the process is dead.
  func kill() {
    let waiting = state.withLock { state in
      state.isDead = true
      defer { state.timeouts = [:] }
      return state.timeouts.values.map { $0 }
    }
    for continuation in waiting { continuation.resume(throwing: CancellationError()) }
  }

  /// Lets every request that is under way count as unanswered. Returns how many there were.
  @discardableResult
  func fireTimeouts() -> Int {
    let waiting = state.withLock { state in
      defer { state.timeouts = [:] }
      return state.timeouts.values.map { $0 }
    }
    for continuation in waiting { continuation.resume() }
    return waiting.count
  }

  var wall: WallClock { WallClock { self.date } }

  var tokenClock: TokenClock {
    TokenClock(wall: wall, elapsed: { Duration(saturating: self.now) }, sleep: { try await self.sleep($0) })
  }

  private func sleep(_ duration: Duration) async throws {
    guard duration == Self.requestTimeout else {
      let seconds = duration.inSeconds
      try state.withLock { state in
        if state.isDead { throw CancellationError() }
        state.pauses.append(seconds)
        state.seconds += seconds
      }
      // No time passes, but others get their turn: a manager that tries again for ever would keep its thread.
      await Task.yield()
      return
    }
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isDead || state.cancelled.contains(id) { return true }
          state.timeouts[id] = continuation
          return false
        }
        if isOver { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(id)
        return state.timeouts.removeValue(forKey: id)
      }
      continuation?.resume(throwing: CancellationError())
    }
  }
}
