import JOSE

/// Adding users and clients.
extension Provider {
  /// Adds a user who may log in.
  ///
  /// - Parameter administrator: the user who adds it; nil for a command.
  /// - Throws: `RuleRefusal`, `UserRepository.NameTaken`, what the database throws.
  package func addUser(
    _ username: String, email: String, name: String?, claims more: JSONObject = [:], password: String,
    isAdmin: Bool = false, addedBy administrator: String? = nil
  ) async throws -> User {
    try AccountRules.check(username: username)
    try AccountRules.check(email: email)
    try AccountRules.check(claims: more)
    var claims = more
    if let name { claims["name"] = .string(name) }
    let stored = try await passwords.hash(password)
    let user = User(
      id: RandomText.make(byteCount: 16), username: username, email: email, isAdmin: isAdmin, claims: claims,
      storedPassword: stored, createdAt: clock.now, updatedAt: clock.now)
    try await users.add(user)
    let detail = [isAdmin ? "administrator" : nil, administrator.map { "by " + $0 }].compactMap { $0 }
    await audit.record(
      .init("user.added", user: user.id, detail: detail.isEmpty ? nil : detail.joined(separator: ", ")))
    return user
  }

  /// Adds an administrator to a database that has none who may log in, and returns the password; nil if there is one.
  /// Of two processes that begin at once, one adds it.
  package func addFirstAdministrator() async throws -> String? {
    guard try await !users.hasAdministrator() else { return nil }
    let password = RandomText.make(byteCount: 15)
    do {
      _ = try await addUser("admin", email: "admin@localhost", name: "Administrator", password: password, isAdmin: true)
    } catch is UserRepository.NameTaken {
      return nil
    }
    return password
  }

  /// Adds a client, and returns its secret, which is stored nowhere; nil for a client without one.
  package func addClient(_ client: Client, addedBy administrator: String? = nil) async throws -> String? {
    var client = client
    let secret = client.makeSecret()
    try await clients.put(client)
    await audit.record(.init("client.added", user: administrator, client: client.id))
    return secret
  }
}
