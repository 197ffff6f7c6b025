import JOSE
import PureCrypto
import StrictJSON
import OpenIDKit

/// A login or a refresh that the provider's own endpoint has accepted, and that is now to be answered.
public struct AcceptedGrant: Sendable {
  /// Which grant it is.
  public enum Kind: Sendable, Hashable {
    /// An authorization code; its proof key has been checked.
    case authorizationCode
    /// A refresh token, which the endpoint has found valid.
    case refreshToken
  }

  /// Which grant it is.
  package let kind: Kind
  /// The client, authenticated.
  package let clientID: String
  /// The session of the login, which ID tokens name as `sid`.
  package let sessionID: String
  /// The scopes granted.
  package let scopes: [String]
  /// The resources that were granted (RFC 8707).
  public var resources: [String] = []
  /// The resources of this access token; nil for all of them.
  package var accessTokenResources: [String]?
  /// The authorization code, so that its tokens begin with its use and end if it comes again.
  package let code: RedeemedAuthorizationCode?
  /// The authorization request's nonce.
  package var nonce: String?
  /// `device_secret` of the token request, as it came.
  package var presentedDeviceSecret: String?
  /// The record of the device secret that the refresh token came with.
  var formerDeviceSecretID: String?
  /// `acr` of the login that the refresh token came of.
  package var authenticationContext: String?
  /// What is refreshed, which knows the rest of that login.
  var renewed: RefreshedGrant?
  /// The device's name, for administrators.
  public var deviceName: String?
  /// The device's platform, such as `ios` or `android`, for administrators.
  public var devicePlatform: String?
  /// Further claims of the ID token, such as those that a request's `claims` asked for.
  ///
  /// What an ID token says of itself and of the login is the provider's alone, also where the provider says nothing:
  /// with `iss`, `sub`, `aud`, `exp`, `nbf`, `iat`, `jti`, `auth_time`, `nonce`, `acr`, `amr`, `azp`, `sid`, `at_hash`,
  /// `c_hash`, `s_hash`, `ds_hash`, `cnf`, `events`, `act`, `may_act` or `sub_jwk` among these the grant is answered
  /// with `server_error`, and nothing is stored.
  public var additionalClaims: JSONObject = [:]

  /// The grant of a login that the provider's own code has judged, without an authorization code of this package.
  public init(
    _ kind: Kind, clientID: String, sessionID: String, scopes: [String], nonce: String? = nil,
    presentedDeviceSecret: String? = nil
  ) {
    (self.kind, self.clientID, self.sessionID) = (kind, clientID, sessionID)
    (self.scopes, self.nonce) = (scopes, nonce)
    self.presentedDeviceSecret = presentedDeviceSecret
    code = nil
  }

  /// An authorization code that is being redeemed. Without a session, its grant is refused.
  public init(_ code: RedeemedAuthorizationCode, presentedDeviceSecret: String? = nil) {
    kind = .authorizationCode
    (clientID, sessionID) = (code.grant.clientID, code.grant.sessionID ?? "")
    (scopes, nonce) = (code.grant.scopes, code.grant.nonce)
    self.presentedDeviceSecret = presentedDeviceSecret
    (resources, accessTokenResources) = (code.grant.resources, code.resources)
    self.code = code
  }
}

extension AcceptedGrant: Redacted {}

extension NativeSSOProvider {
  /// Answers a code or refresh grant: with tokens, an ID token, and, where it is due, a device secret that the ID token
  /// binds.
  ///
  /// A device secret that does not fit never fails the grant; it is as if it were absent. A renewed ID token says when
  /// and how the user logged in when the family began, also where the session has seen another login since.
  /// - Throws: `invalid_grant` if the session is over or of no kind that the client needs, `unauthorized_client` for an
  ///   unknown client, `server_error`.
  public func tokens(for grant: AcceptedGrant) async throws(OAuthErrorResponse) -> TokenResponse {
    try await tokens(for: grant, made: nil)
  }

  /// - Parameter made: the tokens, if they were made before.
  func tokens(
    for grant: AcceptedGrant, made: RefreshedTokens?
  ) async throws(OAuthErrorResponse) -> TokenResponse {
    do throws(OAuthErrorResponse) {
      return try await answer(grant, made)
    } catch {
      // The redemption may go on with an error response for its answer: it must not keep a device secret or a family of
      // which no client hears.
      grant.code?.withdrawAll()
      throw error
    }
  }

  private func answer(
    _ grant: AcceptedGrant, _ made: RefreshedTokens?
  ) async throws(OAuthErrorResponse) -> TokenResponse {
    let now = clock.now
    do throws(JOSEError) { try IDTokenDraft.requireNoneOfOwn(grant.additionalClaims) } catch { throw .serverFault }
    guard let client = try await OAuthErrorResponse.askingStore({ try await clients.client(id: grant.clientID) }) else {
      throw OAuthErrorResponse(.unauthorizedClient, "The client is not registered")
    }
    guard let session = try await OAuthErrorResponse.askingStore({ try await sessions.session(id: grant.sessionID) }),
      session.isActive,
      try await OAuthErrorResponse.askingStore({ try await sessions.isActive(userID: session.userID) })
    else { throw OAuthErrorResponse(.invalidGrant, "The session is over") }
    // The client may have the rule since its code or its refresh token was issued.
    // Since a refresh token was issued, its user may have logged in in a weaker way for another client.
    let context = grant.kind == .refreshToken ? grant.authenticationContext : session.authenticationContext
    guard client.accepts(context) else {
      throw OAuthErrorResponse(.invalidGrant, "The user must log in in another way")
    }
    let settings = try await OAuthErrorResponse.askingStore { try await self.settings.settings() }

    var held: HeldSecret?
    if isDue(grant, client, settings) { held = try await deviceSecret(grant, client, session, settings, now) }
    do throws(OAuthErrorResponse) {
      return try await answer(grant, made, client, session, held, now)
    } catch {
      // No app hears of it: it must neither serve nor count among the user's.
      if let held, held.isStoredNow { _ = try? await store.revoke(id: held.id, reason: .notIssued, now: now) }
      throw error
    }
  }

  /// A device secret that goes with the answer.
  private struct HeldSecret {
    let secret: DeviceSecret
    let id: String
    /// Whether this request has put it into the records by a commit of its own.
    var isStoredNow = false
  }

  private func answer(
    _ grant: AcceptedGrant, _ made: RefreshedTokens?, _ client: RegisteredClient, _ session: AuthenticationSession,
    _ held: HeldSecret?, _ now: NumericDate
  ) async throws(OAuthErrorResponse) -> TokenResponse {
    let login = grant.renewed.map { LoginClaims(renewing: $0, in: session) } ?? LoginClaims(of: session)
    let secret = held?.secret
    let issued: RefreshedTokens
    if let made {
      issued = made
    } else {
      issued = try await issue(
        TokenGrant(
          RefreshGrant(
            subject: session.userID, clientID: client.id, sessionID: session.id, scope: grant.scopes,
            resources: grant.resources, deviceSecretID: held?.id, authenticationTime: login.time,
            grantID: grant.code?.grant.id, authenticationContext: login.context),
          issuedAt: now, accessTokenResources: grant.accessTokenResources, code: grant.code))
    }
    guard try await isLasting(session) else { throw OAuthErrorResponse(.invalidGrant, "The session is over") }
    let idToken = try await idToken(
      client: client, session: session, login: login, accessToken: issued.accessToken, nonce: grant.nonce,
      secret: secret, additionalClaims: grant.additionalClaims, now: now)
    var response = TokenResponse(issued, deviceSecret: secret)
    response.tokens.scope = Scope.text(grant.scopes)
    // A device secret goes with an ID token that binds it, or not at all; without one a refresh needs none.
    if grant.kind == .authorizationCode || secret != nil { response.tokens.idToken = idToken }
    return response
  }

  /// Makes tokens. A session that has ended meanwhile gets none.
  func issue(_ grant: TokenGrant) async throws(OAuthErrorResponse) -> RefreshedTokens {
    do {
      return try await tokens.issue(grant)
    } catch let error as OpenIDError where error.code == .invalidGrant {
      throw OAuthErrorResponse(.invalidGrant, "The session is over")
    } catch let error as OAuthErrorResponse where error.code == .temporarilyUnavailable {
      throw error
    } catch let error as OpenIDError where error.code == .storeUnavailable {
      throw OAuthErrorResponse(error)
    } catch {
      throw .serverFault
    }
  }

  /// Requires that session and user are there still, once a code has been used up for them.
  private func requireLasting(_ session: AuthenticationSession) async throws {
    do throws(OAuthErrorResponse) {
      guard try await isLasting(session) else { throw OAuthErrorResponse(.invalidGrant, "The session is over") }
    } catch  where error.code != .invalidGrant {
      throw OpenIDError(.storeUnavailable, "the session could not be looked up")
    }
  }

  /// Whether session and user are still there, now that tokens have been issued. The end of one of them meanwhile
  /// has revoked what there was; what came later is revoked here.
  func isLasting(_ session: AuthenticationSession) async throws(OAuthErrorResponse) -> Bool {
    let reason = try await OAuthErrorResponse.askingStore {
      try await sessions.whyEnded(userID: session.userID, sessionID: session.id)
    }
    guard let reason else { return true }
    _ = try await OAuthErrorResponse.askingStore { try await revokeTokens(sessionID: session.id, reason: reason) }
    return false
  }

  private func isDue(_ grant: AcceptedGrant, _ client: RegisteredClient, _ settings: NativeSSOSettings) -> Bool {
    guard settings.enabled, client.nativeSSOEnabled else { return false }
    guard policy.requiresDeviceSSOScope else { return grant.kind == .authorizationCode }
    return grant.scopes.contains(Scope.deviceSSO) && grant.scopes.contains(Scope.openID)
  }

  /// The secret that was presented, if it serves and is this user's; otherwise a new one, if there is room.
  private func deviceSecret(
    _ grant: AcceptedGrant, _ client: RegisteredClient, _ session: AuthenticationSession, _ settings: NativeSSOSettings,
    _ now: NumericDate
  ) async throws(OAuthErrorResponse) -> HeldSecret? {
    if let text = grant.presentedDeviceSecret, let presented = try? DeviceSecret(text),
      let id = try await keep(presented, of: grant, for: session, settings, now)
    {
      return HeldSecret(secret: presented, id: id)
    }
    // The device's secret was revoked, and its tokens are about to end: a refresh between the two brings no new one.
    if grant.kind == .refreshToken, let former = grant.formerDeviceSecretID,
      let reason = try await OAuthErrorResponse.askingStore({ try await store.revocationReason(of: former) }),
      reason != .tooManyDeviceSecrets, reason != .useCountExceeded
    {
      await audit(
        AuditEvent(.deviceSecretWithheld, clientID: client.id, userID: session.userID, sessionID: session.id))
      return nil
    }
    let secret = DeviceSecret.random()
    var record = DeviceSecretRecord(
      id: UUIDText.random().asciiLowercased, fingerprint: secret.fingerprint, userID: session.userID,
      sessionID: session.id, clientID: client.id, deviceName: grant.deviceName, devicePlatform: grant.devicePlatform,
      createdAt: now, expiresAt: now.advanced(by: settings.deviceSecretLifetime))
    record.follow(try await formerRecords(of: grant, session))
    let (limit, overflow) = (settings.maxDeviceSecretsPerUser, settings.maxSecretsBehavior)
    let issued = record
    let event = AuditEvent(
      .deviceSecretIssued, clientID: client.id, userID: session.userID, sessionID: session.id, deviceSecretID: record.id
    )
    let held = try await OAuthErrorResponse.askingStore { () -> HeldSecret? in
      // In one commit with the use of its code, if that is in the same records.
      guard let code = grant.code, try await code.isKept(in: records) else {
        guard try await store.insert(issued, limit: limit, overflow: overflow, now: now) != .rejected else {
          return nil
        }
        await audit(event)
        return HeldSecret(secret: secret, id: issued.id, isStoredNow: true)
      }
      let made = try await store.changes(inserting: issued, limit: limit, overflow: overflow, now: now)
      guard let changes = made?.changes else { return nil }
      code.commitAlso(changes, making: issued.id) {
        await audit(event)
        try await requireLasting(session)
      }
      return HeldSecret(secret: secret, id: issued.id)
    }
    if let held { return held }
    await audit(AuditEvent(.deviceSecretWithheld, clientID: client.id, userID: session.userID, sessionID: session.id))
    return nil
  }

  /// Attaches the new session to a presented secret that goes on serving, and returns its record's name. One in its
  /// last seconds after a rotation does not: the login that follows would lose it.
  private func keep(
    _ presented: DeviceSecret, of grant: AcceptedGrant, for session: AuthenticationSession,
    _ settings: NativeSSOSettings, _ now: NumericDate
  ) async throws(OAuthErrorResponse) -> String? {
    let fingerprint = presented.fingerprint
    guard
      let record = try await OAuthErrorResponse.askingStore({
        try await store.record(fingerprint: fingerprint, now: now)
      }),
      record.fingerprint == fingerprint, record.state(at: now) == .active,
      WireName(record.userID) == session.userID,
      settings.maxUseCountPerSecret.map({ record.useCount < $0 }) ?? true,
      try await OAuthErrorResponse.askingStore({
        var former: [String] = []
        if let id = grant.formerDeviceSecretID, WireName(id) != record.id {
          former = record.formerIDs.contains(WireName(id)) ? [id] : try await store.line(of: id)
        }
        // In one commit with the use of its code, if that is in the same records: a secret that is revoked just before
        // gives nothing.
        guard let code = grant.code, try await code.isKept(in: records) else {
          return try await store.attach(sessionID: session.id, to: record.id, following: former, now: now)
        }
        let changes = try await store.changes(attaching: session.id, to: record.id, following: former, now: now)
        guard let changes else { return false }
        code.commitAlso(changes) { try await requireLasting(session) }
        return true
      })
    else { return nil }
    return record.id
  }

  /// The records that the device had before: those of the session, or of a refresh that with which its tokens came, and
  /// that of the secret which it presents and which serves no more. Sibling apps have their tokens from them, and a
  /// logout on the device ends these.
  private func formerRecords(
    of grant: AcceptedGrant, _ session: AuthenticationSession
  ) async throws(OAuthErrorResponse) -> [String] {
    try await OAuthErrorResponse.askingStore {
      var ids =
        if let former = grant.formerDeviceSecretID {
          try await store.line(of: former)
        } else {
          try await store.line(ofSession: session.id, userID: session.userID)
        }
      if let text = grant.presentedDeviceSecret, let fingerprint = (try? DeviceSecret(text))?.fingerprint,
        let known = try await store.anyRecord(fingerprint: fingerprint), WireName(known.userID) == session.userID
      {
        ids += known.formerIDs + [known.id]
      }
      return ids
    }
  }

  /// An ID token, with `ds_hash` if it goes with a device secret.
  func idToken(
    client: RegisteredClient, session: AuthenticationSession, login: LoginClaims, accessToken: String, nonce: String?,
    secret: DeviceSecret?, additionalClaims: JSONObject = [:], now: NumericDate
  ) async throws(OAuthErrorResponse) -> String {
    let subject = try await OAuthErrorResponse.askingStore {
      try await sessions.subject(userID: session.userID, clientID: client.id)
    }
    // No client takes another one, and neither does the exchange.
    guard JWTPolicy.isSubject(subject) else { throw .serverFault }
    var draft = IDTokenDraft(
      issuer: issuer, clientID: client.id, subject: subject, issuedAt: now, lifetime: policy.idTokenLifetime)
    (draft.authenticationTime, draft.authenticationContext) = (login.time, login.context)
    (draft.authenticationMethods, draft.sessionID) = (login.methods, session.id)
    (draft.nonce, draft.accessToken) = (nonce, accessToken)
    if let secret {
      let hash = policy.dsHash.value(of: secret, signatureAlgorithm: keys.signing.algorithm.name)
      guard let hash else { throw .serverFault }
      draft.deviceSecretHash = hash
    }
    return try await OAuthErrorResponse.askingStore { [draft] in
      var draft = draft
      try draft.add(additionalClaims)
      return try draft.signed(with: keys.signing)
    }
  }
}
