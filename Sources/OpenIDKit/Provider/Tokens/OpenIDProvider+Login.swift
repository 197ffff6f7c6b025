import JOSE
import PureCrypto
import StrictJSON

/// How a login becomes tokens.
extension OpenIDProvider {
  /// Answers a login: with tokens, an ID token if `openid` was granted, and what modules above this one add to them.
  ///
  /// A refresh's ID token says when and how the user logged in when the family began, also where the session has seen
  /// another login since.
  /// - Throws: `invalid_grant` if the session is over or of no kind that the client needs, `unauthorized_client` for an
  ///   unknown client, `server_error`; 503 if a store or a key can't be asked.
  public func tokens(for grant: AcceptedGrant) async throws(OAuthErrorResponse) -> TokenAnswer {
    try await tokens(for: grant, made: nil)
  }

  /// - Parameter made: the tokens, if they were made before.
  package func tokens(
    for grant: AcceptedGrant, made: TokenAnswer?
  ) async throws(OAuthErrorResponse) -> TokenAnswer {
    do throws(OAuthErrorResponse) {
      let login = try await accepted(grant)
      let added = try await addition?.addition(to: login, of: self)
      do throws(OAuthErrorResponse) {
        return try await answer(login, added, made)
      } catch {
        await added?.withdraw()
        throw error
      }
    } catch {
      // The redemption may go on with an error response for its answer: it must not keep a device secret or a family of
      // which no client hears.
      grant.code?.withdrawAll()
      throw error
    }
  }

  /// The client, session and user of a login, if they are good.
  private func accepted(_ grant: AcceptedGrant) async throws(OAuthErrorResponse) -> AcceptedLogin {
    let now = clock.now
    do throws(JOSEError) { try IDTokenDraft.requireNoneOfOwn(grant.additionalClaims) } catch { throw .serverFault }
    guard let client = try await OAuthErrorResponse.askingStore({ try await clients.client(id: grant.clientID) }) else {
      throw OAuthErrorResponse(.unauthorizedClient, "The client is not registered")
    }
    guard let session = try await OAuthErrorResponse.askingStore({ try await sessions.session(id: grant.sessionID) }),
      session.isActive,
      try await OAuthErrorResponse.askingStore({ try await sessions.isActive(userID: session.userID) })
    else { throw Self.sessionOver }
    // The client may have the rule since its code or its refresh token was issued.
    // Since a refresh token was issued, its user may have logged in in a weaker way for another client.
    let context = grant.kind == .refreshToken ? grant.authenticationContext : session.authenticationContext
    guard client.accepts(context) else {
      throw OAuthErrorResponse(.invalidGrant, "The user must log in in another way")
    }
    return AcceptedLogin(grant: grant, client: client, session: session, now: now)
  }

  private func answer(
    _ login: AcceptedLogin, _ added: TokenAddition?, _ made: TokenAnswer?
  ) async throws(OAuthErrorResponse) -> TokenAnswer {
    let (grant, session) = (login.grant, login.session)
    let claims = grant.renewed.map { LoginClaims(renewing: $0, in: session) } ?? LoginClaims(of: session)
    var tokens: TokenAnswer
    if let made {
      tokens = made
    } else {
      var wanted = TokenGrant(
        RefreshGrant(
          subject: session.userID, clientID: login.client.id, sessionID: session.id, scope: grant.scopes,
          resources: grant.resources, confirmation: login.client.isPublic ? grant.confirmation : nil,
          deviceSecretID: added?.deviceSecretID, authenticationTime: claims.time,
          grantID: grant.code?.grant.id, authenticationContext: claims.context),
        includesRefreshToken: login.client.refreshTokens ?? mayRefresh(grant.scopes), issuedAt: login.now,
        accessTokenResources: grant.accessTokenResources, code: grant.code)
      (wanted.confirmation, wanted.userInfo) = (grant.confirmation, grant.userInfo)
      tokens = try await issue(wanted)
    }
    guard try await isLasting(session) else { throw Self.sessionOver }
    tokens.scope = grant.scopes.joined(separator: " ")
    // What is added goes with an ID token that binds it, or not at all; without it a refresh needs none.
    let isDue = grant.kind == .authorizationCode && grant.scopes.wireNames.contains("openid")
    guard isDue || added != nil else { return tokens }
    tokens.idToken = try await idToken(
      client: login.client, session: session, login: claims, accessToken: tokens.accessToken, nonce: grant.nonce,
      additionalClaims: grant.additionalClaims, now: login.now
    ) { draft, algorithm throws(OAuthErrorResponse) in try added?.bind(&draft, algorithm) }
    for (name, value) in added?.members.members ?? [] { tokens.additionalMembers[name] = value }
    return tokens
  }

  /// Whether a login of these scopes gets a refresh token.
  package func mayRefresh(_ scopes: [String]) -> Bool {
    guard let needed = policy.refreshTokenScopes else { return true }
    return scopes.wireNames.contains { needed.contains($0) }
  }

  /// Makes tokens. A session that has ended meanwhile gets none.
  package func issue(_ grant: TokenGrant) async throws(OAuthErrorResponse) -> TokenAnswer {
    do {
      return try await tokens.issue(grant)
    } catch let error as OpenIDError where error.code == .invalidGrant {
      throw Self.sessionOver
    } catch let error as OAuthErrorResponse where error.code == .temporarilyUnavailable {
      throw error
    } catch let error as OpenIDError where error.code == .storeUnavailable {
      throw OAuthErrorResponse(error)
    } catch {
      throw .serverFault
    }
  }

  static var sessionOver: OAuthErrorResponse { OAuthErrorResponse(.invalidGrant, "The session is over") }

  // MARK: Sessions that end meanwhile

  /// Whether session and user are still there, now that tokens have been issued. The end of one of them meanwhile
  /// has revoked what there was; what came later is revoked here.
  package func isLasting(_ session: AuthenticationSession) async throws(OAuthErrorResponse) -> Bool {
    let reason = try await OAuthErrorResponse.askingStore {
      try await sessions.whyEnded(userID: session.userID, sessionID: session.id)
    }
    guard let reason else { return true }
    try await OAuthErrorResponse.askingStore { try await endTokens(ofSession: session.id, reason) }
    return false
  }

  /// Ends the tokens of a session, and what gives tokens for it. Call it once the session has ended in your
  /// ``SessionDirectory``.
  ///
  /// One failure keeps nothing else from ending; call it again then.
  /// - Throws: what the records throw.
  public func endSession(_ id: String, reason: LogoutReason = .sessionEnded) async throws {
    try await endTokens(ofSession: id, reason)
    try await SessionClients(records: records, clock: clock).forget(id)
  }

  private func endTokens(ofSession id: String, _ reason: LogoutReason) async throws {
    // First nothing gives tokens any more, then those go that were given.
    let more = try await addition?.endSession(id, reason, of: self) ?? []
    try await Self.all([{ try await tokens.revokeTokens(sessionID: id) }] + more)
  }

  /// Does all, and throws the first failure.
  package static func all(_ endings: [@Sendable () async throws -> Void]) async throws {
    var failure: (any Error)?
    for end in endings {
      do {
        try await end()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  // MARK: Tokens

  /// An ID token for a client.
  ///
  /// - Parameter bind: writes what else it says, by the algorithm that signs it.
  package func idToken(
    client: RegisteredClient, session: AuthenticationSession, login: LoginClaims, accessToken: String, nonce: String?,
    additionalClaims: JSONObject = [:], now: NumericDate,
    bind: (inout IDTokenDraft, SignatureAlgorithm) throws(OAuthErrorResponse) -> Void
  ) async throws(OAuthErrorResponse) -> String {
    let subject = try await subject(of: session.userID, at: client.id)
    guard let key = keys.signing(by: client.idTokenAlgorithm) else { throw .unavailable }
    var draft = IDTokenDraft(
      issuer: issuer, clientID: client.id, subject: subject, issuedAt: now, lifetime: policy.idTokenLifetime)
    (draft.authenticationTime, draft.authenticationContext) = (login.time, login.context)
    (draft.authenticationMethods, draft.sessionID) = (login.methods, session.id)
    (draft.nonce, draft.accessToken) = (nonce, accessToken)
    try bind(&draft, key.algorithm)
    return try await OAuthErrorResponse.askingStore { [draft] in
      var draft = draft
      try draft.add(additionalClaims)
      return try draft.signed(with: key)
    }
  }

  /// An access token for what was granted, that ends with a family if there is one.
  func accessToken(for grant: TokenGrant, _ family: RefreshTokenFamily.ID?) async throws -> String {
    let client = try await OAuthErrorResponse.askingStore { try await clients.client(id: grant.granted.clientID) }
    let consent = try await OAuthErrorResponse.askingStore { try await self.consent(for: grant.granted, client) }
    return try await accessToken(
      for: grant.granted, scope: grant.granted.scope, resources: grant.accessTokenResources, consent: consent,
      family: family.map { ($0, 1) }, userInfo: grant.userInfo, confirmation: grant.confirmation)
  }

  func accessToken(
    for grant: RefreshGrant, scope: [String], resources: [String], consent: Consent?,
    family: (id: RefreshTokenFamily.ID, generation: UInt64)?, userInfo: [String], confirmation: String?
  ) async throws(OAuthErrorResponse) -> String {
    var draft = AccessTokenDraft(
      grant: grant, subject: try await subject(of: grant.subject, at: grant.clientID),
      audience: resources.isEmpty ? [issuer] : resources, scope: scope,
      lifetime: policy.rotation.lifetime(asked: grant.accessTokenLifetime))
    (draft.consent, draft.userInfo, draft.confirmation) = (consent?.name?.text, userInfo, confirmation)
    draft.family = family?.id
    if policy.rotation.revokesPreviousAccessToken { draft.generation = family?.generation }
    return try await signed(draft)
  }

  /// Signs access tokens, and what is said of tokens.
  var accessTokenKey: SigningKey { keys.signing(by: .es256) ?? keys.signing }

  /// An access token as its draft says.
  func signed(_ draft: AccessTokenDraft) async throws(OAuthErrorResponse) -> String {
    let key = accessTokenKey
    return try await OAuthErrorResponse.askingStore {
      try await draft.signed(by: issuer, with: key, clock: clock, statuses: statuses)
    }
  }

  // MARK: Consent

  /// The consent that a grant needs; nil if it needs none: what came without a code doesn't, and neither do a
  /// provider's own apps.
  func consent(for grant: RefreshGrant, _ client: RegisteredClient?) async throws -> Consent? {
    guard grant.grantID != nil, client?.needsConsent ?? true else { return nil }
    return try await sessions.consent(of: grant.subject, at: grant.clientID)
  }

  /// Whether a grant still gives its client tokens: its consent must cover it, and the client may have come to need a
  /// stronger login.
  func isHonoured(_ grant: RefreshGrant, under consent: Consent?, by client: RegisteredClient?) -> Bool {
    guard let client, client.accepts(grant.authenticationContext) else { return false }
    return consent?.covers(grant.scope) ?? true
  }
}
