import JOSE
import Testing

@testable import PlatformSSOKit

@Suite("Mending a configuration profile")
struct ProfileRepairTests {
  private static let uuids = ["3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C01", "3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C02"]

  private static func settings() throws -> ExtensibleSSOProfile {
    var profile = ExtensibleSSOProfile(
      extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345",
      urls: ["https://idp.example.com/", "https://idp.example.org/"], authenticationMethod: .password)
    try profile.set("LoginFrequency", to: .integer(3600))
    try profile.set("LoginPolicy", to: .array([.string("AttemptAuthentication")]))
    try profile.set("EnableAuthorization", to: .bool(true))
    try profile.set("NewUserAuthorizationMode", to: .string("Groups"))
    try profile.set("AdministratorGroups", to: .array([.string("admins"), .string("others")]))
    try profile.set("RegistrationToken", to: .string("token"))
    return profile
  }

  private static func good() throws -> PropertyListValue {
    let text = try settings().configurationProfile(
      identifier: "com.example.sso", displayName: "x", uuid: uuids[0], payloadUUID: uuids[1])
    return try PropertyListValue(profile: Array(text.utf8))
  }

  /// A profile with one thing changed in it.
  private static func changed(
    profile: (inout PropertyListValue) -> Void = { _ in }, payload: (inout PropertyListValue) -> Void = { _ in },
    inner: (inout PropertyListValue) -> Void = { _ in }
  ) throws -> [UInt8] {
    var root = try good()
    guard case .array(var payloads)? = root["PayloadContent"], var sso = payloads[0]["PlatformSSO"] else { return [] }
    inner(&sso)
    payloads[0]["PlatformSSO"] = sso
    payload(&payloads[0])
    root["PayloadContent"] = .array(payloads)
    profile(&root)
    return try Array(root.xmlDocument().utf8)
  }

  private typealias Fault = (name: String, octets: [UInt8], key: String)

  /// Faults that there is one way to mend, and the key that is named.
  private static func faults() throws -> [Fault] {
    func moved(_ key: String, to name: String) -> (inout PropertyListValue) -> Void {
      { dictionary in
        let value = dictionary[key]
        (dictionary[key], dictionary[name]) = (nil, value)
      }
    }
    return [
      ("a key in another case", try changed(inner: moved("LoginFrequency", to: "loginFrequency")), "LoginFrequency"),
      ("a key with two letters exchanged", try changed(inner: moved("LoginPolicy", to: "LoginPolciy")), "LoginPolicy"),
      (
        "a key of the payload in another case", try changed(payload: moved("TeamIdentifier", to: "teamIdentifier")),
        "TeamIdentifier"
      ),
      (
        "Platform SSO in another case", try changed(payload: moved("PlatformSSO", to: "platformSSO")), "PlatformSSO"
      ),
      (
        "a key of the payload in its dictionary",
        try changed(payload: { $0["RegistrationToken"] = nil }, inner: { $0["RegistrationToken"] = .string("token") }),
        "RegistrationToken"
      ),
      (
        "a key of the dictionary in the payload",
        try changed(payload: { $0["LoginFrequency"] = .integer(3600) }, inner: { $0["LoginFrequency"] = nil }),
        "LoginFrequency"
      ),
      ("too frequent a login", try changed(inner: { $0["LoginFrequency"] = .integer(60) }), "LoginFrequency"),
      ("a number as text", try changed(inner: { $0["LoginFrequency"] = .string("3600") }), "LoginFrequency"),
      ("a flag as number", try changed(inner: { $0["EnableAuthorization"] = .integer(1) }), "EnableAuthorization"),
      ("a flag as text", try changed(inner: { $0["UseSharedDeviceKeys"] = .string("YES") }), "UseSharedDeviceKeys"),
      (
        "a list as text", try changed(inner: { $0["LoginPolicy"] = .string("AttemptAuthentication") }), "LoginPolicy"
      ),
      (
        "a policy in another case",
        try changed(inner: { $0["LoginPolicy"] = .array([.string("attemptAuthentication")]) }), "LoginPolicy"
      ),
      (
        "a method in another case", try changed(inner: { $0["AuthenticationMethod"] = .string("password") }),
        "AuthenticationMethod"
      ),
      (
        "a mode with a letter too few", try changed(inner: { $0["NewUserAuthorizationMode"] = .string("Group") }),
        "NewUserAuthorizationMode"
      ),
      (
        "a group twice",
        try changed(inner: { sso in
          sso["AdministratorGroups"] = .array([.string("admins"), .string("others"), .string("admins")])
        }), "AdministratorGroups"
      ),
      (
        "an address twice",
        try changed(payload: { payload in
          let urls = ["https://idp.example.com/", "https://idp.example.org/", "HTTPS://IDP.example.com"]
          payload["URLs"] = .array(urls.map { .string($0) })
        }), "URLs"
      ),
      ("another type of extension", try changed(payload: { $0["Type"] = .string("Credential") }), "Type"),
      ("no type of extension", try changed(payload: { $0["Type"] = nil }), "Type"),
      ("another version", try changed(payload: { $0["PayloadVersion"] = .integer(2) }), "PayloadVersion"),
      ("no version", try changed(profile: { $0["PayloadVersion"] = nil }), "PayloadVersion"),
      ("another type", try changed(profile: { $0["PayloadType"] = .string("configuration") }), "PayloadType"),
      ("no identifier", try changed(payload: { $0["PayloadIdentifier"] = nil }), "PayloadIdentifier"),
      (
        "the profile's identifier", try changed(payload: { $0["PayloadIdentifier"] = .string("com.example.sso") }),
        "PayloadIdentifier"
      ),
      ("the users' scope", try changed(profile: { $0["PayloadScope"] = .string("User") }), "PayloadScope"),
    ]
  }

  @Test("A fault with one possible repair is repaired by one change that is named")
  func mended() throws {
    let meant = try Self.good()
    for fault in try Self.faults() {
      let before = try? ExtensibleSSOProfile(configurationProfile: fault.octets)
      #expect(before?.findings().isEmpty != true, "\(fault.name): the fault is none")
      let repair = try ProfileRepair(configurationProfile: fault.octets)
      #expect(repair.changes.map(\.key) == [fault.key], "\(fault.name): \(repair.changes)")
      let document = try repair.document()
      let after = try PropertyListValue(profile: Array(document.utf8))
      #expect(Self.sorted(after) == Self.sorted(meant), "\(fault.name)")
      let profile = try ExtensibleSSOProfile(configurationProfile: Array(document.utf8))
      #expect(profile.findings().isEmpty, "\(fault.name): \(profile.findings())")
      #expect(try ProfileRepair(configurationProfile: Array(document.utf8)).changes.isEmpty, "\(fault.name)")
    }
  }

  @Test("New names are drawn where they are absent, malformed or the same")
  func names() throws {
    let malformed = try Self.changed(payload: { $0["PayloadUUID"] = .string("1") })
    let shared = try Self.changed(payload: { $0["PayloadUUID"] = .string(Self.uuids[0]) })
    let absent = try Self.changed(profile: { $0["PayloadUUID"] = nil })
    var drawn: Set<String> = []
    for octets in [malformed, shared, absent] {
      let repair = try ProfileRepair(configurationProfile: octets)
      #expect(repair.changes.map(\.key) == ["PayloadUUID"])
      let document = try Array(repair.document().utf8)
      #expect(try ExtensibleSSOProfile(configurationProfile: document).findings().isEmpty)
      let root = try PropertyListValue(profile: document)
      guard case .array(let payloads)? = root["PayloadContent"] else { continue }
      drawn.formUnion([root["PayloadUUID"]?.text, payloads[0]["PayloadUUID"]?.text].compactMap { $0 })
    }
    #expect(drawn.count == 5)
  }

  @Test("A fault that needs a decision is left as it is")
  func decisions() throws {
    let others: [[UInt8]] = [
      try Self.changed(),
      try Self.changed(inner: { $0["UseSharedDeviceKeys"] = .bool(false) }),
      try Self.changed(inner: { sso in
        sso["LoginPolicy"] = .array([.string("RequireTouchID"), .string("RequireTouchIDOrWatch")])
      }),
      try Self.changed(inner: { $0["LoginPolicy"] = .array([.string("Whatever")]) }),
      try Self.changed(inner: { $0["Unrelated"] = .bool(true) }),
      try Self.changed(payload: { $0["Team"] = .string("x") }),
      try Self.changed(inner: { sso in
        sso["LoginFrequency"] = nil
        (sso["loginFrequency"], sso["LoginFrequenci"]) = (.integer(3600), .integer(7200))
      }),
      try Self.changed(inner: { $0["AdministratorGroups"] = .string("admins, others") }),
      try Self.changed(payload: { payload in
        payload["URLs"] = .array([.string("https://idp.example.com/"), .string("https://idp.example.com/?a=b")])
      }),
      try Self.changed(
        profile: { root in
          root["PayloadScope"] = .string("User")
          guard case .array(let payloads)? = root["PayloadContent"] else { return }
          let mail = PropertyListValue.dictionary([.init("PayloadType", .string("com.apple.mail.managed"))])
          root["PayloadContent"] = .array(payloads + [mail])
        }),
      try Self.changed(
        profile: { root in
          guard case .array(let payloads)? = root["PayloadContent"] else { return }
          let other = PropertyListValue.dictionary([.init("PayloadIdentifier", .string("com.example.sso.sso"))])
          root["PayloadContent"] = .array(payloads + [other])
        }, payload: { $0["PayloadIdentifier"] = nil }),
      try Self.changed(inner: { $0["loginFrequency"] = .integer(7200) }),
      try Self.changed(inner: { $0["EnableAuthorization"] = .string("perhaps") }),
      try Self.changed(payload: { $0["AuthenticationMethod"] = .string("Password") }),
    ]
    for octets in others {
      let repair = try ProfileRepair(configurationProfile: octets)
      #expect(repair.changes.isEmpty, "\(repair.changes)")
      #expect(try PropertyListValue(profile: Array(repair.document().utf8)) == PropertyListValue(profile: octets))
    }
  }

  @Test("A payload without a profile is repaired, and other payloads are not changed")
  func others() throws {
    guard case .array(var payloads)? = try Self.good()["PayloadContent"] else { return }
    var alone = payloads[0]
    for key in ["PayloadUUID", "PayloadIdentifier", "PayloadVersion"] { alone[key] = nil }
    alone["PlatformSSO"]?["LoginFrequency"] = .integer(1)
    let repair = try ProfileRepair(configurationProfile: Array(alone.xmlDocument().utf8))
    #expect(repair.changes.map(\.key) == ["LoginFrequency"])
    let other = PropertyListValue.dictionary([
      .init("PayloadType", .string("com.example.agent")), .init("type", .string("x")), .init("urls", .bool(true)),
      .init("platformSSO", .dictionary([.init("enabled", .bool(true))])),
    ])
    payloads.append(other)
    let octets = try Self.changed(profile: { $0["PayloadContent"] = .array(payloads) })
    #expect(try ProfileRepair(configurationProfile: octets).changes.isEmpty)
    #expect(throws: JOSEError.self) { try ProfileRepair(configurationProfile: Array("{}".utf8)) }
  }

  @Test("A text is written so that it is read as it was, character by character")
  func texts() throws {
    for text in ["a\r\nb", "&\u{FE0F}", "<\u{338}", "\u{1F1E9}\u{1F1EA}>", "e\u{301}\r"] {
      let list = PropertyListValue.dictionary([.init("PlatformSSO", .dictionary([])), .init("Comment", .string(text))])
      let read = try PropertyListValue(profile: Array(list.xmlDocument().utf8))
      #expect(read["Comment"]?.text.map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test("The date of a binary property list is written as XML has dates")
  func dates() throws {
    func list(_ seconds: Double) -> [UInt8] {
      let bits = (0..<8).map { UInt8(truncatingIfNeeded: seconds.bitPattern >> (56 - 8 * UInt64($0))) }
      // A dictionary of one member, its key and its value.
      let objects: [UInt8] = [0xD1, 1, 2, 0x51, 0x64, 0x33] + bits
      let table: [UInt8] = [8, 11, 13]
      let trailer: [UInt8] =
        [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 15) + [22]
      return Array("bplist00".utf8) + objects + table + trailer
    }
    for (seconds, text) in [
      (757_382_400, "2025-01-01T00:00:00Z"), (0, "2001-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59Z"),
      (725_846_399, "2024-01-01T23:59:59Z"), (-63_000_000_000, "0004-08-11T08:00:00Z"),
    ] as [(Double, String)] {
      #expect(try PropertyListValue(profile: list(seconds))["d"] == .other(element: "date", text: text))
    }
    for seconds in [252_423_993_600, -64_000_000_000, .infinity, .nan] {
      #expect(throws: JOSEError.self) { try PropertyListValue(profile: list(seconds)) }
    }
  }

  /// Keys in one order, since what is moved comes to the end.
  private static func sorted(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .dictionary(let entries):
      .dictionary(entries.map { .init($0.key, sorted($0.value)) }.sorted { $0.key < $1.key })
    case .array(let elements): .array(elements.map { sorted($0) })
    default: value
    }
  }
}
