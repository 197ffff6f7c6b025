import JOSE

/// Runs a store of families through what a ``RefreshTokenService`` relies on.
public enum RefreshTokenFamilyStoreConformance {
  /// Checks a store.
  ///
  /// - Parameter makeStore: a store with nothing in it, another one each time.
  /// - Returns: a sentence for each rule that was broken. Empty if the store conforms.
  /// - Throws: what the store throws.
  public static func check(
    makeStore: @Sendable () async throws -> any RefreshTokenFamilyStore
  ) async throws -> [String] {
    try await basics(makeStore()) + selections(makeStore()) + removal(makeStore())
  }

  private static func basics(_ store: any RefreshTokenFamilyStore) async throws -> [String] {
    var findings: [String] = []
    func require(_ holds: Bool, _ rule: String) {
      if !holds { findings.append(rule) }
    }
    guard let first = family(1) else { return findings }
    require(try await store.family(first.id) == nil, "an empty store has no family")
    require(try await !store.replace(expecting: 1, with: first), "what is not there is not replaced")
    let inserted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 { group.addTask { try await store.insert(first) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    require(inserted == 1, "a name is taken once")
    require(try await store.family(first.id) == first, "what was written is read, with every member")
    var next = first
    next.version = 2
    next.generation = .max
    next.rotatedAt = NumericDate(1_760_000_000)
    next.replayCount = 3
    next.status = .revoked(LogoutReason("of its own"), at: NumericDate(1_760_000_001))
    require(try await !store.replace(expecting: 2, with: next), "only who knows the version writes")
    let winners = try await withThrowingTaskGroup(of: Bool.self) { [next] group in
      for _ in 0..<32 { group.addTask { try await store.replace(expecting: 1, with: next) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    require(winners == 1, "of simultaneous writers one wins")
    require(try await store.family(first.id) == next, "what the winner wrote is there, with every member")
    return findings
  }

  private static func selections(_ store: any RefreshTokenFamilyStore) async throws -> [String] {
    var findings: [String] = []
    var families: [RefreshTokenFamily] = []
    for (number, subject) in [(1, "\u{E9}"), (2, "e\u{301}"), (3, "\u{E9}")] {
      guard let family = family(UInt8(number), subject: subject, createdAt: 100 - number) else { continue }
      families.append(family)
      _ = try await store.insert(family)
    }
    families.sort { $0.createdAt < $1.createdAt }
    var revoked = families[0]
    revoked.version += 1
    revoked.status = .revoked(.reuse, at: NumericDate(200))
    _ = try await store.replace(expecting: 1, with: revoked)
    families[0] = revoked
    let all: [FamilySelection] = [
      .subject("\u{E9}"), .client("client"), .subjectAndClient("e\u{301}", "client"), .session("session"),
      .deviceSecret("secret"), .createdBefore(NumericDate(98)), .subject("nobody"), .client("Client"),
    ]
    for selection in all {
      let fitting = families.filter(selection.includes)
      if try await store.families(selection) != fitting.map(\.id) {
        findings.append("all that fit are found, the oldest first, strings compared as bytes: \(selection)")
      }
      if try await store.activeFamilies(selection) != fitting.filter({ $0.status == .active }).map(\.id) {
        findings.append("those that are active are found: \(selection)")
      }
    }
    return findings
  }

  private static func removal(_ store: any RefreshTokenFamilyStore) async throws -> [String] {
    var findings: [String] = []
    func require(_ holds: Bool, _ rule: String) {
      if !holds { findings.append(rule) }
    }
    guard var ended = family(1), let expired = family(2), var endless = family(3) else { return findings }
    ended.status = .revoked(.reuse, at: NumericDate(500))
    endless.absoluteExpiration = nil
    for family in [ended, expired, endless] { _ = try await store.insert(family) }
    try await store.removeFamilies(endedBefore: NumericDate(500))
    require(try await store.family(ended.id) != nil, "what ended at the date stays")
    try await store.removeFamilies(endedBefore: NumericDate(501))
    require(try await store.family(ended.id) == nil, "what was revoked before the date goes")
    require(try await store.family(expired.id) != nil, "what has not ended stays")
    try await store.removeFamilies(endedBefore: NumericDate(1_000_001))
    require(try await store.family(expired.id) == nil, "what expired before the date goes")
    require(try await store.family(endless.id) != nil, "what never expires stays")
    return findings
  }

  private static func family(
    _ number: UInt8, subject: String = "subject", createdAt: Int = 10
  ) -> RefreshTokenFamily? {
    guard let id = RefreshTokenFamily.ID(octets: [UInt8](repeating: number, count: 16)) else { return nil }
    let grant = RefreshGrant(
      subject: subject, clientID: "client", sessionID: "session", scope: ["a", "b"], resources: ["https://r.example"],
      confirmation: "thumbprint", deviceSecretID: "secret", authenticationTime: NumericDate(5))
    return RefreshTokenFamily(
      id: id, version: 1, grant: grant, createdAt: NumericDate(createdAt), absoluteExpiration: NumericDate(1_000_000),
      lastUsedAt: NumericDate(createdAt), status: .active, generation: 1, rotatedAt: nil, replayCount: 0)
  }
}
