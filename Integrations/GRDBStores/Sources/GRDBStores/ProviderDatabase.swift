import Foundation
public import GRDB
public import JOSE
import PlatformSSOKit
public import SQLStores

/// One SQLite file with all data of a provider: open it once in each process, and pass its stores to the provider.
///
/// ```swift
/// let database = try ProviderDatabase(path: "/var/lib/provider/state.sqlite")
/// let service = try RefreshTokenService(format: format, sessions: sessions, records: database.records)
/// ```
///
/// Several processes of one machine may open it. After a crash, every operation of a store is there completely or not
/// at all; simultaneous ones share a transaction and the wait for the disk. The file holds no token and no device
/// secret, only hashes and names; it has the `state` of a pending sign-in with Apple for ten minutes.
public struct ProviderDatabase: Sendable {
  /// The failure that a write survives once it has returned.
  public enum Durability: Sendable {
    /// A loss of power: each write waits for the disk.
    case powerLoss
    /// The end of the process, also by a crash. A loss of power may undo the last writes: the newest refresh tokens are
    /// then refused, and their logins end.
    case processEnd
  }

  let pool: DatabasePool
  /// Connections for reads on callers' threads. No task holds one while it waits for a thread: otherwise callers that
  /// wait for a connection could block those that return one.
  private let lookups: DatabasePool
  /// Lookups by them, for tasks.
  let lookupGroup: LookupGroup
  let clock: WallClock
  private let writes: WriteGroup

  /// Opens the file, makes it if it is missing, and brings its tables up to date.
  ///
  /// - Parameters:
  ///   - path: the file. SQLite puts two more beside it with the endings `-wal` and `-shm`. Only their owner may read
  ///     and write them: further permissions of existing files are removed.
  ///   - durability: see ``Durability``.
  ///   - busyTimeout: how many seconds a write waits for other processes before it fails.
  ///   - clock: the clock by which stores know when something has expired.
  ///   - migrations: registers the program's migrations, for its own tables. Begin their names with the program's name:
  ///     this package's names are numbers.
  /// - Throws: `DatabaseError`; ``NewerSchema`` if a newer version of this package, or of the program, has made the
  ///   file; what the file system throws if the file belongs to another account, so that its permissions can't be
  ///   changed.
  public init(
    path: String, durability: Durability = .powerLoss, busyTimeout: Double = 10, clock: WallClock = .system,
    migrations: (inout DatabaseMigrator) -> Void = { _ in }
  ) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTimeout)
    configuration.prepareDatabase { database in
      guard !database.configuration.readonly else { return }
      // Removed hashes and `state` values must not remain in the file.
      try database.execute(sql: "PRAGMA secure_delete = ON")
    }
    try PrivateFile.make(path)
    pool = try Self.opened(path: path, configuration: configuration)
    // The pool sets this itself when it changes the journal's mode, so it is set afterwards, on the writing connection.
    try pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = \(durability == .powerLoss ? "FULL" : "NORMAL")")
    }
    self.clock = clock
    writes = WriteGroup(pool: pool)
    var migrator = Schema.migrator
    migrations(&migrator)
    try Self.migrate(pool, by: migrator)
    configuration.readonly = true
    lookups = try Self.opened(path: path, configuration: configuration)
    lookupGroup = LookupGroup(pool: lookups)
  }

  /// As ``init(path:durability:busyTimeout:clock:migrations:)``, for a program whose own tables are in PostgreSQL too.
  ///
  /// - Throws: what that throws.
  public init(
    path: String, durability: Durability = .powerLoss, busyTimeout: Double = 10, clock: WallClock = .system,
    adding migrations: [SQLMigration]
  ) throws {
    try self.init(path: path, durability: durability, busyTimeout: busyTimeout, clock: clock) { migrator in
      Schema.register(migrations, in: &migrator)
    }
  }

  /// Brings the tables up to date. If two processes do so at once, the slower one finds its own transaction undone.
  private static func migrate(_ pool: DatabasePool, by migrator: DatabaseMigrator) throws {
    var failure: (any Error)?
    for _ in 0..<50 {
      if try pool.read(migrator.hasBeenSuperseded) { throw NewerSchema() }
      if try pool.read(migrator.hasCompletedMigrations) { return }
      do {
        return try migrator.migrate(pool)
      } catch {
        failure = error
        usleep(20_000)
      }
    }
    if let failure { throw failure }
  }

  /// A newer version of this package, or of the program, has made the file.
  public struct NewerSchema: Error {}

  /// Opens the pool. If two processes do so at once for a new file, one changes the journal's mode. SQLite can't wait
  /// for that, so the other tries again.
  private static func opened(path: String, configuration: Configuration) throws -> DatabasePool {
    for _ in 0..<100 {
      do {
        return try DatabasePool(path: path, configuration: configuration)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        usleep(20_000)
      }
    }
    return try DatabasePool(path: path, configuration: configuration)
  }

  /// Runs one change of a store, or of the program's own tables, completely or not at all. It is durable once this
  /// returns.
  ///
  /// - Parameter change: runs in a transaction, which it may share with simultaneous changes.
  /// - Throws: what the closure throws, `DatabaseError`.
  public func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await writes.write(change)
  }

  /// Reads the state after the last transaction, on a thread of its own.
  ///
  /// - Throws: what the closure throws, `DatabaseError`.
  public func read<Value: Sendable>(_ look: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await pool.read(look)
  }

  /// Reads on the caller's thread, by SQL without GRDB. While the closure runs, it sees the state after the last
  /// transaction before it.
  ///
  /// - Throws: what the closure throws, `DatabaseError`.
  public func look<Value>(_ look: (any SQLSession) throws -> Value) throws -> Value {
    try lookups.read { try SQLiteSession.perform(look, $0) }
  }

  /// Returns unused pages of the file, by `PRAGMA incremental_vacuum`. A file that was made without this is rewritten
  /// once.
  ///
  /// - Throws: `DatabaseError`, also where another process uses the file.
  public func makeShrinkable() throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let database = try DatabaseQueue(path: pool.path, configuration: configuration)
    try database.writeWithoutTransaction { database in
      guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") != 2 else { return }
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }
  }

  /// Copies the database in one consistent state into another file, even while it is used.
  ///
  /// - Parameter path: the file to make or to overwrite. Only its owner may read and write it.
  /// - Throws: `DatabaseError`, what the file system throws.
  public func backUp(to path: String) throws {
    try PrivateFile.make(path)
    let copy = try DatabaseQueue(path: path)
    try pool.backup(to: copy)
    try copy.close()
  }

  /// SQLite's check of the file: `["ok"]`, or the faults.
  ///
  /// - Throws: `DatabaseError`.
  public func integrityCheck() async throws -> [String] {
    try await pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
  }

  /// Removes expired records and rate limits. Call it about once an hour.
  ///
  /// - Throws: `DatabaseError`.
  public func removeExpired() async throws {
    try await driver.removeExpired(at: clock.now)
  }
}

extension ProviderDatabase {
  /// Runs the statements of the stores, and those of a program for its own tables.
  public var driver: any SQLDriver { SQLiteDriver(database: self) }

  /// All records of a provider.
  public var records: SQLRecordStore { driver.records }

  /// The rate limits.
  public var rateLimits: SQLRateLimiter { driver.rateLimits }

  /// Which users have which Apple Accounts.
  public var appleAccounts: SQLAppleAccountStore { driver.appleAccounts }
}

extension ProviderDatabase {
  /// The Macs of Platform SSO.
  public var devices: DeviceRegistry { DeviceRegistry(records: records, clock: clock) }

  /// The users' logins and keys on their Macs.
  ///
  /// - Parameter tenant: the tenant of the Macs and users, for a provider with several.
  public func deviceLogins(tenant: String? = nil) -> DeviceLoginService {
    DeviceLoginService(records: records, tenant: tenant, clock: clock)
  }
}
