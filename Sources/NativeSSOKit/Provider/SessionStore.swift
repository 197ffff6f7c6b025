/// A directory of sessions and users that the provider's own program fills: the provider only reads it.
///
/// Changes last when they return, and are seen by all machines of the provider.
public protocol SessionStore: SessionDirectory {
  /// Adds a session, or writes it anew.
  ///
  /// - Throws: anything; the session is then added or not.
  func add(_ session: AuthenticationSession) async throws

  /// Ends a session; nothing happens if there is none of that name. Its device secrets and refresh tokens end with
  /// ``NativeSSOProvider/endSession(_:reason:)``, which comes after this.
  ///
  /// - Throws: anything; the session may then go on.
  func end(sessionID: String) async throws

  /// Adds or enables a user.
  ///
  /// - Throws: anything; the user is then added or not.
  func addUser(_ userID: String) async throws

  /// Disables a user.
  ///
  /// - Throws: anything; the user may then be active still.
  func disableUser(_ userID: String) async throws

  /// Records what a user agrees to, in place of what was recorded before.
  ///
  /// - Throws: anything; what was recorded before may then be there still.
  func grant(_ scopes: [String], userID: String, clientID: String) async throws
}
