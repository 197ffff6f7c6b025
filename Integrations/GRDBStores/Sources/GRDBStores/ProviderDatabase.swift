import Foundation
public import GRDB
public import JOSE
import PlatformSSOKit
public import SQLStores

/// One SQLite file with all that a provider keeps: open it once in each process, and give its stores to the provider.
///
/// ```swift
/// let database = try ProviderDatabase(path: "/var/lib/provider/state.sqlite")
/// let service = try RefreshTokenService(format: format, records: database.records)
/// ```
///
/// Several processes of one machine may have it open. Every operation of a store is there or not after a crash, as a
/// whole; those that come at once share a transaction, and the wait for the disk. It holds no token and no secret of a
/// device, only hashes and names; sign-ins with Apple that wait have their `state` in it for ten minutes.
public struct ProviderDatabase: Sendable {
  /// What a write must survive once it has returned.
  public enum Durability: Sendable {
    /// A loss of power: each write waits for the disk.
    case powerLoss
    /// The end of the process, in whatever way. A loss of power may undo the last writes: refresh tokens that were
    /// handed out in the last moments are then refused, and their logins end.
    case processEnd
  }

  let pool: DatabasePool
  /// What is read on callers' threads has connections of its own, which no task holds while it waits for a thread:
  /// callers that wait for one would otherwise hold up those who give theirs back.
  private let lookups: DatabasePool
  let clock: WallClock
  private let writes: WriteGroup

  /// Opens the file, makes it if it is not there, and brings its tables up to date.
  ///
  /// - Parameters:
  ///   - path: the file's. Beside it stand two more with the endings `-wal` and `-shm`. Only their owner may read and
  ///     write them: files that are there and give others more are tightened.
  ///   - durability: see ``Durability``.
  ///   - busyTimeout: for how many seconds a write waits for those of other processes before it fails.
  ///   - clock: tells the stores that have to know when something has expired.
  ///   - migrations: registers the program's own, which make its own tables. Give them names that begin with the
  ///     program's: this package's are numbers.
  /// - Throws: `DatabaseError`; ``NewerSchema`` if a newer version of this package, or of the program, has made the
  ///   file; what the file system throws if the file belongs to somebody else and can't be tightened.
  public init(
    path: String, durability: Durability = .powerLoss, busyTimeout: Double = 10, clock: WallClock = .system,
    migrations: (inout DatabaseMigrator) -> Void = { _ in }
  ) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTimeout)
    configuration.prepareDatabase { database in
      guard !database.configuration.readonly else { return }
      // Hashes and `state` that were removed must not lie about in the file.
      try database.execute(sql: "PRAGMA secure_delete = ON")
    }
    try PrivateFile.make(path)
    pool = try Self.opened(path: path, configuration: configuration)
    // The pool sets this itself when it turns the journal's mode on, so it is set afterwards, where writes are made.
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

  /// Brings the tables up to date. Of two processes that do so at once, one finds that the other was faster, and its
  /// own transaction undone.
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

  /// Opens the pool. Of two processes that do so at once for a new file, one changes the journal's mode, for which
  /// SQLite lets nobody wait: the other tries again.
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

  /// Runs one change of a store, or of the program's own tables, whole or not at all. It lasts once this returns.
  ///
  /// - Parameter change: in a transaction, which it may share with others that come at the same time.
  /// - Throws: what the closure throws, `DatabaseError`.
  public func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await writes.write(change)
  }

  /// Looks one thing up by its key, on the caller's thread: a change of threads takes longer than SQLite does. For
  /// reads that have an index and touch a few rows; nobody's write is waited for.
  ///
  /// - Throws: what the closure throws, `DatabaseError`.
  public func lookUp<Value>(_ look: (Database) throws -> Value) throws -> Value {
    try lookups.read(look)
  }

  /// Reads what the last transaction has left, on a thread for it.
  ///
  /// - Throws: what the closure throws, `DatabaseError`.
  public func read<Value: Sendable>(_ look: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await pool.read(look)
  }

  /// Reads for as long as the closure runs what the last transaction before has left, on the caller's thread, by SQL
  /// that is not GRDB's.
  ///
  /// - Throws: what the closure throws, `DatabaseError`.
  public func look<Value>(_ look: (any SQLSession) throws -> Value) throws -> Value {
    try lookups.read { try SQLiteSession.perform(look, $0) }
  }

  /// Has the file give back pages that it needs no more, by `PRAGMA incremental_vacuum`. One that was made otherwise is
  /// written anew for that, once.
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

  /// Copies the database into another file while it is used, as it is at one moment.
  ///
  /// - Parameter path: of a file that is made, or overwritten as a whole. Only its owner may read and write it.
  /// - Throws: `DatabaseError`, what the file system throws.
  public func backUp(to path: String) throws {
    try PrivateFile.make(path)
    let copy = try DatabaseQueue(path: path)
    try pool.backup(to: copy)
    try copy.close()
  }

  /// What SQLite says of the file: `["ok"]`, or what is wrong.
  ///
  /// - Throws: `DatabaseError`.
  public func integrityCheck() async throws -> [String] {
    try await pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
  }

  /// Removes what has expired: records and rate limits. Call it once an hour or so.
  ///
  /// - Throws: `DatabaseError`.
  public func removeExpired() async throws {
    try await driver.removeExpired(at: clock.now)
  }
}

extension ProviderDatabase {
  /// What runs the stores' statements, and those of a program for its own tables.
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

  /// What users hold on their Macs.
  ///
  /// - Parameter tenant: whose Macs and users these are; a provider of several asks for each.
  public func deviceLogins(tenant: String? = nil) -> DeviceLoginService {
    DeviceLoginService(records: records, tenant: tenant, clock: clock)
  }
}
