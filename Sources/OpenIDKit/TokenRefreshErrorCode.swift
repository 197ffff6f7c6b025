import JOSE

/// What can go wrong in refreshing tokens. More codes may be added; compare, don't switch exhaustively.
public struct TokenRefreshErrorCode: ErrorCode {
  /// Who is at fault.
  public enum Fault: Sendable {
    /// The program that calls this library, or the client's configuration at the server.
    case callerMisuse
    /// Bytes from outside that are not a legal message.
    case malformedMessage
    /// A legal message that is not acceptable.
    case rejected
    /// The login has ended.
    case loginEnded
    /// The other side or a store could not be reached. Trying later may help.
    case unavailable
  }

  /// The code's stable name.
  public let description: String
  /// Who is at fault.
  public let fault: Fault

  private init(_ name: String, _ fault: Fault) { (description, self.fault) = (name, fault) }

  // MARK: Client

  /// The user has to log in again. ``TokenRefreshError/logoutReason`` says why.
  public static let reauthenticationRequired = Self("reauthenticationRequired", .loginEnded)
  /// Nobody is logged in.
  public static let loggedOut = Self("loggedOut", .loginEnded)
  /// No token can be had now, but the user is still logged in.
  public static let temporarilyUnavailable = Self("temporarilyUnavailable", .unavailable)
  /// The server refuses the client or its request, not the token. Tokens are kept.
  public static let configuration = Self("configuration", .callerMisuse)
  /// The caller's task was cancelled.
  public static let cancelled = Self("cancelled", .callerMisuse)
  /// The store failed.
  public static let storage = Self("storage", .unavailable)
  /// A stored record can't be read.
  public static let recordMalformed = Self("recordMalformed", .malformedMessage)
  /// An ID token is not authentic, not for this login, or not the continuation of the one before.
  public static let identityTokenInvalid = Self("identityTokenInvalid", .rejected)
  /// A setting is out of range.
  public static let settingInvalid = Self("settingInvalid", .callerMisuse)

  /// An answer is not what its specification says.
  public static let answerMalformed = Self("answerMalformed", .malformedMessage)

  // MARK: Logins

  /// A discovery document is not a legal one.
  public static let metadataInvalid = Self("metadataInvalid", .malformedMessage)
  /// A redirect is not the answer to the login that was begun.
  public static let redirectInvalid = Self("redirectInvalid", .malformedMessage)
  /// The provider has answered that it doesn't log the user in. ``TokenRefreshError/name`` is its error code.
  public static let loginRefused = Self("loginRefused", .rejected)
  /// A login was finished before, or begun too long ago.
  public static let loginOver = Self("loginOver", .rejected)

  // MARK: Provider

  /// A request is not a legal refresh request.
  public static let invalidRequest = Self("invalidRequest", .malformedMessage)
  /// The client is unknown or did not prove who it is.
  public static let invalidClient = Self("invalidClient", .rejected)
  /// The refresh token is unknown, rotated, expired or revoked, or belongs to somebody else; the authorization code is
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
}
