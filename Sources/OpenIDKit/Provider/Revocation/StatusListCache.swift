import JOSE
import Synchronization

/// The token of a status list as it was made last, and as it is being made.
final class StatusListCache: Sendable {
  private struct State {
    var latest: (token: String, date: NumericDate)?
    var making: Task<String, any Error>?
    var failure: (error: any Error, date: NumericDate)?
  }

  private enum Step {
    case take(String)
    case wait(Task<String, any Error>)
    case fail(any Error)
  }

  private let state = Mutex(State())

  /// After a failure, nothing is made for this many seconds.
  private static let pause = 2.0

  /// A token that was made lately, once for all who ask. After a quarter of its time it is renewed in the background;
  /// after half of it, who asks waits for the new one, or gets the old one up to its end if making one fails.
  ///
  /// - Parameters:
  ///   - clock: its time becomes the token's date if one is made.
  ///   - time: seconds that a token may be used after its date.
  /// - Throws: what making it throws.
  func token(
    by clock: WallClock, for time: Double, _ make: @escaping @Sendable (_ now: NumericDate) async throws -> String
  ) async throws -> String {
    let now = clock.now
    let step: Step = state.withLock { state in
      // One from the future was made before the clock was set back.
      let latest = state.latest.flatMap { $0.date <= now ? $0 : nil }
      let age = latest.map { now.secondsSince1970 - $0.date.secondsSince1970 } ?? .infinity
      if let latest, age < time * 0.25 { return .take(latest.token) }
      let isPausing = state.failure.map { abs(now.secondsSince1970 - $0.date.secondsSince1970) < Self.pause } ?? false
      if state.making == nil, !isPausing { state.making = task(clock, now, make) }
      if let latest, age < time * (isPausing ? 1 : 0.5) { return .take(latest.token) }
      if let making = state.making { return .wait(making) }
      return state.failure.map { .fail($0.error) } ?? .fail(CancellationError())
    }
    switch step {
    case .take(let token): return token
    case .wait(let making):
      do {
        return try await making.value
      } catch {
        let latest = state.withLock { $0.latest }
        guard let latest, clock.now < latest.date.advanced(by: time) else { throw error }
        return latest.token
      }
    case .fail(let error): throw error
    }
  }

  private func task(
    _ clock: WallClock, _ date: NumericDate, _ make: @escaping @Sendable (_ now: NumericDate) async throws -> String
  ) -> Task<String, any Error> {
    Task {
      do {
        let token = try await make(date)
        state.withLock { $0 = State(latest: (token, date)) }
        return token
      } catch {
        state.withLock { ($0.making, $0.failure) = (nil, (error, clock.now)) }
        throw error
      }
    }
  }
}
