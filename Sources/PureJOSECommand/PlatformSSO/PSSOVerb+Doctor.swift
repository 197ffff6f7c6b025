import JOSE
import PlatformSSO

extension PSSOVerb {
  /// Plays a Mac against a server and says what is right, lenient and wrong.
  func doctor(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["config"], flags: ["json", "all", "strict"])
    guard arguments.operands.count == 1, let address = arguments.operands.first else {
      throw .usage("doctor needs the server's address, or in-process for this package's own provider")
    }
    let (subject, transport) = try doctorParties(address, arguments)
    let output = console
    let verdicts = DoctorVerdicts()
    try waiting { () async throws(CommandFailure) in
      var run = DoctorRun(subject: subject, transport: transport)
      let report = try await run.examine()
      let text =
        arguments.has("json")
        ? report.jsonObject.serialized(options: .pretty) + [0x0A]
        : Array(report.table(showingEverything: arguments.has("all")).utf8)
      output.write(text)
      verdicts.set(wrong: report.count(.wrong), lenient: report.count(.lenient))
    }
    let (wrong, lenient) = verdicts.counts
    guard wrong == 0, lenient == 0 || !arguments.has("strict") else {
      throw .invalid("the server is wrong in \(wrong) and lenient in \(lenient) checks")
    }
  }

  private func doctorParties(
    _ address: String, _ arguments: Arguments
  ) throws(CommandFailure) -> (DoctorSubject, any DoctorTransport) {
    if address == "in-process" {
      do {
        let (provider, subject) = try OwnProvider.make()
        return (subject, provider)
      } catch {
        throw .invalid("the provider could not be set up")
      }
    }
    let file = try DeviceFile(arguments, console: console)
    guard let transport = URLSessionTransport(address: address) else {
      throw .usage("\(address) is no address of http or https")
    }
    guard let signingKey = file.device.keys.signingKey else { throw .usage("deviceSigningKey is no private key") }
    let subject = DoctorSubject(
      device: file.device, signingKey: signingKey, user: try file.requiredUser(), method: try file.loginMethod(),
      idTokenKeys: file.identityProviderKeys)
    return (subject, transport)
  }
}
