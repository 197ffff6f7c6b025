import JOSEHummingbird
import PureCrypto

/// Browsers in which a user has logged in before: strangers who guess at the password keep nobody waiting there.
///
/// Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies.
extension Provider {
  static let knownBrowserCookie = HostCookie("known", lifetime: 180 * 86_400)

  /// What the cookie of a user's browser says: a name, and a code that only this provider can make for the user.
  func knownBrowser(of user: User, named name: String = RandomText.make(byteCount: 16)) -> String {
    name + "." + code("known " + name, of: user)
  }

  /// Who has given the password that the account has still.
  func passwordGiven(by user: User) -> String { "\(user.id) \(code("pending", of: user))" }

  /// What only this provider can write, for as long as the user has this password.
  func code(_ purpose: String, of user: User) -> String {
    secrets.nonceCode.text(of: "\(purpose) \(user.id) \(user.storedPassword)")
  }

  /// Whether a cookie is of a browser of this user.
  func isKnownBrowser(_ cookie: String, of user: User) -> Bool {
    let name = String(cookie.prefix { $0 != "." })
    return ConstantTime.equal(knownBrowser(of: user, named: name).utf8, cookie.utf8)
  }
}
