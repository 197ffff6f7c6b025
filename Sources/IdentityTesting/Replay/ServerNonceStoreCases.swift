import JOSE
import PlatformSSOKit

/// What an `IdentityProvider` relies on where its nonces come from.
public enum ServerNonceStoreCases {
  /// All rules.
  public static let all = rules + texts

  /// Whatever a nonce is given to, it is compared octet by octet; what was never made is unknown, whatever it is.
  private static let texts: [StoreCase<any ServerNonceStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) is what a nonce is given to, and nothing else") { place in
        let nonce = try await place.open().makeServerNonce(boundTo: text, at: now)
        let store = try await place.open()
        let stranger = try await store.useServerNonce(nonce, boundTo: AwkwardText.twin(of: text), at: now)
        return try await allHold(
          stranger == .unknown, store.useServerNonce(nonce, boundTo: text, at: now) == .accepted)
      },
      StoreCase("\(name) is no nonce") { place in
        let store = try await place.open()
        let nonce = try await store.makeServerNonce(boundTo: "", at: now)
        for other in [text, nonce + text + "x", text + "x" + nonce] {
          guard try await store.useServerNonce(other, boundTo: "", at: now) == .unknown else { return false }
        }
        return try await store.useServerNonce(nonce, boundTo: "", at: now) == .accepted
      },
    ]
  }

  private static let rules: [StoreCase<any ServerNonceStore>] = [
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
    StoreCase("a nonce is good on a machine whose clock is a little behind") { place in
      let nonce = try await place.open().makeServerNonce(boundTo: "", at: now)
      let verdict = try await place.open().useServerNonce(nonce, boundTo: "", at: now.advanced(by: -0.005))
      return verdict == .accepted
    },
    StoreCase("a nonce that was used is not good again when the clock is set back") { place in
      let store = try await place.open()
      let nonce = try await store.makeServerNonce(boundTo: "", at: now)
      _ = try await store.useServerNonce(nonce, boundTo: "", at: now.advanced(by: 1))
      for seconds in [-1, 0, 86_400, 1.0] {
        guard try await store.useServerNonce(nonce, boundTo: "", at: now.advanced(by: seconds)) != .accepted else {
          return false
        }
      }
      return true
    },
    StoreCase("nonces that are made at once are all different, and all good") { place in
      let good = try await place.successes { store, number in
        let nonce = try await store.makeServerNonce(boundTo: "\(number)", at: now)
        return try await store.useServerNonce(nonce, boundTo: "\(number)", at: now) == .accepted
      }
      return good == 32
    },
    StoreCase("of simultaneous uses the one that names what it was given to is accepted") { place in
      let nonce = try await place.open().makeServerNonce(boundTo: "3", at: now)
      let accepted = try await place.successes { store, number in
        try await store.useServerNonce(nonce, boundTo: "\(number)", at: now) == .accepted
      }
      return accepted == 1
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
