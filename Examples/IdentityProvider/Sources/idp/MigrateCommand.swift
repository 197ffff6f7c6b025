import ArgumentParser
import IdentityProvider

/// Moves a provider from its folder's file to PostgreSQL, or to another address.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy the folder's database into an empty PostgreSQL database, or change the issuer. Stop servers first.")

  @Option(help: "The database, as libpq takes it: postgres://USER@HOST/NAME.") var to: String?
  @Option(help: "The issuer that all servers are started with from now on.") var issuer: String?
  @OptionGroup var options: FolderOptions

  func validate() throws {
    guard (to == nil) != (issuer == nil) else { throw ValidationError("Give either --to or --issuer.") }
  }

  func run() async throws {
    if let issuer { try await options.provider().move(to: issuer) }
    guard let to else { return }
    for (table, count) in try await DatabaseCopy.run(options.settings(), to: to) { print("\(table)\t\(count)") }
  }
}
