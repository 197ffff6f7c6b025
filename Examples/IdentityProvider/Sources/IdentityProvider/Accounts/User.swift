import JOSE

/// Somebody who logs in.
package struct User: Sendable {
  /// `sub`: random, and never another's.
  package let id: String
  /// What the user types to log in.
  package var username: String
  package var email: String
  package var isEmailVerified = true
  package var isAdmin = false
  /// False for one who must not log in.
  package var isEnabled = true
  /// Whether a second factor is asked for.
  package var hasSecondFactor = false
  /// The standard claims but `sub`, `email` and `preferred_username`: `name`, `address` and so on.
  package var claims: JSONObject = [:]
  /// The password in its stored form: what was allowed by it holds until another one replaces it.
  package var storedPassword = ""
  package let createdAt: NumericDate
  package var updatedAt: NumericDate

  /// What pages call the user.
  package var displayName: String { claims["name"]?.stringValue ?? username }
}
