import Foundation
import IdentityTesting
import JOSE
import PureJOSETestSupport
import Synchronization
import Testing

@testable import OpenIDKit

/// Two processes with one store and one lock refresh one login, by random walks with faults of store, lock and wire:
/// the provider never takes their requests for a thief's.
///
/// A walk that fails prints each call of store, lock and server. What chance decides is the same for each number; which
/// process goes first is the machine's. `PUREJOSE_WALKS=100000 swift test --filter SharedLoginWalk` takes as many.
@Suite struct SharedLoginWalkTests {
  /// What is built in to see that walking finds it.
  enum PlantedFault: CaseIterable {
    /// The store shows a process what it had before the last write.
    case staleLoads
    /// Answers get lost as often as chance has it, and not only as often as the provider forgives.
    case losesEveryAnswer
  }

  /// What happened in a walk, in order.
  private final class Trace: Sendable {
    private let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0 }.joined(separator: "\n") }
  }

  /// Chance, the same for each number.
  private final class Chance: Sendable {
    private let generator: Mutex<SeededGenerator>
    init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }
    func below(_ bound: Int) -> Int { generator.withLock { Int.random(in: 0..<bound, using: &$0) } }
    /// Lets others go first, or not.
    func wait() async { for _ in 0..<below(4) { await Task.yield() } }
  }

  /// What both processes share.
  private final class Place: Sendable {
    let disk = MemorySecretStore()
    let stale = Mutex<StoredSecret?>(nil)
    let clock = VirtualClock()
    let chance: Chance
    let trace = Trace()
    let fault: PlantedFault?
    let service: RefreshTokenService
    let format: RefreshTokenFormat
    let uses = Mutex<[String: Int]>([:])
    let lock: SharedLock

    init(seed: UInt64, _ fault: PlantedFault?) throws {
      (chance, self.fault) = (Chance(seed), fault)
      lock = SharedLock(trace: trace)
      let (clock, trace) = (clock, trace)
      format = try RefreshTokenFormat(key: Array(0...31))
      service = try RefreshTokenService(
        format: format, sessions: EndlessSessions(), records: MemoryRecordStore(), clock: clock.wall,
        onEvent: { trace.note("provider: \($0.kind)") }
      )
    }

    /// Whether a token may be used once more without an alarm: it rotates once, and is then forgiven three times.
    func mayComeAgain(_ token: String) -> Bool {
      fault == .losesEveryAnswer || uses.withLock { $0[token, default: 0] } < 3
    }

    func name(_ token: String) -> String { format.parse(token).map { "rt \($0.generation)" } ?? "no token" }
  }

  private actor SharedLock {
    private let trace: Trace
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(trace: Trace) { self.trace = trace }

    func acquire(_ process: Int) async {
      if isTaken { await withCheckedContinuation { waiting.append($0) } }
      isTaken = true
      trace.note("\(process): lock")
    }

    func release(_ process: Int) {
      trace.note("\(process): unlock")
      isTaken = false
      if !waiting.isEmpty {
        isTaken = true
        waiting.removeFirst().resume()
      }
    }
  }

  private struct Down: Error {}

  /// One process's view of store, lock and wire.
  private struct Process: SecretStore, RefreshLock, TokenRefresher {
    let number: Int
    let place: Place

    private func note(_ line: String) { place.trace.note("\(number): \(line)") }

    private static func text(_ document: [UInt8]?) -> String {
      guard let document, let record = try? TokenRecord(parsing: document) else { return "nothing" }
      return "generation \(record.generation)\(record.pendingRotation == nil ? "" : " announced")"
    }

    // MARK: Store

    func load() async throws -> StoredSecret? {
      await place.chance.wait()
      guard place.chance.below(20) > 0 else {
        note("load fails")
        throw Down()
      }
      var stored = await place.disk.load()
      if place.fault == .staleLoads, place.chance.below(2) == 0, let stale = place.stale.withLock({ $0 }) {
        stored = stale
      }
      await place.chance.wait()
      note("load: \(Self.text(stored?.document))")
      return stored
    }

    func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]? {
      await place.chance.wait()
      let text = Self.text(document)
      let token = document.flatMap { try? TokenRecord(parsing: $0) }?.refreshToken ?? ""
      // A record that isn't stored makes the other process send its token again.
      let mayFail = place.uses.withLock { $0.values.allSatisfy { $0 < 3 } } && place.mayComeAgain(token)
      let fate = mayFail ? place.chance.below(20) : 2
      guard fate != 0 else {
        note("replace by \(text) fails")
        throw Down()
      }
      let old = await place.disk.load()
      let written = await place.disk.replace(expecting: version, with: document)
      if written != nil { place.stale.withLock { $0 = old } }
      await place.chance.wait()
      note("replace by \(text): \(written == nil ? "another version" : fate == 1 ? "done, unheard" : "done")")
      if fate == 1 { throw Down() }
      return written
    }

    // MARK: Lock

    func acquire(lease: Duration) async -> Bool {
      await place.chance.wait()
      await place.lock.acquire(number)
      return true
    }

    func release() async { await place.lock.release(number) }

    // MARK: Wire

    func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
      let token = attempt.refreshToken
      await place.chance.wait()
      switch place.chance.below(20) {
      case 0:
        note("\(place.name(token)) not sent")
        return .failed(RefreshFailure(.notSent))
      case 1:
        note("\(place.name(token)) lost on its way")
        return .failed(RefreshFailure(.noAnswer))
      case 2:
        note("\(place.name(token)): busy")
        return .failed(RefreshFailure(.serverBusy))
      default: break
      }
      let mayBeLost = place.mayComeAgain(token)
      place.uses.withLock { $0[token, default: 0] += 1 }
      let outcome: RefreshOutcome
      do throws(OpenIDError) {
        let result = try await place.service.redeem(RefreshRedemption(refreshToken: token, clientID: "app-a")) { _ in
          await place.chance.wait()
        }
        outcome = .tokens(
          TokenAnswer(
            accessToken: "at-\(result.grant.generation)", expiresIn: .seconds(3600), refreshToken: result.refreshToken))
      } catch {
        outcome = .failed(RefreshFailure(error.code == .invalidGrant ? .invalidGrant : .noAnswer))
      }
      await place.chance.wait()
      let isLost = place.chance.below(4) < (place.fault == .losesEveryAnswer ? 3 : 1)
      guard !mayBeLost || !isLost else {
        note("\(place.name(token)): the answer is lost")
        return .failed(RefreshFailure(.noAnswer))
      }
      note("\(place.name(token)): \(outcome)")
      return outcome
    }

    func revoke(refreshToken: String) async { note("revokes \(place.name(refreshToken))") }

    func start() throws -> TokenManager {
      // Pauses are nothing: the grace is not over before both have tried again.
      let random = RandomSource { [UInt8](repeating: 0, count: $0) }
      return try TokenManager(
        store: self, refresher: self, settings: Client.settings, idTokenCheck: nil, lock: self,
        clock: place.clock.tokenClock, random: random)
    }
  }

  /// Walks once. Returns what happened, if the login was lost by it.
  private func walk(_ seed: UInt64, _ fault: PlantedFault? = nil) async throws -> String? {
    let place = try Place(seed: seed, fault)
    let processes = [Process(number: 1, place: place), Process(number: 2, place: place)]
    let first = try await place.service.issue(RefreshGrant(subject: "alice", clientID: "app-a", scope: ["openid"]))
    var managers = [try processes[0].start(), try processes[1].start()]
    for _ in 0..<50 {
      let tokens = TokenAnswer(accessToken: "at-1", expiresIn: .seconds(3600), refreshToken: first.refreshToken)
      if (try? await managers[0].logIn(tokens)) != nil { break }
    }
    for _ in 0..<3 {
      place.clock.advance(Double(3400 + place.chance.below(600)))
      place.uses.withLock { $0 = [:] }
      // A process begins anew, with what is stored.
      let restarted = place.chance.below(4)
      if restarted < 2 { managers[restarted] = try processes[restarted].start() }
      await withTaskGroup(of: Void.self) { group in
        for manager in managers {
          for _ in 0...place.chance.below(2) {
            group.addTask {
              await place.chance.wait()
              for _ in 0..<20 {
                guard (try? await manager.validToken()) == nil else { break }
                await Task.yield()
              }
            }
          }
        }
      }
      // A rotation whose answer is lost is asked for again before the grace is over: later it is reuse.
      for _ in 0..<200 where try await TokenRecords(place.disk).load()?.pendingRotation != nil {
        for manager in managers { _ = try? await manager.validToken() }
      }
    }
    let isRevoked = try await place.service.logins(.client("app-a")).isEmpty
    return isRevoked ? "walk \(seed):\n\(place.trace.text)" : nil
  }

  @Test(.timeLimit(.minutes(120))) func `no login of two processes is revoked for reuse`() async throws {
    let count = ProcessInfo.processInfo.environment["PUREJOSE_WALKS"].flatMap { UInt64($0) } ?? 400
    let lost = try await withThrowingTaskGroup(of: [String].self) { group in
      for worker in 0..<4 as Range<UInt64> {
        group.addTask {
          var lost: [String] = []
          for seed in stride(from: worker, to: count, by: 4) where lost.count < 3 {
            if let trace = try await walk(seed) { lost.append(trace) }
          }
          return lost
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(lost.isEmpty, "\(lost.count) were, such as \(lost.first ?? "")")
  }

  @Test(arguments: PlantedFault.allCases) func `walking finds what is planted`(_ fault: PlantedFault) async throws {
    var found: String?
    for seed in 0..<20_000 as Range<UInt64> where found == nil { found = try await walk(seed, fault) }
    #expect(found?.contains("reuse") == true)
  }
}
