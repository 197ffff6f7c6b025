import Foundation
import GRDB
import GRDBStores
import JOSE
import Synchronization

/// The keys that sign tokens: for each algorithm the next one, which is published before it is used, the one in use,
/// and those that were, which stay published until their last tokens have ended.
///
/// What other processes change is seen after ``cacheLifetime`` seconds at the latest.
package final class KeyRing: Sendable {
  /// One key, as administrators see it.
  package struct Entry: Sendable {
    package enum State: String, Sendable {
      case next, active, retired
    }

    package let id: String
    package let algorithm: String
    package let state: State
    package let publishedAt: NumericDate
    package let activatedAt: NumericDate?
    package let retiredAt: NumericDate?
    let publicKey: JWK
    let sealedKey: String?
  }

  /// The keys at one moment.
  package struct Snapshot: Sendable {
    package let entries: [Entry]
    /// The public halves, for everybody.
    package let published: JWKSet
    let signing: [String: SigningKey]
    let readAt: Double
  }

  /// Why there is no key.
  package enum Failure: Error, CustomStringConvertible {
    case noKey
    case notYetPublished(seconds: Int)

    package var description: String {
      switch self {
      case .noKey: "there is no key of this algorithm"
      case .notYetPublished(let seconds):
        "the next key was published \(seconds) seconds ago; clients may not have seen it yet: wait, or use --force"
      }
    }
  }

  package static let algorithms: [SignatureAlgorithm] = [.rs256, .es256]
  /// For how many seconds clients may keep the key set.
  package static let publishedLifetime = 300
  static let cacheLifetime = 5.0
  /// For how many seconds a key is published after it was used last.
  static let retirement = 30 * 86_400.0

  private let database: ProviderDatabase
  private let seal: SealingKey
  private let clock: WallClock
  private let cached = Mutex<Snapshot?>(nil)

  init(database: ProviderDatabase, seal: SealingKey, clock: WallClock) {
    (self.database, self.seal, self.clock) = (database, seal, clock)
  }

  /// The key that signs by an algorithm.
  ///
  /// - Throws: ``Failure``, `DatabaseError`.
  package func signingKey(_ algorithm: String) async throws -> SigningKey {
    guard let key = try await snapshot().signing[algorithm] else { throw Failure.noKey }
    return key
  }

  /// The keys, as they were at most ``cacheLifetime`` seconds ago.
  package func snapshot() async throws -> Snapshot {
    let now = clock.now.secondsSince1970
    if let snapshot = cached.withLock({ $0 }), abs(now - snapshot.readAt) < Self.cacheLifetime { return snapshot }
    let entries = try await database.read { database in
      try Entry.fetchAll(database, sql: "SELECT * FROM signingKeys ORDER BY algorithm, publishedAt")
    }
    let known = cached.withLock { $0?.signing } ?? [:]
    var signing: [String: SigningKey] = [:]
    for entry in entries where entry.state == .active {
      if let key = known[entry.algorithm], key.keyID == entry.id {
        signing[entry.algorithm] = key
      } else if let sealed = entry.sealedKey {
        signing[entry.algorithm] = try SigningKey(JWK(parsing: seal.open(sealed)))
      }
    }
    let snapshot = Snapshot(
      entries: entries, published: JWKSet(entries.map(\.publicKey)), signing: signing, readAt: now)
    cached.withLock { $0 = snapshot }
    return snapshot
  }

  /// Makes the keys that aren't there. Of two processes that do so at once, one's keys count.
  ///
  /// - Throws: `JOSEError` if the secrets don't open those that are there, `DatabaseError`.
  package func prepare() async throws {
    let known = try await snapshot().entries
    for algorithm in Self.algorithms {
      for state in [Entry.State.active, .next]
      where !known.contains(where: { $0.algorithm == algorithm.name && $0.state == state }) {
        let key = try make(algorithm, state)
        try await database.write { try key.insert(into: $0) }
      }
    }
    cached.withLock { $0 = nil }
  }

  /// Takes the next keys into use, and publishes new ones.
  ///
  /// - Parameter isForced: whether it counts for nothing that clients may not have seen the next keys yet.
  /// - Throws: ``Failure``, `DatabaseError`.
  package func rotate(isForced: Bool = false) async throws {
    let now = clock.now.secondsSince1970
    let new = try Self.algorithms.map { try make($0, .next) }
    try await database.write { database in
      // The keys of a new ring were published together: nobody knows one and not the other.
      let newest = try Double.fetchOne(
        database,
        sql: """
          SELECT max(publishedAt) FROM signingKeys WHERE state = 'next'
          AND EXISTS (SELECT 1 FROM signingKeys AS other WHERE other.state = 'retired')
          """)
      if let newest, !isForced, now - newest < Double(Self.publishedLifetime) {
        throw Failure.notYetPublished(seconds: Int(max(0, now - newest)))
      }
      try database.execute(
        sql: "UPDATE signingKeys SET state = 'retired', retiredAt = ?, sealedKey = NULL WHERE state = 'active'",
        arguments: [now])
      try database.execute(
        sql: "UPDATE signingKeys SET state = 'active', activatedAt = ? WHERE state = 'next'", arguments: [now])
      try database.execute(
        sql: "DELETE FROM signingKeys WHERE state = 'retired' AND retiredAt < ?", arguments: [now - Self.retirement])
      for key in new { try key.insert(into: database) }
    }
    cached.withLock { $0 = nil }
  }

  private func make(_ algorithm: SignatureAlgorithm, _ state: Entry.State) throws(JOSEError) -> Entry {
    let (id, now) = (RandomText.make(byteCount: 9), clock.now)
    let key = JWK.generate(algorithm, keyID: id)
    return Entry(
      id: id, algorithm: algorithm.name, state: state, publishedAt: now, activatedAt: state == .active ? now : nil,
      retiredAt: nil, publicKey: key, sealedKey: try seal.seal(key.serializedWithPrivateKey()))
  }
}

extension KeyRing.Entry: FetchableRecord {
  package init(row: Row) throws {
    guard let state = State(rawValue: row["state"]) else { throw KeyRing.Failure.noKey }
    self.init(
      id: row["id"], algorithm: row["algorithm"], state: state,
      publishedAt: NumericDate(saturating: row["publishedAt"]),
      activatedAt: (row["activatedAt"] as Double?).map { NumericDate(saturating: $0) },
      retiredAt: (row["retiredAt"] as Double?).map { NumericDate(saturating: $0) },
      publicKey: try JWK(parsing: row["publicKey"] as Data), sealedKey: row["sealedKey"])
  }

  /// Adds a new key, unless another process was faster.
  fileprivate func insert(into database: Database) throws {
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO signingKeys (id, algorithm, state, publishedAt, activatedAt, publicKey, sealedKey)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        id, algorithm, state.rawValue, publishedAt.secondsSince1970, activatedAt?.secondsSince1970,
        Data(try publicKey.serialized()), sealedKey,
      ])
  }
}
