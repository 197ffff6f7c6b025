import IdentityTesting
import JOSE
import OpenIDKit
import Testing

/// What a `TokenManager` relies on in the record that it keeps in a secret store.
@Suite struct TokenRecordsTests {
  private static let places = StorePlaces<TokenRecords> { TokenRecords(MemorySecretStore()) }

  @Test(arguments: TokenRecordsCases.all) func rules(rule: StoreCase<TokenRecords>) async throws {
    #expect(try await rule.holds(in: Self.places))
  }

  @Test(arguments: TokenRecordsCases.damaged) func damage(rule: StoreCase<TokenRecords>) async throws {
    let kept = KeptSecrets()
    let places = StorePlaces<TokenRecords> {
      TokenRecords(kept.store($0))
    } rewriting: {
      try await kept.rewrite($0, $1)
    }
    #expect(try await rule.holds(in: places))
  }
}

enum TokenRecordsCases {
  /// All rules.
  static let all = records + texts

  /// Whatever servers and apps call things by, it is kept and compared octet by octet.
  private static let texts: [StoreCase<TokenRecords>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) is kept, whatever it is") { place in
        var record = try record("a", revision: 1)
        (record.subject, record.scope, record.tokenType) = (text, text, text)
        (record.accessToken, record.refreshToken, record.idToken) = (text, text, text)
        record.loginIDToken = text
        let isStored = try await place.open().replace(nil, with: record)
        return try await allHold(isStored, holds(record, in: place.open()))
      },
      StoreCase("\(name) is a login's name, and no other's") { place in
        let store = try await place.open()
        let (first, second) = (try record(text, revision: 1), try record(text, revision: 2))
        _ = try await store.replace(nil, with: first)
        let other = TokenRecord.Version(loginID: AwkwardText.twin(of: text), revision: 1)
        let isTaken = try await store.replace(other, with: nil)
        let isReplaced = try await store.replace(first.version, with: second)
        return try await allHold(!isTaken, isReplaced, holds(second, in: place.open()))
      },
    ]
  }

  private static let records: [StoreCase<TokenRecords>] = [
    StoreCase("an empty store has no record") { place in try await place.open().load() == nil },
    StoreCase("what is not there is not replaced") { place in
      let store = try await place.open()
      let isReplaced = try await store.replace(first.version, with: second)
      return try await allHold(!isReplaced, store.load() == nil)
    },
    StoreCase("what is not there is not removed") { place in
      try await !place.open().replace(first.version, with: nil)
    },
    StoreCase("an empty store takes a record, and it is read with every member") { place in
      let store = try await place.open()
      let isStored = try await store.replace(nil, with: first)
      return try await allHold(isStored, holds(first, in: store))
    },
    StoreCase("a record with nothing but what it must have is read as it was written") { place in
      let store = try await place.open()
      let isStored = try await store.replace(nil, with: least)
      return try await allHold(isStored, holds(least, in: store))
    },
    StoreCase("what was written is there when the store is opened again") { place in
      _ = try await place.open().replace(nil, with: first)
      return try await holds(first, in: place.open())
    },
    StoreCase("what was removed is gone when the store is opened again") { place in
      let store = try await place.open()
      _ = try await store.replace(nil, with: first)
      let isRemoved = try await store.replace(first.version, with: nil)
      return try await allHold(isRemoved, place.open().load() == nil)
    },
    StoreCase("a record is not overwritten by who expects none") { place in
      let store = try await place.open()
      _ = try await store.replace(nil, with: first)
      let isReplaced = try await store.replace(nil, with: second)
      return try await allHold(!isReplaced, holds(first, in: store))
    },
    StoreCase("only who knows the revision writes and removes") { place in
      let store = try await place.open()
      _ = try await store.replace(nil, with: first)
      let isReplaced = try await store.replace(second.version, with: second)
      let isRemoved = try await store.replace(second.version, with: nil)
      return try await allHold(!isReplaced, !isRemoved, holds(first, in: store))
    },
    StoreCase("login identifiers are compared as bytes") { place in
      let store = try await place.open()
      _ = try await store.replace(nil, with: first)
      // Equal by Swift's ==, and by a database that compares by a collation.
      let equivalent = TokenRecord.Version(loginID: "e\u{301}", revision: 1)
      let isReplaced = try await store.replace(equivalent, with: second)
      return try await allHold(!isReplaced, holds(first, in: store))
    },
    StoreCase("identifiers differ by case") { place in
      let store = try await place.open()
      _ = try await store.replace(nil, with: record("a", revision: 1))
      return try await !store.replace(.init(loginID: "A", revision: 1), with: second)
    },
    StoreCase("numbers keep all of their 64 bits") { place in
      let store = try await place.open()
      let last = try record("a", revision: .max)
      _ = try await store.replace(nil, with: last)
      let isReplaced = try await store.replace(.init(loginID: "a", revision: .max - 1), with: first)
      let isRemoved = try await store.replace(last.version, with: nil)
      return !isReplaced && isRemoved
    },
    StoreCase("a removed record makes room for the next") { place in
      let store = try await place.open()
      _ = try await store.replace(nil, with: first)
      _ = try await store.replace(first.version, with: nil)
      let isStored = try await store.replace(nil, with: second)
      return try await allHold(isStored, holds(second, in: store))
    },
    StoreCase("of simultaneous first writers one wins, and its record is there") { place in
      let winners = try await place.successes { store, number in
        try await store.replace(nil, with: record("login \(number)", revision: 1))
      }
      return try await allHold(winners == 1, place.open().load()?.revision == 1)
    },
    StoreCase("of simultaneous writers who know the revision one wins") { place in
      _ = try await place.open().replace(nil, with: first)
      let winners = try await place.successes { store, _ in try await store.replace(first.version, with: second) }
      return try await allHold(winners == 1, holds(second, in: place.open()))
    },
    StoreCase("no write is lost when many write in turns") { place in
      _ = try await place.open().replace(nil, with: record("a", revision: 0))
      let written = try await place.successes { store, _ in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          guard let stored = try await store.load() else { return false }
          let next = try record("a", revision: stored.revision + 1)
          if try await store.replace(stored.version, with: next) { return true }
        }
        return false
      }
      return try await allHold(written == 32, place.open().load()?.revision == 32)
    },
    StoreCase("a reader meanwhile sees a whole record, never a mix of two") { place in
      _ = try await place.open().replace(nil, with: record("a", revision: 0))
      let whole = try await place.successes { store, number in
        for _ in 0..<8 {
          guard let stored = try await store.load() else { return false }
          guard try stored.serialized() == record("a", revision: stored.revision).serialized() else { return false }
          if number.isMultiple(of: 2) {
            _ = try await store.replace(stored.version, with: record("a", revision: stored.revision + 1))
          }
        }
        return true
      }
      return whole == 32
    },
    StoreCase("a write that is cut off leaves the old record or the new one") { place in
      _ = try await place.open().replace(nil, with: record("a", revision: 0))
      for revision in 0..<UInt64(16) {
        let (old, new) = (try record("a", revision: revision), try record("a", revision: revision + 1))
        let outcome = try await place.cancelled { try await $0.replace(old.version, with: new) }
        let store = try await place.open()
        guard let stored = try await store.load() else { return false }
        let isNew = stored.serialized() == new.serialized()
        guard isNew || stored.serialized() == old.serialized(), outcome.map({ $0 == isNew }) ?? true else {
          return false
        }
        if !isNew, try await !store.replace(old.version, with: new) { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share a record") { place in
      _ = try await place.open().replace(nil, with: first)
      return try await place.other.open().load() == nil
    },
  ]

  /// What becomes of a record that can't be read.
  static let damaged: [StoreCase<TokenRecords>] =
    DocumentDamage.all.map { damage in
      StoreCase("\(damage.name) is no login and not nothing; a login takes its place, a logout removes it") { place in
        let (first, second) = (try first, try second)
        let store = try await place.open()
        _ = try await store.replace(nil, with: first)
        for new in [second, nil] {
          try await place.rewrite(damage.change)
          let damaged = try await place.open()
          guard try await StoredFormCases.isMalformed(damaged.load),
            try await !damaged.replace(first.version, with: second),
            try await !damaged.replace(second.version, with: nil),
            try await damaged.replace(nil, with: new)
          else { return false }
          let healed = try await place.open().load()
          guard healed?.serialized() == new?.serialized() else { return false }
        }
        return try await allHold(store.replace(nil, with: first), holds(first, in: store))
      }
    } + [
      StoreCase("of many who replace what can't be read one does, and its record is there") { place in
        _ = try await place.open().replace(nil, with: first)
        try await place.rewrite { Array($0.dropLast()) }
        let replaced = try await place.successes { store, number in
          try await store.replace(nil, with: record("login \(number)", revision: 1))
        }
        return try await allHold(replaced == 1, place.open().load()?.revision == 1)
      }
    ]

  static func holds(_ record: TokenRecord, in store: TokenRecords) async throws -> Bool {
    try await store.load()?.serialized() == record.serialized()
  }

  static var first: TokenRecord {
    get throws { try record("\u{E9}", revision: 1) }
  }

  static var second: TokenRecord {
    get throws { try record("\u{E9}", revision: 2) }
  }

  private static var least: TokenRecord {
    get throws {
      let document =
        #"{"version":1,"loginID":"","revision":0,"generation":0,"kind":"thing","tokenType":"","issuedAt":0,"lifetime":0,"#
        + #""lastFullLogin":0}"#
      return try TokenRecord(parsing: document.utf8)
    }
  }

  static func record(_ loginID: String, revision: UInt64) throws -> TokenRecord {
    let document =
      #"{"version":1,"loginID":"a","revision":1,"generation":18446744073709551615,"kind":"refreshable","#
      + #""subject":"\ud83d\ude00'\"\\","tokenType":"Bearer","scope":"a b","issuedAt":1760000000,"lifetime":0.5,"#
      + #""refreshTokenExpiration":1790000000,"idToken":"x.y.z","lastFullLogin":-5,"#
      + #""pendingRotation":{"startedAt":7,"refreshTokenFingerprint":"0123456789abcdef"}}"#
    var record = try TokenRecord(parsing: document.utf8)
    record.loginID = loginID
    record.revision = revision
    record.accessToken = "access \(revision)"
    record.refreshToken = "refresh \(revision)"
    return record
  }
}
