import JOSE
import Testing

@testable import OpenIDKit

/// Two presentations of one code at once, step by step in every order that there is: at most one gets tokens, and in
/// the end none live.
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
    /// Who used a code doesn't see that it came again.
    case looksAtThePast
  }

  /// Records of codes whose every operation is a step.
  private actor SteppingStore: RecordStore {
    let inner = MemoryRecordStore()
    let turns: Turns
    let fault: PlantedFault?
    private var own: [Int: StoredRecord] = [:]
    private(set) var isReused = false
    /// The tasks that were told of their code after it had come again, last.
    private(set) var sawLate: [Int: Bool] = [:]

    init(_ turns: Turns, _ fault: PlantedFault?) { (self.turns, self.fault) = (turns, fault) }

    func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? {
      await turns.step()
      sawLate[Turns.task] = isReused
      if fault == .looksAtThePast, let past = own[Turns.task] { return past }
      return await inner.record(kind, key: key)
    }

    func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
      await inner.records(kind, where: index, limit: limit)
    }

    func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
      guard case .replace(var record)? = changes.first else { return try await inner.commit(changes) }
      await turns.step()
      if fault == .replacesBlindly, let known = await inner.record(record.kind, key: record.key) {
        record.version = known.version
      }
      let outcome = try await inner.commit([.replace(record)])
      guard outcome == .done else { return outcome }
      if try AuthorizationCodeRecord(parsing: record.document).use == .reused { isReused = true }
      record.version += 1
      own[Turns.task] = record
      return outcome
    }

    func removeExpired(before date: NumericDate, limit: Int) async -> Int {
      await inner.removeExpired(before: date, limit: limit)
    }
  }

  /// Families whose beginnings and ends are steps.
  private struct SteppingFamilies: RefreshTokenFamilyStore {
    let inner = InMemoryRefreshTokenFamilyStore()
    let turns: Turns
    let fault: PlantedFault?

    func family(_ id: RefreshTokenFamily.ID) async -> RefreshTokenFamily? { await inner.family(id) }
    func families(_ selection: FamilySelection) async -> [RefreshTokenFamily.ID] { await inner.families(selection) }
    func activeFamilies(_ selection: FamilySelection) async -> [RefreshTokenFamily.ID] {
      await inner.activeFamilies(selection)
    }
    func removeFamilies(endedBefore date: NumericDate) async { await inner.removeFamilies(endedBefore: date) }

    func insert(_ family: RefreshTokenFamily) async -> Bool {
      await turns.step()
      guard fault == .losesGrants else { return await inner.insert(family) }
      var grant = family.grant
      grant.grantID = nil
      return await inner.insert(
        RefreshTokenFamily(
          id: family.id, version: family.version, grant: grant, createdAt: family.createdAt,
          absoluteExpiration: family.absoluteExpiration, lastUsedAt: family.lastUsedAt, status: family.status,
          generation: family.generation, rotatedAt: family.rotatedAt, replayCount: family.replayCount))
    }

    func replace(expecting expected: UInt64, with family: RefreshTokenFamily) async -> Bool {
      await turns.step()
      return await inner.replace(expecting: expected, with: family)
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
    var answers: Int
    var violations: [String]
  }

  private func play(_ order: [Int], _ fault: PlantedFault?) async throws -> Outcome {
    let turns = Turns(tasks: 2, order: order)
    let store = SteppingStore(turns, fault)
    let families = SteppingFamilies(turns: turns, fault: fault)
    let list = RevokedTokens(records: SteppingList(turns: turns, fault: fault))
    let refreshTokens = try RefreshTokenService(format: RefreshTokenFormat(key: Array(0...31)), store: families)
    let codes = try AuthorizationCodeService(records: store, refreshTokens: refreshTokens, revokedTokens: list)
    let grant = CodeProvider.grant
    let request = CodeProvider.request(try await codes.issue(grant))
    let errors = await withTaskGroup(of: (task: Int, error: TokenRefreshError?).self) { group in
      for task in 0..<2 {
        group.addTask {
          await Turns.$task.withValue(task) {
            var failure: TokenRefreshError?
            do throws(TokenRefreshError) {
              try await codes.redeem(request) { code in
                var grant = RefreshGrant(code.grant)
                if fault == .namesNoGrant { grant.grantID = nil }
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
    if answered.count > 1 { violations.append("both have tokens") }
    if !errors.allSatisfy({ $0.error.map { $0.code == .invalidGrant } ?? true }) {
      violations.append("a refusal is another one")
    }
    if await !families.activeFamilies(.client("app")).isEmpty { violations.append("a refresh token lives") }
    if try await !list.isRevoked(anyOf: [.grant(grant.id)]) { violations.append("an access token lives") }
    let late = await store.sawLate
    if answered.contains(where: { late[$0] == true }) { violations.append("told what had ended") }
    return Outcome(taken: await turns.taken, answers: answered.count, violations: violations)
  }

  /// How often nobody and how often one was answered, and what went wrong, over all orders.
  private func explore(_ fault: PlantedFault?) async throws -> (answers: [Int: Int], violations: [String]) {
    var order: [Int]? = []
    var answers: [Int: Int] = [:]
    var violations: [String] = []
    while let next = order, violations.isEmpty {
      let outcome = try await play(next, fault)
      answers[outcome.answers, default: 0] += 1
      violations += outcome.violations.map { "\($0): \(outcome.taken.map(\.choice))" }
      order = Turns.next(after: outcome.taken)
    }
    return (answers, violations)
  }

  @Test(.timeLimit(.minutes(5))) func `at most one gets tokens, and in the end none live`() async throws {
    let (answers, violations) = try await explore(nil)
    #expect(violations.isEmpty, "\(violations)")
    // Some orders let the first finish, others come between.
    #expect(answers[0, default: 0] > 20 && answers[1, default: 0] > 2, "\(answers)")
  }

  @Test(.timeLimit(.minutes(5)), arguments: PlantedFault.allCases)
  func `exploring finds what is planted`(fault: PlantedFault) async throws {
    #expect(try await !explore(fault).violations.isEmpty)
  }
}
