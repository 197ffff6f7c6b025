import JOSE
import PureCrypto

/// Sends refresh requests: what an app adapts to its server and protocol.
///
/// ``OAuthTokenRefresher`` sends the form of OAuth 2.0. For another protocol, such as the signed refresh request of
/// Platform SSO, write a type that builds the request from ``RefreshAttempt/refreshToken``, sends it, opens the answer,
/// and tells how it went.
///
/// The manager calls one method at a time for each login and never cancels it: once bytes have left, the answer
/// matters. What decides whether a token gets lost is the difference between ``RefreshFailure/Kind/notSent`` and
/// ``RefreshFailure/Kind/noAnswer``: when in doubt, it is the latter.
public protocol TokenRefresher: Sendable {
  /// Sends one refresh request and reads the answer.
  func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome

  /// Tells the server that tokens are not needed any more. Whether it succeeds does not matter. There is no default:
  /// without this, tokens live on after a logout, so a refresher whose server has no such thing says so by doing
  /// nothing.
  func revoke(refreshToken: String) async
}

/// What one refresh request needs.
public struct RefreshAttempt: Sendable {
  /// The refresh token to send.
  public let refreshToken: String
  /// The scope to ask for; nil to ask for what was granted.
  public let scope: String?
  /// The nonce for DPoP that the server asked for.
  public let dpopNonce: String?
  /// How many requests for this rotation have gone before: 0 for the first.
  public let attemptNumber: Int
  let loginID: WireName
  let generation: UInt64
}

extension RefreshAttempt: Redacted {}
