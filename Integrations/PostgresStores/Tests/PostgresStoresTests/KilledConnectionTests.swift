import IdentityTesting
import JOSE
import OpenIDKit
import PostgresTesting
import SQLStores
import Synchronization
import Testing

@testable import PostgresStores

extension PostgresTests {
  /// Connections are ended again and again while others write.
  @Suite struct KilledConnectionTests {
    /// Ends all connections once, and then a fifth of them every few milliseconds until it is cancelled. The first
    /// round is over when this returns, so that what follows finds some ended, however quick it is.
    ///
    /// - Returns: how many it has ended.
    private func endingConnections(_ settings: PostgresSettings) async throws -> Task<Int, any Error> {
      let connection = try await Connection.opened(settings)
      let first = try await Self.end(1, by: connection)
      return Task {
        var kills = first
        while !Task.isCancelled {
          kills += try await Self.end(0.2, by: connection)
          try? await Task.sleep(for: .milliseconds(8))
        }
        return kills
      }
    }

    /// Ends a share of the other connections.
    private static func end(_ share: Double, by connection: Connection) async throws -> Int {
      try await connection.perform {
        try $0.run(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < \(share)
          """, []
        ).count
      }
    }

    /// What writers were told of their attempts, each of which adds its number to one record.
    private final class Told: Sendable {
      struct Attempts {
        var done: Set<UInt16> = []
        var unknown: Set<UInt16> = []
        var refused: Set<UInt16> = []
      }

      private let attempts = Mutex(Attempts())

      var all: Attempts { attempts.withLock { $0 } }

      func note(_ attempt: UInt16, _ outcome: WritableKeyPath<Attempts, Set<UInt16>> & Sendable) {
        attempts.withLock { attempts in _ = attempts[keyPath: outcome].insert(attempt) }
      }
    }

    @Test func `what was told to be done is there once, and what was told to have failed is not`() async throws {
      let settings = try await LocalServer.settings()
      let databases = [try await PostgresDatabase.connect(settings), try await PostgresDatabase.connect(settings)]
      let kind = try #require(StoredRecord.Kind(application: "test"))
      let first = StoredRecord(kind: kind, key: [1], createdAt: NumericDate(0), document: [], attempt: [0])
      #expect(try await databases[0].records.commit([.insert(first)]) == .done)
      let told = Told()
      let killer = try await endingConnections(settings)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in UInt16(0)..<8 {
          let records = databases[Int(writer % 2)].records
          group.addTask {
            for number in UInt16(0)..<60 {
              let attempt = writer * 100 + number
              // Half of them write by one statement, half by several.
              let isAlone = number.isMultiple(of: 2)
              guard var next = try? await records.record(kind, key: [1]) else { continue }
              next.document += [UInt8(attempt >> 8), UInt8(attempt & 255)]
              next.attempt = [UInt8(attempt >> 8), UInt8(attempt & 255)]
              let beside = StoredRecord(
                kind: kind, key: [2] + next.attempt, createdAt: NumericDate(0), document: [], attempt: next.attempt)
              do {
                let changes = isAlone ? [RecordChange.replace(next)] : [.replace(next), .insert(beside)]
                let isDone = try await records.commit(changes) == .done
                told.note(attempt, isDone ? \.done : \.refused)
              } catch is RecordOutcomeUnknown {
                told.note(attempt, \.unknown)
              } catch {
                told.note(attempt, \.refused)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      killer.cancel()
      #expect(try await killer.value > 0)
      let database = try await PostgresDatabase.connect(settings)
      let stored = try #require(try await database.records.record(kind, key: [1]))
      let numbers = stride(from: 0, to: stored.document.count, by: 2).map { place in
        UInt16(stored.document[place]) << 8 | UInt16(stored.document[place + 1])
      }
      let outcome = told.all
      #expect(Set(numbers).count == numbers.count && stored.version == UInt64(numbers.count + 1))
      #expect(outcome.done.isSubset(of: numbers) && outcome.refused.isDisjoint(with: numbers))
      #expect(Set(numbers).subtracting(outcome.done).isSubset(of: outcome.unknown))
      #expect(!outcome.done.isEmpty)
      // A commit is there as a whole.
      let several = numbers.filter { !($0 % 100).isMultiple(of: 2) }.count
      #expect(try await database.number("SELECT count(*) FROM records") == Int64(several + 1))
    }

    @Test func `no login is lost while its tokens are redeemed`() async throws {
      let settings = try await LocalServer.settings()
      var policy = RotationPolicy()
      policy.grace = .seconds(60)
      policy.maximumReplays = 10
      let service = try RefreshTokenService(
        policy: policy, format: RefreshTokenFormat(key: [UInt8](repeating: 7, count: 32)), sessions: EndlessSessions(),
        records: try await PostgresDatabase.connect(settings).records)
      var first: [String] = []
      for login in 0..<4 {
        let grant = RefreshGrant(subject: "user \(login)", clientID: "app", scope: ["openid"])
        first.append(try await service.issue(grant).refreshToken)
      }
      let killer = try await endingConnections(settings)
      let last = await withTaskGroup(of: (token: String, count: Int).self) { group in
        for token in first {
          group.addTask {
            var (token, count) = (token, 0)
            for _ in 0..<40 {
              let redemption = RefreshRedemption(refreshToken: token, clientID: "app")
              let next = try? await service.redeem(redemption) { $0.generation }
              guard let next else { continue }
              (token, count) = (next.refreshToken, count + 1)
            }
            return (token, count)
          }
        }
        var all: [(token: String, count: Int)] = []
        for await one in group { all.append(one) }
        return all
      }
      killer.cancel()
      #expect(try await killer.value > 0)
      #expect(last.reduce(0) { $0 + $1.count } > 0)
      for (token, _) in last { _ = try await service.check(RefreshRedemption(refreshToken: token, clientID: "app")) }
      for login in 0..<4 { #expect(try await service.logins(.subject("user \(login)")).count == 1) }
    }
  }
}
