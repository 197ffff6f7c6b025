import IdentityTesting
import JOSE
import NativeSSOKit
import Synchronization
import Testing
import OpenIDKit

/// What the article "A whole app" promises.
@Suite(.timeLimit(.minutes(60))) struct WholeAppTests {
  @Test func `an app starts, logs in, calls, starts again, and logs out`() async throws {
    let world = try await World()
    let app = try world.app()
    #expect(await app.start() == false)
    let subject = try await app.logIn { url in try await world.server.authorize(url: url, sessionID: "s") }
    #expect(subject == "jane")
    #expect(try await app.orders().status == 200)
    var states = await app.states().makeAsyncIterator()
    #expect(await states.next() == .fresh)

    // A token that lapses, and a process that ends.
    world.advance(3500)
    #expect(try await app.orders().status == 200)
    #expect(try await world.app().start())

    try await app.logOut(everywhere: false)
    #expect(await states.next() != .fresh)
    #expect(try await world.app().start() == false)
    // The pair is still there, so that nobody has to type anything.
    _ = try await app.logIn { _ in throw RequestNotSent() }
    #expect(try await app.orders().status == 200)
    try await app.logOut(everywhere: true)
    await #expect(throws: RequestNotSent.self) { try await app.logIn { _ in throw RequestNotSent() } }
  }

  /// A provider, and what a device keeps.
  private struct World {
    private final class Kept: Sendable {
      let now = Mutex(1_760_000_000.0)
      let hasSignedOut = Mutex(false)
    }

    let server: MemoryProvider
    private let kept = Kept()
    private let pairs = MemorySecretStore()
    private let store = MemorySecretStore()

    private var clock: WallClock {
      WallClock { [kept] in NumericDate(secondsSince1970: kept.now.withLock { $0 }) ?? NumericDate(0) }
    }

    func advance(_ seconds: Double) { kept.now.withLock { $0 += seconds } }

    init() async throws {
      let client = RegisteredClient(
        id: "mail", nativeSSOEnabled: true, group: "vendor", redirectURIs: ["com.example.mail:/cb"],
        allowedScopes: ["openid", "profile"])
      let kept = kept
      server = try MemoryProvider(
        issuer: "https://op.example.com", clients: [client],
        clock: WallClock { NumericDate(secondsSince1970: kept.now.withLock { $0 }) ?? NumericDate(0) })
      let sessions = server.sessions
      try await sessions.addUser("jane")
      try await sessions.grant(["openid", "profile"], userID: "jane", clientID: "mail")
      try await sessions.add(
        AuthenticationSession(id: "s", userID: "jane", authenticatedAt: NumericDate(1_760_000_000)))
    }

    func app() throws -> WholeApp {
      let (server, kept, clock) = (server, kept, clock)
      let keys = server.provider.keys.verification
      let document: JSONObject = [
        "issuer": "https://op.example.com", "authorization_endpoint": "https://op.example.com/authorize",
        "jwks_uri": "https://op.example.com/jwks", "token_endpoint": "https://op.example.com/token",
        "revocation_endpoint": "https://op.example.com/revoke",
        "native_sso_supported": true,
      ]
      return try WholeApp(
        discoveryDocument: document.serialized(), fetchKeys: { _ in keys }, pairs: pairs, tokens: store,
        signOut: SignOutMemory(
          load: { kept.hasSignedOut.withLock { $0 } }, save: { new in kept.hasSignedOut.withLock { $0 = new } }),
        clock: TokenClock(
          wall: clock, elapsed: { Duration(saturating: kept.now.withLock { $0 }) },
          sleep: { _ in try await Task.sleep(for: .seconds(86_400)) })
      ) { request in
        if request.method == "POST" { return await server.respond(to: request) }
        let sent = request.headers.values("Authorization").first?.dropFirst("Bearer ".count).description ?? ""
        return HTTPResponseValue(status: try await server.provider.access(sent) == nil ? 401 : 200)
      }
    }
  }
}
