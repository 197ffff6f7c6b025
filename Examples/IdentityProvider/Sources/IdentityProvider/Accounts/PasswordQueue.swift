import NIOCore
import NIOPosix
import Synchronization

/// Hashes a few passwords at a time and lets a few wait, each source in turn: a flood of logins delays its sender
/// alone.
final class PasswordQueue: Sendable {
  /// Each source's first waiter belongs to one round, its second to the next.
  private typealias Waiter = (source: String, round: Int, continuation: CheckedContinuation<Void, any Error>)

  /// The waiters, ordered by round, and within a round by arrival.
  private let state: Mutex<(freeThreads: Int, round: Int, waiters: [Waiter])>
  private let capacity: Int

  init(threadCount: Int = max(1, System.coreCount - 1), capacity: Int = 64) {
    state = Mutex((freeThreads: threadCount, round: 0, waiters: []))
    self.capacity = capacity
  }

  /// The number of waiters.
  var count: Int { state.withLock { $0.waiters.count } }

  /// Computes something when its source's turn comes, unless the task was cancelled, on a thread of its own: tasks that
  /// wait for the network must not wait for this.
  ///
  /// - Throws: `PageRefusal` if too many wait; `CancellationError`; what the closure throws.
  func run<Value: Sendable>(
    for source: String, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { enter(source, $0) }
    defer { serve(freed: 1) }
    try Task.checkCancellation()
    return try await NIOThreadPool.singleton.runIfActive(body)
  }

  private func enter(_ source: String, _ continuation: CheckedContinuation<Void, any Error>) {
    let dropped = state.withLock { state -> Waiter? in
      let round = 1 + max(state.round, state.waiters.last { $0.source == source }?.round ?? 0)
      let place = state.waiters.firstIndex { $0.round > round } ?? state.waiters.count
      state.waiters.insert((source, round, continuation), at: place)
      guard state.waiters.count > capacity else { return nil }
      // Drops a random waiter of the last round, whose sources have the most waiting: no waiter is certain to be
      // dropped.
      let last = state.waiters.last?.round
      let start = state.waiters.firstIndex { $0.round == last } ?? 0
      return state.waiters.remove(at: Int.random(in: start..<state.waiters.count))
    }
    dropped?.continuation.resume(
      throwing: PageRefusal(
        status: .serviceUnavailable, code: "temporarily_unavailable",
        text: "Too many users are logging in right now. Try again in a few seconds.",
        retryAfter: 5))
    serve(freed: 0)
  }

  /// Lets the next one begin, if a thread is free.
  private func serve(freed: Int) {
    let next = state.withLock { state -> Waiter? in
      state.freeThreads += freed
      guard state.freeThreads > 0, !state.waiters.isEmpty else { return nil }
      state.freeThreads -= 1
      state.round = state.waiters[0].round
      return state.waiters.removeFirst()
    }
    next?.continuation.resume()
  }
}
