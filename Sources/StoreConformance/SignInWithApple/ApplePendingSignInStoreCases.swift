import JOSE
import SignInWithApple

/// What a `AppleSignInClient` relies on where its sign-ins wait.
public enum ApplePendingSignInStoreCases {
  /// All rules. The sign-ins began at 1760000000, by the clock that the store should have.
  public static let all = rules + texts

  /// Whatever handles, states and apps are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<any ApplePendingSignInStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) is a handle, and no other") { place in
        _ = try await place.open().insert(full, handle: text)
        let store = try await place.open()
        let stranger = try await store.take(handle: AwkwardText.twin(of: text))
        return try await allHold(stranger == nil, store.take(handle: text)?.serialized() == full.serialized())
      },
      StoreCase("\(name) is kept in a sign-in, whatever it is") { place in
        var signIn = try full
        (signIn.clientID, signIn.state) = (text, text)
        let isKept = try await place.open().insert(signIn, handle: "a")
        return try await allHold(isKept, place.open().take(handle: "a")?.serialized() == signIn.serialized())
      },
    ]
  }

  private static let rules: [StoreCase<any ApplePendingSignInStore>] = [
    StoreCase("an empty store has no sign-in") { place in try await place.open().take(handle: "a") == nil },
    StoreCase("what was kept is taken, with every member") { place in
      let store = try await place.open()
      let isKept = try await store.insert(full, handle: "a")
      return try await allHold(isKept, store.take(handle: "a")?.serialized() == full.serialized())
    },
    StoreCase("a sign-in without scopes and nonce is taken as it was kept") { place in
      let store = try await place.open()
      _ = try await store.insert(bare, handle: "a")
      return try await store.take(handle: "a")?.serialized() == bare.serialized()
    },
    StoreCase("what was kept is there when the store is opened again") { place in
      _ = try await place.open().insert(full, handle: "a")
      return try await place.open().take(handle: "a")?.state == full.state
    },
    StoreCase("a sign-in is taken once, also when the store is opened again") { place in
      let store = try await place.open()
      _ = try await store.insert(full, handle: "a")
      _ = try await store.take(handle: "a")
      let isTaken = try await store.take(handle: "a") != nil
      return try await allHold(!isTaken, place.open().take(handle: "a") == nil)
    },
    StoreCase("a handle is taken once, and its sign-in stays") { place in
      let store = try await place.open()
      _ = try await store.insert(full, handle: "a")
      let isKept = try await store.insert(bare, handle: "a")
      return try await allHold(!isKept, store.take(handle: "a")?.serialized() == full.serialized())
    },
    StoreCase("handles are compared as bytes") { place in
      let store = try await place.open()
      _ = try await store.insert(full, handle: "\u{E9}")
      for handle in ["e\u{301}", "\u{C9}", "", "' OR 1=1 --"] {
        guard try await store.take(handle: handle) == nil else { return false }
      }
      return try await store.insert(full, handle: "e\u{301}")
    },
    StoreCase("of many who keep under one handle one does") { place in
      let kept = try await place.successes { store, _ in try await store.insert(full, handle: "a") }
      return kept == 1
    },
    StoreCase("a handle whose sign-in was taken is free") { place in
      let store = try await place.open()
      _ = try await store.insert(full, handle: "a")
      _ = try await store.take(handle: "a")
      let isKept = try await place.open().insert(bare, handle: "a")
      return try await allHold(isKept, store.take(handle: "a")?.serialized() == bare.serialized())
    },
    StoreCase("stores at different places don't share sign-ins") { place in
      _ = try await place.open().insert(full, handle: "a")
      return try await place.other.open().take(handle: "a") == nil
    },
    StoreCase("of many who take one gets it") { place in
      _ = try await place.open().insert(full, handle: "a")
      let taken = try await place.successes { store, _ in try await store.take(handle: "a") != nil }
      return taken == 1
    },
    StoreCase("sign-ins that are kept and taken at once don't get into each other's hands") { place in
      let own = try await place.successes { store, number in
        var signIn = try full
        signIn.state = "state \(number)"
        guard try await store.insert(signIn, handle: "h\(number)") else { return false }
        return try await store.take(handle: "h\(number)")?.state == "state \(number)"
      }
      return own == 32
    },
    StoreCase("a taking that is cut off has happened or not") { place in
      for number in 0..<16 {
        _ = try await place.open().insert(full, handle: "h\(number)")
        let taken = try await place.cancelled { try await $0.take(handle: "h\(number)") != nil }
        let isLeft = try await place.open().take(handle: "h\(number)") != nil
        // Both would let a callback be used twice.
        if taken == true, isLeft { return false }
      }
      return true
    },
  ]

  static var full: ApplePendingSignIn {
    get throws {
      ApplePendingSignIn(
        clientID: "com.example.web", redirectURI: try AppleRedirectURI("https://www.example.com/cb?a=b&c=d"),
        responseType: .codeAndIdentityToken, responseMode: .formPost, scopes: [.name, .email], state: "st'\"\\ate",
        nonce: try AppleNonce(raw: "nonce", form: .sha256Hex), startedAt: NumericDate(1_760_000_000).advanced(by: 0.25))
    }
  }

  private static var bare: ApplePendingSignIn {
    get throws {
      ApplePendingSignIn(
        clientID: "com.example.web", redirectURI: try AppleRedirectURI("https://www.example.com/cb"),
        responseType: .code, responseMode: .query, scopes: [], state: "s", nonce: nil,
        startedAt: NumericDate(1_760_000_000))
    }
  }
}
