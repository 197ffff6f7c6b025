import ArgumentParser
import IdentityProvider

/// Checks for an operator when something doesn't work.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check address, cookies, clock, certificate, disk, permissions, secrets and keys.")

  @OptionGroup var options: FolderOptions
  @Option(help: "The issuer. Default: the servers'.") var issuer: String?
  @Option(help: "The certificate that the server is started with.") var certificate: String?
  @Option(help: "The certificate's private key.") var key: String?

  func run() async throws {
    let found = await Doctor.findings(
      try options.settings(issuer: issuer), files: certificate.map { (certificate: $0, key: key ?? "") },
      log: options.log)
    for finding in found { print("\(finding.isFine ? "ok   " : "WRONG")  \(finding.text)") }
    guard found.allSatisfy({ $0.isFine }) else { throw ExitCode.failure }
  }
}
