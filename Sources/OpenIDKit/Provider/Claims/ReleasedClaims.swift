import JOSE
import StrictJSON

/// Which of a user's claims a client gets: those of its scopes, and of those that it asked for by name the ones that
/// the user has agreed to. Names that protocols use are no attributes.
///
/// Source: OpenID Connect Core 1.0 §5.1, §5.4, §5.5.
package enum ReleasedClaims {
  /// The claims that a scope stands for.
  package static let ofScopes: KeyValuePairs<WireName, [String]> = [
    "profile": [
      "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
      "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
    ],
    "email": ["email", "email_verified"], "address": ["address"], "phone": ["phone_number", "phone_number_verified"],
  ]

  /// The names that scopes stand for.
  package static func names(of scopes: [String]) -> [String] {
    ofScopes.filter { scopes.contains($0.key) }.flatMap(\.value)
  }

  /// The names of the claims that are released of those that a request asked for.
  ///
  /// - Parameters:
  ///   - asked: the names that the request asked for one by one.
  ///   - scopes: what the client was granted.
  ///   - consent: what the user has agreed to, as it is now; nil for a client that needs no consent.
  package static func names(of asked: [String], scopes: [String], consent: Consent?) -> [String] {
    let known = names(of: scopes).wireNames
    return asked.filter { name in
      known.contains(name) || (isAttribute(name) && consent?.covers(claim: name) ?? true)
    }
  }

  /// The names, of those that a request asks for one by one, for which none of its scopes stands.
  package static func namesBeside(_ scopes: [String], in asked: [String]) -> [String] {
    let known = names(of: scopes).wireNames
    return asked.distinct.filter { isAttribute($0) && !known.contains($0) }
  }

  /// Whether a name can be that of a user's attribute. Those that tokens and protocols use have a meaning of their own.
  package static func isAttribute(_ name: String) -> Bool {
    !IDTokenDraft.ownClaims.contains(name) && !protocolNames.contains(name)
  }

  private static let protocolNames: [WireName] = [
    "scope", "client_id", "roles", "entitlements", "authorization_details", "active", "token_type", "_claim_names",
    "_claim_sources",
  ]
}

/// The claims that a request asks for one by one, for the userinfo endpoint and for the ID token.
///
/// Source: OpenID Connect Core 1.0 §5.5.
package struct ClaimsRequest: Sendable {
  package let userInfo, idToken: [String]

  /// The claims of both lists.
  package var names: [String] { userInfo + idToken }

  /// The names in the parameter `claims`.
  package init(asked: JSONObject) {
    func names(_ place: String) -> [String] { asked[place]?.objectValue?.members.map(\.name) ?? [] }
    (userInfo, idToken) = (names("userinfo"), names("id_token"))
  }

  /// Reads what ``stored`` wrote; nothing else says anything.
  package init(stored: JSONObject?) {
    func names(_ place: String) -> [String] { stored?[place]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    (userInfo, idToken) = (names("userinfo"), names("id_token"))
  }

  package var stored: JSONObject {
    ["userinfo": .array(userInfo.map { .string($0) }), "id_token": .array(idToken.map { .string($0) })]
  }
}
