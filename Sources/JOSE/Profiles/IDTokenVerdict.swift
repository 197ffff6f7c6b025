/// What the check of an ID token has come to.
///
/// Only a bad token ends a login. Where the check could not look, nothing is known of the token: it is not used, what
/// came with it is kept, and the check is made again later.
package enum IDTokenVerdict: Sendable, Hashable {
  /// What kept the check from looking.
  package enum Obstacle: Sendable, Hashable {
    /// The keys could not be had.
    case keys
    /// By the clock here, the token has expired or is not valid yet, although it has just come: one of the two clocks
    /// is wrong.
    case clocks
  }

  /// The token is authentic, and the one that is expected.
  case good
  /// The token is forged, or another login's.
  case bad
  /// Nothing is known of the token.
  case couldNotLook(Obstacle)

  /// What an error says about a token that has just come from the issuer.
  package init(_ error: JOSEError) {
    if error.isLackOfKeys || error.fault == .callerMisuse {
      self = .couldNotLook(.keys)
    } else if error.code == .claimNotYetValid || error.code == .claimExpired && ["exp", "iat"].contains(error.name) {
      self = .couldNotLook(.clocks)
    } else {
      self = .bad
    }
  }
}
