import Foundation
import JOSE
import OpenIDKit
import PostgresTesting
import Synchronization

@testable import store_worker

/// A process that works on stores, and is told by lines what to do.
final class WorkerProcess: Sendable {
  private struct State {
    let input = Pipe()
    let process = Process()
    var number = 0
    var waiting: [Int: CheckedContinuation<Answer, any Error>] = [:]
    var hasEnded = false

    mutating func send(_ schema: String, _ call: Call, _ continuation: CheckedContinuation<Answer, any Error>) {
      guard !hasEnded else { return continuation.resume(throwing: Ended()) }
      number += 1
      waiting[number] = continuation
      do {
        let request = try StrictJSONEncoder().encode(Request(number: number, schema: schema, call: call))
        try input.fileHandleForWriting.write(contentsOf: request + [0x0A])
      } catch {
        waiting.removeValue(forKey: number)?.resume(throwing: error)
      }
    }
  }

  /// It has ended, or does before it answers.
  struct Ended: Error {}

  private let state = Mutex(State())

  init(connection: String, fault: String?) throws {
    // Who writes to a process that has ended gets an error.
    signal(SIGPIPE, SIG_IGN)
    let output = Pipe()
    try state.withLock { state in
      // Beside the tests, or beside the bundle that has them.
      var folder = Bundle(for: WorkerProcess.self).bundleURL
      if folder.pathExtension == "xctest" { folder.deleteLastPathComponent() }
      state.process.executableURL = folder.appendingPathComponent("store-worker")
      state.process.arguments = [connection, "\(PostgresTests.date.wholeSeconds)"] + (fault.map { [$0] } ?? [])
      (state.process.standardInput, state.process.standardOutput) = (state.input, output)
      try state.process.run()
    }
    let lines = output.fileHandleForReading
    Thread.detachNewThread { [self] in read(lines) }
  }

  var identifier: Int32 { state.withLock { $0.process.processIdentifier } }
  var callsUnderWay: Int { state.withLock { $0.waiting.count } }

  /// Ends the process once it has answered.
  func end() { state.withLock { $0.input.fileHandleForWriting.closeFile() } }

  func answer(_ schema: String, _ call: Call) async throws -> Answer {
    let answer = try await withCheckedThrowingContinuation { continuation in
      state.withLock { $0.send(schema, call, continuation) }
    }
    if case .threw = answer { throw UnexpectedLine(answer) }
    return answer
  }

  /// Passes the answers on until the process ends, or says something else, and ends the calls that are then left.
  private func read(_ lines: FileHandle) {
    var octets: [UInt8] = []
    while case let data = lines.availableData, !data.isEmpty {
      octets += data
      guard let end = octets.lastIndex(of: 0x0A) else { continue }
      let replies = octets[..<end].split(separator: 0x0A).map { try? StrictJSONDecoder().decode(Reply.self, from: $0) }
      octets.removeSubrange(...end)
      for case let reply? in replies {
        state.withLock { $0.waiting.removeValue(forKey: reply.number) }?.resume(returning: reply.answer)
      }
      if replies.contains(where: { $0 == nil }) { break }
    }
    let left = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in left { continuation.resume(throwing: Ended()) }
  }
}

/// Processes that work in turns: each call is made by the next one.
final class WorkerProcesses: Sendable {
  /// Four that keep all rules, for all tests.
  static let four = Task { try await WorkerProcesses(4) }

  let processes: [WorkerProcess]
  private let turn = Atomic(0)

  init(_ count: Int, fault: String? = nil) async throws {
    let connection = try await LocalServer.shared.value.settings(schema: "started").connection
    processes = try (0..<count).map { _ in try WorkerProcess(connection: connection, fault: fault) }
  }

  func end() { for process in processes { process.end() } }

  fileprivate func answer(_ schema: String, _ call: Call) async throws -> Answer {
    let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return try await processes[turn % processes.count].answer(schema, call)
  }
}

/// The stores of a schema, by processes in turns.
struct WorkerStores: RecordStore, RateLimiter {
  let processes: WorkerProcesses
  let schema: String

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await processes.answer(schema, .record(kind: kind.name, key: Base64URL.encode(key))).records(kind).first
  }

  func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] {
    let call = Call.records(kind: kind.name, index: IndexLine(index), limit: limit)
    return try await processes.answer(schema, call).records(kind)
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    try await processes.answer(schema, .commit(changes.map { ChangeLine($0) })).outcome()
  }

  func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    let answer = try await processes.answer(schema, .removeExpired(before: date.secondsSince1970, limit: limit))
    guard case .removed(let count) = answer else { throw UnexpectedLine(answer) }
    return count
  }

  func attempt(
    _ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate
  ) async throws -> RateLimitDecision {
    let attempt = AttemptLine(
      keys: keys.map(\.storageKey), limit: limit, blockSeconds: blockDuration / .seconds(1), now: now.secondsSince1970)
    return try await processes.answer(schema, .attempt(attempt)).decision()
  }
}
