import PureCrypto

/// Why a refresh request brought no usable tokens.
public struct RefreshFailure: Sendable {
  /// How far the request came, and what the server answered: it decides whether the token may be sent again.
  public enum Kind: Sendable, Hashable {
    /// The request certainly did not reach the server: no connection, no name, no TLS.
    case notSent
    /// The request may have reached the server, and no complete answer came: the token may have been rotated.
    case noAnswer
    /// The server said that it did nothing and may be asked again.
    case serverBusy
    /// The server refused the refresh token.
    case invalidGrant
    /// The server refused the client or the request. The name is a registered error code, or that of a
    /// setting that kept the request from being sent.
    case misconfigured(String?)
    /// The server refused the scope.
    case invalidScope
    /// The server demands that the user logs in.
    case loginRequired
    /// The server answered with success and nothing usable.
    case unusableAnswer
    /// The server wants this nonce in the proof of possession.
    case dpopNonceRequired(String)
  }

  /// How far the request came, and what the server answered.
  public var kind: Kind
  /// For how long the server wants to be left alone.
  public var retryAfter: Duration?
  /// A new refresh token that came with an otherwise unusable answer. It is the only good one now.
  public var newRefreshToken: String?
  /// Why the login has ended, if the server says more than that it has.
  public var logoutReason: LogoutReason?
  /// What is wrong with the tokens of an answer that has none to use.
  package var fault: TokenResponseFault?

  /// A failure, for refreshers and tests that bring their own.
  public init(
    _ kind: Kind, retryAfter: Duration? = nil, newRefreshToken: String? = nil, logoutReason: LogoutReason? = nil
  ) {
    (self.kind, self.retryAfter, self.newRefreshToken) = (kind, retryAfter, newRefreshToken)
    self.logoutReason = logoutReason
  }
}

extension RefreshFailure: Redacted {
  /// What happened, without anything that the server sent.
  public var description: String { kind.description }
}

extension RefreshFailure.Kind: Redacted {
  /// What happened, without anything that the server sent.
  public var description: String {
    switch self {
    case .notSent: "notSent"
    case .noAnswer: "noAnswer"
    case .serverBusy: "serverBusy"
    case .invalidGrant: "invalidGrant"
    case .misconfigured: "misconfigured"
    case .invalidScope: "invalidScope"
    case .loginRequired: "loginRequired"
    case .unusableAnswer: "unusableAnswer"
    case .dpopNonceRequired: "dpopNonceRequired"
    }
  }
}
