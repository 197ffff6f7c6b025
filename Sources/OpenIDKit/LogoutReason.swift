import StrictJSON

/// Why a login has ended or a family of tokens was revoked. More reasons may be added; compare, don't switch
/// exhaustively.
public struct LogoutReason: Hashable, Sendable, CustomStringConvertible {
  /// The reason's stable name.
  public let description: String

  /// The reason of that name: one of those below, or one of your own.
  ///
  /// - Parameter name: stable, for it is stored. Never anything secret. Control characters are dropped: it stands in
  ///   logs, and an administrator may have written it.
  public init(_ name: String) {
    description = String(
      String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control }))
  }

  /// Compares the stable names.
  public static func == (lhs: LogoutReason, rhs: LogoutReason) -> Bool {
    WireName(lhs.description) == rhs.description
  }

  /// Hashes the stable name.
  public func hash(into hasher: inout Hasher) { description.utf8.forEach { hasher.combine($0) } }

  // MARK: Seen by the client

  /// The server refused the refresh token after a clean history: it was revoked, or has expired.
  public static let invalidGrant = LogoutReason("invalidGrant")
  /// The server refused the refresh token after an answer had been lost: the successor is gone.
  public static let lostRotation = LogoutReason("lostRotation")
  /// The login came without a refresh token, and its access token has expired.
  public static let notRefreshable = LogoutReason("notRefreshable")
  /// The server demands that the user logs in.
  public static let loginRequired = LogoutReason("loginRequired")
  /// Refreshing kept failing, and the settings count that as a logout.
  public static let refreshFailed = LogoutReason("refreshFailed")
  /// A refreshed ID token was about another user or not authentic.
  public static let identityTokenInvalid = LogoutReason("identityTokenInvalid")

  // MARK: Told by the server or by the app

  /// The user was disabled or deleted.
  public static let userDisabled = LogoutReason("userDisabled")
  /// The user changed the password.
  public static let passwordChanged = LogoutReason("passwordChanged")
  /// The server withdrew tokens in bulk.
  public static let maintenance = LogoutReason("maintenance")
  /// An administrator ended it.
  public static let administrator = LogoutReason("administrator")

  // MARK: Seen by the provider

  /// A refresh token was presented again that had been replaced.
  public static let reuse = LogoutReason("reuse")
  /// The client asked for it (RFC 7009).
  public static let revokedByClient = LogoutReason("revokedByClient")
  /// The session at the provider ended.
  public static let sessionEnded = LogoutReason("sessionEnded")
  /// The user withdrew consent, or the client was disabled.
  public static let consentWithdrawn = LogoutReason("consentWithdrawn")
  /// The user has too many logins with this client.
  public static let tooManyLogins = LogoutReason("tooManyLogins")
  /// The login could not be begun after all: no client has a token of the family.
  public static let notIssued = LogoutReason("notIssued")
  /// The family was too old, or not used for too long.
  public static let expired = LogoutReason("expired")
}
