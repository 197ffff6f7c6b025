import Dispatch
import Synchronization

/// Runs asynchronous code to its end on a queue of its own while this thread waits: a command has nothing else to do
/// meanwhile.
///
/// The queue matters when the waiting thread is one of the few that Swift runs tasks on: all of them could be waiting.
func waiting<Value: Sendable>(
  for body: @escaping @Sendable () async throws(CommandFailure) -> Value
) throws(CommandFailure) -> Value {
  let outcome = Outcome<Value>()
  let isDone = DispatchSemaphore(value: 0)
  Task.detached(executorPreference: QueueExecutor()) {
    do throws(CommandFailure) {
      let value = try await body()
      outcome.result.withLock { $0 = .success(value) }
    } catch {
      outcome.result.withLock { $0 = .failure(error) }
    }
    isDone.signal()
  }
  isDone.wait()
  guard let result = outcome.result.withLock({ $0 }) else { throw .invalid("the work ended without an outcome") }
  return try result.get()
}

/// Runs the jobs of a task one after the other on a queue.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "jose")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The job is run once, and the closure holds the executor until it is done.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Carries the outcome from the task to the thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, CommandFailure>?>(nil)
}
