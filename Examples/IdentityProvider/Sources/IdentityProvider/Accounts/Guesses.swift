import JOSE

/// The rules for guesses at passwords and codes.
extension Provider {
  var guesses: GuessCounter { GuessCounter(database: database, clock: clock) }

  /// The rule of one source: a browser, a device, a network or a session.
  func guessRule(_ key: String, of user: User?, limit: Int = GuessCounter.limit, isTold: Bool = false)
    -> GuessCounter.Rule
  {
    .init(
      key: key, user: user?.id, free: settings.loginAttemptsPerMinute, interval: settings.loginBlockDuration,
      limit: limit, isTold: isTold)
  }

  /// The rules of strangers, who guess at a name. They are the same whether or not it has a user, so that none can
  /// learn which users exist. A network alone can't end the guesses of others, but four can: the user has other ways
  /// to log in.
  func guessRules(of account: User?, named name: String, from address: SourceAddress) -> [GuessCounter.Rule] {
    [
      guessRule("name \(name) from \(address.network)", of: account, limit: 30),
      .init(
        key: "name " + name, user: account?.id, free: settings.loginAttemptsPerMinute * 2, interval: 3,
        isShared: true, isTold: true),
    ]
  }

  /// The result of checking a code of a second factor.
  enum CodeVerdict {
    case right
    case wrong
    case blocked(seconds: Int)

    /// What the user is told; nil if the code is right.
    var problem: String? {
      switch self {
      case .right: nil
      case .wrong: "This code is wrong, expired or already used. Enter a new one, or a recovery code."
      case .blocked(let wait):
        "Too many wrong codes. Try again in \(wait) seconds, or enter a recovery code: those needn't wait."
      }
    }
  }

  /// Checks a code of a second factor, and uses it up. A recovery code can't be guessed, and needn't wait for guesses.
  ///
  /// - Parameters:
  ///   - cookie: the browser's ``Provider/knownBrowserCookie``: where the user has logged in before, guesses from
  ///     elsewhere don't count.
  func checkCode(
    _ code: String, of user: User, from address: SourceAddress, cookie: String?
  ) async throws -> CodeVerdict {
    var rule = guessRule(GuessCounter.codePrefix + user.id, of: user, isTold: true)
    if let cookie, isKnownBrowser(cookie, of: user) {
      rule = guessRule("\(GuessCounter.codePrefix)\(user.id) browser \(cookie.prefix { $0 != "." })", of: user)
    }
    return try await check(code, of: user, by: rule, budgets(of: address))
  }

  /// Checks a code that comes together with the password, because guesses at the password have closed the way without
  /// one.
  func checkFirst(_ code: String, of account: User?, named name: String) async throws -> CodeVerdict {
    try await check(code, of: account, by: guessRule("code first " + name, of: account), [])
  }

  private func check(
    _ code: String, of user: User?, by rule: GuessCounter.Rule, _ budgets: [LoginLimiter.Budget]
  ) async throws -> CodeVerdict {
    let isRecovery = SecondFactors.isRecoveryCode(code)
    if isRecovery, let wait = try await limiter.attempt(budgets) { return .blocked(seconds: wait) }
    if !isRecovery, let wait = try await guesses.attempt([rule]).wait { return .blocked(seconds: wait) }
    guard let user, try await secondFactors.isValid(code, of: user.id) else { return .wrong }
    if isRecovery { try await limiter.succeeded(budgets) } else { try await guesses.succeeded([rule]) }
    return .right
  }
}

extension GuessCounter.Verdict {
  /// The seconds to wait; nil for none. What is closed may be asked again after an hour.
  var wait: Int? {
    switch self {
    case .allowed: nil
    case .wait(let seconds): seconds
    case .closed: 3600
    }
  }
}
