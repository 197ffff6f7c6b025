import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// A whole provider: users log in with a password in the browser, apps get codes for tokens, refresh them, share a
/// login by device secret, and are logged out.
public struct ExampleProvider: Sendable {
  let issuer: String
  let native: NativeSSOProvider
  let service: RefreshTokenService
  let sessions: SessionRecords
  let pushed: PushedAuthorizationEndpoint
  let checkPassword: @Sendable (_ user: String, _ password: String) async -> Bool
  let clock: WallClock
  let endpoint: TokenEndpoint
  let codes: AuthorizationCodeService
  let tokens: AccessTokens
  /// The browsers in which a user is logged in. The cookie is not the session's identifier, which tokens contain.
  let browsers = OneTimeStore<String>()
  /// Sessions that a login form has just begun, for the request that it belongs to.
  let forms = OneTimeStore<String>()
  let cookie = HostCookie("session")

  /// - Parameters:
  ///   - key: signs access tokens and ID tokens.
  ///   - refreshKey: 32 secret octets, the same on every machine.
  ///   - sessions, records: the stores in the database.
  public init(
    issuer: String, key: SigningKey, refreshKey: [UInt8], clients: [RegisteredClient], sessions: SessionRecords,
    records: any RecordStore, clock: WallClock = .system,
    checkPassword: @escaping @Sendable (_ user: String, _ password: String) async -> Bool
  ) throws {
    self.issuer = issuer
    self.sessions = sessions
    self.clock = clock
    self.checkPassword = checkPassword
    // A refresh is valid only while session and user exist.
    service = try RefreshTokenService(
      format: RefreshTokenFormat(key: refreshKey), sessions: sessions, records: records, clock: clock)
    // Resource servers don't introspect access tokens here, so a token stays valid for its hour.
    codes = try AuthorizationCodeService(
      refreshTokens: service, revokedTokens: nil, clock: clock)
    let tokens = AccessTokens(issuer: issuer, key: key, clock: clock)
    self.tokens = tokens
    let native = NativeSSOProvider(
      issuer: issuer, keys: try IssuerKeys(signing: key), clients: StaticClientDirectory(clients), sessions: sessions,
      tokens: service.tokenIssuer { grant, _ in
        try tokens.token(for: grant, scope: grant.scope, resources: grant.resources)
      },
      settings: SettingsResolver(try NativeSSOSettings(enabled: true)), records: records, clock: clock)
    self.native = native
    pushed = try PushedAuthorizationEndpoint(clock: clock, authenticate: native.clients.authenticate) { form, _ in
      _ = try await Self.asked(form, of: native.clients, isPushed: true)
    }
    endpoint = TokenEndpoint(
      grants: [
        // A code is valid once. If it is used again, the tokens it gave end.
        .authorizationCode(codes) { code, request in
          let presented = request.form.values("device_secret").first
          return try await native.tokens(for: AcceptedGrant(code, presentedDeviceSecret: presented)).issued
        },
        .refreshToken(service) { grant, request in
          let token = try tokens.token(for: grant.grant, scope: grant.scope, resources: grant.resources)
          return try await native.refreshTokens(of: grant, request.form, accessToken: token)
        },
        .tokenExchange { _ in native },
      ], authenticate: native.clients.authenticate)
  }

  /// The endpoints for clients, and the pages for browsers.
  public func addRoutes<Context: RequestContext>(
    to router: Router<Context>, source: @escaping @Sendable (Request, Context) -> String
  ) async throws {
    var metadata = try await native.discoveryMembers()
    metadata["authorization_endpoint"] = .string(issuer + "/authorize")
    metadata["end_session_endpoint"] = .string(issuer + "/logout")
    metadata["authorization_response_iss_parameter_supported"] = true
    ProviderRoutes(
      issuer: issuer, keys: native.keys.verification, metadata: metadata,
      revocation: native.revocationEndpoint(), pushedAuthorization: pushed,
      token: { await endpoint.respond(to: $0, sourceAddress: $1) }
    ).add(to: router, source: source)
    router.get("/authorize") { request, _ in try await authorize(request) }
    router.post("/login") { request, _ in try await logIn(request) }
    router.get("/logout") { request, _ in try await logOut(request) }
  }
}
