import JOSE

/// A user, as the database has it.
package struct User: Sendable {
  /// `sub`: random, and never given to another user.
  package let id: String
  /// The name that the user types to log in.
  package var username: String
  package var email: String
  package var isEmailVerified = true
  package var isAdmin = false
  /// Whether the user may log in.
  package var isEnabled = true
  /// Whether a second factor is asked for.
  package var hasSecondFactor = false
  /// The standard claims but `sub`, `email` and `preferred_username`: `name`, `address` and so on.
  package var claims: JSONObject = [:]
  /// The password in its stored form. Codes that depend on it end when another one replaces it.
  package var storedPassword = ""
  package let createdAt: NumericDate
  package var updatedAt: NumericDate

  /// The name that pages show.
  package var displayName: String { claims["name"]?.stringValue ?? username }
}
