import JOSE
import PureCrypto

extension TokenManager {
  /// Keeps a token that a client has for itself, without a user, and asks for the next one before it expires: once for
  /// all callers that wait.
  ///
  /// ```swift
  /// let tokens = try await TokenManager.machine(
  ///   tokenEndpoint: "https://login.example.com/token", clientID: "nightly",
  ///   authentication: .privateKeyJWT(key, clientID: "nightly", audience: "https://login.example.com"),
  ///   scope: "orders.read", resource: "https://api.example.com", transport: send)
  /// let api = RequestAuthorizer(manager: tokens, transport: send)
  /// ```
  ///
  /// - Parameters:
  ///   - tokenEndpoint: the absolute address, by `https`.
  ///   - clientID: as the server knows the client.
  ///   - authentication: how the client proves that, which it must.
  ///   - scope: what is asked for; nil for whatever the client may have.
  ///   - resource: what the tokens are for (RFC 8707), if the server is told.
  ///   - proofKey: the key that the tokens are bound to (DPoP), if they are. The ``RequestAuthorizer`` gets the same.
  ///   - settings: thresholds, pauses and time limits.
  ///   - plainHTTP: whether the endpoint may be on this machine, without TLS.
  ///   - clock: tells what has expired.
  ///   - transport: the caller's HTTP client, which must not follow redirects.
  /// - Throws: `ErrorCode.configuration` with the server's error code as its name, `ErrorCode.temporarilyUnavailable`,
  ///   `ErrorCode.answerMalformed`, `ErrorCode.settingInvalid`.
  ///
  /// Source: RFC 6749 §4.4.
  public static func machine(
    tokenEndpoint: String, clientID: String, authentication: ClientAuthentication, scope: String? = nil,
    resource: String? = nil, proofKey: SigningKey? = nil, settings: TokenSettings = TokenSettings(),
    plainHTTP: PlainHTTP = .refused, clock: TokenClock = .system, transport: @escaping HTTPTransport
  ) async throws(OpenIDError) -> TokenManager {
    let client = TokenClient(
      clientID: clientID, authentication: authentication, proofKey: proofKey, plainHTTP: plainHTTP, clock: clock.wall,
      transport: transport)
    let refresher = ClientCredentialsRefresher(
      client: client, tokenEndpoint: tokenEndpoint, scope: scope, resource: resource)
    let manager = try TokenManager(store: MemorySecretStore(), refresher: refresher, settings: settings, clock: clock)
    switch await refresher.ask(asksAgain: true) {
    case .tokens(let tokens): try await manager.logIn(tokens, scope: scope)
    case .failed(let failure) where failure.kind == .invalidGrant:
      throw OpenIDError(.configuration, "the server refused the client", name: "invalid_grant")
    case .failed(let failure): throw OpenIDError(redeeming: failure)
    }
    return manager
  }
}

/// Asks for the next token with what proves the client: there is no refresh token, and none is kept.
private struct ClientCredentialsRefresher: TokenRefresher {
  let client: TokenClient
  let tokenEndpoint: String
  let scope: String?
  let resource: String?

  func ask(asksAgain: Bool, nonce: String? = nil) async -> RefreshOutcome {
    var form: FormFields = ["grant_type": GrantType.clientCredentials]
    if let scope { form.append("scope", scope) }
    if let resource { form.append("resource", resource) }
    let outcome = await client.tokens(for: form, at: tokenEndpoint, asksAgain: asksAgain, nonce: nonce).outcome
    guard case .tokens(var tokens) = outcome else { return outcome }
    // Stands for the client's own credentials, by which the next one is asked for.
    (tokens.refreshToken, tokens.idToken) = ("client_credentials", nil)
    return .tokens(tokens)
  }

  func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
    await ask(asksAgain: false, nonce: attempt.dpopNonce)
  }

  func revoke(refreshToken: String) async {}
}
