import JOSE
import PureCrypto
import StrictJSON
import Testing

@testable import AppleSignInKit

@Suite struct StoreTests {
  @Test func `a stored sign-in is read with every member, and nothing else is read`() throws {
    let fixture = try Fixture()
    var all = try fixture.pending(.codeAndIdentityToken, nonce: AppleNonce(raw: "n", form: .sha256Hex))
    all.startedAt = try #require(NumericDate(secondsSince1970: 1_760_000_000.5))
    for pending in [all, try fixture.pending(scopes: [], startedAt: -5), try fixture.pending(scopes: [.email])] {
      let read = try ApplePendingSignIn(parsing: pending.serialized())
      #expect(read.serialized() == pending.serialized())
      #expect(read.state == pending.state && read.nonce?.claim == pending.nonce?.claim)
      #expect(read.scopes == pending.scopes && read.startedAt == pending.startedAt)
    }
    let document = try JSONObject(parsing: all.serialized())
    let changes: [(String, JSONValue?)] = [
      ("version", 2), ("version", nil), ("client", 1), ("redirectURI", "http://www.example.com/cb"),
      ("redirectURI", nil), ("responseType", "token"), ("responseMode", "web_message"), ("scopes", ["phone"]),
      ("scopes", [1]), ("scopes", nil), ("state", nil), ("startedAt", "now"), ("nonce", "n"), ("nonce", ["raw": "n"]),
      ("nonce", ["raw": "", "form": "exact"]), ("nonce", ["raw": "n", "form": "other"]),
    ]
    for (name, value) in changes {
      var changed = document
      changed[name] = value
      #expect(throws: JOSEError(.recordMalformed, "")) {
        try ApplePendingSignIn(parsing: changed.serialized())
      }
    }
    #expect(throws: JOSEError(.recordMalformed, "")) { try ApplePendingSignIn(parsing: []) }
  }

  @Test func `a sign-in is good once, for ten minutes, and a little later it is said to be over`() async throws {
    let fixture = try Fixture()
    let clock = ManualClock(Fixture.now)
    let records = MemoryRecordStore()
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(),
      signer: try fixture.signer(clock: clock.wallClock), records: records
    ) { _ in throw CancellationError() }
    @Sendable func code(_ handle: String, _ query: String = "state=x&code=abc") async -> ErrorCode? {
      do throws(JOSEError) {
        let answer = HTTPRequestValue(method: "GET", url: "https://www.example.com/apple/callback?" + query)
        _ = try await client.finish(answer, handle: handle) { _ in }
        return nil
      } catch {
        return error.code
      }
    }
    let starts = try await [client.begin(), client.begin(), client.begin()]
    let handles = starts.map(\.handle)
    // A second tab, or what a stranger's page sends, uses nothing up.
    for _ in 0..<3 { #expect(await code(handles[0]) == .stateMismatch) }
    #expect(await code(handles[0], "error=user_cancelled_authorize&state=x") == .stateMismatch)
    #expect(await code(handles[0], "code=abc") == .stateMissing)
    #expect(await code(handles[0], "state=%zz&code=abc") == .malformed)
    // The right answer does, whatever follows.
    let state = try #require(Self.state(of: starts[0]))
    #expect(await code(handles[0], "state=\(state)&code=abc") == .serverUnavailable)
    #expect(await code(handles[0], "state=\(state)&code=abc") == .signInUnknown)
    // So does a cancellation. Of many at once one gets through.
    let cancelled = "state=\(try #require(Self.state(of: starts[2])))&error=user_cancelled_authorize&flag&x=%zz"
    let outcomes = await withTaskGroup(of: ErrorCode?.self) { group in
      for _ in 0..<20 { group.addTask { await code(handles[2], cancelled) } }
      return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == .signInUnknown } == 19)
    for twin in [handles[1] + " ", handles[1].lowercased() + "x", ""] { #expect(await code(twin) == .signInUnknown) }
    clock.move(to: Fixture.now + 661)
    #expect(await code(handles[1]) == .signInUnknown)
    let full = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      records: MemoryRecordStore(byteLimit: 1_000)
    ) { _ in throw CancellationError() }
    await #expect(throws: JOSEError(.storeUnavailable, "")) {
      for _ in 0..<4 { _ = try await full.begin() }
    }
  }

  private static func state(of start: AppleSignInStart) -> String? {
    let query = start.url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    return (try? FormFields(decoding: query))?.values("state").first
  }

  private static func notification(
    _ name: String, at seconds: Int = 10, _ event: AppleNotification.Event = .consentRevoked, milliseconds: Double = 0,
    subject: String = "s", app: String = "a"
  ) -> AppleNotification {
    AppleNotification(
      event: event, subject: subject, eventTime: NumericDate(seconds).advanced(by: milliseconds / 1000), audience: app,
      tokenID: name)
  }

  private static let expiration = NumericDate(Fixture.now + 60)

  @Test func `a notification is new until it was recorded, and then a duplicate until it is forgotten`() async throws {
    let clock = ManualClock(Fixture.now)
    let noted = NotedNotifications(MemoryRecordStore(), clock: clock.wallClock)
    let event = Self.notification("1")
    for _ in 0..<2 { #expect(try await noted.verdict(on: event) == .new) }
    #expect(try await noted.record(event, expiration: Self.expiration) == .new)
    #expect(try await noted.record(event, expiration: Self.expiration) == .duplicate)
    #expect(try await noted.verdict(on: event) == .duplicate)
    clock.move(to: Fixture.now + 60)
    #expect(try await noted.record(event, expiration: Self.expiration.advanced(by: 60)) == .new)
    #expect(try await noted.verdict(on: event) == .duplicate)
    // The time of the last event outlives its name.
    clock.move(to: Fixture.now + 6_000)
    #expect(try await noted.verdict(on: Self.notification("2", at: 9)) == .outdated)
  }

  @Test func `an event is outdated by a later one of its app, user and kind, and by no other`() async throws {
    let noted = NotedNotifications(MemoryRecordStore(), clock: .fixed(at: NumericDate(Fixture.now)))
    func record(_ notification: AppleNotification) async throws -> NotedNotifications.Verdict {
      let verdict = try await noted.verdict(on: notification)
      #expect(try await noted.record(notification, expiration: Self.expiration) == verdict)
      return verdict
    }
    #expect(try await record(Self.notification("1", at: 10, milliseconds: 2)) == .new)
    #expect(try await record(Self.notification("2", at: 10, milliseconds: 1)) == .outdated)
    #expect(try await record(Self.notification("2", at: 10, milliseconds: 1)) == .duplicate)
    // What is outdated doesn't move the time back.
    #expect(try await record(Self.notification("3", at: 10, milliseconds: 1.5)) == .outdated)
    #expect(try await record(Self.notification("4", at: 10, milliseconds: 2)) == .new)
    #expect(try await record(Self.notification("5", at: 11)) == .new)
    #expect(try await record(Self.notification("6", at: 9, .emailDisabled)) == .new)
    #expect(try await record(Self.notification("6", at: 8, .emailEnabled)) == .outdated)
    #expect(try await record(Self.notification("6", at: 9, .accountDeleted)) == .new)
    for time in [9, 8] { #expect(try await record(Self.notification("7", at: time, .other("news"))) == .new) }
    for (subject, app) in [("S", "a"), ("s", "A"), ("s\u{0}", "a"), ("", "as"), ("\u{E9}", "a"), ("e\u{301}", "a")] {
      #expect(try await record(Self.notification("8", at: 7, subject: subject, app: app)) == .new)
    }
  }

  @Test func `the latest of simultaneous events outdates the others, and one of several copies is new`() async throws {
    let noted = NotedNotifications(MemoryRecordStore(), clock: .fixed(at: NumericDate(Fixture.now)))
    func verdicts(
      _ notification: @escaping @Sendable (Int) -> AppleNotification
    ) async throws -> [NotedNotifications.Verdict: Int] {
      try await withThrowingTaskGroup(of: NotedNotifications.Verdict.self) { group in
        for number in 0..<32 {
          group.addTask { try await noted.record(notification(number), expiration: Self.expiration) }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
    }
    #expect(try await verdicts { _ in Self.notification("1", subject: "x") } == [.new: 1, .duplicate: 31])
    // Neither the first nor the last to begin is the latest.
    let all = try await verdicts { Self.notification("n\($0)", at: 100 + $0 * 7 % 32) }
    #expect(all[.duplicate] == nil && all[.new] != nil)
    #expect(try await noted.verdict(on: Self.notification("y", at: 130)) == .outdated)
    #expect(try await noted.verdict(on: Self.notification("z", at: 131)) == .new)
  }

  @Test func `a malformed record of an event's time is reported as an error`() async throws {
    let records = MemoryRecordStore()
    let noted = NotedNotifications(records, clock: .fixed(at: NumericDate(Fixture.now)))
    #expect(try await noted.record(Self.notification("1"), expiration: Self.expiration) == .new)
    let topic = try #require(Self.notification("1").topic)
    var record = try #require(
      await records.record(StoredRecord.Kind(library: "apple-topic"), key: Array(SHA2.SHA256.hash(topic))))
    for document in ["", "{}", #"{"version":2,"eventTime":1}"#, #"{"version":1,"eventTime":"1"}"#] {
      record.document = Array(document.utf8)
      #expect(try await records.commit([.replace(record)]) == .done)
      record.version += 1
      await #expect(throws: JOSEError(.recordMalformed, "")) {
        try await noted.verdict(on: Self.notification("2"))
      }
    }
  }
}
