import JOSE
import PlatformSSO

/// What an `IdentityProvider` relies on where its nonces come from.
public enum ServerNonceStoreCases {
  /// All rules.
  public static let all: [StoreCase<any ServerNonceStore>] = [
    StoreCase("a nonce is good once, and then used") { place in
      let store = try await place.open()
      let nonce = try await store.makeServerNonce(boundTo: "", at: now)
      let first = try await store.useServerNonce(nonce, boundTo: "", at: now)
      let second = try await store.useServerNonce(nonce, boundTo: "", at: now)
      return first == .accepted && second == .used
    },
    StoreCase("no two nonces are the same, and none is short") { place in
      let store = try await place.open()
      var nonces: Set<[UInt8]> = []
      for _ in 0..<64 { nonces.insert(Array(try await store.makeServerNonce(boundTo: "", at: now).utf8)) }
      return nonces.count == 64 && nonces.allSatisfy { $0.count >= 16 }
    },
    StoreCase("a nonce is good, and what was used is used, when the store is opened again") { place in
      let nonce = try await place.open().makeServerNonce(boundTo: "", at: now)
      let first = try await place.open().useServerNonce(nonce, boundTo: "", at: now)
      let second = try await place.open().useServerNonce(nonce, boundTo: "", at: now)
      return first == .accepted && second == .used
    },
    StoreCase("what was not made here is unknown") { place in
      let store = try await place.open()
      let nonce = try await store.makeServerNonce(boundTo: "", at: now)
      for other in ["", "x", nonce + "x", "' OR 1=1 --"] {
        guard try await store.useServerNonce(other, boundTo: "", at: now) == .unknown else { return false }
      }
      return true
    },
    StoreCase("a nonce is good for what it was given to, compared as bytes, and a wrong try does not use it up") {
      place in
      let store = try await place.open()
      let nonce = try await store.makeServerNonce(boundTo: "\u{E9}", at: now)
      for other in ["", "e\u{301}", "\u{C9}"] {
        guard try await store.useServerNonce(nonce, boundTo: other, at: now) == .unknown else { return false }
      }
      return try await store.useServerNonce(nonce, boundTo: "\u{E9}", at: now) == .accepted
    },
    StoreCase("a nonce of a day ago is not accepted") { place in
      let store = try await place.open()
      let nonce = try await store.makeServerNonce(boundTo: "", at: now)
      return try await store.useServerNonce(nonce, boundTo: "", at: now.advanced(by: 86_400)) != .accepted
    },
    StoreCase("of simultaneous uses one is accepted") { place in
      let nonce = try await place.open().makeServerNonce(boundTo: "", at: now)
      let accepted = try await place.successes { store, _ in
        try await store.useServerNonce(nonce, boundTo: "", at: now) == .accepted
      }
      return accepted == 1
    },
    StoreCase("a use that is cut off has happened or not") { place in
      for _ in 0..<16 {
        let nonce = try await place.open().makeServerNonce(boundTo: "", at: now)
        let verdict = try await place.cancelled { try await $0.useServerNonce(nonce, boundTo: "", at: now) }
        let again = try await place.open().useServerNonce(nonce, boundTo: "", at: now)
        if verdict == .accepted, again == .accepted { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share nonces") { place in
      let nonce = try await place.open().makeServerNonce(boundTo: "", at: now)
      return try await place.other.open().useServerNonce(nonce, boundTo: "", at: now) == .unknown
    },
  ]

  private static let now = NumericDate(1_760_000_000)
}
