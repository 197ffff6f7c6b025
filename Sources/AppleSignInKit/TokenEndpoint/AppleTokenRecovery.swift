import JOSE

/// What to do after a request to the token endpoint has failed.
public enum AppleTokenRecovery: Sendable, Hashable {
  /// Send the user to Apple again: the code is spent, or may be.
  case restartSignIn
  /// The user has withdrawn: mark the Apple login as revoked, end the sessions that came from it, and ask for a new
  /// sign-in.
  case signInRevoked
  /// Make a new client secret and try once more; if that fails, the configuration is wrong.
  case renewClientSecret
  /// The configuration or the program is wrong: the same request will fail again.
  case fixConfiguration
  /// Try again later, with growing pauses. The refresh token is as good as before.
  case retryLater

  /// What a request tried to exchange.
  public enum Grant: Sendable, Hashable {
    /// An authorization code, which a login brought.
    case authorizationCode
    /// A refresh token, which stands for a login of the past.
    case refreshToken
    /// Nothing, for the transfer of users.
    case userMigration
  }

  /// What to do after an error.
  ///
  /// A code is never sent twice: once bytes have left, the client can't know whether it was used.
  /// - Parameters:
  ///   - error: of ``AppleSignInClient`` or its like; nil if the transport failed.
  ///   - grant: what the failed request tried to exchange.
  public init(after error: JOSEError?, grant: Grant) {
    let isCode = grant == .authorizationCode
    guard let error, error.code != .serverUnavailable, error.code != .malformed else {
      self = isCode ? .restartSignIn : .retryLater
      return
    }
    switch (error.code, error.name) {
    case (.serverRefused, "invalid_grant"):
      self = isCode ? .restartSignIn : grant == .refreshToken ? .signInRevoked : .fixConfiguration
    case (.serverRefused, "invalid_client"): self = .renewClientSecret
    case (.serverRefused, _): self = .fixConfiguration
    // Keys that can't be had now say nothing about the configuration.
    default: self = isCode ? .restartSignIn : error.fault == .unavailable ? .retryLater : .fixConfiguration
    }
  }
}
