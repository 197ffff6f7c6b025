/// The result of a password check.
package enum PasswordVerdict: Sendable {
  /// The password is right, and the user may log in.
  case right(User)
  /// The password is wrong, or the user doesn't exist or is disabled: the answer doesn't tell which.
  case wrong
  /// Too many attempts: the next one must wait this many seconds.
  case blocked(seconds: Int)
}

extension Provider {
  /// Checks a password from any form or device. Each attempt counts and takes the same time for every name. A failure
  /// leaves a row in the audit log; for a success, the caller writes it.
  ///
  /// - Parameters:
  ///   - password: as it was typed.
  ///   - username: as it was typed.
  ///   - address: the address that sent it.
  ///   - cookie: the browser's ``Provider/knownBrowserCookie``.
  package func checkPassword(
    _ password: String, of username: String, from address: SourceAddress, cookie: String? = nil
  ) async throws -> PasswordVerdict {
    let account = try await users.user(named: username)
    // All networks of a site share one turn.
    var source = address.site
    let name = "name " + String(decoding: UserRepository.key(username).prefix(400), as: UTF8.self)
    // Attempts at one name are slowed, wherever they come from, and whether or not it has a user: so a client can't
    // learn which users exist.
    var budgets = budgets(of: address)
    budgets.append(budget(name + " from " + address.network))
    budgets.append(
      .init(key: name, limit: settings.loginAttemptsPerMinute * 2, interval: 3, countsWaiting: false))
    var isStranger = true
    if let account, let cookie, isKnownBrowser(cookie, of: account) {
      source = "browser " + cookie.prefix { $0 != "." }
      (budgets, isStranger) = ([budget(source)], false)
    }
    if let wait = try await limiter.attempt(budgets) {
      await audit.record(.init("login.blocked", address: address))
      return .blocked(seconds: wait)
    }
    let isRight = try await passwords.isValid(
      String(password.prefix(1024)), for: account?.storedPassword, from: source, isStranger: isStranger)
    guard isRight, let user = account, user.isEnabled else {
      await audit.record(.init("login.failed", user: account?.id, address: address))
      return .wrong
    }
    try await limiter.succeeded(budgets)
    return .right(user)
  }
}
