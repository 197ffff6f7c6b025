import JOSE
import OpenIDKit

/// What an `AuthorizationCodeService` relies on in its store of codes.
public enum AuthorizationCodeStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all = rows + hashes + texts + concurrency

  /// Whatever clients, users and sessions are called, it is kept octet by octet.
  private static let texts: [StoreCase<any AuthorizationCodeStore>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) is kept wherever a text may stand") { place in
      let grant = AuthorizationCodeGrant(
        clientID: text, redirectURI: text, scopes: [text, "a"], resources: [text, "r"], subject: text, sessionID: text,
        nonce: text,
        codeChallenge: text, keyThumbprint: text, id: text, additionalMembers: ["a": .string(text)])
      let named = AuthorizationCodeRecord(
        codeHash: record(1).codeHash, version: 1, grant: grant, expiration: expiration, use: .unused,
        removableAt: expiration)
      _ = try await place.open().insert(named)
      return try await holds(named, in: place.open())
    }
  }

  private static let rows: [StoreCase<any AuthorizationCodeStore>] = [
    StoreCase("an empty store has no code") { place in try await place.open().code(record(1).codeHash) == nil },
    StoreCase("what is not there is not replaced") { place in
      let store = try await place.open()
      let isReplaced = try await store.replace(expecting: 1, with: record(1))
      return try await allHold(!isReplaced, store.code(record(1).codeHash) == nil)
    },
    StoreCase("what was inserted is read, with every member") { place in
      let store = try await place.open()
      let isInserted = try await store.insert(record(1))
      return try await allHold(isInserted, holds(record(1), in: store))
    },
    StoreCase("a code with nothing but what it must have is read as it was written") { place in
      let store = try await place.open()
      _ = try await store.insert(least)
      return try await holds(least, in: store)
    },
    StoreCase("what was replaced is read, with every member") { place in
      let store = try await place.open()
      for next in [used(record(1)), reused(record(1))] {
        _ = try await store.insert(record(1))
        guard try await store.replace(expecting: next.version - 1, with: next), try await holds(next, in: store) else {
          return false
        }
      }
      return true
    },
    StoreCase("what was written is there when the store is opened again") { place in
      let store = try await place.open()
      for number in UInt8(1)...2 { _ = try await store.insert(record(number)) }
      _ = try await store.replace(expecting: 1, with: used(record(2)))
      let again = try await place.open()
      return try await allHold(holds(record(1), in: again), holds(used(record(2)), in: again))
    },
    StoreCase("a hash is taken once, and the first code stays, whether it was used or not") { place in
      let store = try await place.open()
      for kept in [record(1), used(record(1))] {
        if kept.version == 1 {
          _ = try await store.insert(kept)
        } else {
          _ = try await store.replace(expecting: 1, with: kept)
        }
        let isInserted = try await store.insert(record(1, client: "another"))
        guard try await holds(kept, in: store), !isInserted else { return false }
      }
      return true
    },
    StoreCase("only who knows the version writes") { place in
      let store = try await place.open()
      _ = try await store.insert(record(1))
      _ = try await store.replace(expecting: 1, with: used(record(1)))
      for version in [0, 1, 3] as [UInt64] {
        guard try await !store.replace(expecting: version, with: reused(record(1))) else { return false }
      }
      return try await holds(used(record(1)), in: store)
    },
    StoreCase("a write concerns the code of its hash alone") { place in
      let store = try await place.open()
      for number in UInt8(1)...3 { _ = try await store.insert(record(number)) }
      _ = try await store.replace(expecting: 1, with: used(record(2)))
      return try await allHold(holds(record(1), in: store), holds(record(3), in: store))
    },
    StoreCase("versions keep all of their 64 bits") { place in
      let store = try await place.open()
      var last = record(1)
      last.version = .max
      _ = try await store.insert(last)
      var next = last
      next.use = .used
      let isReplaced = try await store.replace(expecting: .max - 1, with: next)
      let isFound = try await holds(last, in: store)
      return try await allHold(!isReplaced, isFound, store.replace(expecting: .max, with: next))
    },
    StoreCase("a code that was used is remembered while others come") { place in
      let store = try await place.open()
      _ = try await store.insert(record(0))
      _ = try await store.replace(expecting: 1, with: used(record(0)))
      for number in UInt8(1)...200 { _ = try await store.insert(record(number)) }
      return try await holds(used(record(0)), in: place.open())
    },
  ]

  private static let hashes: [StoreCase<any AuthorizationCodeStore>] = [
    StoreCase("an octet of a hash is looked at wherever it stands") { place in
      let store = try await place.open()
      for position in 0..<32 {
        var hash = [UInt8](repeating: 0, count: 32)
        hash[position] = 0x20
        let record = record(hash, client: "\(position)")
        guard try await store.insert(record), try await holds(record, in: store) else { return false }
      }
      return try await store.code([UInt8](repeating: 0, count: 32)) == nil
    },
    StoreCase("hashes are named by all of their octets") { place in
      let store = try await place.open()
      for number in UInt8(0)...255 {
        guard try await store.insert(record(number)) else { return false }
      }
      return try await holds(record(0), in: store)
    },
    StoreCase("a hash of another length is none of a code") { place in
      let store = try await place.open()
      _ = try await store.insert(record(1))
      for hash in [[], Array(record(1).codeHash.dropLast()), record(1).codeHash + [0]] {
        guard try await store.code(hash) == nil else { return false }
      }
      return true
    },
  ]

  private static let concurrency: [StoreCase<any AuthorizationCodeStore>] = [
    StoreCase("of simultaneous inserts of one hash one wins") { place in
      let inserted = try await place.successes { store, number in
        try await store.insert(record(1, client: "client \(number)"))
      }
      return try await allHold(inserted == 1, place.open().code(record(1).codeHash) != nil)
    },
    StoreCase("simultaneous inserts of many hashes are all there") { place in
      let inserted = try await place.successes { store, number in try await store.insert(record(UInt8(number))) }
      for number in UInt8(0)..<32 {
        guard try await holds(record(number), in: place.open()) else { return false }
      }
      return inserted == 32
    },
    StoreCase("of simultaneous uses one wins, and its code is there whole") { place in
      _ = try await place.open().insert(record(1))
      let winners = try await place.successes { store, number in
        var next = used(record(1))
        if number.isMultiple(of: 2) { next.use = .reused }
        next.removableAt = expiration.advanced(by: Double(number))
        return try await store.replace(expecting: 1, with: next)
      }
      let stored = try await place.open().code(record(1).codeHash)
      let second = stored.map { Int($0.removableAt.secondsSince1970 - expiration.secondsSince1970) }
      return winners == 1 && second.map { $0.isMultiple(of: 2) ? .reused : .used } == stored?.use
    },
    StoreCase("no write is lost when many write in turns") { place in
      _ = try await place.open().insert(record(1))
      let written = try await place.successes { store, _ in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          guard var next = try await store.code(record(1).codeHash) else { return false }
          let version = next.version
          next.version += 1
          next.removableAt = next.removableAt.advanced(by: 1)
          if try await store.replace(expecting: version, with: next) { return true }
        }
        return false
      }
      let stored = try await place.open().code(record(1).codeHash)
      return written == 32 && stored?.removableAt == expiration.advanced(by: 32)
    },
    StoreCase("a write that is cut off leaves the old code or the new one") { place in
      _ = try await place.open().insert(record(1))
      for number in UInt8(0)..<16 {
        guard let old = try await place.open().code(record(1).codeHash) else { return false }
        var new = old
        new.version += 1
        new.removableAt = expiration.advanced(by: Double(number + 1))
        let outcome = try await place.cancelled { [new] in try await $0.replace(expecting: old.version, with: new) }
        let stored = try await place.open().code(old.codeHash)
        guard stored == new || stored == old, outcome.map({ $0 == (stored == new) }) ?? true else { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share codes") { place in
      _ = try await place.open().insert(record(1))
      return try await place.other.open().code(record(1).codeHash) == nil
    },
  ]

  /// Whether this is what the store has, octet by octet.
  static func holds(_ record: AuthorizationCodeRecord, in store: any AuthorizationCodeStore) async throws -> Bool {
    try await store.code(record.codeHash)?.serialized() == record.serialized()
  }

  private static let expiration = NumericDate(1_760_000_060).advanced(by: 0.25)

  static func record(_ number: UInt8, client: String = "client") -> AuthorizationCodeRecord {
    record([UInt8](repeating: 7, count: 31) + [number], client: client)
  }

  private static func record(_ hash: [UInt8], client: String) -> AuthorizationCodeRecord {
    let grant = AuthorizationCodeGrant(
      clientID: client, redirectURI: "https://app.example/cb", scopes: ["openid", "b"],
      resources: ["https://r.example"], subject: "\u{E9}",
      sessionID: "session", nonce: "nonce", codeChallenge: "challenge", keyThumbprint: "thumbprint", id: "grant",
      additionalMembers: ["claims": ["userinfo": ["email"]], "n": 1])
    return AuthorizationCodeRecord(
      codeHash: hash, version: 1, grant: grant, expiration: expiration, use: .unused,
      removableAt: expiration)
  }

  static func used(_ record: AuthorizationCodeRecord) -> AuthorizationCodeRecord {
    var next = record
    next.version += 1
    next.use = .used
    next.removableAt = expiration.advanced(by: 86_400.5)
    return next
  }

  private static func reused(_ record: AuthorizationCodeRecord) -> AuthorizationCodeRecord {
    var next = used(record)
    next.version += 1
    next.use = .reused
    return next
  }

  private static var least: AuthorizationCodeRecord {
    AuthorizationCodeRecord(
      codeHash: [UInt8](repeating: 0xFF, count: 32), version: 0,
      grant: AuthorizationCodeGrant(clientID: "", redirectURI: "", scopes: [], id: ""), expiration: expiration,
      use: .unused, removableAt: expiration)
  }
}
