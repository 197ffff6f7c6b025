import ArgumentParser
import Foundation
import IdentityProvider

/// Copies the database while it is used.
struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the database in one consistent state, even while a server uses it. Also copy secrets.json.")

  @Argument(help: "The file to make. It must not exist.") var file: String
  @OptionGroup var options: FolderOptions

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw ValidationError("The file exists already: name another one.")
    }
    let provider = try await options.provider()
    try provider.backUp(to: file)
    await provider.audit.record(.init("database.copied"))
  }
}
