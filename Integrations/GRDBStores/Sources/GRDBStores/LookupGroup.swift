import Dispatch
import GRDB
import Synchronization

/// Looks up for many callers. The first runs its lookup on its own thread, since changing threads takes longer than
/// SQLite does, and then those that have come meanwhile: so threads don't wait for each other's connections.
final class LookupGroup: Sendable {
  /// Looks up, or takes the error why no connection can be had. Returns what resumes the caller.
  private typealias Job = @Sendable (Result<Database, any Error>) -> @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var isRunning = false
  }

  private let pool: DatabasePool
  private let state = Mutex(State())
  /// The most lookups that one caller runs.
  private static let maximumCount = 64

  /// - Parameter pool: of connections that only read.
  init(pool: DatabasePool) { self.pool = pool }

  /// Runs one statement's lookup, which sees one state without a transaction around it.
  ///
  /// - Throws: what the closure throws, `DatabaseError`.
  func lookUp<Value: Sendable>(_ look: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job: Job = { database in
        let outcome = Result { try look(database.get()) }
        return { continuation.resume(with: outcome) }
      }
      let isFirst = state.withLock { state in
        state.jobs.append(job)
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if isFirst { run() }
    }
  }

  private func run() {
    let jobs = state.withLock { state in
      let jobs = Array(state.jobs.prefix(Self.maximumCount))
      state.jobs.removeFirst(jobs.count)
      return jobs
    }
    let answers: [@Sendable () -> Void]
    do {
      answers = try pool.unsafeRead { database in jobs.map { $0(.success(database)) } }
    } catch {
      answers = jobs.map { $0(.failure(error)) }
    }
    let hasMore = state.withLock { state in
      state.isRunning = !state.jobs.isEmpty
      return state.isRunning
    }
    // This thread is needed for what its own caller does next.
    if hasMore { DispatchQueue.global().async { self.run() } }
    for answer in answers { answer() }
  }
}
