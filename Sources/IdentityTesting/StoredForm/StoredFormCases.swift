import JOSE
import NativeSSOKit
import AppleSignInKit
import OpenIDKit

/// What stores make of documents that are damaged, or newer than the code: they say so, nobody is logged in or out by
/// it, and what comes next takes their place.
///
/// For stores that keep what the values' `serialized()` gives, at places made by ``StorePlaces/init(open:rewriting:)``.
public enum StoredFormCases {
  /// The rules for a `TokenStore`.
  public static let tokens: [StoreCase<any TokenStore>] =
    DocumentDamage.all.map { damage in
      StoreCase("\(damage.name) is no login and not nothing; a login takes its place, a logout removes it") { place in
        let (first, second) = (try TokenStoreCases.first, try TokenStoreCases.second)
        let store = try await place.open()
        _ = try await store.replace(nil, with: first)
        for new in [second, nil] {
          try await place.rewrite(damage.change)
          let damaged = try await place.open()
          guard try await isMalformed(damaged.load),
            try await !damaged.replace(first.version, with: second),
            try await !damaged.replace(second.version, with: nil),
            try await damaged.replace(nil, with: new)
          else { return false }
          let healed = try await place.open().load()
          guard healed?.serialized() == new?.serialized() else { return false }
        }
        return try await allHold(store.replace(nil, with: first), TokenStoreCases.holds(first, in: store))
      }
    } + [
      StoreCase("of many who replace what can't be read one does, and its record is there") { place in
        _ = try await place.open().replace(nil, with: TokenStoreCases.first)
        try await place.rewrite { Array($0.dropLast()) }
        let replaced = try await place.successes { store, number in
          try await store.replace(nil, with: TokenStoreCases.record("login \(number)", revision: 1))
        }
        return try await allHold(replaced == 1, place.open().load()?.revision == 1)
      }
    ]

  /// The rules for an `SSOPairStore`.
  public static let pairs: [StoreCase<any SSOPairStore>] =
    DocumentDamage.all.map { damage in
      StoreCase("\(damage.name) is no pair and not nothing; a login takes its place, a sign-out deletes it") { place in
        let (issuer, other) = (SSOPairStoreCases.issuer, "https://other.example.com")
        for (new, writer) in [(try SSOPairStoreCases.pair("new"), "new"), (nil, nil)] {
          let place = place.other
          _ = try await place.open().replace(issuer: issuer, expecting: 0, with: SSOPairStoreCases.pair("old"))
          _ = try await place.open().replace(issuer: other, expecting: 0, with: SSOPairStoreCases.pair("neighbour"))
          try await place.rewrite(damage.to(documentWith: #""old""#))
          let store = try await place.open()
          guard try await isMalformed({ try await store.read(issuer: issuer) }),
            try await !store.replace(issuer: issuer, expecting: 1, with: new),
            try await store.read(issuer: other).pair?.writer == "neighbour",
            try await store.replace(issuer: issuer, expecting: 0, with: new)
          else { return false }
          let healed = try await place.open().read(issuer: issuer)
          guard healed.pair?.writer == writer, healed.generation > 0 else { return false }
        }
        return true
      }
    } + [
      StoreCase("of many who replace what can't be read one does, and its pair is there") { place in
        let issuer = SSOPairStoreCases.issuer
        _ = try await place.open().replace(issuer: issuer, expecting: 0, with: SSOPairStoreCases.pair("old"))
        try await place.rewrite { Array($0.dropLast()) }
        let replaced = try await place.successes { store, number in
          try await store.replace(issuer: issuer, expecting: 0, with: SSOPairStoreCases.pair("w\(number)"))
        }
        return try await allHold(replaced == 1, place.open().read(issuer: issuer).pair != nil)
      }
    ]

  /// The rules for an `AppTokenStore` that keeps what `TokenSet.serialized()` gives.
  ///
  /// - Parameter read: gives back the tokens that a store keeps, as the app does it, or nil if there are none.
  public static func appTokens(
    reading read: @escaping @Sendable (any AppTokenStore) async throws -> TokenSet?
  ) -> [StoreCase<any AppTokenStore>] {
    DocumentDamage.all.map { damage in
      StoreCase("\(damage.name) is no tokens; others take its place, and a signed-out app stays signed out") { place in
        let tokens = AppTokenStoreCases.tokens
        try await place.open().save(tokens)
        try await place.open().setSuppressesAutomaticSignIn(true)
        for _ in 0..<2 {
          try await place.rewrite(damage.change)
          let store = try await place.open()
          guard try await isMalformed({ try await read(store) }), try await store.suppressesAutomaticSignIn() else {
            return false
          }
          try await store.save(tokens)
          guard try await read(place.open())?.serialized() == tokens.serialized() else { return false }
        }
        try await place.rewrite(damage.change)
        try await place.open().clear()
        return try await allHold(read(place.open()) == nil, place.open().suppressesAutomaticSignIn())
      }
    }
  }

  /// Whether this throws that a document can't be read, and nothing else.
  static func isMalformed<Value: Sendable>(_ body: () async throws -> Value) async throws -> Bool {
    do {
      _ = try await body()
      return false
    } catch let error as TokenRefreshError where error.code == .recordMalformed {
      return true
    } catch let error as NativeSSOError where error.code == .recordMalformed {
      return true
    } catch let error as SignInWithAppleError where error.code == .recordMalformed {
      return true
    }
  }
}
