import Foundation
import JOSE
import OpenIDKit
import PostgresStores
import PostgresTesting

/// Does what requests ask for, in a database that other processes use too.
actor Worker {
  private let connection: String
  private let clock: WallClock
  private let isAlone: Bool
  /// The last two: a rule uses no more, and connections are few.
  private var databases: [(schema: String, database: Task<PostgresDatabase, any Error>)] = []
  private var known: [[UInt8]: Answer] = [:]
  private var writes = 0
  private var limiters: [String: InMemoryRateLimiter] = [:]

  /// - Parameter isAlone: whether it works as if no other process did: it remembers what it has read until it writes
  ///   itself, and counts attempts in memory. One process alone breaks no rule by that.
  init(connection: String, clock: WallClock, isAlone: Bool) {
    (self.connection, self.clock, self.isAlone) = (connection, clock, isAlone)
  }

  /// Answers on standard output, one line after the other.
  func serve(_ request: Request) async throws {
    let answer: Answer
    do {
      answer = try await isAlone ? answerAlone(to: request) : answerByDatabase(to: request)
    } catch {
      answer = .threw("\(error)")
    }
    let line = try StrictJSONEncoder().encode(Reply(number: request.number, answer: answer)) + [0x0A]
    try FileHandle.standardOutput.write(contentsOf: line)
  }

  private func answerByDatabase(to request: Request) async throws -> Answer {
    let database = try await database(request.schema)
    let records = database.records
    switch request.call {
    case .record(let kind, let key):
      let found = try await records.record(.named(kind), key: Base64URL.decode(key))
      return .records(found.map { [RecordLine($0)] } ?? [])
    case .records(let kind, let index, let limit):
      let found = try await records.records(.named(kind), where: index.index(), limit: limit)
      return .records(found.map { RecordLine($0) })
    case .commit(let changes): return Answer(try await records.commit(changes.map { try $0.change() }))
    case .removeExpired(let date, let limit):
      return .removed(try await records.removeExpired(before: NumericDate(saturating: date), limit: limit))
    case .attempt(let attempt): return Answer(try await attempt.made(in: database.rateLimits))
    }
  }

  private func answerAlone(to request: Request) async throws -> Answer {
    switch request.call {
    case .record, .records:
      var request = request
      request.number = 0
      // Texts are compared octet by octet.
      let key = try StrictJSONEncoder().encode(request)
      if let answer = known[key] { return answer }
      let before = writes
      let answer = try await answerByDatabase(to: request)
      if writes == before { known[key] = answer }
      return answer
    case .attempt(let attempt):
      let limiter = limiters[request.schema] ?? InMemoryRateLimiter()
      limiters[request.schema] = limiter
      return Answer(try await attempt.made(in: limiter))
    case .commit, .removeExpired:
      defer {
        writes += 1
        known = [:]
      }
      return try await answerByDatabase(to: request)
    }
  }

  private func database(_ schema: String) async throws -> PostgresDatabase {
    if let open = databases.first(where: { $0.schema == schema }) { return try await open.database.value }
    let task = Task { [connection, clock] in
      try await PostgresDatabase.connect(PostgresSettings(patient: connection, schema: schema), clock: clock)
    }
    databases = databases.suffix(1) + [(schema, task)]
    return try await task.value
  }
}
