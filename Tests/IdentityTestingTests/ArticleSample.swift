import IdentityTesting
import JOSE
import Testing

@Test(arguments: RecordStoreCases.all)
func recordsInMyDatabase(_ rule: StoreCase<any RecordStore>) async throws {
  let places = StorePlaces<any RecordStore> { name in try await MyDatabase.records(at: name) }
  #expect(try await rule.holds(in: places))
}

/// What the article's reader has instead.
private actor MyDatabase {
  private static let shared = MyDatabase()
  private var stores: [String: MemoryRecordStore] = [:]

  static func records(at name: String) async throws -> any RecordStore { await shared.store(name) }

  private func store(_ name: String) -> MemoryRecordStore {
    let store = stores[name] ?? MemoryRecordStore()
    stores[name] = store
    return store
  }
}
