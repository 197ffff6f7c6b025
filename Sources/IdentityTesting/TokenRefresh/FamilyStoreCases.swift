import JOSE
import OpenIDKit

/// What a `RefreshTokenService` relies on in its store of families.
public enum FamilyStoreCases {
  /// All rules.
  public static let all = rows + selections + texts + order + removal + concurrency

  /// Whatever users, clients and sessions are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<any RefreshTokenFamilyStore>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) is kept, and selects its families and no others") { place in
      let store = try await place.open()
      let named = try family(1, named: text)
      for family in [named, try family(2, named: AwkwardText.twin(of: text))] { _ = try await store.insert(family) }
      let again = try await place.open()
      guard try await again.family(named.id) == named else { return false }
      let selections: [FamilySelection] = [
        .subject(text), .client(text), .subjectAndClient(text, text), .session(text), .deviceSecret(text),
        .grant(text),
      ]
      for selection in selections {
        guard try await again.families(selection) == [named.id] else { return false }
        guard try await again.activeFamilies(selection) == [named.id] else { return false }
      }
      return true
    }
  }

  private static let rows: [StoreCase<any RefreshTokenFamilyStore>] = [
    StoreCase("an empty store has no family") { place in
      try await place.open().family(family(1).id) == nil
    },
    StoreCase("what is not there is not replaced") { place in
      let store = try await place.open()
      let isReplaced = try await store.replace(expecting: 1, with: family(1))
      return try await allHold(!isReplaced, store.family(family(1).id) == nil)
    },
    StoreCase("what was inserted is read, with every member") { place in
      let store = try await place.open()
      let isInserted = try await store.insert(family(1))
      return try await allHold(isInserted, store.family(family(1).id) == family(1))
    },
    StoreCase("a family with nothing but what it must have is read as it was written") { place in
      let store = try await place.open()
      _ = try await store.insert(least)
      return try await store.family(least.id) == least
    },
    StoreCase("what was replaced is read, with every member") { place in
      let store = try await place.open()
      _ = try await store.insert(family(1))
      let isReplaced = try await store.replace(expecting: 1, with: revoked(family(1)))
      return try await allHold(isReplaced, store.family(family(1).id) == revoked(family(1)))
    },
    StoreCase("what was written is there when the store is opened again") { place in
      let store = try await place.open()
      _ = try await store.insert(family(1))
      _ = try await store.insert(family(2))
      _ = try await store.replace(expecting: 1, with: revoked(family(2)))
      let again = try await place.open()
      return try await allHold(
        again.family(family(1).id) == family(1), again.family(family(2).id) == revoked(family(2)))
    },
    StoreCase("a name is taken once, and the first family stays") { place in
      let store = try await place.open()
      _ = try await store.insert(family(1))
      let isInserted = try await store.insert(family(1, subject: "another"))
      return try await allHold(!isInserted, store.family(family(1).id) == family(1))
    },
    StoreCase("only who knows the version writes") { place in
      let store = try await place.open()
      _ = try await store.insert(family(1))
      let isReplaced = try await store.replace(expecting: 2, with: revoked(family(1)))
      return try await allHold(!isReplaced, store.family(family(1).id) == family(1))
    },
    StoreCase("a write concerns the family of its name alone") { place in
      let store = try await place.open()
      for number in UInt8(1)...3 { _ = try await store.insert(family(number)) }
      _ = try await store.replace(expecting: 1, with: revoked(family(2)))
      return try await allHold(store.family(family(1).id) == family(1), store.family(family(3).id) == family(3))
    },
    StoreCase("versions and generations keep all of their 64 bits") { place in
      let store = try await place.open()
      var last = try family(1)
      last.version = .max
      last.generation = .max - 1
      _ = try await store.insert(last)
      var near = last
      near.generation = .max
      let isReplaced = try await store.replace(expecting: .max - 1, with: near)
      let isFound = try await store.family(last.id) == last
      return try await allHold(!isReplaced, isFound, store.replace(expecting: .max, with: near))
    },
  ]

  private static let selections: [StoreCase<any RefreshTokenFamilyStore>] =
    ([
      (.subject("\u{E9}"), "of a user, compared as bytes"), (.client("client"), "of a client"),
      (.subjectAndClient("e\u{301}", "client"), "of a user with a client"), (.session("session"), "of a session"),
      (.deviceSecret("secret"), "of a device secret"), (.grant("grant"), "of an authorization code"),
      (.createdBefore(NumericDate(98)), "created before a date"),
      (.subject("nobody"), "of nobody"), (.client("Client"), "of a client whose name differs by case"),
      (.subject("' OR 1=1 --"), "of a user whose name is a statement"), (.session(""), "of no session"),
    ] as [(FamilySelection, String)]).map { selection, what in
      StoreCase("the families \(what), the oldest first; and the active ones among them") { place in
        let store = try await place.open()
        let families = try await fill(store)
        let fitting = families.filter(selection.includes)
        let all = try await store.families(selection)
        let active = try await store.activeFamilies(selection)
        return all == fitting.map(\.id) && active == fitting.filter { $0.status == .active }.map(\.id)
      }
    }

  /// Four families, the oldest first, of which the oldest is revoked.
  private static func fill(_ store: any RefreshTokenFamilyStore) async throws -> [RefreshTokenFamily] {
    var families = [
      try family(1, subject: "\u{E9}", createdAt: 99), try family(2, subject: "e\u{301}", createdAt: 98),
      try family(3, subject: "\u{E9}", createdAt: 97),
    ]
    let bare = try least
    for family in families + [bare] { _ = try await store.insert(family) }
    families[2] = revoked(families[2])
    _ = try await store.replace(expecting: 1, with: families[2])
    return [bare, families[2], families[1], families[0]]
  }

  private static let order: [StoreCase<any RefreshTokenFamilyStore>] = [
    StoreCase("of families with one date, the one that was added first comes first") { place in
      let store = try await place.open()
      var ids: [RefreshTokenFamily.ID] = []
      for number in UInt8(1)...24 {
        let family = try family(number &* 37)
        _ = try await store.insert(family)
        ids.append(family.id)
      }
      let families = try await store.families(.client("client"))
      return try await allHold(families == ids, place.open().activeFamilies(.client("client")) == ids)
    }
  ]

  /// Whether a family that ended at that second goes when earlier ones must, one second later.
  private static func goes(
    _ family: RefreshTokenFamily, after second: Int, from store: any RefreshTokenFamilyStore
  ) async throws -> Bool {
    _ = try await store.insert(family)
    try await store.removeFamilies(endedBefore: NumericDate(second))
    let isKept = try await store.family(family.id) != nil
    try await store.removeFamilies(endedBefore: NumericDate(second + 1))
    return try await allHold(isKept, store.family(family.id) == nil)
  }

  private static let removal: [StoreCase<any RefreshTokenFamilyStore>] = [
    StoreCase("what was revoked before a date goes, and what was revoked at it stays") { place in
      try await goes(revoked(family(1)), after: 500, from: place.open())
    },
    StoreCase("what expired before a date goes, and what expired at it stays") { place in
      try await goes(family(1), after: 1_000_000, from: place.open())
    },
    StoreCase("what never expires and was not revoked stays") { place in
      let store = try await place.open()
      _ = try await store.insert(least)
      try await store.removeFamilies(endedBefore: NumericDate(1 << 40))
      return try await store.family(least.id) == least
    },
    StoreCase("what was removed is in no selection, and its name is free") { place in
      let store = try await place.open()
      _ = try await store.insert(family(1))
      try await store.removeFamilies(endedBefore: NumericDate(1_000_001))
      let found = try await store.families(.subject("subject"))
      return try await allHold(found.isEmpty, store.insert(family(1)))
    },
  ]

  private static let concurrency: [StoreCase<any RefreshTokenFamilyStore>] = [
    StoreCase("of simultaneous inserts of one name one wins") { place in
      let inserted = try await place.successes { store, number in
        try await store.insert(family(1, subject: "subject \(number)"))
      }
      return try await allHold(inserted == 1, place.open().family(family(1).id) != nil)
    },
    StoreCase("simultaneous inserts of many names are all there") { place in
      let inserted = try await place.successes { store, number in
        try await store.insert(family(UInt8(number)))
      }
      return try await allHold(inserted == 32, place.open().families(.client("client")).count == 32)
    },
    StoreCase("of simultaneous writers who know the version one wins, and its family is there whole") { place in
      _ = try await place.open().insert(family(1))
      let winners = try await place.successes { store, number in
        var next = try family(1)
        next.version = 2
        next.generation = UInt64(number)
        next.replayCount = number
        return try await store.replace(expecting: 1, with: next)
      }
      let stored = try await place.open().family(family(1).id)
      return winners == 1 && stored?.version == 2 && stored.map { $0.generation == UInt64($0.replayCount) } == true
    },
    StoreCase("no write is lost when many write in turns") { place in
      _ = try await place.open().insert(family(1))
      let written = try await place.successes { store, _ in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          guard var next = try await store.family(family(1).id) else { return false }
          let version = next.version
          next.version += 1
          next.generation += 1
          if try await store.replace(expecting: version, with: next) { return true }
        }
        return false
      }
      return try await allHold(written == 32, place.open().family(family(1).id)?.generation == 33)
    },
    StoreCase("a write that is cut off leaves the old family or the new one") { place in
      _ = try await place.open().insert(family(1))
      for _ in 0..<16 {
        guard let old = try await place.open().family(family(1).id) else { return false }
        var new = old
        new.version += 1
        new.generation += 1
        let outcome = try await place.cancelled { [new] in try await $0.replace(expecting: old.version, with: new) }
        let stored = try await place.open().family(old.id)
        guard stored == new || stored == old, outcome.map({ $0 == (stored == new) }) ?? true else { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share families") { place in
      _ = try await place.open().insert(family(1))
      return try await place.other.open().family(family(1).id) == nil
    },
  ]

  /// There is no such family: a fault of this suite.
  private struct NoFamily: Error {}

  static func family(
    _ number: UInt8, subject: String = "subject", createdAt: Int = 10
  ) throws -> RefreshTokenFamily {
    guard let id = RefreshTokenFamily.ID(octets: [UInt8](repeating: number, count: 16)) else { throw NoFamily() }
    let grant = RefreshGrant(
      subject: subject, clientID: "client", sessionID: "session", scope: ["a", "b"], resources: ["https://r.example"],
      confirmation: "thumbprint", deviceSecretID: "secret", authenticationTime: NumericDate(5),
      accessTokenLifetime: 90.5, grantID: "grant")
    return RefreshTokenFamily(
      id: id, version: 1, grant: grant, createdAt: NumericDate(createdAt), absoluteExpiration: NumericDate(1_000_000),
      lastUsedAt: NumericDate(createdAt), status: .active, generation: 1, rotatedAt: nil, replayCount: 0)
  }

  /// A family whose every name is this text.
  private static func family(_ number: UInt8, named text: String) throws -> RefreshTokenFamily {
    let family = try family(number)
    let grant = RefreshGrant(
      subject: text, clientID: text, sessionID: text, scope: [text], resources: [text, "r"], confirmation: text,
      deviceSecretID: text, grantID: text)
    return RefreshTokenFamily(
      id: family.id, version: 1, grant: grant, createdAt: family.createdAt, absoluteExpiration: nil,
      lastUsedAt: family.createdAt, status: .active, generation: 1, rotatedAt: nil, replayCount: 0)
  }

  private static var least: RefreshTokenFamily {
    get throws {
      guard let id = RefreshTokenFamily.ID(octets: [UInt8](repeating: 0xFF, count: 16)) else { throw NoFamily() }
      return RefreshTokenFamily(
        id: id, version: 0, grant: RefreshGrant(subject: "", clientID: "", scope: []), createdAt: NumericDate(-1),
        absoluteExpiration: nil, lastUsedAt: NumericDate(-1), status: .active, generation: 0, rotatedAt: nil,
        replayCount: 0)
    }
  }

  private static func revoked(_ family: RefreshTokenFamily) -> RefreshTokenFamily {
    var family = family
    family.version += 1
    family.generation = 7
    family.rotatedAt = NumericDate(400).advanced(by: 0.25)
    family.replayCount = 3
    family.status = .revoked(LogoutReason("of its own"), at: NumericDate(500))
    return family
  }
}
