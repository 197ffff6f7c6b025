import JOSE

/// What a `SingleUseJWTVerifier` relies on where it remembers tokens.
public enum JWTReplayStoreCases {
  /// All rules.
  public static let all = common.all + rules

  private static let common = NotedOnceCases<any JWTReplayStore, JWTReplayEntry>(
    noted: "token", maker: ("an", "issuer"),
    entry: { issuer, name, lifetime in
      JWTReplayEntry(issuer: issuer, tokenID: name, expiry: NumericDate(1_760_000_000).advanced(by: lifetime))
    },
    record: { try await $0.record($1, now: $2) })

  private static let rules: [StoreCase<any JWTReplayStore>] = [
    StoreCase("a token is the same whenever it expires") { place in
      let store = try await place.open()
      _ = try await common.note("1", in: store)
      for lifetime in [59.0, 61, 6000] {
        guard try await common.note("1", in: store, lifetime: lifetime) == .seen else { return false }
      }
      return true
    },
    StoreCase("a token is not new again in the minute after it has expired") { place in
      let store = try await place.open()
      _ = try await common.note("1", in: store)
      return try await common.note("1", in: store, after: 61) != .new
    },
    StoreCase("asking whether a token was noted notes nothing") { place in
      let store = try await place.open()
      for _ in 0..<2 {
        guard try await !isNoted("1", in: store) else { return false }
      }
      return try await common.note("1", in: place.open()) == .new
    },
    StoreCase("a token is known as noted for as long as it is not new, also when the store is opened again") { place in
      _ = try await common.note("b\u{E9}", of: "a", in: place.open())
      let store = try await place.open()
      for seconds in [0.0, 60, 61] {
        guard try await isNoted("b\u{E9}", of: "a", in: store, after: seconds) else { return false }
      }
      for (issuer, name) in [("ab", "\u{E9}"), ("a", "be\u{301}"), ("A", "b\u{E9}"), ("a", "b")] {
        guard try await !isNoted(name, of: issuer, in: store) else { return false }
      }
      return true
    },
    StoreCase("an issuer that makes many tokens leaves room for others") { place in
      let store = try await place.open()
      for number in 0..<200 { _ = try await common.note("\(number)", in: store) }
      return try await common.note("1", of: "another", in: store) == .new
    },
    StoreCase("an issuer that the verifier names has no quota") { place in
      let store = try await place.open()
      // One more than the greatest quota that a store here has.
      for number in 0...10_000 {
        var entry = common.entry("i", "\(number)", 60)
        entry.limitsIssuer = false
        guard try await store.record(entry, now: common.now) == .new else { return false }
      }
      return true
    },
  ]
  private static func isNoted(
    _ name: String, of issuer: String = "m", in store: any JWTReplayStore, after seconds: Double = 0
  ) async throws -> Bool {
    let entry = JWTReplayEntry(issuer: issuer, tokenID: name, expiry: common.now.advanced(by: 60))
    return try await store.isNoted(entry, now: common.now.advanced(by: seconds))
  }
}
