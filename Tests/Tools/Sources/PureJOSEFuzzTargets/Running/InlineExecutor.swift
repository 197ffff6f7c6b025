import Synchronization

/// Runs asynchronous code to its end on the thread that asks, so that a run is as deterministic as its input.
final class InlineExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  private func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// The outcome of `body`. Tasks that it starts may run elsewhere; they are waited for.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let executor = InlineExecutor()
    let box = ResultBox<Value>()
    Task(executorPreference: executor) {
      do { box.store(.success(try await body())) } catch { box.store(.failure(error)) }
    }
    while true {
      while executor.runNext() {}
      if let result = box.value { return try result.get() }
    }
  }
}

private final class ResultBox<Value: Sendable>: Sendable {
  private let storage = Mutex<Result<Value, any Error>?>(nil)

  func store(_ result: Result<Value, any Error>) { storage.withLock { $0 = result } }

  var value: Result<Value, any Error>? { storage.withLock { $0 } }
}
