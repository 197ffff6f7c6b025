import ArgumentParser
import Foundation
import JOSE

@main
struct App: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A website whose users log in at a provider, and two apps that share a login.",
    subcommands: [KeyCommand.self, SiteCommand.self, TwoAppsCommand.self])
}

/// The provider's address, for each command that uses it.
struct ProviderOptions: ParsableArguments {
  @Option(help: "The provider's issuer, such as https://idp.example.com.") var issuer: String
  @Option(help: "A PEM file with the authorities to trust, instead of the system's.") var roots: String?

  func connect() async throws -> Provider { try await Provider(issuer: issuer, roots: roots) }
}

/// Makes the key by which the site authenticates at the provider.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make the site's key, and print what to register at the provider.")

  @Option(help: "The file for the private key.") var file: String

  func run() throws {
    let jwk = JWK.generate(.es256, keyID: "site-1")
    guard let publicHalf = try SigningKey(jwk).verificationKey.publicJWK else { throw CocoaError(.coderInvalidValue) }
    let isWritten = FileManager.default.createFile(
      atPath: file, contents: Data(jwk.serializedWithPrivateKey()), attributes: [.posixPermissions: 0o600])
    guard isWritten else { throw CocoaError(.fileWriteUnknown) }
    print(String(decoding: JWKSet([publicHalf]).serialized(), as: UTF8.self))
  }
}
