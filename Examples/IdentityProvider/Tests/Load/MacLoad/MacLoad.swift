import ArgumentParser
import Foundation
import JOSE
import PlatformSSOKit

/// Simulated Macs that use a provider as fast as it answers them, each over a connection that it keeps.
///
/// The profile comes from standard input. For each kind of message there is a line `begin KIND`, then one of what came
/// of it.
@main struct MacLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mac-load", abstract: "Let Macs log in, refresh and fetch keys, and count the answers.")

  @Argument(help: "Where the provider listens, of http.") var address: String
  @Option(help: "The provider's issuer.") var issuer: String
  @Option(help: "The user's name.") var user = "jane"
  @Option(help: "A file with the user's password.") var passwordFile: String
  @Option(help: "How many Macs.") var macs = 64
  @Option(help: "How many of them log in by password: each such login takes a processor for a while.")
  var passwordMacs = 4
  @Option(help: "For how long each kind of message is sent.") var seconds = 8.0
  @Flag(help: "One Mac in eight signs with a key that was never registered: what a refusal looks like.")
  var plant = false

  func run() async throws {
    guard let password = FileManager.default.contents(atPath: passwordFile) else {
      throw ValidationError("The password can't be read.")
    }
    let line = String(decoding: password, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
    let profile = try ExtensibleSSOProfile(
      configurationProfile: Array(FileHandle.standardInput.readDataToEndOfFile()))
    let wire = Wire(address: address, issuer: issuer, connections: macs)
    var all: [LoadingMac] = []
    for number in 0..<macs {
      all.append(
        try await LoadingMac(
          named: "load \(number)", user: user, password: String(line), token: profile["RegistrationToken"]?.text,
          issuer: issuer,
          wire: wire))
    }
    if plant { for number in stride(from: 0, to: macs, by: 8) { try await all[number].forgetKeys() } }
    for message in LoadingMac.Message.allCases {
      let count = message == .password ? min(passwordMacs, macs) : macs
      // Whoever measures the provider's process looks at it between the two lines.
      print("begin \(message.rawValue)")
      fflush(nil)
      let tally = await Tally.of(all.prefix(count), sending: message, for: seconds)
      print("end \(message.rawValue) \(tally)")
      fflush(nil)
    }
    try await wire.close()
  }
}
