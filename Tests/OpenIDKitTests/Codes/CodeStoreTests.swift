import JOSE
import Testing

@testable import OpenIDKit

/// The stores in memory: how much room they take.
@Suite struct CodeStoreTests {
  @Test func `unused codes that have expired make room, then those used longest ago`() async throws {
    let provider = try CodeProvider(capacity: 20)
    var used: [String] = []
    for _ in 0..<20 {
      let code = try await provider.codes.issue(CodeProvider.grant)
      _ = try await provider.redeem(CodeProvider.request(code))
      used.append(code)
      provider.clock.advance(1)
    }
    // A tenth goes, those that were used first.
    let waiting = try await provider.codes.issue(CodeProvider.grant)
    #expect(await provider.store.count == 19)
    for (number, code) in used.enumerated() {
      #expect(await (provider.store.code(AuthorizationCodeText.hash(of: code)) == nil) == (number < 2))
    }
    // A second use of these is refused nevertheless.
    await #expect(throws: TokenRefreshError(.invalidGrant, "")) {
      try await provider.redeem(CodeProvider.request(used[0]))
    }
    _ = try await provider.redeem(CodeProvider.request(waiting))
  }

  @Test func `a store full of codes that nobody has used takes no more, until they expire`() async throws {
    let provider = try CodeProvider(capacity: 3)
    for _ in 0..<3 { _ = try await provider.codes.issue(CodeProvider.grant) }
    await #expect(throws: TokenRefreshError(.storage, "")) { try await provider.codes.issue(CodeProvider.grant) }
    provider.clock.advance(60)
    _ = try await provider.codes.issue(CodeProvider.grant)
    #expect(await provider.store.count == 1)
  }

  @Test func `a full list of ended tokens takes no more, forgets none, and is emptied by time`() async throws {
    let clock = VirtualClock()
    let list = InMemoryRevokedTokenStore(capacity: 2, clock: clock.wall)
    try await list.revoke(.token("1"), until: clock.date.advanced(by: 100))
    try await list.revoke(.grant("2"), until: clock.date.advanced(by: 200))
    await #expect(throws: InMemoryRevokedTokenStore.Full.self) {
      try await list.revoke(.token("3"), until: clock.date.advanced(by: 100))
    }
    #expect(await list.isRevoked(anyOf: [.token("1")]))
    #expect(await list.isRevoked(anyOf: [.grant("2")]))
    #expect(await !list.isRevoked(anyOf: [.token("3")]))
    // What is known takes no new room.
    try await list.revoke(.token("1"), until: clock.date.advanced(by: 50))
    clock.advance(161)
    try await list.revoke(.token("3"), until: clock.date.advanced(by: 100))
    #expect(await !list.isRevoked(anyOf: [.token("1")]))
    #expect(await list.isRevoked(anyOf: [.grant("2")]))
  }

  @Test func `a record of another form is refused`() async throws {
    let provider = try CodeProvider()
    var grant = CodeProvider.grant
    grant.resources = ["https://r.example"]
    let code = try await provider.codes.issue(grant)
    let record = try #require(await provider.store.code(AuthorizationCodeText.hash(of: code)))
    let text = String(decoding: record.serialized(), as: UTF8.self)
    #expect(try AuthorizationCodeRecord(parsing: record.serialized()) == record)
    // Codes that were kept before resources were, and named what came of them.
    let former = text.replacing(#","resources":["https://r.example"]"#, with: "").replacing(
      #""use":"unused""#, with: #""use":"unused","families":["AAAAAAAAAAAAAAAAAAAAAA"]"#)
    #expect(try AuthorizationCodeRecord(parsing: Array(former.utf8)).grant.resources.isEmpty)
    for (part, other) in [
      (#""unused""#, #""usable""#), (#""version":1"#, #""version":2"#),
      (#""resources":["https://r.example"]"#, #""resources":{}"#),
      (#""resources":["https://r.example"]"#, #""resources":[1]"#), (#""client":"app""#, #""client":1"#),
    ] {
      #expect(text.contains(part))
      #expect(throws: TokenRefreshError(.recordMalformed, "")) {
        try AuthorizationCodeRecord(parsing: Array(text.replacing(part, with: other).utf8))
      }
    }
  }
}
