import JOSEHummingbird
import PureCrypto

/// Browsers in which a user has logged in before: an attacker who guesses at the password elsewhere doesn't make the
/// user wait there.
///
/// Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies.
extension Provider {
  static let knownBrowserCookie = HostCookie("known", lifetime: 180 * 86_400)

  /// The cookie of a user's browser: a name, and a code that only this provider can make for the user.
  func knownBrowser(of user: User, named name: String = RandomText.make(byteCount: 16)) -> String {
    name + "." + code("known " + name, of: user)
  }

  /// Shows that a user has given the password, for as long as the account has this password.
  func passwordGiven(by user: User) -> String { "\(user.id) \(code("pending", of: user))" }

  /// A code that only this provider can make. It ends when the user's password changes.
  func code(_ purpose: String, of user: User) -> String {
    secrets.nonceCode.text(of: "\(purpose) \(user.id) \(user.storedPassword)")
  }

  /// Whether a cookie belongs to a browser of this user.
  func isKnownBrowser(_ cookie: String, of user: User) -> Bool {
    let name = String(cookie.prefix { $0 != "." })
    return ConstantTime.equal(knownBrowser(of: user, named: name).utf8, cookie.utf8)
  }
}
