import JOSE
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
      #expect(throws: SignInWithAppleError(.recordMalformed, "")) {
        try ApplePendingSignIn(parsing: changed.serialized())
      }
    }
    #expect(throws: SignInWithAppleError(.recordMalformed, "")) { try ApplePendingSignIn(parsing: []) }
  }

  @Test func `a full store of pending sign-ins forgets old ones only`() async throws {
    let fixture = try Fixture()
    let clock = ManualClock(Fixture.now)
    let store = InMemoryApplePendingSignInStore(capacity: 2, clock: clock.wallClock)
    for handle in ["a", "b"] {
      #expect(try await store.insert(fixture.pending(startedAt: Fixture.now), handle: handle))
    }
    await #expect(throws: InMemoryApplePendingSignInStore.Full.self) {
      try await store.insert(fixture.pending(startedAt: Fixture.now), handle: "c")
    }
    clock.move(to: Fixture.now + 600)
    #expect(try await store.insert(fixture.pending(startedAt: Fixture.now + 600), handle: "c"))
    #expect(await store.count == 1)
  }

  @Test func `remembered names are forgotten once they expire`() async throws {
    let clock = ManualClock(0)
    let store = InMemoryAppleNotificationStore(clock: clock.wallClock)
    let notification = AppleNotification(
      event: .other("news"), subject: "s", eventTime: NumericDate(5), email: nil, isPrivateEmail: nil, audience: "a",
      tokenID: "1")
    #expect(await store.record(notification, expiration: NumericDate(100)) == .new)
    clock.move(to: 3600)
    #expect(await store.record(notification, expiration: NumericDate(5000)) == .new)
  }
}
