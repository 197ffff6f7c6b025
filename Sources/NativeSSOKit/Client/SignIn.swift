import JOSE
import OpenIDKit

/// A login that succeeded.
public struct SignIn: Sendable {
  /// How the user got in.
  public enum Origin: Sendable, Hashable {
    /// Through the browser.
    case interactive
    /// Silently, by the vendor's pair. Tell the user.
    case silent
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
    /// an attacker may have changed the response. The login stands.
    case discarded(JOSEError)
  }

  /// The app's tokens. A session's manager keeps them.
  public let tokens: TokenAnswer
  /// The user, as this app's provider names them.
  public let subject: String
  /// `sid`. Without one, the provider can't tie the pair to a session.
  public let sessionID: String?
  /// How the user got in.
  public let origin: Origin
  /// What became of the shared pair.
  public package(set) var sharing: Sharing
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
  /// The provider asked for a pause, which lasts that much longer, in whole seconds.
  case paused(Duration)
  /// The provider refused, with this code: `invalid_client` tells that the registration is wrong.
  case refused(OAuthErrorCode)
  /// The provider did not answer usefully.
  case unreachable
  /// The provider's answer was not acceptable.
  case responseRejected(JOSEError)
  /// The shared store, or the app's own, failed.
  case storeFailed
}
