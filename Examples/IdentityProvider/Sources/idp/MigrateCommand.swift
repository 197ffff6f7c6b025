import ArgumentParser
import IdentityProvider

/// Moves a provider from its folder's file to PostgreSQL.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy the folder's database into an empty PostgreSQL database. Stop the server first.")

  @Option(help: "The database, as libpq takes it: postgres://USER@HOST/NAME.") var to: String
  @OptionGroup var options: FolderOptions

  func run() async throws {
    for (table, count) in try await DatabaseCopy.run(options.settings(), to: to) { print("\(table)\t\(count)") }
  }
}
