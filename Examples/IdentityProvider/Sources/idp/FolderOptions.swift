import ArgumentParser
import Configuration
import DeviceLogins
import IdentityProvider
import Logging

/// The options for the provider's data.
struct FolderOptions: ParsableArguments {
  @Option(help: "The folder with the secrets, and with the database unless it is PostgreSQL.") var folder = "./idp-data"
  @Option(
    help: """
      A database of PostgreSQL in place of the folder's, as libpq takes it: postgres://USER@HOST/NAME. The password \
      comes from PGPASSWORD, or from libpq's file for passwords. Default: IDP_DATABASE.
      """)
  var database: String?

  /// The settings of a command, from the variables too. Without an issuer it has the one in the database. Among
  /// commands, only `init` makes a provider where none exists.
  func settings(issuer: String? = nil, makesFolder: Bool = false) throws(StartRefusal) -> ProviderSettings {
    var settings = ProviderSettings(issuer: issuer ?? "", folder: folder)
    try settings.apply(SettingReader(ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "idp")))
    settings.database = database ?? settings.database
    (settings.awaitsLogoutMessages, settings.makesFolder) = (true, makesFolder)
    return settings
  }

  var log: Logger {
    var log = Logger(label: "idp", factory: { StreamLogHandler.standardError(label: $0) })
    log.logLevel = .warning
    return log
  }

  /// The provider of a folder, which a server may be using at the same time.
  func provider(makesFolder: Bool = false) async throws -> Provider {
    var provider = try await Provider(settings: settings(makesFolder: makesFolder), log: log)
    provider.add(try DeviceLogins(provider))
    return provider
  }
}
