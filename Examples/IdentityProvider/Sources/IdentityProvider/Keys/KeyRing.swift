import JOSE
import OpenIDKit
import SQLStores
import Synchronization

/// The keys that sign tokens: for each algorithm the next one, which is published before it is used, the active one,
/// and the retired ones, which stay published until their last tokens have expired.
///
/// Changes by other processes are seen after ``cacheLifetime`` seconds at the latest.
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
    /// The public halves, for the published key set.
    package let published: JWKSet
    let signing: [String: SigningKey]
    /// The same for tokens: RS256 for the ID tokens of clients that say nothing else, ES256 for access tokens. Nil
    /// before the first keys are made.
    fileprivate let keys: IssuerKeys?
    let readAt: Double
  }

  /// Why a key can't be used or rotated.
  package enum Failure: Error, CustomStringConvertible {
    case noKey
    case unknownKey
    case notYetPublished(seconds: Int)

    package var description: String {
      switch self {
      case .noKey: "there is no signing key for this algorithm"
      case .unknownKey: "there is no key of this name: idp keys list shows all"
      case .notYetPublished(let seconds):
        "the next key was published only \(seconds) seconds ago, so clients may not have it yet: wait, or use --force"
      }
    }
  }

  package static let algorithms: [SignatureAlgorithm] = [.rs256, .es256]
  /// How many seconds clients may cache the key set.
  package static let publishedLifetime = 300
  static let cacheLifetime = 5.0
  /// How many seconds old keys may be that are published while the database can't be read: one that was revoked in
  /// another process would otherwise stay for ever.
  static let longestOutage = 86_400.0
  /// How many seconds a key stays published after its last use.
  static let retirement = 30 * 86_400.0

  private let database: any SQLDriver
  private let seal: SealingKey
  private let clock: WallClock
  private let cached = Mutex<Snapshot?>(nil)
  private let known: LastKnown<Snapshot>

  init(database: any SQLDriver, seal: SealingKey, clock: WallClock) {
    (self.database, self.seal, self.clock) = (database, seal, clock)
    known = LastKnown(lifetime: Self.cacheLifetime, clock: clock)
  }

  /// The signing key of an algorithm.
  ///
  /// - Throws: ``Failure``, what the database throws.
  package func signingKey(_ algorithm: String) async throws -> SigningKey {
    guard let key = try await snapshot().signing[algorithm] else { throw Failure.noKey }
    return key
  }

  /// The keys, as they were at most ``cacheLifetime`` seconds ago.
  package func snapshot() async throws -> Snapshot {
    let now = clock.now.secondsSince1970
    if let snapshot = cached.withLock({ $0 }), abs(now - snapshot.readAt) < Self.cacheLifetime { return snapshot }
    return try await read()
  }

  /// The keys of tokens.
  ///
  /// - Throws: ``Failure``, what the database throws.
  func issuerKeys() async throws -> IssuerKeys {
    guard let keys = try await snapshot().keys else { throw Failure.noKey }
    return keys
  }

  private func read() async throws -> Snapshot {
    let now = clock.now.secondsSince1970
    let entries = try await entries()
    let known = cached.withLock { $0?.signing } ?? [:]
    var signing: [String: SigningKey] = [:]
    for entry in entries where entry.state == .active {
      if let key = known[entry.algorithm], key.keyID == entry.id {
        signing[entry.algorithm] = key
      } else if let sealed = entry.sealedKey {
        signing[entry.algorithm] = try SigningKey(JWK(parsing: seal.open(sealed)))
      }
    }
    let names = signing.values.compactMap(\.keyID)
    let keys = try signing["RS256"].map { first in
      try IssuerKeys(
        signing: first, others: signing.values.filter { $0.keyID != first.keyID },
        retired: entries.map(\.publicKey).filter { key in !names.contains { key.keyID == $0 } })
    }
    let snapshot = Snapshot(
      entries: entries, published: JWKSet(entries.map(\.publicKey)), signing: signing, keys: keys, readAt: now)
    cached.withLock { $0 = snapshot }
    return snapshot
  }

  /// After a change by this process.
  private func forget() {
    cached.withLock { $0 = nil }
    known.forget()
  }

  /// The public keys that clients may trust: while the database can't be read, those that were read last.
  package func publishedKeys() async throws -> JWKSet {
    let snapshot = try await known.value { try await self.read() }
    let now = clock.now.secondsSince1970
    guard now - snapshot.readAt < Self.longestOutage else { return try await read().published }
    return JWKSet(
      snapshot.entries.filter { now - ($0.retiredAt?.secondsSince1970 ?? now) < Self.retirement }.map(\.publicKey))
  }

  private func entries() async throws -> [Entry] {
    try await database.rows(
      """
      SELECT id, algorithm, state, publishedAt, activatedAt, retiredAt, publicKey, sealedKey
      FROM signingKeys ORDER BY algorithm, publishedAt
      """
    ).map { try Entry(row: $0) }
  }

  /// Makes the keys that aren't there. Of two processes that do so at once, all are one's.
  ///
  /// - Throws: `JOSEError` if the secrets don't open the existing keys; what the database throws.
  package func prepare() async throws {
    let known = try await snapshot().entries
    var missing: [Entry] = []
    for algorithm in Self.algorithms {
      for state in [Entry.State.active, .next]
      where !known.contains(where: { $0.algorithm == algorithm.name && $0.state == state }) {
        missing.append(try make(algorithm, state))
      }
    }
    if !missing.isEmpty {
      let (keys, dialect) = (missing, database.dialect)
      try await database.write { session in
        try session.lock(["signing keys"], dialect)
        for key in keys { try key.insert(by: session) }
      }
    }
    forget()
    // The keys may be those of another machine, which began at the same moment with secrets of its own.
    for case let sealed? in try await snapshot().entries.map(\.sealedKey) { _ = try seal.open(sealed) }
  }

  /// Withdraws a key that others may have: nothing that it has signed is valid any more, wherever the key set is asked
  /// for again. If it is the active one, the next one signs from now on.
  ///
  /// Other processes see it after ``cacheLifetime`` seconds, clients after ``publishedLifetime`` at the latest.
  /// - Returns: what the key was.
  /// - Throws: ``Failure``, what the database throws.
  package func revoke(_ id: String) async throws -> Entry {
    let (now, dialect) = (clock.now.secondsSince1970, database.dialect)
    guard let entry = try await entries().first(where: { $0.id == id }),
      let algorithm = Self.algorithms.first(where: { $0.name == entry.algorithm })
    else { throw Failure.unknownKey }
    let next = try make(algorithm, .next)
    try await database.write { session in
      try session.lock(["signing keys"], dialect)
      let found = try session.run("SELECT state FROM signingKeys WHERE id = ?", [.text(id)]).rows.first?[0].string
      guard let found, let state = Entry.State(rawValue: found) else { throw Failure.unknownKey }
      _ = try session.run("DELETE FROM signingKeys WHERE id = ?", [.text(id)])
      guard state != .retired else { return }
      if state == .active {
        _ = try session.run(
          "UPDATE signingKeys SET state = 'active', activatedAt = ? WHERE state = 'next' AND algorithm = ?",
          [.real(now), .text(entry.algorithm)])
      }
      try next.insert(by: session)
    }
    forget()
    return entry
  }

  /// Starts signing with the next keys, and publishes new ones.
  ///
  /// - Parameter isForced: whether to rotate even if clients may not have seen the next keys yet.
  /// - Throws: ``Failure``, what the database throws.
  package func rotate(isForced: Bool = false) async throws {
    let now = clock.now.secondsSince1970
    let (new, dialect) = (try Self.algorithms.map { try make($0, .next) }, database.dialect)
    try await database.write { session in
      // If two processes rotate at once, the second finds the keys already rotated.
      try session.lock(["signing keys"], dialect)
      // The first keys were published together: a client that knows one knows both, so there is nothing to wait for.
      let newest = try session.run(
        """
        SELECT max(publishedAt) FROM signingKeys WHERE state = 'next'
        AND EXISTS (SELECT 1 FROM signingKeys AS other WHERE other.state = 'retired')
        """, []
      ).rows.first?[0].orNil?.double
      if let newest, !isForced, now - newest < Double(Self.publishedLifetime) {
        throw Failure.notYetPublished(seconds: Int(max(0, now - newest)))
      }
      for (statement, time) in [
        ("UPDATE signingKeys SET state = 'retired', retiredAt = ?, sealedKey = NULL WHERE state = 'active'", now),
        ("UPDATE signingKeys SET state = 'active', activatedAt = ? WHERE state = 'next'", now),
        ("DELETE FROM signingKeys WHERE state = 'retired' AND retiredAt < ?", now - Self.retirement),
      ] { _ = try session.run(statement, [.real(time)]) }
      for key in new { try key.insert(by: session) }
    }
    forget()
  }

  private func make(_ algorithm: SignatureAlgorithm, _ state: Entry.State) throws(JOSEError) -> Entry {
    let (id, now) = (RandomText.make(byteCount: 9), clock.now)
    let key = JWK.generate(algorithm, keyID: id)
    return Entry(
      id: id, algorithm: algorithm.name, state: state, publishedAt: now, activatedAt: state == .active ? now : nil,
      retiredAt: nil, publicKey: key, sealedKey: try seal.seal(key.serializedWithPrivateKey()))
  }
}

extension KeyRing.Entry {
  fileprivate init(row: [SQLValue]) throws {
    guard let state = State(rawValue: try row[2].string) else { throw KeyRing.Failure.noKey }
    self.init(
      id: try row[0].string, algorithm: try row[1].string, state: state, publishedAt: try row[3].date,
      activatedAt: try row[4].orNil?.date, retiredAt: try row[5].orNil?.date,
      publicKey: try JWK(parsing: row[6].bytes), sealedKey: try row[7].orNil?.string)
  }

  /// Inserts a new key, unless another process was faster.
  fileprivate func insert(by session: any SQLSession) throws {
    _ = try session.run(
      """
      INSERT INTO signingKeys (id, algorithm, state, publishedAt, activatedAt, publicKey, sealedKey)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        .text(id), .text(algorithm), .text(state.rawValue), .date(publishedAt), .date(activatedAt),
        .octets(try publicKey.serialized()), .optional(sealedKey),
      ])
  }
}
