import ArgumentParser
import Foundation
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

    @Option(help: "What pages call it.") var name: String
    @Option(help: "Where browsers may be sent back to. May be given several times.") var redirect: [String]
    @Flag(name: .customLong("public"), help: "It can keep no secret: an installed app, or a page.") var isPublic = false
    @Option(help: "Where browsers may be sent after a logout. May be given several times.") var postLogout: [String] =
      []
    @Option(help: "How it authenticates: client_secret_basic, client_secret_post, private_key_jwt or none.")
    var authMethod: String?
    @Option(help: "A file with the public keys of its assertions, as a JWK Set.") var jwks: String?
    @Option(help: "Where it is told that a user has logged out.") var backchannelLogout: String?
    @Option(help: "What signs its ID tokens: RS256 or ES256.") var idTokenAlg = "RS256"
    @Option(help: "The scopes that it may ask for, with spaces between them.") var scope: String?
    @Flag(help: "Its requests must be pushed.") var requirePar = false
    @Flag(help: "Its tokens must be bound to a key.") var requireDpop = false
    @Flag(help: "Its requests need a code challenge though it has a secret.") var requirePkce = false
    @Flag(help: "Its users must have logged in by two factors.") var requireTwoFactors = false
    @Flag(help: "Its assertions may name the token endpoint as audience, as older software does.")
    var tokenEndpointAudience = false
    @Flag(help: "It may ask about the tokens of other clients.") var resourceServer = false
    @Option(help: "The group with which it shares logins on a device, by Native SSO.") var nativeSsoGroup: String?
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let method = authMethod ?? (isPublic ? "none" : jwks == nil ? "client_secret_basic" : "private_key_jwt")
      guard let authentication = Client.Authentication(rawValue: method),
        isPublic == (authentication == .none) || authMethod != nil
      else { throw ValidationError("There is no such way to authenticate.") }
      var client = Client(
        id: RandomText.make(byteCount: 12), name: name, authentication: authentication, redirectURIs: redirect)
      client.postLogoutRedirectURIs = postLogout
      client.backChannelLogoutURI = backchannelLogout
      client.idTokenAlgorithm = idTokenAlg
      if let scope { client.scopes = scope.split(separator: " ").map(String.init) }
      client.requiresPushedRequests = requirePar
      client.requiresDPoP = requireDpop
      client.requiresPKCE = requirePkce
      client.requiresTwoFactors = requireTwoFactors
      client.allowsTokenEndpointAudience = tokenEndpointAudience
      client.isResourceServer = resourceServer
      client.nativeSSOGroup = nativeSsoGroup
      client.isNativeSSOEnabled = nativeSsoGroup != nil
      if let jwks {
        guard let data = FileManager.default.contents(atPath: jwks) else {
          throw ValidationError("The file can't be read.")
        }
        client.keys = try JWKSet(parsing: data)
      }
      let provider = try await options.provider()
      try ClientRules.check(client, provider.settings)
      ClientCommands.show(client, secret: try await provider.addClient(client))
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a client. Prints what adding one does.")

    @Argument(help: "Its client_id.") var client: String
    @Option(help: "Where browsers may be sent back to, in place of all before. May be given several times.")
    var redirect: [String] = []
    @Flag(help: "Make a new secret. The one before is refused.") var renewSecret = false
    @Flag(inversion: .prefixedNo, help: "Its requests need a code challenge though it has a secret.")
    var requirePkce: Bool?
    @Flag(inversion: .prefixedNo, help: "Its users must have logged in by two factors.") var requireTwoFactors: Bool?
    @Flag(inversion: .prefixedNo, help: "Its assertions may name the token endpoint as audience.")
    var tokenEndpointAudience: Bool?
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      guard var known = try await provider.clients.client(identifier: client) else {
        throw ValidationError("There is no such client.")
      }
      if !redirect.isEmpty { known.redirectURIs = redirect }
      if let requirePkce { known.requiresPKCE = requirePkce }
      if let requireTwoFactors { known.requiresTwoFactors = requireTwoFactors }
      if let tokenEndpointAudience { known.allowsTokenEndpointAudience = tokenEndpointAudience }
      try ClientRules.check(known, provider.settings)
      ClientCommands.show(known, secret: try await provider.change(known, renewingSecret: renewSecret))
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
