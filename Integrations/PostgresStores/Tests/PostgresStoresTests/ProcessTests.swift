import Foundation
import IdentityTesting
import JOSE
import OpenIDKit
import Testing

extension PostgresTests {
  /// Every store keeps every rule when each call is made by the next of four processes, as a provider's processes at
  /// one database are asked in turns.
  @Suite struct ProcessTests {
    private func places<Store: Sendable>(
      _ processes: WorkerProcesses, _ store: @escaping @Sendable (WorkerStores) -> Store
    ) -> StorePlaces<Store> {
      StorePlaces { store(WorkerStores(processes: processes, schema: "p\($0)")) }
    }

    @Test(arguments: RecordStoreCases.all) func records(rule: StoreCase<any RecordStore>) async throws {
      #expect(try await rule.holds(in: places(WorkerProcesses.four.value) { $0 }))
    }

    @Test(arguments: RateLimiterCases.all) func rateLimits(rule: StoreCase<any RateLimiter>) async throws {
      #expect(try await rule.holds(in: places(WorkerProcesses.four.value) { $0 }))
    }

    /// The fault shows only where there are several processes. An error is no sign of it.
    @Test(arguments: [1, 4]) func `a process that works as if it were alone breaks rules beside others`(
      count: Int
    ) async throws {
      let processes = try await WorkerProcesses(count, fault: "alone")
      defer { processes.end() }
      let isAlone = count == 1
      #expect(try await keep(RecordStoreCases.all, in: places(processes) { $0 }) == isAlone)
      #expect(try await keep(RateLimiterCases.all, in: places(processes) { $0 }) == isAlone)
    }

    /// Whether the stores keep all rules. Those for many writers, which are the last, break first.
    private func keep<Store>(_ rules: [StoreCase<Store>], in places: StorePlaces<Store>) async throws -> Bool {
      for rule in rules.reversed() where try await !rule.holds(in: places) { return false }
      return true
    }

    @Test func `a call fails if its process ends before the answer, and so does each later one`() async throws {
      let processes = try await WorkerProcesses(1)
      let process = processes.processes[0]
      let store = WorkerStores(processes: processes, schema: "ended")
      let call = { @Sendable in try await store.removeExpired(before: PostgresTests.date, limit: 1) }
      #expect(try await call() == 0)
      kill(process.identifier, SIGSTOP)
      let late = Task { try await call() }
      while process.callsUnderWay == 0 { await Task.yield() }
      kill(process.identifier, SIGKILL)
      await #expect(throws: WorkerProcess.Ended.self) { try await late.value }
      await #expect(throws: WorkerProcess.Ended.self) { try await call() }
    }
  }
}
