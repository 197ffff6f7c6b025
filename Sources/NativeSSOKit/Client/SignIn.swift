/// A login that succeeded.
public struct SignIn: Sendable {
  /// How the user got in.
  public enum Origin: Sendable, Hashable {
    /// Through the browser.
    case interactive
    /// Silently, by the vendor's pair. Tell the user.
    case silent
    /// By a refresh token.
    case refresh
  }

  /// What became of the shared pair.
  public enum Sharing: Sendable, Hashable {
    /// A new pair was stored: other apps can sign in silently.
    case stored
    /// The stored pair stays as it was.
    case unchanged
    /// The provider gave no device secret. The login stands.
    case unavailable
    /// A device secret came but must not be used. `ErrorCode.deviceSecretBindingMismatch` means that
    /// somebody may have tampered with the response. The login stands.
    case discarded(NativeSSOError)
  }

  /// The app's tokens.
  public let tokens: TokenSet
  /// How the user got in.
  public let origin: Origin
  /// What became of the shared pair.
  public let sharing: Sharing
  /// Whether the ID token names no session, so that the provider can't tie the pair to one.
  public let lacksSessionBinding: Bool
}

/// The outcome of a silent attempt.
public enum SilentSignIn: Sendable {
  /// The user is in.
  case signedIn(SignIn)
  /// The user must log in, for this reason.
  case loginRequired(LoginReason)
}

/// Why the user must log in.
public enum LoginReason: Sendable, Hashable {
  /// No app of the vendor has logged in on this device.
  case noPair
  /// The provider does not offer Native SSO.
  case notSupported
  /// The user has signed out of this app and not asked to come back.
  case signedOutByUser
  /// The provider has refused this app before; that stays until the configuration changes.
  case refusedEarlier(OAuthErrorCode)
  /// The provider asked for a pause, which has that many seconds left.
  case paused(seconds: Int)
  /// The provider refused, with what follows from it.
  case refused(OAuthErrorCode, RecoveryDecision)
  /// The provider did not answer usefully.
  case unreachable
  /// The provider's answer was not acceptable.
  case responseRejected(NativeSSOError)
  /// The shared store, or the app's own, failed.
  case storeFailed
}
