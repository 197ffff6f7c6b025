import OpenIDKit
/// What to do after a token exchange has failed: one row of the recovery table.
package struct RecoveryDecision: Sendable, Hashable {
  /// The next step.
  package enum Action: Sendable, Hashable {
    /// Read the store again. If another app has changed the pair, try once with the new one; otherwise delete the pair
    /// and log in.
    case retryIfPairChanged
    /// Try once more with `openid` alone.
    case retryWithOpenIDOnly
    /// Try again after this time.
    case retryAfter(Duration)
    /// Log in. The app that holds the login may refresh its ID token.
    case logInOrAwaitNewIDToken
    /// Log in: what is held will bring no more tokens.
    case logIn
    /// Log in at once, and leave the endpoint alone for this time.
    case logInAndPause(Duration)
    /// Make a DPoP proof that is right, with the server's nonce if it sent one. Without DPoP: log in.
    case renewProof
    /// The registration is wrong. A login is going to fail too; tell the developer.
    case reportConfigurationError
  }

  /// How the exchange failed.
  package enum Failure: Error, Hashable {
    /// With an OAuth error.
    case refused(OAuthErrorResponse)
    /// Without an answer, or with one that is not an OAuth message.
    case transient
  }

  /// What has been tried before.
  package struct Attempts: Sendable, Hashable {
    /// Retries after transient failures.
    package var transientRetries = 0
    /// Whether a newer pair has been tried.
    package var triedNewerPair = false
    /// Whether `openid` alone has been tried.
    package var triedOpenIDOnly = false
    /// Whether the app can do without its further scopes.
    package var scopesAreOptional = false

    /// Nothing yet.
    package init() {}
  }

  /// The next step.
  package let action: Action
  /// Whether the pair stays in the store. If not, it is deleted once the retry, if there is one, has failed as well.
  package let keepsPair: Bool
  /// Whether this app stops trying until its configuration changes.
  package let disablesSSO: Bool

  private init(_ action: Action, keepsPair: Bool = true, disablesSSO: Bool = false) {
    self.action = action
    self.keepsPair = keepsPair
    self.disablesSSO = disablesSSO
  }

  /// The pause when a server names none.
  private static let defaultPause = Duration.seconds(60)
  /// The longest pause that a server can impose.
  static let maximumPause = Duration.seconds(900)

  /// Decides.
  package init(after failure: Failure, attempts: Attempts = Attempts()) {
    guard case .refused(let error) = failure else {
      self = Self.transient(attempts)
      return
    }
    switch error.code {
    case .invalidGrant: self.init(attempts.triedNewerPair ? .logIn : .retryIfPairChanged, keepsPair: false)
    case .invalidRequest:
      // RFC 8693 §2.2.2 prescribes it where others say invalid_grant, but one app's faulty request says it too: the
      // pair is all apps', and the login that follows replaces it.
      self.init(attempts.triedNewerPair ? .logIn : .retryIfPairChanged)
    case .invalidToken: self.init(.logInOrAwaitNewIDToken)
    case .accessDenied, .invalidTarget: self.init(.logIn, disablesSSO: true)
    case .unauthorizedClient, .unsupportedGrantType: self.init(.logIn, disablesSSO: true)
    case .interactionRequired: self.init(.logIn)
    case .invalidScope:
      self.init(attempts.scopesAreOptional && !attempts.triedOpenIDOnly ? .retryWithOpenIDOnly : .logIn)
    case .invalidClient: self.init(.reportConfigurationError)
    case .slowDown:
      self.init(.logInAndPause(min(error.retryAfter ?? Self.defaultPause, Self.maximumPause)))
    case .invalidDPoPProof, .useDPoPNonce: self.init(.renewProof)
    case .serverError, .temporarilyUnavailable: self = Self.transient(attempts)
    default: self.init(.logIn)
    }
  }

  /// An exchange is not idempotent, it consumes a use: two retries at most, after one and two seconds.
  private static func transient(_ attempts: Attempts) -> RecoveryDecision {
    RecoveryDecision(attempts.transientRetries < 2 ? .retryAfter(.seconds(1 + attempts.transientRetries)) : .logIn)
  }
}
