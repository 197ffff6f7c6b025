import IdentityTesting
import JOSE
import PureJOSETestSupport
import Testing

@testable import OpenIDKit

/// Two presentations of one code at once, step by step in every order that there is: one gets tokens, and in the end
/// none live.
@Suite struct CodeRaceTests {
  /// What is built in to see that exploring finds it.
  enum PlantedFault: CaseIterable {
    /// The store writes without looking at the version.
    case replacesBlindly
    /// The store of families loses what they came of.
    case losesGrants
    /// The provider doesn't say what a family came of.
    case namesNoGrant
    /// The list of ended tokens forgets.
    case forgetsEnded
  }

  /// Records of codes and families whose every operation is a step.
  private struct SteppingStore: RecordStore {
    let inner = MemoryRecordStore()
    let turns: Turns
    let fault: PlantedFault?

    func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? {
      await turns.step()
      return await inner.record(kind, key: key)
    }

    func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
      await turns.step()
      return await inner.records(kind, where: index, limit: limit)
    }

    func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
      await turns.step()
      var made: [RecordChange] = []
      for change in changes {
        switch change {
        case .replace(var record) where fault == .replacesBlindly:
          if let known = await inner.record(record.kind, key: record.key) { record.version = known.version }
          made.append(.replace(record))
        case .insert(var record, _) where fault == .losesGrants:
          record.indexes.removeAll { $0.name == "grant" }
          made.append(.insert(record))
        default: made.append(change)
        }
      }
      return try await inner.commit(made)
    }

    func removeExpired(before date: NumericDate, limit: Int) async -> Int {
      await inner.removeExpired(before: date, limit: limit)
    }
  }

  /// Records of ended tokens, whose every change is a step.
  private struct SteppingList: RecordStore {
    let inner = MemoryRecordStore()
    let turns: Turns
    let fault: PlantedFault?

    func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? { await inner.record(kind, key: key) }
    func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
      await inner.records(kind, where: index, limit: limit)
    }
    func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
      await turns.step()
      return fault == .forgetsEnded ? .done : try await inner.commit(changes)
    }
    func removeExpired(before date: NumericDate, limit: Int) async -> Int {
      await inner.removeExpired(before: date, limit: limit)
    }
  }

  /// How one order went.
  private struct Outcome {
    var taken: [(choice: Int, of: Int)]
    var violations: [String]
  }

  private func play(_ order: [Int], _ fault: PlantedFault?) async throws -> Outcome {
    let turns = Turns(tasks: 2, order: order)
    let store = SteppingStore(turns: turns, fault: fault)
    // A code is good for a minute, in which a busy machine may not have taken all steps.
    let clock = WallClock.fixed(at: NumericDate(1_760_000_000))
    let list = RevokedTokens(records: SteppingList(turns: turns, fault: fault), clock: clock)
    let refreshTokens = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: store, clock: clock)
    let codes = try AuthorizationCodeService(refreshTokens: refreshTokens, revokedTokens: list, clock: clock)
    let grant = CodeProvider.grant
    let request = CodeProvider.request(
      try await AuthorizationCodeService(records: store.inner, revokedTokens: nil, clock: clock).issue(grant))
    let errors = await withTaskGroup(of: (task: Int, error: OpenIDError?).self) { group in
      for task in 0..<2 {
        group.addTask {
          await Turns.$task.withValue(task) {
            var failure: OpenIDError?
            do throws(OpenIDError) {
              try await codes.redeem(request) { code in
                guard fault == .namesNoGrant else { return _ = try code.issueRefreshToken() }
                var grant = RefreshGrant(code.grant)
                grant.grantID = nil
                _ = try await refreshTokens.issue(grant)
              }
            } catch {
              failure = error
            }
            await turns.finish()
            return (task, failure)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let answered = errors.filter { $0.error == nil }.map(\.task)
    var violations: [String] = []
    if answered.count != 1 { violations.append("\(answered.count) have tokens") }
    if !errors.allSatisfy({ $0.error.map { $0.code == .invalidGrant } ?? true }) {
      violations.append("a refusal is another one")
    }
    let families = RefreshTokenFamilyRecords(store.inner, idleTimeout: nil)
    if try await !families.active(.client("app"), limit: 9).isEmpty { violations.append("a refresh token lives") }
    if try await !list.isRevoked(anyOf: [.grant(grant.id)]) { violations.append("an access token lives") }
    return Outcome(taken: await turns.taken, violations: violations)
  }

  /// How many orders there are, and what went wrong in the first that did.
  private func explore(_ fault: PlantedFault?) async throws -> (orders: Int, violations: [String]) {
    var order: [Int]? = []
    var orders = 0
    var violations: [String] = []
    while let next = order, violations.isEmpty {
      let outcome = try await play(next, fault)
      orders += 1
      violations += outcome.violations.map { "\($0): \(outcome.taken.map(\.choice))" }
      order = Turns.next(after: outcome.taken)
    }
    return (orders, violations)
  }

  @Test(.timeLimit(.minutes(60)))
  func `one of several uses of a code gets tokens, and all of them are revoked in the end`() async throws {
    let (orders, violations) = try await explore(nil)
    #expect(violations.isEmpty, "\(violations)")
    #expect(orders > 20, "\(orders)")
  }

  @Test(.timeLimit(.minutes(60)), arguments: PlantedFault.allCases)
  func `exploring finds what is planted`(fault: PlantedFault) async throws {
    #expect(try await !explore(fault).violations.isEmpty)
  }
}
