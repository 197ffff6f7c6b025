import JOSE
import JOSEHTTP
import TokenRefresh

/// What a `PushedAuthorizationEndpoint` relies on where its requests wait.
public enum PushedAuthorizationStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all = rules + texts

  /// Whatever references, clients and parameters are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<any PushedAuthorizationStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) is a reference, and no other") { place in
        _ = try await place.open().insert(record, reference: text)
        let store = try await place.open()
        let stranger = try await store.take(reference: AwkwardText.twin(of: text))
        return try await allHold(
          stranger == nil, store.take(reference: text)?.serialized() == record.serialized())
      },
      StoreCase("\(name) is kept in a request, whatever it is") { place in
        let request = PushedAuthorizationRecord(
          parameters: FormFields([(text, text), ("state", text), (text, "")]), clientID: text,
          expiration: record.expiration)
        let isKept = try await place.open().insert(request, reference: "a")
        return try await allHold(isKept, place.open().take(reference: "a")?.serialized() == request.serialized())
      },
    ]
  }

  private static let rules: [StoreCase<any PushedAuthorizationStore>] = [
    StoreCase("an empty store has no request") { place in try await place.open().take(reference: "a") == nil },
    StoreCase("what was kept is taken, with every parameter in its order") { place in
      let store = try await place.open()
      let isKept = try await store.insert(record, reference: "a")
      return try await allHold(isKept, store.take(reference: "a") == record)
    },
    StoreCase("what was kept is there when the store is opened again, and taken once") { place in
      _ = try await place.open().insert(record, reference: "a")
      let taken = try await place.open().take(reference: "a")
      return try await allHold(taken == record, place.open().take(reference: "a") == nil)
    },
    StoreCase("a reference is taken once, and its request stays") { place in
      let store = try await place.open()
      _ = try await store.insert(record, reference: "a")
      let other = PushedAuthorizationRecord(parameters: [:], clientID: "other", expiration: record.expiration)
      let isKept = try await store.insert(other, reference: "a")
      return try await allHold(!isKept, store.take(reference: "a") == record)
    },
    StoreCase("references are compared as bytes") { place in
      let store = try await place.open()
      _ = try await store.insert(record, reference: "\u{E9}")
      for reference in ["e\u{301}", "\u{C9}", "", "' OR 1=1 --"] {
        guard try await store.take(reference: reference) == nil else { return false }
      }
      return try await store.insert(record, reference: "e\u{301}")
    },
    StoreCase("of many who keep under one reference one does") { place in
      let kept = try await place.successes { store, _ in try await store.insert(record, reference: "a") }
      return kept == 1
    },
    StoreCase("a reference whose request was taken is free") { place in
      let store = try await place.open()
      _ = try await store.insert(record, reference: "a")
      _ = try await store.take(reference: "a")
      let isKept = try await place.open().insert(record, reference: "a")
      return try await allHold(isKept, store.take(reference: "a") == record)
    },
    StoreCase("requests that are kept and taken at once don't get into each other's hands") { place in
      let own = try await place.successes { store, number in
        let request = PushedAuthorizationRecord(
          parameters: ["state": "\(number)"], clientID: "app \(number)", expiration: record.expiration)
        guard try await store.insert(request, reference: "r\(number)") else { return false }
        return try await store.take(reference: "r\(number)") == request
      }
      return own == 32
    },
    StoreCase("of many who take one gets it") { place in
      _ = try await place.open().insert(record, reference: "a")
      let taken = try await place.successes { store, _ in try await store.take(reference: "a") != nil }
      return taken == 1
    },
    StoreCase("a taking that is cut off has happened or not") { place in
      for number in 0..<16 {
        _ = try await place.open().insert(record, reference: "r\(number)")
        let taken = try await place.cancelled { try await $0.take(reference: "r\(number)") != nil }
        let isLeft = try await place.open().take(reference: "r\(number)") != nil
        if taken == true, isLeft { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share requests") { place in
      _ = try await place.open().insert(record, reference: "a")
      return try await place.other.open().take(reference: "a") == nil
    },
  ]

  static let record = PushedAuthorizationRecord(
    parameters: ["state": "\u{E9}'\"\\ +&=", "resource": "a", "resource": "b", "": ""], clientID: "app",
    expiration: NumericDate(1_760_000_060).advanced(by: 0.25))
}
