import GRDB
import GRDBStores
import JOSE
import SQLStores

#if PostgreSQL
  import PostgresStores
#endif

/// The storage of a provider: an SQLite file in its folder, or a database of PostgreSQL, which any number of providers
/// may share.
package struct Storage: Sendable {
  package let driver: any SQLDriver
  /// The SQLite file; nil with PostgreSQL.
  package let file: ProviderDatabase?

  /// Opens the database that the settings name, and brings its tables up to date.
  ///
  /// - Throws: ``StartRefusal``, what the database throws.
  package static func open(_ settings: ProviderSettings, clock: WallClock) async throws -> Storage {
    do {
      if let connection = settings.database {
        return Storage(driver: try await connect(connection, settings, clock), file: nil)
      }
      let file = try ProviderDatabase(
        path: settings.folder + "/provider.sqlite", clock: clock, adding: ProviderSchema.migrations(.sqlite))
      // If this fails now, the next start does it.
      try? file.makeShrinkable()
      return Storage(driver: file.driver, file: file)
    } catch let error where error is NewerSchema || error is ProviderDatabase.NewerSchema {
      let place = settings.database == nil ? settings.folder : "PostgreSQL"
      throw StartRefusal("A newer version of this program made the database in \(place): run that version.")
    }
  }

  /// - Parameter isPatient: whether statements may take a minute, as copying needs.
  static func connect(
    _ connection: String, _ settings: ProviderSettings, _ clock: WallClock, isPatient: Bool = false
  ) async throws -> any SQLDriver {
    #if PostgreSQL
      var postgres = PostgresSettings(connection: connection)
      postgres.maximumConnections = max(1, settings.databaseConnections)
      if isPatient { (postgres.statementLimit, postgres.idleLimit) = (.seconds(60), .seconds(60)) }
      do {
        return try await PostgresDatabase.connect(
          postgres, clock: clock, adding: ProviderSchema.migrations(.postgreSQL)
        ).driver
      } catch let error as PostgresError {
        throw StartRefusal("The database can't be used: \(error).")
      }
    #else
      throw StartRefusal("This program was built without PostgreSQL: build it again with --traits PostgreSQL.")
    #endif
  }

  /// Whether a text of the request has a character that PostgreSQL keeps none of: NUL.
  static func isUnstorable(_ error: any Error) -> Bool {
    #if PostgreSQL
      return (error as? PostgresError)?.sqlState == "22021"
    #else
      return false
    #endif
  }

  /// What may be logged of any error: what the database says, or its kind alone.
  static func reason(of error: any Error) -> String { text(of: error) ?? "\(type(of: error))" }

  /// What an error of the database says, which holds no value of a request; nil for other errors.
  static func text(of error: any Error) -> String? {
    #if PostgreSQL
      if error is PostgresError { return "\(error)" }
    #endif
    return error is DatabaseError || error is RecordOutcomeUnknown ? "\(error)" : nil
  }
}
