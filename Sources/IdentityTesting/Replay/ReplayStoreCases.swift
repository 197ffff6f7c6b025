import JOSE
import PlatformSSOKit

/// What an `IdentityProvider` relies on where it remembers what must be used once only.
public enum ReplayStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all: [StoreCase<any ReplayStore>] = [
    StoreCase("an entry is new once") { place in
      let store = try await place.open()
      let isNew = try await store.insert(entry(1))
      return try await allHold(isNew, !store.insert(entry(1)))
    },
    StoreCase("an entry is known when the store is opened again") { place in
      _ = try await place.open().insert(entry(1))
      return try await !place.open().insert(entry(1))
    },
    StoreCase("entries are named by all of their octets") { place in
      let store = try await place.open()
      for number in UInt8(0)...255 {
        guard try await store.insert(entry(number)) else { return false }
      }
      return true
    },
    StoreCase("an entry is the same whenever it expires") { place in
      let store = try await place.open()
      _ = try await store.insert(entry(1))
      return try await !store.insert(entry(1, lifetime: 600))
    },
    StoreCase("an octet is looked at wherever it stands") { place in
      let store = try await place.open()
      for position in 0..<32 {
        var digest = [UInt8](repeating: 0, count: 32)
        digest[position] = 0x20
        let entry = ReplayEntry(digest: digest, expiration: entry(0).expiration)
        guard try await store.insert(entry), try await !place.open().insert(entry) else { return false }
      }
      return try await store.insert(
        ReplayEntry(digest: [UInt8](repeating: 0, count: 32), expiration: entry(0).expiration))
    },
    StoreCase("an entry is remembered while others come and go") { place in
      let store = try await place.open()
      _ = try await store.insert(entry(0, lifetime: 1))
      for number in UInt8(1)...200 { _ = try await store.insert(entry(number, lifetime: Double(number))) }
      return try await !store.insert(entry(0, lifetime: 1))
    },
    StoreCase("simultaneous inserts of many entries are all new, and all known afterwards") { place in
      let new = try await place.successes { store, number in try await store.insert(entry(UInt8(number))) }
      let again = try await place.successes { store, number in try await store.insert(entry(UInt8(number))) }
      return new == 32 && again == 0
    },
    StoreCase("of simultaneous inserts one is new") { place in
      let new = try await place.successes { store, _ in try await store.insert(entry(1)) }
      return new == 1
    },
    StoreCase("an insert that is cut off has happened or not") { place in
      for number in UInt8(0)..<16 {
        let isNew = try await place.cancelled { try await $0.insert(entry(number)) }
        let isNewAgain = try await place.open().insert(entry(number))
        if isNew == true, isNewAgain { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share entries") { place in
      _ = try await place.open().insert(entry(1))
      return try await place.other.open().insert(entry(1))
    },
  ]

  private static func entry(_ number: UInt8, lifetime: Double = 300) -> ReplayEntry {
    ReplayEntry(
      digest: [UInt8](repeating: 7, count: 31) + [number],
      expiration: NumericDate(1_760_000_000).advanced(by: lifetime))
  }
}
