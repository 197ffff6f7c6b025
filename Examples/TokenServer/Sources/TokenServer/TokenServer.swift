import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTLS
import JOSE
import JOSEAsyncHTTPClient
import NIOSSL

/// `TokenServer issuer` and `TokenServer orders`: one process each, set up by the environment.
@main
struct TokenServer {
  /// Why a server doesn't start.
  struct SetupError: Error, CustomStringConvertible {
    let description: String
  }

  static func main() async throws {
    let router = Router()
    switch CommandLine.arguments.dropFirst().first {
    case "issuer":
      let server = try AuthorizationServer(
        issuer: try setting("ISSUER"),
        key: try SigningKey(
          pemRepresentation: try text("SIGNING_KEY"), algorithm: .es256, keyID: "2026-11"),
        resource: try setting("ORDERS"), clients: [try setting("CLIENT"): try JWKSet(parsing: try text("CLIENT_KEYS"))])
      server.addRoutes(to: router)
    case "orders":
      var configuration = HTTPClient.Configuration()
      configuration.tlsConfiguration = .makeClientConfiguration()
      if let file = ProcessInfo.processInfo.environment["ROOTS"] {
        configuration.tlsConfiguration?.trustRoots = .file(file)
      }
      let transport = AsyncHTTPClientTransport(configuration: configuration)
      let server = OrdersServer(
        url: try setting("ORDERS"), issuer: try setting("ISSUER"), transport: transport.send)
      server.addRoutes(to: router)
    default:
      throw SetupError(description: "usage: TokenServer issuer|orders")
    }
    let certificates = try NIOSSLCertificate.fromPEMFile(try setting("CERTIFICATE"))
    let tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: try setting("CERTIFICATE_KEY"), format: .pem)))
    guard let port = Int(try setting("PORT")) else { throw SetupError(description: "PORT must be a number") }
    let application = Application(
      router: router, server: try .tls(tlsConfiguration: tls),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
  }

  private static func setting(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else {
      throw SetupError(description: "the variable \(name) must be set")
    }
    return value
  }

  /// The text of the file that a setting names.
  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: try setting(name), encoding: .utf8)
  }
}
