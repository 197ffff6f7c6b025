import ArgumentParser
import IdentityProvider
import JOSE

/// Clients.
struct ClientCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client", abstract: "Add clients, list them and change them.",
    subcommands: [Add.self, Change.self, List.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a client. Prints its identifier, and its secret if it has one, as JSON.")

    @Option(help: "The name that users see.") var name: String
    @Flag(name: .customLong("public"), help: "The client can't keep a secret: an installed app, or a page.")
    var isPublic = false
    @Option(help: "The authentication method: client_secret_basic, client_secret_post, private_key_jwt or none.")
    var authMethod: String?
    @OptionGroup var members: ClientOptions
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let method = authMethod ?? (isPublic ? "none" : members.jwks == nil ? "client_secret_basic" : "private_key_jwt")
      guard let authentication = Client.Authentication(rawValue: method),
        isPublic == (authentication == .none) || authMethod != nil
      else {
        throw ValidationError(
          "--auth-method must be client_secret_basic, client_secret_post, private_key_jwt or none.")
      }
      var client = Client(
        id: RandomText.make(byteCount: 12), name: name, authentication: authentication, redirectURIs: [])
      let provider = try await options.provider()
      try members.apply(to: &client, of: provider)
      ClientCommands.show(client, secret: try await provider.addClient(client))
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a client. Options that aren't given stay as they are. Prints the same JSON as add.")

    @Argument(help: "Its client_id.") var client: String
    @Flag(help: "Make a new secret. The previous one stops working.") var renewSecret = false
    @OptionGroup var members: ClientOptions
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      let changed = try await provider.change(client: client, renewingSecret: renewSecret) { [members] known in
        try members.apply(to: &known, of: provider)
      }
      guard let changed else { throw ValidationError("There is no such client.") }
      ClientCommands.show(changed.client, secret: changed.secret)
    }
  }

  private static func show(_ client: Client, secret: String?) {
    var object: JSONObject = ["client_id": .string(client.id)]
    if let secret { object["client_secret"] = .string(secret) }
    print(String(decoding: object.serialized(), as: UTF8.self))
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the clients.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      for client in try await options.provider().clients.clients() {
        print(
          "\(client.id)\t\(client.name)\t\(client.authentication.rawValue)\t\(client.isEnabled ? "enabled" : "disabled")"
        )
      }
    }
  }
}
