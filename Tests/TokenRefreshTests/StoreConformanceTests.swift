import JOSE
import Testing

@testable import TokenRefresh

@Suite struct StoreConformanceTests {
  @Test func `token stores that conform`() async throws {
    #expect(try await TokenStoreConformance.check { InMemoryTokenStore() }.isEmpty)
    #expect(try await TokenStoreConformance.check { FaultyStore() }.isEmpty)
    #expect(try await TokenStoreConformance.check { ByteStore(nil) }.isEmpty)
  }

  @Test func `token stores that don't`() async throws {
    #expect(try await TokenStoreConformance.check { CarelessTokenStore() }.count >= 4)
    let shared = InMemoryTokenStore()
    #expect(try await TokenStoreConformance.check { shared } == ["stores don't share a record"])
  }

  @Test func `stores of families that conform`() async throws {
    #expect(try await RefreshTokenFamilyStoreConformance.check { InMemoryRefreshTokenFamilyStore() }.isEmpty)
    #expect(try await RefreshTokenFamilyStoreConformance.check { FamilyByteStore() }.isEmpty)
    #expect(try await RefreshTokenFamilyStoreConformance.check { CountingStore() }.isEmpty)
  }

  @Test func `stores of families that don't`() async throws {
    #expect(try await RefreshTokenFamilyStoreConformance.check { FamilyByteStore(isCareless: true) }.count >= 4)
  }
}

/// Writes whatever it is given.
private actor CarelessTokenStore: TokenStore {
  private var record: TokenRecord?

  func load() -> TokenRecord? { record }

  func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) -> Bool {
    self.record = record
    return true
  }
}

/// Families as a database keeps them: as bytes.
private actor FamilyByteStore: RefreshTokenFamilyStore {
  private var rows: [String: [UInt8]] = [:]
  private let isCareless: Bool

  init(isCareless: Bool = false) { self.isCareless = isCareless }

  func family(_ id: RefreshTokenFamily.ID) throws -> RefreshTokenFamily? {
    try rows[id.text].map { try RefreshTokenFamily(parsing: $0) }
  }

  func insert(_ family: RefreshTokenFamily) -> Bool {
    guard isCareless || rows[family.id.text] == nil else { return false }
    rows[family.id.text] = family.serialized()
    return true
  }

  func replace(expecting expected: UInt64, with family: RefreshTokenFamily) throws -> Bool {
    guard try isCareless || self.family(family.id)?.version == expected else { return false }
    rows[family.id.text] = family.serialized()
    return true
  }

  func families(_ selection: FamilySelection) throws -> [RefreshTokenFamily.ID] {
    try rows.values.map { try RefreshTokenFamily(parsing: $0) }.filter { isCareless || selection.includes($0) }
      .sorted { $0.createdAt < $1.createdAt }.map(\.id)
  }

  func removeFamilies(endedBefore date: NumericDate) throws {
    for (key, row) in rows {
      let family = try RefreshTokenFamily(parsing: row)
      if case .revoked(_, let end) = family.status, end < date { rows[key] = nil }
      if let end = family.absoluteExpiration, end < date { rows[key] = nil }
    }
  }
}
