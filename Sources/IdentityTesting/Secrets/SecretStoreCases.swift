import OpenIDKit

/// What a `TokenManager` and a `NativeSSOSession` rely on in their stores.
public enum SecretStoreCases {
  /// All rules.
  public static let all = rules + versions + concurrency + octets

  /// A document is octets, and no other is taken for it.
  private static let octets: [StoreCase<any SecretStore>] =
    (AwkwardText.all.map { ($0.name, Array($0.text.utf8), Array(AwkwardText.twin(of: $0.text).utf8)) } + [
      ("a document of each octet", Array(0...255), Array((0...255).reversed())),
      ("a document of zeros", [0, 0, 0], [0, 0]), ("a document that is no text", [0xFF, 0xC0], [0xFF]),
      ("a very long document", [UInt8](repeating: 7, count: 500_000), [UInt8](repeating: 7, count: 499_999)),
    ]).flatMap { name, document, twin in
      [
        StoreCase("\(name) is read as it was written") { place in
          let isStored = try await place.open().replace(expecting: nil, with: document) != nil
          return try await allHold(isStored, place.open().load()?.document == document)
        },
        StoreCase("\(name) has a version that one much like it has not") { place in
          let store = try await place.open()
          _ = try await store.replace(expecting: nil, with: document)
          guard let first = try await store.load() else { return false }
          guard try await store.replace(expecting: first.version, with: twin) != nil,
            let second = try await store.load()
          else {
            return false
          }
          let isStale = try await place.open().replace(expecting: first.version, with: document) != nil
          return try await allHold(
            second.version != first.version, !isStale, place.open().load()?.document == twin)
        },
      ]
    }

  private static let rules: [StoreCase<any SecretStore>] = [
    StoreCase("an empty store has no document") { place in try await place.open().load() == nil },
    StoreCase("what is not there is not replaced") { place in
      let store = try await place.open()
      for version in [[], [0], Array("1".utf8), [UInt8](repeating: 0, count: 32)] {
        guard try await store.replace(expecting: version, with: first) == nil else { return false }
      }
      return try await store.load() == nil
    },
    StoreCase("what is not there is not removed, unless nothing is expected") { place in
      let store = try await place.open()
      let isRemoved = try await store.replace(expecting: [1], with: nil) != nil
      let isLeft = try await store.replace(expecting: nil, with: nil) != nil
      return try await allHold(!isRemoved, isLeft, store.load() == nil)
    },
    StoreCase("an empty store takes a document") { place in
      let store = try await place.open()
      let isStored = try await store.replace(expecting: nil, with: first) != nil
      return try await allHold(isStored, store.load()?.document == first)
    },
    StoreCase("what was written is there when the store is opened again") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      return try await place.open().load()?.document == first
    },
    StoreCase("what was removed is gone when the store is opened again") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: first)
      let isRemoved = try await store.replace(expecting: store.load()?.version, with: nil) != nil
      return try await allHold(isRemoved, place.open().load() == nil)
    },
    StoreCase("a document is replaced by the next, and nothing of it is left") { place in
      let store = try await place.open()
      for document in [first + first, second, Array(first.prefix(3)), first] {
        guard try await store.replace(expecting: store.load()?.version, with: document) != nil,
          try await place.open().load()?.document == document
        else { return false }
      }
      return true
    },
    StoreCase("a document is neither overwritten nor removed by a writer who expects none") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: first)
      let isReplaced = try await store.replace(expecting: nil, with: second) != nil
      let isRemoved = try await store.replace(expecting: nil, with: nil) != nil
      return try await allHold(!isReplaced, !isRemoved, store.load()?.document == first)
    },
    StoreCase("a removed document makes room for the next") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: first)
      _ = try await store.replace(expecting: store.load()?.version, with: nil)
      let isStored = try await store.replace(expecting: nil, with: second) != nil
      return try await allHold(isStored, place.open().load()?.document == second)
    },
    StoreCase("stores at different places don't share a document") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      let other = place.other
      guard try await other.open().load() == nil, try await other.open().replace(expecting: nil, with: second) != nil
      else {
        return false
      }
      _ = try await other.open().replace(expecting: other.open().load()?.version, with: nil)
      return try await place.open().load()?.document == first
    },
    StoreCase("fifty places have their documents when they are opened again") { place in
      let places = (0..<50).map { _ in place.other }
      for (number, place) in places.enumerated() {
        _ = try await place.open().replace(expecting: nil, with: document(number))
      }
      for (number, place) in places.enumerated() {
        guard try await place.open().load()?.document == document(number) else { return false }
      }
      return true
    },
  ]

  private static let versions: [StoreCase<any SecretStore>] = [
    StoreCase("the version is the same for every reader until the next write") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      let store = try await place.open()
      let version = try await store.load()?.version
      let isAgain = try await store.load()?.version == version
      _ = try await store.replace(expecting: [], with: second)
      return try await allHold(version != nil, isAgain, place.open().load()?.version == version)
    },
    StoreCase("only a writer who knows the version writes and removes, and a refusal changes nothing") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: first)
      guard let stored = try await store.load(), let last = stored.version.last else { return false }
      for version in [
        [], [last], Array(stored.version.dropLast()), stored.version + [0], stored.version.dropLast() + [last ^ 1],
        stored.version.dropLast() + [last ^ 0x20], stored.version.dropLast() + [last ^ 0x80],
      ] where version != stored.version {
        let isReplaced = try await store.replace(expecting: version, with: second) != nil
        let isRemoved = try await store.replace(expecting: version, with: nil) != nil
        guard !isReplaced, !isRemoved else { return false }
      }
      let found = try await place.open().load()
      return found?.document == first && found?.version == stored.version
    },
    StoreCase("no version comes again that another document had") { place in
      var former: [[UInt8]] = []
      for number in 0..<24 {
        let store = try await place.open()
        let version = try await store.load()?.version
        // Now and then there is nothing.
        guard try await store.replace(expecting: version, with: number % 5 == 4 ? nil : document(number)) != nil else {
          return false
        }
        if let version { former.append(version) }
        for version in former {
          guard try await place.open().replace(expecting: version, with: first) == nil else { return false }
        }
        guard try await place.open().load()?.document == (number % 5 == 4 ? nil : document(number)) else {
          return false
        }
      }
      return true
    },
    StoreCase("a writer is given the version that all others read, and goes on from it without reading") { place in
      let store = try await place.open()
      var version: [UInt8]?
      for number in 0..<8 {
        version = try await store.replace(expecting: version, with: document(number))
        guard let version, let stored = try await place.open().load(), stored.version == version,
          stored.document == document(number)
        else { return false }
      }
      let isRemoved = try await store.replace(expecting: version, with: nil) != nil
      return try await allHold(isRemoved, place.open().load() == nil)
    },
    StoreCase("what one writes all others read and go on from") { place in
      var stores: [any SecretStore] = []
      for _ in 0..<3 { stores.append(try await place.open()) }
      for number in 0..<18 {
        let writer = stores[number % 3]
        guard try await writer.replace(expecting: writer.load()?.version, with: document(number)) != nil else {
          return false
        }
        for store in stores {
          guard try await store.load()?.document == document(number) else { return false }
        }
      }
      return true
    },
  ]

  private static let concurrency: [StoreCase<any SecretStore>] = [
    StoreCase("of simultaneous first writers one wins, and its document is there") { place in
      let winners = try await place.successes { store, number in
        try await store.replace(expecting: nil, with: document(number)) != nil
      }
      guard let stored = try await place.open().load()?.document else { return false }
      return winners == 1 && isWhole(stored)
    },
    StoreCase("of simultaneous writers who know the version one wins") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      let version = try await place.open().load()?.version
      let winners = try await place.successes { store, number in
        try await store.replace(expecting: version, with: document(number)) != nil
      }
      guard let stored = try await place.open().load()?.document else { return false }
      return winners == 1 && isWhole(stored)
    },
    StoreCase("of simultaneous removals one is done") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      let version = try await place.open().load()?.version
      let done = try await place.successes { store, _ in try await store.replace(expecting: version, with: nil) != nil }
      return try await allHold(done == 1, place.open().load() == nil)
    },
    StoreCase("of writers and removals at once one wins") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      let version = try await place.open().load()?.version
      let done = try await place.successes { store, number in
        try await store.replace(expecting: version, with: number.isMultiple(of: 2) ? second : nil) != nil
      }
      let stored = try await place.open().load()?.document
      return done == 1 && (stored == nil || stored == second)
    },
    StoreCase("no write is lost when many write in turns") { place in
      _ = try await place.open().replace(expecting: nil, with: document(0))
      let written = try await place.successes { store, _ in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          guard let stored = try await store.load(), let number = number(of: stored.document) else { return false }
          if try await store.replace(expecting: stored.version, with: document(number + 1)) != nil { return true }
        }
        return false
      }
      return try await allHold(written == 32, place.open().load()?.document == document(32))
    },
    StoreCase("a writer who goes on from the version that it was given overwrites no other's document") { place in
      _ = try await place.open().replace(expecting: nil, with: document(0))
      let wroteTwice = try await place.successes { store, _ in
        for _ in 0..<200 {
          guard let stored = try await store.load(), let number = number(of: stored.document) else { return false }
          let own = try await store.replace(expecting: stored.version, with: document(number + 1))
          guard let own else { continue }
          return try await store.replace(expecting: own, with: document(number + 2)) != nil
        }
        return false
      }
      return try await place.open().load()?.document == document(32 + wroteTwice)
    },
    StoreCase("a reader meanwhile sees a whole document, never a mix of two") { place in
      _ = try await place.open().replace(expecting: nil, with: document(0))
      let whole = try await place.successes { store, number in
        for round in 0..<8 {
          guard let stored = try await store.load(), isWhole(stored.document) else { return false }
          if number.isMultiple(of: 2) {
            _ = try await store.replace(expecting: stored.version, with: document(100 * number + round))
          }
        }
        return true
      }
      return whole == 32
    },
    StoreCase("writers at different places don't disturb each other") { place in
      let places = (0..<32).map { _ in place.other }
      let written = try await place.successes { _, number in
        for round in 0..<3 {
          let store = try await places[number].open()
          guard try await store.replace(expecting: store.load()?.version, with: document(100 * number + round)) != nil
          else {
            return false
          }
        }
        return try await places[number].open().load()?.document == document(100 * number + 2)
      }
      return written == 32
    },
    StoreCase("simultaneous writes and removals don't fail") { place in
      try await place.successes { store, number in
        for _ in 0..<4 {
          let version = try await store.load()?.version
          _ = try await store.replace(expecting: version, with: number.isMultiple(of: 2) ? nil : document(number))
        }
        return true
      } == 32
    },
    StoreCase("a write that is cut off leaves the old document or the new one") { place in
      _ = try await place.open().replace(expecting: nil, with: document(0))
      for number in 0..<16 {
        guard let old = try await place.open().load() else { return false }
        let outcome = try await place.cancelled {
          try await $0.replace(expecting: old.version, with: document(number + 1)) != nil
        }
        guard let stored = try await place.open().load() else { return false }
        let isNew = stored.document == document(number + 1)
        guard isNew || stored.document == old.document && stored.version == old.version,
          outcome.map({ $0 == isNew }) ?? true
        else { return false }
      }
      return true
    },
    StoreCase("a removal that is cut off leaves the document or none") { place in
      for number in 0..<16 {
        let place = place.other
        _ = try await place.open().replace(expecting: nil, with: document(number))
        let version = try await place.open().load()?.version
        let outcome = try await place.cancelled { try await $0.replace(expecting: version, with: nil) != nil }
        let stored = try await place.open().load()
        guard stored == nil || stored?.document == document(number), outcome.map({ $0 == (stored == nil) }) ?? true
        else { return false }
      }
      return true
    },
  ]

  private static let first = Array(#"{"a":1}"#.utf8)
  private static let second = Array(#"{"a":2,"b":"2"}"#.utf8)

  /// A document whose parts name themselves.
  private static func document(_ number: Int) -> [UInt8] {
    Array(String(repeating: "\(number) ", count: 20 + number % 7).utf8)
  }

  private static func number(of document: [UInt8]) -> Int? {
    Int(String(decoding: document.prefix { $0 != 0x20 }, as: UTF8.self))
  }

  private static func isWhole(_ stored: [UInt8]) -> Bool { number(of: stored).map { document($0) == stored } ?? false }
}
