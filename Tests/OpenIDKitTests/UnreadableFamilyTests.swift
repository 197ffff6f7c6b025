import JOSE
import Testing

@testable import OpenIDKit

/// Families whose documents are damaged, or of a newer form: nobody else's login waits for them.
@Suite struct UnreadableFamilyTests {
  private let store = DamagedFamilyStore()
  private let clock = VirtualClock()

  private func service(maximum: Int? = nil) throws -> RefreshTokenService {
    var policy = RotationPolicy()
    if let maximum { policy.maximumFamiliesPerUserAndClient = maximum }
    return try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: Array(0...31)), store: store, clock: clock.wall)
  }

  @Test func `a sign-out everywhere ends all other logins, and says that one was left`() async throws {
    let service = try service()
    var families: [RefreshTokenFamily.ID] = []
    for _ in 0..<3 { families.append(try await service.issue(Provider.grant).grant.family) }
    await store.damage(families[0])
    #expect(await failure { try await service.revoke(.subject("alice"), .passwordChanged) }?.code == .storeUnavailable)
    for id in families.dropFirst() { #expect(try await store.family(id)?.status != .active) }
  }

  @Test(arguments: [true, false])
  func `a login beyond those that are allowed goes on`(knowsActive: Bool) async throws {
    await store.setKnowsActive(knowsActive)
    let service = try service(maximum: 2)
    let first = try await service.issue(Provider.grant).grant.family
    await store.damage(first)
    for _ in 0..<3 { _ = try await service.issue(Provider.grant) }
    #expect(await store.inner.activeFamilies(.subject("alice")).count == 3)
    clock.advance(31 * 86_400)
    try await service.removeOldFamilies()
    #expect(await store.inner.activeFamilies(.subject("alice")) == [first])
  }

  @Test func `its token is neither redeemed nor called wrong`() async throws {
    let service = try service()
    let issued = try await service.issue(Provider.grant)
    await store.damage(issued.grant.family)
    let request = RefreshRedemption(refreshToken: issued.refreshToken, clientID: "app-a")
    #expect(await failure { _ = try await service.redeem(request) { _ in } }?.code == .storeUnavailable)
  }
}

/// Families of which some can't be read.
private actor DamagedFamilyStore: RefreshTokenFamilyStore {
  let inner = InMemoryRefreshTokenFamilyStore()
  private var damaged: Set<RefreshTokenFamily.ID> = []
  private var knowsActive = true

  func damage(_ id: RefreshTokenFamily.ID) { damaged.insert(id) }

  /// Whether it has a column for it.
  func setKnowsActive(_ knows: Bool) { knowsActive = knows }

  func family(_ id: RefreshTokenFamily.ID) async throws -> RefreshTokenFamily? {
    if damaged.contains(id) { _ = try RefreshTokenFamily(parsing: []) }
    return await inner.family(id)
  }

  func insert(_ family: RefreshTokenFamily) async -> Bool { await inner.insert(family) }

  func replace(expecting expected: UInt64, with family: RefreshTokenFamily) async -> Bool {
    await inner.replace(expecting: expected, with: family)
  }

  func families(_ selection: FamilySelection) async -> [RefreshTokenFamily.ID] { await inner.families(selection) }

  func activeFamilies(_ selection: FamilySelection) async throws -> [RefreshTokenFamily.ID] {
    knowsActive ? await inner.activeFamilies(selection) : try await AskingStore(store: self).activeFamilies(selection)
  }

  func removeFamilies(endedBefore date: NumericDate) async { await inner.removeFamilies(endedBefore: date) }

  /// The same families, asked for one by one.
  private struct AskingStore: RefreshTokenFamilyStore {
    let store: DamagedFamilyStore

    func family(_ id: RefreshTokenFamily.ID) async throws -> RefreshTokenFamily? { try await store.family(id) }
    func insert(_ family: RefreshTokenFamily) async -> Bool { await store.insert(family) }
    func replace(expecting expected: UInt64, with family: RefreshTokenFamily) async -> Bool {
      await store.replace(expecting: expected, with: family)
    }
    func families(_ selection: FamilySelection) async -> [RefreshTokenFamily.ID] { await store.families(selection) }
    func removeFamilies(endedBefore date: NumericDate) async { await store.removeFamilies(endedBefore: date) }
  }
}
