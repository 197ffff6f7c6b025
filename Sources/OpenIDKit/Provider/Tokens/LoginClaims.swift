import JOSE

/// What tokens say of the login that they rest on. A session's user may have logged in again since, for another app:
/// that is another login, and the tokens of the earlier one go on saying what they said.
///
/// Source: OpenID Connect Core 1.0 §2, §12.2.
package struct LoginClaims: Sendable {
  /// `auth_time`; nil if it isn't known any more.
  package let time: NumericDate?
  /// `acr`, if known.
  package let context: String?
  /// `amr`, if known.
  package let methods: [String]?

  /// The session's last login, on which new tokens rest.
  package init(of session: AuthenticationSession) {
    (time, context) = (session.authenticatedAt, session.authenticationContext)
    methods = session.authenticationMethods
  }

  /// The login that a refresh renews: that of the family. It doesn't know `amr`, which the session does as long as it
  /// is of the same login.
  package init(renewing renewed: RefreshedGrant, in session: AuthenticationSession) {
    guard let time = renewed.grant.authenticationTime else {
      // A program of its own began the family without saying when. The session's login is it, unless it came later.
      let isKnown = session.authenticatedAt <= renewed.beganAt
      (self.time, methods) = isKnown ? (session.authenticatedAt, session.authenticationMethods) : (nil, nil)
      context = renewed.grant.authenticationContext ?? (isKnown ? session.authenticationContext : nil)
      return
    }
    (self.time, context) = (time, renewed.grant.authenticationContext)
    methods = Self.isSame(time, session) ? session.authenticationMethods : nil
  }

  /// A login that another token tells of.
  package init(time: NumericDate?, context: String?, methods: [String]?) {
    (self.time, self.context, self.methods) = (time, context, methods)
  }

  /// Whether the session's last login was then. Tokens say whole seconds.
  package static func isSame(_ time: NumericDate, _ session: AuthenticationSession) -> Bool {
    time.wholeSeconds == session.authenticatedAt.wholeSeconds
  }
}
