import PureJOSETestSupport
import Synchronization

@testable import OpenIDKit

/// A refresher whose answers a test writes.
final class ScriptedRefresher: TokenRefresher {
  private struct State {
    var attempts: [RefreshAttempt] = []
    var revoked: [String] = []
  }

  private let state = Mutex(State())
  private let answer: @Sendable (Int, RefreshAttempt) async -> RefreshOutcome

  /// - Parameter answer: called with the request's number, from 0.
  init(_ answer: @escaping @Sendable (Int, RefreshAttempt) async -> RefreshOutcome) { self.answer = answer }

  /// Answers in turn, the last one for ever.
  convenience init(_ outcomes: RefreshOutcome...) {
    self.init { number, _ in outcomes[min(number, outcomes.count - 1)] }
  }

  /// Answers once the gate is open.
  convenience init(_ outcome: RefreshOutcome, behind gate: Gate) {
    self.init { _, _ in
      await gate.pass()
      return outcome
    }
  }

  var attempts: [RefreshAttempt] { state.withLock { $0.attempts } }
  var revoked: [String] { state.withLock { $0.revoked } }

  func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
    let number = state.withLock { state in
      state.attempts.append(attempt)
      return state.attempts.count - 1
    }
    return await answer(number, attempt)
  }

  func revoke(refreshToken: String) async { state.withLock { $0.revoked.append(refreshToken) } }
}

extension TokenRecord {
  /// The record's version in the stores of these tests.
  var version: [UInt8] { Array("\(revision) \(loginID)".utf8) }
}

/// A store whose writes can be made to fail.
actor FaultyStore: SecretStore {
  struct Failure: Error {}

  private var kept: TokenRecord?
  private(set) var loads = 0
  private(set) var writes = 0
  /// Numbers of the writes, from 0, that fail.
  private var failingWrites: Set<Int> = []
  /// Every write from this number on fails.
  private var firstOfFailing = Int.max

  init(_ record: TokenRecord? = nil) { kept = record }

  var stored: TokenRecord? { kept }

  func fail(_ writes: Set<Int>) { failingWrites = Set(writes.map { $0 + self.writes }) }
  func failAlways(_ fails: Bool) { firstOfFailing = fails ? writes : .max }
  /// Lets so many writes pass, and no other until `failAlways(false)`.
  func failAfter(_ count: Int) { firstOfFailing = writes + count }

  /// What another process writes.
  func overwrite(_ record: TokenRecord?) { kept = record }

  func load() -> StoredSecret? {
    loads += 1
    return kept.map { StoredSecret(document: $0.serialized(), version: $0.version) }
  }

  func replace(expecting version: [UInt8]?, with document: [UInt8]?) throws -> [UInt8]? {
    defer { writes += 1 }
    if writes >= firstOfFailing || failingWrites.contains(writes) { throw Failure() }
    guard version == kept?.version else { return nil }
    kept = try document.map { try TokenRecord(parsing: $0) }
    return kept?.version ?? []
  }
}

func tokens(_ generation: Int, expiresIn: Duration? = .seconds(3600), rotates: Bool = true) -> TokenAnswer {
  TokenAnswer(
    accessToken: "at-secret-\(generation)", expiresIn: expiresIn,
    refreshToken: rotates ? "rt-secret-\(generation)" : nil)
}

/// What a call threw, or nil.
func failure(_ body: () async throws -> Void) async -> OpenIDError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? OpenIDError
  }
}

/// Waits until something becomes true. Bounded: a test fails instead of hanging.
func until(_ condition: @Sendable () async -> Bool) async -> Bool {
  for _ in 0..<20_000 {
    if await condition() { return true }
    await Task.yield()
  }
  return false
}
