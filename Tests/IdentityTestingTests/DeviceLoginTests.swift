import IdentityTesting
import JOSE
import Synchronization
import Testing

@testable import PlatformSSOKit

/// What an `IdentityProvider` relies on where its users' logins are kept.
@Suite struct DeviceLoginTests {
  static let now = NumericDate(1_760_000_000)

  @Test(arguments: DeviceLoginCases.all) func rules(rule: StoreCase<any RecordStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { MemoryRecordStore() as any RecordStore }))
  }

  /// The rules see what the logins get wrong whose records lie, lose or forget.
  @Test(
    arguments: [
      .inventsRecords, .keepsDocuments, .neverRemoves, .keepsOldIndexes, .findsTheRemoved, .replacesAll, .keepsExpiry,
      .knowsTheFirstIndex,
    ] as [FaultyRecordStore.Defect])
  func faults(defect: FaultyRecordStore.Defect) async {
    let places = StorePlaces<any RecordStore> { FaultyRecordStore(defect) }
    let findings = await StoreCase.findings(DeviceLoginCases.all, in: places)
    #expect(!findings.isEmpty, "\(defect)")
  }

  @Test func `a malformed login record is an error, and forgetting its user removes it`() async throws {
    let records = MemoryRecordStore()
    let logins = DeviceLoginService(records: records, clock: .fixed(at: Self.now))
    let mac = try await DeviceLoginCases.register("mac", in: records)
    let token = try #require(try await logins.makeRefreshToken(for: "jane", on: mac))
    let index = DeviceLoginRecord.index(user: "jane", nil)
    var record = try #require(await records.records(DeviceLoginRecord.kind, where: index, limit: 1).first)
    record.document = Array("{}".utf8)
    #expect(try await records.commit([.replace(record)]) == .done)
    let expected = JOSEError(.storeUnavailable, "")
    await #expect(throws: expected) { try await logins.login(refreshToken: token) }
    await #expect(throws: expected) { try await logins.logins(on: mac) }
    await #expect(throws: expected) { try await logins.userKey(of: "jane", on: mac) }
    await #expect(throws: expected) { try await logins.makeRefreshToken(for: "jane", on: mac) }
    await #expect(throws: expected) { try await logins.endLogins(of: "jane") }
    try await logins.forget(userName: "jane")
    #expect(try await logins.login(refreshToken: token) == nil)
    #expect(try await logins.makeRefreshToken(for: "jane", on: mac) != nil)
  }

  @Test func `a first login that races with the removal of its device leaves no record`() async throws {
    for endsFirst in [true, false] {
      let memory = MemoryRecordStore()
      let mac = try await DeviceLoginCases.register("mac", in: memory)
      let racing = RacingRecords(memory) { changes in
        guard case .insert(let record, _)? = changes.first, record.kind == DeviceLoginRecord.kind else { return }
        guard endsFirst else { return }
        _ = try await DeviceRegistry(records: memory).remove(id: "mac", tenant: nil)
      }
      let logins = DeviceLoginService(records: racing, clock: .fixed(at: Self.now))
      #expect((try await logins.makeRefreshToken(for: "jane", on: mac) == nil) == endsFirst)
      if !endsFirst { #expect(try await DeviceRegistry(records: memory).remove(id: "mac", tenant: nil)) }
      let index = DeviceLoginRecord.index(user: "jane", nil)
      #expect(await memory.records(DeviceLoginRecord.kind, where: index, limit: 1).isEmpty)
    }
  }

  @Test func `the removal of a device ends a first login that races with it`() async throws {
    let memory = MemoryRecordStore()
    let mac = try await DeviceLoginCases.register("mac", in: memory)
    let logins = DeviceLoginService(records: memory, clock: .fixed(at: Self.now))
    let token = Mutex<String?>(nil)
    let racing = RacingRecords(memory) { changes in
      guard case .remove? = changes.first, token.withLock({ $0 == nil }) else { return }
      let made = try await logins.makeRefreshToken(for: "jane", on: mac)
      token.withLock { $0 = made }
    }
    #expect(try await DeviceRegistry(records: racing).remove(id: "mac", tenant: nil))
    let given = try #require(token.withLock { $0 })
    #expect(try await logins.login(refreshToken: given) == nil)
    let index = DeviceLoginRecord.index(user: "jane", nil)
    #expect(await memory.records(DeviceLoginRecord.kind, where: index, limit: 1).isEmpty)
  }

  @Test func `a rotation goes on when a user logs in for the first time meanwhile`() async throws {
    let memory = MemoryRecordStore()
    let mac = try await DeviceLoginCases.register("mac", in: memory)
    let logins = DeviceLoginService(records: memory, clock: .fixed(at: Self.now))
    let isDone = Mutex(false)
    let racing = RacingRecords(memory) { _ in
      let isFirst = isDone.withLock { done in
        defer { done = true }
        return !done
      }
      if isFirst { _ = try await logins.makeRefreshToken(for: "jane", on: mac) }
    }
    let key = try DeviceLoginCases.key()
    let rotating = try await DeviceRegistry(records: racing).beginRotation(of: mac, signingKey: key)
    #expect(rotating.otherSigningKey == key)
    #expect(try await logins.logins(on: mac).map(\.userName) == ["jane"])
  }
}

/// Records where something else happens before each commit.
private struct RacingRecords: RecordStore {
  let memory: MemoryRecordStore
  let meanwhile: @Sendable ([RecordChange]) async throws -> Void

  init(_ memory: MemoryRecordStore, _ meanwhile: @escaping @Sendable ([RecordChange]) async throws -> Void) {
    (self.memory, self.meanwhile) = (memory, meanwhile)
  }

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? { await memory.record(kind, key: key) }

  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
    await memory.records(kind, where: index, limit: limit)
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    try await meanwhile(changes)
    return try await memory.commit(changes)
  }

  func removeExpired(before date: NumericDate, limit: Int) async -> Int {
    await memory.removeExpired(before: date, limit: limit)
  }
}

enum DeviceLoginCases {
  static let all = tokens + keys + codes + ends + texts

  static func key() throws -> RegisteredKey {
    try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation)
  }

  static func register(
    _ id: String, tenant: String? = nil, in records: any RecordStore, replacing known: RegisteredDevice? = nil
  ) async throws -> RegisteredDevice {
    try await DeviceRegistry(records: records, clock: .fixed(at: DeviceLoginTests.now)).register(
      DeviceRegistration(deviceID: id, keys: .generate()), tenant: tenant, replacing: known)
  }

  private static func logins(
    _ records: any RecordStore, tenant: String? = nil, after seconds: Double = 0
  ) -> DeviceLoginService {
    let now = DeviceLoginTests.now.advanced(by: seconds)
    return DeviceLoginService(records: records, tenant: tenant, clock: .fixed(at: now))
  }

  private static func contexts() throws -> KeyContexts {
    try KeyContexts(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
  }

  private static func callback(_ code: String, state: String?) throws -> AuthorizationCallback {
    let query = FormFields([("code", code)] + (state.map { [("state", $0)] } ?? [])).encodedAsQuery()
    return try AuthorizationCallback(received: "\(AuthorizationParameters.callbackURL)?\(query)")
  }

  private static let tokens: [StoreCase<any RecordStore>] = [
    StoreCase("an unknown token is nobody's") { place in
      let records = try await place.open()
      return try await allHold(logins(records).login(refreshToken: "x") == nil, logins(records).known("x") == nil)
    },
    StoreCase("a token names its user and device, until it expires") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let token = try await logins(records).makeRefreshToken(for: "jane", on: mac, lifetime: .seconds(100))
      guard let token, token.utf8.count == 43 else { return false }
      let login = try await logins(records, after: 99).login(refreshToken: token)
      guard let login, login.userName == "jane", login.device == mac, login.renewedAt == DeviceLoginTests.now,
        login.expiration == DeviceLoginTests.now.advanced(by: 100)
      else { return false }
      return try await allHold(
        logins(records, after: 100).login(refreshToken: token) == nil,
        logins(records, after: 100).logins(on: mac).isEmpty,
        logins(records).login(refreshToken: token + "A") == nil)
    },
    StoreCase("a new token replaces the user's former one, and no other user's or device's") { place in
      let records = try await place.open()
      let (mac, other) = (try await register("mac", in: records), try await register("other", in: records))
      let service = logins(records)
      guard let first = try await service.makeRefreshToken(for: "jane", on: mac),
        let joes = try await service.makeRefreshToken(for: "joe", on: mac),
        let elsewhere = try await service.makeRefreshToken(for: "jane", on: other),
        let second = try await logins(records, after: 5).makeRefreshToken(for: "jane", on: mac)
      else { return false }
      let former = try await service.known(first)
      let names = try await service.logins(on: mac).map(\.userName)
      return try await allHold(
        former?.token.replacedAt == DeviceLoginTests.now.advanced(by: 5), former?.login.userName == "jane",
        service.login(refreshToken: first) == nil, service.login(refreshToken: second) != nil,
        service.login(refreshToken: joes) != nil, service.login(refreshToken: elsewhere)?.device == other,
        names == ["jane", "joe"])
    },
    StoreCase("a replaced token is known for an hour, and at most 31 of them") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      guard let first = try await logins(records).makeRefreshToken(for: "jane", on: mac) else { return false }
      _ = try await logins(records).makeRefreshToken(for: "jane", on: mac)
      _ = try await logins(records, after: 3599).makeRefreshToken(for: "jane", on: mac)
      guard try await logins(records).known(first) != nil else { return false }
      _ = try await logins(records, after: 3600).makeRefreshToken(for: "jane", on: mac)
      guard try await logins(records).known(first) == nil else { return false }
      var given: [String] = []
      for _ in 0..<33 {
        given.append(try await logins(records, after: 3600).makeRefreshToken(for: "jane", on: mac) ?? "")
      }
      return try await allHold(
        logins(records).known(given[0]) == nil, logins(records).known(given[1]) != nil,
        logins(records).login(refreshToken: given[32]) != nil)
    },
    StoreCase("a token that has expired stays so when another is given") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let first = try await logins(records).makeRefreshToken(for: "jane", on: mac, lifetime: .seconds(100))
      _ = try await logins(records).enroll(key(), of: "jane", on: mac)
      guard let first, try await logins(records, after: 101).makeRefreshToken(for: "jane", on: mac) != nil else {
        return false
      }
      return try await logins(records).known(first) == nil
    },
    StoreCase("a replaced token is good no longer than until it expires by itself") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let first = try await logins(records).makeRefreshToken(for: "jane", on: mac, lifetime: .seconds(100))
      guard let first, try await logins(records, after: 90).makeRefreshToken(for: "jane", on: mac) != nil else {
        return false
      }
      return try await logins(records).known(first)?.token.expiresAt == DeviceLoginTests.now.advanced(by: 100)
    },
    StoreCase("a token that is kept twice is one") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let end = DeviceLoginTests.now.advanced(by: 10_000)
      for seconds in [0.0, 1, 3700, 3701] {
        let service = logins(records, after: seconds)
        guard try await service.keepRefreshToken("t", of: "jane", on: mac, expiration: end) else { return false }
        if seconds == 0 { _ = try await service.keepRefreshToken("u", of: "jane", on: mac, expiration: end) }
      }
      let known = try await logins(records).known("t")
      return try await allHold(
        known?.login.tokens.map(\.hash).count { $0 == known?.token.hash } == 1, known?.token.replacedAt == nil,
        logins(records).known("u") == nil)
    },
    StoreCase("the token of another user can't be kept again") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let end = DeviceLoginTests.now.advanced(by: 100)
      guard try await logins(records).keepRefreshToken("t", of: "jane", on: mac, expiration: end) else { return false }
      let isRefused =
        (try? await logins(records).keepRefreshToken("t", of: "joe", on: mac, expiration: end)) == nil
      return try await allHold(isRefused, logins(records).login(refreshToken: "t")?.userName == "jane")
    },
    StoreCase("a login that holds nothing but tokens is removed once they have expired") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      _ = try await logins(records).makeRefreshToken(for: "jane", on: mac, lifetime: .seconds(100))
      _ = try await logins(records).makeRefreshToken(for: "joe", on: mac, lifetime: .seconds(100))
      _ = try await logins(records).enroll(key(), of: "joe", on: mac)
      let late = DeviceLoginTests.now.advanced(by: 101)
      let (removed, again) = (
        try await records.removeExpired(before: late, limit: 10),
        try await records.removeExpired(before: late, limit: 10)
      )
      return try await allHold(removed == 1, again == 0, logins(records).userKey(of: "joe", on: mac) != nil)
    },
  ]

  private static let keys: [StoreCase<any RecordStore>] = [
    StoreCase("a user's key is the last one enrolled on the device") { place in
      let records = try await place.open()
      let (mac, other) = (try await register("mac", in: records), try await register("other", in: records))
      let (first, second) = (try key(), try key())
      guard try await logins(records).enroll(first, of: "jane", on: mac),
        try await logins(records).userKey(of: "jane", on: mac) == first,
        try await logins(records).enroll(second, of: "jane", on: mac)
      else { return false }
      return try await allHold(
        logins(records).userKey(of: "jane", on: mac) == second, logins(records).userKey(of: "joe", on: mac) == nil,
        logins(records).userKey(of: "jane", on: other) == nil)
    },
    StoreCase("an unlock key is always the same, of one user on one device") { place in
      let records = try await place.open()
      let (mac, other) = (try await register("mac", in: records), try await register("other", in: records))
      func key(_ user: String, _ device: RegisteredDevice) async throws -> [UInt8]? {
        let key = try await logins(records).unlockKey(of: user, on: device, sealedBy: contexts())
        return key?.x963Representation
      }
      guard let first = try await key("jane", mac) else { return false }
      _ = try await logins(records).makeRefreshToken(for: "jane", on: mac)
      try await logins(records).endLogins(of: "jane", removesUserKeys: true)
      let isOpenedByOthers =
        (try? await logins(records).unlockKey(
          of: "jane", on: mac, sealedBy: KeyContexts(secret: SecretBytes(copying: [UInt8](repeating: 8, count: 32)))))
        != nil
      return try await allHold(
        key("jane", mac) == first, key("joe", mac) != first, key("jane", other) != first, !isOpenedByOthers)
    },
  ]

  private static let codes: [StoreCase<any RecordStore>] = [
    StoreCase("a code is good once, for its user, device, state and scope") { place in
      let records = try await place.open()
      let (mac, other) = (try await register("mac", in: records), try await register("other", in: records))
      let service = logins(records)
      func isRedeemed(
        _ user: String, _ device: RegisteredDevice, state: String?, _ scope: AuthorizationScope?, late: Bool = false
      ) async throws -> Bool {
        guard let code = try await service.makeAuthorizationCode(for: "jane", on: mac, state: "s", scope: .unlock)
        else { return false }
        let isRedeemed = try await logins(records, after: late ? 300 : 299).redeem(
          callback(code, state: state), of: user, on: device, scope: scope)
        // Uses it up, whatever comes of it; what has expired may stay.
        let isGone = try await !service.redeem(callback(code, state: "s"), of: "jane", on: mac, scope: .unlock)
        return isRedeemed && isGone
      }
      return try await allHold(
        isRedeemed("jane", mac, state: "s", .unlock), !isRedeemed("joe", mac, state: "s", .unlock),
        !isRedeemed("jane", other, state: "s", .unlock), !isRedeemed("jane", mac, state: "t", .unlock),
        !isRedeemed("jane", mac, state: nil, .unlock), !isRedeemed("jane", mac, state: "s", .elevation),
        !isRedeemed("jane", mac, state: "s", nil), !isRedeemed("jane", mac, state: "s", .unlock, late: true))
    },
    StoreCase("a wrong redemption uses the code up") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let service = logins(records)
      guard let code = try await service.makeAuthorizationCode(for: "jane", on: mac, state: "s", scope: nil) else {
        return false
      }
      let isWrong = try await service.redeem(callback(code, state: "t"), of: "jane", on: mac, scope: nil)
      return try await allHold(
        !isWrong, !service.redeem(callback(code, state: "s"), of: "jane", on: mac, scope: nil))
    },
    StoreCase("a code without a scope is for a login, and one without a device for any of the tenant's") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let foreign = try await register("mac", tenant: "a", in: records)
      let service = logins(records)
      func code(
        _ device: RegisteredDevice?, _ state: String?, _ scope: AuthorizationScope? = nil
      ) async throws -> AuthorizationCallback {
        let code = try await service.makeAuthorizationCode(for: "jane", on: device, state: state, scope: scope)
        return try callback(code ?? "none", state: state)
      }
      return try await allHold(
        service.redeem(code(mac, "s"), of: "jane", on: mac, scope: .login),
        service.redeem(code(mac, nil), of: "jane", on: mac, scope: nil),
        !service.redeem(code(mac, nil), of: "jane", on: mac, scope: .unlock),
        service.redeem(code(nil, nil), of: "jane", on: mac, scope: .login),
        !service.redeem(code(nil, nil), of: "jane", on: mac, scope: .unlock),
        service.redeem(code(nil, nil, .unlock), of: "jane", on: mac, scope: .unlock),
        !service.redeem(code(nil, nil, .unlock), of: "jane", on: mac, scope: .elevation),
        !service.redeem(code(nil, "s"), of: "joe", on: mac, scope: nil),
        !logins(records, tenant: "a").redeem(code(nil, "s"), of: "jane", on: foreign, scope: nil))
    },
  ]

  private static let ends: [StoreCase<any RecordStore>] = [
    StoreCase("what users hold goes with the registration, and stays through a rotation") { place in
      let records = try await place.open()
      let registry = DeviceRegistry(records: records)
      let mac = try await register("mac", in: records)
      let (service, userKey) = (logins(records), try key())
      func unlockKey(_ device: RegisteredDevice) async throws -> [UInt8]? {
        let key = try await service.unlockKey(of: "jane", on: device, sealedBy: contexts())
        return key?.x963Representation
      }
      guard try await service.enroll(userKey, of: "jane", on: mac),
        let token = try await service.makeRefreshToken(for: "jane", on: mac), let unlock = try await unlockKey(mac),
        let code = try await service.makeAuthorizationCode(for: "jane", on: mac, state: "s", scope: nil)
      else { return false }
      let rotating = try await registry.beginRotation(of: mac, signingKey: key())
      let rotated = try await registry.completeRotation(of: rotating)
      guard
        try await allHold(
          service.userKey(of: "jane", on: rotated) == userKey, service.login(refreshToken: token)?.device == rotated,
          unlockKey(rotated) == unlock)
      else { return false }
      let anew = try await register("mac", in: records, replacing: rotated)
      // A request that was under way with the former registration leaves nothing behind.
      guard
        try await allHold(
          service.userKey(of: "jane", on: anew) == nil, service.known(token) == nil,
          !service.redeem(callback(code, state: "s"), of: "jane", on: anew, scope: nil),
          !service.enroll(userKey, of: "jane", on: rotated), unlockKey(rotated) == nil,
          service.makeRefreshToken(for: "jane", on: mac) == nil,
          service.makeAuthorizationCode(for: "jane", on: mac, state: "s", scope: nil) == nil)
      else { return false }
      guard let fresh = try await unlockKey(anew), fresh != unlock, try await registry.remove(id: "mac", tenant: nil)
      else { return false }
      return try await allHold(unlockKey(anew) == nil, service.logins(on: anew).isEmpty)
    },
    StoreCase("logins end on one device or on all, with the user's keys or without") { place in
      let records = try await place.open()
      let (mac, other) = (try await register("mac", in: records), try await register("other", in: records))
      let (service, userKey) = (logins(records), try key())
      guard let first = try await service.makeRefreshToken(for: "jane", on: mac),
        let second = try await service.makeRefreshToken(for: "jane", on: mac),
        let elsewhere = try await service.makeRefreshToken(for: "jane", on: other),
        let joes = try await service.makeRefreshToken(for: "joe", on: mac),
        let code = try await service.makeAuthorizationCode(for: "jane", on: mac, state: "s", scope: nil),
        let kept = try await service.makeAuthorizationCode(for: "jane", on: other, state: "s", scope: nil),
        try await service.enroll(userKey, of: "jane", on: mac)
      else { return false }
      guard
        try await allHold(
          service.endLogins(of: "jane", on: mac) == 2, service.known(first) == nil, service.known(second) == nil,
          service.login(refreshToken: elsewhere) != nil, service.login(refreshToken: joes) != nil,
          service.userKey(of: "jane", on: mac) == userKey,
          !service.redeem(callback(code, state: "s"), of: "jane", on: mac, scope: nil),
          service.redeem(callback(kept, state: "s"), of: "jane", on: other, scope: nil))
      else { return false }
      return try await allHold(
        service.endLogins(of: "jane", removesUserKeys: true) == 2, service.userKey(of: "jane", on: mac) == nil,
        service.login(refreshToken: elsewhere) == nil, service.login(refreshToken: joes) != nil,
        service.endLogins(of: "jane", removesUserKeys: true) == 0)
    },
    StoreCase("a user who is forgotten holds nothing, and others hold what they held") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let service = logins(records)
      func unlockKey(_ user: String) async throws -> [UInt8]? {
        let key = try await service.unlockKey(of: user, on: mac, sealedBy: contexts())
        return key?.x963Representation
      }
      let (janes, joes) = (try await unlockKey("jane"), try await unlockKey("joe"))
      guard let token = try await service.makeRefreshToken(for: "jane", on: mac),
        let code = try await service.makeAuthorizationCode(for: "jane", on: nil, state: "s", scope: nil)
      else { return false }
      try await service.forget(userName: "jane")
      return try await allHold(
        service.known(token) == nil, !service.redeem(callback(code, state: "s"), of: "jane", on: mac, scope: nil),
        unlockKey("jane") != janes, unlockKey("joe") == joes)
    },
    StoreCase("one tenant knows nothing of another's users and devices of the same names") { place in
      let records = try await place.open()
      let tenants: [String?] = [nil, "", "a"]
      for tenant in tenants {
        let mac = try await register("mac", tenant: tenant, in: records)
        guard let token = try await logins(records, tenant: tenant).makeRefreshToken(for: "jane", on: mac) else {
          return false
        }
        for other in tenants where other != tenant {
          let service = logins(records, tenant: other)
          let isKept = try await service.enroll(key(), of: "jane", on: mac)
          let isMade = try await service.makeRefreshToken(for: "jane", on: mac) != nil
          let isKnown = try await service.login(refreshToken: token) != nil
          guard !isKept, !isMade, !isKnown, try await service.logins(on: mac).isEmpty else { return false }
          _ = try await service.endLogins(of: "jane")
        }
        guard try await logins(records, tenant: tenant).login(refreshToken: token) != nil else { return false }
      }
      return true
    },
  ]

  /// Whatever users are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<any RecordStore>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) names a user, and no other") { place in
      let records = try await place.open()
      let mac = try await register("mac", in: records)
      let (service, twin) = (logins(records), AwkwardText.twin(of: text))
      guard let token = try await service.makeRefreshToken(for: text, on: mac),
        let twins = try await service.makeRefreshToken(for: twin, on: mac),
        let code = try await service.makeAuthorizationCode(for: text, on: mac, state: "s", scope: nil),
        let login = try await service.login(refreshToken: token), WireName(login.userName) == text,
        try await !service.redeem(callback(code, state: "s"), of: twin, on: mac, scope: nil),
        try await service.endLogins(of: text) == 1
      else { return false }
      return try await allHold(
        service.login(refreshToken: token) == nil,
        service.login(refreshToken: twins).map { WireName($0.userName) == twin } ?? false)
    }
  }
}
