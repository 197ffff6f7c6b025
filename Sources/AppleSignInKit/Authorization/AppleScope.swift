import StrictJSON

/// A `scope` of an authorization: what the user is asked to share.
public enum AppleScope: String, Sendable, Hashable, CaseIterable {
  /// The user's name, in ``AppleUser``.
  case name
  /// The user's address, in ``AppleUser`` and in the identity token.
  case email

  /// Reads a `scope` parameter: values separated by single spaces, in any order. `openid`, which Apple's discovery
  /// document lists, asks for nothing here.
  ///
  /// - Throws: `ErrorCode.scopeUnsupported` for a value that Apple does not know.
  package static func parse(_ text: String) throws(SignInWithAppleError) -> Set<AppleScope> {
    var scopes: Set<AppleScope> = []
    for value in text.utf8.split(separator: 0x20) {
      let value = String(Substring(value))
      if value.hasSameBytes(as: "openid") { continue }
      guard let scope = allCases.first(where: { $0.rawValue.hasSameBytes(as: value) }) else {
        throw SignInWithAppleError(.scopeUnsupported, "a scope is neither name nor email", name: "scope")
      }
      scopes.insert(scope)
    }
    return scopes
  }

  /// The parameter's value: `name email`, or nil for no scope.
  static func text(_ scopes: Set<AppleScope>) -> String? {
    scopes.isEmpty ? nil : allCases.filter(scopes.contains).map(\.rawValue).joined(separator: " ")
  }
}
