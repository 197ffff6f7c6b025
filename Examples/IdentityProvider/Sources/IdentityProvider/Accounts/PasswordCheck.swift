/// What the one check of passwords finds.
package enum PasswordVerdict: Sendable {
  /// It is the user's, who may log in.
  case right(User)
  /// It isn't, or there is no such user, or the user is disabled: nobody learns which.
  case wrong
  /// Too many have tried: for so many seconds nothing is looked at.
  case blocked(seconds: Int)
}

extension Provider {
  /// Checks a password, wherever it was typed: each attempt counts, takes the same time whoever it is, and leaves a row
  /// in the audit log unless it succeeds, which whoever goes on with it notes.
  ///
  /// - Parameters:
  ///   - password: as it was typed.
  ///   - username: as it was typed.
  ///   - address: where it came from.
  ///   - cookie: what a browser has of ``Provider/knownBrowserCookie``.
  package func checkPassword(
    _ password: String, of username: String, from address: SourceAddress, cookie: String? = nil
  ) async throws -> PasswordVerdict {
    let account = try await users.user(named: username)
    // All of a site have one turn together.
    var source = address.site
    let name = "name " + String(decoding: UserRepository.key(username).prefix(400), as: UTF8.self)
    // A name is slowed, wherever its attempts come from. It may have no user: nobody learns which do.
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
