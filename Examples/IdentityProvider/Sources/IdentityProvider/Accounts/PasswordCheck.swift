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
  package func checkPassword(
    _ password: String, of username: String, from address: String
  ) async throws -> PasswordVerdict {
    let limits = ["address " + address, "name " + username.lowercased().prefix(200) + " from " + address]
    if let wait = try await limiter.attempt(limits) {
      await audit.record(.init("login.blocked", address: address))
      return .blocked(seconds: wait)
    }
    let account = try await users.account(username: username)
    let isRight = try await passwords.isValid(String(password.prefix(1024)), for: account?.password)
    guard isRight, let user = account?.user, user.isEnabled else {
      await audit.record(.init("login.failed", user: account?.user.id, address: address))
      return .wrong
    }
    try await limiter.succeeded(limits)
    return .right(user)
  }
}
