import JOSE

/// Which of a user's claims a client gets: those of its scopes, and of those that it asked for by name the ones that
/// the user has agreed to. Names that protocols use are no attributes.
enum ReleasedClaims {
  /// The names of the claims that are released of those that a request asked for.
  ///
  /// - Parameters:
  ///   - asked: the names that the request asked for one by one.
  ///   - scopes: what the client was granted.
  ///   - consent: what the user has agreed to, as it is now.
  static func names(of asked: [String], scopes: [String], consent: Consent?) -> [String] {
    let known = names(of: scopes)
    return asked.filter { known.contains($0) || (isAttribute($0) && consent?.covers(claim: $0) ?? false) }
  }

  /// The names that scopes stand for.
  static func names(of scopes: [String]) -> [String] {
    Scopes.claims.filter { scopes.contains($0.scope) }.flatMap(\.value)
  }

  /// The names that a user must agree to one by one: no scope of the request stands for them, and the user has them.
  static func namesToAgree(of asked: [String], scopes: [String], user: User) -> [String] {
    let known = names(of: scopes)
    let ownNames = ["email", "email_verified", "preferred_username", "updated_at"]
    var names: [String] = []
    for name in asked where isAttribute(name) && !known.contains(name) && !names.contains(name) {
      if ownNames.contains(name) || user.claims[name] != nil { names.append(name) }
    }
    return names
  }

  /// Whether a name can be that of a user's attribute. Those that tokens and protocols use have a meaning of their own.
  static func isAttribute(_ name: String) -> Bool { !protocolNames.contains { $0.utf8.elementsEqual(name.utf8) } }

  private static let protocolNames = [
    "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "acr", "amr", "azp", "sid", "auth_time", "at_hash",
    "c_hash", "s_hash", "ds_hash", "events", "cnf", "act", "may_act", "sub_jwk", "scope", "client_id", "roles",
    "entitlements", "authorization_details", "active", "token_type", "_claim_names", "_claim_sources",
  ]
}
