/// The scopes that clients can request.
enum Scopes {
  /// The consent page's text for a scope.
  static func explanation(_ scope: String) -> String {
    switch scope {
    case "openid": "Recognise you"
    case "profile": "See your name and profile"
    case "email": "See your email address"
    case "address": "See your postal address"
    case "phone": "See your telephone number"
    case "offline_access": "Stay logged in when you are not there"
    case "device_sso": "Share this login with other apps of the same vendor on this device"
    default: scope
    }
  }
}

/// How strongly the user was authenticated (`acr`).
enum AuthenticationContext {
  static let password = "urn:idp:acr:password"
  static let twoFactors = "urn:idp:acr:two-factors"
  static let all = [password, twoFactors]
}
