import JOSE

/// Somebody who logs in.
package struct User: Sendable {
  /// `sub`: random, and never another's.
  package let id: String
  /// What the user types to log in.
  package var username: String
  package var email: String
  package var isEmailVerified: Bool
  package var isAdmin: Bool
  /// False for one who must not log in.
  package var isEnabled: Bool
  /// Whether a second factor is asked for.
  package var hasSecondFactor: Bool
  /// The standard claims but `sub`, `email` and `preferred_username`: `name`, `address` and so on.
  package var claims: JSONObject
  /// The password in its stored form: what was allowed by it holds until another one replaces it.
  package var storedPassword = ""
  package let createdAt: NumericDate
  package var updatedAt: NumericDate

  package init(
    id: String, username: String, email: String, isEmailVerified: Bool = true, isAdmin: Bool = false,
    isEnabled: Bool = true, hasSecondFactor: Bool = false, claims: JSONObject = [:],
    createdAt: NumericDate, updatedAt: NumericDate
  ) {
    (self.id, self.username, self.email, self.isEmailVerified) = (id, username, email, isEmailVerified)
    (self.isAdmin, self.isEnabled) = (isAdmin, isEnabled)
    (self.hasSecondFactor, self.claims) = (hasSecondFactor, claims)
    (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
  }

  /// What pages call the user.
  package var displayName: String { claims["name"]?.stringValue ?? username }
}
