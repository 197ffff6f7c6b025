import JOSE

/// What can go wrong in logging in with OpenID Connect and in refreshing tokens only.
extension ErrorCode {
  /// The user has to log in again. ``OpenIDError/logoutReason`` says why.
  public static let reauthenticationRequired = Self("reauthenticationRequired", .loginEnded)

  /// No token can be had now, but the user is still logged in.
  public static let temporarilyUnavailable = Self("temporarilyUnavailable", .unavailable)

  /// The server refuses the client or its request, not the token. Tokens are kept.
  public static let configuration = Self("configuration", .callerMisuse)

  /// The caller's task was cancelled.
  public static let cancelled = Self("cancelled", .callerMisuse)

  /// A login was finished before, or begun too long ago.
  public static let loginOver = Self("loginOver", .rejected)

  /// A request is not a legal refresh request.
  public static let invalidRequest = Self("invalidRequest", .malformedMessage)

  /// The client is unknown or did not prove who it is.
  public static let invalidClient = Self("invalidClient", .rejected)

  /// The refresh token is unknown, rotated, expired or revoked, or belongs to another client; the authorization code is
  /// unknown, used or expired, or what goes with it is not right. Which one is not told.
  public static let invalidGrant = Self("invalidGrant", .rejected)

  /// More scope is asked for than was granted.
  public static let invalidScope = Self("invalidScope", .rejected)

  /// A resource is asked for that was not granted.
  public static let invalidTarget = Self("invalidTarget", .rejected)

  /// The grant type is another one.
  public static let unsupportedGrantType = Self("unsupportedGrantType", .rejected)

  /// The provider could not build its answer. Nothing was rotated.
  public static let serverError = Self("serverError", .unavailable)

  /// Too many requests for one thing, such as a refresh token: answer 429.
  public static let tooManyRequests = Self("tooManyRequests", .unavailable)
}
