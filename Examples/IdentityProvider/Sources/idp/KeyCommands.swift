import ArgumentParser
import IdentityProvider

/// Signing keys.
struct KeyCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Rotate the signing keys and list them.", subcommands: [Rotate.self, List.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start signing with the published next keys, and publish new ones.")

    @Flag(help: "Rotate even if clients may not have seen the next keys yet.") var force = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      try await provider.keys.rotate(isForced: force)
      await provider.audit.record(.init("keys.rotated", detail: "command line"))
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the signing keys.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      for entry in try await options.provider().keys.snapshot().entries {
        print("\(entry.id)\t\(entry.algorithm)\t\(entry.state.rawValue)")
      }
    }
  }
}
