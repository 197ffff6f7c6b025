import NIOCore
import NIOPosix
import Synchronization

/// Lets a few passwords be hashed at a time, and a few wait, from each source in turn: a flood of logins costs its
/// sender turns, and nobody else.
final class PasswordQueue: Sendable {
  /// The first that waits of each source is of one round, its second of the next.
  private typealias Waiter = (source: String, round: Int, continuation: CheckedContinuation<Void, any Error>)

  /// Those who wait stand by their rounds, and in one round as they came.
  private let state: Mutex<(freeThreads: Int, round: Int, waiters: [Waiter])>
  private let capacity: Int

  init(threadCount: Int = max(1, System.coreCount - 1), capacity: Int = 64) {
    state = Mutex((freeThreads: threadCount, round: 0, waiters: []))
    self.capacity = capacity
  }

  /// How many wait.
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
      // The last round is of those that have most waiting. Of many, none is surely out.
      let last = state.waiters.last?.round
      let start = state.waiters.firstIndex { $0.round == last } ?? 0
      return state.waiters.remove(at: Int.random(in: start..<state.waiters.count))
    }
    dropped?.continuation.resume(
      throwing: PageRefusal(
        status: .serviceUnavailable, code: "temporarily_unavailable", text: "Very many log in now. Try again soon.",
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
