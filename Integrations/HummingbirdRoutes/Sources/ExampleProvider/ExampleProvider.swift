import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// A whole provider: users log in with a password in the browser and agree to what apps may have, apps get codes for
/// tokens, refresh them, share a login by device secret, and are logged out.
public struct ExampleProvider: Sendable {
  let provider: OpenIDProvider
  let sessions: SessionRecords
  let checkPassword: @Sendable (_ user: String, _ password: String) async -> Bool
  /// The browsers in which a user is logged in. The cookie is not the session's identifier, which tokens contain.
  let browsers = RandomNames<String>()
  let cookie = HostCookie("session")
  /// A browser's name, before any login: what waits for its user is bound to it.
  let visit = HostCookie("visit")

  /// - Parameters:
  ///   - key: signs access tokens and ID tokens.
  ///   - refreshKey: 32 secret octets, the same on every machine.
  ///   - sessions, records: the stores in the database.
  public init(
    issuer: String, key: SigningKey, refreshKey: [UInt8], clients: [RegisteredClient], sessions: SessionRecords,
    records: any RecordStore, clock: WallClock = .system,
    checkPassword: @escaping @Sendable (_ user: String, _ password: String) async -> Bool
  ) throws {
    var provider = try OpenIDProvider(
      issuer: issuer, keys: IssuerKeys(signing: key), clients: StaticClientDirectory(clients), sessions: sessions,
      refreshTokens: RefreshTokenFormat(key: refreshKey), records: records, clock: clock)
    provider.native = NativeSSO(settings: SettingsResolver(try NativeSSOSettings(enabled: true)))
    (self.provider, self.sessions, self.checkPassword) = (provider, sessions, checkPassword)
  }

  /// The endpoints for programs, and the pages for browsers.
  public func addRoutes<Context: RequestContext>(
    to router: Router<Context>, source: @escaping @Sendable (Request, Context) -> String
  ) {
    ProviderRoutes(provider).add(to: router, source: source)
    for method in [HTTPRequest.Method.get, .post] {
      router.on("/authorize", method: method) { request, context in
        try await authorize(request, from: source(request, context))
      }
    }
    router.get("/continue") { request, _ in
      try await resume(request, request.uri.queryParameters["request"].map(String.init) ?? "", after: .none)
    }
    router.post("/login") { request, _ in try await logIn(request) }
    router.post("/consent") { request, _ in try await decide(request) }
    router.get("/logout") { request, _ in try await logOut(request) }
  }
}
