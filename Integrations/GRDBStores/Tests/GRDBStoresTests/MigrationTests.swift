import Foundation
import GRDB
import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

@testable import GRDBStores

/// Files of former versions: what was kept goes on.
@Suite struct MigrationTests {
  private let folder = Folder()

  /// A file as a version of this package made it.
  private func file(ofVersion version: String) throws -> (path: String, queue: DatabaseQueue) {
    let path = folder.path + "/former.sqlite"
    let queue = try DatabaseQueue(path: path)
    try Schema.migrator.migrate(queue, upTo: version)
    return (path, queue)
  }

  /// Records with their indexes, as texts that can be compared.
  private func content(_ database: ProviderDatabase, of kind: String) async throws -> [String] {
    try await database.read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT hex(key) || ' ' || version || ' ' || records.createdAt || ' ' || hex(name) || ' ' || hex(value) || ' '
          || isUnique FROM records JOIN recordIndexes ON record = number WHERE records.kind = ? ORDER BY 1
          """, arguments: [kind])
    }
  }

  /// A family as it was stored before the records.
  private static func familyDocument(
    _ name: String, _ grant: RefreshGrant, createdAt: Double, generation: Int64, isRevoked: Bool
  ) throws -> [UInt8] {
    let date = JSONValue.number(try JSONNumber(createdAt))
    var object: JSONObject = [
      "revision": 1, "version": 1, "id": .string(name), "subject": .string(grant.subject),
      "client": .string(grant.clientID), "scope": .array(grant.scope.map { .string($0) }), "resources": [],
      "createdAt": date, "lastUsedAt": date, "generation": .number(JSONNumber(isRevoked ? 1 : generation)),
      "replayCount": 0,
    ]
    object["session"] = grant.sessionID.map { .string($0) }
    object["deviceSecret"] = grant.deviceSecretID.map { .string($0) }
    object["grant"] = grant.grantID.map { .string($0) }
    if generation > 1 { object["rotatedAt"] = date }
    if isRevoked { object["revoked"] = ["reason": "administrator", "at": date] }
    return object.serialized()
  }

  @Test func `families of refresh tokens go on as records, and what was revoked stays so`() async throws {
    let kind = "refresh-token-family"
    let format = try RefreshTokenFormat(key: [UInt8](repeating: 9, count: 32))
    // What is now, made into what was.
    let model = try ProviderDatabase(path: folder.path + "/model.sqlite", durability: .processEnd)
    let service = try RefreshTokenService(format: format, records: model.records)
    let awkward = "a\u{0}e\u{301}. "
    let grants = [
      RefreshGrant(subject: "alice", clientID: "app", scope: ["openid"]),
      RefreshGrant(
        subject: awkward, clientID: awkward, sessionID: awkward, scope: [], deviceSecretID: awkward, grantID: awkward),
      RefreshGrant(subject: "alice", clientID: "app", sessionID: "s", scope: ["openid"]),
    ]
    var tokens: [String] = []
    var names: [String] = []
    for grant in grants {
      let login = try await service.issue(grant)
      tokens.append(login.refreshToken)
      names.append(login.grant.family.text)
    }
    tokens[0] = try await service.redeem(RefreshRedemption(refreshToken: tokens[0], clientID: "app")) { _ in }
      .refreshToken
    try await service.revoke(.session("s"), .administrator)
    let rows = try await model.read { database in
      try Row.fetchAll(
        database, sql: "SELECT key, version, createdAt FROM records WHERE kind = ? ORDER BY number", arguments: [kind]
      ).map { row -> (key: Data, version: Int64, createdAt: Double) in (row[0], row[1], row[2]) }
    }
    let (path, queue) = try file(ofVersion: "9")
    try await queue.write { [names] database in
      for (number, (grant, row)) in zip(grants, rows).enumerated() {
        let revokedAt = grant.sessionID == "s" ? row.createdAt : nil
        try database.execute(
          sql: """
            INSERT INTO families
            (id, version, subject, client, session, deviceSecret, grantName, createdAt, expiresAt, revokedAt, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            row.key, row.version, grant.subject.octets, grant.clientID.octets, grant.sessionID?.octets,
            grant.deviceSecretID?.octets, grant.grantID?.octets, row.createdAt, row.createdAt + 90 * 86_400, revokedAt,
            // The former form was JSON, and had the version in it too.
            Data(
              try Self.familyDocument(
                names[number], grant, createdAt: row.createdAt, generation: row.version, isRevoked: revokedAt != nil)),
          ])
      }
    }
    try queue.close()

    let database = try ProviderDatabase(path: path)
    #expect(try await content(database, of: kind) == content(model, of: kind))
    let migrated = try RefreshTokenService(format: format, records: database.records)
    for (number, client) in [(0, "app"), (1, awkward)] {
      let request = RefreshRedemption(refreshToken: tokens[number], clientID: client)
      _ = try await migrated.redeem(request) { _ in }
    }
    await #expect(throws: TokenRefreshError(.invalidGrant, "")) {
      try await migrated.check(RefreshRedemption(refreshToken: tokens[2], clientID: "app"))
    }
    let count = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM records") }
    #expect(count == 3)
    try await migrated.revoke(.subjectAndClient(awkward, awkward), .administrator)
    #expect(try await migrated.logins(.client(awkward)).isEmpty)
    #expect(try await database.integrityCheck() == ["ok"])
    // 90 days after its end it is forgotten, and no sooner.
    let ends = try await database.read {
      try Double.fetchAll($0, sql: "SELECT expiresAt - createdAt FROM records ORDER BY number")
    }
    #expect(ends.allSatisfy { (90.0 * 86_400...121 * 86_400).contains($0) }, "\(ends)")
  }

  @Test func `sessions, users, consents, subjects and settings go on as records`() async throws {
    let awkward = "a\u{0}e\u{301}. "
    let (path, queue) = try file(ofVersion: "10")
    try await queue.write { database in
      for (id, isActive, context, methods) in [
        ("s", true, "gold", #"{"list":["pwd","otp"]}"#), (awkward, true, nil, nil), ("ended", false, nil, nil),
      ] as [(String, Bool, String?, String?)] {
        try database.execute(
          sql: "INSERT INTO sessions VALUES (?, ?, ?, 1760000000.25, ?, ?)",
          arguments: [id.octets, awkward.octets, isActive, context?.octets, methods?.octets])
      }
      for (user, isActive) in [("alice", true), (awkward, true), ("gone", false)] {
        try database.execute(sql: "INSERT INTO users VALUES (?, ?)", arguments: [user.octets, isActive])
      }
      try database.execute(
        sql: "INSERT INTO consents VALUES (?, ?, ?)",
        arguments: [awkward.octets, "app".octets, #"{"list":["openid","b"]}"#.octets])
      try database.execute(
        sql: "INSERT INTO subjects VALUES (?, ?, ?)", arguments: [awkward.octets, "app".octets, "pairwise".octets])
      try database.execute(
        sql: "INSERT INTO settings VALUES (1, ?)", arguments: [#"{"enabled":true,"maxUseCountPerSecret":7}"#.octets])
    }
    try queue.close()

    let database = try ProviderDatabase(path: path)
    let sessions = SessionRecords(records: database.records, usesPairwiseSubjects: true)
    let session = try #require(try await sessions.session(id: "s"))
    #expect(session.userID.utf8.elementsEqual(awkward.utf8) && session.isActive)
    #expect(session.authenticationContext == "gold" && session.authenticationMethods == ["pwd", "otp"])
    #expect(session.authenticatedAt == NumericDate(1_760_000_000).advanced(by: .milliseconds(250)))
    let bare = try #require(try await sessions.session(id: awkward))
    #expect(bare.isActive && bare.authenticationContext == nil && bare.authenticationMethods == nil)
    #expect(try await sessions.session(id: "ended")?.isActive == false)
    for (user, isActive) in [("alice", true), (awkward, true), ("gone", false)] {
      #expect(try await sessions.isActive(userID: user) == isActive)
    }
    #expect(try await sessions.grantedScopes(userID: awkward, clientID: "app") == ["openid", "b"])
    #expect(try await sessions.subject(userID: awkward, clientID: "app") == "pairwise")
    let user = try await sessions.userID(subject: "pairwise", clientID: "app")
    #expect(user?.utf8.elementsEqual(awkward.utf8) == true)
    let settings = try await SettingsResolver(records: database.records).settings()
    #expect(settings.enabled && settings.maxUseCountPerSecret == 7)
    // What goes on can be changed.
    try await sessions.end(sessionID: "s")
    try await sessions.disableUser("alice")
    #expect(try await sessions.session(id: "s")?.isActive == false)
    #expect(try await !sessions.isActive(userID: "alice"))
    #expect(try await database.integrityCheck() == ["ok"])
  }

  @Test func `device secrets go on as records, and are found by their hashes, users and sessions`() async throws {
    @Sendable func digits(_ digit: String) -> String { String(repeating: digit, count: 64) }
    let awkward = "a\u{0}e\u{301}. "
    let (path, queue) = try file(ofVersion: "11")
    try await queue.write { database in
      for (id, fingerprint, revokedAt, more) in [
        (awkward, digits("c"), nil, #","previous":{"fingerprint":"\#(digits("b"))","until":1760000060}"#),
        ("revoked", digits("d"), 1_760_000_500, #","revoked":{"at":1760000500,"reason":"session_logout"}"#),
        ("broken", digits("e"), nil, "damaged"),
      ] as [(String, String, Double?, String)] {
        let document: JSONObject = [
          "v": 1, "id": .string(id), "fingerprint": .string(fingerprint), "user": "user",
          "sessions": [.string(awkward), "s"], "client": "app", "created": 1_760_000_000, "updated": 1_760_000_000,
          "expires": 1_770_000_000, "uses": 2,
        ]
        try database.execute(
          sql: """
            INSERT INTO deviceSecrets (id, fingerprint, user, expiresAt, revokedAt, document)
            VALUES (?, ?, ?, 1770000000, ?, ?)
            """,
          arguments: [
            id.octets, fingerprint.octets, "user".octets, revokedAt,
            Data(document.serialized().dropLast()) + "\(more)}".octets,
          ])
        let number = database.lastInsertedRowID
        for session in [awkward, "s"] {
          try database.execute(
            sql: "INSERT INTO deviceSecretSessions VALUES (?, ?)", arguments: [session.octets, number])
        }
      }
      for rotated in [digits("a"), digits("b")] {
        try database.execute(sql: "INSERT INTO rotatedDeviceSecrets VALUES (?, 1)", arguments: [rotated.octets])
      }
    }
    try queue.close()

    let database = try ProviderDatabase(path: path)
    let indexes = try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT key, name, value, isUnique FROM recordIndexes JOIN records ON number = record
          WHERE recordIndexes.kind = 'device-secret'
          """
      ).map { row -> String in
        let (key, name, value, isUnique): (Data, Data, Data, Bool) = (row[0], row[1], row[2], row[3])
        return [key, name, value].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|") + "|\(isUnique)"
      }
    }
    var expected: Set<String> = []
    for (id, fingerprint) in [(awkward, digits("c")), ("revoked", digits("d")), ("broken", digits("e"))] {
      expected.formUnion([
        "\(id)|fingerprint|\(fingerprint)|true", "\(id)|user|user|false", "\(id)|session|\(awkward)|false",
        "\(id)|session|s|false",
      ])
      if id != "revoked" { expected.insert("\(id)|live|user|false") }
    }
    expected.formUnion([
      "\(awkward)|fingerprint|\(digits("b"))|true", "\(awkward)|rotated|\(digits("a"))|true",
      "\(awkward)|rotated|\(digits("b"))|true",
    ])
    #expect(Set(indexes) == expected && indexes.count == expected.count)

    let provider = NativeSSOProvider(
      issuer: "https://op.example.com", keys: try ProviderKeys(signing: .generate(.es256, keyID: "k")),
      clients: StaticClientDirectory([]), sessions: SessionRecords(records: database.records),
      tokens: OpaqueTokenIssuer(), settings: SettingsResolver(try NativeSSOSettings(enabled: true)),
      records: database.records)
    let sound = try #require(try await provider.deviceSecret(id: awkward))
    #expect(sound.useCount == 2 && sound.clientID == "app" && sound.revocation == nil)
    #expect(try await provider.deviceSecret(id: "revoked")?.revocation?.reason == LogoutReason("session_logout"))
    await #expect(throws: JOSEError.self) { try await provider.deviceSecret(id: "broken") }
    #expect(try await provider.endSession(awkward) == 2)
    #expect(try await provider.deviceSecret(id: awkward)?.revocation?.reason == .sessionEnded)
    #expect(try await provider.revokeDeviceSecrets(userID: "user", reason: .userDisabled) == 0)
  }
}
