import JOSE
import PureJOSETestSupport
import StrictJSON
import Testing

@testable import OpenIDKit

@Suite struct ManagerTests {
  @Test func `C-P01 with exactly 300 seconds left nothing is refreshed`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    client.clock.advance(3300)
    #expect(try await client.manager.validToken().value == "at-secret-1")
    #expect(client.refresher.attempts.isEmpty)
  }

  @Test func `C-P02 with 299 seconds left the refresh comes first`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    client.clock.advance(3301)
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(client.refresher.attempts.map(\.refreshToken) == ["rt-secret-1"])
    let stored = try #require(await client.store.stored)
    #expect(stored.refreshToken == "rt-secret-2" && stored.generation == 2 && stored.pendingRotation == nil)
  }

  @Test func `C-P03 an expired token is refreshed`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    client.clock.advance(100_000)
    #expect(try await client.manager.validToken().value == "at-secret-2")
  }

  /// The tokens of so many callers, all of whom wait before the gate opens.
  private func values(of client: Client, for count: Int, behind gate: Gate) async throws -> [String] {
    let manager = client.manager
    return try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<count { group.addTask { try await manager.validToken().value } }
      #expect(await until { await manager.machine.waiters.count == count })
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `C-P04 fifty calls, one request`() async throws {
    let gate = Gate()
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), behind: gate))
    client.clock.advance(3400)
    let values = try await values(of: client, for: 50, behind: gate)
    #expect(values == Array(repeating: "at-secret-2", count: 50) && client.refresher.attempts.count == 1)
  }

  @Test func `a thousand callers over an expiry, one request on the wire`() async throws {
    let gate = Gate()
    let client = try await Client.expired(behind: gate)
    #expect(try await Set(values(of: client, for: 1000, behind: gate)) == ["at-secret-2"])
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-P05 a response without a refresh token keeps the old one`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2, rotates: false))))
    client.clock.advance(3400)
    _ = try await client.manager.validToken()
    let stored = try #require(await client.store.stored)
    #expect(stored.refreshToken == "rt-secret-1" && stored.generation == 2)
  }

  @Test func `C-P06 logins don't affect each other`() async throws {
    let a = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let b = try await Client(ScriptedRefresher(.tokens(tokens(7))))
    let before = try #require(await b.store.stored).serialized()
    a.clock.advance(4000)
    _ = try await a.manager.validToken()
    #expect(try #require(await b.store.stored).serialized() == before)
    #expect(b.refresher.attempts.isEmpty)
    let (first, second) = (await a.store.stored, await b.store.stored)
    #expect(first?.loginID != second?.loginID)
  }

  @Test func `C-P07 a short-lived token is refreshed at half its life`() async throws {
    let client = try await Client(
      ScriptedRefresher(.tokens(tokens(2, expiresIn: .seconds(120)))), expiresIn: .seconds(120))
    _ = try await client.manager.validToken()
    client.clock.advance(60)
    _ = try await client.manager.validToken()
    #expect(client.refresher.attempts.isEmpty)
    client.clock.advance(1)
    _ = try await client.manager.validToken()
    _ = try await client.manager.validToken()
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-P08 a valid token is returned while refreshes fail and back off`() async throws {
    let client = try await Client(
      ScriptedRefresher(.failed(.init(.serverBusy)), .failed(.init(.notSent)), .tokens(tokens(2))))
    client.clock.advance(3400)
    for attempt in 1...2 {
      #expect(try await client.manager.validToken().value == "at-secret-1")
      #expect(client.refresher.attempts.count == attempt)
      // Until the pause is over nobody asks the server again. Full jitter: 0 to 1, then 0 to 2 seconds.
      let login = try #require(await client.manager.machine.login)
      let pause = login.backoff.notBefore - client.clock.now
      #expect(pause >= 0 && pause <= Double(attempt))
      if pause > 0 {
        #expect(try await client.manager.validToken().value == "at-secret-1")
        #expect(client.refresher.attempts.count == attempt)
      }
      client.clock.advance(pause + 0.001)
    }
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(await client.store.stored?.pendingRotation == nil)
  }

  @Test func `C-P09 a 401 on a stale token is retried without a refresh`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let stale = try await client.manager.validToken()
    client.clock.advance(3400)
    _ = try await client.manager.validToken()
    #expect(try await client.manager.handleUnauthorized(stale).value == "at-secret-2")
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-P10 a 401 on the current token causes one refresh and one retry`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let outcome = try await client.manager.withValidToken { token in
      token.value == "at-secret-1" ? .unauthorized("no") : .finished(token.value)
    }
    guard case .finished("at-secret-2") = outcome else { Issue.record("\(outcome)"); return }
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-P11 and C-P12 a crash after the write-ahead is recovered by a replay`() async throws {
    // Server untouched and server with grace look the same to the client: the same refresh token is sent again.
    let gate = Gate()
    let client = try await Client(ScriptedRefresher(.failed(.init(.noAnswer)), behind: gate))
    client.clock.advance(3400)
    let manager = client.manager
    let abandoned = Task { try? await manager.validToken() }
    #expect(await until { client.refresher.attempts.count == 1 })
    #expect(await client.store.stored?.pendingRotation != nil)
    let second = ScriptedRefresher(.tokens(tokens(2)))
    let restarted = try client.restarted(second)
    try await restarted.load()
    #expect(await restarted.state == .uncertain)
    #expect(try await restarted.validToken().value == "at-secret-2")
    #expect(second.attempts.map(\.refreshToken) == ["rt-secret-1"])
    #expect(await restarted.state == .fresh)
    gate.open()
    // The first process finds the newer record and takes it.
    #expect(["at-secret-1", "at-secret-2"].contains(await abandoned.value?.value))
    #expect(await client.store.stored?.refreshToken == "rt-secret-2")
  }

  @Test func `C-P13 a store that fails after a rotation: served, stored later, no second rotation`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2, expiresIn: .seconds(20))), .tokens(tokens(3))))
    client.clock.advance(3400)
    await client.store.fail([1, 2])
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(await until { await client.store.stored?.refreshToken == "rt-secret-2" })
    #expect(client.refresher.attempts.count == 1)
    client.clock.advance(15)
    #expect(try await client.manager.validToken().value == "at-secret-3")
    #expect(client.refresher.attempts.map(\.refreshToken) == ["rt-secret-1", "rt-secret-2"])
  }

  @Test func `C-P13 a store that keeps failing stops the next rotation, not the calls`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), .tokens(tokens(3))))
    client.clock.advance(3400)
    // The announcement is stored. The retries in the background may be any number: no pause takes time here.
    await client.store.failAfter(1)
    #expect(try await client.manager.validToken().value == "at-secret-2")
    client.clock.advance(100_000)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .storeUnavailable)
    #expect(client.refresher.attempts.count == 1)
    await client.store.failAlways(false)
    #expect(try await client.manager.validToken().value == "at-secret-3")
  }

  @Test func `C-P14 another process's rotation is taken without a request`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(9))))
    let other = try client.restarted(ScriptedRefresher(.tokens(tokens(2))))
    client.clock.advance(3400)
    #expect(try await other.validToken().value == "at-secret-2")
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(client.refresher.attempts.isEmpty)
  }

  @Test func `C-P15 a cancelled waiter leaves the others alone`() async throws {
    let gate = Gate()
    let client = try await Client.expired(behind: gate)
    let manager = client.manager
    let cancelled = Task { await failure { _ = try await manager.validToken() } }
    let served = Task { try await manager.validToken().value }
    #expect(await until { await manager.machine.waiters.count == 2 })
    cancelled.cancel()
    #expect(await cancelled.value?.code == .cancelled)
    gate.open()
    #expect(try await served.value == "at-secret-2")
    #expect(client.refresher.attempts.count == 1)
    client.clock.advance(4000)
    let already = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { _ = try await manager.validToken() }
    }
    #expect(await already.value?.code == .cancelled)
  }

  @Test func `C-P16 a clock set back by a day while off`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    client.clock.setWallBack(86_400)
    let restarted = try client.restarted()
    try await restarted.load()
    #expect(await restarted.state == .due)
    #expect(try await restarted.validToken().value == "at-secret-2")
  }

  @Test func `C-P17 a logout during a refresh: what it brings is revoked`() async throws {
    let gate = Gate()
    let client = try await Client.expired(behind: gate)
    let waiting = await client.callWaiting(behind: gate)
    await client.manager.logOut()
    #expect(await waiting.value?.code == .loggedOut)
    gate.open()
    #expect(await until { client.refresher.revoked == ["rt-secret-2"] })
    #expect(await client.store.stored == nil)
    #expect(await client.manager.state == .loggedOut)
  }

  @Test func `C-P18 lifetimes that are missing or written as text`() async throws {
    let body = #"{"access_token":"a","token_type":"Bearer","expires_in":"3600","refresh_token":"r"}"#
    guard case .tokens(let read) = RefreshOutcome(of: .init(status: 200, body: Array(body.utf8))) else {
      Issue.record("no tokens")
      return
    }
    #expect(read.expiresIn == .seconds(3600))
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))), expiresIn: nil)
    #expect(await client.store.stored?.lifetime == 300)
  }

  @Test(arguments: [(1, "1"), (3599.5, "3599.5"), (1e15, "315360000")] as [(Double, String)])
  func `a lifetime is stored in seconds`(_ seconds: Double, _ stored: String) async throws {
    let object: JSONObject = [
      "access_token": "a", "token_type": "Bearer", "expires_in": .number(try JSONNumber(seconds)),
    ]
    let client = try await Client(ScriptedRefresher())
    try await client.manager.logIn(try TokenAnswer(object))
    let record = try #require(await client.store.stored)
    #expect(String(decoding: record.serialized(), as: UTF8.self).contains(#""lifetime":\#(stored),"#))
  }

  @Test func `C-P20 a server's Retry-After is kept`() async throws {
    let client = try await Client(
      ScriptedRefresher(.failed(.init(.serverBusy, retryAfter: .seconds(7))), .tokens(tokens(2))))
    client.clock.advance(4000)
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(client.clock.pauses.count == 1 && client.clock.pauses[0] >= 7)
  }

  @Test func `a Retry-After beyond patience is told to the caller`() async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.serverBusy, retryAfter: .seconds(9999)))))
    client.clock.advance(4000)
    let error = await failure { _ = try await client.manager.validToken() }
    #expect(error?.code == .temporarilyUnavailable && error?.retryAfter == .seconds(300))
    _ = await failure { _ = try await client.manager.validToken() }
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `states arrive in order, each once`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), .failed(.init(.invalidGrant))))
    let states = await client.manager.states()
    client.clock.advance(3400)
    _ = try await client.manager.validToken()
    client.clock.advance(4000)
    _ = await failure { _ = try await client.manager.validToken() }
    var seen: [TokenState] = []
    for await state in states {
      seen.append(state)
      if case .reauthenticationRequired = state { break }
    }
    // The last work of the first refresh may end after the clock has moved, and tell first that its token has expired.
    #expect(
      seen.filter { $0 != .expired } == [
        .fresh, .refreshing(accessTokenIsUsable: true), .fresh, .refreshing(accessTokenIsUsable: false),
        .reauthenticationRequired(.invalidGrant),
      ])
  }

  @Test func `a timer refreshes without anybody waiting`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    #expect(await client.manager.timeUntilRefresh == .seconds(3300))
    await client.manager.refreshIfDue()
    #expect(client.refresher.attempts.isEmpty)
    client.clock.advance(3301)
    await client.manager.refreshIfDue()
    #expect(await until { await client.store.stored?.generation == 2 })
  }

  @Test func `stale tokens are served during a refresh if asked for`() async throws {
    let gate = Gate()
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), behind: gate)) {
      $0.servesStaleWhileRefreshing = true
    }
    client.clock.advance(3400)
    #expect(try await client.manager.validToken().value == "at-secret-1")
    gate.open()
    #expect(await until { await client.store.stored?.generation == 2 })
  }

  @Test func `a record survives its journey through JSON`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))), idToken: "x.y.z")
    var record = try #require(await client.store.stored)
    record.pendingRotation = .init(startedAt: NumericDate(5), refreshTokenFingerprint: "0123456789abcdef")
    record.refreshTokenExpiration = NumericDate(9)
    record.subject = "Zoë"
    let copy = try TokenRecord(parsing: record.serialized())
    #expect(copy.serialized() == record.serialized())
    #expect(copy.pendingRotation == record.pendingRotation && copy.refreshToken == record.refreshToken)
    for text in ["", "{}", #"{"version":2}"#, "[]"] {
      #expect(await failure { _ = try TokenRecord(parsing: text.utf8) }?.code == .recordMalformed)
    }
  }

  @Test func `settings out of range are refused by name`() async throws {
    let changes: [(String, @Sendable (inout TokenSettings) -> Void)] = [
      ("refreshThreshold", { $0.refreshThreshold = .seconds(3601) }),
      ("thresholdJitter", { $0.thresholdJitter = .seconds(-1) }),
      ("expirySafety", { $0.expirySafety = .milliseconds(60_001) }), ("requestTimeout", { $0.requestTimeout = .zero }),
      ("maximumAttempts", { $0.maximumAttempts = 11 }), ("backoffBase", { $0.backoffBase = .seconds(-1) }),
      ("backoffCap", { $0.backoffCap = .zero }), ("lockLease", { $0.lockLease = .seconds(1) }),
    ]
    for (name, change) in changes {
      let error = await failure { _ = try await Client(ScriptedRefresher(.tokens(tokens(2))), change) }
      #expect(error == OpenIDError(.settingInvalid, "", name: name))
    }
  }
}
