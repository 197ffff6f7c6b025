import JOSE
import PureJOSETestSupport
import Synchronization

@testable import OpenIDKit

/// One life of the client's process: its manager, its view of the disk, its end of the wire. Once dead it changes
/// nothing any more.
final class Life: Sendable {
  struct Dead: Error {}

  private let dead = Mutex(false)
  private let managerBox = Mutex<TokenManager?>(nil)
  let world: World
  let clock: VirtualClock

  init(_ world: World, clock: VirtualClock) {
    self.world = world
    self.clock = clock
  }

  var isDead: Bool { dead.withLock { $0 } }

  func die() {
    dead.withLock { $0 = true }
    clock.kill()
    world.finishRequest()
  }

  func start() throws -> TokenManager {
    var settings = Client.settings
    let isSlow = world.schedule.isSlow
    if isSlow {
      settings.backoffBase = .seconds(20)
      settings.backoffCap = .seconds(20)
      settings.episodeTimeLimit = .seconds(3600)
    }
    // Pauses are as long as they can be, or nothing.
    let random = RandomSource { [UInt8](repeating: isSlow ? 0xFF : 0, count: $0) }
    let manager = try TokenManager(
      store: LifeStore(life: self), refresher: Wire(life: self), settings: settings, idTokenCheck: nil, lock: nil,
      clock: clock.tokenClock, random: random)
    managerBox.withLock { $0 = manager }
    return manager
  }

  var manager: TokenManager? { managerBox.withLock { $0 } }
  func forgetManager() { managerBox.withLock { $0 = nil } }
}

/// The disk as one life of the process sees it.
struct LifeStore: SecretStore {
  let life: Life

  func load() async throws -> StoredSecret? {
    if life.isDead { throw Life.Dead() }
    return await life.world.disk.load()
  }

  func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]? {
    if life.isDead { throw Life.Dead() }
    let disk = life.world.disk
    guard let document, version != nil else { return await disk.replace(expecting: version, with: document) }
    let record = try TokenRecord(parsing: document)
    if record.pendingRotation != nil {
      switch life.world.nextFault() {
      case .crashBeforeWriteAhead:
        life.die()
        throw Life.Dead()
      case .writeAheadFails:
        life.world.finishRequest()
        throw Life.Dead()
      case .crashAfterWriteAhead:
        _ = await disk.replace(expecting: version, with: document)
        life.die()
        throw Life.Dead()
      default: return await disk.replace(expecting: version, with: document)
      }
    }
    guard let old = try await TokenRecords(disk).load(), record.generation > old.generation else {
      return await disk.replace(expecting: version, with: document)
    }
    // The new tokens are about to be stored.
    switch life.world.persistFault() {
    case .crashBeforePersist:
      life.die()
      throw Life.Dead()
    case .persistFails:
      throw Life.Dead()
    case .crashAfterPersist:
      _ = await disk.replace(expecting: version, with: document)
      life.die()
      throw Life.Dead()
    default: return await disk.replace(expecting: version, with: document)
    }
  }
}

/// The client's end of the wire.
struct Wire: TokenRefresher {
  let life: Life

  private var lost: RefreshOutcome { .failed(RefreshFailure(.noAnswer)) }

  func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
    let world = life.world
    if life.isDead { return lost }
    let fault = world.nextFault()
    // Faults of the store strike at the store. If the announcement was there already, nothing was written, and they
    // don't.
    await deliverLate(world.takeLateDuringNext())
    let after = world.takeLateAfterNext()
    let delayed = world.takeDelayed()
    let outcome = await exchange(attempt.refreshToken, fault)
    for token in delayed { _ = await world.redeem(token) }
    if !world.isStoreFault(fault) { world.finishRequest() }
    if !after.isEmpty {
      // These answers come when this one has been dealt with.
      Task {
        for _ in 0..<50 { await Task.yield() }
        for gate in after { gate.open() }
      }
    }
    return outcome
  }

  /// The server is not asked: these lives end no login.
  func revoke(refreshToken: String) async {}

  private func exchange(_ token: String, _ fault: Fault) async -> RefreshOutcome {
    let world = life.world
    switch fault {
    case .none, .crashBeforeWriteAhead, .writeAheadFails, .crashAfterWriteAhead, .crashBeforePersist, .persistFails,
      .crashAfterPersist:
      return await world.redeem(token)
    case .notSent:
      return .failed(RefreshFailure(.notSent))
    case .requestLost:
      return lost
    case .requestLostThenCrash:
      life.die()
      return lost
    case .requestDelayed:
      world.delay(token)
      return lost
    case .duplicateFirstAnswer:
      let answer = await world.redeem(token)
      _ = await world.redeem(token)
      return answer
    case .duplicateSecondAnswer:
      _ = await world.redeem(token)
      return await world.redeem(token)
    case .serverBusy:
      return .failed(RefreshFailure(.serverBusy))
    case .serverFaultBeforeCommit:
      return await world.redeem(token, fails: true)
    case .serverFaultAfterCommit, .answerLost:
      _ = await world.redeem(token)
      return lost
    case .crashBeforeAnswer:
      _ = await world.redeem(token)
      life.die()
      return lost
    case .answerDuringNext, .answerAfterNext:
      let answer = await world.redeem(token)
      let gate = Gate()
      world.addLate(gate, duringNext: fault == .answerDuringNext)
      world.finishRequest()
      _ = await until { self.life.isDead || self.life.clock.fireTimeouts() > 0 }
      await gate.pass()
      return answer
    }
  }

  /// Lets answers of earlier requests through and waits until the manager has them.
  private func deliverLate(_ gates: [Gate]) async {
    guard !gates.isEmpty else { return }
    for gate in gates { gate.open() }
    for _ in 0..<50 { await Task.yield() }
  }
}

extension World {
  /// Whether a fault strikes at the store after the answer.
  func isStoreFault(_ fault: Fault) -> Bool {
    fault == .crashBeforePersist || fault == .persistFails || fault == .crashAfterPersist
  }

  /// The fault that strikes now that tokens are about to be stored; it is then over.
  func persistFault() -> Fault {
    guard let fault = takeStoreFault() else { return .none }
    return fault
  }
}
