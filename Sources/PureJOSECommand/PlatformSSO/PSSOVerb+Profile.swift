import JOSE
import PlatformSSO

extension PSSOVerb {
  /// Writes what an administrator needs for a Mac's configuration: a profile, a declaration or the association file.
  func profile(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(
      arguments, ["config", "extension", "team", "application", "method", "form", "identifier", "name"])
    let file = try DeviceFile(arguments, console: console)
    let methodName = arguments["method"] ?? "Password"
    guard let method = ExtensibleSSOProfile.AuthenticationMethod(rawValue: methodName) else {
      let names = ExtensibleSSOProfile.AuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("--method must be one of \(names)")
    }
    let profile = ExtensibleSSOProfile(
      for: file.device.configuration, extensionIdentifier: try arguments.required("extension"),
      teamIdentifier: try arguments.required("team"), authenticationMethod: method)
    for finding in profile.findings() + profile.findings(for: file.device.configuration) {
      console.writeError("jose: \(finding)")
    }
    let identifier = arguments["identifier"] ?? "com.example.platform-sso"
    switch arguments["form"] ?? "profile" {
    case "profile":
      console.write(
        profile.configurationProfile(
          identifier: identifier, displayName: arguments["name"] ?? "Platform Single Sign-on"))
    case "declaration":
      console.write(profile.declaration(identifier: identifier).serialized(options: .pretty) + [0x0A])
    case "association":
      let file = profile.appSiteAssociation(hostApplicationIdentifier: arguments["application"])
      console.write(file.serialized(options: .pretty) + [0x0A])
    default:
      throw .usage("--form must be profile, declaration or association")
    }
  }

  /// Checks a profile in itself, against a Mac's configuration, and against a provider's.
  func checkProfile(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "provider"])
    let octets = try console.readInput()
    let profile = try attemptSSO { () throws(PlatformSSOError) in
      try ExtensibleSSOProfile(configurationProfile: octets)
    }
    var findings = profile.findings()
    var device: LoginConfiguration?
    if arguments["config"] != nil {
      let configuration = try DeviceFile(arguments, console: console).device.configuration
      findings += profile.findings(for: configuration)
      device = configuration
    }
    if let path = arguments["provider"] {
      let file = try ProviderFile(try Arguments(["--config", path], options: ["config"]), console: console)
      let configuration = file.provider.configuration
      findings += profile.findings(for: configuration)
      findings += device?.findings(for: configuration) ?? []
    }
    for finding in findings { console.write("\(finding)\n") }
    let count = findings.count(where: { $0.severity == .error })
    guard count == 0 else { throw .invalid("the profile has \(count) faults") }
  }
}
