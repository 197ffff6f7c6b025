import StrictJSON

/// What an ID token that comes with a refresh has to have in common with the login's.
///
/// Source: OpenID Connect Core 1.0 (errata set 2) §12.2.
package enum IDTokenContinuation {
  /// The claim by which a renewed ID token is not the login's; nil if it is.
  ///
  /// - Parameter original: the login's token. It was verified when it came, and may have expired since.
  package static func fault(of renewed: JSONObject, continuing original: String) -> String? {
    guard let claims = try? UnverifiedJWS(parsing: original).unverifiedClaims else { return "id_token" }
    return fault(of: renewed, continuing: claims)
  }

  /// The same for claims: same issuer, subject, audience in whatever order, and authorized party; the time of the
  /// login, if both name it, the same; the nonce absent or unchanged.
  package static func fault(of renewed: JSONObject, continuing original: JSONObject) -> String? {
    for name in ["iss", "sub"] {
      guard let value = renewed[name]?.nameValue, value == original[name]?.nameValue else { return name }
    }
    guard let audience = audience(renewed), let before = Self.audience(original),
      audience.allSatisfy(before.contains), before.allSatisfy(audience.contains)
    else { return "aud" }
    guard value("azp", renewed) == value("azp", original) else { return "azp" }
    if let time = value("auth_time", renewed) {
      guard let seconds = time.doubleValue, seconds == original["auth_time"]?.doubleValue ?? seconds else {
        return "auth_time"
      }
    }
    if let nonce = value("nonce", renewed), nonce != original["nonce"] { return "nonce" }
    return nil
  }

  /// A claim. `null` says nothing, so it is as good as no claim.
  private static func value(_ name: String, _ claims: JSONObject) -> JSONValue? {
    guard let value = claims[name], !value.isNull else { return Optional.none }
    return value
  }

  private static func audience(_ claims: JSONObject) -> [JSONValue]? {
    switch claims["aud"] {
    case .string(let name)?: [.string(name)]
    case .array(let names)?: names
    default: nil
    }
  }
}
