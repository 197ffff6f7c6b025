import StrictJSON

/// What a logout token says: that a session at the provider has ended, or all of a user's.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.4.
public struct BackChannelLogout: Sendable {
  /// `sub`: who is logged out, as the client knows the user.
  public let subject: String?
  /// `sid`: the session that has ended; nil for all of the user's.
  public let sessionID: String?

  /// A session of a user, or all of them.
  ///
  /// - Parameters:
  ///   - subject: `sub` of the client's ID tokens.
  ///   - sessionID: `sid` of them; nil for all sessions.
  public init(subject: String, sessionID: String? = nil) {
    (self.subject, self.sessionID) = (subject, sessionID)
  }

  /// A session, whosever it is.
  public init(sessionID: String) { (subject, self.sessionID) = (nil, sessionID) }

  /// What the claims of a verified logout token say; nil if they name neither a user nor a session.
  init?(_ claims: JSONObject) {
    (subject, sessionID) = (claims["sub"]?.stringValue, claims["sid"]?.stringValue)
    guard subject != nil || sessionID != nil else { return nil }
  }

  /// Whether a login of the client's ends by this.
  ///
  /// - Parameters:
  ///   - subject: `sub` of the login's ID token.
  ///   - sessionID: `sid` of it, if it has one. A login that names no session doesn't end with a session.
  public func ends(subject: String, sessionID: String?) -> Bool {
    if let ended = self.sessionID, sessionID.map({ WireName($0) }) != WireName(ended) { return false }
    return self.subject.map { WireName($0) == subject } ?? true
  }
}
