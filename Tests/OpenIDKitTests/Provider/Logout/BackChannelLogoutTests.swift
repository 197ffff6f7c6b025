import JOSE
import PureJOSETestSupport
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Logout tokens: a provider that sends them, and a client that takes them.
@Suite struct BackChannelLogoutTests {
  private static let (issuer, address) = ("https://op.example.com", "https://site.example.com/logout")
  private static let now = NumericDate(1_760_000_000)

  /// A client, and what it was told.
  private final class Site: Sendable {
    let key: SigningKey
    let endpoint: BackChannelLogoutEndpoint
    private let ended: Box

    private final class Box: Sendable {
      let logouts = Mutex<[BackChannelLogout]>([])
      let failures = Mutex(0)
      let hasRotated = Mutex(false)
    }

    /// From now on the provider publishes the key's successor as well.
    func rotate() { ended.hasRotated.withLock { $0 = true } }

    var logouts: [BackChannelLogout] { ended.logouts.withLock { $0 } }

    init(
      keysAnswer status: Int = 200, requiresType: Bool = false,
      records: any RecordStore = MemoryRecordStore(),
      clock: WallClock = .fixed(at: now), successor: SigningKey? = nil,
      failures: Int = 0, meanwhile: @escaping @Sendable () async -> Void = {}
    ) throws {
      let (key, ended) = (try SigningKey.generate(.es256, keyID: "k1"), Box())
      let published = JWKSet([try #require(key.verificationKey.publicJWK)]).serialized()
      let later = JWKSet([key, successor ?? key].compactMap { $0.verificationKey.publicJWK }).serialized()
      (self.key, self.ended) = (key, ended)
      endpoint = BackChannelLogoutEndpoint(
        issuer: issuer, clientID: "site",
        keys: RemoteKeySet(url: "https://idp.example.com/jwks", clock: clock) { _ in
          HTTPResponseValue(status: status, body: ended.hasRotated.withLock { $0 } ? later : published)
        },
        algorithms: [.es256], records: records, requiresType: requiresType, clock: clock
      ) { logout in
        await meanwhile()
        try ended.logouts.withLock { logouts in
          let fails = ended.failures.withLock { count in
            count += 1
            return count <= failures
          }
          if fails { throw CancellationError() }
          logouts.append(logout)
        }
      }
    }

    /// A token that is right, unless it is changed.
    func token(type: String? = "logout+jwt", key: SigningKey? = nil, _ changes: [String: JSONValue?] = [:]) throws
      -> String
    {
      var claims = JWTClaims.logoutToken(issuer: issuer, clientID: "site", subject: "alice", sessionID: "s1")
      claims.clock = .fixed(at: now)
      var object = try claims.issued()
      for (name, value) in changes { object[name] = value }
      return try JWT.sign(object, with: key ?? self.key, type: type)
    }

    func tell(_ token: String) async -> HTTPResponseValue {
      await endpoint.respond(to: .post(["logout_token": token], to: address))
    }
  }

  private func expectRefusal(_ answer: HTTPResponseValue, _ error: String = "invalid_request") throws {
    #expect(answer.status == 400)
    #expect(try JSONObject(parsing: answer.body)["error"]?.stringValue == error)
    #expect(answer.headers.values("Cache-Control") == ["no-store"])
  }

  // MARK: The client

  @Test func `a logout token is acted on and answered with 200 and no-store`() async throws {
    let site = try Site()
    let answer = await site.tell(try site.token())
    #expect(answer.status == 200 && answer.body.isEmpty)
    #expect(answer.headers.values("Cache-Control") == ["no-store"])
    let logout = try #require(site.logouts.first)
    #expect(site.logouts.count == 1 && logout.subject == "alice" && logout.sessionID == "s1")
  }

  @Test(arguments: [("alice" as String?, nil as String?), (nil, "s1")])
  func `a logout token may name a subject or a session alone`(_ subject: String?, _ session: String?) async throws {
    let site = try Site()
    let token = try site.token(["sub": subject.map { .string($0) }, "sid": session.map { .string($0) }])
    #expect(await site.tell(token).status == 200)
    #expect(site.logouts.first?.subject == subject && site.logouts.first?.sessionID == session)
  }

  @Test func `a logout token without exp or with typ JWT or none is accepted unless typ is required`() async throws {
    let site = try Site()
    for token in [try site.token(type: "JWT"), try site.token(type: nil), try site.token(["exp": nil])] {
      #expect(await site.tell(token).status == 200)
    }
    let strict = try Site(requiresType: true)
    #expect(await strict.tell(try strict.token()).status == 200)
    try expectRefusal(await strict.tell(try strict.token(type: "JWT")))
    #expect(strict.logouts.count == 1)
  }

  private static let wrongClaims: [(String, [String: JSONValue?])] = [
    ("another issuer", ["iss": "https://evil.example.com"]), ("no issuer", ["iss": nil]),
    ("another client", ["aud": "other"]), ("no audience", ["aud": nil]),
    ("neither subject nor session", ["sub": nil, "sid": nil]), ("a subject that is none", ["sub": 7]),
    ("a session that is none", ["sid": ["s1"]]), ("no iat", ["iat": nil]),
    ("made in the future", ["iat": 1_760_000_061]),
    ("made too long ago", ["iat": 1_759_999_820, "exp": 1_760_009_999]),
    ("expired", ["exp": 1_759_999_940]), ("no jti", ["jti": nil]), ("no events", ["events": nil]),
    ("another event", ["events": ["http://schemas.openid.net/event/other": [:]]]),
    ("an event that is no object", ["events": ["http://schemas.openid.net/event/backchannel-logout": true]]),
    ("events in a list", ["events": ["http://schemas.openid.net/event/backchannel-logout"]]),
    ("a nonce", ["nonce": "n"]), ("a nonce of null", ["nonce": .null]),
  ]

  @Test(arguments: wrongClaims.indices) func `a token with a wrong claim ends nothing`(_ index: Int) async throws {
    let (name, changes) = Self.wrongClaims[index]
    let site = try Site()
    let answer = await site.tell(try site.token(changes))
    #expect(answer.status == 400, "\(name)")
    try expectRefusal(answer)
    #expect(site.logouts.isEmpty, "\(name)")
  }

  @Test func `a token of another type, key or algorithm ends nothing`() async throws {
    let site = try Site()
    let stranger = try SigningKey.generate(.es256, keyID: "k1")
    let otherAlgorithm = try SigningKey.generate(.es384, keyID: "k1")
    let tokens = [
      try site.token(type: "at+jwt"), try site.token(key: stranger), try site.token(key: otherAlgorithm), "", "a.b.c",
      "eyJhbGciOiJub25lIn0.e30.",
    ]
    for token in tokens { try expectRefusal(await site.tell(token)) }
    #expect(site.logouts.isEmpty)
  }

  @Test func `a token is good once, and not where uses can't be noted`() async throws {
    let site = try Site()
    let token = try site.token()
    #expect(await site.tell(token).status == 200)
    try expectRefusal(await site.tell(token))
    #expect(site.logouts.count == 1)
    struct Broken: RecordStore {
      func record(_ kind: StoredRecord.Kind, key: [UInt8]) throws -> StoredRecord? { throw CancellationError() }
      func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) -> [StoredRecord] { [] }
      func commit(_ changes: [RecordChange]) throws -> RecordCommit { throw CancellationError() }
      func removeExpired(before date: NumericDate, limit: Int) -> Int { 0 }
    }
    // The token may be good, so the provider comes again.
    let broken = try Site(records: Broken())
    let answer = await broken.tell(try broken.token())
    #expect(answer.status == 503 && answer.headers.values("Retry-After") == ["30"])
    #expect(broken.logouts.isEmpty)
  }

  @Test func `a site takes every logout of its one provider`() async throws {
    // The quota is for issuers that anybody can be, and every token is noted.
    let records = MemoryRecordStore()
    let site = try Site(records: records)
    for status in [200, 400] {
      for number in 0..<10 {
        #expect(await site.tell(try site.token(["jti": .string("\(number)")])).status == status)
      }
    }
    #expect(site.logouts.count == 10)
    let issuer = StoredRecord.Index("maker", Array("https://idp.example.com".utf8))
    #expect(await records.records(StoredRecord.Kind(library: "used-token"), where: issuer, limit: 1).isEmpty)
  }

  @Test func `without the provider's keys nothing ends`() async throws {
    let site = try Site(keysAnswer: 503)
    let answer = await site.tell(try site.token())
    #expect(answer.status == 503 && answer.headers.values("Retry-After") == ["30"])
    #expect(site.logouts.isEmpty)
  }

  @Test func `a token by a key that is newer than the last fetch comes again, and ends its sessions`() async throws {
    let new = try SigningKey.generate(.es256, keyID: "k2")
    let time = Mutex(Self.now)
    let clock = WallClock { time.withLock { $0 } }
    let site = try Site(clock: clock, successor: new)
    #expect(await site.tell(try site.token()).status == 200)
    let token = try site.token(key: new)
    site.rotate()
    let early = await site.tell(token)
    #expect(early.status == 503 && early.headers.values("Retry-After") == ["30"] && site.logouts.count == 1)
    time.withLock { $0 = Self.now.advanced(by: .seconds(30)) }
    #expect(await site.tell(token).status == 200 && site.logouts.count == 2)
    // Of a name that nobody has, the provider says so once; then it isn't asked.
    let stranger = try SigningKey.generate(.es256, keyID: "k3")
    time.withLock { $0 = Self.now.advanced(by: .seconds(60)) }
    for status in [400, 503] { #expect(await site.tell(try site.token(key: stranger)).status == status) }
    #expect(site.logouts.count == 2)
  }

  @Test func `a logout that fails is answered with 400`() async throws {
    let site = try Site(failures: 1)
    try expectRefusal(await site.tell(try site.token()), "server_error")
  }

  @Test func `a token whose logout fails is taken again, and is used up by the one that succeeds`() async throws {
    let site = try Site(failures: 2)
    let token = try site.token()
    for _ in 0..<2 { try expectRefusal(await site.tell(token), "server_error") }
    #expect(site.logouts.isEmpty)
    #expect(await site.tell(token).status == 200)
    try expectRefusal(await site.tell(token))
    #expect(site.logouts.count == 1)
  }

  @Test func `of copies that come at once one is acted on, and if it fails another may come`() async throws {
    for failures in [0, 1] {
      let (began, goesOn) = (Gate(), Gate())
      let site = try Site(failures: failures) {
        began.open()
        await goesOn.pass()
      }
      let token = try site.token()
      async let first = site.tell(token)
      await began.pass()
      // Others are not held up.
      try expectRefusal(await site.tell(token), "server_error")
      goesOn.open()
      #expect(await first.status == (failures == 0 ? 200 : 400))
      #expect(await site.tell(token).status == (failures == 0 ? 400 : 200))
      #expect(site.logouts.count == 1)
    }
  }

  @Test func `many copies at once, and many tokens, end each session once`() async throws {
    let site = try Site { await Task.yield() }
    let tokens = try (0..<8).map { number in try site.token(["sid": .string("s\(number)")]) }
    let answers = await withTaskGroup(of: Int.self) { group in
      for token in tokens + tokens + tokens + tokens { group.addTask { await site.tell(token).status } }
      return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(answers == [200: 8, 400: 24])
    #expect(Set(site.logouts.compactMap(\.sessionID)).count == 8 && site.logouts.count == 8)
  }

  @Test func `an issuer with more logouts than are remembered logs out all the same`() async throws {
    let site = try Site(records: MemoryRecordStore(byteLimit: 1_000))
    for number in 0..<10 { #expect(await site.tell(try site.token(["sid": .string("\(number)")])).status == 200) }
    #expect(site.logouts.count == 10)
  }

  @Test func `a logout comes as a posted form with one token`() async throws {
    let site = try Site()
    let token = try site.token()
    var get = HTTPRequestValue.post(["logout_token": token], to: Self.address)
    get.method = "GET"
    var json = HTTPRequestValue.post(["logout_token": token], to: Self.address)
    try json.headers.set("Content-Type", "application/json")
    let requests = [
      get, json, .post(["logout_token": token, "logout_token": token], to: Self.address), .post([:], to: Self.address),
      .post(["id_token": token], to: Self.address),
    ]
    for request in requests { try expectRefusal(await site.endpoint.respond(to: request)) }
    #expect(site.logouts.isEmpty)
    // What isn't known is not looked at (§2.5).
    #expect(
      await site.endpoint.respond(to: .post(["more": "x", "logout_token": token], to: Self.address)).status == 200)
  }

  @Test func `a client's endpoint takes what its provider signs`() async throws {
    let provider = try StandInProvider()
    let client = try await OpenIDClientTests.client(provider)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    let ended = Mutex(false)
    let endpoint = BackChannelLogoutEndpoint(for: client) { logout in
      ended.withLock { $0 = logout.ends(subject: login.subject, sessionID: login.sessionID) }
    }
    let patient = TokenClock(
      wall: provider.clock.wall, elapsed: { .zero }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    let sender = try BackChannelLogoutSender(
      issuer: provider.issuer, clock: patient, signingKey: { _ in provider.key },
      transport: { await endpoint.respond(to: $0) })
    let deliveries = await sender.send([
      .init(to: "site", at: Self.address, about: BackChannelLogout(subject: "alice", sessionID: "s1"))
    ])
    #expect(deliveries.map(\.outcome) == [.told] && ended.withLock { $0 })
  }

  @Test func `a logout ends the logins of its subject, of its session or of both`() {
    let (all, one) = (BackChannelLogout(subject: "a"), BackChannelLogout(subject: "a", sessionID: "s"))
    let nobodys = BackChannelLogout(sessionID: "s")
    let logins: [(subject: String, session: String?, ends: [Bool])] = [
      ("a", "s", [true, true, true]), ("a", "t", [true, false, false]), ("a", nil, [true, false, false]),
      ("b", "s", [false, false, true]), ("b", nil, [false, false, false]),
    ]
    for login in logins {
      let ends = [all, one, nobodys].map { $0.ends(subject: login.subject, sessionID: login.session) }
      #expect(ends == login.ends, "\(login)")
    }
    // Two texts that read the same are two names.
    #expect(!BackChannelLogout(subject: "\u{E9}").ends(subject: "e\u{301}", sessionID: nil))
  }

  // MARK: The provider

  /// The time for an answer doesn't end, on no busy machine.
  private static let patient = TokenClock(
    wall: .fixed(at: now), elapsed: { .zero }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })

  private func sender(
    key: SigningKey, limit: TokenClock? = nil, concurrency: Int = 16,
    _ transport: @escaping HTTPTransport
  ) throws -> BackChannelLogoutSender {
    try BackChannelLogoutSender(
      issuer: Self.issuer, maximumConcurrency: concurrency, clock: limit ?? Self.patient, signingKey: { _ in key },
      transport: transport)
  }

  @Test func `a client takes what the sender sends`() async throws {
    let site = try Site(requiresType: true)
    let sent = Mutex<[HTTPRequestValue]>([])
    let sender = try sender(key: site.key) { request in
      sent.withLock { $0.append(request) }
      return await site.endpoint.respond(to: request)
    }
    let deliveries = await sender.send([
      .init(to: "site", at: Self.address, about: BackChannelLogout(subject: "alice", sessionID: "s1")),
      .init(to: "site", at: Self.address, about: BackChannelLogout(sessionID: "s2")),
      .init(to: "site", at: Self.address, about: BackChannelLogout(subject: "bob")),
      .init(to: "other", at: Self.address, about: BackChannelLogout(subject: "bob")),
    ])
    #expect(deliveries.map(\.outcome) == [.told, .told, .told, .refused])
    #expect(deliveries.map(\.clientID) == ["site", "site", "site", "other"])
    #expect(Set(site.logouts.map { "\($0.subject ?? "-") \($0.sessionID ?? "-")" }) == ["alice s1", "- s2", "bob -"])
    #expect(sent.withLock { $0.allSatisfy { $0.method == "POST" && $0.url == Self.address } })
  }

  @Test func `a token says what the specification wants, and no more`() async throws {
    let key = try SigningKey.generate(.es256, keyID: "k1")
    let sent = Mutex<[String]>([])
    let sender = try sender(key: key) { request in
      let token = try request.form().requiredValue("logout_token")
      sent.withLock { $0.append(token) }
      return HTTPResponseValue(status: 204)
    }
    let message = BackChannelLogoutSender.Message(
      to: "site", at: Self.address, about: BackChannelLogout(subject: "alice", sessionID: "s1"))
    #expect(await sender.send([message, message]).map(\.outcome) == [.told, .told])
    var names: Set<String> = []
    for token in sent.withLock({ $0 }) {
      let parts = try UnverifiedJWS(parsing: token)
      #expect(parts.unverifiedHeader.type == "logout+jwt" && parts.unverifiedHeader.keyID == "k1")
      var claims = try #require(parts.unverifiedClaims)
      names.insert(try #require(claims["jti"]?.stringValue))
      claims["jti"] = nil
      #expect(
        claims == [
          "iss": .string(Self.issuer), "aud": "site", "iat": 1_760_000_000, "exp": 1_760_000_120, "sub": "alice",
          "sid": "s1", "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ])
    }
    #expect(names.count == 2)
  }

  @Test(arguments: [
    (200, BackChannelLogoutSender.Outcome.told), (204, .told), (400, .refused), (201, .unreachable),
    (302, .unreachable), (401, .unreachable), (404, .unreachable), (500, .unreachable), (503, .unreachable),
  ])
  func `each status of a client's answer means one outcome of a delivery`(
    _ status: Int, _ outcome: BackChannelLogoutSender.Outcome
  ) async throws {
    let sender = try sender(key: .generate(.es256)) { _ in HTTPResponseValue(status: status) }
    let deliveries = await sender.send([.init(to: "c", at: Self.address, about: BackChannelLogout(subject: "u"))])
    #expect(deliveries.map(\.outcome) == [outcome])
  }

  @Test(arguments: [
    "http://site.example.com/logout", "https://site.example.com/#f", "https://u:p@site.example.com/", "https:///x",
    "/logout", "", "ftp://site.example.com/",
  ])
  func `no logout token is sent to an invalid address`(_ address: String) async throws {
    let sent = Mutex(0)
    let sender = try sender(key: .generate(.es256)) { _ in
      sent.withLock { $0 += 1 }
      return HTTPResponseValue(status: 200)
    }
    let deliveries = await sender.send([.init(to: "c", at: address, about: BackChannelLogout(subject: "u"))])
    #expect(deliveries.map(\.outcome) == [.notSent] && sent.withLock { $0 } == 0)
  }

  @Test func `a missing key gives the outcome notSent, and a failing network unreachable`() async throws {
    let keyless = try BackChannelLogoutSender(
      issuer: Self.issuer, clock: Self.patient, signingKey: { _ in throw CancellationError() },
      transport: { _ in HTTPResponseValue(status: 200) })
    let offline = try sender(key: .generate(.es256)) { _ in throw RequestNotSent() }
    let message = BackChannelLogoutSender.Message(to: "c", at: Self.address, about: BackChannelLogout(subject: "u"))
    #expect(await keyless.send([message]).map(\.outcome) == [.notSent])
    #expect(await offline.send([message]).map(\.outcome) == [.unreachable])
    #expect(await offline.send([]).isEmpty)
  }

  @Test func `a client that never answers keeps nobody waiting, and its time ends`() async throws {
    let (stuck, others) = (Gate(), Gate())
    let told = Mutex(0)
    // The time is over when all others have been told.
    let clock = TokenClock(wall: .fixed(at: Self.now), elapsed: { .zero }, sleep: { _ in await others.pass() })
    let sender = try sender(key: .generate(.es256), limit: clock) { request in
      guard !request.url.hasSuffix("stuck") else {
        await stuck.pass()
        return HTTPResponseValue(status: 200)
      }
      if told.withLock({
        $0 += 1; return $0
      }) == 40 {
        others.open()
      }
      return HTTPResponseValue(status: 200)
    }
    let addresses = [Self.address + "/stuck"] + Array(repeating: Self.address, count: 40)
    let deliveries = await sender.send(
      addresses.map { .init(to: "c", at: $0, about: BackChannelLogout(subject: "u")) })
    #expect(deliveries[0].outcome == .unreachable)
    #expect(deliveries.dropFirst().allSatisfy { $0.outcome == .told || $0.outcome == .unreachable })
    #expect(told.withLock { $0 } == 40)
    stuck.open()
  }

  @Test func `logout tokens are sent to as many clients at once as the limit allows`() async throws {
    let counts = Mutex((now: 0, most: 0))
    let all = Gate()
    let sender = try sender(key: .generate(.es256), concurrency: 3) { _ in
      let isFull = counts.withLock { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
        return counts.now == 3
      }
      if isFull { all.open() }
      await all.pass()
      await Task.yield()
      counts.withLock { $0.now -= 1 }
      return HTTPResponseValue(status: 200)
    }
    let messages = (0..<50).map { number in
      BackChannelLogoutSender.Message(to: "c\(number)", at: Self.address, about: BackChannelLogout(subject: "u"))
    }
    let deliveries = await sender.send(messages)
    #expect(deliveries.map(\.clientID) == messages.map(\.clientID) && deliveries.allSatisfy { $0.outcome == .told })
    #expect(counts.withLock { $0.most } == 3)
  }

  @Test(arguments: ["issuer", "lifetime", "timeLimit", "maximumConcurrency"])
  func `settings out of range are refused`(_ name: String) throws {
    let key = try SigningKey.generate(.es256)
    let error = #expect(throws: OpenIDError.self) {
      try BackChannelLogoutSender(
        issuer: name == "issuer" ? "" : Self.issuer, lifetime: .seconds(name == "lifetime" ? 121 : 120),
        timeLimit: .seconds(name == "timeLimit" ? 0 : 5), maximumConcurrency: name == "maximumConcurrency" ? 0 : 16,
        signingKey: { _ in key }, transport: { _ in HTTPResponseValue(status: 200) })
    }
    #expect(error?.code == .settingInvalid && error?.name == name)
  }
}
