import JOSE
import PlatformSSOKit
import Synchronization
import Testing

@testable import PureJOSECommand

@Suite("jose psso mac")
struct SimulatedMacTests {
  /// A provider that takes every registration, and answers otherwise as a test likes.
  private struct Server: DoctorTransport {
    let base: OwnProvider
    let lines = Lines()
    var change: @Sendable (HTTPRequestValue, HTTPResponseValue) -> HTTPResponseValue = { $1 }

    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      if request.url.hasSuffix("/register") {
        lines.registrations.withLock { $0.append(request) }
        return change(request, HTTPResponseValue(status: 201))
      }
      return change(request, try await base.send(request))
    }
  }

  private final class Lines: Sendable {
    let told = Mutex<[String]>([])
    let registrations = Mutex<[HTTPRequestValue]>([])
  }

  private func parties() async throws -> (Server, SimulatedMac) {
    let (provider, subject) = try await OwnProvider.make()
    let server = Server(base: provider)
    return (server, mac(subject, server))
  }

  private func mac(_ subject: DoctorSubject, _ server: Server) -> SimulatedMac {
    SimulatedMac(device: subject.device, user: subject.user, method: subject.method, transport: server) { line in
      server.lines.told.withLock { $0.append(line) }
    }
  }

  @Test("A day goes from the registration to the unlock key, a line for each step")
  func day() async throws {
    let (server, mac) = try await parties()
    try await mac.register(at: "https://idp.example.com/register", token: "token", deviceID: "mac-1")
    let request = try #require(server.lines.registrations.withLock { $0.first })
    let registration = try DeviceRegistration(from: request)
    #expect(registration.registrationToken == "token" && registration.deviceID == "mac-1")
    #expect(registration.signingKey.keyID == mac.device.keys.signingKeyID)
    try await mac.liveADay(enrolment: nil)
    let told = server.lines.told.withLock { $0.map { String($0.prefix(10)) } }
    #expect(told == ["registered", "logged in ", "refreshed", "fetched an"])
  }

  @Test("A Mac says which account it would make, what the token lacks for it, and fails where it has to make one")
  func account() async throws {
    let (server, plain) = try await parties()
    var (mac, profile) = (
      plain,
      ExtensibleSSOProfile(
        extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345", urls: ["https://idp.example.com/"],
        authenticationMethod: .password)
    )
    try profile.set(
      "TokenToUserMapping",
      to: .dictionary([.init("AccountName", .string("sub")), .init("FullName", .string("name"))]))
    mac.profile = profile
    try await mac.liveADay(enrolment: nil)
    let told = server.lines.told.withLock(\.self)
    #expect(told.contains("the ID token has no claim name, which TokenToUserMapping names"))
    #expect(told.contains("a new account of the user would be jane@example.com"))
    try profile.set("TokenToUserMapping", to: .dictionary([.init("AccountName", .string("upn"))]))
    mac.profile = profile
    try await mac.liveADay(enrolment: nil)
    try profile.set("EnableCreateUserAtLogin", to: .bool(true))
    mac.profile = profile
    let refused = mac
    await #expect(throws: CommandFailure.self) { try await refused.liveADay(enrolment: nil) }
  }

  @Test(
    "A Mac registers in the form of its preset's product, and its day is the product's",
    arguments: PlatformSSOPreset.allCases)
  func presets(_ preset: PlatformSSOPreset) async throws {
    let (provider, subject) = try await OwnProvider.make()
    let (server, format) = (Server(base: provider), preset.registrationFormat)
    let mac = SimulatedMac(
      device: subject.device, user: subject.user, method: subject.method, transport: server, format: format
    ) { line in server.lines.told.withLock { $0.append(line) } }
    try await mac.register(at: "https://idp.example.com/register", token: "token", deviceID: "mac-1")
    let request = try #require(server.lines.registrations.withLock { $0.first })
    let registration = try DeviceRegistration(from: request, format: format)
    #expect(registration.signingKey.keyID == mac.device.keys.signingKeyID)
    let hasToken = preset != .authentik && preset != .twocanoes
    #expect(registration.registrationToken == (hasToken ? "token" : nil))
    let hasMethod = [.macOS, .macOS13, .entra, .keycloak].contains(preset)
    #expect(registration.authenticationMethod == (hasMethod ? .password : nil))
    let told = server.lines.told.withLock { $0 }
    #expect(told.count == (hasToken ? 1 : 2))
    #expect(hasToken || told[0].contains("have no place for the profile's RegistrationToken"))
    #expect(told.last?.hasPrefix(registration.deviceID == nil ? "registered, " : "registered as mac-1, ") == true)
  }

  @Test("A Mac whose product has no refreshes says so and goes on")
  func noRefresh() async throws {
    let (server, mac) = try await parties()
    var device = mac.device
    device.configuration.refreshEndpointURL = nil
    let other = SimulatedMac(device: device, user: mac.user, method: mac.method, transport: server, tell: mac.tell)
    try await other.liveADay(enrolment: nil)
    #expect(
      server.lines.told.withLock { $0.map { String($0.prefix(13)) } }.dropFirst() == ["not refreshed", "fetched an un"])
  }

  @Test("A server that refuses a step, or answers it wrongly, ends the day there")
  func faults() async throws {
    let (provider, subject) = try await OwnProvider.make()
    var server = Server(base: provider)
    server.change = { $0.url.hasSuffix("/register") ? HTTPResponseValue(status: 403) : $1 }
    await #expect(throws: CommandFailure.self) {
      try await mac(subject, server).register(at: "https://idp.example.com/register", token: nil, deviceID: "m")
    }
    await #expect(throws: CommandFailure.self) {
      try await mac(subject, server).liveADay(enrolment: "https://idp.example.com/register")
    }
    #expect(server.lines.told.withLock { $0.count } == 1)
    server.change = { request, response in
      response.status == 200 && request.method == "POST" && response.body.count > 400
        ? HTTPResponseValue(status: 400) : response
    }
    do {
      try await mac(subject, server).liveADay(enrolment: nil)
      Issue.record("the login was refused")
    } catch {
      #expect("\(error)".contains("the login was answered with 400"))
    }
  }

  @Test("A profile's ExtensionData is what the Mac is configured with, and the file that is left is a Mac's")
  func profile() async throws {
    let (_, subject) = try await OwnProvider.make()
    var profile = ExtensibleSSOProfile(
      for: subject.device.configuration, extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345",
      authenticationMethod: .password)
    try profile.set("RegistrationToken", to: .string("token"))
    let configuration: JSONObject = [
      "LoginConfiguration": [
        "clientID": "psso", "issuer": "https://idp.example.com", "audience": "psso",
        "tokenEndpointURL": "https://idp.example.com/psso/token", "jwksEndpointURL": "https://idp.example.com/jwks",
        "includePreviousRefreshTokenInLoginRequest": true, "clockSkew": 30, "preset": "macOS",
      ], "RegistrationURL": "https://idp.example.com/register",
    ]
    try profile.set("ExtensionData", to: PropertyListValue(.object(configuration)))
    let text = try profile.configurationProfile(identifier: "com.example", displayName: "SSO")
    let arguments = try Arguments(["--user", "jane", "--password-file", "p"], options: ["user", "password-file"])
    var console = Console(
      readInput: { [] }, readFile: { _ in Array("correct horse\nmore".utf8) }, write: { _ in }, writeError: { _ in })
    // As the command's own console reads, for which there is no file called profile.
    console.readFileUpTo = { path, _ throws(CommandFailure) in
      guard path == "p" else { throw .invalid("no such file") }
      return Array("correct horse\nmore".utf8)
    }
    let setup = try MacSetup(profile: Array(text.utf8), arguments, console: console)
    #expect(setup.registrationToken == "token" && setup.registrationURL == "https://idp.example.com/register")
    #expect(setup.password == "correct horse" && setup.userRegistrationURL == nil)
    #expect(setup.device.configuration.includePreviousRefreshTokenInLoginRequest)
    #expect(setup.device.configuration.ordersClaimsAsCaptured && setup.format == .standard)
    let file = setup.macFile.serialized()
    var reading = console
    reading.readFile = { _ in file }
    reading.readFileUpTo = nil
    let again = try DeviceFile(Arguments(["--config", "mac.json"], options: ["config"]), console: reading)
    #expect(again.device.keys.signingKeyID == setup.device.keys.signingKeyID)
    #expect(again.user?.loginUserName == "jane")

    var fleet = configuration["LoginConfiguration"]?.objectValue ?? [:]
    fleet["preset"] = "fleet"
    var data = configuration
    data["LoginConfiguration"] = .object(fleet)
    try profile.set("ExtensionData", to: PropertyListValue(.object(data)))
    let product = Array(try profile.configurationProfile(identifier: "com.example", displayName: "SSO").utf8)
    #expect(try MacSetup(profile: product, arguments, console: console).format == .fleet)

    try profile.set("ExtensionData", to: nil)
    let bare = Array(try profile.configurationProfile(identifier: "com.example", displayName: "SSO").utf8)
    #expect(throws: CommandFailure.self) { try MacSetup(profile: bare, arguments, console: console) }
  }
}
