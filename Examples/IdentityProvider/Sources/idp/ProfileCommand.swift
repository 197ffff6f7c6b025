import ArgumentParser
import Configuration
import DeviceLogins
import IdentityProvider
import Logging

/// The configuration profile for Macs, which holds the registration token.
struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Write the configuration profile for Macs, which lets them be registered.")

  @OptionGroup var options: FolderOptions
  @Option(help: "The issuer: under which Macs reach the server. Default: as which it was started last.")
  var issuer: String?

  func run() async throws {
    var log = Logger(label: "idp", factory: { StreamLogHandler.standardError(label: $0) })
    log.logLevel = .warning
    guard let issuer = issuer ?? options.notedIssuer else {
      throw ValidationError("The server was never started in this folder: start it, or give its --issuer.")
    }
    let provider = try await Provider(
      settings: ProviderSettings(issuer: issuer, folder: options.folder), log: log)
    let reader = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "idp")
    let devices = try DeviceLogins(provider, reader)
    print(try devices.profileFile, terminator: "")
    await provider.audit.record(.init("device.profile.read", detail: "command line"))
  }
}
