/// The connections of a process, no more than it may have. Callers that find none wait in a line, and no longer than
/// the settings say.
actor ConnectionPool {
  private let settings: PostgresSettings
  private var idle: [Connection] = []
  /// How many there are, those among them that are being opened.
  private var count = 0
  private var waiting: [(number: Int, continuation: CheckedContinuation<Connection?, any Error>)] = []
  private var lastNumber = 0

  init(_ settings: PostgresSettings) { self.settings = settings }

  /// Runs a closure with a connection that nobody else has meanwhile.
  ///
  /// - Throws: ``PostgresError``, what the closure throws.
  func use<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
    let connection = try await take()
    defer { giveBack(connection) }
    return try await connection.perform(body)
  }

  /// A connection for a caller, who gives it back.
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

  /// Takes a connection back. One that isn't as it was is closed.
  func giveBack(_ connection: Connection) {
    guard connection.isIdle else { return leavePlace() }
    if waiting.isEmpty {
      idle.append(connection)
    } else {
      waiting.removeFirst().continuation.resume(returning: connection)
    }
  }

  /// Closes the connections that nobody has: the server may have ended all of them.
  func closeIdle() {
    count -= idle.count
    idle = []
  }

  /// Waits for a connection, or for the place of one that was closed, which is nil and counted for the caller.
  private func turn() async throws -> Connection? {
    lastNumber += 1
    let (number, limit) = (lastNumber, settings.waitLimit)
    let timer = Task.detached {
      try? await Task.sleep(for: limit)
      await self.giveUp(number)
    }
    defer { timer.cancel() }
    return try await withCheckedThrowingContinuation { waiting.append((number, $0)) }
  }

  private func giveUp(_ number: Int) {
    guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: place).continuation.resume(throwing: PostgresError(.poolExhausted))
  }

  private func leavePlace() {
    if waiting.isEmpty {
      count -= 1
    } else {
      waiting.removeFirst().continuation.resume(returning: nil)
    }
  }
}
