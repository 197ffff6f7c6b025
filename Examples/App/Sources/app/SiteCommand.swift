import ArgumentParser
import Foundation
import Hummingbird
import JOSE
import OpenIDKit

/// `app site`: plain HTTP on loopback, for a proxy that speaks TLS with browsers.
struct SiteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "site", abstract: "Serve the website.")

  @OptionGroup var provider: ProviderOptions
  @Option(help: "The site's client_id.") var clientID: String
  @Option(help: "The file with the site's private key.") var key: String
  @Option(help: "The site's address for browsers; /callback below it must be registered at the provider.")
  var url: String
  @Option(help: "The port; 0 means any free one.") var port = 8081

  func run() async throws {
    let provider = try await provider.connect()
    let privateKey = try SigningKey(JWK(parsing: try String(contentsOfFile: key, encoding: .utf8)))
    let client = try OpenIDClient(
      clientID: clientID, redirectURI: url + "/callback", provider: provider.metadata, algorithms: [.es256, .rs256],
      scopes: ["openid", "profile", "email", "offline_access"],
      authentication: .privateKeyJWT(privateKey, clientID: clientID, audience: provider.metadata.issuer),
      binding: .freshKey, transport: provider.send)
    let router = Router()
    try Site(client: client, provider: provider, url: url).addRoutes(to: router)
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        if let port = channel.localAddress?.port { print("listening on http://127.0.0.1:\(port)") }
        fflush(nil)
      })
    try await application.runService()
  }
}
