import StrictJSON

/// A `scope` of an authorization: what the user is asked to share.
public enum AppleScope: String, Sendable, Hashable, CaseIterable {
  /// The user's name, in ``AppleUser``.
  case name
  /// The user's address, in ``AppleUser`` and in the identity token.
  case email

  /// The parameter's value: `name email`, or nil for no scope.
  static func text(_ scopes: Set<AppleScope>) -> String? {
    scopes.isEmpty ? nil : allCases.filter(scopes.contains).map(\.rawValue).joined(separator: " ")
  }
}
