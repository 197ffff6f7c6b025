import Foundation
import ArgumentParser
import Configuration
import DeviceLogins
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import IdentityProvider
import Logging
import Metrics
import NIOSSL

/// Runs the server.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run the provider.")

  @OptionGroup var options: FolderOptions
  @Option(help: "The address to listen at.") var host = "127.0.0.1"
  @Option(help: "The port to listen at; 0 takes a free one.") var port = 8080
  @Option(help: "The issuer: under which clients reach the server. Default: the address it listens at.")
  var issuer: String?
  @Option(help: "A certificate with its chain, in PEM, for TLS.") var certificate: String?
  @Option(help: "The certificate's private key, in PEM.") var key: String?

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("A certificate and its key go together.")
    }
    if let issuer, issuer.hasSuffix("/") { throw ValidationError("An issuer has no slash at its end here.") }
  }

  func run() async throws {
    let port = self.port == 0 ? try await FreePort.find(at: host) : self.port
    let address = "\(certificate == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    var settings = ProviderSettings(issuer: issuer ?? address, folder: options.folder)
    let reader = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "idp")
    settings.apply(reader)
    let log = Logger(label: "idp", factory: { StreamLogHandler.standardError(label: $0) })
    var provider = try await Provider(settings: settings, log: log)
    try options.note(issuer: settings.issuer)
    provider.add(try DeviceLogins(provider, reader))
    if let password = try await provider.addFirstAdministrator() { Self.say("admin password: \(password)") }
    let server: HTTPServerBuilder
    if let certificate, let key {
      var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      tls.minimumTLSVersion = .tlsv12
      server = try .tls(tlsConfiguration: tls)
    } else {
      server = .http1()
    }
    let metrics = TextMetrics()
    MetricsSystem.bootstrap(metrics)
    let router = provider.router()
    provider.addMetricsRoutes(metrics, to: router)
    let application = Application(
      router: router, server: server,
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      services: [Housekeeping(provider)], onServerRunning: { _ in Self.say("listening on \(address)") }, logger: log)
    try await application.runService()
  }

  /// A line for whoever started the server, at once even if that is a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
