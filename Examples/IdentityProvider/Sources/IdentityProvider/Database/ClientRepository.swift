import Foundation
import GRDB
import GRDBStores
import JOSE
import NativeSSOKit
import OpenIDKit
import Synchronization

/// The clients, in the database. What another process changes is seen after ``cacheLifetime`` seconds at the latest,
/// what this one changes at once.
package struct ClientRepository: Sendable {
  let database: ProviderDatabase
  /// The name under which assertions address this server.
  let issuer: String
  let clock: WallClock
  private let cache = Cache()

  static let cacheLifetime = 1.0

  init(database: ProviderDatabase, issuer: String, clock: WallClock) {
    (self.database, self.issuer, self.clock) = (database, issuer, clock)
  }

  /// Clients that were asked for a moment ago: each request asks for one several times.
  private final class Cache: Sendable {
    private struct Content {
      var clients: [Data: Client] = [:]
      var readAt = -Double.infinity
      /// How often a client has been changed, so that what was read before is not kept after.
      var changeCount = 0
    }

    private let content = Mutex(Content())

    func client(_ id: Data, at now: Double) -> (client: Client?, changeCount: Int) {
      content.withLock { content in
        if abs(now - content.readAt) >= ClientRepository.cacheLifetime {
          content.clients = [:]
          content.readAt = now
        }
        return (content.clients[id], content.changeCount)
      }
    }

    /// Names that nobody has are not kept: whoever makes them up would fill the memory.
    func keep(_ client: Client, _ id: Data, changeCount: Int) {
      content.withLock { content in
        if content.changeCount == changeCount { content.clients[id] = client }
      }
    }

    func clear() {
      content.withLock { content in
        content.clients = [:]
        content.changeCount += 1
      }
    }
  }

  /// A client that may be used now. Identifiers are compared as bytes.
  package func enabledClient(id: String) async throws -> Client? {
    guard let client = try await client(identifier: id), client.isEnabled else { return nil }
    return client
  }

  /// A client, whether it may be used or not.
  package func client(identifier id: String) async throws -> Client? {
    let name = Data(id.utf8)
    let (known, changeCount) = cache.client(name, at: clock.now.secondsSince1970)
    if let known { return known }
    let client = try database.lookUp { database in
      try Row.fetchOne(
        database.cachedStatement(sql: "SELECT isEnabled, document FROM clients WHERE id = ?"), arguments: [name]
      ).map { try Client(id: id, isEnabled: $0["isEnabled"], document: JSONObject(parsing: $0["document"] as Data)) }
    }
    if let client { cache.keep(client, name, changeCount: changeCount) }
    return client
  }

  package func clients() async throws -> [Client] {
    try await database.read { database in
      try Row.fetchAll(database, sql: "SELECT id, isEnabled, document FROM clients ORDER BY createdAt").map { row in
        try Client(
          id: String(decoding: row["id"] as Data, as: UTF8.self), isEnabled: row["isEnabled"],
          document: JSONObject(parsing: row["document"] as Data))
      }
    }
  }

  /// Adds a client, or writes it anew.
  package func put(_ client: Client) async throws {
    let (id, document) = (Data(client.id.utf8), Data(client.document.serialized()))
    let now = clock.now.secondsSince1970
    try await database.write { database in
      try database.execute(
        sql: """
          INSERT INTO clients (id, isEnabled, createdAt, document) VALUES (?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET isEnabled = excluded.isEnabled, document = excluded.document
          """,
        arguments: [id, client.isEnabled, now, document])
    }
    cache.clear()
  }
}

extension ClientRepository: ClientDirectory {
  /// The client as the endpoints of the package know it.
  package func client(id: String) async throws -> RegisteredClient? {
    guard let client = try await enabledClient(id: id) else { return nil }
    let method: RegisteredClient.Authentication
    switch (client.authentication, client.secretHash) {
    case (.none, _): method = .none
    case (.basic, let hash?): method = .basic(secretSHA256: hash)
    case (.post, let hash?): method = .post(secretSHA256: hash)
    case (.privateKeyJWT, _):
      guard let keys = client.keys else { return nil }
      // What named the token endpoint was made by older software, which has to be registered as such.
      let audiences = [issuer] + (client.allowsTokenEndpointAudience ? [issuer + "/token"] : [])
      method = .assertion(
        SingleUseJWTVerifier(
          JWTVerifier(
            keys: keys, algorithms: [.es256, .rs256, .ps256, .ed25519, .eddsa],
            policy: .clientAssertion(clientID: client.id, audience: audiences, clock: clock)),
          records: database.records))
    default: return nil
    }
    return RegisteredClient(
      id: client.id, authentication: method, isNative: client.isPublic, nativeSSOEnabled: client.isNativeSSOEnabled,
      group: client.nativeSSOGroup, redirectURIs: client.redirectURIs, allowedScopes: client.scopes)
  }
}
