/// In which state a login is, for user interfaces and telemetry.
public enum TokenState: Sendable, Hashable {
  /// No user is logged in.
  case loggedOut
  /// The access token is good for a while.
  case fresh
  /// The access token is good, but it is time to refresh.
  case due
  /// The access token is not good any more; a refresh will bring another.
  case expired
  /// A refresh is under way.
  case refreshing(accessTokenIsUsable: Bool)
  /// A refresh failed and will be tried again.
  case backingOff(accessTokenIsUsable: Bool)
  /// A refresh may have happened without its answer having been stored.
  case uncertain
  /// The server refuses the client. Tokens are kept.
  case misconfigured
  /// The login has no refresh token: it ends with its access token.
  case nonRefreshable
  /// The user has to log in again.
  case reauthenticationRequired(LogoutReason)
}
