import JOSE

/// The result of a password check.
package enum PasswordVerdict: Sendable {
  /// The password is right, and the user may log in.
  case right(User)
  /// The password is wrong, or the user doesn't exist or is disabled: the answer doesn't tell which.
  case wrong
  /// Too many attempts: the next one must wait this many seconds. If they are attempts at this name, and not of this
  /// network, the user has other ways to log in.
  case blocked(seconds: Int, isOfName: Bool)
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
  ///   - device: the name of a device that has proved its key. Where the user has logged in on it before, guesses from
  ///     elsewhere don't make it wait.
  ///   - code: a code of the user's second factor. With a right one, guesses from elsewhere don't make the user wait. A
  ///     password that is right after a wrong code is wrong.
  package func checkPassword(
    _ password: String, of username: String, from address: SourceAddress, cookie: String? = nil,
    device: String? = nil, after code: String? = nil
  ) async throws -> PasswordVerdict {
    let account = try await users.user(named: username)
    let name = String(decoding: UserRepository.key(username).prefix(400), as: UTF8.self)
    let deviceKey = account.flatMap { account in device.map { "device \($0) of \(account.id)" } }
    // All networks of a site share one turn.
    var (source, isStranger, isProved) = (address.site, true, true)
    var (budgets, rules) = (budgets(of: address), guessRules(of: account, named: name, from: address))
    if code != nil {
      rules = [guessRule("after code " + name, of: account)]
    } else if let account, let cookie, isKnownBrowser(cookie, of: account) {
      source = "browser " + cookie.prefix { $0 != "." }
      (budgets, isStranger) = ([budget(source)], false)
      rules = [guessRule("\(source) of \(account.id)", of: account)]
    } else if let account, let deviceKey, try await guesses.isRemembered(deviceKey) {
      rules = [guessRule(deviceKey, of: account)]
    }
    if let wait = try await limiter.attempt(budgets) {
      await audit.record(.init("login.blocked", address: address))
      return .blocked(seconds: wait, isOfName: false)
    }
    if let code {
      switch try await checkFirst(code, of: account, named: name) {
      case .right: break
      // The password is looked at all the same, since the time would tell which of the two was wrong.
      case .wrong: (isProved, rules) = (false, [])
      case .blocked(let wait):
        await audit.record(.init("login.blocked", user: account?.id, address: address, detail: "code first"))
        return .blocked(seconds: wait, isOfName: true)
      }
    }
    if let wait = try await guesses.attempt(rules).wait {
      await audit.record(.init("login.blocked", user: account?.id, address: address, detail: "guesses in a row"))
      return .blocked(seconds: wait, isOfName: true)
    }
    let proved: User?
    do {
      proved = try await user(
        isProved ? account : nil, provedBy: String(password.prefix(1024)), from: source, isStranger: isStranger)
    } catch {
      // It was not looked at: too many wait for their turn, or who sent it has gone.
      try? await guesses.takeBack(rules)
      throw error
    }
    guard let user = proved, user.isEnabled else {
      await audit.record(.init("login.failed", user: account?.id, address: address))
      return .wrong
    }
    try await limiter.succeeded(budgets)
    try await guesses.succeeded(rules)
    if let deviceKey { try await guesses.remember(deviceKey, of: user.id) }
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
