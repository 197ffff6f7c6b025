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
    StoreCase("an issuer that makes many tokens leaves room for others") { place in
      let store = try await place.open()
      for number in 0..<200 { _ = try await common.note("\(number)", in: store) }
      return try await common.note("1", of: "another", in: store) == .new
    },
  ]
}
