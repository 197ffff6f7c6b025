import JOSE
import PostgresTesting
import Testing

@testable import PostgresStores

extension PostgresTests {
  /// A commit that was made and whose answer got lost. The server has committed when it begins to wait for a standby
  /// that isn't there, and then its connection is ended.
  @Suite struct LostAnswerTests {
    @Test(arguments: [true, false])
    func `a commit whose answer gets lost is known by its attempt`(isAlone: Bool) async throws {
      let settings = try await LocalServer.settings()
      let records = try await PostgresDatabase.connect(settings).records
      let kind = try #require(StoredRecord.Kind(application: "test"))
      var record = StoredRecord(kind: kind, key: [1], createdAt: NumericDate(0), document: [], attempt: [0])
      #expect(try await records.commit([.insert(record)]) == .done)

      let server = try await Connection.opened(settings)
      try await run("ALTER SYSTEM SET synchronous_standby_names = 'none'", server)
      let ending = Task {
        var count = 0
        while count == 0, !Task.isCancelled {
          count = try await server.perform {
            try $0.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", []).count
          }
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      var last: RecordCommit? = .done
      // The server takes a moment to read what it was told.
      for number in UInt8(1)...200 where last == .done {
        record.version += 1
        record.attempt = [number]
        let beside = StoredRecord(
          kind: kind, key: [2, number], createdAt: NumericDate(0), document: [], attempt: record.attempt)
        let changes = isAlone ? [RecordChange.replace(record)] : [.replace(record), .insert(beside)]
        do {
          last = try await records.commit(changes)
        } catch {
          #expect(error is RecordOutcomeUnknown)
          last = nil
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      ending.cancel()
      try await run("ALTER SYSTEM RESET synchronous_standby_names", server)

      #expect(last == nil)
      let stored = try await records.record(kind, key: [1])
      #expect(stored?.version == record.version + 1 && stored?.attempt == record.attempt)
    }

    /// Changes a setting of the server's.
    private func run(_ statement: String, _ server: Connection) async throws {
      try await server.perform { connection in
        try connection.run(statement)
        try connection.run("SELECT pg_reload_conf()")
      }
    }
  }
}
