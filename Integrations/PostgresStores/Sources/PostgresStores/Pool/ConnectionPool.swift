import Foundation
import Synchronization

/// The connections of a process, up to the configured number, and the jobs for them. Jobs that find none free wait in
/// order, up to the configured time. The thread that ends a job takes the next one, which costs no change of threads.
final class ConnectionPool: Sendable {
  /// Something to do with exclusive use of a connection.
  struct Job: Sendable {
    /// Does it, and returns what tells the caller. A caller who is told once the connection is free can use it next.
    let run: @Sendable (Connection) -> Answer
    /// Tells the caller that no connection can be had.
    let fail: @Sendable (PostgresError) -> Void
  }

  typealias Answer = @Sendable () -> Void

  private struct State {
    var idle: [Connection] = []
    /// The number of connections, those that are being opened included.
    var count = 0
    var waiting: [(deadline: ContinuousClock.Instant, job: Job)] = []
    /// Whether a task looks at which jobs have waited too long.
    var isWatched = false
  }

  private let settings: PostgresSettings
  private let state = Mutex(State())

  init(_ settings: PostgresSettings) { self.settings = settings }

  /// Runs a closure with exclusive use of a connection, on a thread where it may block.
  ///
  /// - Throws: ``PostgresError``, what the closure throws.
  func use<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job { connection in
        let result = Result { try body(connection) }
        return { continuation.resume(with: result) }
      } fail: { error in
        continuation.resume(throwing: error)
      }
      run(job)
    }
  }

  /// Runs a job as soon as there is a connection.
  func run(_ job: Job) {
    let place = state.withLock { state -> Place in
      if let connection = state.idle.popLast() { return .connection(connection) }
      if state.count < settings.maximumConnections {
        state.count += 1
        return .new
      }
      state.waiting.append((.now + settings.waitLimit, job))
      return .queue
    }
    switch place {
    case .connection(let connection):
      connection.async { if connection.isOpen { self.work(connection, job) } else { self.workAnew(job) } }
    case .new: workAnew(job)
    case .queue: watch()
    }
  }

  /// Whether a job waits for a connection.
  var isWanted: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Runs a job, and then those that wait, with a new connection.
  private func workAnew(_ job: Job) {
    DispatchQueue(label: "PostgresStores.Opening").async { self.work(nil, job) }
  }

  private enum Place {
    case connection(Connection)
    case new
    case queue
  }

  /// Closes the idle connections, since the server may have ended all of them.
  func closeIdle() {
    state.withLock { state in
      state.count -= state.idle.count
      state.idle = []
    }
  }

  /// Runs a job, and then those that wait, with this connection, or with a new one where it is nil.
  private func work(_ connection: Connection?, _ job: Job) {
    var (connection, job) = (connection, job)
    while true {
      let answer: Answer
      do {
        let open = try connection ?? Connection.open(settings)
        answer = job.run(open)
        connection = open.isIdle ? open : nil
        // What ended this one has probably ended the others, or their server doesn't answer.
        if connection == nil { closeIdle() }
      } catch {
        let (failed, failure) = (job, error as? PostgresError ?? PostgresError(.noConnection))
        answer = { failed.fail(failure) }
      }
      let next = nextJob(for: connection)
      answer()
      guard let next else { return }
      // This thread keeps its connection open, which may be a broken one, until it returns.
      guard connection != nil else { return workAnew(next) }
      job = next
    }
  }

  /// The job that has waited longest. Without one, the connection is idle from now on, or its place is free.
  private func nextJob(for connection: Connection?) -> Job? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst().job }
      if let connection { state.idle.append(connection) } else { state.count -= 1 }
      return nil
    }
  }

  /// Gives up jobs that have waited too long, as long as there are any that wait. They wait in order, the same time
  /// each, so that one task is enough for all. It doesn't keep the pool while it sleeps.
  private func watch() {
    let isWatched = state.withLock { state in
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    Task { [weak self] in
      while let deadline = self?.giveUp() { try? await Task.sleep(until: deadline) }
    }
  }

  /// Gives up the jobs whose time is over. Returns when that of the next one is.
  private func giveUp() -> ContinuousClock.Instant? {
    let (late, deadline) = state.withLock { state in
      let late = Array(state.waiting.prefix { $0.deadline <= .now })
      state.waiting.removeFirst(late.count)
      state.isWatched = !state.waiting.isEmpty
      return (late, state.waiting.first?.deadline)
    }
    for one in late { one.job.fail(PostgresError(.poolExhausted)) }
    return deadline
  }
}
