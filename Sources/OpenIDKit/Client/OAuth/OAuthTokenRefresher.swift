import JOSE
import PureCrypto
import StrictJSON

/// Sends the refresh request of OAuth 2.0: a form to the token endpoint.
///
/// Source: RFC 6749 §6.
public struct OAuthTokenRefresher: TokenRefresher {
  private let tokenEndpoint: String
  private let revocationEndpoint: String?
  private let resource: String?
  private let client: TokenClient

  /// A refresher.
  ///
  /// - Parameters:
  ///   - tokenEndpoint: the absolute address, by `https`: it gets the refresh token. With another, each refresh fails
  ///     as ``RefreshFailure/Kind/misconfigured(_:)`` with the name `token_endpoint`, and nothing is sent.
  ///   - clientID: as the server knows the client.
  ///   - authentication: how the client proves that. An installed app can keep no secret:
  ///     ``ClientAuthentication/none``.
  ///   - revocationEndpoint: where tokens are revoked at logout (RFC 7009), if anywhere, by `https`.
  ///   - resource: what the tokens are for, said in each request (RFC 8707); nil to leave that to the server.
  ///   - proofKey: the key that the tokens are bound to (DPoP, RFC 9449), if they are. Each request then has a proof by
  ///     it, with the server's latest nonce.
  ///   - plainHTTP: whether the endpoints may be on this machine, without TLS.
  ///   - clock: dates the proofs, and tells how long it is until a `Retry-After` that is a date.
  ///   - transport: the caller's HTTP client; see `HTTPTransport` on what it must not do and on what to throw.
  public init(
    tokenEndpoint: String, clientID: String, authentication: ClientAuthentication = .none,
    revocationEndpoint: String? = nil, resource: String? = nil, proofKey: SigningKey? = nil,
    plainHTTP: PlainHTTP = .refused, clock: WallClock = .system, transport: @escaping HTTPTransport
  ) {
    (self.tokenEndpoint, self.revocationEndpoint, self.resource) = (tokenEndpoint, revocationEndpoint, resource)
    client = TokenClient(
      clientID: clientID, authentication: authentication, proofKey: proofKey, plainHTTP: plainHTTP, clock: clock,
      transport: transport)
  }

  /// Sends one refresh request and reads the answer. Tokens that are not bound to the key where there is one, or to
  /// another where there is none, are not usable.
  public func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome { await refresh(attempt, with: [:]).outcome }

  /// The same with further fields, and with the object of a successful answer, which may have members of another
  /// protocol.
  package func refresh(
    _ attempt: RefreshAttempt, with additional: FormFields
  ) async -> (outcome: RefreshOutcome, object: JSONObject?) {
    var fields = [("grant_type", GrantType.refreshToken), ("refresh_token", attempt.refreshToken)]
    if let scope = attempt.scope { fields.append(("scope", scope)) }
    // The manager decides whether to ask again with a nonce: each attempt is noted before it is sent.
    return await client.tokens(
      for: form(fields, additional), at: tokenEndpoint, asksAgain: false, nonce: attempt.dpopNonce)
  }

  /// Redeems an authorization code.
  ///
  /// Source: RFC 6749 §4.1.3, RFC 7636 §4.5.
  func redeem(
    code: String, redirectURI: String, verifier: String, with additional: FormFields = [:]
  ) async -> (outcome: RefreshOutcome, object: JSONObject?) {
    let fields = [
      ("grant_type", GrantType.authorizationCode), ("code", code), ("redirect_uri", redirectURI),
      ("code_verifier", verifier),
    ]
    return await client.tokens(for: form(fields, additional), at: tokenEndpoint)
  }

  private func form(_ fields: [(String, String)], _ additional: FormFields) -> FormFields {
    FormFields(fields + (resource.map { [("resource", $0)] } ?? []) + additional.fields.map { ($0.name, $0.value) })
  }

  /// What the token endpoint answers to a form, unread. A server that wants a nonce in the proof is asked once more.
  ///
  /// - Throws: `RequestNotSent` if nothing was sent, or what the transport throws.
  package func answer(to form: FormFields) async throws -> HTTPResponseValue {
    try await client.answer(to: form, at: tokenEndpoint)
  }

  /// Sends a revocation request, if there is an address for it.
  public func revoke(refreshToken: String) async {
    _ = await revoke(RevocationRequest(token: refreshToken, hint: .refreshToken))
  }

  /// Revokes a token, and tells whether the server has said that it did. A server that does not know the hint may
  /// ignore it or refuse.
  package func revoke(_ request: RevocationRequest) async -> Bool {
    guard let revocationEndpoint else { return false }
    return (try? await client.body(of: FormFields(request.fields), from: revocationEndpoint)) != nil
  }
}

extension OAuthTokenRefresher: Redacted {}
