/// The connections of a process, up to the configured number. Callers without a free one wait in order, up to the
/// configured time.
actor ConnectionPool {
  private let settings: PostgresSettings
  private var idle: [Connection] = []
  /// The number of connections, those that are being opened included.
  private var count = 0
  private var waiting: [Waiting] = []
  /// Whether a task looks at who has waited too long.
  private var isWatched = false

  private struct Waiting {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Connection?, any Error>
  }

  init(_ settings: PostgresSettings) { self.settings = settings }

  /// Runs a closure with exclusive use of a connection.
  ///
  /// - Throws: ``PostgresError``, what the closure throws.
  func use<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
    let connection = try await take()
    defer { giveBack(connection) }
    return try await connection.perform(body)
  }

  /// A connection for a caller, which must return it.
  func take() async throws -> Connection {
    while let connection = idle.popLast() {
      if connection.isOpen { return connection }
      count -= 1
    }
    if count < settings.maximumConnections {
      count += 1
    } else if let connection = try await turn() {
      return connection
    }
    do {
      return try await Connection.opened(settings)
    } catch {
      leavePlace()
      throw error
    }
  }

  /// Takes a connection back. One that isn't in its initial state is closed.
  func giveBack(_ connection: Connection) {
    guard connection.isIdle else { return leavePlace() }
    if waiting.isEmpty {
      idle.append(connection)
    } else {
      waiting.removeFirst().continuation.resume(returning: connection)
    }
  }

  /// Closes the idle connections, since the server may have ended all of them.
  func closeIdle() {
    count -= idle.count
    idle = []
  }

  /// Waits for a connection. Nil means the place of a closed one, which is already counted for the caller.
  private func turn() async throws -> Connection? {
    let deadline = ContinuousClock.now + settings.waitLimit
    watch()
    return try await withCheckedThrowingContinuation { waiting.append(Waiting(deadline: deadline, continuation: $0)) }
  }

  /// Gives up for those who have waited too long, as long as somebody waits. They wait in order, the same time each, so
  /// that one task is enough for all. It doesn't keep the pool while it sleeps.
  private func watch() {
    guard !isWatched else { return }
    isWatched = true
    Task { [weak self] in
      while let deadline = await self?.giveUp() { try? await Task.sleep(until: deadline) }
    }
  }

  /// Gives up for those whose time is over. Returns when that of the next one is.
  private func giveUp() -> ContinuousClock.Instant? {
    while let first = waiting.first, first.deadline <= .now {
      waiting.removeFirst().continuation.resume(throwing: PostgresError(.poolExhausted))
    }
    isWatched = !waiting.isEmpty
    return waiting.first?.deadline
  }

  private func leavePlace() {
    if waiting.isEmpty {
      count -= 1
    } else {
      waiting.removeFirst().continuation.resume(returning: nil)
    }
  }
}
