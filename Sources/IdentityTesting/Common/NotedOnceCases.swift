import JOSE

/// What is asked of every store that notes names, each of somebody, until they have expired.
struct NotedOnceCases<Store: Sendable, Entry: Sendable>: Sendable {
  /// What is noted.
  let noted: String
  /// Who made it, with and without the article.
  let maker: (article: String, name: String)
  /// An entry of somebody, that can be accepted for so many seconds from ``now`` on.
  let entry: @Sendable (_ maker: String, _ name: String, _ lifetime: Double) -> Entry
  let record: @Sendable (Store, Entry, _ now: NumericDate) async throws -> ReplayVerdict

  /// The time of these rules.
  var now: NumericDate { NumericDate(1_760_000_000) }

  /// Notes a name for a minute.
  func note(
    _ name: String, of maker: String = "m", in store: Store, lifetime: Double = 60, after seconds: Double = 0
  ) async throws -> ReplayVerdict {
    try await record(store, entry(maker, name, lifetime), now.advanced(by: seconds))
  }

  /// All rules.
  var all: [StoreCase<Store>] { rules + rulesOfMany + AwkwardText.all.flatMap { rules(for: $0.text, called: $0.name) } }

  private var rules: [StoreCase<Store>] {
    [
      StoreCase("a \(noted) is new once") { place in
        let store = try await place.open()
        let first = try await note("1", in: store)
        return try await allHold(first == .new, note("1", in: store) == .seen)
      },
      StoreCase("a \(noted) that was seen is known when the store is opened again") { place in
        _ = try await note("1", in: place.open())
        return try await note("1", in: place.open()) == .seen
      },
      StoreCase("a \(noted) is named by its \(maker.name) and its name together, each of which ends where it ends") {
        place in
        let store = try await place.open()
        _ = try await note("b\u{E9}", of: "a", in: store)
        for (maker, name) in [
          ("ab", "\u{E9}"), ("", "ab\u{E9}"), ("b\u{E9}", "a"), ("a", "b"), ("a", "b\u{E9}c"), ("A", "b\u{E9}"),
          ("a", "be\u{301}"), ("a", "b\u{C9}"), ("ab\u{E9}", ""),
        ] {
          guard try await note(name, of: maker, in: store) == .new else { return false }
        }
        return true
      },
      StoreCase("a \(noted) is remembered to its last moment, and fractions of a second count") { place in
        let store = try await place.open()
        for (name, lifetime) in [("1", 60.0), ("2", 60.75)] {
          _ = try await note(name, in: store, lifetime: lifetime)
          guard try await note(name, in: store, lifetime: lifetime, after: lifetime) == .seen else { return false }
        }
        return true
      },
      StoreCase("what others have outlived is not new when the clock is set back") { place in
        let store = try await place.open()
        _ = try await note("1", in: store)
        for maker in ["m", "another"] {
          guard try await note("2", of: maker, in: store, lifetime: 160, after: 100) == .new else { return false }
        }
        return try await note("1", in: store) != .new
      },
      StoreCase("stores at different places don't share \(noted)s") { place in
        _ = try await note("1", in: place.open())
        return try await note("1", in: place.other.open()) == .new
      },
    ]
  }

  private var rulesOfMany: [StoreCase<Store>] {
    [
      StoreCase("simultaneous records of many \(noted)s are all new, and all seen afterwards") { place in
        let new = try await place.successes { store, number in
          try await note("\(number)", of: "m\(number % 3)", in: store) == .new
        }
        let seen = try await place.successes { store, number in
          try await note("\(number)", of: "m\(number % 3)", in: store) == .seen
        }
        return new == 32 && seen == 32
      },
      StoreCase("of simultaneous records one is new") { place in
        try await place.successes { store, _ in try await note("1", in: store) == .new } == 1
      },
      StoreCase("a record that is cut off has happened or not") { place in
        for number in 0..<16 {
          let verdict = try await place.cancelled { try await note("\(number)", in: $0) }
          let again = try await note("\(number)", in: place.open())
          if verdict == .new, again != .seen { return false }
        }
        return true
      },
    ]
  }

  /// Whatever they are called, they are compared octet by octet.
  private func rules(for text: String, called name: String) -> [StoreCase<Store>] {
    [
      StoreCase("\(name) names a \(noted), and no other") { place in
        _ = try await note(text, in: place.open())
        let store = try await place.open()
        let isSeen = try await note(text, in: store) == .seen
        return try await allHold(isSeen, note(AwkwardText.twin(of: text), in: store) == .new)
      },
      StoreCase("\(name) names \(maker.article) \(maker.name), and no other") { place in
        _ = try await note("1", of: text, in: place.open())
        let store = try await place.open()
        let isSeen = try await note("1", of: text, in: store) == .seen
        return try await allHold(isSeen, note("1", of: AwkwardText.twin(of: text), in: store) == .new)
      },
    ]
  }
}
