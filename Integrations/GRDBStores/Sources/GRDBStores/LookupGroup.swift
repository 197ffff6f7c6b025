import Dispatch
import GRDB
import SQLStores

/// Looks up for many callers. The first runs its lookup on its own thread, since changing threads takes longer than
/// SQLite does, and then those that have come meanwhile: so threads don't wait for each other's connections.
final class LookupGroup: Sendable {
  /// Looks up, or takes the error why no connection can be had. Returns what resumes the caller.
  private typealias Job = @Sendable (Result<Database, any Error>) -> @Sendable () -> Void

  private let pool: DatabasePool
  private let queue = JobQueue<Job>()

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
      if queue.add(job) { run() }
    }
  }

  private func run() {
    let jobs = queue.next()
    let answers: [@Sendable () -> Void]
    do {
      answers = try pool.unsafeRead { database in jobs.map { $0(.success(database)) } }
    } catch {
      answers = jobs.map { $0(.failure(error)) }
    }
    // This thread is needed for what its own caller does next.
    if queue.goesOn() { DispatchQueue.global().async { self.run() } }
    for answer in answers { answer() }
  }
}
