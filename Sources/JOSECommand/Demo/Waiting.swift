import Dispatch
import Synchronization

/// Runs asynchronous code to its end on other threads while this one waits: a command has nothing else to do meanwhile.
func waiting(
  for body: @escaping @Sendable () async throws(CommandFailure) -> Void
) throws(CommandFailure) {
  let outcome = Outcome()
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do throws(CommandFailure) {
      try await body()
    } catch {
      outcome.failure.withLock { $0 = error }
    }
    isDone.signal()
  }
  isDone.wait()
  if let failure = outcome.failure.withLock({ $0 }) { throw failure }
}

/// Carries a failure from the task to the thread that waits for it.
private final class Outcome: Sendable {
  let failure = Mutex<CommandFailure?>(nil)
}
