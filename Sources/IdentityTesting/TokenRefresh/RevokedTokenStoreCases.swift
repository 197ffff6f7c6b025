import JOSE
import OpenIDKit

/// What introspection and a provider's own resources rely on where they look access tokens up that have ended.
public enum RevokedTokenStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all = rules + rulesOfMany + AwkwardText.all.flatMap { rules(for: $0.text, called: $0.name) }

  private static let end = NumericDate(1_760_003_600).advanced(by: 0.25)

  private static let rules: [StoreCase<any RevokedTokenStore>] = [
    StoreCase("in an empty store nothing is revoked") { place in
      try await !place.open().isRevoked(anyOf: [.token("1"), .grant("1")])
    },
    StoreCase("what was revoked is revoked, and nothing else") { place in
      let store = try await place.open()
      try await store.revoke(.token("1"), until: end)
      let isRevoked = try await store.isRevoked(anyOf: [.token("1")])
      return try await allHold(isRevoked, !store.isRevoked(anyOf: [.token("2")]), !store.isRevoked(anyOf: []))
    },
    StoreCase("what was revoked is revoked when the store is opened again") { place in
      try await place.open().revoke(.grant("1"), until: end)
      return try await place.open().isRevoked(anyOf: [.grant("1")])
    },
    StoreCase("a token and a grant of one name are two") { place in
      let store = try await place.open()
      try await store.revoke(.token("1"), until: end)
      try await store.revoke(.grant("2"), until: end)
      return try await allHold(!store.isRevoked(anyOf: [.grant("1")]), !store.isRevoked(anyOf: [.token("2")]))
    },
    StoreCase("one of several is enough, wherever it stands") { place in
      let store = try await place.open()
      try await store.revoke(.grant("g"), until: end)
      let names: [AccessTokenSelection] = [.token("1"), .token("2"), .grant("h")]
      for position in 0...names.count {
        var asked = names
        asked.insert(.grant("g"), at: position)
        guard try await store.isRevoked(anyOf: asked) else { return false }
      }
      return try await !store.isRevoked(anyOf: names)
    },
    StoreCase("names are compared as bytes") { place in
      let store = try await place.open()
      try await store.revoke(.token("a\u{E9}"), until: end)
      for name in ["ae\u{301}", "A\u{E9}", "a", "a\u{E9} ", "", "' OR 1=1 --"] {
        guard try await !store.isRevoked(anyOf: [.token(name)]) else { return false }
      }
      return true
    },
    StoreCase("what is revoked again stays revoked, until the later time") { place in
      for ends in [[-1000, 3600], [3600, -1000], [3600, 3600]] as [[Double]] {
        let store = try await place.other.open()
        for seconds in ends {
          try await store.revoke(.token("1"), until: NumericDate(1_760_000_000).advanced(by: seconds))
        }
        for number in 0..<40 {
          try await store.revoke(.token("other \(number)"), until: NumericDate(1_760_000_000).advanced(by: -600))
        }
        guard try await store.isRevoked(anyOf: [.token("1")]) else { return false }
      }
      return true
    },
    StoreCase("what is revoked is remembered while others come") { place in
      let store = try await place.open()
      try await store.revoke(.token("1"), until: end)
      for number in 0..<200 { try await store.revoke(.grant("\(number)"), until: end) }
      return try await place.open().isRevoked(anyOf: [.token("1")])
    },
    StoreCase("stores at different places don't share what is revoked") { place in
      try await place.open().revoke(.token("1"), until: end)
      return try await !place.other.open().isRevoked(anyOf: [.token("1")])
    },
  ]

  private static let rulesOfMany: [StoreCase<any RevokedTokenStore>] = [
    StoreCase("simultaneous revocations of many tokens all count") { place in
      let revoked = try await place.successes { store, number in
        try await store.revoke(.token("\(number)"), until: end)
        return true
      }
      let known = try await place.successes { store, number in try await store.isRevoked(anyOf: [.token("\(number)")]) }
      return revoked == 32 && known == 32
    },
    StoreCase("simultaneous revocations of one token all succeed") { place in
      let revoked = try await place.successes { store, _ in
        try await store.revoke(.token("1"), until: end)
        return true
      }
      return try await allHold(revoked == 32, place.open().isRevoked(anyOf: [.token("1")]))
    },
    StoreCase("a revocation that is cut off has happened, or says that it has not") { place in
      for number in 0..<16 {
        let outcome: Bool? = try await place.cancelled { store in
          try await store.revoke(.token("\(number)"), until: end)
          return true
        }
        let isRevoked = try await place.open().isRevoked(anyOf: [.token("\(number)")])
        if outcome == true, !isRevoked { return false }
      }
      return true
    },
  ]

  private static func rules(for text: String, called name: String) -> [StoreCase<any RevokedTokenStore>] {
    [
      StoreCase("\(name) names a token or a grant, and no other") { place in
        let twin = AwkwardText.twin(of: text)
        for (named, other) in [
          (AccessTokenSelection.token(text), AccessTokenSelection.token(twin)), (.grant(text), .grant(twin)),
        ] {
          try await place.open().revoke(named, until: end)
          let isRevoked = try await place.open().isRevoked(anyOf: [named])
          guard try await !place.open().isRevoked(anyOf: [other]), isRevoked else { return false }
        }
        return true
      }
    ]
  }
}
