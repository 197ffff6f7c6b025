#if DEBUG
  import JOSE
  import StrictJSON
  import Testing

  @testable import AppleSignInKit

  /// Anyone can send a token, so none of its parts is read twice.
  @Suite("How often a token is taken apart")
  struct ParseCountTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Expects one compact serialization, and the JSON texts of its header and its claims.
    private func expectOnce(
      sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async rethrows {
      let count = ParseCount()
      try await ParseCount.$current.withValue(count) { try await body() }
      let found = [count[.compact], count[.json]]
      #expect(found == [1, 2], sourceLocation: sourceLocation)
    }

    /// A store that has its keys.
    private func store() async throws -> AppleKeyStore {
      let keys = fixture.keys
      let store = AppleKeyStore(service: fixture.service, clock: fixture.clock) { _ in
        HTTPResponseValue(status: 200, body: keys.serialized())
      }
      _ = try await store.keys(containing: "SYNTHKEY01")
      return store
    }

    @Test func `an identity token, with a key set and with a store of keys`() async throws {
      let keyStore = try await store()
      let (verifier, keys) = (fixture.verifier(), fixture.keys)
      let token = try fixture.token(Fixture.claimsF)
      let nonce = try fixture.nonce()
      let origin = AppleIdentityTokenOrigin.authorizationResponse(code: Fixture.code)
      try await expectOnce { _ = try verifier.verify(token, keys: keys, nonce: nonce, origin: origin) }
      try await expectOnce { _ = try await verifier.verify(token, keysOf: keyStore, nonce: nonce, origin: origin) }
    }

    @Test func `a notification`() async throws {
      let clock = WallClock.fixed(at: NumericDate(NotificationTests.now))
      let verifier = AppleNotificationVerifier(
        audiences: ["com.example.app"], service: fixture.service, clock: clock)
      let keyStore = try await store()
      let receiver = AppleNotificationReceiver(verifier: verifier, keyStore: keyStore)
      let token = try fixture.token(NotificationTests.claims)
      let keys = fixture.keys
      try await expectOnce { _ = try verifier.verify(token, keys: keys) }
      let body: JSONObject = ["payload": .string(token)]
      let request = HTTPRequestValue(
        method: "POST", url: "https://www.example.com/apple/events", body: body.serialized())
      await expectOnce {
        let response = await receiver.receive(request, linkedAt: { _ in nil }) { _ in }
        #expect(response.status == 200)
      }
    }
  }
#endif
