import GRDB
import SQLStores
import Synchronization

/// Runs the writes of many callers, each completely or not at all. Writes that arrive during a flush share the next
/// transaction, so a disk with a thousand flushes a second handles many thousand writes.
final class WriteGroup: Sendable {
  private struct Job: Sendable {
    /// Makes the change, in a savepoint of its own unless it is alone in the transaction, and keeps the result. Returns
    /// whether it succeeded.
    let run: @Sendable (_ isAlone: Bool, Database) -> Bool
    /// Resumes the caller once the transaction is on disk, or with the error.
    let finish: @Sendable ((any Error)?) -> Void
  }

  private let pool: DatabasePool
  private let queue = JobQueue<Job>()

  init(pool: DatabasePool) {
    self.pool = pool
  }

  func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let kept = Kept<Value>()
      let isFirst = queue.add(
        Job { isAlone, database in
          var value: Value?
          do {
            if isAlone {
              value = try change(database)
            } else {
              try database.inSavepoint {
                value = try change(database)
                return .commit
              }
            }
            if let value { kept.outcome.withLock { $0 = .success(value) } }
            return true
          } catch {
            // Its savepoint is undone; the others' changes stay.
            kept.outcome.withLock { $0 = .failure(error) }
            return false
          }
        } finish: { error in
          let outcome = kept.outcome.withLock { $0 }
          continuation.resume(
            with: error.map { .failure($0) } ?? outcome ?? .failure(DatabaseError(resultCode: .SQLITE_ABORT)))
        })
      if isFirst { run() }
    }
  }

  private final class Kept<Value: Sendable>: Sendable {
    let outcome = Mutex<Result<Value, any Error>?>(nil)
  }

  private func run() {
    pool.asyncWriteWithoutTransaction { [self] database in
      let jobs = queue.next()
      var failure: (any Error)?
      do {
        // It begins as a writing transaction: two that both begin by reading could not both write.
        try database.inTransaction(.immediate) {
          if jobs.count == 1 { return jobs[0].run(true, database) ? .commit : .rollback }
          for job in jobs { _ = job.run(false, database) }
          return .commit
        }
      } catch {
        failure = error
      }
      for job in jobs { job.finish(failure) }
      if queue.goesOn() { run() }
    }
  }
}
