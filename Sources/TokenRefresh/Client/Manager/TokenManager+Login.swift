import JOSE
import StrictJSON

extension TokenManager {
  /// Takes the tokens of a new login in the place of whatever was there.
  ///
  /// - Parameters:
  ///   - tokens: what the server just gave: their lifetimes count from now.
  ///   - kind: whether refreshing is possible. A login without a refresh token ends with its access token.
  ///   - scope: the granted scope.
  ///   - subject: who logged in, as a hint for the next time.
  /// - Throws: ``TokenRefreshError/Code/storage``; the login before is then still there.
  public func logIn(
    _ tokens: RefreshedTokens, kind: LoginKind = .refreshable, scope: String? = nil, subject: String? = nil
  ) async throws(TokenRefreshError) {
    let moment = now
    let new = TokenRecord(
      loginID: Base64URL.encode(random.bytes(16)), revision: 1, generation: 1, kind: kind, subject: subject,
      accessToken: tokens.accessToken, tokenType: tokens.tokenType, scope: tokens.scope ?? scope,
      issuedAt: moment.date, lifetime: TokenRecord.lifetime(tokens.expiresIn), refreshToken: tokens.refreshToken,
      refreshTokenExpiration: tokens.refreshTokenExpiresIn.map { moment.date.advanced(by: TokenRecord.lifetime($0)) },
      idToken: tokens.idToken, lastFullLogin: moment.date)
    try await askingStore { store in
      for _ in 0..<8 {
        if try await store.replace(store.load()?.version, with: new) { return }
      }
      throw TokenRefreshError(.storage, "other processes keep writing")
    }
    forget()
    end = nil
    isLoaded = true
    record = new
    storedVersion = new.version
    renewAnchors(moment)
    flight = nil
    if let accessToken { resumeWaiters(.success(accessToken)) }
    publish()
  }

  /// Ends the login: callers who wait learn it, the store is emptied, and the server is told if it can be.
  ///
  /// A request that is under way is let finish, and what it brings is revoked.
  public func logOut(revoking: Bool = true) async {
    try? await load()
    let refreshToken = record?.refreshToken
    let loginID = record?.loginID ?? storedVersion?.loginID
    let wasFlying = flight != nil && !requests.isEmpty
    revokesLateTokens = revoking
    forget()
    end = nil
    land(.failure(TokenRefreshError(.loggedOut, "the user logged out")))
    if let loginID { await purge(loginID) }
    if revoking, !wasFlying, let refreshToken { await refresher.revoke(refreshToken: refreshToken) }
  }

  /// Ends the login because the app has learned that it is over: a push message, a password change, a disabled user.
  public func invalidate(_ reason: LogoutReason) async {
    try? await load()
    guard record != nil || end == nil else { return }
    await endLogin(reason)
  }

  /// Looks into the store, after another process has said that it wrote.
  ///
  /// - Throws: ``TokenRefreshError/Code/storage``.
  public func reload() async throws(TokenRefreshError) {
    let stored = try await askingStore { try await $0.load() }
    isLoaded = true
    guard let stored else {
      if record != nil {
        forget()
        land(.failure(TokenRefreshError(.loggedOut, "another process logged out")))
      }
      return
    }
    let isNewer =
      record.map { !stored.loginID.hasSameBytes(as: $0.loginID) || stored.generation > $0.generation } ?? true
    guard isNewer else { return }
    take(stored)
    end = nil
    publish()
  }

  /// Lets refreshing go on after the client's configuration was mended.
  public func configurationChanged() {
    misconfiguration = nil
    publish()
  }

  // MARK: Inside

  /// Reads the store, once.
  func load() async throws(TokenRefreshError) {
    guard !isLoaded else { return }
    let stored = try await askingStore { try await $0.load() }
    guard !isLoaded else { return }
    isLoaded = true
    if let stored { take(stored) }
    publish()
  }

  /// Reads the store again and takes what is newer than the current record. Returns whether waiters were answered.
  func adoptNewer(_ id: UInt64) async throws -> Bool {
    guard let stored = try await store.load(), isFlying(id), let record,
      !stored.loginID.hasSameBytes(as: record.loginID) || stored.generation > record.generation
    else { return false }
    take(stored)
    succeed()
    return true
  }

  /// Makes a stored record the current one.
  func take(_ stored: TokenRecord) {
    record = stored
    storedVersion = stored.version
    isDirty = false
    isAccessTokenRejected = false
    isUncertain = stored.pendingRotation != nil
    drawJitter()
    let now = now
    let rest = stored.expiration.secondsSince1970 - now.date.secondsSince1970
    // A token from the future, or one that would outlive itself, shows that the wall clock was set back: refresh soon.
    let isDoubtful =
      now.date.secondsSince1970 < stored.issuedAt.secondsSince1970 - settings.clockSkewTolerance
      || rest > stored.lifetime + settings.clockSkewTolerance
    expiresAt = now.elapsed + (isDoubtful ? max(0, threshold - 1) : rest)
  }

  /// Measures the current token's life from the moment of its request.
  func renewAnchors(_ startedAt: Moment) {
    drawJitter()
    isAccessTokenRejected = false
    expiresAt = startedAt.elapsed + (record?.lifetime ?? 0)
  }

  private func drawJitter() { jitter = random.fraction() * settings.thresholdJitter }

  /// Forgets everything about the login, in memory.
  func forget() {
    record = nil
    storedVersion = nil
    isDirty = false
    isUncertain = false
    isAccessTokenRejected = false
    failures = 0
    unusableAnswers = 0
    notBefore = -.infinity
    misconfiguration = nil
    lateAnswer = nil
  }

  /// Ends the login with a reason, in the store and in memory.
  func endLogin(_ reason: LogoutReason) async {
    let loginID = record?.loginID
    forget()
    end = reason
    land(.failure(.reauthenticate(reason)))
    if let loginID { await purge(loginID) }
  }

  /// Removes a login from the store, whatever version of it is there. Another login is left alone.
  func purge(_ loginID: String) async {
    for _ in 0..<8 {
      guard let stored = try? await store.load(), stored.loginID.hasSameBytes(as: loginID) else { return }
      if (try? await store.replace(stored.version, with: nil)) ?? true { return }
    }
  }

  private func askingStore<Value: Sendable>(
    _ body: (any TokenStore) async throws -> Value
  ) async throws(TokenRefreshError) -> Value {
    do {
      return try await body(store)
    } catch {
      throw TokenRefreshError(.storage, "the store failed")
    }
  }
}
