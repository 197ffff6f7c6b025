import JOSE
import Synchronization

/// What was read from the database at most some seconds ago. While it can't be read, what was read last serves, so that
/// keys and metadata are there even if the database isn't.
final class LastKnown<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    /// When it must be read again.
    var end = -Double.infinity
    var reading: Task<Value, any Error>?
    /// The number of changes so far.
    var round = 0
  }

  private let state = Mutex(State())
  private let lifetime: Double
  private let patience: Duration
  private let clock: WallClock

  /// - Parameters:
  ///   - lifetime: for how many seconds what was read serves, and after a failure what was read before.
  ///   - patience: how long a caller waits for a reading if there is something that can serve instead.
  init(lifetime: Double, patience: Duration = .seconds(1), clock: WallClock) {
    (self.lifetime, self.patience, self.clock) = (lifetime, patience, clock)
  }

  /// The value.
  ///
  /// - Throws: what reading throws, if nothing was read before.
  func value(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let now = clock.now.secondsSince1970
    let (known, isFresh, reading) = state.withLock { state in
      // After the clock was set back it is read again.
      let isFresh = state.value != nil && state.end > now && state.end - now <= lifetime
      if !isFresh, state.reading == nil {
        state.reading = Task { [round = state.round] in try await self.finish(read, round) }
      }
      return (state.value, isFresh, state.reading)
    }
    if let known, isFresh { return known }
    guard let reading else { return try await read() }
    guard let known else { return try await reading.value }
    return await Self.value(of: reading, within: patience) ?? known
  }

  /// Forgets the value, which has changed. A reading under way may have begun before, so what it reads isn't kept.
  func forget() {
    state.withLock { $0 = State(round: $0.round + 1) }
  }

  /// Reads, and keeps what was read.
  private func finish(_ read: @Sendable () async throws -> Value, _ round: Int) async throws -> Value {
    var result: Result<Value, any Error>
    do { result = .success(try await read()) } catch { result = .failure(error) }
    let end = clock.now.secondsSince1970 + lifetime
    state.withLock { state in
      guard state.round == round else { return }
      state.reading = nil
      if case .success(let value) = result { state.value = value }
      if state.value != nil { state.end = end }
    }
    return try result.get()
  }

  /// The value of a task that is there in time; nil otherwise. The task goes on.
  private static func value(of task: Task<Value, any Error>, within patience: Duration) async -> Value? {
    let (results, arrival) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
    let waiter = Task { arrival.yield(try? await task.value) }
    let limit = Task {
      try await Task.sleep(for: patience)
      arrival.yield(nil)
    }
    defer {
      waiter.cancel()
      limit.cancel()
    }
    var iterator = results.makeAsyncIterator()
    return await iterator.next() ?? nil
  }
}
