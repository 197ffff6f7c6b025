import Synchronization

/// Jobs of many callers, which one of them does for all. A driver does together what gathers while it waits for the
/// database.
public final class JobQueue<Job: Sendable>: Sendable {
  private struct State {
    var jobs: [Job] = []
    var isWorkedOn = false
  }

  private let state = Mutex(State())

  /// An empty queue.
  public init() {}

  /// Adds a job. True tells the caller to work: to take jobs by ``next(atMost:while:)``, do them, and begin again as
  /// long as ``goesOn()`` is true.
  public func add(_ job: Job) -> Bool {
    state.withLock { state in
      state.jobs.append(job)
      defer { state.isWorkedOn = true }
      return !state.isWorkedOn
    }
  }

  /// Takes the jobs that have waited longest and satisfy a condition.
  public func next(atMost limit: Int = 64, while condition: (Job) -> Bool = { _ in true }) -> [Job] {
    state.withLock { state in
      let jobs = Array(state.jobs.prefix(limit).prefix(while: condition))
      state.jobs.removeFirst(jobs.count)
      return jobs
    }
  }

  /// Whether no job waits.
  public var isEmpty: Bool { state.withLock { $0.jobs.isEmpty } }

  /// Whether there are jobs again for the caller who works. Otherwise that caller is done, and the next job's works.
  public func goesOn() -> Bool {
    state.withLock { state in
      state.isWorkedOn = !state.jobs.isEmpty
      return state.isWorkedOn
    }
  }
}
