import Foundation
import GRDB
import JOSE
import PlatformSSOKit

extension ProviderDatabase {
  /// The proofs of possession that were seen.
  ///
  /// - Parameter quota: of one key, so many proofs are noted at a time.
  public func dpopProofs(quota: Int = 10_000) -> SQLiteDPoPReplayStore {
    SQLiteDPoPReplayStore(database: self, quota: quota)
  }

  /// The tokens that may be used once and were: client assertions, logout tokens, security events.
  ///
  /// - Parameter quota: of one issuer, so many are noted at a time, where `JWTReplayEntry.limitsIssuer` says that there
  ///   is a quota.
  public func usedTokens(quota: Int = 10_000) -> SQLiteJWTReplayStore {
    SQLiteJWTReplayStore(database: self, quota: quota)
  }

  /// What Platform SSO must use once only.
  public var replays: SQLiteReplayStore { SQLiteReplayStore(database: self) }

  /// Platform SSO's server nonces.
  ///
  /// - Parameter lifetime: for how many seconds a nonce is good.
  public func serverNonces(lifetime: Double = 300) -> SQLiteServerNonceStore {
    SQLiteServerNonceStore(database: self, lifetime: lifetime)
  }
}

/// Proofs of possession in SQLite.
public struct SQLiteDPoPReplayStore: DPoPReplayStore {
  let database: ProviderDatabase
  let quota: Int

  /// Notes a proof.
  ///
  /// - Throws: `DatabaseError`.
  public func record(_ entry: DPoPReplayEntry, now: NumericDate) async throws -> DPoPReplayVerdict {
    try await database.note(
      entry.tokenID, of: entry.thumbprint, until: entry.expiry, in: "dpopProofs", maker: "thumbprint", quota: quota,
      now: now)
  }
}

/// Tokens that were used, in SQLite.
public struct SQLiteJWTReplayStore: JWTReplayStore {
  let database: ProviderDatabase
  let quota: Int

  /// Notes a token.
  ///
  /// - Throws: `DatabaseError`.
  public func record(_ entry: JWTReplayEntry, now: NumericDate) async throws -> ReplayVerdict {
    try await database.note(
      entry.tokenID, of: entry.issuer, until: entry.expiry, in: "usedTokens", maker: "issuer",
      quota: entry.limitsIssuer ? quota : nil, now: now)
  }

  /// Whether a token was noted.
  ///
  /// - Throws: `DatabaseError`.
  public func isNoted(_ entry: JWTReplayEntry, now: NumericDate) async throws -> Bool {
    let known = try database.lookUp { database in
      try Double.fetchOne(
        database.cachedStatement(sql: "SELECT expiresAt FROM usedTokens WHERE issuer = ? AND name = ?"),
        arguments: [entry.issuer.octets, entry.tokenID.octets])
    }
    guard let known, known >= now.secondsSince1970 - 60 else { return false }
    return ProviderDatabase.isSeen(until: entry.expiry.secondsSince1970, known: known, at: now.secondsSince1970)
  }
}

extension ProviderDatabase {
  /// Notes what a maker has given a name, unless it is known, or the maker has as many noted as one may have.
  fileprivate func note(
    _ name: String, of maker: String, until expiry: NumericDate, in table: StaticString, maker column: StaticString,
    quota: Int?, now: NumericDate
  ) async throws -> ReplayVerdict {
    try await write { database in
      let (maker, name) = (maker.octets, name.octets)
      let (now, expiry) = (now.secondsSince1970, expiry.secondsSince1970)
      // Machines' clocks differ, and are set back: what one of them has forgotten, another must not take again.
      try database.execute(
        sql: "DELETE FROM \(table) WHERE \(column) = ? AND expiresAt < ? - 60", arguments: [maker, now])
      let known = try Double.fetchOne(
        database, sql: "SELECT expiresAt FROM \(table) WHERE \(column) = ? AND name = ?", arguments: [maker, name])
      if let known, Self.isSeen(until: expiry, known: known, at: now) { return .seen }
      if let quota {
        let count = try Int.fetchOne(
          database, sql: "SELECT count(*) FROM \(table) WHERE \(column) = ? AND expiresAt >= ?",
          arguments: [maker, now])
        guard count ?? 0 < quota else { return .quotaReached }
      }
      try database.execute(
        sql: "INSERT OR REPLACE INTO \(table) (\(column), name, expiresAt) VALUES (?, ?, ?)",
        arguments: [maker, name, expiry])
      return .new
    }
  }
}

extension ProviderDatabase {
  /// Whether a name that is known until a time is that of one that ends at another: not, if the known one has expired.
  fileprivate static func isSeen(until expiry: Double, known: Double, at now: Double) -> Bool {
    known >= now || expiry <= known
  }
}

/// What must be used once only, in SQLite.
public struct SQLiteReplayStore: ReplayStore {
  let database: ProviderDatabase

  /// Records an entry. Returns false if it was there already.
  ///
  /// - Throws: `DatabaseError`.
  public func insert(_ entry: ReplayEntry) async throws -> Bool {
    try await database.write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO replayEntries (digest, expiresAt) VALUES (?, ?)",
        arguments: [Data(entry.digest), entry.expiration.secondsSince1970])
      return database.changesCount == 1
    }
  }
}

/// Server nonces in SQLite.
public struct SQLiteServerNonceStore: ServerNonceStore {
  let database: ProviderDatabase
  let lifetime: Double

  /// A new nonce of 256 random bits.
  ///
  /// - Throws: `DatabaseError`.
  public func makeServerNonce(boundTo binding: String, at now: NumericDate) async throws -> String {
    var generator = SystemRandomNumberGenerator()
    let nonce = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    try await database.write { database in
      try database.execute(
        sql: "INSERT INTO serverNonces (nonce, binding, madeAt, isUsed) VALUES (?, ?, ?, 0)",
        arguments: [nonce.octets, binding.octets, now.secondsSince1970])
    }
    return nonce
  }

  /// Uses up a nonce.
  ///
  /// - Throws: `DatabaseError`.
  public func useServerNonce(
    _ nonce: String, boundTo binding: String, at now: NumericDate
  ) async throws -> ServerNonceVerdict {
    try await database.write { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT madeAt, isUsed FROM serverNonces WHERE nonce = ? AND binding = ?",
        arguments: [nonce.octets, binding.octets])
      guard let row else { return .unknown }
      let (madeAt, isUsed): (Double, Bool) = (row[0], row[1])
      if isUsed { return .used }
      // The machine that made it may have a clock that is a little ahead.
      guard (-60...lifetime).contains(now.secondsSince1970 - madeAt) else { return .expired }
      try database.execute(sql: "UPDATE serverNonces SET isUsed = 1 WHERE nonce = ?", arguments: [nonce.octets])
      return .accepted
    }
  }
}
