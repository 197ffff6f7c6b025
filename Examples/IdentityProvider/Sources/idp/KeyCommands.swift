import ArgumentParser
import IdentityProvider

/// Signing keys.
struct KeyCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Rotate the signing keys, list them, and withdraw one.",
    subcommands: [Rotate.self, List.self, Revoke.self])

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

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Withdraw a key that others may have, at once.",
      discussion: """
        Access tokens and ID tokens that it has signed are good no more: at this provider within 5 seconds, at apps when \
        they ask for the key set again, which they keep for 5 minutes. Logins and refresh tokens stay.
        """)

    @Argument(help: "The key's name, as idp keys list prints it.") var key: String
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      let entry = try await provider.keys.revoke(key)
      await provider.audit.record(.init("keys.revoked", detail: "\(entry.id), \(entry.state.rawValue), command line"))
      print("\(entry.id) is withdrawn: access tokens and ID tokens that it signed end, logins stay")
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
