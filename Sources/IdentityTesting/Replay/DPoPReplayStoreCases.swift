import JOSE

/// What a `DPoPVerifier` relies on where it remembers proofs.
public enum DPoPReplayStoreCases {
  /// All rules.
  public static let all = common.all + rules

  private static let common = NotedOnceCases<any DPoPReplayStore, DPoPReplayEntry>(
    noted: "proof", maker: ("a", "key"),
    entry: { key, name, lifetime in
      DPoPReplayEntry(
        thumbprint: key, tokenID: name, isBoundToAccessToken: true,
        expiry: NumericDate(1_760_000_000).advanced(by: lifetime))
    },
    record: { try await $0.record($1, now: $2) })

  private static let rules: [StoreCase<any DPoPReplayStore>] = [
    StoreCase("a proof without an access token is remembered, too") { place in
      var unbound = common.entry("k", "1", 60)
      unbound.isBoundToAccessToken = false
      _ = try await place.open().record(unbound, now: common.now)
      return try await place.open().record(unbound, now: common.now) == .seen
    }
  ]
}
