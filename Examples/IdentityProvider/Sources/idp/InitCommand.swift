import ArgumentParser
import IdentityProvider

/// Makes what a server needs, without running one.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make the folder with secrets, keys, a database and an administrator.")

  @OptionGroup var options: FolderOptions

  func run() async throws {
    let provider = try await options.provider(makesFolder: true)
    if let password = try await provider.addFirstAdministrator() { print("admin password: \(password)") }
  }
}
