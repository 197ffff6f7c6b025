import IdentityTesting
import Testing
import OpenIDKit

@Test(arguments: FamilyStoreCases.all)
func familiesInMyDatabase(_ rule: StoreCase<any RefreshTokenFamilyStore>) async throws {
  let places = StorePlaces<any RefreshTokenFamilyStore> { name in try await MyDatabase.families(at: name) }
  #expect(try await rule.holds(in: places))
}

/// What the article's reader has instead.
private actor MyDatabase {
  private static let shared = MyDatabase()
  private var stores: [String: InMemoryRefreshTokenFamilyStore] = [:]

  static func families(at name: String) async throws -> any RefreshTokenFamilyStore { await shared.store(name) }

  private func store(_ name: String) -> InMemoryRefreshTokenFamilyStore {
    let store = stores[name] ?? InMemoryRefreshTokenFamilyStore()
    stores[name] = store
    return store
  }
}
