import JOSE
import SQLStores

/// A PostgreSQL database with all data of a provider: connect once in each process, and pass its stores to the
/// provider. Any number of processes on any number of machines may share it.
///
/// ```swift
/// let settings = PostgresSettings(connection: "host=db.example.com dbname=provider sslmode=verify-full")
/// let database = try await PostgresDatabase.connect(settings)
/// let service = try RefreshTokenService(format: format, sessions: sessions, records: database.records)
/// ```
///
/// The stores throw ``PostgresError``, or `RecordOutcomeUnknown` if the answer to the end of a transaction got lost.
/// The package's services then read the record to find out.
public struct PostgresDatabase: Sendable {
  private let connections: PostgresDriver
  private let clock: WallClock

  /// Connects, and brings the tables up to date.
  ///
  /// - Parameters:
  ///   - settings: where the database is.
  ///   - clock: tells ``removeExpired()`` the time.
  ///   - migrations: the program's migrations, for its own tables beside these.
  /// - Throws: ``PostgresError``; SQLStores' `NewerSchema` if a newer version of the package, or of the program, has
  ///   changed the tables.
  public static func connect(
    _ settings: PostgresSettings, clock: WallClock = .system, adding migrations: [SQLMigration] = []
  ) async throws -> PostgresDatabase {
    try await connect(settings, clock: clock, machine: .system, adding: migrations)
  }

  /// - Parameter machine: this machine's own clock, which is compared with the database's.
  static func connect(
    _ settings: PostgresSettings, clock: WallClock, machine: WallClock, adding migrations: [SQLMigration] = []
  ) async throws -> PostgresDatabase {
    try settings.check()
    let schema = settings.schema
    let seconds = try await Connection.opened(settings.forMigration).perform { connection in
      let session = PostgresSession(connection, isWriting: true)
      try SQLMigration.run(session, schema: schema, adding: migrations)
      try session.commit()
      return try connection.run("SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)", []).rows
    }
    // All machines must agree on what has expired.
    guard case .real(let time)? = seconds.first?.first, abs(time - machine.now.secondsSince1970) <= 5 else {
      throw PostgresError(.clocksDiffer)
    }
    return PostgresDatabase(connections: PostgresDriver(settings), clock: clock)
  }

  /// Runs the statements of the stores, and those of a program for its own tables.
  public var driver: any SQLDriver { connections }

  /// All records of a provider.
  public var records: SQLRecordStore { driver.records }

  /// The rate limits.
  public var rateLimits: SQLRateLimiter { driver.rateLimits }

  /// Which users have which Apple Accounts.
  public var appleAccounts: SQLAppleAccountStore { driver.appleAccounts }

  /// Removes expired records and rate limits. Call it about once an hour, in any process.
  ///
  /// - Throws: ``PostgresError``.
  public func removeExpired() async throws {
    try await driver.removeExpired(at: clock.now)
  }
}
