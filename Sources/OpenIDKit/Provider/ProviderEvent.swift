/// What happened at an ``OpenIDProvider``, for logs and counters. It holds no secret.
public enum ProviderEvent: Sendable, Hashable {
  /// A refresh token was used, or its login has ended.
  case refreshToken(RefreshTokenEvent)
  /// A code was used, or refused.
  case code(AuthorizationCodeEvent)
  /// A client got a code for its user.
  case codeIssued(clientID: String, userID: String)
  /// A client got the tokens of a code.
  case tokensIssued(clientID: String, scopes: [String])
  /// A user has typed a code that no device shows. Many of these are guesses.
  case unknownUserCode(userID: String, source: String)
  /// A client has ended an access token of its own.
  case accessTokenRevoked(clientID: String, userID: String?)
  /// A request for tokens, or about one, came from no client, or its client didn't prove itself.
  case clientRefused
}
