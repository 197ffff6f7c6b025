import Dispatch
import Synchronization

/// Runs asynchronous code to its end on a queue of its own while this thread waits: a command has nothing else to do
/// meanwhile.
///
/// The queue matters when the waiting thread is one of the few that Swift runs tasks on: all of them could be waiting.
func waiting(
  for body: @escaping @Sendable () async throws(CommandFailure) -> Void
) throws(CommandFailure) {
  let outcome = Outcome()
  let isDone = DispatchSemaphore(value: 0)
  Task.detached(executorPreference: QueueExecutor()) {
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

/// Runs the jobs of a task one after the other on a queue.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "jose")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Carries a failure from the task to the thread that waits for it.
private final class Outcome: Sendable {
  let failure = Mutex<CommandFailure?>(nil)
}
