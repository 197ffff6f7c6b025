import JOSE

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
    let proved = try await user(
      account, provedBy: String(password.prefix(1024)), from: source, isStranger: isStranger)
    guard let user = proved, user.isEnabled else {
      await audit.record(.init("login.failed", user: account?.id, address: address))
      return .wrong
    }
    try await limiter.succeeded(budgets)
    return .right(user)
  }

  /// The user of an account, if a password is right; nil if it is wrong, or there is no account. A form that an older
  /// version has stored is written anew: then this is the user as stored now, since what depends on the form would
  /// otherwise take the new one for another password.
  func user(
    _ account: User?, provedBy password: String, from source: String = "", isStranger: Bool = false
  ) async throws -> User? {
    switch try await passwords.check(password, for: account?.storedPassword, from: source, isStranger: isStranger) {
    case .wrong: return nil
    case .right: return account
    case .outdated:
      // For a user who may not log in, the time of a second hash would tell that the password is right. Where too many
      // wait for one, the next login does it.
      guard let account, account.isEnabled, let renewed = try? await passwords.hash(password) else { return account }
      do {
        try await users.renewPassword(renewed, of: account)
      } catch is RecordOutcomeUnknown {
        // The account tells whether it was written.
      }
      guard let now = try await users.user(id: account.id) else { return nil }
      let isKnown = [account.storedPassword, renewed].contains(now.storedPassword)
      // Another login has written it at the same time, or the user has another password now.
      return isKnown ? now : try await user(now, provedBy: password, from: source, isStranger: isStranger)
    }
  }
}
