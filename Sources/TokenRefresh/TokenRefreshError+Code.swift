import StrictJSON

extension TokenRefreshError {
  /// Who is at fault.
  public enum Fault: Sendable {
    /// The program that calls this library, or the client's configuration at the server.
    case callerMisuse
    /// Bytes from outside that are no legal message.
    case malformedMessage
    /// A legal message that is not acceptable.
    case rejected
    /// The login has ended.
    case loginEnded
    /// The other side or a store could not be reached. Trying later may help.
    case unavailable
  }

  /// What went wrong. More codes may be added; compare, don't switch exhaustively.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: StaticString

    /// Who is at fault.
    public let fault: Fault

    private init(_ name: StaticString, _ fault: Fault) {
      self.name = name
      self.fault = fault
    }

    /// The code's stable name.
    public var description: String { "\(name)" }

    /// Compares the stable names.
    public static func == (lhs: Code, rhs: Code) -> Bool { lhs.description.hasSameBytes(as: rhs.description) }

    /// Hashes the stable name.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    // MARK: Client

    /// The user has to log in again. ``TokenRefreshError/logoutReason`` says why.
    public static let reauthenticationRequired = Code("reauthenticationRequired", .loginEnded)
    /// Nobody is logged in.
    public static let loggedOut = Code("loggedOut", .loginEnded)
    /// No token can be had now, but the user is still logged in.
    public static let temporarilyUnavailable = Code("temporarilyUnavailable", .unavailable)
    /// The server refuses the client or its request, not the token. Tokens are kept.
    public static let configuration = Code("configuration", .callerMisuse)
    /// The caller's task was cancelled.
    public static let cancelled = Code("cancelled", .callerMisuse)
    /// The store failed.
    public static let storage = Code("storage", .unavailable)
    /// A stored record can't be read.
    public static let recordMalformed = Code("recordMalformed", .malformedMessage)
    /// A refreshed ID token is not the continuation of the one before.
    public static let identityTokenInvalid = Code("identityTokenInvalid", .rejected)
    /// A setting is out of range.
    public static let settingInvalid = Code("settingInvalid", .callerMisuse)

    // MARK: Provider

    /// A request is no legal refresh request.
    public static let invalidRequest = Code("invalidRequest", .malformedMessage)
    /// The client is unknown or did not prove who it is.
    public static let invalidClient = Code("invalidClient", .rejected)
    /// The refresh token is unknown, rotated, expired or revoked, or belongs to somebody else. Which one is not told.
    public static let invalidGrant = Code("invalidGrant", .rejected)
    /// More scope is asked for than was granted.
    public static let invalidScope = Code("invalidScope", .rejected)
    /// A resource is asked for that was not granted.
    public static let invalidTarget = Code("invalidTarget", .rejected)
    /// The grant type is another one.
    public static let unsupportedGrantType = Code("unsupportedGrantType", .rejected)
    /// The provider could not build its answer. Nothing was rotated.
    public static let serverError = Code("serverError", .unavailable)
  }
}
