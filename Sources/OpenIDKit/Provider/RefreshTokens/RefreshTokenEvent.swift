/// What happened to a family, for audit. Never a token.
public struct RefreshTokenEvent: Sendable, Hashable {
  /// What kind of event.
  public enum Kind: Sendable, Hashable {
    /// A token was redeemed and replaced.
    case rotated
    /// A rotation was repeated under the grace rule.
    case replayed
    /// A token was presented again outside the grace rule, this long after the rotation of the current one.
    case reuse(presentedGeneration: UInt64, timeSinceRotation: Duration)
    /// A token was presented without proof of its key. Nothing was revoked: anybody could cause that.
    case confirmationMismatch
    /// The family was revoked.
    case revoked(LogoutReason)
  }

  /// What kind of event.
  public let kind: Kind
  /// The family of tokens: one for each login.
  public let family: RefreshTokenFamily.ID
  /// `client_id` of the client that the tokens were issued to.
  public let clientID: String
  /// The user whose login it is: ``RefreshGrant/subject``.
  public let subject: String
  /// The current generation.
  public let generation: UInt64
}
