import ArgumentParser
import IdentityProvider
import Logging

/// Where everything is.
struct FolderOptions: ParsableArguments {
  @Option(help: "Where the database, the keys and the secrets are.") var folder = "./idp-data"

  /// The provider of a folder, which a server may be using at the same time.
  func provider() async throws -> Provider {
    var log = Logger(label: "idp", factory: { StreamLogHandler.standardError(label: $0) })
    log.logLevel = .warning
    // What the command line does needs no issuer.
    return try await Provider(settings: ProviderSettings(issuer: "", folder: folder), log: log)
  }
}
