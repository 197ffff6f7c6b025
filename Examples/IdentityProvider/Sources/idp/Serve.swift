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
import NIOCore
import UnixSignals

/// Runs the server.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run the provider.")

  @OptionGroup var options: FolderOptions
  @Option(help: "The address to listen at.") var host = "127.0.0.1"
  @Option(help: "The port to listen at; 0 means any free one.") var port = 8080
  @Option(help: "The issuer: the address of the server for clients. Default: the address it listens at.")
  var issuer: String?
  @Option(help: "The name of this process in logs and metrics. Default: IDP_NODE, or the address it listens at.")
  var node: String?
  @Option(help: "A certificate with its chain, in PEM, for TLS.") var certificate: String?
  @Option(help: "The certificate's private key, in PEM.") var key: String?

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key must be given together.")
    }
  }

  func run() async throws {
    var address = try ServerAddress(host: host, port: port, isSecure: certificate != nil)
    do {
      if port == 0 { address.port = try await FreePort.find(at: host) }
      try await serve(at: address)
    } catch let error as IOError {
      throw address.refusal(error)
    } catch is SocketAddressError {
      throw StartRefusal("\(host) has no address: give another --host.")
    }
  }

  private func serve(at address: ServerAddress) async throws {
    var settings = ProviderSettings(issuer: issuer ?? address.url, folder: options.folder)
    try settings.checkIssuer()
    let names = SettingNames()
    let reader = SettingReader(
      ConfigReader(provider: EnvironmentVariablesProvider(), accessReporter: names).scoped(to: "idp"))
    try settings.apply(reader)
    settings.database = options.database ?? settings.database
    let named = try reader.text("node") ?? "\(host):\(address.port)"
    let log = Self.log(of: node ?? named)
    var provider = try await Provider(settings: settings, log: log)
    let devices = try DeviceLogins(provider, reader)
    provider.add(devices)
    try names.check(ProcessInfo.processInfo.environment.keys)
    if let remark = try await devices.claimedMacsRemark() { log.warning("\(remark)") }
    if let password = try await provider.addFirstAdministrator() { Self.say("admin password: \(password)") }
    try await provider.readDocuments()
    let limits = ConnectionLimits(
      openFiles: OpenFiles.raiseLimit(), isBehindProxy: settings.trustsForwardedAddress, log: log)
    var server = HTTPServerBuilder.http1(configuration: limits.configuration)
    let pair = try certificate.map { try ServerCertificate(certificate: $0, key: key ?? "") }
    if let pair { server = try .tls(server, tlsConfiguration: pair.configuration) }
    // It would end the server otherwise.
    let hangUps = await UnixSignalsSequence(trapping: .sighup)
    Task { for await _ in hangUps { pair?.reload(log) } }
    let metrics = TextMetrics(node: node ?? named)
    MetricsSystem.bootstrap(metrics)
    let router = provider.router()
    provider.addMetricsRoutes(metrics, to: router)
    let application = Application(
      router: router, server: server,
      configuration: ApplicationConfiguration(address: .hostname(host, port: address.port)),
      services: [Housekeeping(provider)], onServerRunning: { _ in Self.say("listening on \(address.url)") }, logger: log
    )
    try await application.runService()
  }

  private static func log(of node: String) -> Logger {
    var log = Logger(label: "idp", factory: { StreamLogHandler.standardError(label: $0) })
    log[metadataKey: "node"] = "\(node)"
    return log
  }

  /// Prints a line on standard output at once, even into a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
