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
    // Only the owner may read it, from the first octet on.
    guard FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw ValidationError("The file can't be made.")
    }
    try provider.database.backUp(to: file)
    await provider.audit.record(.init("database.copied"))
  }
}
