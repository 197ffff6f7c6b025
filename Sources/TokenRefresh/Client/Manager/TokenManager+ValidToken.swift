import StrictJSON

extension TokenManager {
  /// An access token that is good for a while: the current one, or after a refresh the next one.
  ///
  /// Cancelling the caller's task ends this wait only; the refresh and other callers go on.
  /// - Parameter seconds: for how long the token must be good at least.
  /// - Throws: ``TokenRefreshError/Code/reauthenticationRequired``, ``TokenRefreshError/Code/loggedOut``,
  ///   ``TokenRefreshError/Code/temporarilyUnavailable``, ``TokenRefreshError/Code/configuration``,
  ///   ``TokenRefreshError/Code/identityTokenInvalid``, ``TokenRefreshError/Code/storage``,
  ///   ``TokenRefreshError/Code/cancelled``.
  public func validToken(minimumRemaining seconds: Double = 0) async throws(TokenRefreshError) -> AccessToken {
    try await load()
    if let end { throw .reauthenticate(end) }
    guard let record else { throw TokenRefreshError(.loggedOut, "nobody is logged in") }
    guard record.isRefreshable else { return try await nonRefreshableToken() }
    if isDirty {
      // A second rotation now would leave the store two generations behind.
      if isUsable(for: seconds), let accessToken { return accessToken }
      guard await persistDirtyRecord() else {
        throw TokenRefreshError(.storage, "the store fails, and a refresh would risk the refresh token")
      }
      return try await validToken(minimumRemaining: seconds)
    }
    let isDue = isUncertain || !isUsable(for: seconds) || remaining < threshold
    guard isDue else { return try current() }
    if flight == nil {
      if let held = try heldBackToken(for: seconds) { return held }
      if isUncertain, !settings.replaysLostRotation {
        if isUsable(for: seconds) { return try current() }
        await endLogin(.lostRotation)
        throw .reauthenticate(.lostRotation)
      }
      takeOff()
    }
    if settings.servesStaleWhileRefreshing, isUsable(for: seconds) { return try current() }
    return try await wait(minimumRemaining: seconds)
  }

  /// What to do after a resource server answered 401 with `invalid_token`, or without an error code: the token to try
  /// once more with.
  ///
  /// If the refused token has been replaced in the meantime, the current one is returned without a refresh.
  /// - Throws: as ``validToken(minimumRemaining:)``.
  public func handleUnauthorized(_ refused: AccessToken) async throws(TokenRefreshError) -> AccessToken {
    try await load()
    if let end { throw .reauthenticate(end) }
    guard let record else { throw TokenRefreshError(.loggedOut, "nobody is logged in") }
    let isCurrent = refused.loginID.hasSameBytes(as: record.loginID) && refused.generation == record.generation
    guard isCurrent else { return try current() }
    isAccessTokenRejected = true
    publish()
    return try await validToken()
  }

  /// Calls a server with a valid token, and once more after a refresh if the server refuses the token.
  ///
  /// - Parameter call: makes the call and says whether it was refused with 401. It must be safe to repeat.
  /// - Returns: what the last call returned: ``CallOutcome/unauthorized(_:)`` if both were refused.
  /// - Throws: as ``validToken(minimumRemaining:)``, and what `call` throws.
  public nonisolated func withValidToken<Value: Sendable>(
    _ call: @Sendable (AccessToken) async throws -> CallOutcome<Value>
  ) async throws -> CallOutcome<Value> {
    let token = try await validToken()
    let outcome = try await call(token)
    guard case .unauthorized = outcome else { return outcome }
    return try await call(try await handleUnauthorized(token))
  }

  private func current() throws(TokenRefreshError) -> AccessToken {
    guard let accessToken else { throw .unavailable(after: nil) }
    return accessToken
  }

  /// The old token, or the error, while no refresh may begin.
  private func heldBackToken(for seconds: Double) throws(TokenRefreshError) -> AccessToken? {
    let now = clock.elapsed()
    if let misconfiguration, now < misconfiguration.until {
      guard isUsable(for: seconds) else { throw misconfiguration.error }
      return try current()
    }
    guard now < notBefore else { return nil }
    guard isUsable(for: seconds) else { throw .unavailable(after: notBefore - now) }
    return try current()
  }

  /// A login without a refresh token is good to the last second.
  private func nonRefreshableToken() async throws(TokenRefreshError) -> AccessToken {
    guard remaining > 0, !isAccessTokenRejected, let accessToken else {
      await endLogin(.notRefreshable)
      throw .reauthenticate(.notRefreshable)
    }
    return accessToken
  }
}

/// How a call to a resource server ended.
public enum CallOutcome<Value: Sendable>: Sendable {
  /// In any other way than with 401.
  case finished(Value)
  /// With 401 and `invalid_token`, or without an error code.
  case unauthorized(Value)
}
