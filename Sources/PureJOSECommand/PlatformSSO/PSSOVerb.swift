import JOSE
import PlatformSSOKit
import PureCrypto

/// Single messages of Platform SSO, for either side to be tested from a shell.
struct PSSOVerb {
  let console: Console

  /// What can be done.
  enum Name: String, CaseIterable {
    case nonceRequest = "nonce-request"
    case preauthenticationRequest = "preauthentication-request"
    case authorizationRequest = "authorization-request"
    case loginRequest = "login-request"
    case refreshRequest = "refresh-request"
    case keyRequest = "key-request"
    case keyExchangeRequest = "key-exchange-request"
    case openResponse = "open-response"
    case checkRequest = "check-request"
    case respond
    case curl
    case doctor
    case mac
    case fleet
    case profile
    case checkProfile = "check-profile"
    case serve
  }

  func run(_ arguments: [String]) throws(CommandFailure) {
    guard let word = arguments.first, let name = Name(rawValue: word) else {
      throw .unknownWord(arguments.first, after: "psso", among: Name.allCases.map(\.rawValue))
    }
    let rest = Array(arguments.dropFirst())
    switch name {
    case .nonceRequest: try nonceRequest(rest)
    case .preauthenticationRequest: try preauthenticationRequest(rest)
    case .authorizationRequest: try authorizationRequest(rest)
    case .loginRequest: try loginRequest(rest)
    case .refreshRequest: try refreshRequest(rest)
    case .keyRequest: try keyRequest(rest)
    case .keyExchangeRequest: try keyExchangeRequest(rest)
    case .openResponse: try openResponse(rest)
    case .checkRequest: try checkRequest(rest)
    case .respond: try respond(rest)
    case .curl: try curl(rest)
    case .doctor: try doctor(rest)
    case .mac: try mac(rest)
    case .fleet: try fleet(rest)
    case .profile: try profile(rest)
    case .checkProfile: try checkProfile(rest)
    case .serve: throw Self.serverIsElsewhere
    }
  }

  /// A server needs an HTTP library, and this package has no dependencies.
  private static let serverIsElsewhere = CommandFailure.usage(
    """
    psso serve is a package of its own, Examples/PlatformSSOServer, since it needs an HTTP server. In the repository:
      swift run --package-path Examples/PlatformSSOServer psso-serve --settings FILE --state FOLDER [--port 8080]
    """)

  /// Options of a subcommand that takes at most one operand, a file in place of standard input.
  func options(_ arguments: [String], _ known: [String]) throws(CommandFailure) -> Arguments {
    let arguments = try Arguments(arguments, options: known)
    try arguments.requireAtMostOneOperand()
    return arguments
  }

  private func curl(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, [])
    console.write(HTTPText.curlConfiguration(try HTTPRecord.request(try console.input(of: arguments))))
  }
}

extension PSSOVerb {
  func preauthenticationRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config"])
    try arguments.requireNoOperands()
    let file = try DeviceFile(arguments, console: console)
    let user = try file.requiredUser()
    let request = try attempt { try file.device.preauthenticationRequest(of: user) }
    console.write(HTTPRecord.write(request))
  }

  /// The request that a browser opens. Where a preauthentication response says where, that is on standard input.
  func authorizationRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config"])
    let file = try DeviceFile(arguments, console: console)
    let user = try file.requiredUser()
    var endpoint: WebAuthorizationEndpoint?
    if file.device.configuration.federationUserPreauthenticationURL != nil {
      let response = try HTTPRecord.response(try console.input(of: arguments))
      guard let found = try preauthentication(response, file.device) else {
        throw .invalid("the user does not log in by a browser")
      }
      endpoint = found
    }
    let named = endpoint
    let request = try attempt { try file.device.webAuthorizationRequest(of: user, at: named) }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  func preauthentication(
    _ response: HTTPResponseValue, _ device: PlatformSSODevice
  ) throws(CommandFailure) -> WebAuthorizationEndpoint? {
    try attempt { try device.preauthentication(from: response) }
  }
}

extension PSSOVerb {
  /// Plays a Mac against a server and says what is right, lenient and wrong.
  func doctor(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments,
      options: ["config", "profile", "attestation-root", "attestation-key", "password-file", "html", "junit", "sarif"],
      flags: ["json", "all", "strict", "quick", "patient"])
    guard arguments.operands.count == 1, let address = arguments.operands.first else {
      throw .usage("doctor needs the server's address, or in-process for this package's own provider")
    }
    let (subject, transport) = try doctorParties(address, arguments)
    var extent = DoctorRun.Extent()
    extent.isQuick = arguments.has("quick")
    // Twice the five minutes that a nonce may well be good for.
    if arguments.has("patient") { extent.patience = .seconds(660) }
    let (output, chosen) = (console, extent)
    let verdicts = DoctorVerdicts()
    try waiting { () async throws(CommandFailure) in
      var run = DoctorRun(subject: subject, transport: transport, extent: chosen)
      let counts = DoctorProgress(expected: run.expectedCount)
      run.progress = { output.showProgress(counts.line(after: $0)) }
      let report = try await run.examine()
      output.showProgress(nil)
      let text =
        arguments.has("json")
        ? Visible.lines(report.jsonObject)
        : Array(report.text(showingEverything: arguments.has("all"), hasColors: output.outputHasColors()).utf8)
      output.write(text)
      for (option, octets) in [("html", report.html), ("junit", report.junit), ("sarif", report.sarif)] {
        if let path = arguments[option] { try output.writeFile(octets, path) }
      }
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
      guard arguments["attestation-root"] == nil, arguments["attestation-key"] == nil else {
        throw .usage("--attestation-root and --attestation-key go with an address and --profile")
      }
      let (provider, subject) = try waiting { () async throws(CommandFailure) in
        guard let made = try? await OwnProvider.make() else { throw .invalid("the provider could not be set up") }
        return made
      }
      return (subject, provider)
    }
    let file = try DeviceFile(arguments, console: console)
    guard let transport = RelocatedTransport(address: address) else {
      throw .usage("\(Visible.argument(address)) is not an address of https, or of http on this machine")
    }
    guard let signingKey = file.device.keys.signingKey else { throw .usage("deviceSigningKey is not a private key") }
    var subject = DoctorSubject(
      device: file.device, signingKey: signingKey, user: try file.requiredUser(), method: try file.loginMethod(),
      idTokenKeys: file.identityProviderKeys)
    if let path = arguments["profile"] {
      let octets = try console.file(path, upTo: .file)
      let profile = try attempt { try ExtensibleSSOProfile(configurationProfile: octets) }
      subject.profile = profile
      // ExtensionData is the extension's own: what it has for a simulated Mac.
      if let url = profile["ExtensionData"]?.jsonValue.objectValue?["RegistrationURL"]?.stringValue {
        subject.registration = DoctorRegistration(
          url: url, token: profile["RegistrationToken"]?.text, format: file.preset?.registrationFormat ?? .standard)
      }
    }
    if case .smartCard(_, let certificate) = subject.method {
      _ = try attempt { try X509Certificate(derRepresentation: certificate).validity }
    }
    if let authority = try attestationAuthority(arguments, clock: file.device.clock) {
      guard let format = subject.registration?.format else {
        throw .usage("--attestation-root goes with --profile, of a profile with a RegistrationURL")
      }
      guard format == .standard || format == .keycloak else {
        throw .usage("registrations of \(format.rawValue) have no place for an attestation")
      }
      subject.registration?.authority = authority
    }
    return (subject, transport)
  }

  /// Who attests the keys of Macs for a test.
  private func attestationAuthority(
    _ arguments: Arguments, clock: WallClock
  ) throws(CommandFailure) -> AttestationAuthority? {
    guard let path = arguments["attestation-root"] else {
      guard arguments["attestation-key"] == nil else { throw .usage("--attestation-key goes with --attestation-root") }
      return nil
    }
    let octets = try console.readTextFile(path)
    return try attempt {
      let certificates = try CertificateFile.certificates(in: octets)
      guard certificates.count == 1, let certificate = certificates.first else {
        throw CommandFailure.usage("--attestation-root is a file with one certificate")
      }
      let key = try KeyFile.read(arguments, console, option: "attestation-key").singleKey()
      let authority = try AttestationAuthority(certificate: certificate, key: SigningKey(key, algorithm: .es256))
      try authority.requireSound(clock: clock)
      return authority
    }
  }
}

extension PSSOVerb {
  /// Writes what an administrator needs for a Mac's configuration: a profile, a declaration or the association file.
  func profile(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(
      arguments, ["config", "extension", "team", "application", "method", "form", "identifier", "name", "settings"])
    try arguments.requireNoOperands()
    let file = try DeviceFile(arguments, console: console)
    let methodName = arguments["method"] ?? "Password"
    guard let method = ExtensibleSSOProfile.AuthenticationMethod(rawValue: methodName) else {
      let names = ExtensibleSSOProfile.AuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("--method must be one of \(names)")
    }
    var profile = ExtensibleSSOProfile(
      for: file.device.configuration, extensionIdentifier: try arguments.required("extension"),
      teamIdentifier: try arguments.required("team"), authenticationMethod: method)
    if let path = arguments["settings"] { try set(console.readTextFile(path), in: &profile) }
    let formName = arguments["form"] ?? "profile"
    let own = profile.findings(inConfigurationProfile: formName == "profile")
    let findings = own + profile.findings(for: file.device.configuration)
    for finding in findings { console.writeError("jose: \(Visible.text("\(finding)"))") }
    // The association file has nothing but the names of team and extension.
    let isAssociation = formName == "association"
    let faults = findings.filter { finding in
      finding.isError && (!isAssociation || ["TeamIdentifier", "ExtensionIdentifier"].contains(finding.key))
    }
    guard faults.isEmpty else { throw .usage("nothing is written: jose psso check-profile would refuse it") }
    let identifier = arguments["identifier"] ?? "com.example.platform-sso"
    switch formName {
    case "profile":
      let text: String
      do throws(JOSEError) {
        text = try profile.configurationProfile(
          identifier: identifier, displayName: arguments["name"] ?? "Platform Single Sign-on")
      } catch {
        throw .usage("nothing is written: \(error)")
      }
      console.write(text)
    case "declaration":
      console.write(profile.declaration(identifier: identifier).serialized(options: .pretty) + [0x0A])
    case "association":
      let file = profile.appSiteAssociation(hostApplicationIdentifier: arguments["application"])
      console.write(file.serialized(options: .pretty) + [0x0A])
    default:
      throw .usage("--form must be profile, declaration or association")
    }
  }

  /// Sets what a JSON object has for keys of a profile.
  private func set(_ octets: [UInt8], in profile: inout ExtensibleSSOProfile) throws(CommandFailure) {
    let object = try attempt { try JSONObject(parsing: octets) }
    for (key, json) in object.members {
      guard let value = PropertyListValue(json) else {
        throw .usage("a property list has nothing for the value of \(Visible.argument(key))")
      }
      switch (WireName(key), value) {
      case ("UseSharedDeviceKeys", .bool(let isShared)): profile.useSharedDeviceKeys = isShared
      case ("URLs", .array(let elements)) where elements.allSatisfy { $0.text != nil }:
        profile.urls = elements.compactMap(\.text)
      default:
        do throws(JOSEError) {
          try profile.set(key, to: value)
        } catch {
          throw .usage("\(Visible.argument(key)): \(error.reason)")
        }
      }
    }
  }

  /// Checks a profile or a declaration in itself, against a Mac's configuration and a provider's, and against the
  /// association file.
  func checkProfile(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["config", "provider", "association", "application", "fix"], repeatable: ["beside"])
    var octets = try console.inputText(of: arguments)
    // A declaration is JSON, a configuration profile XML.
    let isDeclaration = octets.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x7B
    if let path = arguments["fix"] {
      guard !isDeclaration else { throw .usage("--fix mends configuration profiles, and this is a declaration") }
      octets = try mended(octets, to: path)
    }
    let profile = try attempt {
      try isDeclaration
        ? ExtensibleSSOProfile(declaration: octets) : ExtensibleSSOProfile(configurationProfile: octets)
    }
    var findings = profile.findings(inConfigurationProfile: !isDeclaration)
    let others = try arguments.values("beside").map { path throws(CommandFailure) in
      try console.file(path, upTo: .file)
    }
    if !others.isEmpty { findings += try attempt { try profile.findings(beside: others) } }
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
    if let path = arguments["association"] {
      findings += profile.findings(
        appSiteAssociation: try association(path), hostApplicationIdentifier: arguments["application"])
    }
    for finding in findings { console.write(Visible.text("\(finding)") + "\n") }
    let count = findings.count(where: \.isError)
    guard count == 0 else { throw .invalid("the profile has \(count) faults") }
    if findings.isEmpty { console.write("nothing is wrong with the profile\n") }
  }

  /// The profile with what there is one way to mend mended, and written to a new file if anything was.
  private func mended(_ octets: [UInt8], to path: String) throws(CommandFailure) -> [UInt8] {
    let repair = try attempt { try ProfileRepair(configurationProfile: octets) }
    guard !repair.changes.isEmpty else { return octets }
    let mended = Array(try attempt { try repair.document() }.utf8)
    try console.writeFile(mended, path)
    for change in repair.changes { console.write(Visible.text("\(change)") + "\n") }
    return mended
  }

  /// The file `apple-app-site-association`: as a server answered, or the file itself, as one should answer with it.
  private func association(_ path: String) throws(CommandFailure) -> HTTPResponseValue {
    let bytes = try console.file(path, upTo: .file)
    if bytes.starts(with: Array("HTTP/".utf8)) || (try? JSONObject(parsing: bytes))?["status"] != nil {
      return try HTTPRecord.response(bytes)
    }
    var response = HTTPResponseValue(status: 200, body: bytes)
    try? response.headers.append("Content-Type", "application/json")
    return response
  }
}
