import OpenIDKit
import PureCrypto

/// A sign-in that has begun.
public struct AppleSignInStart: Sendable {
  /// Where to send the browser.
  public let url: String
  /// What to put into the browser's cookie: `SameSite=None; Secure; HttpOnly`, for 10 minutes.
  public let handle: String
}

/// How a sign-in ended.
public enum AppleSignInOutcome: Sendable {
  /// With a verified user.
  case signedIn(AppleSignIn)
  /// The user pressed cancel.
  case cancelled
}

/// A finished sign-in. Store what it holds in one transaction, and answer the browser with a redirect.
public struct AppleSignIn: Sendable {
  /// Who it is, verified.
  public let identity: AppleIdentity
  /// What the user shared, at the first sign-in only. Untrusted.
  public let user: AppleUser?
  /// The tokens that Apple gave for the code; keep the refresh token on the server.
  public let tokens: TokenAnswer
}

extension AppleSignInStart: Redacted {}
