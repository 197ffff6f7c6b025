import JOSE
import NativeSSOKit

/// The rules for an app's own store whose tokens are read back.
struct AppTokenReader: Sendable {
  let read: @Sendable (any AppTokenStore) async throws -> TokenSet?

  /// Whether these very tokens are there.
  private func holds(_ tokens: TokenSet?, in store: any AppTokenStore) async throws -> Bool {
    try await read(store)?.serialized() == tokens?.serialized()
  }

  /// Tokens of which every part says which they are.
  private static func tokens(_ name: String) -> TokenSet {
    TokenSet(
      accessToken: "at \(name)", tokenType: "DPoP", expiresAt: NumericDate(1_760_000_000), refreshToken: "rt \(name)",
      idToken: "it \(name)", scopes: ["openid", name], subject: "sub \(name)", sessionID: "sid \(name)",
      loginIDToken: "lit \(name)")
  }

  private static let least = TokenSet(
    accessToken: "at", expiresAt: NumericDate(1_760_000_000), refreshToken: nil, idToken: nil, scopes: [], subject: "s")

  /// Whatever servers call things by, it is kept octet by octet.
  var texts: [StoreCase<any AppTokenStore>] {
    AwkwardText.all.map { name, text in
      StoreCase("\(name) is read among the tokens as it was kept") { [self] place in
        let tokens = TokenSet(
          accessToken: text, tokenType: text, expiresAt: NumericDate(1_760_000_000), refreshToken: text, idToken: text,
          scopes: [text, "b", text], subject: text, sessionID: text, loginIDToken: text)
        try await place.open().save(tokens)
        return try await holds(tokens, in: place.open())
      }
    }
  }

  var rules: [StoreCase<any AppTokenStore>] {
    [
      StoreCase("an empty store has no tokens") { [self] place in try await holds(nil, in: place.open()) },
      StoreCase("tokens are read with every member, by whoever kept them") { [self] place in
        let store = try await place.open()
        try await store.save(Self.tokens("a"))
        return try await holds(Self.tokens("a"), in: store)
      },
      StoreCase("tokens are there when the store is opened again") { [self] place in
        try await place.open().save(Self.tokens("a"))
        return try await holds(Self.tokens("a"), in: place.open())
      },
      StoreCase("tokens with nothing but what they must have are read as they were kept") { [self] place in
        try await place.open().save(Self.least)
        return try await holds(Self.least, in: place.open())
      },
      StoreCase("later tokens take the place of earlier ones, and nothing of those is left") { [self] place in
        try await place.open().save(Self.tokens("a"))
        try await place.open().save(Self.least)
        guard try await holds(Self.least, in: place.open()) else { return false }
        try await place.open().save(Self.tokens("b"))
        return try await holds(Self.tokens("b"), in: place.open())
      },
      StoreCase("tokens that are forgotten are gone when the store is opened again") { [self] place in
        let store = try await place.open()
        try await store.save(Self.tokens("a"))
        try await store.clear()
        return try await allHold(holds(nil, in: store), holds(nil, in: place.open()))
      },
      StoreCase("tokens can be kept after others were forgotten, and forgotten twice") { [self] place in
        for name in ["a", "b"] {
          try await place.open().save(Self.tokens(name))
          guard try await holds(Self.tokens(name), in: place.open()) else { return false }
          for _ in 0..<2 { try await place.open().clear() }
          guard try await holds(nil, in: place.open()) else { return false }
        }
        return true
      },
      StoreCase("that the user has signed out or come back changes no tokens") { [self] place in
        try await place.open().setSuppressesAutomaticSignIn(true)
        try await place.open().save(Self.tokens("a"))
        for suppresses in [false, true, true, false] {
          try await place.open().setSuppressesAutomaticSignIn(suppresses)
          guard try await holds(Self.tokens("a"), in: place.open()) else { return false }
        }
        return true
      },
      StoreCase("tokens that have expired, or expire in ages, are kept as they are") { [self] place in
        for seconds in [0, -1, 1, 4_102_444_800, 253_402_300_799] {
          var tokens = Self.tokens("a")
          tokens.expiresAt = NumericDate(seconds)
          try await place.open().save(tokens)
          guard try await holds(tokens, in: place.open()) else { return false }
        }
        return true
      },
      StoreCase("many scopes stay in their order, those that come twice too") { [self] place in
        var tokens = Self.tokens("a")
        tokens.scopes = (0..<100).map { "scope \($0 * 37 % 50)" }
        try await place.open().save(tokens)
        return try await holds(tokens, in: place.open())
      },
      StoreCase("stores at different places don't share tokens") { [self] place in
        try await place.open().save(Self.tokens("a"))
        let other = place.other
        guard try await holds(nil, in: other.open()) else { return false }
        try await other.open().clear()
        return try await holds(Self.tokens("a"), in: place.open())
      },
    ]
  }

  var concurrency: [StoreCase<any AppTokenStore>] {
    [
      StoreCase("of tokens that are kept at once one writer's are there, whole") { [self] place in
        _ = try await place.successes { store, number in
          try await store.save(Self.tokens("\(number)"))
          return true
        }
        let names = try await read(place.open()).map { Array($0.accessToken.utf8.dropFirst(3)) }
        guard let names else { return false }
        return try await holds(Self.tokens(String(decoding: names, as: UTF8.self)), in: place.open())
      },
      StoreCase("a reader meanwhile sees tokens of one writer, never a mix of two") { [self] place in
        try await place.open().save(Self.tokens("0"))
        let whole = try await place.successes { store, number in
          for round in 0..<8 {
            if number.isMultiple(of: 2) { try await store.save(Self.tokens("\(number) \(round)")) }
            guard let found = try await read(store) else { return false }
            let name = String(decoding: found.accessToken.utf8.dropFirst(3), as: UTF8.self)
            guard found.serialized() == Self.tokens(name).serialized() else { return false }
          }
          return true
        }
        return whole == 32
      },
      StoreCase("tokens that are kept and forgotten at once are there whole, or gone") { [self] place in
        _ = try await place.successes { store, number in
          if number.isMultiple(of: 2) { try await store.clear() } else { try await store.save(Self.tokens("a")) }
          return true
        }
        let store = try await place.open()
        guard try await read(store) != nil else { return true }
        return try await holds(Self.tokens("a"), in: store)
      },
      StoreCase("a keeping that is cut off leaves the old tokens or the new ones") { [self] place in
        var stored = Self.tokens("old")
        try await place.open().save(stored)
        for number in 0..<16 {
          let (old, new) = (stored, Self.tokens("\(number)"))
          let isDone: Void? = try await place.cancelled { try await $0.save(new) }
          let isNew = try await holds(new, in: place.open())
          let isOld = try await holds(old, in: place.open())
          guard isNew || isOld && isDone == nil else { return false }
          if isNew { stored = new }
        }
        return true
      },
      StoreCase("a forgetting that is cut off leaves the tokens or none") { [self] place in
        for _ in 0..<16 {
          try await place.open().save(Self.tokens("a"))
          let isDone: Void? = try await place.cancelled { try await $0.clear() }
          let isGone = try await holds(nil, in: place.open())
          let isThere = try await holds(Self.tokens("a"), in: place.open())
          guard isGone || isThere && isDone == nil else { return false }
        }
        return true
      },
    ]
  }
}
