import Foundation
import GRDB
import IdentityTesting
import JOSE
import NativeSSOKit
import AppleSignInKit
import Testing
import OpenIDKit

@testable import GRDBStores

@Suite struct DatabaseTests {
  private let folder = Folder()
  private var path: String { folder.path + "/state.sqlite" }

  private func permissions(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `only the owner may read the files, and what others could read is tightened`() async throws {
    let path = folder.path + "/private.sqlite"
    for _ in 0..<2 {
      let database = try ProviderDatabase(path: path, durability: .processEnd)
      try await database.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS mine (id)") }
      for ending in ["", "-wal", "-shm"] {
        #expect(try permissions(path + ending) == 0o600, "\(ending)")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + ending)
      }
      let copy = folder.path + "/copy.sqlite"
      try database.backUp(to: copy)
      #expect(try permissions(copy) == 0o600)
      try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: copy)
    }
    // Nothing is left of the way in which the file was made.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("private") }
    #expect(Set(files).isSubset(of: ["private.sqlite", "private.sqlite-wal", "private.sqlite-shm"]))
  }

  @Test func `the journal is written ahead, and a write waits for the disk unless told otherwise`() async throws {
    let database = try ProviderDatabase(path: path)
    #expect(try await database.pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    func synchronous(_ database: ProviderDatabase) async throws -> Int? {
      try await database.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }
    #expect(try await synchronous(database) == 2)
    #expect(try await synchronous(ProviderDatabase(path: folder.path + "/fast.sqlite", durability: .processEnd)) == 1)
    #expect(try await database.integrityCheck() == ["ok"])
  }

  @Test func `a file of a newer version is left alone`() throws {
    _ = try ProviderDatabase(path: path)
    try DatabaseQueue(path: path).write { database in
      try database.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999')")
    }
    #expect(throws: ProviderDatabase.NewerSchema.self) { try ProviderDatabase(path: path) }
  }

  @Test func `a file is opened and made by many at once`() async throws {
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let database = try ProviderDatabase(path: path)
          try await SessionRecords(records: database.records).addUser("user \(number)")
        }
      }
      try await group.waitForAll()
    }
    let sessions = try SessionRecords(records: ProviderDatabase(path: path).records)
    for number in 0..<8 { #expect(try await sessions.isActive(userID: "user \(number)")) }
  }

  @Test func `writes that share a transaction stand or fall alone`() async throws {
    struct Refused: Error {}
    let database = try ProviderDatabase(path: path)
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let written: Void? = try? await database.write { database in
            try database.execute(
              sql: "INSERT INTO rateLimits (key, startedAt, count) VALUES (?, 0, 1)",
              arguments: [Data("user \(number)".utf8)])
            if number.isMultiple(of: 3) { throw Refused() }
          }
          return written != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(outcomes == 133)
    #expect(try await database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM rateLimits") } == 133)
    // One that breaks a rule of the table fails with the database's error.
    await #expect(throws: DatabaseError.self) {
      try await database.write {
        try $0.execute(sql: "INSERT INTO rateLimits (key, startedAt, count) VALUES (NULL, 0, 1)")
      }
    }
  }

  @Test func `no token and no secret of a device is in the file`() async throws {
    let database = try ProviderDatabase(path: path)
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: [UInt8](repeating: 9, count: 32)), sessions: EndlessSessions(),
      records: database.records)
    let token = try await service.issue(RefreshGrant(subject: "alice", clientID: "app", scope: ["openid"])).refreshToken
    let sessions = SessionRecords(records: database.records)
    try await sessions.addUser("alice")
    try await sessions.add(AuthenticationSession(id: "s", userID: "alice", authenticatedAt: WallClock.system.now))
    var provider = try OpenIDProvider(
      issuer: "https://op.example.com", keys: IssuerKeys(signing: .generate(.es256, keyID: "k")),
      clients: StaticClientDirectory([
        RegisteredClient(id: "app", nativeSSOEnabled: true, redirectURIs: ["app:/cb"])
      ]), sessions: sessions, refreshTokens: RefreshTokenFormat(key: [UInt8](repeating: 9, count: 32)),
      records: database.records)
    provider.native = NativeSSO(settings: SettingsResolver(try NativeSSOSettings(enabled: true)))
    provider.grants = [
      TokenEndpoint.Grant("urn:example:login") { [provider] _ in
        try await provider.tokens(
          for: AcceptedGrant(clientID: "app", sessionID: "s", scopes: ["openid", "device_sso"]))
      }
    ]
    let request = HTTPRequestValue.post(["grant_type": "urn:example:login", "client_id": "app"], to: "/token")
    let answer = try JSONObject(parsing: #require(await provider.respond(to: request, from: "")).body)
    let secret = try DeviceSecret(#require(answer["device_secret"]?.stringValue))
    #expect(try await provider.deviceSecrets(userID: "alice").count == 1)
    let codes = try AuthorizationCodeService(
      refreshTokens: service, revokedTokens: RevokedTokens(records: database.records))
    let code = try await codes.issue(AuthorizationCodeGrant(clientID: "app", redirectURI: "app:/", scopes: ["openid"]))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let content = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
      let mac = try #require(token.split(separator: ".").last)
      #expect(content.range(of: Data(mac.utf8)) == nil && content.range(of: Data(secret.reveal().utf8)) == nil)
      #expect(content.range(of: Data(code.utf8)) == nil)
    }
  }

  @Test func `what has expired is removed, and nothing else`() async throws {
    let start = 1_760_000_000
    let early = try ProviderDatabase(path: path, clock: .fixed(at: NumericDate(start)))
    let expiration = NumericDate(start + 100)
    let kind = try #require(StoredRecord.Kind(application: "test"))
    for (key, expiry) in [(1, expiration), (2, NumericDate(start + 5_000)), (3, nil)] as [(UInt8, NumericDate?)] {
      let record = StoredRecord(
        kind: kind, key: [key], indexes: [.init("a", [1])], createdAt: NumericDate(start), expiresAt: expiry,
        document: [], attempt: [])
      #expect(try await early.records.commit([.insert(record)]) == .done)
    }
    func left(after seconds: Int) async throws -> [UInt8] {
      let database = try ProviderDatabase(path: path, clock: .fixed(at: NumericDate(start + seconds)))
      try await database.removeExpired()
      return try await database.records.records(kind, where: .init("a", [1]), limit: 9).flatMap(\.key)
    }
    // For a minute more, for clocks that are set back.
    #expect(try await left(after: 0) == [1, 2, 3])
    #expect(try await left(after: 160) == [1, 2, 3])
    #expect(try await left(after: 161) == [2, 3])
    #expect(try await left(after: 90_000) == [3])
  }

  @Test func `a code that was used is there as long as its service says, and one that was not goes`() async throws {
    let start = NumericDate(1_760_000_000)
    func open(after seconds: Double) throws -> ProviderDatabase {
      try ProviderDatabase(path: path, clock: .fixed(at: start.advanced(by: .seconds(seconds))))
    }
    let database = try open(after: 0)
    let revoked = RevokedTokens(records: database.records, clock: database.clock)
    let codes = try AuthorizationCodeService(
      records: database.records, lifetime: .seconds(60), retention: .seconds(1000), revokedTokens: revoked,
      clock: database.clock)
    func request(_ code: String) -> AuthorizationCodeRedemption {
      AuthorizationCodeRedemption(code: code, clientID: "app", redirectURI: "https://app.example/cb")
    }
    let grant = AuthorizationCodeGrant(
      clientID: "app", redirectURI: "https://app.example/cb", scopes: ["openid"], id: "g")
    let used = try await codes.issue(grant)
    _ = try await codes.issue(grant)
    try await codes.redeem(request(used)) { _ in }
    func count() throws -> Int64 {
      try database.look {
        try $0.run("SELECT count(*) FROM records WHERE kind = 'authorization-code'", []).rows[0][0].int
      }
    }
    try await open(after: 100).removeExpired()
    #expect(try count() == 2)
    try await open(after: 121).removeExpired()
    #expect(try count() == 1)
    try await open(after: 1000).removeExpired()
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await codes.redeem(request(used)) { _ in } }
    #expect(try await revoked.isRevoked(anyOf: [.grant("g")]))
    try await open(after: 1100).removeExpired()
    #expect(try count() == 0)
    #expect(try await revoked.isRevoked(anyOf: [.grant("g")]))
    try await open(after: 1200).removeExpired()
    #expect(try await !revoked.isRevoked(anyOf: [.grant("g")]))
  }

  @Test func `one maker can't fill the records, and what it has costs no count of all each time`() async throws {
    let records = try ProviderDatabase(path: path, durability: .processEnd).records
    let now = NumericDate(1_760_000_000)
    let kind = try #require(StoredRecord.Kind(application: "test"))
    func insert(_ number: Int, of maker: UInt8, limit: Int, at now: NumericDate) async throws -> RecordCommit {
      let index = StoredRecord.Index("maker", [maker])
      let record = StoredRecord(
        kind: kind, key: Array("\(maker) \(number)".utf8), indexes: [index], createdAt: now,
        expiresAt: now.advanced(by: .seconds(60)), document: [], attempt: [])
      return try await records.commit([.insert(record, atMost: RecordQuota(index, limit: limit, now: now))])
    }
    for number in 0..<3 { #expect(try await insert(number, of: 1, limit: 3, at: now) == .done) }
    #expect(try await insert(3, of: 1, limit: 3, at: now) == .refused(change: 0, .quotaReached))
    #expect(try await insert(3, of: 2, limit: 3, at: now) == .done)
    // Those that have expired make room.
    #expect(try await insert(9, of: 1, limit: 3, at: now.advanced(by: .seconds(61))) == .done)
  }

  @Test func `a maker at its quota is refused without a wait for other writers`() async throws {
    let records = try ProviderDatabase(path: path, durability: .processEnd, busyTimeout: 0.05).records
    let kind = try #require(StoredRecord.Kind(application: "test"))
    func insert(_ key: UInt8, of maker: UInt8) async throws -> RecordCommit {
      let index = StoredRecord.Index("maker", [maker])
      let record = StoredRecord(
        kind: kind, key: [key], indexes: [index], createdAt: NumericDate(7), document: [], attempt: [])
      return try await records.commit([.insert(record, atMost: RecordQuota(index, limit: 1, now: NumericDate(7)))])
    }
    #expect(try await insert(1, of: 1) == .done)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    #expect(try await insert(2, of: 1) == .refused(change: 0, .quotaReached))
    await #expect(throws: DatabaseError.self) { try await insert(2, of: 2) }
    // That its key is taken is said first, and so it is asked for in the transaction.
    await #expect(throws: DatabaseError.self) { try await insert(1, of: 1) }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await insert(1, of: 1) == .refused(change: 0, .keyTaken))
  }

  @Test func `a replacement writes the indexes that differ, and no others`() async throws {
    let database = try ProviderDatabase(path: path, durability: .processEnd)
    let kind = try #require(StoredRecord.Kind(application: "test"))
    var record = StoredRecord(
      kind: kind, key: [1], indexes: (0..<100).map { StoredRecord.Index("user", [UInt8($0)]) },
      createdAt: NumericDate(7),
      document: [], attempt: [])
    #expect(try await database.records.commit([.insert(record)]) == .done)
    func writtenRows(_ record: StoredRecord) async throws -> Int {
      func count() async throws -> Int {
        try await database.write { try Int.fetchOne($0, sql: "SELECT total_changes()") ?? 0 }
      }
      let before = try await count()
      #expect(try await database.records.commit([.replace(record)]) == .done)
      return try await count() - before
    }
    record.version = 1
    #expect(try await writtenRows(record) == 1)
    record.version = 2
    record.indexes[50] = .init("user", [200])
    #expect(try await writtenRows(record) == 3)
    record.version = 3
    record.indexes[60] = .init("user", [60], isUnique: true)
    #expect(try await writtenRows(record) == 3)
    let stored = try await database.records.record(kind, key: [1])
    #expect(stored.map { Set($0.indexes) } == Set(record.indexes))
  }
}
