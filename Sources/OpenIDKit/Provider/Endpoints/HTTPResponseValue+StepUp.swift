import JOSE
import StrictJSON

extension HTTPResponseValue {
  /// What a resource server answers a token whose login was not strong enough, or is too long ago: its client sends the
  /// user to the provider with these `acr_values` and this `max_age`.
  ///
  /// Source: RFC 9470 §3.
  ///
  /// - Parameters:
  ///   - contexts: the acceptable kinds of login (`acr`), best first. Those of other characters than
  ///     RFC 6750 §3 allows in a challenge are left out.
  ///   - maximumAge: how long ago the user may have logged in, in whole seconds; nil for any time.
  ///   - isBound: whether the token is bound to a key, and its scheme therefore `DPoP`.
  public static func insufficientUserAuthentication(
    contexts: [String] = [], maximumAge: Duration? = nil, isBound: Bool = false
  ) -> HTTPResponseValue {
    let error = "insufficient_user_authentication"
    var challenge = "\(isBound ? "DPoP" : "Bearer") error=\"\(error)\""
    let names = contexts.filter(\.isScopeName)
    if !names.isEmpty { challenge += ", acr_values=\"\(names.joined(separator: " "))\"" }
    if let maximumAge { challenge += ", max_age=\"\(max(0, maximumAge.wholeSeconds))\"" }
    return .json(401, ["error": .string(error)], [("WWW-Authenticate", challenge)])
  }
}
