import IdentityTesting
import JOSE
import OpenIDKit
import Synchronization
import Testing

@testable import NativeSSOKit

/// What a client relies on in the tokens that a session's manager keeps for it.
@Suite struct SessionTokensTests {
  @Test(arguments: SessionTokensCases.all) func rules(rule: StoreCase<SessionTokens>) async throws {
    let kept = Mutex<[String: SessionTokens.Place]>([:])
    @Sendable func place(_ name: String) -> SessionTokens.Place {
      kept.withLock { kept in
        let place = kept[name] ?? SessionTokens.Place()
        kept[name] = place
        return place
      }
    }
    let places = StorePlaces<SessionTokens> {
      try SessionTokens(place($0))
    } rewriting: {
      try await place($0).store.rewrite($1)
    }
    #expect(try await rule.holds(in: places))
  }
}

/// Tokens of a login, and whose they are.
struct GivenTokens: Sendable {
  var tokens: TokenAnswer
  let subject: String

  init(
    accessToken: String, tokenType: String = "Bearer", refreshToken: String?, idToken: String?, scopes: [String],
    subject: String
  ) {
    tokens = TokenAnswer(
      accessToken: accessToken, tokenType: tokenType, expiresIn: .zero, refreshToken: refreshToken,
      scope: scopes.joined(separator: " "), idToken: idToken)
    self.subject = subject
  }
}

/// The tokens of one app, and its memory of a sign-out.
struct SessionTokens: AppTokens {
  /// What is left when the process ends.
  final class Place: Sendable {
    let store = MemorySecretStore()
    let hasSignedOut = Mutex(false)
  }

  private struct NoServer: TokenRefresher {
    func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome { .failed(RefreshFailure(.notSent)) }
    func revoke(refreshToken: String) async {}
  }

  private let place: Place
  private let login: ManagedLogin
  private let manager: TokenManager

  init(_ place: Place) throws {
    self.place = place
    let clock = WallClock.fixed(at: NumericDate(1_760_000_000))
    login = ManagedLogin(
      signOut: SignOutMemory(
        load: { place.hasSignedOut.withLock { $0 } }, save: { new in place.hasSignedOut.withLock { $0 = new } }))
    manager = try TokenManager(
      store: place.store, refresher: NoServer(),
      clock: TokenClock(wall: clock, elapsed: TokenClock.system.elapsed, sleep: TokenClock.system.sleep))
    login.manager = manager
  }

  func save(_ given: GivenTokens) async throws { try await save(given.tokens, subject: given.subject) }
  func save(_ tokens: TokenAnswer, subject: String) async throws {
    try await login.save(tokens, subject: subject)
  }
  func clear() async throws { try await login.clear() }
  func suppressesAutomaticSignIn() async throws -> Bool { try await login.suppressesAutomaticSignIn() }
  func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws {
    try await login.setSuppressesAutomaticSignIn(suppresses)
  }

  /// What is stored.
  var record: TokenRecord? {
    get async throws { try await TokenRecords(place.store).load() }
  }

  /// Whether these very tokens are there.
  func holds(_ tokens: GivenTokens?) async throws -> Bool {
    guard let record = try await record else { return tokens == nil }
    return tokens.map { Self.isRecord(record, of: $0) } ?? false
  }

  static func isRecord(_ record: TokenRecord, of tokens: GivenTokens) -> Bool {
    let pairs: [(String?, String?)] = [
      (record.accessToken, tokens.tokens.accessToken), (record.refreshToken, tokens.tokens.refreshToken),
      (record.idToken, tokens.tokens.idToken), (record.subject, tokens.subject),
      (record.tokenType, tokens.tokens.tokenType), (record.scope, tokens.tokens.scope),
    ]
    return pairs.allSatisfy { kept, given in kept.map { Array($0.utf8) } == given.map { Array($0.utf8) } }
  }
}

enum SessionTokensCases {
  static let all = rules + texts + damaged + SessionTokensReading.all

  /// What becomes of tokens that can't be read.
  private static let damaged: [StoreCase<SessionTokens>] = DocumentDamage.all.map { damage in
    StoreCase("\(damage.name) is no tokens; others take its place, and a signed-out app stays signed out") { place in
      try await place.open().save(tokens)
      try await place.open().setSuppressesAutomaticSignIn(true)
      for _ in 0..<2 {
        try await place.rewrite(damage.change)
        let store = try await place.open()
        guard try await StoredFormCases.isMalformed({ try await store.record }),
          try await store.suppressesAutomaticSignIn()
        else { return false }
        try await store.save(tokens)
        guard try await place.open().holds(tokens) else { return false }
      }
      try await place.rewrite(damage.change)
      try await place.open().clear()
      return try await allHold(place.open().holds(nil), place.open().suppressesAutomaticSignIn())
    }
  }

  /// Whatever servers call things by, it is kept without an error.
  private static let texts: [StoreCase<SessionTokens>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) is kept among the tokens, and changes nothing else") { place in
      try await place.open().setSuppressesAutomaticSignIn(true)
      let store = try await place.open()
      try await store.save(
        GivenTokens(
          accessToken: text, tokenType: text, refreshToken: text, idToken: text,
          scopes: [text], subject: text))
      let isSuppressed = try await place.open().suppressesAutomaticSignIn()
      try await store.clear()
      return try await allHold(isSuppressed, place.open().suppressesAutomaticSignIn())
    }
  }

  private static let rules: [StoreCase<SessionTokens>] = [
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
      // An app has one manager.
      let store = try await place.open()
      let suppressed = try await place.successes { _, number in
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
      let store = try await place.open()
      return try await place.successes { _, number in
        if number.isMultiple(of: 2) { try await store.save(tokens) } else { try await store.clear() }
        try await store.setSuppressesAutomaticSignIn(number.isMultiple(of: 3))
        return true
      } == 32
    },
  ]

  static let tokens = GivenTokens(
    accessToken: "at", refreshToken: "rt", idToken: "x.y.z", scopes: ["openid"],
    subject: "\u{1F600}")
}

/// Tokens that are read back.
enum SessionTokensReading {
  static var all: [StoreCase<SessionTokens>] { rules + concurrency + texts }

  /// Tokens of which every part says which they are.
  private static func tokens(_ name: String) -> GivenTokens {
    GivenTokens(
      accessToken: "at \(name)", tokenType: "DPoP", refreshToken: "rt \(name)",
      idToken: "it \(name)", scopes: ["openid", name], subject: "sub \(name)")
  }

  /// Whose tokens these are.
  private static func name(_ record: TokenRecord) -> String {
    String(decoding: (record.accessToken ?? "").utf8.dropFirst(3), as: UTF8.self)
  }

  private static let least = GivenTokens(
    accessToken: "at", refreshToken: nil, idToken: nil, scopes: [], subject: "s")

  /// Whatever servers call things by, it is kept octet by octet.
  static var texts: [StoreCase<SessionTokens>] {
    AwkwardText.all.map { name, text in
      StoreCase("\(name) is read among the tokens as it was kept") { place in
        let tokens = GivenTokens(
          accessToken: text, tokenType: text, refreshToken: text, idToken: text,
          scopes: [text, "b", text], subject: text)
        try await place.open().save(tokens)
        return try await place.open().holds(tokens)
      }
    }
  }

  static var rules: [StoreCase<SessionTokens>] {
    [
      StoreCase("an empty store has no tokens") { place in try await place.open().holds(nil) },
      StoreCase("tokens are read with every member, by whoever kept them") { place in
        let store = try await place.open()
        try await store.save(tokens("a"))
        return try await store.holds(tokens("a"))
      },
      StoreCase("tokens are there when the store is opened again") { place in
        try await place.open().save(tokens("a"))
        return try await place.open().holds(tokens("a"))
      },
      StoreCase("tokens with nothing but what they must have are read as they were kept") { place in
        try await place.open().save(least)
        return try await place.open().holds(least)
      },
      StoreCase("later tokens take the place of earlier ones, and nothing of those is left") { place in
        try await place.open().save(tokens("a"))
        try await place.open().save(least)
        guard try await place.open().holds(least) else { return false }
        try await place.open().save(tokens("b"))
        return try await place.open().holds(tokens("b"))
      },
      StoreCase("tokens that are forgotten are gone when the store is opened again") { place in
        let store = try await place.open()
        try await store.save(tokens("a"))
        try await store.clear()
        return try await allHold(store.holds(nil), place.open().holds(nil))
      },
      StoreCase("tokens can be kept after others were forgotten, and forgotten twice") { place in
        for name in ["a", "b"] {
          try await place.open().save(tokens(name))
          guard try await place.open().holds(tokens(name)) else { return false }
          for _ in 0..<2 { try await place.open().clear() }
          guard try await place.open().holds(nil) else { return false }
        }
        return true
      },
      StoreCase("that the user has signed out or come back changes no tokens") { place in
        try await place.open().setSuppressesAutomaticSignIn(true)
        try await place.open().save(tokens("a"))
        for suppresses in [false, true, true, false] {
          try await place.open().setSuppressesAutomaticSignIn(suppresses)
          guard try await place.open().holds(tokens("a")) else { return false }
        }
        return true
      },
      StoreCase("tokens that have expired, or expire in ages, are kept as they are") { place in
        for seconds in [0, 1, 4_102_444_800, 253_402_300_799] {
          var tokens = Self.tokens("a")
          tokens.tokens.expiresIn = .seconds(seconds)
          try await place.open().save(tokens)
          guard try await place.open().holds(tokens) else { return false }
        }
        return true
      },
      StoreCase("many scopes stay in their order, those that come twice too") { place in
        var tokens = Self.tokens("a")
        tokens.tokens.scope = (0..<100).map { "scope\($0 * 37 % 50)" }.joined(separator: " ")
        try await place.open().save(tokens)
        return try await place.open().holds(tokens)
      },
      StoreCase("stores at different places don't share tokens") { place in
        try await place.open().save(tokens("a"))
        let other = place.other
        guard try await other.open().holds(nil) else { return false }
        try await other.open().clear()
        return try await place.open().holds(tokens("a"))
      },
    ]
  }

  static var concurrency: [StoreCase<SessionTokens>] {
    [
      StoreCase("of tokens that are kept at once one writer's are there, whole") { place in
        _ = try await place.successes { store, number in
          try? await store.save(tokens("\(number)"))
          return true
        }
        guard let found = try await place.open().record else { return false }
        return SessionTokens.isRecord(found, of: tokens(name(found)))
      },
      StoreCase("a reader meanwhile sees tokens of one writer, never a mix of two") { place in
        try await place.open().save(tokens("0"))
        let whole = try await place.successes { store, number in
          for round in 0..<8 {
            if number.isMultiple(of: 2) { try? await store.save(tokens("\(number) \(round)")) }
            guard let found = try await store.record, SessionTokens.isRecord(found, of: tokens(name(found))) else {
              return false
            }
          }
          return true
        }
        return whole == 32
      },
      StoreCase("tokens that are kept and forgotten at once are there whole, or gone") { place in
        _ = try await place.successes { store, number in
          if number.isMultiple(of: 2) { try? await store.clear() } else { try? await store.save(tokens("a")) }
          return true
        }
        let store = try await place.open()
        guard try await store.record != nil else { return true }
        return try await store.holds(tokens("a"))
      },
      StoreCase("a keeping that is cut off leaves the old tokens or the new ones") { place in
        var stored = tokens("old")
        try await place.open().save(stored)
        for number in 0..<16 {
          let (old, new) = (stored, tokens("\(number)"))
          let isDone: Void? = try await place.cancelled { try await $0.save(new) }
          let isNew = try await place.open().holds(new)
          let isOld = try await place.open().holds(old)
          guard isNew || isOld && isDone == nil else { return false }
          if isNew { stored = new }
        }
        return true
      },
      StoreCase("a forgetting that is cut off leaves the tokens or none") { place in
        for _ in 0..<16 {
          try await place.open().save(tokens("a"))
          let isDone: Void? = try await place.cancelled { try await $0.clear() }
          let isGone = try await place.open().holds(nil)
          let isThere = try await place.open().holds(tokens("a"))
          guard isGone || isThere && isDone == nil else { return false }
        }
        return true
      },
    ]
  }
}
