import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON

/// The checks on a token exchange, in the order of the specification page. None has a side effect except counting the
/// attempt.
struct ExchangeValidation: Sendable {
  let native: NativeSSO
  let provider: OpenIDProvider
  let settings: NativeSSOSettings
  let client: RegisteredClient
  let now: NumericDate

  /// The longest ID token that is looked at, in bytes.
  static let maximumIDTokenByteCount = 16 << 10
  /// Seconds by which clocks may differ.
  static let leeway = 60.0

  /// An exchange that may be granted.
  struct Validated: Sendable {
    let secret: DeviceSecret
    let record: DeviceSecretRecord
    let session: AuthenticationSession
    /// What the tokens say of the login.
    let login: LoginClaims
    let scopes: [String]
    let resources: [String]
  }

  func validate(_ form: FormFields, sourceAddress: String) async throws(ExchangeRefusal) -> Validated {
    let request = try parse(form)
    guard let secret = request.actorToken else { throw ExchangeRefusal(.malformed, at: "actor_token") }
    try checkAudience(request)
    let record = try await ExchangeRefusal.askingStore {
      try await provider.deviceSecretRecords.record(fingerprint: secret.fingerprint, now: now)
    }
    try await checkRate(secret, record, sourceAddress)

    let claims = try verifySignature(request.subjectToken)
    try checkAge(claims)
    guard let hash = claims.deviceSecretHash,
      native.policy.dsHash.matches(hash, secret: secret, signatureAlgorithm: claims.algorithm)
    else { throw badToken("ds_hash") }

    guard let record else {
      try await noticeReuse(secret)
      throw badToken("device_secret")
    }
    guard record.state(at: now) == .active else { throw badToken("device_secret") }
    if let limit = settings.maxUseCountPerSecret, record.useCount >= limit {
      _ = try await ExchangeRefusal.askingStore {
        try await provider.deviceSecretRecords.consume(id: record.id, useLimit: limit, now: now)
      }
      throw badToken("use_count")
    }
    let session = try await checkSession(claims, record)
    try await checkSharing(claims)
    guard request.requestedTokenType ?? TokenTypeIdentifier.accessToken == TokenTypeIdentifier.accessToken else {
      throw ExchangeRefusal(
        OAuthErrorResponse(.invalidRequest, "The requested token type is not supported"), at: "requested_token_type")
    }
    guard client.accepts(session.authenticationContext) else {
      // Not invalid_grant, for which apps would delete the pair that others of them can use.
      throw interactionRequired("The user must log in in another way", at: "authentication_context")
    }
    // The login is that of the ID token. If only the session's last one is of a kind that the client needs, the
    // exchange rests on that.
    var login = LoginClaims(sharing: claims, in: session)
    if !client.accepts(login.context) { login = LoginClaims(of: session) }
    let scopes = try await scopes(request.scope, userID: record.userID)
    return Validated(
      secret: secret, record: record, session: session, login: login, scopes: scopes, resources: request.resources)
  }

  // MARK: Steps 4 to 6

  private func parse(_ form: FormFields) throws(ExchangeRefusal) -> TokenExchangeRequest {
    let request: TokenExchangeRequest
    do throws(OAuthErrorResponse) {
      request = try TokenExchangeRequest(form: form)
    } catch {
      throw ExchangeRefusal(error, at: "parameters")
    }
    guard request.actorToken != nil else {
      // An ID token alone must not do, or the device secret would be optional.
      throw ExchangeRefusal(
        OAuthErrorResponse(.invalidRequest, "actor_token and actor_token_type are required"), at: "actor_token")
    }
    var (subjectTypes, actorTypes) = ([TokenTypeIdentifier.idToken], [TokenTypeIdentifier.deviceSecret])
    if native.policy.acceptsMisspelledIDTokenType { subjectTypes.append(TokenTypeIdentifier.misspelledIDToken) }
    if settings.acceptLegacyTokenType { actorTypes.append(TokenTypeIdentifier.legacyDeviceSecret) }
    guard subjectTypes.contains(request.subjectTokenType), request.actorTokenType.map(actorTypes.contains) ?? false
    else {
      throw ExchangeRefusal(OAuthErrorResponse(.invalidRequest, "A token type is not supported"), at: "token_type")
    }
    return request
  }

  private func checkAudience(_ request: TokenExchangeRequest) throws(ExchangeRefusal) {
    if settings.requireAudience, request.audiences.isEmpty {
      throw ExchangeRefusal(OAuthErrorResponse(.invalidRequest, "audience is required"), at: "audience")
    }
    guard request.audiences.wireNames.allSatisfy({ $0 == provider.issuer }) else {
      throw ExchangeRefusal(OAuthErrorResponse(.invalidTarget, "audience is not the issuer"), at: "audience")
    }
    for resource in request.resources {
      guard let uri = try? URIComponents(parsing: resource), uri.fragment == nil,
        client.resources.contains(WireName(resource))
      else {
        throw ExchangeRefusal(
          OAuthErrorResponse(.invalidTarget, "resource is not one that the client may ask for"), at: "resource")
      }
    }
  }

  private func checkRate(
    _ secret: DeviceSecret, _ record: DeviceSecretRecord?, _ sourceAddress: String
  ) async throws(ExchangeRefusal) {
    // Many users may share an address. Only who has no device secret of ours is counted by it.
    var keys = [RateLimitKey.deviceSecret(secret.fingerprint)]
    if let record {
      keys.append(.client(client.id, user: record.userID))
    } else {
      keys.append(.client(client.id, source: sourceAddress))
    }
    let decision = try await ExchangeRefusal.askingStore {
      try await provider.rateLimiter.attempt(
        keys, limit: settings.maxAttemptsPerMinute, blockDuration: settings.blockDuration, now: now)
    }
    guard case .blocked(let seconds) = decision else { return }
    throw ExchangeRefusal(
      OAuthErrorResponse(.slowDown, "Too many attempts", status: 429, retryAfter: seconds), at: "rate_limit")
  }

  // MARK: Steps 7 to 9

  /// The rules of ID tokens, with our own keys, retired ones included, and only by name. An expired token is still
  /// authentic.
  func verifySignature(_ token: String) throws(ExchangeRefusal) -> IDTokenClaims {
    guard token.utf8.count <= Self.maximumIDTokenByteCount else { throw badToken("id_token_size") }
    let verified: VerifiedJWT<JSONObject>
    do throws(JOSEError) {
      var policy = JWTPolicy.idTokenHint(issuer: provider.issuer, clock: .fixed(at: now))
      // Another machine of the provider may have issued the token, by a clock that is ahead.
      policy.leeway = .seconds(Self.leeway)
      verified = try JWTVerifier(
        keys: provider.keys.verification, algorithms: provider.keys.algorithms, policy: policy
      ).verify(token)
    } catch {
      switch (error.code, error.name) {
      case (_, "iss"): throw badToken("iss")
      case (_, "iat"): throw badToken("iat")
      case (.typeMismatch, _): throw badToken("id_token_header")
      default: throw badToken("id_token")
      }
    }
    guard verified.header.keyID != nil else { throw badToken("id_token_header") }
    // Of a token for several clients, one has asked for it.
    guard verified.registeredClaims.audience?.count == 1 || verified.claims["azp"]?.stringValue != nil else {
      throw badToken("id_token")
    }
    do throws(JOSEError) {
      return try IDTokenClaims(verified)
    } catch {
      throw badToken("id_token")
    }
  }

  private func checkAge(_ claims: IDTokenClaims) throws(ExchangeRefusal) {
    guard !settings.refuseExpiredIDToken else {
      guard now < claims.expiration.advanced(by: Self.leeway) else {
        throw ExchangeRefusal(
          response(.invalidToken, "The ID token is not valid", fragment: "id_token"), at: "exp")
      }
      return
    }
    let maximum = native.policy.maximumIDTokenAge ?? settings.deviceSecretLifetime
    guard now < claims.issuedAt.advanced(by: maximum) else { throw badToken("iat_age") }
  }

  /// A secret that was rotated away and comes back after its grace is in two hands, or in those of an app that has
  /// slept: the operator learns it, and decides by policy whether the device's login ends.
  private func noticeReuse(_ secret: DeviceSecret) async throws(ExchangeRefusal) {
    guard
      let reused = try await ExchangeRefusal.askingStore({
        try await provider.deviceSecretRecords.rotatedRecord(fingerprint: secret.fingerprint, now: now)
      }), reused.state(at: now) == .active
    else { return }
    await native.audit(
      AuditEvent(.deviceSecretReused, clientID: client.id, userID: reused.userID, deviceSecretID: reused.id))
    guard native.policy.revokesReusedDeviceSecrets else { return }
    _ = try await ExchangeRefusal.askingStore { try await provider.revokeDeviceSecret(id: reused.id, reason: .reuse) }
  }

  // MARK: Steps 12 to 14

  private func checkSession(
    _ claims: IDTokenClaims, _ record: DeviceSecretRecord
  ) async throws(ExchangeRefusal) -> AuthenticationSession {
    guard let sessionID = claims.sessionID, record.sessionIDs.contains(sessionID),
      let session = try await ExchangeRefusal.askingStore({ try await provider.sessions.session(id: sessionID.text) }),
      session.isActive,
      WireName(session.userID) == record.userID,
      try await ExchangeRefusal.askingStore({ try await provider.sessions.isActive(userID: record.userID) })
    else { throw ExchangeRefusal(badCredential(.invalidGrant), at: "session") }
    // Accounts are compared, not subjects: these may be pairwise.
    for audience in claims.audience {
      let userID = try await ExchangeRefusal.askingStore {
        try await provider.sessions.userID(subject: claims.subject.text, clientID: audience.text)
      }
      if let userID, WireName(userID) == record.userID { return session }
    }
    throw badToken("sub")
  }

  /// Every audience is a client of ours, and one of them shares its login with this one, or is this one.
  private func checkSharing(_ claims: IDTokenClaims) async throws(ExchangeRefusal) {
    let refusal = ExchangeRefusal(
      response(.accessDenied, "The clients may not share a login", fragment: "cross_client"), at: "sharing")
    var mayShare = false
    for audience in claims.audience {
      if audience == client.id {
        mayShare = true
        continue
      }
      let original = try await ExchangeRefusal.askingStore { try await provider.clients.client(id: audience.text) }
      guard let original else { throw refusal }
      if original.nativeSSOEnabled, native.policy.sharing.allows(client, loginOf: original, settings) {
        mayShare = true
      }
    }
    guard mayShare else { throw refusal }
  }

  /// Never more than the client may have and the user has agreed to.
  private func scopes(_ requested: String?, userID: String) async throws(ExchangeRefusal) -> [String] {
    let granted = try await ExchangeRefusal.askingStore {
      try await provider.sessions.grantedScopes(userID: userID, clientID: client.id)
    }
    guard let requested else {
      let scopes = client.defaultScopes.filter { granted.contains(WireName($0)) }
      guard scopes.contains(Scope.openID) else { throw consentRequired }
      return scopes
    }
    guard let scopes = Scope.values(requested), scopes.contains(Scope.openID),
      scopes.wireNames.allSatisfy({ client.allowedScopes.contains($0) || $0 == Scope.deviceSSO })
    else {
      throw ExchangeRefusal(OAuthErrorResponse(.invalidScope, "The scope is not allowed, or lacks openid"), at: "scope")
    }
    guard scopes.wireNames.allSatisfy({ granted.contains($0) || $0 == Scope.deviceSSO }) else {
      throw consentRequired
    }
    return scopes
  }

  // MARK: Refusals

  private var consentRequired: ExchangeRefusal { interactionRequired("The user must agree first", at: "consent") }

  /// What an app answers with a login on pages.
  private func interactionRequired(_ text: StaticString, at check: StaticString) -> ExchangeRefusal {
    ExchangeRefusal(OAuthErrorResponse(.interactionRequired, text), at: check)
  }

  /// A bad subject or actor token. The client does not learn which check failed; the audit log does.
  func badToken(_ check: StaticString) -> ExchangeRefusal {
    ExchangeRefusal(
      badCredential(native.policy.followsRFC8693Strictly ? .invalidRequest : .invalidGrant), at: check)
  }

  private func badCredential(_ code: OAuthErrorCode) -> OAuthErrorResponse {
    response(code, "The device credential is not valid", fragment: "device_secret")
  }

  private func response(_ code: OAuthErrorCode, _ text: StaticString, fragment: String) -> OAuthErrorResponse {
    OAuthErrorResponse(code, text, uri: native.policy.errorDocumentation.map { $0 + "#" + fragment })
  }
}

/// A refusal, and for the audit log the check that made it.
struct ExchangeRefusal: SuppliedFailure {
  static let supplied = ExchangeRefusal(.unavailable, at: "service")

  let response: OAuthErrorResponse
  let check: StaticString

  init(_ response: OAuthErrorResponse, at check: StaticString) {
    self.response = response
    self.check = check
  }
}
