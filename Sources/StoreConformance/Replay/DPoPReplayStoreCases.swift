import JOSE

/// What a `DPoPVerifier` relies on where it remembers proofs.
public enum DPoPReplayStoreCases {
  /// All rules.
  public static let all = rules + texts

  /// Whatever keys and proofs are called, they are compared octet by octet.
  private static let texts: [StoreCase<any DPoPReplayStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) names a proof, and no other") { place in
        _ = try await place.open().record(entry("k", text), now: now)
        let store = try await place.open()
        let isSeen = try await store.record(entry("k", text), now: now) == .seen
        return try await allHold(isSeen, store.record(entry("k", AwkwardText.twin(of: text)), now: now) == .new)
      },
      StoreCase("\(name) names a key, and no other") { place in
        _ = try await place.open().record(entry(text, "1"), now: now)
        let store = try await place.open()
        let isSeen = try await store.record(entry(text, "1"), now: now) == .seen
        return try await allHold(isSeen, store.record(entry(AwkwardText.twin(of: text), "1"), now: now) == .new)
      },
    ]
  }

  private static let rules: [StoreCase<any DPoPReplayStore>] = [
    StoreCase("a proof is new once") { place in
      let store = try await place.open()
      let first = try await store.record(entry("k", "1"), now: now)
      let second = try await store.record(entry("k", "1"), now: now)
      return first == .new && second == .seen
    },
    StoreCase("a proof that was seen is known when the store is opened again") { place in
      _ = try await place.open().record(entry("k", "1"), now: now)
      return try await place.open().record(entry("k", "1"), now: now) == .seen
    },
    StoreCase("a proof is named by its key and its name together, compared as bytes") { place in
      let store = try await place.open()
      _ = try await store.record(entry("k", "\u{E9}"), now: now)
      for other in [entry("K", "\u{E9}"), entry("k", "e\u{301}"), entry("k", "\u{C9}"), entry("k\u{E9}", "")] {
        guard try await store.record(other, now: now) == .new else { return false }
      }
      return true
    },
    StoreCase("a proof is remembered to its last moment") { place in
      let store = try await place.open()
      _ = try await store.record(entry("k", "1"), now: now)
      return try await store.record(entry("k", "1"), now: now.advanced(by: 60)) == .seen
    },
    StoreCase("what others have outlived is not new when the clock is set back") { place in
      let store = try await place.open()
      _ = try await store.record(entry("k", "1"), now: now)
      let ahead = now.advanced(by: 100)
      for key in ["k", "another"] {
        var later = entry(key, "2")
        later.expiry = ahead.advanced(by: 60)
        guard try await store.record(later, now: ahead) == .new else { return false }
      }
      return try await store.record(entry("k", "1"), now: now) != .new
    },
    StoreCase("a proof without an access token is remembered, too") { place in
      var unbound = entry("k", "1")
      unbound.isBoundToAccessToken = false
      _ = try await place.open().record(unbound, now: now)
      return try await place.open().record(unbound, now: now) == .seen
    },
    StoreCase("simultaneous records of many proofs are all new, and all seen afterwards") { place in
      let new = try await place.successes { store, number in
        try await store.record(entry("k\(number % 3)", "\(number)"), now: now) == .new
      }
      let seen = try await place.successes { store, number in
        try await store.record(entry("k\(number % 3)", "\(number)"), now: now) == .seen
      }
      return new == 32 && seen == 32
    },
    StoreCase("of simultaneous records one is new") { place in
      let new = try await place.successes { store, _ in try await store.record(entry("k", "1"), now: now) == .new }
      return new == 1
    },
    StoreCase("a record that is cut off has happened or not") { place in
      for number in 0..<16 {
        let verdict = try await place.cancelled { try await $0.record(entry("k", "\(number)"), now: now) }
        let again = try await place.open().record(entry("k", "\(number)"), now: now)
        if verdict == .new, again != .seen { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share proofs") { place in
      _ = try await place.open().record(entry("k", "1"), now: now)
      return try await place.other.open().record(entry("k", "1"), now: now) == .new
    },
  ]

  private static let now = NumericDate(1_760_000_000)

  private static func entry(_ key: String, _ name: String) -> DPoPReplayEntry {
    DPoPReplayEntry(
      thumbprint: key, tokenID: name, isBoundToAccessToken: true, expiry: now.advanced(by: 60))
  }
}
