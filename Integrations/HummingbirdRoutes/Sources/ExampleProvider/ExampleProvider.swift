import Hummingbird
import JOSE
import JOSEHTTP
import JOSEHummingbird
import NativeSSO
import TokenRefresh

/// A whole provider: users log in with a password in the browser, apps get codes for tokens, refresh them, share a login by
/// device secret, and are logged out.
public struct ExampleProvider: Sendable {
  let issuer: String
  let native: NativeSSOProvider
  let service: RefreshTokenService
  let sessions: any SessionStore
  let pushed: PushedAuthorizationEndpoint
  let checkPassword: @Sendable (_ user: String, _ password: String) async -> Bool
  let clock: WallClock
  let refresh: OAuthRefreshEndpoint
  let codes = OneTimeStore<AuthorizationCode>()
  /// The browsers in which somebody is logged in. The cookie is not the session's name, which stands in tokens.
  let browsers = OneTimeStore<String>()
  let cookie = HostCookie("session")

  /// - Parameters:
  ///   - key: signs access tokens and ID tokens.
  ///   - refreshKey: 32 secret octets, the same on every machine.
  ///   - sessions, families, deviceSecrets: the database.
  public init(
    issuer: String, key: SigningKey, refreshKey: [UInt8], clients: [RegisteredClient], sessions: any SessionStore,
    families: any RefreshTokenFamilyStore, deviceSecrets: any DeviceSecretStore, clock: WallClock = .system,
    checkPassword: @escaping @Sendable (_ user: String, _ password: String) async -> Bool
  ) throws {
    self.issuer = issuer
    self.sessions = sessions
    self.clock = clock
    self.checkPassword = checkPassword
    // A refresh counts only while session and user are there.
    service = try RefreshTokenService(
      format: RefreshTokenFormat(key: refreshKey), store: families, clock: clock,
      whyGrantEnded: { grant in
        guard try await sessions.isActive(userID: grant.subject) else { return .userDisabled }
        guard let id = grant.sessionID, try await sessions.session(id: id)?.isActive == true else {
          return .sessionEnded
        }
        return nil
      })
    let tokens = AccessTokens(issuer: issuer, key: key, clock: clock)
    let native = NativeSSOProvider(
      issuer: issuer, keys: try ProviderKeys(signing: key), clients: StaticClientDirectory(clients), sessions: sessions,
      tokens: RefreshTokenIssuer(service: service) { grant, _ in try tokens.token(for: grant, scope: grant.scope) },
      settings: SettingsResolver(try NativeSSOSettings(enabled: true)), store: deviceSecrets, clock: clock)
    self.native = native
    pushed = try PushedAuthorizationEndpoint(clock: clock, authenticate: native.client) { form, client in
      guard AuthorizationRequest(form, client: clients.first { $0.id == client.id }) != nil else {
        throw TokenRefreshError(.invalidRequest, "the authorization endpoint would refuse it")
      }
    }
    refresh = OAuthRefreshEndpoint(service: service, authenticate: native.client) { grant, form in
      let token = try tokens.token(for: grant.grant, scope: grant.scope)
      return try await native.refreshTokens(of: grant, form, accessToken: token)
    }
  }

  /// What clients call, and what browsers show.
  public func addRoutes<Context: RequestContext>(
    to router: Router<Context>, source: @escaping @Sendable (Request, Context) -> String
  ) async throws {
    var metadata = try await native.discoveryMembers()
    metadata["authorization_endpoint"] = .string(issuer + "/authorize")
    metadata["end_session_endpoint"] = .string(issuer + "/logout")
    metadata["authorization_response_iss_parameter_supported"] = true
    ProviderRoutes(
      issuer: issuer, keys: native.keys.verification, metadata: metadata,
      revocation: OAuthRevocationEndpoint(service: service, authenticate: native.client), pushedAuthorization: pushed,
      token: token
    ).add(to: router, source: source)
    router.get("/authorize") { request, _ in try await authorize(request) }
    router.post("/login") { request, _ in try await logIn(request) }
    router.get("/logout") { request, _ in try await logOut(request) }
  }

  /// The token endpoint: each grant has its own place.
  @Sendable func token(_ request: HTTPRequestValue, source: String) async -> HTTPResponseValue {
    let form = try? request.form(duplicates: .kept)
    switch form?.values("grant_type").first {
    case "refresh_token": return await refresh.respond(to: request)
    case "authorization_code":
      do throws(OAuthErrorResponse) {
        return try await native.tokens(for: try await redeem(request)).response
      } catch {
        return error.httpResponse(to: request)
      }
    default: return await native.tokenExchange(request, sourceAddress: source)
    }
  }

  /// A code serves once, whatever comes of it.
  private func redeem(_ request: HTTPRequestValue) async throws(OAuthErrorResponse) -> AcceptedGrant {
    guard let form = try? request.form(), let name = form.values("code").first else {
      throw OAuthErrorResponse(.invalidRequest, "The request has no code")
    }
    guard let client = try await native.client(request, form) else {
      throw OAuthErrorResponse(.invalidClient, "The client is not who it says", status: 401)
    }
    guard let code = await codes.take(name), code.request.clientID == client.id, clock.now < code.expiration,
      form.values("redirect_uri").first == code.request.redirectURI,
      PKCE.isValid(verifier: form.values("code_verifier").first ?? "", forChallenge: code.request.challenge)
    else { throw OAuthErrorResponse(.invalidGrant, "The code is not valid") }
    return AcceptedGrant(
      .authorizationCode, clientID: client.id, sessionID: code.sessionID, scopes: code.request.scopes,
      nonce: code.request.nonce, presentedDeviceSecret: form.values("device_secret").first)
  }
}
