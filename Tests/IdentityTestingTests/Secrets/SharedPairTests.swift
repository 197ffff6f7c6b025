import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Synchronization
import Testing

/// What a `NativeSSOClient` relies on in the pair that it keeps in a secret store.
@Suite struct SharedPairTests {
  @Test(arguments: SharedPairCases.all) func rules(rule: StoreCase<VendorPairs>) async throws {
    #expect(try await rule.holds(in: StorePlaces { VendorPairs() }))
  }

  @Test(arguments: SharedPairCases.damaged) func damage(rule: StoreCase<VendorPairs>) async throws {
    let kept = Mutex<[String: VendorPairs]>([:])
    @Sendable func pairs(_ name: String) -> VendorPairs {
      kept.withLock { kept in
        let pairs = kept[name] ?? VendorPairs()
        kept[name] = pairs
        return pairs
      }
    }
    let places = StorePlaces<VendorPairs> {
      pairs($0)
    } rewriting: {
      try await pairs($0).rewrite($1)
    }
    #expect(try await rule.holds(in: places))
  }
}

/// A store for each issuer, as an app has them.
final class VendorPairs: Sendable {
  private let stores = Mutex<[[UInt8]: MemorySecretStore]>([:])

  private func store(_ issuer: String) -> MemorySecretStore {
    stores.withLock { stores in
      let store = stores[Array(issuer.utf8)] ?? MemorySecretStore()
      stores[Array(issuer.utf8)] = store
      return store
    }
  }

  func read(issuer: String) async throws -> SSOPairEntry { try await SharedPair(store(issuer)).read() }

  func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) async throws -> Bool {
    let pairs = SharedPair(store(issuer))
    let stored = try await pairs.load()
    guard stored.entry.generation == generation else { return false }
    return try await pairs.replace(stored, with: pair)
  }

  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) async throws {
    for store in stores.withLock({ Array($0.values) }) { try await store.rewrite(change) }
  }
}

extension MemorySecretStore {
  /// Changes the document past who wrote it, as a failing disk and a newer version of the code do.
  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) async throws {
    guard let stored = load() else { return }
    #expect(replace(expecting: stored.version, with: change(stored.document)) != nil)
  }
}

enum SharedPairCases {
  /// All rules.
  static let all = rules + generations + issuers + texts

  /// Whatever servers and apps call things by, it is kept octet by octet. No part of a pair is empty, nor all of them
  /// together long.
  private static let texts: [StoreCase<VendorPairs>] = AwkwardText.all.filter {
    (1..<1000).contains($0.text.utf8.count)
  }.map { name, text in
    StoreCase("\(name) is read in a pair as it was kept") { place in
      let kept = try pair("a", text: text)
      let isWritten = try await place.open().replace(issuer: issuer, expecting: 0, with: kept)
      let stored = try await place.open().read(issuer: issuer).pair
      return isWritten && stored.map { same($0, kept) } == true
    }
  }

  private static let generations: [StoreCase<VendorPairs>] = [
    StoreCase("each write and each deletion counts, whoever makes it") { place in
      for generation in UInt64(0)..<24 {
        let new = generation % 3 == 2 ? nil : try pair("w\(generation)")
        guard try await place.open().replace(issuer: issuer, expecting: generation, with: new) else { return false }
        let entry = try await place.open().read(issuer: issuer)
        guard entry.generation == generation + 1, entry.pair?.writer == new?.writer else { return false }
      }
      return true
    },
    StoreCase("who knows a pair from before it was deleted does not write, though the same pair is there again") {
      place in
      let store = try await place.open()
      _ = try await store.replace(issuer: issuer, expecting: 0, with: pair("a"))
      _ = try await store.replace(issuer: issuer, expecting: 1, with: nil)
      _ = try await store.replace(issuer: issuer, expecting: 2, with: pair("a"))
      for generation in [UInt64(0), 1, 2, 4, .max] {
        guard try await !place.open().replace(issuer: issuer, expecting: generation, with: pair("b")) else {
          return false
        }
      }
      return try await holds("a", generation: 3, in: place.open())
    },
    StoreCase("a deletion is refused to who knows another generation, and the pair stays") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      for generation in [UInt64(0), 2, .max] {
        guard try await !place.open().replace(issuer: issuer, expecting: generation, with: nil) else { return false }
      }
      return try await holds("a", generation: 1, in: place.open())
    },
    StoreCase("what is deleted twice is deleted, and counts twice") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      for generation in UInt64(1)..<3 {
        guard try await place.open().replace(issuer: issuer, expecting: generation, with: nil) else { return false }
      }
      let entry = try await place.open().read(issuer: issuer)
      return entry.generation == 3 && entry.pair == nil
    },
    StoreCase("a deletion leaves other issuers' pairs") { place in
      for name in [issuer, issuer + "/b"] {
        _ = try await place.open().replace(issuer: name, expecting: 0, with: pair("a"))
      }
      _ = try await place.open().replace(issuer: issuer, expecting: 1, with: nil)
      let other = try await place.open().read(issuer: issuer + "/b")
      return other.generation == 1 && other.pair?.writer == "a"
    },
    StoreCase("a pair without what it need not have is read as it was kept") { place in
      let bare = try pair("a", without: ["sid", "ds_hash_recipe"])
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      _ = try await place.open().replace(issuer: issuer, expecting: 1, with: bare)
      let stored = try await place.open().read(issuer: issuer).pair
      return stored.map { same($0, bare) } == true && stored?.sessionID == nil
    },
    StoreCase("a pair whose ID token has expired is kept as it is") { place in
      let expired = try pair("a", numbers: ["id_token_exp": 1, "id_token_iat": 0, "stored_at": -1])
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: expired)
      return try await place.open().read(issuer: issuer).pair.map { same($0, expired) } == true
    },
    StoreCase("what one connection has written every other reads at once") { place in
      var stores: [VendorPairs] = []
      for _ in 0..<3 { stores.append(try await place.open()) }
      for generation in UInt64(0)..<18 {
        let writer = stores[Int(generation % 3)]
        guard try await writer.replace(issuer: issuer, expecting: generation, with: pair("w\(generation)")) else {
          return false
        }
        for store in stores {
          guard try await holds("w\(generation)", generation: generation + 1, in: store) else { return false }
        }
      }
      return true
    },
    StoreCase("a hundred issuers have their pairs when the store is opened again") { place in
      let store = try await place.open()
      for number in 0..<100 {
        _ = try await store.replace(issuer: issuer + "/\(number)", expecting: 0, with: pair("w\(number)"))
      }
      let again = try await place.open()
      for number in 0..<100 {
        guard try await again.read(issuer: issuer + "/\(number)").pair?.writer == "w\(number)" else { return false }
      }
      return true
    },
    StoreCase("of simultaneous deletions one is done") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      let done = try await place.successes { store, _ in
        try await store.replace(issuer: issuer, expecting: 1, with: nil)
      }
      let entry = try await place.open().read(issuer: issuer)
      return done == 1 && entry.generation == 2 && entry.pair == nil
    },
    StoreCase("a deletion that is cut off leaves the pair or none, and the generation says which") { place in
      for number in 0..<16 {
        let issuer = issuer + "/\(number)"
        _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
        let outcome = try await place.cancelled { try await $0.replace(issuer: issuer, expecting: 1, with: nil) }
        let entry = try await place.open().read(issuer: issuer)
        let isGone = entry.pair == nil
        guard entry.generation == (isGone ? 2 : 1), outcome.map({ $0 == isGone }) ?? true else { return false }
      }
      return true
    },
  ]

  /// Issuers are URLs of ASCII, compared octet by octet.
  private static let issuers: [StoreCase<VendorPairs>] =
    ([
      ("with a path", "https://op.example.com/a/b", "https://op.example.com/a/B"),
      ("that ends with a slash", "https://op.example.com/", "https://op.example.com"),
      ("with a port", "https://op.example.com:8443", "https://op.example.com:844"),
      ("with dots in it", "https://op.example.com/../x", "https://op.example.com/x"),
      ("with octets that are escaped", "https://op.example.com/%C3%A9", "https://op.example.com/%c3%a9"),
      ("that reads like a statement of SQL", "https://x/'OR'1'='1", "https://x/'OR'1'='2"),
      (
        "that is long", "https://x/" + String(repeating: "a", count: 4000),
        "https://x/" + String(repeating: "a", count: 3999)
      ),
    ] as [(String, String, String)]).map { what, issuer, twin in
      StoreCase("an issuer \(what) has its own entry, when the store is opened again, too") { place in
        let isWritten = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
        let store = try await place.open()
        let (own, other) = (try await store.read(issuer: issuer), try await store.read(issuer: twin))
        let isOther = try await store.replace(issuer: twin, expecting: 0, with: pair("b"))
        let stored = try await place.open().read(issuer: issuer).pair?.writer
        return isWritten && own.generation == 1 && other.generation == 0 && other.pair == nil && isOther
          && stored == "a"
      }
    }

  private static let rules: [StoreCase<VendorPairs>] = [
    StoreCase("an unknown issuer has an empty entry of generation 0") { place in
      let entry = try await place.open().read(issuer: issuer)
      return entry.generation == 0 && entry.pair == nil
    },
    StoreCase("what was written is read, one generation on") { place in
      let store = try await place.open()
      let isWritten = try await store.replace(issuer: issuer, expecting: 0, with: pair("a"))
      return try await allHold(isWritten, holds("a", generation: 1, in: store))
    },
    StoreCase("what was written is there when the store is opened again") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      return try await holds("a", generation: 1, in: place.open())
    },
    StoreCase("a pair is replaced by the next") { place in
      let store = try await place.open()
      _ = try await store.replace(issuer: issuer, expecting: 0, with: pair("a"))
      _ = try await store.replace(issuer: issuer, expecting: 1, with: pair("b"))
      return try await holds("b", generation: 2, in: store)
    },
    StoreCase("only who knows the generation writes, and a refusal changes nothing") { place in
      let store = try await place.open()
      let isEarly = try await store.replace(issuer: issuer, expecting: 1, with: pair("b"))
      _ = try await store.replace(issuer: issuer, expecting: 0, with: pair("a"))
      let isLate = try await store.replace(issuer: issuer, expecting: 0, with: pair("b"))
      return try await allHold(!isEarly, !isLate, holds("a", generation: 1, in: store))
    },
    StoreCase("a deletion counts as a generation, and a pair comes after it") { place in
      let store = try await place.open()
      _ = try await store.replace(issuer: issuer, expecting: 0, with: pair("a"))
      let isDeleted = try await store.replace(issuer: issuer, expecting: 1, with: nil)
      let gone = try await place.open().read(issuer: issuer)
      let isStale = try await store.replace(issuer: issuer, expecting: 0, with: pair("b"))
      let isWritten = try await store.replace(issuer: issuer, expecting: 2, with: pair("b"))
      return isDeleted && gone.pair == nil && gone.generation == 2 && !isStale && isWritten
    },
    StoreCase("issuers have entries of their own") { place in
      let store = try await place.open()
      _ = try await store.replace(issuer: issuer, expecting: 0, with: pair("a"))
      for other in [issuer + "/", issuer + "/other", "https://OP.example.com"] {
        let entry = try await store.read(issuer: other)
        guard entry.generation == 0, entry.pair == nil else { return false }
      }
      return true
    },
    StoreCase("what is not there can be deleted, which counts as a generation") { place in
      let isDeleted = try await place.open().replace(issuer: issuer, expecting: 0, with: nil)
      let entry = try await place.open().read(issuer: issuer)
      return isDeleted && entry.generation == 1 && entry.pair == nil
    },
    StoreCase("of a writer and a deletion at once one wins") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      let done = try await place.successes { store, number in
        try await store.replace(issuer: issuer, expecting: 1, with: number.isMultiple(of: 2) ? pair("b") : nil)
      }
      return try await allHold(done == 1, place.open().read(issuer: issuer).generation == 2)
    },
    StoreCase("writers of different issuers don't disturb each other") { place in
      let written = try await place.successes { store, number in
        let issuer = "https://op.example.com/\(number)"
        for generation in UInt64(0)..<3 {
          guard try await store.replace(issuer: issuer, expecting: generation, with: pair("w\(number)")) else {
            return false
          }
        }
        return try await store.read(issuer: issuer).pair?.writer == "w\(number)"
      }
      return written == 32
    },
    StoreCase("stores at different places don't share pairs") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("a"))
      return try await place.other.open().read(issuer: issuer).generation == 0
    },
    StoreCase("of simultaneous writers one wins, and the entry is that one's, whole") { place in
      let winners = try await place.successes { store, number in
        try await store.replace(issuer: issuer, expecting: 0, with: pair("w\(number)"))
      }
      let entry = try await place.open().read(issuer: issuer)
      guard let stored = entry.pair else { return false }
      return try winners == 1 && same(stored, pair(stored.writer))
    },
    StoreCase("no write is lost when many write in turns") { place in
      let written = try await place.successes { store, number in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          let generation = try await store.read(issuer: issuer).generation
          if try await store.replace(issuer: issuer, expecting: generation, with: pair("w\(number)")) { return true }
        }
        return false
      }
      return try await allHold(written == 32, place.open().read(issuer: issuer).generation == 32)
    },
    StoreCase("a reader meanwhile sees one pair or another, never a mix") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("w0"))
      let whole = try await place.successes { store, number in
        for _ in 0..<8 {
          let entry = try await store.read(issuer: issuer)
          guard let stored = entry.pair, try same(stored, pair(stored.writer)) else { return false }
          if number.isMultiple(of: 2) {
            _ = try await store.replace(issuer: issuer, expecting: entry.generation, with: pair("w\(number)"))
          }
        }
        return true
      }
      return whole == 32
    },
    StoreCase("a write that is cut off leaves the old pair or the new one") { place in
      _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("w"))
      for _ in 0..<16 {
        let generation = try await place.open().read(issuer: issuer).generation
        let outcome = try await place.cancelled {
          try await $0.replace(issuer: issuer, expecting: generation, with: pair("w"))
        }
        let entry = try await place.open().read(issuer: issuer)
        let isNew = entry.generation == generation + 1
        guard isNew || entry.generation == generation, outcome.map({ $0 == isNew }) ?? true, let stored = entry.pair,
          try same(stored, pair("w"))
        else { return false }
      }
      return true
    },
  ]

  /// What becomes of a pair that can't be read.
  static let damaged: [StoreCase<VendorPairs>] =
    DocumentDamage.all.map { damage in
      StoreCase("\(damage.name) is no pair and not nothing; a login takes its place, a sign-out deletes it") { place in
        let (issuer, other) = (issuer, "https://other.example.com")
        for (new, writer) in [(try pair("new"), "new"), (nil, nil)] {
          let place = place.other
          _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("old"))
          _ = try await place.open().replace(issuer: other, expecting: 0, with: pair("neighbour"))
          try await place.rewrite(damage.to(documentWith: #""old""#))
          let store = try await place.open()
          guard try await StoredFormCases.isMalformed({ try await store.read(issuer: issuer) }),
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
        let issuer = issuer
        _ = try await place.open().replace(issuer: issuer, expecting: 0, with: pair("old"))
        try await place.rewrite { Array($0.dropLast()) }
        let replaced = try await place.successes { store, number in
          try await store.replace(issuer: issuer, expecting: 0, with: pair("w\(number)"))
        }
        return try await allHold(replaced == 1, place.open().read(issuer: issuer).pair != nil)
      }
    ]

  static let issuer = "https://op.example.com"

  /// There is no such pair: a fault of this suite.
  private struct NoPair: Error {}

  /// A pair; with this text in each of its names, with these numbers, without these members.
  private static func pair(
    _ writer: String, text: String? = nil, numbers: [String: Int64] = [:], without missing: [String] = []
  ) throws -> SSOPair {
    guard var document = try? JSONObject(parsing: SSOPairEntry(generation: 1, pair: pair(writer)).serialized) else {
      throw NoPair()
    }
    if let text { for name in ["issuer", "sub", "sid", "client_id", "writer"] { document[name] = .string(text) } }
    for (name, number) in numbers { document[name] = .number(JSONNumber(number)) }
    for name in missing { document[name] = nil }
    guard let pair = try SSOPairEntry(parsing: document.serialized()).pair else { throw NoPair() }
    return pair
  }

  static func pair(_ writer: String) throws -> SSOPair {
    let document: JSONObject = [
      "v": 1, "gen": 1, "issuer": .string(issuer), "sub": .string("subject of \(writer)"), "sid": "session",
      "client_id": "app", "device_secret": .string("c2VjcmV0-\(writer)"), "id_token": .string("e30.\(writer).AA"),
      "ds_hash_recipe": "leftHalfSHA256", "stored_at": 1_760_000_000, "id_token_exp": 1_760_003_600,
      "id_token_iat": 1_760_000_000, "writer": .string(writer),
    ]
    guard let pair = try SSOPairEntry(parsing: document.serialized()).pair else { throw NoPair() }
    return pair
  }

  static func holds(_ writer: String, generation: UInt64, in store: VendorPairs) async throws -> Bool {
    let entry = try await store.read(issuer: issuer)
    guard let stored = entry.pair, entry.generation == generation else { return false }
    return try same(stored, pair(writer))
  }

  private static func same(_ lhs: SSOPair, _ rhs: SSOPair) -> Bool {
    SSOPairEntry(generation: 0, pair: lhs).serialized == SSOPairEntry(generation: 0, pair: rhs).serialized
  }
}
