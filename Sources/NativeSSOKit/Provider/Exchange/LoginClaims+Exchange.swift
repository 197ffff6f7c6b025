import JOSE
import OpenIDKit

extension LoginClaims {
  /// The login that an exchange shares: that of its ID token, whatever the user has done in the session since.
  init(sharing claims: IDTokenClaims, in session: AuthenticationSession) {
    let isKnown =
      claims.authenticationTime.map { Self.isSame($0, session) } ?? (session.authenticatedAt <= claims.issuedAt)
    self.init(
      time: claims.authenticationTime ?? (isKnown ? session.authenticatedAt : nil),
      context: claims.authenticationContext ?? (isKnown ? session.authenticationContext : nil),
      methods: isKnown ? session.authenticationMethods : nil)
  }
}
