import JOSE
import Synchronization

/// The token of a status list as it was made last, and as it is being made.
final class StatusListCache: Sendable {
  private struct State {
    var latest: (token: String, date: NumericDate)?
    var making: Task<String, any Error>?
  }

  private let state = Mutex(State())

  /// A token that was made at most this many seconds ago, or is made now, once for all who ask.
  ///
  /// - Throws: what making it throws, which the next one to ask tries again.
  func token(
    at now: NumericDate, madeWithin age: Double, _ make: @escaping @Sendable () async throws -> String
  ) async throws -> String {
    let step: Step = state.withLock { state in
      // One from the future was made before the clock was set back.
      if let latest = state.latest, latest.date <= now, now < latest.date.advanced(by: age) {
        return .take(latest.token)
      }
      if let making = state.making { return .wait(making) }
      let task = Task {
        let outcome = await Self.outcome(make)
        return try self.finished(outcome, now)
      }
      state.making = task
      return .wait(task)
    }
    switch step {
    case .take(let token): return token
    case .wait(let making): return try await making.value
    }
  }

  private enum Step {
    case take(String)
    case wait(Task<String, any Error>)
  }

  private static func outcome(_ make: () async throws -> String) async -> Result<String, any Error> {
    do { return .success(try await make()) } catch { return .failure(error) }
  }

  private func finished(_ outcome: Result<String, any Error>, _ date: NumericDate) throws -> String {
    state.withLock { state in
      state.making = nil
      if case .success(let token) = outcome { state.latest = (token, date) }
    }
    return try outcome.get()
  }
}
