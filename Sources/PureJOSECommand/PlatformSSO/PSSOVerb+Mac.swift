import JOSE
import PlatformSSOKit
import StrictJSON

extension PSSOVerb {
  /// Plays a Mac that is given a profile, or one that was registered before.
  func mac(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["config", "user", "password-file", "output"])
    guard arguments.operands.count == 1, let address = arguments.operands.first,
      let transport = RelocatedTransport(address: address)
    else { throw .usage("mac needs the server's address, of https, or of http on this machine") }
    let output = console
    let tell: @Sendable (String) -> Void = { output.write($0 + "\n") }
    guard arguments["config"] == nil else {
      let file = try DeviceFile(arguments, console: console)
      let mac = SimulatedMac(
        device: file.device, user: try file.requiredUser(), method: try file.loginMethod(), transport: transport,
        tell: tell)
      return try waiting { () async throws(CommandFailure) in try await mac.liveADay(enrolment: nil) }
    }
    let setup = try MacSetup(profile: try console.input(upTo: .file), arguments, console: console)
    let mac = SimulatedMac(
      device: setup.device, user: UserLoginConfiguration(loginUserName: setup.userName),
      method: .password(setup.password), transport: transport, profile: setup.profile, format: setup.format, tell: tell)
    try waiting { () async throws(CommandFailure) in
      try await mac.register(
        at: setup.registrationURL, token: setup.registrationToken, deviceID: UUIDText.random())
    }
    // Before the login: a Mac that is refused there is registered all the same.
    if arguments["output"] != nil { try arguments.write(setup.macFile.serialized(options: .pretty) + [0x0A], console) }
    try waiting { () async throws(CommandFailure) in try await mac.liveADay(enrolment: setup.userRegistrationURL) }
  }
}

/// What a Mac's extension takes from a configuration profile, and the keys that it makes.
///
/// `ExtensionData` is the extension's own matter. Here it has `LoginConfiguration`, whose members are those of a Mac's
/// configuration file, `RegistrationURL`, and, if users' keys are enrolled, `UserRegistrationURL`.
struct MacSetup {
  let profile: ExtensibleSSOProfile
  let device: PlatformSSODevice
  let userName: String
  let password: String
  let registrationToken: String?
  let registrationURL: String
  let userRegistrationURL: String?
  /// How the product that the configuration names writes registrations.
  let format: RegistrationFormat
  /// The configuration file of this Mac, for other messages: with keys and password, so it is a secret.
  let macFile: JSONObject

  init(profile octets: [UInt8], _ arguments: Arguments, console: Console) throws(CommandFailure) {
    profile = try attempt { try ExtensibleSSOProfile(configurationProfile: octets) }
    guard let data = profile["ExtensionData"]?.jsonValue.objectValue,
      data["LoginConfiguration"]?.objectValue != nil
    else { throw .invalid("ExtensionData of the profile has no LoginConfiguration") }
    userName = try arguments.required("user")
    _ = try arguments.required("password-file")
    let line = try console.password(of: arguments) ?? []
    guard let text = String(validating: line, as: UTF8.self) else { throw .usage("the password is not UTF-8") }
    password = text
    registrationToken = profile["RegistrationToken"]?.text
    var members = ConfigurationMembers(data, path: "ExtensionData.")
    registrationURL = try members.string("RegistrationURL")
    userRegistrationURL = try members.string(ifPresent: "UserRegistrationURL")

    let (signing, encryption) = (JWK.generate(.es256), JWK.generateForKeyAgreement())
    let file: JSONObject = [
      "loginConfiguration": data["LoginConfiguration"] ?? [:],
      "deviceSigningKey": .object(try attempt { try JSONObject(parsing: signing.serializedWithPrivateKey()) }),
      "deviceEncryptionKey": .object(try attempt { try JSONObject(parsing: encryption.serializedWithPrivateKey()) }),
      "user": ["loginUserName": .string(userName)],
      "login": ["method": "password", "password": .string(password)],
    ]
    macFile = file
    // As if the file had been read: it has the same rules.
    var reading = console
    reading.readFile = { _ in file.serialized() }
    reading.readFileUpTo = nil
    let read = try DeviceFile(Arguments(["--config", "profile"], options: ["config"]), console: reading)
    (device, format) = (read.device, read.preset?.registrationFormat ?? .standard)
  }
}
