import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto

/// A whole provider in memory, whose users have agreed to everything: codes with proof keys, refresh tokens that
/// rotate, pushed requests, the token exchange of Native SSO, and revocation. For development, tests and
/// demonstrations.
///
/// ```swift
/// let memory = try MemoryProvider(issuer: "https://op.example.com", clients: [client])
/// try await memory.sessions.addUser("jane")
/// let redirect = try await memory.authorize(url: url, sessionID: "s")       // once the user has logged in
/// let response = await memory.respond(to: tokenRequest)
/// ```
public struct MemoryProvider: Sendable {
  /// The provider, with Native SSO.
  public var provider: OpenIDProvider
  /// The users and their sessions.
  public let sessions: SessionRecords

  /// A provider.
  ///
  /// - Parameters:
  ///   - issuer: the issuer identifier.
  ///   - clients: who may ask for tokens.
  ///   - keys: of ID tokens and access tokens; nil for a fresh one, for ES256.
  ///   - sessions: the users and their sessions.
  ///   - records: where codes, refresh tokens and device secrets are kept.
  ///   - policy: what is decided about tokens.
  ///   - clock: tells the time.
  /// - Throws: `ErrorCode.settingInvalid`, and what the keys throw.
  public init(
    issuer: String, clients: [RegisteredClient], keys: IssuerKeys? = nil,
    sessions: SessionRecords = SessionRecords(), records: any RecordStore = MemoryRecordStore(),
    policy: ProviderPolicy = ProviderPolicy(), clock: WallClock = .system
  ) throws {
    self.sessions = sessions
    provider = try OpenIDProvider(
      issuer: issuer, keys: keys ?? IssuerKeys(signing: .generate(.es256, keyID: "op-1")),
      clients: StaticClientDirectory(
        clients.map { client in
          var client = client
          client.needsConsent = false
          return client
        }), sessions: sessions, refreshTokens: RefreshTokenFormat(key: SystemRandom.bytes(count: 32)),
      records: records, policy: policy, clock: clock)
    provider.native = NativeSSO(settings: SettingsResolver(try NativeSSOSettings(enabled: true)))
  }

  /// Answers an authorization request of a session whose user has logged in for it, and agreed.
  ///
  /// - Returns: where to send the browser: to the client, with a code or with an error.
  /// - Throws: `OAuthAuthorizationRequest.Refusal` if that must not be answered at a client; `ErrorCode.urlInvalid` for
  ///   what is no URL.
  public func authorize(url: String, sessionID: String) async throws -> String {
    _ = try URIComponents(parsing: url)
    var login: BrowserLogin?
    if let session = try await sessions.session(id: sessionID), session.isActive,
      try await sessions.isActive(userID: session.userID)
    {
      login = BrowserLogin(session)
    }
    let visit = "memory"
    var step = try await provider.authorize(
      HTTPRequestValue(method: "GET", url: url), visit: visit, login: login, from: visit)
    for page in [AnsweredPage.login, .consent(sessionID: sessionID)] {
      guard case .ask(let pending) = step, login != nil else { break }
      step = try await provider.resume(pending.id, visit: visit, login: login, after: page)
    }
    switch step {
    case .answer(let response): return response.headers.values("Location").first ?? ""
    case .refused(let refusal): throw refusal
    case .ask(let pending):
      let refusal =
        login == nil
        ? pending.request.refusal("login_required", "No user is logged in")
        : pending.request.refusal("consent_required", "The user has not agreed to this before")
      return refusal.answerURL(issuer: provider.issuer) ?? ""
    case .goOn: throw OpenIDError(.invalidRequest, "the request must be a GET")
    }
  }

  /// Answers a request to one of the endpoints that programs call; any other with 404.
  ///
  /// - Parameters:
  ///   - request: as it came.
  ///   - sourceAddress: where it comes from, for the rate limit.
  public func respond(to request: HTTPRequestValue, sourceAddress: String = "192.0.2.1") async -> HTTPResponseValue {
    await provider.respond(to: request, from: sourceAddress) ?? HTTPResponseValue(status: 404)
  }
}
