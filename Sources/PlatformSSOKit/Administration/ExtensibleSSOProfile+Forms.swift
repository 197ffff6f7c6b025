import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  private typealias Entry = PropertyListValue.Entry

  /// The payload `com.apple.extensiblesso`. It has no key for ``additionalHTTPHeaders``, which
  /// ``findings(inConfigurationProfile:)`` says.
  ///
  /// - Parameters:
  ///   - identifier: `PayloadIdentifier`.
  ///   - uuid: `PayloadUUID`, always the same for one payload.
  package func payload(identifier: String, uuid: String) -> PropertyListValue {
    func entries(isOuter: Bool) -> [PropertyListValue.Entry] {
      ProfileSetting.all.filter { $0.isOuter == isOuter }.compactMap { setting in
        self[setting.key].map { Entry(setting.key, $0) }
      }
    }
    let platformSSO = [
      Entry("AuthenticationMethod", .string(authenticationMethod.rawValue)),
      Entry("UseSharedDeviceKeys", .bool(useSharedDeviceKeys)),
    ]
    let outer = [
      Entry("PayloadType", .string("com.apple.extensiblesso")), Entry("PayloadVersion", .integer(1)),
      Entry("PayloadIdentifier", .string(identifier)), Entry("PayloadUUID", .string(uuid)),
      Entry("ExtensionIdentifier", .string(extensionIdentifier)), Entry("TeamIdentifier", .string(teamIdentifier)),
      Entry("URLs", .array(urls.map { .string($0) })),
    ]
    return .dictionary(
      outer + entries(isOuter: true)
        + [Entry("PlatformSSO", .dictionary(platformSSO + entries(isOuter: false)))])
  }

  /// A configuration profile with this payload in it: what a server of device management delivers as a `.mobileconfig`.
  ///
  /// - Parameters:
  ///   - identifier: `PayloadIdentifier` of the profile; the payload's is this with `.sso` behind it.
  ///   - displayName: what System Settings show.
  ///   - organization: who made the profile.
  ///   - uuid: `PayloadUUID` of the profile: a fresh one if nil. Keep it when the profile changes.
  ///   - payloadUUID: the payload's, alike.
  /// - Throws: `ErrorCode.claimInvalid`, named by the key, for an identifier that isn't reverse DNS, a UUID of another
  ///   form, and a text with a character that XML doesn't have.
  public func configurationProfile(
    identifier: String, displayName: String, organization: String? = nil, uuid: String? = nil,
    payloadUUID: String? = nil
  ) throws(JOSEError) -> String {
    var entries: [PropertyListValue.Entry] = [
      Entry("PayloadType", .string("Configuration")), Entry("PayloadVersion", .integer(1)),
      Entry("PayloadIdentifier", .string(identifier)), Entry("PayloadUUID", .string(uuid ?? UUIDText.random())),
      Entry("PayloadDisplayName", .string(displayName)), Entry("PayloadScope", .string("System")),
    ]
    if let organization { entries.append(Entry("PayloadOrganization", .string(organization))) }
    let payload = payload(identifier: identifier + ".sso", uuid: payloadUUID ?? UUIDText.random())
    let profile = PropertyListValue.dictionary(entries + [Entry("PayloadContent", .array([payload]))])
    // What a reader would find wrong is not written.
    if let finding = PayloadKeys.findings(profile: profile, payload: payload).first(where: \.isError) {
      throw JOSEError(.claimInvalid, "the key has an unexpected type or value", name: finding.key)
    }
    return try profile.xmlDocument()
  }

  /// Reads a configuration profile, or a property list of the payload alone: in XML or binary, and signed or not, but
  /// who signed it is not checked. Of several payloads the first with
  /// Platform SSO counts. Keys that messages and checks have nothing to do with are passed over.
  ///
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`, `ErrorCode.claimMissing` and `ErrorCode.claimInvalid`
  ///   with the key, `ErrorCode.fieldInvalid` for additional header fields.
  public init(configurationProfile octets: [UInt8]) throws(JOSEError) {
    let root = try PropertyListValue(profile: octets)
    var payloads = [root]
    if case .array(let content)? = root["PayloadContent"] { payloads = content }
    guard let payload = payloads.first(where: { $0["PlatformSSO"] != nil }) else {
      throw JOSEError(.claimMissing, "the profile has no payload for Platform SSO", name: "PlatformSSO")
    }
    try self.init(payload: payload)
    payloadFindings = PayloadFindings(
      list: PayloadKeys.findings(profile: root, payload: payload)
        + ProfileKeyFindings.findings(profile: root, payload: payload))
  }

  /// Reads the payload `com.apple.extensiblesso`.
  package init(payload: PropertyListValue) throws(JOSEError) {
    let outer = ProfileMembers(dictionary: payload)
    let inner = try outer.nested("PlatformSSO")
    try self.init(
      outer, inner, extensionIdentifier: try outer.string("ExtensionIdentifier"),
      teamIdentifier: try outer.string("TeamIdentifier")
    ) { setting in ((setting.isOuter ? outer : inner).dictionary[setting.key], setting.key) }
  }

  /// - Parameter value: the value of a setting and its name there.
  private init(
    _ outer: ProfileMembers, _ platformSSO: ProfileMembers, extensionIdentifier: String, teamIdentifier: String,
    value: (ProfileSetting) throws(JOSEError) -> (PropertyListValue?, name: String)
  ) throws(JOSEError) {
    guard let method = AuthenticationMethod(rawValue: try platformSSO.string("AuthenticationMethod")) else {
      throw platformSSO.invalid("AuthenticationMethod")
    }
    self.init(
      extensionIdentifier: extensionIdentifier, teamIdentifier: teamIdentifier, urls: try outer.strings("URLs"),
      authenticationMethod: method, useSharedDeviceKeys: try platformSSO.bool("UseSharedDeviceKeys"))
    for setting in ProfileSetting.all {
      let (value, name) = try value(setting)
      try set(setting, to: value, name: name)
    }
    guard self["Type"] != nil else { throw outer.missing("Type") }
    // In a configuration profile a Mac finds no header fields. Who wrote some there is told so by the findings.
    var fields = FormFields()
    for entry in try platformSSO.entries("AdditionalHTTPHeaders") {
      guard let text = entry.value.text else { throw platformSSO.invalid("AdditionalHTTPHeaders") }
      fields.append(entry.key, text)
    }
    additionalHTTPHeaders = try AdditionalHTTPHeaders(fields)
  }
}

extension ExtensibleSSOProfile {
  private static let declarationType = "com.apple.configuration.extensible-sso"

  /// The declaration `com.apple.configuration.extensible-sso` of the same settings.
  ///
  /// - Parameters:
  ///   - identifier: the declaration's.
  ///   - serverToken: its version, which must change with it. A fresh one if nil.
  public func declaration(identifier: String, serverToken: String? = nil) -> JSONObject {
    var sso: JSONObject = [
      "AuthenticationMethod": .string(authenticationMethod.rawValue), "UseSharedDeviceKeys": .bool(useSharedDeviceKeys),
    ]
    var body: JSONObject = [
      "ExtensionComposedIdentifier": .string("\(extensionIdentifier) (\(teamIdentifier))"),
      "URLs": .array(urls.map { .string($0) }),
    ]
    for setting in ProfileSetting.all {
      guard let value = self[setting.key]?.jsonValue, let name = setting.path.last else { continue }
      switch setting.path.count {
      case 1: body[name] = value
      case 2: sso[name] = value
      default:
        var group = sso[setting.path[1]]?.objectValue ?? [:]
        group[name] = value
        sso[setting.path[1]] = .object(group)
      }
    }
    let fields = additionalHTTPHeaders.fields.fields
    if !fields.isEmpty {
      sso["AdditionalHTTPHeaders"] = .object(JSONObject(fields.map { ($0.name, JSONValue.string($0.value)) }))
    }
    body["PlatformSSO"] = .object(sso)
    return [
      "Type": .string(Self.declarationType), "Identifier": .string(identifier),
      "ServerToken": .string(serverToken ?? UUIDText.random()), "Payload": .object(body),
    ]
  }

  /// Reads a declaration `com.apple.configuration.extensible-sso`, in JSON. Keys that messages and checks have nothing
  /// to do with are passed over.
  ///
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`, `ErrorCode.claimMismatch` for a declaration of another
  ///   type, `ErrorCode.claimMissing` and `ErrorCode.claimInvalid` with the key, `ErrorCode.fieldInvalid` for
  ///   additional header fields.
  public init(declaration octets: [UInt8]) throws(JOSEError) {
    let document = try MessageMembers(parsing: octets, limits: .default)
    try document.require("Type", Self.declarationType)
    guard let payload = document.object["Payload"] else { throw document.missing("Payload") }
    guard let value = PropertyListValue(payload), case .dictionary = value else { throw document.invalid("Payload") }
    let outer = ProfileMembers(dictionary: value)
    let (identifier, team) = try Self.identifiers(outer)
    try self.init(
      outer, outer.nested("PlatformSSO"), extensionIdentifier: identifier, teamIdentifier: team
    ) { setting throws(JOSEError) in
      var members = outer
      for name in setting.path.dropLast() { members = try members.nested(ifPresent: name) }
      let name = setting.path.last ?? setting.key
      return (members.dictionary[name], name)
    }
  }

  /// The parts of `ExtensionComposedIdentifier`: `com.example.mac.ssoe (ABCDE12345)`.
  private static func identifiers(
    _ members: ProfileMembers
  ) throws(JOSEError) -> (extensionIdentifier: String, teamIdentifier: String) {
    let key = "ExtensionComposedIdentifier"
    let parts = try members.string(key).utf8.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].count > 2, parts[1].first == 0x28, parts[1].last == 0x29 else {
      throw members.invalid(key)
    }
    return (String(Substring(parts[0])), String(Substring(parts[1].dropFirst().dropLast())))
  }
}

/// The members of a dictionary in a profile. One of another type is an error, never an absent one.
struct ProfileMembers {
  let dictionary: PropertyListValue

  func missing(_ key: String) -> JOSEError {
    JOSEError(.claimMissing, "a required key is absent", name: key)
  }

  func invalid(_ key: String) -> JOSEError {
    JOSEError(.claimInvalid, "the key has an unexpected type or value", name: key)
  }

  /// The member in some form, or nil if it is absent.
  private func member<Value>(
    _ key: String, _ read: (PropertyListValue) -> Value?
  ) throws(JOSEError) -> Value? {
    guard let value = dictionary[key] else { return nil }
    guard let read = read(value) else { throw invalid(key) }
    return read
  }

  func string(_ key: String) throws(JOSEError) -> String {
    guard let text = try member(key, \.text) else { throw missing(key) }
    return text
  }

  func bool(_ key: String) throws(JOSEError) -> Bool {
    try member(key) { $0 == .bool(true) ? true : $0 == .bool(false) ? false : nil } ?? false
  }

  func strings(_ key: String) throws(JOSEError) -> [String] { try member(key, \.texts) ?? [] }

  func entries(_ key: String) throws(JOSEError) -> [PropertyListValue.Entry] { try member(key, \.entries) ?? [] }

  /// A dictionary that must be there.
  func nested(_ key: String) throws(JOSEError) -> ProfileMembers {
    guard dictionary[key] != nil else { throw missing(key) }
    return try nested(ifPresent: key)
  }

  /// A dictionary; an empty one if it is absent.
  func nested(ifPresent key: String) throws(JOSEError) -> ProfileMembers {
    ProfileMembers(dictionary: .dictionary(try entries(key)))
  }
}
