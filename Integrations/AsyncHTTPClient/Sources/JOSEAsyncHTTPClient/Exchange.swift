import Synchronization

/// One request: resumes its caller once, with the outcome.
///
/// The first event ends it: the answer, the time limit, or the cancellation of the caller's task. Remaining work is
/// cancelled, and the caller doesn't wait for it to stop.
final class Exchange<Value: Sendable>: Sendable {
  typealias Answer = Result<Value, any Error>

  private struct State {
    var continuation: CheckedContinuation<Value, any Error>?
    var tasks: [Task<Void, Never>] = []
    var end: Answer?
  }

  private let state = Mutex(State())

  /// Takes the waiting caller and the task that works for it. If the request has ended already, resumes the caller at
  /// once.
  func begin(_ continuation: CheckedContinuation<Value, any Error>, tasks: [Task<Void, Never>]) {
    let end = state.withLock { state in
      if state.end == nil { (state.continuation, state.tasks) = (continuation, tasks) }
      return state.end
    }
    guard let end else { return }
    for task in tasks { task.cancel() }
    continuation.resume(with: end)
  }

  /// Ends the request, if nothing else has.
  func end(with answer: Answer) {
    let (continuation, tasks) = state.withLock { state in
      defer { (state.continuation, state.tasks) = (nil, []) }
      if state.end == nil { state.end = answer }
      return (state.continuation, state.tasks)
    }
    for task in tasks { task.cancel() }
    continuation?.resume(with: answer)
  }

  /// Runs work with a time limit, and cancels it with the caller's task.
  ///
  /// - Throws: what `work` throws, the error for a request that takes too long, and `CancellationError`.
  static func run(
    within limit: Duration, orThrow timedOut: any Error, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let exchange = Exchange()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchange.begin(
          continuation,
          tasks: [
            Task {
              do {
                exchange.end(with: .success(try await work()))
              } catch {
                exchange.end(with: .failure(error))
              }
            },
            Task {
              guard (try? await Task.sleep(for: limit)) != nil else { return }
              exchange.end(with: .failure(timedOut))
            },
          ])
      }
    } onCancel: {
      exchange.end(with: .failure(CancellationError()))
    }
  }
}
