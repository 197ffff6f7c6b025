/// What happened to an authorization code, for audit. Never a code.
public struct AuthorizationCodeEvent: Sendable, Hashable {
  /// What kind of event. More may be added; don't switch exhaustively.
  public enum Kind: Sendable, Hashable {
    /// It was redeemed, and the tokens were made.
    case redeemed
    /// It was presented with a parameter that is not right, and is used up: `redirect_uri`, `code_verifier`,
    /// `dpop_jkt` or `resource`.
    case refused(parameter: String)
    /// Another client than its own presented it. It is left as it was: anybody could cause that who sees it.
    case wrongClient
    /// It was presented again. What it gave has ended.
    case reused
  }

  /// What kind of event.
  public let kind: Kind
  /// Which grant: ``AuthorizationCodeGrant/id``, which the tokens that came of the code have too.
  public let grantID: String
  /// The client that the code is for.
  public let clientID: String
  /// The user who logged in: ``AuthorizationCodeGrant/subject``.
  public let subject: String?
}
