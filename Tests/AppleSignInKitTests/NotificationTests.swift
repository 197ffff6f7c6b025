import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import AppleSignInKit

@Suite struct NotificationTests {
  let fixture: Fixture
  static let now = 1_760_003_700

  init() throws { fixture = try Fixture() }

  static let events =
    #"{"type":"consent-revoked","sub":"000000.0123456789abcdef0123456789abcdef.0001","event_time":1760003600123}"#

  static let claims: JSONObject = [
    "iss": "https://appleid.apple.com", "aud": "com.example.app", "exp": 1_760_090_010, "iat": 1_760_003_610,
    "jti": "q1W2e3R4t5Y6u7I8o9P0aA", "events": .string(events),
  ]

  private func receiver(
    now: Int = NotificationTests.now, records: MemoryRecordStore = MemoryRecordStore()
  ) -> AppleNotificationReceiver {
    let clock = WallClock.fixed(at: NumericDate(now))
    let keys = fixture.keys
    return AppleNotificationReceiver(
      verifier: AppleNotificationVerifier(audiences: ["com.example.app"], service: fixture.service, clock: clock),
      keyStore: AppleKeyStore(service: fixture.service, clock: clock) { _ in
        HTTPResponseValue(status: 200, body: keys.serialized())
      }, records: records)
  }

  private func request(_ change: (inout JSONObject) -> Void = { _ in }) throws -> HTTPRequestValue {
    var claims = Self.claims
    change(&claims)
    return try body(["payload": .string(fixture.token(claims))])
  }

  private func body(_ object: JSONObject) -> HTTPRequestValue {
    HTTPRequestValue(
      method: "POST", url: "https://www.example.com/apple/events",
      headers: HTTPHeaderFields(known: [("Content-Type", "application/json")]), body: object.serialized())
  }

  @Test func `P24 the notification of the reference page`() async throws {
    let new = try await receiver().newNotifications(in: request()) { _ in nil }
    #expect(new.count == 1 && new.first?.event == .consentRevoked)
    #expect(new.first?.eventTime.secondsSince1970 == 1_760_003_600.123)
    #expect(new.first?.subject == Fixture.subject && new.first?.audience == "com.example.app")
  }

  @Test func `P24 the printed token, by Apple's algorithm`() throws {
    let verifier = AppleNotificationVerifier(
      audiences: ["com.example.app"], clock: .fixed(at: NumericDate(Self.now)))
    let keys = try JWKSet(parsing: Printed.keySet)
    #expect(try verifier.verify(Printed.notification, keys: keys).first?.event == .consentRevoked)
  }

  @Test func `P25 the same notification twice`() async throws {
    let receiver = receiver()
    let acted = Mutex(0)
    for _ in 0..<2 {
      let response = await receiver.receive(try request(), linkedAt: { _ in nil }) { _ in acted.withLock { $0 += 1 } }
      #expect(response.status == 200)
    }
    #expect(acted.withLock { $0 } == 1)
  }

  @Test func `P26 events as an object, and both spellings of a deletion`() async throws {
    for type in ["account-delete", "account-deleted"] {
      let new = try await receiver().newNotifications(
        in: request { $0["events"] = ["type": .string(type), "sub": "s", "event_time": 1_760_003_600_000] }
      ) { _ in nil }
      #expect(new.first?.event == .accountDeleted)
    }
    let list = try await receiver().newNotifications(
      in: request {
        $0["events"] = [
          ["type": "email-disabled", "sub": "s", "event_time": 1, "email": "a@b.example", "is_private_email": "true"],
          ["type": "email-enabled", "sub": "s", "event_time": 2], ["type": "news", "sub": "s", "event_time": 3],
        ]
      }
    ) { _ in nil }
    #expect(list.map(\.event) == [.emailDisabled, .emailEnabled, .other("news")])
    #expect(list.first?.email == "a@b.example" && list.first?.isPrivateEmail == true)
  }

  /// The example of Apple's documentation.
  private static let documented: JSONObject = [
    "iss": "https://appleid.apple.com", "aud": "com.example.app", "iat": 1_760_003_610, "jti": "abede-67890",
    "events": [
      "type": "account-delete", "sub": "820417.faa325acbc78e1be1668ba852d492d8a.0219", "event_time": 1_760_003_610,
    ],
  ]

  @Test(arguments: [(nil, true), (1_760_003_610, true), (1_760_003_611, false)] as [(Int?, Bool)])
  func `the form that Apple documents: no end, and times in seconds`(_ linked: Int?, _ isActedOn: Bool) async throws {
    let acted = Mutex<[AppleNotification]>([])
    let request = body(["payload": .string(try fixture.token(Self.documented))])
    let response = await receiver().receive(request) { _ in
      linked.map { NumericDate($0) }
    } act: { event in
      acted.withLock { $0.append(event) }
    }
    #expect(response.status == 200)
    let events = acted.withLock { $0 }
    let expected: [AppleNotification.Event] = isActedOn ? [.accountDeleted] : []
    #expect(events.map(\.event) == expected)
    #expect(events.allSatisfy { $0.eventTime == NumericDate(1_760_003_610) })
  }

  @Test func `a time is in seconds below 10^11, and in milliseconds above`() async throws {
    let times: [(JSONValue, Double)] = [
      (1_760_003_600, 1_760_003_600), (1_760_003_600_000, 1_760_003_600), (1_760_003_600_123, 1_760_003_600.123),
      (100_000_000_000, 100_000_000),
    ]
    for (written, seconds) in times {
      let new = try await receiver().newNotifications(
        in: request { $0["events"] = ["type": "email-enabled", "sub": "s", "event_time": written] }
      ) { _ in nil }
      #expect(new.map(\.eventTime.secondsSince1970) == [seconds])
    }
  }

  @Test func `events of both forms in one second are in any order`() async throws {
    let receiver = receiver()
    func isNew(_ name: String, _ time: JSONValue) async throws -> Bool {
      try await !receiver.newNotifications(
        in: request {
          $0["jti"] = .string(name)
          $0["events"] = ["type": "email-enabled", "sub": "s", "event_time": time]
        }
      ) { _ in nil }.isEmpty
    }
    #expect(try await isNew("a", 1_760_003_600_600))
    #expect(try await isNew("b", 1_760_003_600))
    // The latter did not move the time back.
    #expect(try await isNew("c", 1_760_003_600_500) == false)
    #expect(try await isNew("d", 1_760_003_599) == false)
  }

  @Test(arguments: [(0, 200), (7 * 86_400 + 59, 200), (7 * 86_400 + 60, 400)])
  func `without an end a notification counts for seven days, and once`(_ age: Int, _ status: Int) async throws {
    let records = MemoryRecordStore()
    let acted = Mutex(0)
    let request = body(["payload": .string(try fixture.token(Self.documented))])
    for seconds in [-60, age] {
      let response = await receiver(now: 1_760_003_610 + seconds, records: records).receive(
        request, linkedAt: { _ in nil }
      ) { _ in
        acted.withLock { $0 += 1 }
      }
      #expect(response.status == (seconds < 0 ? 200 : status))
    }
    #expect(acted.withLock { $0 } == 1)
  }

  @Test func `a notification by a key that may be new comes again`() async throws {
    let fixture = fixture
    let published = Mutex(fixture.keys)
    let clock = ManualClock(Self.now)
    let receiver = AppleNotificationReceiver(
      verifier: AppleNotificationVerifier(
        audiences: ["com.example.app"], service: fixture.service, clock: clock.wallClock),
      keyStore: AppleKeyStore(service: fixture.service, clock: clock.wallClock) { _ in
        HTTPResponseValue(status: 200, body: published.withLock { $0 }.serialized())
      })
    let acted = Mutex(0)
    func deliver(_ token: String) async -> HTTPResponseValue {
      await receiver.receive(body(["payload": .string(token)]), linkedAt: { _ in nil }) { _ in
        acted.withLock { $0 += 1 }
      }
    }
    let new = try SigningKey.generate(.es256, keyID: "new")
    let token = try JWT.sign(Self.documented, with: new, type: nil)
    // A name that Apple doesn't have yet, as a stranger may make one up, causes the request.
    #expect(await deliver(token).status == 400)
    published.withLock { $0 = JWKSet($0.keys + [new.verificationKey.publicJWK].compactMap { $0 }) }
    clock.move(to: Self.now + 59)
    let early = await deliver(token)
    #expect(early.status == 503 && early.headers.values("Retry-After") == ["30"] && acted.withLock { $0 } == 0)
    clock.move(to: Self.now + 60)
    #expect(await deliver(token).status == 200 && acted.withLock { $0 } == 1)
  }

  static let refused: [(name: String, change: @Sendable (inout JSONObject) -> Void)] = [
    ("N33 another audience", { $0["aud"] = "com.example.other" }), ("N33 no audience", { $0["aud"] = nil }),
    ("N33 expired", { $0["exp"] = 1_760_003_600 }), ("N33 another issuer", { $0["iss"] = "https://example.com" }),
    ("N33 events not JSON", { $0["events"] = "{" }), ("N33 events a number", { $0["events"] = 7 }),
    ("N33 events empty", { $0["events"] = [] }), ("N33 no events", { $0["events"] = nil }),
    ("no type", { $0["events"] = ["sub": "s", "event_time": 1] }),
    ("no subject", { $0["events"] = ["type": "x", "event_time": 1] }),
    ("no time", { $0["events"] = ["type": "x", "sub": "s"] }),
    ("time text", { $0["events"] = ["type": "x", "sub": "s", "event_time": "1"] }),
    ("time out of range", { $0["events"] = ["type": "x", "sub": "s", "event_time": 1e300] }),
    ("time zero", { $0["events"] = ["type": "x", "sub": "s", "event_time": 0] }),
    ("time negative", { $0["events"] = ["type": "x", "sub": "s", "event_time": -1] }),
    ("time in microseconds", { $0["events"] = ["type": "x", "sub": "s", "event_time": 1_760_003_600_000_000] }),
    ("event in the list no object", { $0["events"] = [7] }), ("no name", { $0["jti"] = nil }),
    ("empty name", { $0["jti"] = "" }),
    ("issued in the future", { $0["iat"] = 1_760_003_800 }), ("no iat", { $0["iat"] = nil }),
    ("neither iat nor exp", { for name in ["iat", "exp"] { $0[name] = nil } }),
    ("too old", { $0["iat"] = 1_759_000_000 }),
  ]

  @Test(arguments: refused.indices) func `notifications that are refused`(_ index: Int) async throws {
    let response = await receiver().receive(try request { Self.refused[index].change(&$0) }, linkedAt: { _ in nil }) {
      _ in
      Issue.record("acted on \(Self.refused[index].name)")
    }
    #expect(response.status == 400)
  }

  @Test func `N33 a bad signature, no payload, no JSON, another method, too long`() async throws {
    let token = try fixture.token(Self.claims)
    var get = try request()
    get.method = "GET"
    var text = get
    text.method = "POST"
    text.body = Array("payload=x".utf8)
    let requests = [
      body(["payload": .string(token.dropLast(4) + "AAAA")]), body([:]), body(["payload": 7]), body(["payload": "x"]),
      get, text,
      body(["payload": .string(String(repeating: "a", count: 65_536))]),
    ]
    for request in requests {
      let response = await receiver().receive(request, linkedAt: { _ in nil }) { _ in Issue.record("acted") }
      #expect(response.status == 400)
    }
  }

  @Test func `N34 an event older than the last one applied`() async throws {
    let receiver = receiver()
    func event(_ time: Int, _ name: String) throws -> HTTPRequestValue {
      try request {
        $0["jti"] = .string(name)
        $0["events"] = ["type": "email-enabled", "sub": "s", "event_time": .number(JSONNumber(time))]
      }
    }
    #expect(try await receiver.newNotifications(in: event(2000, "a")) { _ in nil }.count == 1)
    #expect(try await receiver.newNotifications(in: event(1000, "b")) { _ in nil }.isEmpty)
    #expect(try await receiver.newNotifications(in: event(3000, "c")) { _ in nil }.count == 1)
  }

  @Test func `a handler that fails, and keys that can't be had, ask for another delivery`() async throws {
    struct Broken: Error {}
    #expect(await receiver().receive(try request(), linkedAt: { _ in nil }) { _ in throw Broken() }.status == 503)
    let clock = WallClock.fixed(at: NumericDate(Self.now))
    let deaf = AppleNotificationReceiver(
      verifier: AppleNotificationVerifier(audiences: ["com.example.app"], service: fixture.service, clock: clock),
      keyStore: AppleKeyStore(service: fixture.service, clock: clock) { _ in throw Broken() })
    #expect(await deaf.receive(try request(), linkedAt: { _ in nil }) { _ in }.status == 503)
  }

  @Test(arguments: [false, true])
  func `the stand-in's notifications are received`(_ isAsDocumented: Bool) async throws {
    let standIn = try fixture.standIn(text: isAsDocumented)
    let client = try fixture.client()
    let request = try await standIn.notification(
      "consent-revoked", of: fixture.user, to: client, url: "https://www.example.com/apple/events")
    let receiver = AppleNotificationReceiver(
      verifier: AppleNotificationVerifier(
        audiences: [Fixture.clientID], service: fixture.service, clock: fixture.clock),
      keyStore: AppleKeyStore(service: fixture.service, clock: fixture.clock) { await standIn.handle($0) })
    let new = try await receiver.newNotifications(in: request) { _ in nil }
    #expect(new.first?.subject == fixture.user.subject(teamID: Fixture.teamID))
  }

  @Test func `an action that fails is done when Apple repeats the notification`() async throws {
    struct Broken: Error {}
    let receiver = receiver()
    let acted = Mutex(0)
    for fails in [true, true, false, false] {
      let response = await receiver.receive(try request(), linkedAt: { _ in nil }) { _ in
        acted.withLock { $0 += 1 }
        if fails { throw Broken() }
      }
      #expect(response.status == (fails ? 503 : 200))
    }
    #expect(acted.withLock { $0 } == 3)
  }

  @Test func `one of two simultaneous deliveries is handled, and the other is answered with 503`() async throws {
    for fails in [false, true] {
      struct Broken: Error {}
      let receiver = receiver()
      let acted = Mutex(0)
      let (began, goesOn) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
      let request = try request()
      async let first = receiver.receive(request, linkedAt: { _ in nil }) { _ in
        acted.withLock { $0 += 1 }
        began.continuation.finish()
        for await _ in goesOn.stream {}
        if fails { throw Broken() }
      }
      for await _ in began.stream {}
      let second = await receiver.receive(request, linkedAt: { _ in nil }) { _ in acted.withLock { $0 += 1 } }
      #expect(second.status == 503)
      goesOn.continuation.finish()
      #expect(await first.status == (fails ? 503 : 200))
      #expect(await receiver.receive(request, linkedAt: { _ in nil }) { _ in acted.withLock { $0 += 1 } }.status == 200)
      #expect(acted.withLock { $0 } == (fails ? 2 : 1))
    }
  }

  @Test func `an unknown event keeps its name for the app, and descriptions leave it out`() async throws {
    let event: JSONValue = ["type": "new-thing", "sub": "s", "event_time": 1]
    let twin: JSONValue = ["type": "new-thin\u{67}\u{301}", "sub": "s", "event_time": 1]
    let composed: JSONValue = ["type": "new-thin\u{1F5}", "sub": "s", "event_time": 1]
    let receiver = receiver()
    let new = try await receiver.newNotifications(
      in: request { $0["events"] = [event, twin, composed] }
    ) { _ in nil }
    #expect(new.map(\.event) == [.other("new-thing"), .other("new-thin\u{67}\u{301}"), .other("new-thin\u{1F5}")])
    #expect(AppleNotification.Event.other("new-thin\u{67}\u{301}") != .other("new-thin\u{1F5}"))
    #expect(new.allSatisfy { !"\($0) \($0.event)".contains("new") && "\($0.event)" == "other" })
    let long = JSONValue.string(String(repeating: "a", count: 256))
    let refused = try request { $0["events"] = ["type": long, "sub": "s", "event_time": 1] }
    #expect(await receiver.receive(refused, linkedAt: { _ in nil }) { _ in Issue.record("acted") }.status == 400)
  }

  @Test(arguments: ["consent-revoked", "account-delete", "email-disabled"])
  func `an event that would end a login is ignored if the account was linked after it`(type: String) async throws {
    let ends = type != "email-disabled"
    func event(_ name: String) throws -> HTTPRequestValue {
      try request {
        $0["jti"] = .string(name)
        $0["events"] = ["type": .string(type), "sub": "s", "event_time": 1_760_003_600_500]
      }
    }
    for (linked, isLate) in [(nil, false), (1_760_003_600, false), (1_760_003_601, true)] as [(Int?, Bool)] {
      let receiver = receiver()
      let acted = Mutex(0)
      let response = await receiver.receive(try event("a")) { notification in
        #expect(notification.subject == "s")
        return linked.map { NumericDate($0) }
      } act: { _ in
        acted.withLock { $0 += 1 }
      }
      #expect(response.status == 200 && acted.withLock { $0 } == (isLate && ends ? 0 : 1))
      let new = try await receiver.newNotifications(in: event("b")) { _ in linked.map { NumericDate($0) } }
      #expect(new.count == (isLate && ends ? 0 : 1))
      // It is not judged again when it is delivered again.
      let again = await receiver.receive(try event("a")) { _ in
        nil
      } act: { _ in
        Issue.record("acted")
      }
      #expect(again.status == 200)
    }
  }

  @Test func `accounts that can't be looked up ask for another delivery`() async throws {
    struct Broken: Error {}
    let receiver = receiver()
    let response = await receiver.receive(try request()) { _ in
      throw Broken()
    } act: { _ in
      Issue.record("acted")
    }
    #expect(response.status == 503)
    #expect(try await receiver.newNotifications(in: request()) { _ in nil }.count == 1)
  }
}
