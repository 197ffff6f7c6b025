import JOSE
import NativeSSOKit

/// What a `NativeSSOClient` relies on in an app's own store, and what the app itself does.
///
/// The client never reads the tokens back; the app does, in the store's own way, which ``reading(_:)`` is told.
public enum AppTokenStoreCases {
  /// What the client relies on.
  public static let all = rules + texts

  /// What the app relies on when it reads its tokens back.
  ///
  /// - Parameter read: gives back the tokens that a store keeps, or nil if there are none.
  public static func reading(
    _ read: @escaping @Sendable (any AppTokenStore) async throws -> TokenSet?
  ) -> [StoreCase<any AppTokenStore>] {
    let reader = AppTokenReader(read: read)
    return reader.rules + reader.concurrency + reader.texts
  }

  /// Whatever servers call things by, it is kept without an error.
  private static let texts: [StoreCase<any AppTokenStore>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) is kept among the tokens, and changes nothing else") { place in
      try await place.open().setSuppressesAutomaticSignIn(true)
      let store = try await place.open()
      try await store.save(
        TokenSet(
          accessToken: text, tokenType: text, expiresAt: NumericDate(1_760_000_000), refreshToken: text, idToken: text,
          scopes: [text], subject: text, sessionID: text, loginIDToken: text))
      let isSuppressed = try await place.open().suppressesAutomaticSignIn()
      try await store.clear()
      return try await allHold(isSuppressed, place.open().suppressesAutomaticSignIn())
    }
  }

  private static let rules: [StoreCase<any AppTokenStore>] = [
    StoreCase("a new app may sign in by itself") { place in
      try await !place.open().suppressesAutomaticSignIn()
    },
    StoreCase("that the user has signed out is remembered when the store is opened again") { place in
      try await place.open().setSuppressesAutomaticSignIn(true)
      return try await place.open().suppressesAutomaticSignIn()
    },
    StoreCase("that the user has come back is remembered") { place in
      let store = try await place.open()
      try await store.setSuppressesAutomaticSignIn(true)
      try await store.setSuppressesAutomaticSignIn(false)
      return try await !place.open().suppressesAutomaticSignIn()
    },
    StoreCase("tokens that are kept or forgotten don't change it") { place in
      let store = try await place.open()
      try await store.setSuppressesAutomaticSignIn(true)
      try await store.save(tokens)
      let isSuppressed = try await store.suppressesAutomaticSignIn()
      try await store.clear()
      return try await allHold(isSuppressed, store.suppressesAutomaticSignIn())
    },
    StoreCase("what is not there can be forgotten, and what is there kept again") { place in
      let store = try await place.open()
      try await store.clear()
      try await store.save(tokens)
      try await store.save(tokens)
      try await store.clear()
      try await store.clear()
      return true
    },
    StoreCase("what was said last is remembered, however often it was said") { place in
      for suppresses in [true, true, false, false, true, false, true] {
        try await place.open().setSuppressesAutomaticSignIn(suppresses)
        guard try await place.open().suppressesAutomaticSignIn() == suppresses else { return false }
      }
      return true
    },
    StoreCase("tokens that are kept and forgotten at once don't make a signed-out app sign in") { place in
      try await place.open().setSuppressesAutomaticSignIn(true)
      let suppressed = try await place.successes { store, number in
        if number.isMultiple(of: 2) { try await store.save(tokens) } else { try await store.clear() }
        return try await store.suppressesAutomaticSignIn()
      }
      return suppressed == 32
    },
    StoreCase("a sign-out that is cut off has happened or not") { place in
      for _ in 0..<16 {
        try await place.open().setSuppressesAutomaticSignIn(false)
        let isDone: Void? = try await place.cancelled { try await $0.setSuppressesAutomaticSignIn(true) }
        if isDone != nil, try await !place.open().suppressesAutomaticSignIn() { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share it") { place in
      try await place.open().setSuppressesAutomaticSignIn(true)
      return try await !place.other.open().suppressesAutomaticSignIn()
    },
    StoreCase("simultaneous changes don't fail") { place in
      try await place.successes { store, number in
        if number.isMultiple(of: 2) { try await store.save(tokens) } else { try await store.clear() }
        try await store.setSuppressesAutomaticSignIn(number.isMultiple(of: 3))
        return true
      } == 32
    },
  ]

  static let tokens = TokenSet(
    accessToken: "at", expiresAt: NumericDate(1_760_000_000), refreshToken: "rt", idToken: "x.y.z", scopes: ["openid"],
    subject: "\u{1F600}", sessionID: "s")
}
