import JOSE

/// Runs a token store through what a ``TokenManager`` relies on.
public enum TokenStoreConformance {
  /// Checks a store.
  ///
  /// - Parameter makeStore: a store with nothing in it, another one each time.
  /// - Returns: a sentence for each rule that was broken. Empty if the store conforms.
  /// - Throws: what the store throws.
  public static func check(makeStore: @Sendable () async throws -> any TokenStore) async throws -> [String] {
    var findings: [String] = []
    func require(_ holds: Bool, _ rule: String) {
      if !holds { findings.append(rule) }
    }
    let store = try await makeStore()
    let first = record("\u{E9}", revision: 1)
    let second = record("\u{E9}", revision: 2)
    require(try await store.load() == nil, "an empty store has no record")
    require(try await !store.replace(first.version, with: first), "what is not there is not replaced")
    require(try await store.replace(nil, with: first), "an empty store takes a record")
    require(try await !store.replace(nil, with: second), "a record is not overwritten by who expects none")
    require(
      try await store.load()?.serialized() == first.serialized(), "what was written is read, with every member")
    require(
      try await !store.replace(second.version, with: second), "only who knows the revision writes")
    let equivalent = TokenRecord.Version(loginID: "e\u{301}", revision: 1)
    require(try await !store.replace(equivalent, with: second), "login identifiers are compared as bytes")
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 { group.addTask { try await store.replace(first.version, with: second) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    require(winners == 1, "of simultaneous writers one wins")
    require(try await store.load()?.serialized() == second.serialized(), "what the winner wrote is there")
    require(try await !store.replace(first.version, with: nil), "only who knows the revision removes")
    require(try await store.replace(second.version, with: nil), "who knows it does")
    require(try await store.load() == nil, "what was removed is gone")
    require(try await store.replace(nil, with: first), "a removed record makes room for the next")
    let other = try await makeStore()
    require(try await other.load() == nil, "stores don't share a record")
    return findings
  }

  private static func record(_ loginID: String, revision: UInt64) -> TokenRecord {
    var record = TokenRecord(
      loginID: loginID, revision: revision, generation: .max, kind: .refreshable, subject: "\u{1F600}",
      accessToken: "access \(revision)", tokenType: "Bearer", scope: "a b", issuedAt: NumericDate(1_760_000_000),
      lifetime: 0.5, refreshToken: "refresh \(revision)", idToken: "x.y.z", lastFullLogin: NumericDate(-5))
    record.refreshTokenExpiration = NumericDate(1_790_000_000)
    record.pendingRotation = .init(startedAt: NumericDate(7), refreshTokenFingerprint: "0123456789abcdef")
    return record
  }
}
