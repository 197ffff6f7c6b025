import PureCrypto

/// Where the database is, and how long anything may take.
public struct PostgresSettings: Sendable, Redacted {
  /// What libpq takes: `host=db.example.com dbname=provider user=provider sslmode=verify-full` or a URI.
  ///
  /// A password is better in a file that `passfile=` names.
  public var connection: String
  /// The schema of the tables, and of the program's own beside them: 1 to 63 lowercase letters, digits and `_`, no
  /// digit first.
  public var schema = "purejose"
  /// How many connections a process has at most.
  public var maximumConnections = 10
  /// For how long a caller waits for one of them to be free.
  public var waitLimit = Duration.seconds(1)
  /// For how long one is opened.
  public var openingLimit = Duration.seconds(3)
  /// For how long the server runs a statement.
  public var statementLimit = Duration.seconds(2)
  /// For how long a statement waits for a lock.
  public var lockLimit = Duration.milliseconds(500)
  /// For how long a transaction may wait for its next statement.
  public var idleLimit = Duration.seconds(5)

  /// The settings for a database.
  public init(connection: String) { self.connection = connection }

  /// For how long an answer to a statement is waited for, that of the server that it took too long among them.
  var answerLimit: Duration { statementLimit + .seconds(1) }

  /// The settings for the connection that brings the tables up to date, which others may be doing too.
  var forMigration: PostgresSettings {
    var settings = self
    (settings.lockLimit, settings.statementLimit) = (.seconds(30), .seconds(60))
    return settings
  }

  /// - Throws: ``PostgresError`` if a connection would have no place, or the schema is no plain name.
  func check() throws(PostgresError) {
    let isPlain = schema.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    let beginsWell = schema.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    guard isPlain, beginsWell, schema.utf8.count <= 63, maximumConnections > 0 else {
      throw PostgresError(.settings)
    }
  }
}
