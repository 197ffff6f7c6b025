import JOSE
import PlatformSSOKit

extension PSSOVerb {
  /// Lets many Macs live some days against a server, and says what was lost and what contradicts what.
  func fleet(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["user", "password-file", "macs", "days", "users", "seed"], flags: ["json"])
    guard arguments.operands.count == 1, let address = arguments.operands.first,
      let transport = RelocatedTransport(address: address)
    else { throw .usage("fleet needs the server's address, of https, or of http on this machine") }
    let setup = try MacSetup(profile: try console.input(upTo: .file), arguments, console: console)
    let macCount = try number("macs", of: arguments, 1...100_000) ?? 100
    let userCount = try number("users", of: arguments, 1...1_000_000) ?? 1
    var plan = FleetRun.Plan()
    plan.dayCount = try number("days", of: arguments, 0...1000) ?? plan.dayCount
    plan.seed = UInt64(try number("seed", of: arguments, 0...Int.max) ?? 1)
    guard userCount == 1 || setup.userName.contains("{n}") else {
      throw .usage("--users goes with a name that has {n} in it, where the user's number stands")
    }
    let macs = try attempt {
      try (0..<macCount).map { number in
        let name = setup.userName.replacing("{n}", with: "\(number % userCount)")
        return FleetMac(
          device: PlatformSSODevice(configuration: setup.device.configuration, keys: try .generate()),
          user: UserLoginConfiguration(loginUserName: name), method: .password(setup.password))
      }
    }
    let (output, chosen, isJSON) = (console, plan, arguments.has("json"))
    let report = try waiting { () async throws(CommandFailure) in
      let keys = try await idTokenKeys(of: setup.device, by: transport)
      // Names of their own, so that one server can meet many fleets.
      let prefix = UUIDText.random()
      var run = FleetRun(transport: transport, idTokenKeys: keys, plan: chosen) { mac, number throws(JOSEError) in
        try DeviceRegistration(
          deviceID: "\(prefix)-\(number)", keys: mac.device.keys, registrationToken: setup.registrationToken
        ).httpRequest(to: setup.registrationURL, format: setup.format)
      }
      run.progress = { done, all in output.showProgress("\(done) of \(all) Macs") }
      let begin = ContinuousClock.now
      let report = await run.live(macs)
      output.showProgress(nil)
      let seconds = (ContinuousClock.now - begin).inSeconds
      output.write(
        isJSON
          ? Visible.lines(report.jsonObject(macs: macCount, seconds: seconds))
          : Array(report.text(macs: macCount, seconds: seconds).utf8))
      return report
    }
    guard report.lossCount == 0, report.contradictionCount == 0 else {
      throw .invalid("\(report.lossCount) requests were lost, \(report.contradictionCount) answers are contradictory")
    }
  }

  private func idTokenKeys(
    of device: PlatformSSODevice, by transport: RelocatedTransport
  ) async throws(CommandFailure) -> JWKSet {
    let answer = try await transport.send(HTTPRequestValue(method: "GET", url: device.configuration.jwksEndpointURL))
    return try attempt { try device.configuration.idTokenKeys(parsing: answer.body) }
  }

  private func number(
    _ name: String, of arguments: Arguments, _ range: ClosedRange<Int>
  ) throws(CommandFailure) -> Int? {
    guard let text = arguments[name] else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw .usage("--\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
