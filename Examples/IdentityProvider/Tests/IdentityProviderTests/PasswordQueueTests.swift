import Dispatch
import Synchronization
import Testing

@testable import IdentityProvider

@Suite struct PasswordQueueTests {
  /// A queue with one thread, which is taken until it is let go.
  private final class Held: Sendable {
    let queue = PasswordQueue(threadCount: 1, capacity: 4)
    let gate = DispatchSemaphore(value: 0)
    let isTaken = Mutex(false)
    /// What was computed, in its order.
    let order = Mutex<[String]>([])
    let refused = Mutex<[String]>([])

    func take() async throws {
      try await queue.run(for: "first") {
        self.isTaken.withLock { $0 = true }
        self.gate.wait()
      }
    }

    func compute(for source: String) async throws {
      do {
        try await queue.run(for: source) { self.order.withLock { $0.append(source) } }
      } catch let refusal as PageRefusal {
        #expect(refusal.status == .serviceUnavailable && refusal.retryAfter == 5)
        refused.withLock { $0.append(source) }
      }
    }
  }

  @Test func `password checks alternate between sources, and a full queue refuses the busiest source`() async throws {
    let held = Held()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await held.take() }
      while !held.isTaken.withLock({ $0 }) { await Task.yield() }
      for count in 1...4 {
        group.addTask { try await held.compute(for: "flood") }
        while held.queue.count < count { await Task.yield() }
      }
      group.addTask { try await held.compute(for: "honest") }
      while held.refused.withLock({ $0.isEmpty }) { await Task.yield() }
      held.gate.signal()
      try await group.waitForAll()
    }
    #expect(held.refused.withLock { $0 } == ["flood"])
    #expect(held.order.withLock { $0 } == ["flood", "honest", "flood", "flood"])
  }

  @Test func `a newcomer can displace a waiting source when the queue is full`() async throws {
    let held = Held()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await held.take() }
      while !held.isTaken.withLock({ $0 }) { await Task.yield() }
      for count in 1...4 {
        group.addTask { try await held.compute(for: "early \(count)") }
        while held.queue.count < count { await Task.yield() }
      }
      // That none of these has a place is as likely as one in 5 to the power of 60.
      for count in 1...60 {
        group.addTask { try await held.compute(for: "late \(count)") }
        while held.refused.withLock({ $0.count }) < count { await Task.yield() }
      }
      held.gate.signal()
      try await group.waitForAll()
    }
    #expect(held.order.withLock { $0.count } == 4)
    #expect(held.refused.withLock { $0 }.contains { $0.hasPrefix("early") })
  }

  @Test func `a known browser's password is checked while strangers fill the queue`() async throws {
    let hasher = PasswordHasher(World.cost)
    let stored = try await hasher.hash("known")
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          _ = try? await hasher.queue.run(for: "stranger \(number)") { gate.wait() }
        }
      }
      while hasher.queue.count < 64 { await Task.yield() }
      let verdict = try? await hasher.check("known", for: stored, from: "browser")
      let count = hasher.queue.count
      for _ in 0..<200 { gate.signal() }
      try await group.waitForAll()
      #expect(verdict == .right && count == 64)
    }
  }

  @Test func `what was cancelled while it waited is not computed`() async throws {
    let held = Held()
    let first = Task { try await held.take() }
    while !held.isTaken.withLock({ $0 }) { await Task.yield() }
    let second = Task { try await held.compute(for: "gone") }
    while held.queue.count < 1 { await Task.yield() }
    second.cancel()
    held.gate.signal()
    await #expect(throws: CancellationError.self) { try await second.value }
    try await first.value
    try await held.compute(for: "next")
    #expect(held.order.withLock { $0 } == ["next"])
  }
}
