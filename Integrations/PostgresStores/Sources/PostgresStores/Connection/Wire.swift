import Foundation
import PostgresStoresLibPQ
import SQLStores

/// A libpq connection that never waits beyond its deadline.
struct Wire {
  let pointer: OpaquePointer
  /// The statements that the server has prepared, with their names.
  private var names: [String: String] = [:]

  init(pointer: OpaquePointer) { self.pointer = pointer }

  /// Whether the server has sent nothing since the last answer. It announces the end of a connection, and any other
  /// message makes the connection unusable too.
  var isOpen: Bool {
    var entry = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
    return PQstatus(pointer) == CONNECTION_OK && poll(&entry, 1, 0) == 0
  }

  /// Whether the connection is in its initial state, so that it can be reused.
  var isIdle: Bool {
    PQstatus(pointer) == CONNECTION_OK && PQtransactionStatus(pointer) == PQTRANS_IDLE
      && PQpipelineStatus(pointer) == PQ_PIPELINE_OFF
  }

  /// Finishes the connection that `PQconnectStart` has begun.
  mutating func open(until deadline: ContinuousClock.Instant) throws(PostgresError) {
    guard PQstatus(pointer) != CONNECTION_BAD else { throw notOpened }
    var state = PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      guard state != PGRES_POLLING_FAILED else { throw notOpened }
      _ = try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
      state = PQconnectPoll(pointer)
    }
    guard PQsetnonblocking(pointer, 1) == 0 else { throw notOpened }
  }

  private var notOpened: PostgresError {
    let said = PQerrorMessage(pointer).map { String(cString: $0) } ?? ""
    // libpq repeats what it doesn't understand, and in an address that is written wrong that may be a password's: what
    // follows an "@" in it is taken for a host's name.
    guard said.hasPrefix("connection to server"), !said.utf8.contains(UInt8(ascii: "@")) else {
      let isName = said.hasPrefix("could not translate host name")
      return PostgresError(
        .noConnection, detail: isName ? "the host's name has no address" : "libpq can't parse the connection string")
    }
    let line = said.split(whereSeparator: \.isNewline).joined(separator: " ")
    return PostgresError(.noConnection, detail: line)
  }

  /// Runs a statement without values that is not worth preparing.
  mutating func run(_ text: String, until deadline: ContinuousClock.Instant) throws(PostgresError) {
    guard PQsendQuery(pointer, text) == 1 else { throw PostgresError(.connectionLost) }
    _ = try answer(until: deadline)
  }

  /// Runs a statement, which the server prepares at its first run.
  mutating func run(
    _ text: String, _ values: [SQLValue], until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> SQLResult {
    try send(values, to: try prepare(text, values, until: deadline))
    return try answer(until: deadline)
  }

  /// Sends the values of a prepared statement.
  private func send(_ values: [SQLValue], to name: String) throws(PostgresError) {
    let isSent = WireParameters(values).withPointers { contents, lengths, formats in
      PQsendQueryPrepared(pointer, name, Int32(values.count), contents, lengths, formats, 1)
    }
    guard isSent == 1 else { throw PostgresError(.connectionLost) }
  }

  private mutating func prepare(
    _ text: String, _ values: [SQLValue], until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> String {
    // libpq would end the text at the NUL, and so send another value.
    guard !Self.hasNUL(values) else { throw PostgresError(.statementFailed, sqlState: "22021") }
    guard values.count <= 65_535 else { throw PostgresError(.statementFailed, sqlState: "54023") }
    if let name = names[text] { return name }
    let name = "s\(names.count)"
    guard PQsendPrepare(pointer, name, Self.numbered(text), 0, nil) == 1 else { throw PostgresError(.connectionLost) }
    _ = try answer(until: deadline)
    names[text] = name
    return name
  }

  private static func hasNUL(_ values: [SQLValue]) -> Bool {
    values.contains { if case .text(let text) = $0 { text.utf8.contains(0) } else { false } }
  }

  /// The statement with PostgreSQL's `$1`, `$2` in the places of values.
  static func numbered(_ text: String) -> String {
    var (numbered, count) = ("", 0)
    for character in text {
      guard character == "?" else {
        numbered.append(character)
        continue
      }
      count += 1
      numbered += "$\(count)"
    }
    return numbered
  }
}

// MARK: Pipelines

extension Wire {
  /// Runs statements, all of which are sent before the first answer is read. They are one transaction, which ends at
  /// the first that fails.
  ///
  /// - Returns: what became of each. Nil stands for a statement after one that failed, which was not run.
  mutating func run(
    _ statements: [Statement], until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> [Result<SQLResult, PostgresError>?] {
    var outcomes: [Result<SQLResult, PostgresError>?] = Array(repeating: nil, count: statements.count)
    var names: [String?] = []
    // What can't be prepared, perhaps after a wait for a lock, isn't tried again for the next caller.
    var failures: [String: PostgresError] = [:]
    for (place, statement) in statements.enumerated() {
      do throws(PostgresError) {
        if let failure = failures[statement.text] { throw failure }
        names.append(try prepare(statement.text, statement.values, until: deadline))
      } catch {
        guard error.reason == .statementFailed else { throw error }
        names.append(nil)
        outcomes[place] = .failure(error)
        if !Self.hasNUL(statement.values) { failures[statement.text] = error }
      }
    }
    guard PQenterPipelineMode(pointer) == 1 else { throw PostgresError(.connectionLost) }
    for (statement, name) in zip(statements, names) {
      if let name { try send(statement.values, to: name) }
    }
    guard PQpipelineSync(pointer) == 1 else { throw PostgresError(.connectionLost) }
    try flush(until: deadline)
    for (place, name) in names.enumerated() where name != nil {
      outcomes[place] = try pipelineAnswer(until: deadline)
    }
    guard let end = try next(until: deadline) else { throw PostgresError(.connectionLost) }
    defer { PQclear(end) }
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(pointer) == 1 else {
      throw PostgresError(.connectionLost)
    }
    return outcomes
  }

  /// The answer to the next statement of a pipeline.
  private func pipelineAnswer(
    until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> Result<SQLResult, PostgresError>? {
    var outcome: Result<SQLResult, PostgresError>?
    while let part = try next(until: deadline) {
      defer { PQclear(part) }
      switch PQresultStatus(part) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: outcome = .success(SQLResult(part))
      case PGRES_PIPELINE_ABORTED: break
      default: outcome = .failure(PostgresError(part))
      }
    }
    guard PQstatus(pointer) == CONNECTION_OK else {
      guard case .failure(let failure) = outcome else { throw PostgresError(.connectionLost) }
      throw PostgresError(.connectionLost, sqlState: failure.sqlState)
    }
    return outcome
  }
}

// MARK: Answers

extension Wire {
  private func answer(until deadline: ContinuousClock.Instant) throws(PostgresError) -> SQLResult {
    try flush(until: deadline)
    var result = SQLResult(count: 0)
    var failure: PostgresError?
    while let part = try next(until: deadline) {
      let status = PQresultStatus(part)
      if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
        result = SQLResult(part)
      } else {
        // After the server's message, libpq reports that the connection has ended.
        failure = failure ?? PostgresError(part)
      }
      PQclear(part)
    }
    guard PQstatus(pointer) == CONNECTION_OK else {
      throw PostgresError(.connectionLost, sqlState: failure?.sqlState)
    }
    if let failure { throw failure }
    return result
  }

  private func flush(until deadline: ContinuousClock.Instant) throws(PostgresError) {
    while true {
      switch PQflush(pointer) {
      case 0: return
      case 1:
        // A server that can't receive more may be waiting for its own answer to be read.
        let events = try wait(for: POLLIN | POLLOUT, until: deadline)
        if events & Int16(POLLIN) != 0, PQconsumeInput(pointer) == 0 { throw PostgresError(.connectionLost) }
      default: throw PostgresError(.connectionLost)
      }
    }
  }

  /// The next part of an answer; nil after the last. The caller clears it.
  private func next(until deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
    while PQisBusy(pointer) == 1 {
      _ = try wait(for: POLLIN, until: deadline)
      // Unreadable input ends the answer with an error, without a wait.
      if PQconsumeInput(pointer) == 0 { break }
    }
    return PQgetResult(pointer)
  }

  /// Waits for the socket. Returns the events it is ready for.
  private func wait(
    for events: Int32, until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> Int16 {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw PostgresError(.timedOut) }
      var entry = pollfd(fd: PQsocket(pointer), events: Int16(events), revents: 0)
      let milliseconds = Int32(min(600_000, (left / .milliseconds(1)).rounded(.up)))
      if poll(&entry, 1, milliseconds) > 0 { return entry.revents }
      // There was a timeout or a signal.
    }
  }
}
