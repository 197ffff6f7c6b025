import ArgumentParser
import Configuration
import DeviceLogins
import IdentityProvider

/// The configuration profile for Macs, which holds the registration token.
struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Write the configuration profile, with which Macs can register.")

  @OptionGroup var options: FolderOptions
  @Option(help: "The issuer: the address of the server for Macs. Default: the servers' issuer.")
  var issuer: String?

  func run() async throws {
    let provider = try await Provider(settings: options.settings(issuer: issuer), log: options.log)
    guard !provider.settings.issuer.isEmpty else {
      throw ValidationError("The server was never started: start it, or give its --issuer.")
    }
    try provider.settings.checkIssuer()
    let reader = SettingReader(ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "idp"))
    let devices = try DeviceLogins(provider, reader)
    print(try devices.profileFile, terminator: "")
    await provider.audit.record(.init("device.profile.read", detail: "command line"))
  }
}
