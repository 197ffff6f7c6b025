import Foundation
import GRDB
import JOSE
import OpenIDKit
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
    for grant in grants { tokens.append(try await service.issue(grant).refreshToken) }
    tokens[0] = try await service.redeem(RefreshRedemption(refreshToken: tokens[0], clientID: "app")) { _ in }
      .refreshToken
    try await service.revoke(.session("s"), .administrator)
    let rows = try await model.read {
      try Row.fetchAll($0, sql: "SELECT * FROM records WHERE kind = ? ORDER BY number", arguments: [kind])
    }
    let (path, queue) = try file(ofVersion: "9")
    try await queue.write { database in
      for (grant, row) in zip(grants, rows) {
        let document: Data = row["document"]
        let revokedAt: Double? = grant.sessionID == "s" ? row["createdAt"] : nil
        try database.execute(
          sql: """
            INSERT INTO families
            (id, version, subject, client, session, deviceSecret, grantName, createdAt, expiresAt, revokedAt, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            row["key"] as Data, row["version"] as Int64, grant.subject.octets, grant.clientID.octets,
            grant.sessionID?.octets, grant.deviceSecretID?.octets, grant.grantID?.octets, row["createdAt"] as Double,
            (row["createdAt"] as Double) + 90 * 86_400, revokedAt,
            // The former form had the version in the document too.
            Data(#"{"revision":1,"#.utf8) + document.dropFirst(),
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
}
