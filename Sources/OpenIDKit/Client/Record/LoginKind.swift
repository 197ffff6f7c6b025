/// What kind of login tokens came from. The raw values are stored.
public enum LoginKind: String, Sendable, Hashable, CaseIterable {
  /// The user proved who they are; a refresh token may come with it.
  case refreshable
  /// A user without credentials of their own.
  case anonymous = "pseudoUser"
  /// The app handed over an access token that it had from elsewhere.
  case explicitToken
  /// A device that keeps its token for good.
  case device = "thing"
}
