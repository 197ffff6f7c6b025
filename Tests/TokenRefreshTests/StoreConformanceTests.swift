import JOSE
import Testing

@testable import TokenRefresh

/// What every token store must do. Run it with a store of your own, empty at the beginning.
func checkConformance(_ store: some TokenStore, _ first: TokenRecord) async throws {
  #expect(try await store.load() == nil)
  #expect(try await !store.replace(first.version, with: first))
  #expect(try await store.replace(nil, with: first))
  #expect(try await !store.replace(nil, with: first))
  #expect(try await store.load()?.serialized() == first.serialized())
  var second = first
  second.revision += 1
  second.refreshToken = "rt-secret-2"
  #expect(try await !store.replace(second.version, with: second))
  #expect(try await !store.replace(.init(loginID: first.loginID + "x", revision: first.revision), with: second))
  // Of many writers one wins.
  let winners = try await withThrowingTaskGroup(of: Bool.self) { [second] group in
    for _ in 0..<50 { group.addTask { try await store.replace(first.version, with: second) } }
    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  #expect(winners == 1)
  #expect(try await store.load()?.serialized() == second.serialized())
  #expect(try await !store.replace(first.version, with: nil))
  #expect(try await store.replace(second.version, with: nil))
  #expect(try await store.load() == nil)
}

/// What every store of families must do. Run it with a store of your own, empty at the beginning.
func checkConformance(_ store: some RefreshTokenFamilyStore) async throws {
  func family(_ number: UInt8, subject: String, createdAt: Int) throws -> RefreshTokenFamily {
    let id = try #require(RefreshTokenFamily.ID(octets: [UInt8](repeating: number, count: 16)))
    return RefreshTokenFamily(
      id: id, version: 1, grant: RefreshGrant(subject: subject, clientID: "c", sessionID: "s", scope: []),
      createdAt: NumericDate(createdAt), absoluteExpiration: NumericDate(createdAt + 1000),
      lastUsedAt: NumericDate(createdAt),
      status: .active, generation: 1, rotatedAt: nil, replayCount: 0)
  }
  let a = try family(1, subject: "\u{E9}", createdAt: 20)
  let b = try family(2, subject: "e\u{301}", createdAt: 10)
  #expect(try await store.family(a.id) == nil)
  #expect(try await !store.replace(expecting: 1, with: a))
  #expect(try await store.insert(a))
  #expect(try await !store.insert(a))
  #expect(try await store.insert(b))
  #expect(try await store.family(a.id) == a)
  #expect(try await store.families(.subject("\u{E9}")) == [a.id])
  #expect(try await store.families(.session("s")) == [b.id, a.id])
  #expect(try await store.families(.createdBefore(NumericDate(20))) == [b.id])
  var next = a
  next.version = 2
  next.generation = 2
  let winners = try await withThrowingTaskGroup(of: Bool.self) { [next] group in
    for _ in 0..<50 { group.addTask { try await store.replace(expecting: 1, with: next) } }
    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  #expect(winners == 1)
  #expect(try await store.family(a.id) == next)
  next.version = 3
  next.status = .revoked(.reuse, at: NumericDate(500))
  #expect(try await store.replace(expecting: 2, with: next))
  try await store.removeFamilies(endedBefore: NumericDate(500))
  #expect(try await store.family(a.id) == next)
  try await store.removeFamilies(endedBefore: NumericDate(501))
  #expect(try await store.family(a.id) == nil)
  #expect(try await store.family(b.id) == b)
  try await store.removeFamilies(endedBefore: NumericDate(1011))
  #expect(try await store.family(b.id) == nil)
}

@Suite struct StoreConformanceTests {
  @Test func `the token store in memory`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    try await checkConformance(InMemoryTokenStore(), #require(await client.store.stored))
  }

  @Test func `the tests' own faulty store, while it works`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    try await checkConformance(FaultyStore(), #require(await client.store.stored))
  }

  @Test func `the store of families in memory`() async throws {
    try await checkConformance(InMemoryRefreshTokenFamilyStore())
  }
}
