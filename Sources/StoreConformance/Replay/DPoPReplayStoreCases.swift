import JOSE

/// What a `DPoPVerifier` relies on where it remembers proofs.
public enum DPoPReplayStoreCases {
  /// All rules.
  public static let all: [StoreCase<any DPoPReplayStore>] = [
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
