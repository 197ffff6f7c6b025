import IdentityTesting
import JOSE
import Testing

@testable import OpenIDKit

/// How families are kept: what finds them, when they are forgotten, and what becomes of those that can't be read.
@Suite struct FamilyRecordsTests {
  private let records = MemoryRecordStore()
  private let clock = VirtualClock()
  private var families: RefreshTokenFamilyRecords { RefreshTokenFamilyRecords(records, idleTimeout: nil) }

  private func service(_ policy: RotationPolicy = RotationPolicy()) throws -> RefreshTokenService {
    try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records,
      clock: clock.wall)
  }

  private func grant(_ name: String) -> RefreshGrant {
    RefreshGrant(
      subject: name, clientID: name, sessionID: name, scope: [name], resources: [name, "r"], confirmation: name,
      deviceSecretID: name, grantID: name)
  }

  // MARK: What finds them

  @Test(arguments: AwkwardText.all.map(\.text))
  func `a name is kept, and selects its families and no others`(text: String) async throws {
    let service = try service()
    let named = try await service.issue(grant(text)).grant
    _ = try await service.issue(grant(AwkwardText.twin(of: text)))
    let selections: [FamilySelection] = [
      .subject(text), .client(text), .subjectAndClient(text, text), .session(text), .deviceSecret(text), .grant(text),
    ]
    for selection in selections {
      let found = try await service.logins(selection)
      #expect(found.map(\.family) == [named.family])
      #expect(found.allSatisfy { WireName($0.grant.subject) == text && WireName($0.grant.clientID) == text })
    }
  }

  /// Four families, the oldest first, of which the second is revoked; each is named by its number.
  private func fill(_ service: RefreshTokenService) async throws -> [RefreshTokenFamily.ID] {
    let (precomposed, decomposed) = ("\u{E9}", "e\u{301}")
    var bare = RefreshGrant(subject: "", clientID: "", scope: [])
    var ids = [try await service.issue(bare).grant.family]
    for subject in [precomposed, decomposed, precomposed] {
      clock.advance(1)
      bare = RefreshGrant(
        subject: subject, clientID: "client", sessionID: "session", scope: ["a"], deviceSecretID: "secret",
        grantID: "grant")
      ids.append(try await service.issue(bare).grant.family)
    }
    try await service.revoke(ids[1], .administrator)
    return ids
  }

  @Test(
    arguments: [
      (.subject("\u{E9}"), [3]), (.subject("e\u{301}"), [2]), (.client("client"), [2, 3]), (.client(""), [0]),
      (.subjectAndClient("e\u{301}", "client"), [2]), (.session("session"), [2, 3]), (.deviceSecret("secret"), [2, 3]),
      (.grant("grant"), [2, 3]), (.createdBefore(NumericDate(1_760_000_003)), [0, 2]), (.subject("nobody"), []),
      (.client("Client"), []), (.subject("' OR 1=1 --"), []), (.session(""), []), (.subjectAndClient("", ""), [0]),
      (.subjectAndClient("e\u{301}c", "lient"), []),
    ] as [(FamilySelection, [Int])])
  func `active families are found, the oldest first, and revoked ones are not`(
    selection: FamilySelection, numbers: [Int]
  ) async throws {
    let service = try service()
    let ids = try await fill(service)
    #expect(try await service.logins(selection).map(\.family) == numbers.map { ids[$0] })
    try await service.revoke(selection, .administrator)
    let left = try await service.logins(.createdBefore(NumericDate(1 << 40))).map(\.family)
    #expect(left == [0, 2, 3].filter { !numbers.contains($0) }.map { ids[$0] })
  }

  @Test func `of families with one date, the one that was added first comes first`() async throws {
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = 100
    let service = try service(policy)
    var ids: [RefreshTokenFamily.ID] = []
    for _ in 0..<24 { ids.append(try await service.issue(Provider.grant).grant.family) }
    #expect(try await service.logins(.client("app-a")).map(\.family) == ids)
    #expect(try await service.logins(.client("app-a"), limit: 5).map(\.family) == Array(ids.prefix(5)))
  }

  @Test func `more families than are looked at together are revoked, but those that stay and those that come`()
    async throws
  {
    let service = try service()
    for number in 0..<600 {
      let grant = RefreshGrant(subject: "user \(number)", clientID: "app-a", scope: [])
      let id = try await service.issue(grant).grant.family
      if number < 300 { try await damage(id) { _ in [] } }
    }
    let kept = try await service.issue(Provider.grant).grant.family
    let clock = self.clock
    let slow = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(),
      records: ListedStore(inner: records) {
        clock.advance(61)
        _ = try await service.issue(Provider.grant)
      }, clock: clock.wall)
    let error = await failure { try await slow.revoke(.client("app-a"), .administrator, keeping: kept) }
    #expect(error?.code == .storeUnavailable)
    let left = try await service.logins(.client("app-a"))
    // One came before each list, the first of which took a while.
    #expect(left.first?.family == kept && left.count > 1)
    #expect(left.dropFirst().allSatisfy { $0.grant.subject == Provider.grant.subject })
    #expect(try await families.active(.client("app-a"), limit: 1000).count == 300 + left.count)
  }

  /// A store whose lists take a while, in which something happens.
  private struct ListedStore: RecordStore {
    let inner: MemoryRecordStore
    let meanwhile: @Sendable () async throws -> Void

    func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? { await inner.record(kind, key: key) }
    func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async throws -> [StoredRecord]
    {
      try await meanwhile()
      return await inner.records(kind, where: index, limit: limit)
    }
    func commit(_ changes: [RecordChange]) async throws -> RecordCommit { try await inner.commit(changes) }
    func removeExpired(before date: NumericDate, limit: Int) async -> Int {
      await inner.removeExpired(before: date, limit: limit)
    }
  }

  @Test(
    arguments: [
      .subject("app-a"), .client("app-a"), .subjectAndClient("app-a", "app-a"), .session("app-a"),
      .deviceSecret("app-a"), .grant("app-a"),
    ] as [FamilySelection])
  func `logins that began before the clock was set back are revoked`(selection: FamilySelection) async throws {
    let service = try service()
    _ = try await service.issue(grant("app-a"))
    clock.advance(-7200)
    _ = try await service.issue(grant("app-a"))
    try await service.revoke(selection, .administrator)
    #expect(try await service.logins(selection).isEmpty)
  }

  @Test func `logins that began later are not those before a date, whatever the clock says`() async throws {
    let service = try service()
    let id = try await service.issue(grant("app-a")).grant.family
    let date = NumericDate(0).advanced(by: clock.now - 3600)
    clock.advance(-7200)
    try await service.revoke(.createdBefore(date), .administrator)
    #expect(try await service.logins(.client("app-a")).map(\.family) == [id])
  }

  // MARK: When they are forgotten

  /// How many whole days after now a family is forgotten that is active; nil for never.
  private func days(_ policy: RotationPolicy) async throws -> Double? {
    let id = try await service(policy).issue(Provider.grant).grant.family
    let expiry = await records.record(RefreshTokenFamilyRecords.kind, key: id.octets)?.expiresAt
    return expiry.map { (($0.secondsSince1970 - clock.now) / 86_400).rounded(.down) }
  }

  @Test func `families are forgotten 90 days after their end, and not before`() async throws {
    var policy = RotationPolicy()
    #expect(try await days(policy) == 120)
    policy.idleTimeout = nil
    #expect(try await days(policy) == 180)
    policy.absoluteLifetime = nil
    #expect(try await days(policy) == nil)
    (policy.idleTimeout, policy.absoluteLifetime) = (.seconds(1e9), .seconds(86_400))
    #expect(try await days(policy) == 91)

    let service = try service(policy)
    let id = try await service.issue(Provider.grant).grant.family
    try await service.revoke(id, .administrator)
    clock.advance(90 * 86_400 - 1)
    _ = await records.removeExpired(before: clock.date, limit: 1000)
    #expect(try await families.family(id) != nil)
    clock.advance(86_400 + 1)
    _ = await records.removeExpired(before: clock.date, limit: 1000)
    #expect(try await families.family(id) == nil)
  }

  // MARK: Those that can't be read

  private func damage(_ id: RefreshTokenFamily.ID, _ change: ([UInt8]) -> [UInt8]) async throws {
    var record = try #require(await records.record(RefreshTokenFamilyRecords.kind, key: id.octets))
    record.document = change(record.document)
    #expect(try await records.commit([.replace(record)]) == .done)
  }

  @Test(arguments: DocumentDamage.all)
  func `a damaged family is reported as malformed, leaves others alone and expires`(
    damage: DocumentDamage
  ) async throws {
    let service = try service()
    let (broken, sound) = (try await service.issue(Provider.grant), try await service.issue(Provider.grant))
    try await self.damage(broken.grant.family, damage.change)
    #expect(await failure { _ = try await families.family(broken.grant.family) }?.code == .recordMalformed)
    let request = RefreshRedemption(refreshToken: broken.refreshToken, clientID: "app-a")
    #expect(await failure { _ = try await service.redeem(request) { _ in } }?.code == .storeUnavailable)
    #expect(try await service.logins(.subject("alice")).map(\.family) == [sound.grant.family])
    _ = try await service.redeem(RefreshRedemption(refreshToken: sound.refreshToken, clientID: "app-a")) { _ in }
    clock.advance(121 * 86_400)
    _ = await records.removeExpired(before: clock.date, limit: 1000)
    #expect(try await families.family(broken.grant.family) == nil)
  }

  @Test func `the document of another family is none`() async throws {
    let service = try service()
    let (first, second) = (try await service.issue(Provider.grant), try await service.issue(Provider.grant))
    let other = try #require(try await families.family(second.grant.family)).serialized()
    try await damage(first.grant.family) { _ in other }
    #expect(await failure { _ = try await families.family(first.grant.family) }?.code == .recordMalformed)
  }

  @Test func `a sign-out everywhere ends all other logins, and says that one was left`() async throws {
    let service = try service()
    var ids: [RefreshTokenFamily.ID] = []
    for _ in 0..<3 { ids.append(try await service.issue(Provider.grant).grant.family) }
    try await damage(ids[0]) { _ in [] }
    #expect(await failure { try await service.revoke(.subject("alice"), .passwordChanged) }?.code == .storeUnavailable)
    for id in ids.dropFirst() { #expect(try await families.family(id)?.status != .active) }
  }

  @Test func `a login beyond those that are allowed goes on beside one that can't be read`() async throws {
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = 2
    let service = try service(policy)
    let first = try await service.issue(Provider.grant).grant.family
    try await damage(first) { _ in [] }
    for _ in 0..<3 { _ = try await service.issue(Provider.grant) }
    #expect(try await service.logins(.subject("alice")).count == 2)
    #expect(try await families.active(.subject("alice"), limit: 9).count == 3)
  }
}
