import JOSE
import Testing

@testable import OpenIDKit

@Suite struct RevokedTokensTests {
  private let clock = VirtualClock()
  private let records = MemoryRecordStore()

  private var list: RevokedTokens { RevokedTokens(records: records, clock: clock.wall) }

  @Test func `a token is known by its own name and its grant's, compared as bytes`() async throws {
    #expect(try await !list.isRevoked(anyOf: [.token("1"), .grant("1")]))
    #expect(try await !list.isRevoked(anyOf: []))
    let names = ["1", "a", "A", "a ", "a\u{0}", "\u{E9}", "e\u{301}", "", "grant 1", "token 1"]
    for (number, name) in names.enumerated() {
      for selection in [AccessTokenSelection.token(name), .grant(name)] {
        #expect(try await !list.isRevoked(anyOf: [selection]), "\(number)")
        try await list.revoke(selection, until: clock.date.advanced(by: 100))
        #expect(try await list.isRevoked(anyOf: [.token("x"), selection, .grant("y")]), "\(number)")
      }
    }
    #expect(try await !list.isRevoked(anyOf: [.token("x"), .grant("y")]))
  }

  @Test func `what is noted twice stays until the later time`() async throws {
    let ends = [100.0, 50, 200, 150]
    for end in ends { try await list.revoke(.token("1"), until: clock.date.advanced(by: end)) }
    let record = try #require(await records.record(RevokedTokens.kind, key: Array("token 1".utf8)))
    #expect(record.expiresAt == clock.date.advanced(by: 200) && record.version == 2)
    _ = await records.removeExpired(before: clock.date.advanced(by: 200), limit: 9)
    #expect(try await list.isRevoked(anyOf: [.token("1")]))
    _ = await records.removeExpired(before: clock.date.advanced(by: 200.001), limit: 9)
    #expect(try await !list.isRevoked(anyOf: [.token("1")]))
  }

  @Test func `of many at once the latest end holds`() async throws {
    let (list, now) = (list, clock.date)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask { try await list.revoke(.token("1"), until: now.advanced(by: Double(number * 7 % 32))) }
      }
      try await group.waitForAll()
    }
    #expect(await records.record(RevokedTokens.kind, key: Array("token 1".utf8))?.expiresAt == now.advanced(by: 31))
  }

  @Test func `a full store takes no more and forgets none`() async throws {
    let list = RevokedTokens(records: MemoryRecordStore(byteLimit: 600), clock: clock.wall)
    for name in ["1", "2"] { try await list.revoke(.token(name), until: clock.date.advanced(by: 100)) }
    await #expect(throws: OpenIDError(.storeUnavailable, "")) {
      try await list.revoke(.token("3"), until: clock.date.advanced(by: 100))
    }
    for (name, isThere) in [("1", true), ("2", true), ("3", false)] {
      #expect(try await list.isRevoked(anyOf: [.token(name)]) == isThere)
    }
    // What is known takes no new room.
    try await list.revoke(.token("1"), until: clock.date.advanced(by: 300))
    clock.advance(161)
    try await list.revoke(.token("3"), until: clock.date.advanced(by: 100))
    for name in ["1", "3"] { #expect(try await list.isRevoked(anyOf: [.token(name)])) }
  }
}
