public import JOSE

/// A decision of ``BearerTokens`` about a request, for logs and metrics. It never holds a token.
public struct BearerTokenEvent: Sendable {
  /// A decision. More may be added; don't switch exhaustively.
  public enum Kind: Sendable, Hashable {
    /// The request passed.
    case accepted
    /// There was no token of an accepted scheme: 401.
    case noToken
    /// There were several `Authorization` fields, or the field held no token: 400.
    case requestInvalid
    /// The token was refused: 401. The error repeats nothing that a sender wrote.
    case tokenRefused(JOSEError)
    /// The proof of possession was refused: 401.
    case proofRefused(JOSEError)
    /// The token lacks a required scope: 403.
    case insufficientScope
    /// Keys or records were not available: 503.
    case unavailable(JOSEError)
    /// The middleware is configured wrongly: 500.
    case misconfigured(JOSEError)
  }

  /// The decision.
  public let kind: Kind
  /// The time that it took, waiting included.
  public let duration: Duration
}
