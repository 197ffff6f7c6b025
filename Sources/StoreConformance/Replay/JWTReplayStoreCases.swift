import JOSE

/// What a `SingleUseJWTVerifier` relies on where it remembers tokens.
public enum JWTReplayStoreCases {
  /// All rules.
  public static let all = rules + texts

  /// Whatever issuers and tokens are called, they are compared octet by octet.
  private static let texts: [StoreCase<any JWTReplayStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) names a token, and no other") { place in
        _ = try await place.open().record(entry("i", text), now: now)
        let store = try await place.open()
        let isSeen = try await store.record(entry("i", text), now: now) == .seen
        return try await allHold(isSeen, store.record(entry("i", AwkwardText.twin(of: text)), now: now) == .new)
      },
      StoreCase("\(name) names an issuer, and no other") { place in
        _ = try await place.open().record(entry(text, "1"), now: now)
        let store = try await place.open()
        let isSeen = try await store.record(entry(text, "1"), now: now) == .seen
        return try await allHold(isSeen, store.record(entry(AwkwardText.twin(of: text), "1"), now: now) == .new)
      },
    ]
  }

  private static let rules: [StoreCase<any JWTReplayStore>] = [
    StoreCase("a token is new once") { place in
      let store = try await place.open()
      let first = try await store.record(entry("i", "1"), now: now)
      let second = try await store.record(entry("i", "1"), now: now)
      return first == .new && second == .seen
    },
    StoreCase("a token that was seen is known when the store is opened again") { place in
      _ = try await place.open().record(entry("i", "1"), now: now)
      return try await place.open().record(entry("i", "1"), now: now) == .seen
    },
    StoreCase("a token is named by its issuer and its name together, each of which ends where it ends") { place in
      let store = try await place.open()
      _ = try await store.record(entry("https://a.example", "bc"), now: now)
      for other in [
        entry("https://a.exampleb", "c"), entry("https://a.exampl", "ebc"), entry("bc", "https://a.example"),
        entry("https://a.example", "b"), entry("https://a.example", "bcd"), entry("https://b.example", "bc"),
      ] {
        guard try await store.record(other, now: now) == .new else { return false }
      }
      return true
    },
    StoreCase("a token is the same whenever it expires") { place in
      let store = try await place.open()
      _ = try await store.record(entry("i", "1"), now: now)
      for lifetime in [59.0, 61, 6000] {
        guard try await store.record(entry("i", "1", lifetime: lifetime), now: now) == .seen else { return false }
      }
      return true
    },
    StoreCase("a token is remembered to its last moment, and fractions of a second count") { place in
      let store = try await place.open()
      for (name, lifetime) in [("1", 60.0), ("2", 60.75)] {
        _ = try await store.record(entry("i", name, lifetime: lifetime), now: now)
        let last = now.advanced(by: lifetime)
        guard try await store.record(entry("i", name, lifetime: lifetime), now: last) == .seen else { return false }
      }
      return true
    },
    StoreCase("a token is not new again in the minute after it has expired") { place in
      let store = try await place.open()
      _ = try await store.record(entry("i", "1"), now: now)
      return try await store.record(entry("i", "1"), now: now.advanced(by: 61)) != .new
    },
    StoreCase("what others have outlived is not new when the clock is set back") { place in
      let store = try await place.open()
      _ = try await store.record(entry("i", "1"), now: now)
      let ahead = now.advanced(by: 100)
      for issuer in ["i", "another"] {
        guard try await store.record(entry(issuer, "2", lifetime: 160), now: ahead) == .new else { return false }
      }
      return try await store.record(entry("i", "1"), now: now) != .new
    },
    StoreCase("an issuer that makes many tokens leaves room for others") { place in
      let store = try await place.open()
      for number in 0..<200 { _ = try await store.record(entry("i", "\(number)"), now: now) }
      return try await store.record(entry("another", "1"), now: now) == .new
    },
    StoreCase("simultaneous records of many tokens are all new, and all seen afterwards") { place in
      let new = try await place.successes { store, number in
        try await store.record(entry("i\(number % 3)", "\(number)"), now: now) == .new
      }
      let seen = try await place.successes { store, number in
        try await store.record(entry("i\(number % 3)", "\(number)"), now: now) == .seen
      }
      return new == 32 && seen == 32
    },
    StoreCase("of simultaneous records one is new") { place in
      let new = try await place.successes { store, _ in try await store.record(entry("i", "1"), now: now) == .new }
      return new == 1
    },
    StoreCase("a record that is cut off has happened or not") { place in
      for number in 0..<16 {
        let verdict = try await place.cancelled { try await $0.record(entry("i", "\(number)"), now: now) }
        let again = try await place.open().record(entry("i", "\(number)"), now: now)
        if verdict == .new, again != .seen { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share tokens") { place in
      _ = try await place.open().record(entry("i", "1"), now: now)
      return try await place.other.open().record(entry("i", "1"), now: now) == .new
    },
  ]

  private static let now = NumericDate(1_760_000_000)

  private static func entry(_ issuer: String, _ name: String, lifetime: Double = 60) -> JWTReplayEntry {
    JWTReplayEntry(issuer: issuer, tokenID: name, expiry: now.advanced(by: lifetime))
  }
}
