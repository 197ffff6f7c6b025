import JOSE
import StrictJSON

extension OpenIDClient {
  /// Finishes a login: checks that the answer is to it and from the provider, redeems the code, and verifies the ID
  /// token.
  ///
  /// - Parameters:
  ///   - pending: as ``begin(maximumAge:parameters:)`` returned it, for this browser.
  ///   - redirect: where the browser was sent: the whole address, or its path and query as the server saw them.
  ///   - store: where the login's tokens are kept.
  ///   - settings: of the login's ``TokenManager``.
  ///   - lock: keeps other processes from refreshing the same login.
  /// - Throws: `ErrorCode.redirectInvalid` if this is no answer to the login, which then still waits for
  ///   one; `ErrorCode.authorizationRefused` with the provider's error code, if it is a registered one;
  ///   `ErrorCode.loginOver` for one that was finished before, or begun too long ago;
  ///   `ErrorCode.invalidGrant` if the code is not good; `ErrorCode.configuration` if the
  ///   provider refuses the client; `ErrorCode.answerMalformed` for tokens that can't be used, or without
  ///   an ID token; `ErrorCode.identityTokenInvalid` with the claim's name;
  ///   `ErrorCode.settingInvalid` for a login of another client; `ErrorCode.storeUnavailable`;
  ///   `ErrorCode.temporarilyUnavailable`. After the first, the login still waits for its answer. After
  ///   the last, if it was the provider's keys that could not be fetched, this client holds the tokens until the login
  ///   is over: finish it again with the same redirect. Otherwise begin a new login.
  public func finish(
    _ pending: PendingLogin, redirect: String, store: any SecretStore = MemorySecretStore(),
    settings: TokenSettings = TokenSettings(), lock: (any RefreshLock)? = nil
  ) async throws(OpenIDError) -> Login {
    let refresher = refresher(try signingKey(pending.proofKey))
    // Settings that are wrong use up no code.
    let manager = try manager(refresher, store: store, settings: settings, lock: lock)
    let login: RedeemedLogin
    do throws(LoginFault) {
      login = try await redeem(pending, redirect: redirect, by: refresher)
    } catch {
      throw OpenIDError(error)
    }
    return try await self.login(login, pending.scopes, manager, pending.proofKey)
  }

  /// A user who is logged in, with what keeps the tokens.
  func login(
    _ login: RedeemedLogin, _ scopes: [String], _ manager: TokenManager, _ proofKey: JWK?
  ) async throws(OpenIDError) -> Login {
    let tokens = login.answer.tokens.aged(since: login.answer.receivedAt, at: clock.wall.now)
    try await manager.logIn(tokens, scope: scopes.joined(separator: " "), subject: login.subject)
    return Login(
      subject: login.subject, claims: login.verified.claims, idToken: login.idToken, tokens: tokens, manager: manager,
      authorizer: try authorizer(for: manager, proofKey: proofKey), proofKey: proofKey,
      userInfoEndpoint: provider.userInfoEndpoint)
  }

  /// Checks that the answer is to the login and from the provider, redeems the code, and verifies the ID token. An
  /// answer whose ID token can't be judged is held in ``finished``.
  ///
  /// - Parameters:
  ///   - additional: fields beside those of every request for tokens.
  ///   - refresher: sends it, with the login's key.
  package func redeem(
    _ pending: PendingLogin, redirect: String, with additional: FormFields = [:], by refresher: OAuthTokenRefresher
  ) async throws(LoginFault) -> RedeemedLogin {
    try await judged(await redeemCode(of: pending, redirect: redirect, with: additional, by: refresher), pending)
  }

  /// The same without looking for an ID token.
  func redeemCode(
    of pending: PendingLogin, redirect: String, with additional: FormFields = [:], by refresher: OAuthTokenRefresher
  ) async throws(LoginFault) -> RedeemedCode {
    guard WireName(pending.issuer) == provider.issuer, WireName(pending.clientID) == clientID else {
      throw .invalid(OpenIDError(.settingInvalid, "the login was begun by another client", name: "pending"))
    }
    switch try answer(pending, redirect) {
    case .code(let code): return try await redeem(code, of: pending, additional, refresher)
    case .held(let held): return held
    }
  }

  private enum Answer {
    case code(String)
    /// The code has been redeemed, and what it brought could not be judged.
    case held(RedeemedCode)
  }

  /// What the answer brings. From then on the login is over, also if the answer is an error.
  private func answer(_ pending: PendingLogin, _ redirect: String) throws(LoginFault) -> Answer {
    let answer: Result<String, PendingLogin.Refused>
    do throws(OpenIDError) {
      answer = try pending.code(in: redirect, requiresIssuer: provider.announcesIssuerInResponse)
    } catch {
      throw .invalid(error)
    }
    let now = clock.wall.now
    guard now < pending.expiration else {
      throw .invalid(OpenIDError(.loginOver, "the login was begun too long ago"))
    }
    if let held = finished.takeHeld(pending.request.state) { return .held(held) }
    guard finished.claim(pending.request.state, until: pending.expiration, now: now) else {
      throw .invalid(OpenIDError(.loginOver, "the login was finished before"))
    }
    switch answer {
    case .success(let code): return .code(code)
    case .failure(let refused): throw .refused(refused.code)
    }
  }

  private func redeem(
    _ code: String, of pending: PendingLogin, _ additional: FormFields, _ refresher: OAuthTokenRefresher
  ) async throws(LoginFault) -> RedeemedCode {
    let (outcome, object) = await refresher.redeem(
      code: code, redirectURI: pending.redirectURI, verifier: pending.request.pkce.verifier, with: additional)
    switch outcome {
    case .failed(let failure): throw .noTokens(failure)
    case .tokens(let tokens): return RedeemedCode(tokens: tokens, object: object ?? [:], receivedAt: clock.wall.now)
    }
  }

  private func judged(
    _ answer: RedeemedCode, _ pending: PendingLogin
  ) async throws(LoginFault) -> RedeemedLogin {
    var request = IDTokenRequest(nonce: pending.request.nonce)
    request.maximumAuthenticationAge = pending.maximumAge.map { .seconds($0) }
    do throws(LoginFault) {
      return try await judged(answer, answering: request)
    } catch {
      if case .idToken(let fault) = error, fault.isLackOfKeys { finished.hold(answer, of: pending.request.state) }
      throw error
    }
  }

  /// Verifies the ID token of an answer.
  func judged(
    _ answer: RedeemedCode, answering request: IDTokenRequest
  ) async throws(LoginFault) -> RedeemedLogin {
    guard let idToken = answer.tokens.idToken else {
      throw .invalid(OpenIDError(.answerMalformed, "the provider sent no ID token", name: "id_token"))
    }
    var request = request
    request.accessToken = answer.tokens.accessToken
    let verified: VerifiedJWT<JSONObject>
    do throws(JOSEError) {
      verified = try await self.verified(idToken, answering: request)
    } catch {
      throw .idToken(error)
    }
    guard let subject = verified.registeredClaims.subject else {
      throw .invalid(OpenIDError(.identityTokenInvalid, "the ID token's sub must not be empty", name: "sub"))
    }
    return RedeemedLogin(answer: answer, verified: verified, idToken: idToken, subject: subject)
  }
}

extension OpenIDError {
  /// Why a login is not finished. The provider's code is named if it is one that is registered.
  init(_ fault: LoginFault) {
    switch fault {
    case .invalid(let error): self = error
    case .refused(let code):
      self.init(.authorizationRefused, "the provider refused the login", name: OAuthErrorName.registered(code))
    case .noTokens(let failure): self.init(redeeming: failure)
    case .idToken(let error) where error.isLackOfKeys: self = .unavailable(after: nil)
    case .idToken(let error): self.init(.identityTokenInvalid, "the ID token is refused", name: error.name)
    }
  }

  /// What the token endpoint's answer to a code means.
  init(redeeming failure: RefreshFailure) {
    switch failure.kind {
    case .notSent, .noAnswer, .serverBusy: self = .unavailable(after: failure.retryAfter)
    case .invalidGrant: self.init(.invalidGrant, "the provider refused the code")
    case .loginRequired: self.init(.authorizationRefused, "the provider refused the login", name: "login_required")
    case .unusableAnswer:
      let isOther = failure.fault == .otherType
      self.init(
        .answerMalformed, "the provider's answer has no tokens that can be used",
        name: isOther ? failure.fault?.name : nil)
    case .invalidScope: self.init(.configuration, "the provider refused the request", name: "invalid_scope")
    case .dpopNonceRequired: self.init(.configuration, "the provider refused the request", name: "use_dpop_nonce")
    case .misconfigured(let name): self.init(.configuration, "the provider refused the request", name: name)
    }
  }
}
