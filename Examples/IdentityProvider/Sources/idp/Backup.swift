import ArgumentParser
import Foundation
import IdentityProvider

/// Copies the database while it is used.
struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the database, as it is at one moment, while a server uses it. secrets.json belongs to it.")

  @Argument(help: "The file to make. It must not be there yet.") var file: String
  @OptionGroup var options: FolderOptions

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: file) else { throw ValidationError("The file is there already.") }
    let provider = try await options.provider()
    try provider.backUp(to: file)
    await provider.audit.record(.init("database.copied"))
  }
}
