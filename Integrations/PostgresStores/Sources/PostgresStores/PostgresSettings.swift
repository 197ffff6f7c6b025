import PureCrypto

/// The database's address, and the time limits.
public struct PostgresSettings: Sendable, Redacted {
  /// The connection string for libpq: `host=db.example.com dbname=provider user=provider sslmode=verify-full` or a URI.
  ///
  /// A password is better in a file that `passfile=` names.
  public var connection: String
  /// The schema of the tables, and of the program's own beside them: 1 to 63 lowercase letters, digits and `_`, no
  /// digit first.
  public var schema = "purejose"
  /// The largest number of connections of a process.
  public var maximumConnections = 10
  /// How long a caller waits for a free one.
  public var waitLimit = Duration.seconds(1)
  /// How long opening one may take.
  public var openingLimit = Duration.seconds(3)
  /// How long the server runs a statement.
  public var statementLimit = Duration.seconds(2)
  /// How long a statement waits for a lock.
  public var lockLimit = Duration.milliseconds(500)
  /// How long a transaction may wait for its next statement.
  public var idleLimit = Duration.seconds(5)

  /// The settings for a database.
  public init(connection: String) { self.connection = connection }

  /// How long to wait for an answer to a statement: long enough that the server's own timeout error arrives.
  var answerLimit: Duration { statementLimit + .seconds(1) }

  /// The settings for the connection that brings the tables up to date, which others may be doing too.
  var forMigration: PostgresSettings {
    var settings = self
    (settings.lockLimit, settings.statementLimit) = (.seconds(30), .seconds(60))
    return settings
  }

  /// - Throws: ``PostgresError`` if no connection is allowed, or the schema's name is invalid.
  func check() throws(PostgresError) {
    let isPlain = schema.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    let beginsWell = schema.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    guard isPlain, beginsWell, schema.utf8.count <= 63, maximumConnections > 0 else {
      throw PostgresError(.settings)
    }
  }
}
