import JOSE
import PureJOSETestSupport
import StrictJSON
import Testing

@testable import OpenIDKit

@Suite struct ManagerFailureTests {
  @Test func `C-N01 a refused token ends the login, once, for every waiter`() async throws {
    let gate = Gate()
    let client = try await Client(ScriptedRefresher(.failed(.init(.invalidGrant)), behind: gate))
    let states = await client.manager.states()
    client.clock.advance(4000)
    let manager = client.manager
    let errors = await withTaskGroup(of: OpenIDError?.self) { group in
      for _ in 0..<100 { group.addTask { await failure { _ = try await manager.validToken() } } }
      #expect(await until { await manager.machine.waiters.count == 100 })
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.count == 100 && errors.allSatisfy { $0?.logoutReason == .invalidGrant })
    #expect(await client.store.stored == nil)
    #expect(await failure { _ = try await manager.validToken() }?.code == .reauthenticationRequired)
    #expect(client.refresher.attempts.count == 1)
    try await manager.logIn(tokens(5))
    var notices = 0
    for await state in states {
      if case .reauthenticationRequired = state { notices += 1 }
      if notices > 0, state == .fresh { break }
    }
    #expect(notices == 1)
  }

  @Test func `C-N02 a refused client keeps its tokens and asks no more`() async throws {
    let client = try await Client(
      ScriptedRefresher(.failed(.init(.misconfigured("invalid_client"))), .tokens(tokens(2))))
    client.clock.advance(4000)
    for _ in 0..<5 {
      let error = await failure { _ = try await client.manager.validToken() }
      #expect(error?.code == .configuration && error?.name == "invalid_client")
    }
    #expect(client.refresher.attempts.count == 1)
    let stored = try #require(await client.store.stored)
    #expect(stored.refreshToken == "rt-secret-1" && stored.pendingRotation == nil)
    #expect(await client.manager.state == .misconfigured)
    await client.manager.configurationChanged()
    #expect(try await client.manager.validToken().value == "at-secret-2")
  }

  @Test(arguments: [false, true]) func `C-N03 five faults in a row`(endsLogin: Bool) async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.noAnswer)))) {
      $0.endsLoginWhenRefreshKeepsFailing = endsLogin
    }
    client.clock.advance(4000)
    let error = await failure { _ = try await client.manager.validToken() }
    #expect(client.refresher.attempts.count == 5)
    #expect(Set(client.refresher.attempts.map(\.refreshToken)) == ["rt-secret-1"])
    if endsLogin {
      #expect(error?.logoutReason == .refreshFailed)
      #expect(await client.store.stored == nil)
    } else {
      #expect(error?.code == .temporarilyUnavailable)
      #expect(await client.store.stored?.refreshToken == "rt-secret-1")
    }
  }

  @Test(arguments: [LoginKind.anonymous, .explicitToken, .device, .refreshable])
  func `C-N04 a login without refresh`(kind: LoginKind) async throws {
    let client = try await Client(
      ScriptedRefresher(.tokens(tokens(2))), refreshToken: kind != .refreshable, kind: kind)
    #expect(await client.manager.state == .nonRefreshable)
    client.clock.advance(3599)
    #expect(try await client.manager.validToken().value == "at-secret-1")
    client.clock.advance(1)
    #expect(await failure { _ = try await client.manager.validToken() }?.logoutReason == .notRefreshable)
    #expect(client.refresher.attempts.isEmpty)
    #expect(await client.store.stored == nil)
  }

  @Test func `C-N05 two 401 for one call are the caller's`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), .tokens(tokens(3))))
    let outcome = try await client.manager.withValidToken { .unauthorized($0.value) }
    guard case .unauthorized("at-secret-2") = outcome else { Issue.record("\(outcome)"); return }
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-N06 a replay that is refused has lost the rotation`() async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.noAnswer)), .failed(.init(.invalidGrant))))
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.logoutReason == .lostRotation)
    #expect(client.refresher.attempts.map(\.refreshToken) == ["rt-secret-1", "rt-secret-1"])
  }

  @Test func `C-N06 the same after a restart`() async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.noAnswer))))
    client.clock.advance(3400)
    #expect(try await client.manager.validToken().value == "at-secret-1")
    let restarted = try client.restarted(ScriptedRefresher(.failed(.init(.invalidGrant))))
    #expect(await failure { _ = try await restarted.validToken() }?.logoutReason == .lostRotation)
  }

  @Test func `without replays an unanswered request ends the login when the token does`() async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.noAnswer)))) { $0.replaysLostRotation = false }
    client.clock.advance(3400)
    #expect(try await client.manager.validToken().value == "at-secret-1")
    #expect(try await client.manager.validToken().value == "at-secret-1")
    client.clock.advance(1000)
    #expect(await failure { _ = try await client.manager.validToken() }?.logoutReason == .lostRotation)
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-N07 nothing is sent if the write-ahead fails`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    client.clock.advance(4000)
    await client.store.failAlways(true)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .storeUnavailable)
    #expect(client.refresher.attempts.isEmpty)
    await client.store.failAlways(false)
    client.clock.advance(100)
    #expect(try await client.manager.validToken().value == "at-secret-2")
  }

  @Test func `C-N08 a bad ID token: the refresh token is kept, the error told`() async throws {
    let key = try SigningKey.generate(.es256)
    func idToken(_ subject: String) throws -> String {
      try JWT.sign(["iss": "i", "sub": .string(subject), "aud": "c"] as JSONObject, with: key)
    }
    let check = IDTokenCheck { token in
      let verified = try JWS.verify(token, with: key.verificationKey)
      return try JSONObject(parsing: verified.payload)
    }
    var bad = tokens(2)
    bad.idToken = try idToken("mallory")
    var good = tokens(3)
    good.idToken = try idToken("alice")
    let client = try await Client(
      ScriptedRefresher(.tokens(bad)), idToken: try idToken("alice"), idTokenCheck: check)
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .identityTokenInvalid)
    let stored = try #require(await client.store.stored)
    #expect(stored.refreshToken == "rt-secret-2" && stored.accessToken == nil)
    #expect(await failure { _ = try await client.manager.validToken() }?.logoutReason == .identityTokenInvalid)
    // After a restart the kept token works.
    let restarted = try TokenManager(
      store: client.store, refresher: ScriptedRefresher(.tokens(good)), settings: Client.settings, idTokenCheck: check,
      clock: client.clock.tokenClock)
    #expect(try await restarted.validToken().value == "at-secret-3")
  }

  @Test func `a refresh token that the store lacks is stored before a bad ID token ends the login`() async throws {
    var bad = tokens(2)
    bad.idToken = "id"
    let client = try await Client(
      ScriptedRefresher(.tokens(bad)), idTokenCheck: IDTokenCheck { _ in throw JOSEError(.signatureInvalid, "") })
    client.clock.advance(4000)
    // The announcement is stored, and the tokens are not.
    await client.store.fail([1])
    var codes: [ErrorCode?] = []
    for _ in 0..<3 {
      codes.append(await failure { _ = try await client.manager.validToken() }?.code)
      client.clock.advance(100)
    }
    #expect(codes.contains(.identityTokenInvalid) || codes.contains(.reauthenticationRequired), "\(codes)")
    #expect(await client.store.stored?.refreshToken == "rt-secret-2")
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `the rules for ID tokens from a refresh`() {
    let original: JSONObject = ["iss": "i", "sub": "s", "aud": "c", "auth_time": 5, "nonce": "n", "azp": "c"]
    func check(_ change: (inout JSONObject) -> Void) -> Bool {
      var renewed = original
      change(&renewed)
      return IDTokenContinuation.fault(of: renewed, continuing: original) == nil
    }
    #expect(
      check { $0["nonce"] = nil } && check { $0["auth_time"] = nil } && check { $0["aud"] = ["c"] }
        && check { $0["iat"] = 9 })
    for (name, value) in [("iss", "x"), ("sub", "x"), ("aud", "x"), ("nonce", "x"), ("azp", "x"), ("auth_time", 6)]
      as [(String, JSONValue)]
    {
      #expect(!check { $0[name] = value })
    }
    for name in ["iss", "sub", "aud", "azp"] { #expect(!check { $0[name] = nil }) }
  }

  @Test(arguments: [200, 302, 511]) func `C-N09 and C-N10 a captive portal`(status: Int) async throws {
    let outcome = RefreshOutcome(of: HTTPResponseValue(status: status, body: Array("<html>".utf8)))
    guard case .failed(let problem) = outcome else { Issue.record("tokens from a portal"); return }
    #expect(problem.kind == .noAnswer)
    let client = try await Client(ScriptedRefresher(outcome, .tokens(tokens(2))))
    client.clock.advance(4000)
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(client.refresher.attempts.map(\.refreshToken) == ["rt-secret-1", "rt-secret-1"])
  }

  @Test func `C-N13 the late answer of a request that was given up is dropped if a newer record is there`() async throws
  {
    let first = Gate()
    let client = try await Client(
      ScriptedRefresher { number, _ in
        if number == 0 {
          await first.pass()
          return .tokens(tokens(90))
        }
        return .tokens(tokens(2))
      })
    client.clock.advance(4000)
    let manager = client.manager
    let call = Task { try await manager.validToken().value }
    #expect(await until { first.count == 1 })
    #expect(await until { client.clock.fireTimeouts() > 0 })
    #expect(try await call.value == "at-secret-2")
    first.open()
    for _ in 0..<100 { await Task.yield() }
    #expect(await client.store.stored?.refreshToken == "rt-secret-2")
    #expect(try await manager.validToken().value == "at-secret-2")
  }

  @Test func `a late answer is taken if nothing newer is there`() async throws {
    let first = Gate()
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2)), behind: first))
    client.clock.advance(3400)
    let manager = client.manager
    let call = Task { try await manager.validToken().value }
    #expect(await until { first.count == 1 })
    #expect(await until { client.clock.fireTimeouts() > 0 })
    #expect(try await call.value == "at-secret-1")
    first.open()
    #expect(await until { await client.store.stored?.refreshToken == "rt-secret-2" })
    #expect(client.refresher.attempts.count == 1)
  }

  @Test func `C-N14 no error, state, description or reflection shows a token`() async throws {
    var log = ""
    let outcomes: [RefreshOutcome] = [
      .tokens(tokens(2)), .failed(.init(.notSent)), .failed(.init(.noAnswer)), .failed(.init(.serverBusy)),
      .failed(.init(.invalidGrant)), .failed(.init(.misconfigured("invalid_client"))), .failed(.init(.invalidScope)),
      .failed(.init(.loginRequired)), .failed(.init(.unusableAnswer, newRefreshToken: "rt-secret-8")),
      .failed(.init(.dpopNonceRequired("nonce-secret"))),
    ]
    for outcome in outcomes {
      let client = try await Client(ScriptedRefresher(outcome), idToken: "id-secret")
      let states = await client.manager.states()
      client.clock.advance(4000)
      do { dump(try await client.manager.validToken(), to: &log) } catch { log += "\(error)" }
      await client.manager.logOut()
      for await state in states {
        log += "\(state)"
        if state == .loggedOut { break }
      }
      dump(client.manager, to: &log)
      dump(await client.store.stored as Any, to: &log)
      dump(client.refresher.attempts, to: &log)
      dump(outcome, to: &log)
      log += "\(outcome) \(client.refresher.attempts)"
    }
    #expect(!log.contains("secret"), "\(log.prefix(2000))")
  }

  @Test func `unusable answers are tried again and end no login`() async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.unusableAnswer))))
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .temporarilyUnavailable)
    #expect(client.refresher.attempts.count == 5)
    #expect(await client.store.stored?.refreshToken == "rt-secret-1")
  }

  @Test func `a new refresh token in an unusable answer is the one to use`() async throws {
    let client = try await Client(
      ScriptedRefresher(.failed(.init(.unusableAnswer, newRefreshToken: "rt-secret-8")), .tokens(tokens(9))))
    client.clock.advance(4000)
    #expect(try await client.manager.validToken().value == "at-secret-9")
    #expect(client.refresher.attempts.map(\.refreshToken) == ["rt-secret-1", "rt-secret-8"])
  }

  @Test func `a refused scope is left out once, a DPoP nonce is used once`() async throws {
    let scoped = try await Client(ScriptedRefresher(.failed(.init(.invalidScope)), .tokens(tokens(2)))) {
      $0.requestedScope = "a b"
    }
    scoped.clock.advance(4000)
    _ = try await scoped.manager.validToken()
    #expect(scoped.refresher.attempts.map(\.scope) == ["a b", nil])
    let bound = try await Client(ScriptedRefresher(.failed(.init(.dpopNonceRequired("n"))), .tokens(tokens(2))))
    bound.clock.advance(4000)
    _ = try await bound.manager.validToken()
    #expect(bound.refresher.attempts.map(\.dpopNonce) == [nil, "n"])
    let looping = try await Client(ScriptedRefresher(.failed(.init(.dpopNonceRequired("n")))))
    looping.clock.advance(4000)
    #expect(await failure { _ = try await looping.manager.validToken() }?.name == "use_dpop_nonce")
    #expect(looping.refresher.attempts.count == 2)
  }

  @Test(arguments: [LogoutReason.passwordChanged, .userDisabled, .maintenance])
  func `a login that is over, as the app has learned`(reason: LogoutReason) async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    await client.manager.invalidate(reason)
    #expect(await failure { _ = try await client.manager.validToken() }?.logoutReason == reason)
    #expect(await client.store.stored == nil)
    #expect(await client.manager.state == .reauthenticationRequired(reason))
    try await client.manager.logIn(tokens(4))
    #expect(try await client.manager.validToken().value == "at-secret-4")
  }

  @Test func `a server that says why`() async throws {
    let client = try await Client(ScriptedRefresher(.failed(.init(.invalidGrant, logoutReason: .userDisabled))))
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.logoutReason == .userDisabled)
  }

  @Test func `a logout in another process`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    await client.store.overwrite(nil)
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .loggedOut)
    #expect(client.refresher.attempts.isEmpty)
  }

  @Test func `an invalid_grant that another process has overtaken`() async throws {
    let gate = Gate()
    let client = try await Client.expired(behind: gate, .failed(.init(.invalidGrant)))
    let manager = client.manager
    let call = Task { try await manager.validToken().value }
    #expect(await until { gate.count == 1 })
    var newer = try #require(await client.store.stored)
    newer = newer.renewed(by: tokens(2), at: client.clock.date)
    await client.store.overwrite(newer)
    gate.open()
    #expect(try await call.value == "at-secret-2")
  }
}
