/// What is asked of every store that keeps a record under a reference until somebody takes it, once.
struct TakenOnceCases<Store: Sendable, Record: Sendable>: Sendable {
  /// What the record is called, and several of them, and what it is kept under.
  let record, records, reference: String
  /// A record that uses all it can hold, and another.
  let full, other: @Sendable () throws -> Record
  /// A record that tells this number from others.
  let numbered: @Sendable (Int) throws -> Record
  /// A record with this text wherever a text may stand.
  let named: @Sendable (String) throws -> Record
  /// All there is in a record.
  let octets: @Sendable (Record) -> [UInt8]
  let insert: @Sendable (Store, Record, _ reference: String) async throws -> Bool
  let take: @Sendable (Store, _ reference: String) async throws -> Record?

  /// All rules.
  var all: [StoreCase<Store>] { rules + rulesOfMany + AwkwardText.all.flatMap { rules(for: $0.text, called: $0.name) } }

  /// Whether this record is taken now.
  private func takes(_ record: Record, from store: Store, _ reference: String = "a") async throws -> Bool {
    guard let taken = try await take(store, reference) else { return false }
    return octets(taken) == octets(record)
  }

  private var rules: [StoreCase<Store>] {
    [
      StoreCase("an empty store has no \(record)") { place in try await take(place.open(), "a") == nil },
      StoreCase("what was kept is taken, with all there is in it") { place in
        let store = try await place.open()
        for record in [try full(), try other()] {
          guard try await insert(store, record, "a"), try await takes(record, from: store) else { return false }
        }
        return true
      },
      StoreCase("what was kept is there when the store is opened again") { place in
        _ = try await insert(place.open(), full(), "a")
        return try await takes(full(), from: place.open())
      },
      StoreCase("a \(record) is taken once, also when the store is opened again") { place in
        let store = try await place.open()
        _ = try await insert(store, full(), "a")
        _ = try await take(store, "a")
        let isTaken = try await take(store, "a") != nil
        return try await allHold(!isTaken, take(place.open(), "a") == nil)
      },
      StoreCase("a \(reference) is taken once, and its \(record) stays") { place in
        let store = try await place.open()
        _ = try await insert(store, full(), "a")
        let isKept = try await insert(store, other(), "a")
        return try await allHold(!isKept, takes(full(), from: store))
      },
      StoreCase("\(reference)s are compared as bytes") { place in
        let store = try await place.open()
        _ = try await insert(store, full(), "\u{E9}")
        for reference in ["e\u{301}", "\u{C9}", "", "' OR 1=1 --"] {
          guard try await take(store, reference) == nil else { return false }
        }
        return try await insert(store, full(), "e\u{301}")
      },
      StoreCase("a \(reference) whose \(record) was taken is free") { place in
        let store = try await place.open()
        _ = try await insert(store, full(), "a")
        _ = try await take(store, "a")
        let isKept = try await insert(place.open(), other(), "a")
        return try await allHold(isKept, takes(other(), from: store))
      },
      StoreCase("stores at different places don't share \(records)") { place in
        _ = try await insert(place.open(), full(), "a")
        return try await take(place.other.open(), "a") == nil
      },
    ]
  }

  private var rulesOfMany: [StoreCase<Store>] {
    [
      StoreCase("of many who keep under one \(reference) one does") { place in
        try await place.successes { store, _ in try await insert(store, full(), "a") } == 1
      },
      StoreCase("of many who take one gets it") { place in
        _ = try await insert(place.open(), full(), "a")
        return try await place.successes { store, _ in try await take(store, "a") != nil } == 1
      },
      StoreCase("\(records) that are kept and taken at once don't get into each other's hands") { place in
        let own = try await place.successes { store, number in
          let record = try numbered(number)
          guard try await insert(store, record, "r\(number)") else { return false }
          return try await takes(record, from: store, "r\(number)")
        }
        return own == 32
      },
      StoreCase("a taking that is cut off has happened or not") { place in
        for number in 0..<16 {
          _ = try await insert(place.open(), full(), "r\(number)")
          let taken = try await place.cancelled { try await take($0, "r\(number)") != nil }
          let isLeft = try await take(place.open(), "r\(number)") != nil
          // Both would let it be used twice.
          if taken == true, isLeft { return false }
        }
        return true
      },
    ]
  }

  /// Whatever references are called, and what is in the records, is kept and compared octet by octet.
  private func rules(for text: String, called name: String) -> [StoreCase<Store>] {
    [
      StoreCase("\(name) is a \(reference), and no other") { place in
        _ = try await insert(place.open(), full(), text)
        let store = try await place.open()
        let stranger = try await take(store, AwkwardText.twin(of: text))
        return try await allHold(stranger == nil, takes(full(), from: store, text))
      },
      StoreCase("\(name) is kept in a \(record), whatever it is") { place in
        let record = try named(text)
        let isKept = try await insert(place.open(), record, "a")
        return try await allHold(isKept, takes(record, from: place.open()))
      },
    ]
  }
}
