import NativeSSOKit
import StrictJSON

/// What a `SettingsResolver` relies on in its store.
public enum SettingsStoreCases {
  /// All rules.
  public static let all = rules + texts

  /// Whatever settings are called and hold, they are kept and compared octet by octet.
  private static let texts: [StoreCase<any SettingsStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) is kept as a setting's name and value") { place in
        let settings: JSONObject = ["first": 1, text: .string(text), "list": [.string(text), .object([text: .null])]]
        let isSaved = try await place.open().replace(expecting: nil, with: settings)
        return try await allHold(isSaved, place.open().load()?.serialized() == settings.serialized())
      },
      StoreCase("who expects what only looks like \(name) replaces nothing") { place in
        let store = try await place.open()
        let (saved, twin): (JSONObject, JSONObject) = (
          ["a": .string(text)], ["a": .string(AwkwardText.twin(of: text))]
        )
        _ = try await store.replace(expecting: nil, with: saved)
        let isReplaced = try await store.replace(expecting: twin, with: second)
        let isKept = try await place.open().load()?.serialized() == saved.serialized()
        return try await allHold(!isReplaced, isKept, store.replace(expecting: saved, with: second))
      },
    ]
  }

  private static let rules: [StoreCase<any SettingsStore>] = [
    StoreCase("an empty store has no settings") { place in try await place.open().load() == nil },
    StoreCase("what was saved is read, members of all types in their order") { place in
      let store = try await place.open()
      let isSaved = try await store.replace(expecting: nil, with: first)
      return try await allHold(isSaved, store.load()?.serialized() == first.serialized())
    },
    StoreCase("an empty object is not nothing") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: [:])
      let isReplaced = try await store.replace(expecting: nil, with: first)
      return try await allHold(!isReplaced, store.load() == [:])
    },
    StoreCase("what was saved is there when the store is opened again") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      return try await place.open().load() == first
    },
    StoreCase("only who knows what is saved replaces it") { place in
      let store = try await place.open()
      let isReplaced = try await store.replace(expecting: first, with: second)
      _ = try await store.replace(expecting: nil, with: first)
      let isOverwritten = try await store.replace(expecting: nil, with: second)
      let isReplacedBlindly = try await store.replace(expecting: second, with: [:])
      return try await allHold(!isReplaced, !isOverwritten, !isReplacedBlindly, store.load() == first)
    },
    StoreCase("what was removed is gone") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: first)
      let isRemovedBlindly = try await store.replace(expecting: second, with: nil)
      let isRemoved = try await store.replace(expecting: first, with: nil)
      return try await allHold(!isRemovedBlindly, isRemoved, place.open().load() == nil)
    },
    StoreCase("of simultaneous changes one wins, and what it saved is there") { place in
      let winners = try await place.successes { store, number in
        try await store.replace(expecting: nil, with: ["writer": .number(JSONNumber(number))])
      }
      return try await allHold(winners == 1, place.open().load()?["writer"] != nil)
    },
    StoreCase("what was removed makes room for the next, and is not there to be replaced") { place in
      let store = try await place.open()
      _ = try await store.replace(expecting: nil, with: first)
      _ = try await store.replace(expecting: first, with: nil)
      let isReplaced = try await store.replace(expecting: first, with: second)
      let isSaved = try await store.replace(expecting: nil, with: second)
      return try await allHold(!isReplaced, isSaved, place.open().load() == second)
    },
    StoreCase("numbers keep all of their digits") { place in
      let numbers: JSONObject = [
        "small": .number(JSONNumber(Int64.min)), "large": .number(JSONNumber(UInt64.max)), "half": 0.1,
      ]
      _ = try await place.open().replace(expecting: nil, with: numbers)
      return try await place.open().load()?.serialized() == numbers.serialized()
    },
    StoreCase("a change that is cut off has happened or not") { place in
      var saved: JSONObject = ["count": 0]
      _ = try await place.open().replace(expecting: nil, with: saved)
      for number in 1...16 {
        let next: JSONObject = ["count": .number(JSONNumber(number))]
        let outcome = try await place.cancelled { [saved] in try await $0.replace(expecting: saved, with: next) }
        guard let found = try await place.open().load(), found == saved || found == next,
          outcome.map({ $0 == (found == next) }) ?? true
        else { return false }
        saved = found
      }
      return true
    },
    StoreCase("no change is lost when many change in turns") { place in
      _ = try await place.open().replace(expecting: nil, with: ["count": 0])
      let changed = try await place.successes { store, _ in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          guard let saved = try await store.load(), let count = saved["count"]?.int64Value else { return false }
          if try await store.replace(expecting: saved, with: ["count": .number(JSONNumber(count + 1))]) { return true }
        }
        return false
      }
      return try await allHold(changed == 32, place.open().load() == ["count": 32])
    },
    StoreCase("stores at different places don't share settings") { place in
      _ = try await place.open().replace(expecting: nil, with: first)
      return try await place.other.open().load() == nil
    },
  ]

  static let first: JSONObject = [
    "enabled": true, "rateLimit": ["maxAttemptsPerMinute": 5], "z": .null, "a": "\u{E9}'\"\\", "list": [1, 0.5],
  ]
  static let second: JSONObject = ["enabled": false]
}
