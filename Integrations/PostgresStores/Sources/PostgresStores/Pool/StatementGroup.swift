import SQLStores

/// A statement that needs no transaction of its own.
struct Statement: Sendable {
  let text: String
  let values: [SQLValue]
}

/// Runs the statements of many callers. While the server answers, those of others gather, and are sent together by the
/// same connection, as one transaction: a caller who waits for an answer of its own costs the system two changes of
/// threads and several calls, and one that writes a wait for the disk.
final class StatementGroup: Sendable {
  /// What becomes of a transaction in which a statement fails.
  enum Kind {
    /// They only read: those before the failure have their answers, and those behind it are run again.
    case lookups
    /// None has changed anything, unless the server says that it doesn't know.
    case changes
  }

  private struct Job: Sendable {
    let statement: Statement
    let deadline: ContinuousClock.Instant
    /// Resumes the caller. It is told of no row where a change was not made.
    let finish: @Sendable (Result<SQLResult, PostgresError>) -> Void
  }

  private let kind: Kind
  private let pool: ConnectionPool
  /// How long a statement waits to be sent.
  private let waitLimit: Duration
  private let queue = JobQueue<Job>()

  init(_ kind: Kind, pool: ConnectionPool, waitLimit: Duration) {
    (self.kind, self.pool, self.waitLimit) = (kind, pool, waitLimit)
  }

  func run(_ statement: Statement) async throws -> SQLResult {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(statement: statement, deadline: .now + waitLimit) { continuation.resume(with: $0) }
      if queue.add(job) { start() }
    }
  }

  /// Asks for a connection, and works on it until it ends, no job is left, or another job waits for it.
  private func start() {
    let job = ConnectionPool.Job { connection in
      let answers = self.drain(connection)
      return {
        for answer in answers { answer() }
        if self.queue.goesOn() { self.start() }
      }
    } fail: { error in
      // Who came while the first one waited may still find a connection.
      let isLate = error.reason == .poolExhausted
      let failed = self.queue.next(atMost: .max) { !isLate || $0.deadline <= .now }
      for job in failed { job.finish(.failure(error)) }
      if self.queue.goesOn() { self.start() }
    }
    pool.run(job)
  }

  /// Works on a connection until it ends, no job is left, or another job waits for it. Returns the last answers.
  private func drain(_ connection: Connection) -> [ConnectionPool.Answer] {
    while true {
      let jobs = queue.next()
      let answers: [ConnectionPool.Answer]
      do throws(PostgresError) {
        answers = zip(jobs, settled(try connection.run(jobs.map(\.statement)))).map { job, outcome in
          { if let outcome { job.finish(outcome) } else { self.runAlone(job) } }
        }
      } catch {
        // Several together may take longer than one is given, and reading again does no harm.
        let isTooMuch = error.reason == .timedOut && kind == .lookups && jobs.count > 1
        return jobs.map { job in { if isTooMuch { self.runAlone(job) } else { job.finish(.failure(error)) } } }
      }
      guard !queue.isEmpty, !pool.isWanted else { return answers }
      for answer in answers { answer() }
    }
  }

  /// The outcomes that callers are told. Nil stands for a statement to run alone.
  private func settled(
    _ outcomes: [Result<SQLResult, PostgresError>?]
  ) -> [Result<SQLResult, PostgresError>?] {
    guard kind == .changes, outcomes.contains(where: { (try? $0?.get()) == nil }) else { return outcomes }
    // All are one transaction, so what one doesn't know is unknown for all.
    for case .failure(let failure)? in outcomes where failure.saysOutcomeUnknown {
      return outcomes.map { _ in .failure(failure) }
    }
    return outcomes.map { _ in .success(SQLResult(count: 0)) }
  }

  /// Runs a statement without others, whose failure would be its own.
  private func runAlone(_ job: Job) {
    let alone = ConnectionPool.Job { connection in
      let outcome = Result { () throws(PostgresError) in
        try connection.run(job.statement.text, job.statement.values)
      }
      return { job.finish(outcome) }
    } fail: { error in
      job.finish(.failure(error))
    }
    pool.run(alone)
  }
}
