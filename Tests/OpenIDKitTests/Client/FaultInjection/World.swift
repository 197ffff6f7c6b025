import IdentityTesting
import JOSE
import PureJOSETestSupport
import Synchronization
import Testing

@testable import OpenIDKit

/// One client, one provider, and a wire between them that fails as a schedule says.
///
/// The client's process may die. Its store and the provider live on.
final class World: Sendable {
  private struct State {
    var faults: ArraySlice<Fault>
    /// What happens to the request that is being prepared or under way.
    var current: Fault?
    var clock: VirtualClock
    var delayed: [String] = []
    var lateDuringNext: [Gate] = []
    var lateAfterNext: [Gate] = []
    var violations: [String] = []
    var transactions = 0
  }

  private let state: Mutex<State>
  let schedule: Schedule
  let disk = MemorySecretStore()
  let records = MemoryRecordStore()
  let service: RefreshTokenService
  let format: RefreshTokenFormat

  init(_ schedule: Schedule) throws {
    self.schedule = schedule
    let clock = VirtualClock()
    let state = Mutex(State(faults: schedule.faults[...], clock: clock))
    self.state = state
    format = try RefreshTokenFormat(key: Array(0...31))
    let box = ClockBox(clock)
    self.box = box
    service = try RefreshTokenService(
      policy: Self.policy(schedule.mode), format: format, sessions: EndlessSessions(), records: records,
      clock: WallClock { box.clock.date })
  }

  /// The clock of the process that is alive: time goes on from one to the next.
  final class ClockBox: Sendable {
    private let current: Mutex<VirtualClock>
    init(_ clock: VirtualClock) { current = Mutex(clock) }
    var clock: VirtualClock {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }
  }

  let box: ClockBox

  static func policy(_ mode: Schedule.RotationMode) -> RotationPolicy {
    var policy = RotationPolicy()
    switch mode {
    case .replaySuccessor: break
    case .newestWins: policy.graceMode = .newestWins
    case .singleUse: policy = .singleUse
    case .noRotation: policy = .platformSSO
    }
    return policy
  }

  var violations: [String] { state.withLock { $0.violations } }
  var transactions: Int { state.withLock { $0.transactions } }
  var isExhausted: Bool { state.withLock { $0.faults.isEmpty && $0.current == nil } }

  /// The fault of the next request, which stays until that request is over.
  func nextFault() -> Fault {
    state.withLock { state in
      if let current = state.current { return current }
      let fault = state.faults.popFirst() ?? .none
      state.current = fault
      return fault
    }
  }

  /// The fault of the request that was answered, if it strikes at the store.
  func takeStoreFault() -> Fault? {
    state.withLock { state in
      guard let fault = state.current, isStoreFault(fault) else { return nil }
      state.current = nil
      return fault
    }
  }

  func finishRequest() { state.withLock { $0.current = nil } }

  // MARK: Server

  /// What the server does with a refresh token, and what it answers.
  func redeem(_ token: String, fails: Bool = false) async -> RefreshOutcome {
    struct Broken: Error {}
    let outcome: RefreshOutcome
    do throws(OpenIDError) {
      let result = try await service.redeem(RefreshRedemption(refreshToken: token, clientID: "app-a")) { grant in
        if fails { throw Broken() }
        return "at-\(grant.generation)"
      }
      outcome = .tokens(
        TokenAnswer(accessToken: result.artefacts, expiresIn: .seconds(3600), refreshToken: result.refreshToken))
    } catch {
      outcome = .failed(RefreshFailure(error.code == .invalidGrant ? .invalidGrant : .noAnswer))
    }
    state.withLock { $0.transactions += 1 }
    await checkFamily(token)
    return outcome
  }

  /// Requires that at most one token is live, and beside it at most the one that the grace rule forgives, which leads
  /// to the same place.
  private func checkFamily(_ token: String) async {
    let families = RefreshTokenFamilyRecords(records, idleTimeout: nil)
    guard let parsed = format.parse(token), let family = try? await families.family(parsed.family) else { return }
    var honoured: [UInt64] = []
    for generation in 1...family.generation {
      // Each is tried on a copy, so that trying changes nothing.
      let copy = MemoryRecordStore()
      _ = try? await copy.commit([.insert(families.record(of: family))])
      guard
        let trial = try? RefreshTokenService(
          policy: Self.policy(schedule.mode), format: format, sessions: EndlessSessions(), records: copy,
          clock: WallClock { [box] in box.clock.date })
      else { return }
      let request = RefreshRedemption(
        refreshToken: format.token(of: family.id, generation: generation), clientID: "app-a")
      guard let result = try? await trial.redeem(request, make: { _ in }) else { continue }
      honoured.append(generation)
      guard generation < family.generation else { continue }
      let isLegal =
        result.isReplay
        && result.grant.generation == (schedule.mode == .newestWins ? family.generation + 1 : family.generation)
      if !isLegal { violate("an old token was honoured outside the grace rule") }
    }
    let old = honoured.filter { $0 < family.generation }
    if family.status == .active {
      if honoured.last != family.generation { violate("the current token of an active family is dead") }
    } else if !honoured.isEmpty {
      violate("a revoked family is honoured")
    }
    if old.count > (schedule.mode == .replaySuccessor || schedule.mode == .newestWins ? 1 : 0) {
      violate("two old tokens are live")
    }
  }

  func violate(_ text: String) { state.withLock { $0.violations.append(text) } }

  // MARK: Order

  func delay(_ token: String) { state.withLock { $0.delayed.append(token) } }
  func takeDelayed() -> [String] {
    state.withLock { state in
      defer { state.delayed = [] }; return state.delayed
    }
  }
  func addLate(_ gate: Gate, duringNext: Bool) {
    state.withLock { duringNext ? $0.lateDuringNext.append(gate) : $0.lateAfterNext.append(gate) }
  }
  func takeLateDuringNext() -> [Gate] {
    state.withLock { state in
      defer { state.lateDuringNext = [] }; return state.lateDuringNext
    }
  }
  func takeLateAfterNext() -> [Gate] {
    state.withLock { state in
      defer { state.lateAfterNext = [] }; return state.lateAfterNext
    }
  }
}
