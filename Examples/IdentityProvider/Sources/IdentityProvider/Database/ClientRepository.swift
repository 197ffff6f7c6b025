import JOSE
import OpenIDKit
import SQLStores
import Synchronization

/// The clients, in the database. Changes by another process are seen after ``cacheLifetime`` seconds at the latest,
/// changes by this one at once.
package final class ClientRepository: Sendable {
  /// The algorithms of client assertions.
  static let assertionAlgorithms: [SignatureAlgorithm] = [.es256, .rs256, .ps256, .ed25519, .eddsa]

  /// The clients that were read recently: each request needs its client several times.
  private struct Cache {
    var clients: [[UInt8]: Client] = [:]
    var publicAddresses: [String]?
    var readAt = -Double.infinity
    /// The number of changes so far, so that a client that was read before a change isn't cached after it.
    var changeCount = 0
  }

  let database: any SQLDriver
  /// The audience of assertions for this server.
  let issuer: String
  let clock: WallClock
  private let cache = Mutex(Cache())

  static let cacheLifetime = 1.0

  init(database: any SQLDriver, issuer: String, clock: WallClock) {
    (self.database, self.issuer, self.clock) = (database, issuer, clock)
  }

  /// An enabled client. Identifiers are compared as bytes.
  package func enabledClient(id: String) async throws -> Client? {
    guard let client = try await client(identifier: id), client.isEnabled else { return nil }
    return client
  }

  /// A client, enabled or not.
  package func client(identifier id: String) async throws -> Client? {
    let name = Array(id.utf8), (known, changeCount) = remembered { $0.clients[name] }
    if let known { return known }
    let row = try await database.row("SELECT id, isEnabled, document FROM clients WHERE id = ?", [.octets(name)])
    let client = try row.map { try Client(row: $0) }
    // Unknown names are not cached: an attacker could fill the memory with invented ones.
    if let client { cache.withLock { if $0.changeCount == changeCount { $0.clients[name] = client } } }
    return client
  }

  private func remembered<Value: Sendable>(_ part: (Cache) -> Value?) -> (Value?, changeCount: Int) {
    let now = clock.now.secondsSince1970
    return cache.withLock { cache in
      if abs(now - cache.readAt) >= Self.cacheLifetime { cache = Cache(readAt: now, changeCount: cache.changeCount) }
      return (part(cache), cache.changeCount)
    }
  }

  /// All clients that can be read: a damaged one doesn't hide the others.
  package func clients() async throws -> [Client] {
    try await database.rows("SELECT id, isEnabled, document FROM clients ORDER BY createdAt")
      .compactMap { try? Client(row: $0) }
  }

  /// The redirect URIs of enabled public clients. They are cached, because any request may need them.
  func publicAddresses() async throws -> [String] {
    let (known, changeCount) = remembered(\.publicAddresses)
    if let known { return known }
    let addresses = try await clients().filter { $0.isEnabled && $0.isPublic }.flatMap(\.redirectURIs)
    cache.withLock { if $0.changeCount == changeCount { $0.publicAddresses = addresses } }
    return addresses
  }

  /// Changes a client as it is now, whatever is remembered of it. Of two changes at once neither undoes the other.
  ///
  /// - Parameter change: changes what is asked for and nothing else. It may run again.
  /// - Returns: the client as it is then, and what the closure returns; nil if there is no such client.
  /// - Throws: what the closure and the database throw.
  package func update<Value: Sendable>(
    _ id: String, _ change: @escaping @Sendable (inout Client) throws -> Value
  ) async throws -> (client: Client, value: Value)? {
    // Also if it is unknown whether it was made.
    defer { cache.withLock { $0 = Cache(changeCount: $0.changeCount + 1) } }
    let dialect = database.dialect
    return try await database.write { session -> (client: Client, value: Value)? in
      try session.lock(["client " + id], dialect)
      let rows = try session.run("SELECT id, isEnabled, document FROM clients WHERE id = ?", [.name(id)]).rows
      guard var client = try rows.first.map({ try Client(row: $0) }) else { return nil }
      let value = try change(&client)
      _ = try session.run(
        "UPDATE clients SET isEnabled = ?, document = ? WHERE id = ?",
        [.flag(client.isEnabled), .octets(client.document.serialized()), .name(id)])
      return (client, value)
    }
  }

  /// Adds a client, or writes it anew.
  package func put(_ client: Client) async throws {
    try await database.run(
      """
      INSERT INTO clients (id, isEnabled, createdAt, document) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET isEnabled = excluded.isEnabled, document = excluded.document
      """,
      [.name(client.id), .flag(client.isEnabled), .date(clock.now), .octets(client.document.serialized())])
    cache.withLock { $0 = Cache(changeCount: $0.changeCount + 1) }
  }
}

extension Client {
  fileprivate init(row: [SQLValue]) throws {
    try self.init(id: row[0].name, isEnabled: row[1].isSet, document: JSONObject(parsing: row[2].bytes))
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
      // Only older software names the token endpoint as audience, and such a client must be registered as such.
      let audiences = [issuer] + (client.allowsTokenEndpointAudience ? [issuer + "/token"] : [])
      method = .assertion(
        SingleUseJWTVerifier(
          JWTVerifier(
            keys: keys, algorithms: Self.assertionAlgorithms,
            policy: .clientAssertion(clientID: client.id, audience: audiences, clock: clock)),
          records: database.records))
    default: return nil
    }
    var registered = RegisteredClient(
      id: client.id, authentication: method, isNative: client.isPublic, nativeSSOEnabled: client.isNativeSSOEnabled,
      group: client.nativeSSOGroup, redirectURIs: client.redirectURIs, allowedScopes: client.scopes,
      resources: client.resources)
    registered.requiredContexts = client.requiredContexts
    registered.idTokenAlgorithm = SignatureAlgorithm(name: client.idTokenAlgorithm)
    registered.postLogoutRedirectURIs = client.postLogoutRedirectURIs
    registered.backChannelLogoutURI = client.backChannelLogoutURI
    (registered.requiresPKCE, registered.requiresDPoP) = (client.requiresPKCE, client.requiresDPoP)
    registered.requiresPushedRequests = client.requiresPushedRequests
    (registered.isResourceServer, registered.isDevice) = (client.isResourceServer, client.isDevice)
    registered.machineScopes = client.machineScopes
    // As FAPI 2.0 has it: one server, written as one text.
    registered.takesAudienceLists = false
    return registered
  }
}
