import SQLStores
import Synchronization

/// A statement that only reads.
struct Lookup: Sendable {
  let statement: String
  let values: [SQLValue]
}

/// Looks up for many callers. While the server answers, the statements of others gather, and are sent together by the
/// same connection: a task that waits for an answer of its own costs the system two changes of threads, and several
/// calls.
final class LookupGroup: Sendable {
  private struct Job: Sendable {
    let lookup: Lookup
    /// Resumes the caller.
    let finish: @Sendable (Result<SQLResult, PostgresError>) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var isRunning = false
  }

  private let pool: ConnectionPool
  private let state = Mutex(State())
  /// The most statements that are sent together.
  private static let maximumCount = 64

  init(pool: ConnectionPool) { self.pool = pool }

  func run(_ lookup: Lookup) async throws -> SQLResult {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(lookup: lookup) { continuation.resume(with: $0) }
      let isFirst = state.withLock { state in
        state.jobs.append(job)
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if isFirst { start() }
    }
  }

  /// Asks for a connection, and works on it until it ends, or no job is left.
  private func start() {
    let job = ConnectionPool.Job { connection in
      let answers = self.drain(connection)
      return {
        for answer in answers { answer() }
        let hasMore = self.state.withLock { state in
          state.isRunning = !state.jobs.isEmpty
          return state.isRunning
        }
        if hasMore { self.start() }
      }
    } fail: { error in
      let jobs = self.state.withLock { state in
        defer { state = State() }
        return state.jobs
      }
      for job in jobs { job.finish(.failure(error)) }
    }
    pool.run(job)
  }

  /// Works on a connection until it ends, or no job is left. Returns the last answers.
  private func drain(_ connection: Connection) -> [ConnectionPool.Answer] {
    while true {
      let jobs = state.withLock { state in
        let jobs = Array(state.jobs.prefix(Self.maximumCount))
        state.jobs.removeFirst(jobs.count)
        return jobs
      }
      var again: [Job] = []
      var answers: [ConnectionPool.Answer] = []
      do throws(PostgresError) {
        for (job, outcome) in zip(jobs, try connection.run(jobs.map(\.lookup))) {
          if let outcome { answers.append { job.finish(outcome) } } else { again.append(job) }
        }
      } catch {
        return jobs.map { job in { job.finish(.failure(error)) } }
      }
      let isLast = state.withLock { state in
        // There is one less at least: the one whose failure kept these from being run.
        state.jobs.insert(contentsOf: again, at: 0)
        return state.jobs.isEmpty
      }
      guard !isLast else { return answers }
      for answer in answers { answer() }
    }
  }
}
