import JOSE
import PureCrypto
import StrictJSON
import Synchronization
import Testing

/// A provider of status lists with a clock and a counter of requests.
private final class ListServer: Sendable {
  struct State: Sendable {
    var now: Double = 1_800_000_000
    var requests: [String] = []
    var revoked: [Int: TokenStatus] = [:]
    var status = 200
    var isReachable = true
    var isGated = false
    var gates: [CheckedContinuation<Void, Never>] = []
    var timeToLive: Int? = 60
    var lifetime = 600
    var cacheControl: String?
    var key = StatusListTests.key
    var subject: String?
    /// The date that lists have; that of the request unless set.
    var issuedAt: Double?
  }

  let state = Mutex(State())

  var clock: WallClock {
    WallClock { NumericDate(secondsSince1970: self.state.withLock { $0.now }) ?? NumericDate(0) }
  }
  var requests: Int { state.withLock { $0.requests.count } }
  func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }
  func pass(_ seconds: Double) { change { $0.now += seconds } }

  func answer(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    let state = state.withLock { state in
      state.requests.append(request.url)
      return state
    }
    #expect(try request.headers.uniqueValue("Accept") == "application/statuslist+jwt")
    if state.isGated {
      await withCheckedContinuation { continuation in
        let isOpen = self.state.withLock { state in
          if state.isGated { state.gates.append(continuation) }
          return !state.isGated
        }
        if isOpen { continuation.resume() }
      }
    }
    guard state.isReachable else { throw RequestNotSent() }
    var list = try StatusList(bits: 4, count: 1000)
    for (index, status) in state.revoked { try list.set(status, at: index) }
    let issued = state.issuedAt ?? state.now
    var claims: JSONObject = [
      "sub": .string(state.subject ?? request.url), "iat": .number(JSONNumber(Int64(issued))),
      "exp": .number(JSONNumber(Int64(issued) + Int64(state.lifetime))), "status_list": .object(list.claim),
    ]
    if let timeToLive = state.timeToLive { claims["ttl"] = .number(JSONNumber(Int64(timeToLive))) }
    let token = try JWT.sign(claims, with: SigningKey(state.key), type: "statuslist+jwt")
    var headers = HTTPHeaderFields()
    if let cacheControl = state.cacheControl { try headers.append("Cache-Control", cacheControl) }
    return HTTPResponseValue(status: state.status, headers: headers, body: Array(token.utf8))
  }

  func open() {
    let gates = state.withLock { state in
      defer { state.gates = [] }
      state.isGated = false
      return state.gates
    }
    for gate in gates { gate.resume() }
  }

  /// Lets tasks run until this is true, or for a time after which it never will be.
  func wait(until isTrue: (State) -> Bool) async {
    for _ in 0..<20_000 {
      if state.withLock({ isTrue($0) }) { return }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  func lists(_ change: (inout StatusListTimes) -> Void = { _ in }) throws -> StatusLists {
    // Time enough for an answer on a machine that runs all tests at once.
    var times = StatusListTimes(.zero, .seconds(3600))
    // Who wants a request in the background asks for it.
    times.refreshAhead = .zero
    change(&times)
    return StatusLists(
      verifier: try StatusListTests.verifier(clock: clock), times: times, transport: { try await self.answer($0) })
  }

  /// A verifier of tokens that asks these lists.
  func verifier(_ status: StatusPolicy) throws -> JWTVerifier {
    var policy = JWTPolicy(issuer: .anyOf(["https://issuer.example"]), audience: .notChecked, clock: clock)
    policy.status = status
    return JWTVerifier(key: try VerificationKey(Self.issuer), policy: policy)
  }

  static let issuer = JWK.generate(.es256)

  func token(_ index: Int?, uri: String = StatusListTests.uri, expires: Double = 7200) throws -> String {
    var claims: JSONObject = [
      "iss": "https://issuer.example",
      "exp": .number(JSONNumber(Int64(state.withLock { $0.now } + expires))),
    ]
    if let index { claims["status"] = StatusReference(uri: uri, index: index).claim }
    return try JWT.sign(claims, with: SigningKey(Self.issuer))
  }
}

/// The code and name of what an asynchronous verification throws, or `accepted`.
private func verdict(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "accepted"
  } catch let error as JOSEError {
    return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
  } catch {
    return "\(error)"
  }
}

@Suite("Status lists that are fetched")
struct StatusListsTests {
  private let server = ListServer()

  private func judge(_ token: String, _ lists: StatusLists, _ policy: StatusPolicy? = nil) async -> String {
    await verdict {
      let verifier = try server.verifier(policy ?? .ifPresent(lists))
      _ = try await lists.loading { () throws(JOSEError) in try verifier.verify(token) as VerifiedJWT<JSONObject> }
    }
  }

  @Test("a token is judged by its list, which is fetched once for all of them")
  func statuses() async throws {
    let lists = try server.lists()
    server.change {
      $0.revoked = [1: .invalid, 2: .suspended, 3: TokenStatus(rawValue: 3), 4: TokenStatus(rawValue: 4)]
    }
    for (index, expected) in [
      (0, "accepted"), (1, "statusRefused(status)"), (2, "statusRefused(status)"), (3, "statusRefused(status)"),
      (4, "statusRefused(status)"), (999, "accepted"), (1000, "claimInvalid(status)"), (.max, "claimInvalid(status)"),
    ] {
      #expect(await judge(try server.token(index), lists) == expected, "\(index)")
    }
    #expect(server.requests == 1)
    #expect(try await lists.status(of: StatusReference(uri: StatusListTests.uri, index: 3)).rawValue == 3)
    #expect(try await lists.list(at: StatusListTests.uri).timeToLive == .seconds(60))
    #expect(server.requests == 1)
  }

  @Test("a token without a status is accepted or refused as the policy says")
  func absence() async throws {
    let lists = try server.lists()
    let token = try server.token(nil)
    #expect(await judge(token, lists) == "accepted")
    #expect(await judge(token, lists, .required(lists)) == "claimMissing(status)")
    #expect(await judge(try server.token(1), lists, .required(lists)) == "accepted")
    #expect(server.requests == 1)
    let none = try JWT.sign(
      ["iss": "https://issuer.example", "exp": 1_800_000_600, "status": .null] as JSONObject,
      with: SigningKey(ListServer.issuer))
    #expect(await judge(none, lists) == "accepted")
    #expect(await judge(none, lists, .required(lists)) == "claimMissing(status)")
    let other = try JWT.sign(
      ["iss": "https://issuer.example", "exp": 1_800_000_600, "status": ["other": [:]]] as JSONObject,
      with: SigningKey(ListServer.issuer))
    #expect(await judge(other, lists) == "claimInvalid(status)")
    #expect(await judge(other, lists, .notChecked) == "accepted")
  }

  @Test("what is revoked is refused when the ttl is over, and not a second later")
  func timeToLive() async throws {
    let lists = try server.lists()
    let token = try server.token(5)
    #expect(await judge(token, lists) == "accepted")
    server.change { $0.revoked[5] = .invalid }
    server.pass(59)
    #expect(await judge(token, lists) == "accepted")
    #expect(server.requests == 1)
    server.pass(1)
    #expect(await judge(token, lists) == "statusRefused(status)")
    #expect(server.requests == 2)
  }

  @Test("a ttl counts from when the list was made")
  func olderLists() async throws {
    let lists = try server.lists()
    server.change { $0.issuedAt = $0.now - 50 }
    #expect(await judge(try server.token(5), lists) == "accepted")
    server.pass(9)
    #expect(await judge(try server.token(5), lists) == "accepted")
    #expect(server.requests == 1)
    server.pass(1)
    #expect(await judge(try server.token(5), lists) == "accepted")
    #expect(server.requests == 2)
    // This one was over when it came, and serves until the next request is allowed.
    server.pass(4)
    #expect(await judge(try server.token(5), lists) == "accepted")
    #expect(server.requests == 2)
    server.pass(1)
    #expect(await judge(try server.token(5), lists) == "accepted")
    #expect(server.requests == 3)
  }

  @Test("without a ttl the answer's fields count, or the policy; and never more than it allows")
  func otherTimes() async throws {
    for (cacheControl, age) in [("max-age=20", 20.0), (nil, 300), ("max-age=99999999", 500)] {
      let server = ListServer()
      server.change { state in (state.timeToLive, state.cacheControl, state.lifetime) = (nil, cacheControl, 9000) }
      let lists = try server.lists { $0.greatestMaximumAge = .seconds(500) }
      _ = try await lists.list(at: StatusListTests.uri)
      server.pass(age - 1)
      _ = try await lists.list(at: StatusListTests.uri)
      #expect(server.requests == 1)
      server.pass(1)
      _ = try await lists.list(at: StatusListTests.uri)
      #expect(server.requests == 2)
    }
  }

  @Test("a hundred tokens at once make one request")
  func singleFlight() async throws {
    let lists = try server.lists()
    server.change { $0.isGated = true }
    let token = try server.token(7)
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { await judge(token, lists) } }
      await server.wait { !$0.gates.isEmpty }
      server.open()
      for await verdict in group { #expect(verdict == "accepted") }
    }
    #expect(server.requests == 1)
  }

  @Test("a synchronous verifier uses the cached list, and without one the status is unavailable")
  func atHand() async throws {
    let lists = try server.lists()
    let (verifier, token) = (try server.verifier(.ifPresent(lists)), try server.token(7))
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "statusUnavailable(status)")
    _ = try await lists.list(at: StatusListTests.uri)
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "accepted")
    #expect(server.requests == 1)
    #expect(verifier.explain(token).refusals.isEmpty)
    server.change { $0.revoked[7] = .invalid }
    server.pass(60)
    _ = try await lists.list(at: StatusListTests.uri)
    let explanation = verifier.explain(token)
    #expect(explanation.refusals.map(\.code) == [.statusRefused])
    #expect("\(explanation)".contains("revoked") && "\(explanation)".contains("wanted none, or a valid one"))
  }

  @Test("near its end a list that is used is renewed in the background")
  func refreshAhead() async throws {
    let lists = try server.lists { $0.refreshAhead = .seconds(30) }
    let verifier = try server.verifier(.ifPresent(lists))
    _ = try await lists.list(at: StatusListTests.uri)
    // A fifth of 60 seconds.
    server.pass(47)
    let token = try server.token(7)
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "accepted")
    // A request in the background would have begun by then.
    for _ in 0..<100 { await Task.yield() }
    #expect(server.requests == 1)
    server.pass(1)
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "accepted")
    await server.wait { $0.requests.count > 1 }
    #expect(server.requests == 2)
  }

  @Test("a list that is being renewed is not asked for a second time")
  func slowRenewal() async throws {
    let lists = try server.lists { $0.refreshAhead = .seconds(30) }
    _ = try await lists.list(at: StatusListTests.uri)
    server.change { $0.isGated = true }
    server.pass(48)
    _ = try await lists.list(at: StatusListTests.uri)
    await server.wait { !$0.gates.isEmpty }
    server.pass(5)
    _ = try await lists.list(at: StatusListTests.uri)
    for _ in 0..<100 { await Task.yield() }
    #expect(server.requests == 2)
    server.open()
  }

  @Test("a list that is being asked for keeps its place when another one comes")
  func slowLists() async throws {
    let lists = try server.lists { $0.listCount = 1 }
    server.change { $0.isGated = true }
    async let first = lists.list(at: "https://issuer.example/1")
    await server.wait { !$0.requests.isEmpty }
    async let second = lists.list(at: "https://issuer.example/2")
    await server.wait { $0.gates.count > 1 }
    server.open()
    _ = try await (first, second)
    _ = try await (lists.list(at: "https://issuer.example/1"), lists.list(at: "https://issuer.example/2"))
    #expect(server.requests == 2)
  }

  @Test("no list is asked for by a token that is refused anyway")
  func order() async throws {
    let lists = try server.lists()
    let expired = try server.token(5, expires: 0)
    server.change { $0.revoked[5] = .invalid }
    #expect(await judge(expired, lists) == "claimExpired(exp)")
    let forged = try JWT.sign(
      ["iss": "https://issuer.example", "status": StatusReference(uri: StatusListTests.uri, index: 0).claim]
        as JSONObject, with: SigningKey(JWK.generate(.es256)))
    #expect(await judge(forged, lists) == "signatureInvalid")
    #expect(server.requests == 0)
    for uri in ["http://issuer.example/1", "http://127.0.0.1/1", "file:///etc/passwd", "urn:x"] {
      #expect(await judge(try server.token(5, uri: uri), lists) == "statusUnavailable(status)", "\(uri)")
    }
    #expect(server.requests == 0)
  }

  @Test("a list that is unreachable or invalid makes the status unavailable for now")
  func faults() async throws {
    let faults: [@Sendable (inout ListServer.State) -> Void] = [
      { $0.isReachable = false }, { $0.status = 404 }, { $0.status = 302 }, { $0.key = JWK.generate(.es256) },
      { $0.subject = "https://issuer.example/statuslists/2" }, { $0.lifetime = 0 }, { $0.issuedAt = $0.now + 1 },
      { $0.timeToLive = 0 },
    ]
    for fault in faults {
      let server = ListServer()
      server.change(fault)
      let lists = try server.lists()
      let error = await #expect(throws: JOSEError.self) { try await lists.list(at: StatusListTests.uri) }
      #expect(error?.code == .statusUnavailable && error?.fault == .unavailable)
      // The next one is not asked for before its time, and then it is.
      _ = await #expect(throws: JOSEError.self) { try await lists.list(at: StatusListTests.uri) }
      #expect(server.requests == 1)
      server.change { state in
        let now = state.now
        let requests = state.requests
        state = ListServer.State()
        (state.now, state.requests) = (now + 5, requests)
      }
      #expect(try await lists.status(of: StatusReference(uri: StatusListTests.uri, index: 0)) == .valid)
      #expect(server.requests == 2)
    }
  }

  @Test("a stale list serves after a failure as long as staleIfError says, and never past its exp")
  func staleIfError() async throws {
    for (allowed, passed, expected) in [
      (0, 60.0, "statusUnavailable(status)"), (100, 60, "accepted"), (100, 159, "accepted"),
      (100, 160, "statusUnavailable(status)"), (10_000, 599, "accepted"), (10_000, 600, "statusUnavailable(status)"),
    ] {
      let server = ListServer()
      let lists = try server.lists { $0.staleIfError = .seconds(allowed) }
      _ = try await lists.list(at: StatusListTests.uri)
      server.change { $0.isReachable = false }
      server.pass(passed)
      for _ in 0..<2 {
        let verdict = await verdict { _ = try await lists.list(at: StatusListTests.uri) }
        #expect(verdict == expected, "\(allowed) \(passed)")
      }
      #expect(server.requests == 2)
    }
  }

  @Test("a hanging server delays one verification, and later ones use the stale list")
  func hangingServer() async throws {
    let lists = try server.lists { $0.staleIfError = .seconds(300) }
    let verifier = try server.verifier(.ifPresent(lists))
    _ = try await lists.list(at: StatusListTests.uri)
    server.change { ($0.isGated, $0.isReachable) = (true, false) }
    server.pass(60)
    let (server, token) = (server, try server.token(7))
    // A request that fails after ten seconds, which is longer than the pause between two.
    async let verdict = judge(token, lists)
    await server.wait { !$0.gates.isEmpty }
    server.pass(10)
    server.open()
    #expect(await verdict == "accepted")
    server.change { $0.isGated = true }
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "accepted")
    for _ in 0..<100 { await Task.yield() }
    #expect(server.requests == 2)
    // The pause is over: it is asked for again, and meanwhile the list serves also who can't wait.
    server.pass(5)
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "accepted")
    await server.wait { $0.requests.count > 2 }
    #expect(refusal { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> } == "accepted")
    server.open()
  }

  @Test("an older list than the one that is known takes no revocation back")
  func olderList() async throws {
    let lists = try server.lists()
    server.change { $0.revoked[5] = .invalid }
    #expect(await judge(try server.token(5), lists) == "statusRefused(status)")
    server.change { state in
      state.now += 60
      (state.revoked, state.issuedAt) = ([:], state.now - 130)
    }
    #expect(await judge(try server.token(5), lists) == "statusRefused(status)")
    #expect(server.requests == 2)
    // Clocks of two servers may differ by a minute, and what has expired says nothing.
    server.change { state in
      state.now += 60
      state.issuedAt = state.now - 180
    }
    #expect(await judge(try server.token(5), lists) == "accepted")
    server.change { state in
      (state.issuedAt, state.revoked) = (nil, [5: .invalid])
      state.now += 10
    }
    #expect(await judge(try server.token(5), lists) == "statusRefused(status)")
    server.change { state in
      state.now += 600
      (state.revoked, state.issuedAt) = ([:], state.now - 100)
    }
    #expect(await judge(try server.token(5), lists) == "accepted")
  }

  @Test("an explanation asks for no list that a forged or expired token names")
  func explanation() async throws {
    let lists = try server.lists()
    let verifier = try server.verifier(.ifPresent(lists))
    let forged = try JWT.sign(
      [
        "iss": "https://issuer.example", "exp": 1_800_000_600,
        "status": StatusReference(uri: "https://10.0.0.1/x", index: 0).claim,
      ]
        as JSONObject, with: SigningKey(JWK.generate(.es256)))
    for token in [forged, try server.token(5, expires: 0)] {
      #expect(!verifier.explain(token).refusals.contains { $0.code == .statusUnavailable })
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(server.requests == 0)
  }

  @Test("a list that was over before it came judges the token that waited for it")
  func slowAnswer() async throws {
    let lists = try server.lists()
    server.change { state in
      state.isGated = true
      state.issuedAt = state.now - 100
    }
    let (server, token) = (server, try server.token(7))
    async let verdict = judge(token, lists)
    await server.wait { !$0.gates.isEmpty }
    server.pass(20)
    server.open()
    #expect(await verdict == "accepted")
    #expect(server.requests == 1)
  }

  @Test("several tokens in one verification are judged by their lists, each by those that its policy asks")
  func severalLists() async throws {
    let other = ListServer()
    other.change { $0.revoked[7] = .invalid }
    let (lists, otherLists) = (try server.lists(), try other.lists())
    let (verifier, strict) = (try server.verifier(.required(lists)), try other.verifier(.required(otherLists)))
    let tokens = try ["a", "b", "c"].map { try server.token(7, uri: "https://issuer.example/\($0)") }
    func verdicts(_ verifiers: [JWTVerifier]) async -> String {
      await verdict {
        try await lists.loading { () throws(JOSEError) in
          for (token, verifier) in zip(tokens, verifiers) { _ = try verifier.verify(token) as VerifiedJWT<JSONObject> }
        }
      }
    }
    #expect(await verdicts([verifier, verifier, verifier]) == "accepted")
    #expect(server.requests == 3)
    // The list of the other provider is not asked of this one.
    #expect(await verdicts([verifier, strict, verifier]) == "statusUnavailable(status)")
    await other.wait { $0.requests.count == 1 }
    #expect(server.requests == 3)
  }

  @Test("a request that takes too long is over")
  func timeLimit() async throws {
    let lists = try server.lists { $0.timeLimit = .milliseconds(20) }
    server.change { $0.isGated = true }
    #expect(await judge(try server.token(7), lists) == "statusUnavailable(status)")
    server.open()
  }

  @Test("who is cancelled waits no longer, and the others get the list")
  func cancelled() async throws {
    let lists = try server.lists { $0.staleIfError = .seconds(300) }
    // The list that is known has ended, and no request has failed.
    _ = try await lists.list(at: StatusListTests.uri)
    server.pass(60)
    server.change { $0.isGated = true }
    let token = try server.token(7)
    let impatient = Task { await judge(token, lists) }
    let patient = Task { await judge(token, lists) }
    await server.wait { !$0.gates.isEmpty }
    impatient.cancel()
    #expect(await impatient.value == "statusUnavailable(status)")
    server.open()
    #expect(await patient.value == "accepted")
    #expect(server.requests == 2)
  }

  @Test("a clock that is set back prolongs nothing")
  func clockSetBack() async throws {
    let lists = try server.lists()
    _ = try await lists.list(at: StatusListTests.uri)
    server.pass(-1000)
    _ = try await lists.list(at: StatusListTests.uri)
    #expect(server.requests == 2)
  }

  @Test("a full cache drops the list that ends first")
  func listCount() async throws {
    let lists = try server.lists { $0.listCount = 3 }
    for number in 0..<4 {
      _ = try await lists.list(at: "https://issuer.example/\(number)")
      server.pass(1)
    }
    _ = try await lists.list(at: "https://issuer.example/3")
    _ = try await lists.list(at: "https://issuer.example/1")
    #expect(server.requests == 4)
    _ = try await lists.list(at: "https://issuer.example/0")
    #expect(server.requests == 5)
  }

  @Test("keys that the lists' provider publishes serve, and asynchronous verifiers fetch by themselves")
  func remote() async throws {
    let issuer = Issuer(StatusListTests.key.publicKey ?? StatusListTests.key)
    let (server, listKeys) = (server, issuer.set())
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: server.clock)
    let lists = StatusLists(
      verifier: RemoteJWTVerifier(keys: listKeys, algorithms: [.es256], policy: policy), timeLimit: .seconds(3600),
      transport: { try await server.answer($0) })
    let tokenIssuer = Issuer(ListServer.issuer.publicKey ?? ListServer.issuer)
    var tokens = JWTPolicy(issuer: .anyOf(["https://issuer.example"]), audience: .notChecked, clock: server.clock)
    tokens.status = .required(lists)
    let verifier = RemoteJWTVerifier(keys: tokenIssuer.set(), algorithms: [.es256], policy: tokens)
    server.change { $0.revoked[1] = .invalid }
    for index in [0, 1, 0] {
      let token = try server.token(index)
      #expect(
        await verdict { _ = try await verifier.verify(token) as VerifiedJWT<JSONObject> }
          == (index == 1 ? "statusRefused(status)" : "accepted"))
    }
    #expect(server.requests == 1)
  }

  @Test("a credential's status is looked up as any token's")
  func credentials() async throws {
    let lists = try server.lists()
    server.change { $0.revoked[1] = .invalid }
    let verifier = SDJWTVerifier(verifier: try server.verifier(.required(lists)), keyBinding: .ignored)
    for index in [0, 1] {
      let token = try SDJWT.issue(
        [
          "iss": "https://issuer.example", "exp": 1_800_000_600, "email": "ada@example.org",
          "status": StatusReference(uri: StatusListTests.uri, index: index).claim,
        ] as JSONObject, disclosing: ["email"], with: SigningKey(ListServer.issuer), type: "JWT"
      ).compact
      #expect(
        await verdict {
          _ = try await lists.loading { () throws(JOSEError) in
            try verifier.verify(token) as VerifiedSDJWT<JSONObject>
          }
        } == (index == 1 ? "statusRefused(status)" : "accepted"))
    }
  }
}
