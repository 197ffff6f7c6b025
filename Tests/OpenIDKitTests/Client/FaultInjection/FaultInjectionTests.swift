import Foundation
import JOSE
import Synchronization
import Testing

@testable import OpenIDKit

/// Every fault at every step of the exchange, in every sequence up to a length: enumerated, not sampled.
///
/// The length is two, which takes a few seconds in a debug build. `PUREJOSE_LONG_FAULTS=1 swift test --filter
/// FaultInjection` plays the long form: three faults where the provider forgives.
@Suite struct FaultInjectionTests {
  enum End: Hashable, Sendable {
    case loggedIn
    case loggedOut(LogoutReason)
    case stuck
  }

  /// All sequences of faults up to a length.
  static func sequences(upTo length: Int) -> [[Fault]] {
    let faults = Fault.allCases.filter { $0 != .none }
    var all: [[Fault]] = [[]]
    var last: [[Fault]] = [[]]
    for _ in 0..<length {
      last = last.flatMap { prefix in faults.map { prefix + [$0] } }
      all += last
    }
    return all
  }

  static func schedules() -> [Schedule] {
    let isLong = ProcessInfo.processInfo.environment["PUREJOSE_LONG_FAULTS"] != nil
    var all: [Schedule] = []
    for mode in Schedule.RotationMode.allCases {
      for isExpired in [false, true] {
        for isSlow in [false, true] {
          let length = isLong && mode == .replaySuccessor && isExpired && !isSlow ? 3 : 2
          all += sequences(upTo: length).map {
            Schedule(faults: $0, mode: mode, isExpired: isExpired, isSlow: isSlow)
          }
        }
      }
    }
    return all
  }

  /// Plays a schedule to its end. The client's process is started again whenever it dies.
  static func play(_ schedule: Schedule) async throws -> (end: End, world: World) {
    let world = try World(schedule)
    var life = Life(world, clock: world.box.clock)
    var manager = try life.start()
    let first = try await world.service.issue(RefreshGrant(subject: "alice", clientID: "app-a", scope: ["openid"]))
    try await manager.logIn(
      TokenAnswer(accessToken: "at-1", expiresIn: .seconds(3600), refreshToken: first.refreshToken))
    life.clock.advance(schedule.isExpired ? 4000 : 3400)

    var end = End.stuck
    // The last rounds are a further refresh without faults, long after: what is held must have been worth holding.
    var isAftermath = false
    for _ in 0..<1000 {
      let result: Result<AccessToken, OpenIDError>
      do throws(OpenIDError) {
        result = .success(try await manager.validToken())
      } catch {
        result = .failure(error)
      }
      if life.isDead {
        life.forgetManager()
        let clock = VirtualClock(life.clock.now + (schedule.isSlow ? 30 : 1))
        world.box.clock = clock
        life = Life(world, clock: clock)
        manager = try life.start()
        continue
      }
      switch result {
      case .success(let token):
        let isNew = await manager.state == .fresh && world.isExhausted
        guard isNew else {
          // While the store lacks a record, the manager serves what it has; a busy machine may let its next attempt
          // wait.
          _ = await until { [manager] in await manager.machine.login?.isDirty != true }
          life.clock.advance(max(1, await manager.timeUntilRefresh?.inSeconds ?? 1))
          continue
        }
        if isAftermath {
          end = .loggedIn
        } else {
          // Let answers that are still on their way arrive.
          for gate in world.takeLateDuringNext() + world.takeLateAfterNext() { gate.open() }
          for late in world.takeDelayed() { _ = await world.redeem(late) }
          for _ in 0..<50 { await Task.yield() }
          _ = token
          life.clock.advance(4000)
          isAftermath = true
          continue
        }
      case .failure(let error) where error.code == .reauthenticationRequired:
        end = error.logoutReason.map { .loggedOut($0) } ?? .stuck
        if await manager.state != .reauthenticationRequired(error.logoutReason ?? .administrator) {
          world.violate("the state is not the error's")
        }
        if await world.disk.load() != nil { world.violate("a login that is over is still stored") }
      case .failure(let error):
        life.clock.advance(max(1, error.retryAfter?.inSeconds ?? 60))
        continue
      }
      break
    }
    for gate in world.takeLateDuringNext() + world.takeLateAfterNext() { gate.open() }
    life.forgetManager()
    return (end, world)
  }

  @Test func `every schedule ends with a usable token or with a reason, and never with two live tokens`() async throws {
    let schedules = Self.schedules()
    struct Tally: Sendable {
      var ends: [String: Int] = [:]
      var transactions = 0
      var problems: [String] = []
    }
    let tallies = try await withThrowingTaskGroup(of: Tally.self) { group in
      let workers = 4
      for worker in 0..<workers {
        group.addTask {
          var tally = Tally()
          for index in stride(from: worker, to: schedules.count, by: workers) {
            let schedule = schedules[index]
            let (end, world) = try await Self.play(schedule)
            tally.transactions += world.transactions
            let name = if case .loggedOut(let reason) = end { "logged out: \(reason)" } else { "\(end)" }
            tally.ends["\(schedule.mode), \(name)", default: 0] += 1
            if end == .stuck { tally.problems.append("stuck: \(schedule)") }
            tally.problems += world.violations.map { "\($0): \(schedule)" }
            // Where the provider forgives, no single fault costs the login.
            let isForgiving = schedule.mode == .noRotation || (schedule.mode == .replaySuccessor && !schedule.isSlow)
            if isForgiving, schedule.faults.count <= 1, end != .loggedIn {
              tally.problems.append("lost a login (\(end)): \(schedule)")
            }
          }
          return tally
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    var ends: [String: Int] = [:]
    for tally in tallies { ends.merge(tally.ends) { $0 + $1 } }
    let problems = tallies.flatMap(\.problems)
    print(
      "fault injection: \(schedules.count) schedules, \(tallies.reduce(0) { $0 + $1.transactions }) server transactions"
    )
    for (name, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(name): \(count)") }
    #expect(problems.isEmpty, "\(problems.count) problems, such as \(problems.prefix(5))")
    #expect(ends.values.reduce(0, +) == schedules.count)
  }
}
