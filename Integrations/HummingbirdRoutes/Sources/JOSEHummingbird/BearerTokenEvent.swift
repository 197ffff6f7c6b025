public import JOSE

/// What ``BearerTokens`` decided about a request, for logs and metrics. Never a token.
public struct BearerTokenEvent: Sendable {
  /// A decision. More may be added; don't switch exhaustively.
  public enum Kind: Sendable, Hashable {
    /// The request passed.
    case accepted
    /// There was no token of a scheme that is taken: 401.
    case noToken
    /// There were several `Authorization` fields, or what stood there was no token: 400.
    case requestInvalid
    /// The token was refused: 401. The error holds nothing that a sender wrote.
    case tokenRefused(JOSEError)
    /// The proof of possession was refused: 401.
    case proofRefused(JOSEError)
    /// The token lacks a required scope: 403.
    case insufficientScope
    /// Keys or records could not be had: 503.
    case unavailable(JOSEError)
    /// The middleware was set up wrongly: 500.
    case misconfigured(JOSEError)
  }

  /// What was decided.
  public let kind: Kind
  /// How long that took, with what was waited for.
  public let duration: Duration
}
