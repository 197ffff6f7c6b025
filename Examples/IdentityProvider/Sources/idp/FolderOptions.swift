import ArgumentParser
import DeviceLogins
import Foundation
import IdentityProvider
import Logging

/// Where everything is.
struct FolderOptions: ParsableArguments {
  @Option(help: "Where the database, the keys and the secrets are.") var folder = "./idp-data"

  /// Notes under which name the server runs, for commands beside it: what they send to clients bears it.
  func note(issuer: String) throws {
    try Data(issuer.utf8).write(to: URL(fileURLWithPath: folder + "/issuer"), options: .atomic)
  }

  /// The issuer as which the server of this folder was started last.
  var notedIssuer: String? {
    FileManager.default.contents(atPath: folder + "/issuer").map { String(decoding: $0, as: UTF8.self) }
  }

  /// The provider of a folder, which a server may be using at the same time.
  func provider() async throws -> Provider {
    var log = Logger(label: "idp", factory: { StreamLogHandler.standardError(label: $0) })
    log.logLevel = .warning
    var settings = ProviderSettings(issuer: notedIssuer ?? "", folder: folder)
    settings.awaitsLogoutMessages = true
    var provider = try await Provider(settings: settings, log: log)
    provider.add(try DeviceLogins(provider))
    return provider
  }
}
