import JOSE

/// An administrator's changes of a user.
package struct UserChange: Sendable {
  package var email: String?
  /// `User.claims`: replaces all previous ones.
  package var claims: JSONObject?
  package var isAdmin: Bool?
  package var password: String?
  package var removesSecondFactor = false
  /// Removes passkeys, linked accounts and employee cards.
  package var removesPasskeys = false
  /// Takes passwords and codes from everywhere again, after wrong ones have ended that.
  package var reopens = false

  package init() {}
}

/// Changes of existing users and clients, by page and by command.
extension Provider {
  /// An attacker who had the account may have left other ways to log in: a recovery replaces the password, and removes
  /// the second factor and passkeys with linked accounts and cards.
  ///
  /// - Parameter administrator: the user who makes the change; nil for a command.
  /// - Throws: `RuleRefusal`, what the database throws.
  package func change(_ user: User, _ change: UserChange, by administrator: String? = nil) async throws {
    let detail = administrator.map { "by " + $0 } ?? "command line"
    func note(_ event: String) async { await audit.record(.init(event, user: user.id, detail: detail)) }
    if let email = change.email { try AccountRules.check(email: email) }
    if let claims = change.claims { try AccountRules.check(claims: claims) }
    // Hashing takes time and may be refused, so it comes before any change.
    let password: String? = if let new = change.password { try await passwords.hash(new) } else { nil }
    if let isAdmin = change.isAdmin {
      guard try await users.setAdministrator(isAdmin, of: user.id) else {
        throw RuleRefusal(description: "This is the last administrator: make another user an administrator first.")
      }
      await note(isAdmin ? "user.administrator" : "user.noAdministrator")
    }
    if let email = change.email {
      try await users.set(email: email, of: user.id)
      await note("user.email")
    }
    if let claims = change.claims {
      try await users.set(claims: claims, of: user.id)
      await note("user.claims")
    }
    if change.reopens || change.password != nil {
      try await guesses.reopen(user.id)
      if change.reopens { await note("user.reopened") }
    }
    guard password != nil || change.removesSecondFactor || change.removesPasskeys else { return }
    var lostAnswer: RecordOutcomeUnknown?
    do {
      try await database.write { session in
        if let password { try users.setPassword(password, of: user.id, in: session) }
        if change.removesSecondFactor { try users.setSecondFactor(nil, of: user.id, in: session) }
        if change.removesPasskeys { try passkeys.removeAll(of: user.id, in: session) }
      }
    } catch let error as RecordOutcomeUnknown {
      // The change was made or not. If it was, nothing else would end what rests on what was before.
      lostAnswer = error
    }
    if change.removesPasskeys {
      for part in extensions { try await part.unlinkAccounts(of: user.id) }
      try await cards?.withdrawAll(of: user.id)
      cardStatuses.forget()
    }
    try await endAll(of: user.id)
    if let lostAnswer { throw lostAnswer }
    if password != nil { await note("password.replaced") }
    if change.removesSecondFactor { await note("secondFactor.removed") }
    if change.removesPasskeys { await note("passkeys.removed") }
  }

  /// Changes a client, and returns it with its new secret if it gets one; nil if there is no such client.
  package func change(
    client id: String, renewingSecret: Bool, by administrator: String? = nil,
    _ change: @escaping @Sendable (inout Client) throws -> Void
  ) async throws -> (client: Client, secret: String?)? {
    let changed = try await clients.update(id) { client -> String? in
      try change(&client)
      return renewingSecret ? client.makeSecret() : nil
    }
    guard let (client, secret) = changed else { return nil }
    await audit.record(
      .init(secret == nil ? "client.changed" : "client.secretRenewed", user: administrator, client: client.id))
    return (client, secret)
  }

  /// Lets a client be used, or ends all logins there. False if there is no such client.
  func setEnabled(_ isEnabled: Bool, client id: String) async throws -> Bool {
    guard try await clients.update(id, { $0.isEnabled = isEnabled }) != nil else { return false }
    guard !isEnabled else { return true }
    try await refreshTokens.revoke(.client(id), .consentWithdrawn)
    // Other processes may have redeemed codes of it until they saw that.
    try await Task.sleep(for: .seconds(ClientRepository.cacheLifetime + 0.5))
    try await refreshTokens.revoke(.client(id), .consentWithdrawn)
    return true
  }
}
