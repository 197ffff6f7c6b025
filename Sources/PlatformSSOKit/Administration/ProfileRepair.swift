import JOSE
import StrictJSON

/// A configuration profile whose faults were mended where there is one way to mend them. What is a decision stays as it
/// is, for ``ExtensibleSSOProfile/findings(inConfigurationProfile:)`` to say.
package struct ProfileRepair: Sendable {
  /// Something that was changed.
  package struct Change: Sendable, CustomStringConvertible {
    /// The key concerned, as it is called now.
    package let key: String
    /// What was done, in one sentence.
    package let action: String

    /// `changed`, key and action.
    package var description: String { "changed: \(key): \(action)" }
  }

  /// What was changed, in this order.
  package private(set) var changes: [Change] = []

  private var profile: PropertyListValue

  /// Reads a profile, or a property list of the payload alone, and mends it.
  ///
  /// - Parameter octets: in XML or binary, and signed or not.
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`.
  package init(configurationProfile octets: [UInt8]) throws(JOSEError) {
    profile = try PropertyListValue(profile: octets)
    guard case .array(var payloads)? = profile["PayloadContent"] else {
      profile = mended(profile, isAlone: true)
      return
    }
    for index in payloads.indices where Self.isMeant(payloads[index]) {
      payloads[index] = mended(payloads[index], isAlone: false)
    }
    profile["PayloadContent"] = .array(payloads)
    mendContainer(of: payloads.first { $0["PlatformSSO"] != nil })
  }

  /// The profile as it is now, in XML, without a signature.
  ///
  /// - Throws: `ErrorCode.claimInvalid`, named by the key, for a text with a character that XML doesn't have.
  package func document() throws(JOSEError) -> String { try profile.xmlDocument() }

  /// Whether this is the payload of Platform SSO. One of another type is another program's.
  private static func isMeant(_ payload: PropertyListValue) -> Bool {
    if payload["PlatformSSO"] != nil { return true }
    guard let type = payload["PayloadType"]?.text else {
      return (payload.entries ?? []).contains { $0.key.hasSameBytesIgnoringASCIICase(as: "PlatformSSO") }
    }
    return type.hasSameBytesIgnoringASCIICase(as: payloadType)
  }

  private static let payloadType = "com.apple.extensiblesso"

  private mutating func note(_ key: String, _ action: String) { changes.append(Change(key: key, action: action)) }

  private mutating func mended(_ original: PropertyListValue, isAlone: Bool) -> PropertyListValue {
    var payload = original
    rename(in: &payload, to: ProfileKeyFindings.outerKeys)
    guard var inner = payload["PlatformSSO"], inner.entries != nil else { return payload }
    rename(in: &inner, to: ProfileKeyFindings.innerKeys)
    move(from: &payload, to: &inner, ProfileKeyFindings.innerKeys, besides: ProfileKeyFindings.outerKeys)
    move(from: &inner, to: &payload, ProfileKeyFindings.outerKeys, besides: ProfileKeyFindings.innerKeys)
    for setting in ProfileSetting.all {
      if setting.isOuter { mend(setting, in: &payload) } else { mend(setting, in: &inner) }
    }
    mend("AuthenticationMethod", in: &inner, to: ExtensibleSSOProfile.AuthenticationMethod.allCases.map(\.rawValue))
    if let flag = inner["UseSharedDeviceKeys"].flatMap(Self.flag) {
      inner["UseSharedDeviceKeys"] = .bool(flag)
      note("UseSharedDeviceKeys", "it is true or false, and no text or number")
    }
    payload["PlatformSSO"] = inner
    mendAddresses(in: &payload)
    if payload["Type"] != .string("Redirect") {
      payload["Type"] = .string("Redirect")
      note("Type", "it is Redirect, which Platform SSO needs")
    }
    guard !isAlone else { return payload }
    mendKeys(of: &payload, type: Self.payloadType)
    if payload["PayloadIdentifier"]?.text.map(PayloadKeys.isIdentifier) != true, let identifier {
      payload["PayloadIdentifier"] = .string(identifier)
      note("PayloadIdentifier", "the payload has the profile's, with .sso behind it")
    }
    return payload
  }

  /// The profile's identifier with `.sso` behind it, if the profile has one and no payload has this.
  private var identifier: String? {
    guard let outer = profile["PayloadIdentifier"]?.text, PayloadKeys.isIdentifier(outer),
      case .array(let payloads)? = profile["PayloadContent"]
    else { return nil }
    let identifier = outer + ".sso"
    return payloads.contains { $0["PayloadIdentifier"] == .string(identifier) } ? nil : identifier
  }

  /// Gives keys that are not known the names that were meant.
  private mutating func rename(in dictionary: inout PropertyListValue, to known: [WireName]) {
    let others = known == ProfileKeyFindings.outerKeys ? ProfileKeyFindings.innerKeys : ProfileKeyFindings.outerKeys
    let strangers = (dictionary.entries ?? []).map(\.key).filter { !known.contains($0) && !others.contains($0) }
    let pairs = strangers.compactMap { key in Self.meant(by: key, in: known).map { (key, $0) } }
    for (key, name) in pairs where dictionary[name.text] == nil && pairs.count(where: { $0.1 == name }) == 1 {
      dictionary.rename(key, to: name.text)
      note(name.text, "it was called \(key)")
    }
  }

  /// The name that was meant. Two letters of a short one are half of it: there the case alone may differ.
  private static func meant(by key: String, in known: [WireName]) -> WireName? {
    guard let name = ProfileKeyFindings.nearest(to: key, in: known) else { return nil }
    return name.text.utf8.count > 5 || name.text.hasSameBytesIgnoringASCIICase(as: key) ? name : nil
  }

  /// Moves keys into the dictionary that they belong into.
  private mutating func move(
    from dictionary: inout PropertyListValue, to other: inout PropertyListValue, _ wanted: [WireName],
    besides known: [WireName]
  ) {
    for entry in dictionary.entries ?? []
    where wanted.contains(entry.key) && !known.contains(entry.key) && other[entry.key] == nil {
      other[entry.key] = entry.value
      dictionary[entry.key] = nil
      note(entry.key, "it stood \(wanted == ProfileKeyFindings.innerKeys ? "beside" : "in") PlatformSSO")
    }
  }

  private mutating func mend(_ setting: ProfileSetting, in dictionary: inout PropertyListValue) {
    let key = setting.key
    guard let value = dictionary[key] else { return }
    switch (setting.kind, value) {
    case (.flag, _):
      guard let flag = Self.flag(value) else { return }
      dictionary[key] = .bool(flag)
      note(key, "it is true or false, and no text or number")
    case (.number, .string(let text)):
      guard let number = Int64(text) else { return }
      dictionary[key] = .integer(number)
      note(key, "it is a number, and no text")
    case (.texts, .string(let text)) where !text.utf8.contains { $0 == 0x2C || $0 == 0x3B }:
      dictionary[key] = .array([.string(text)])
      note(key, "it is an array, of one text here")
    case (.choice(let known), _): mend(key, in: &dictionary, to: known)
    default: break
    }
    if key == "LoginFrequency", case .integer(let seconds)? = dictionary[key], seconds < 3600 {
      dictionary[key] = .integer(3600)
      note(key, "it is 3600 seconds at least, and was \(seconds)")
    }
    guard case .texts = setting.kind, let texts = dictionary[key]?.texts else { return }
    mendTexts(key, texts, in: &dictionary)
  }

  /// Texts that are there once, and of the schema's where it has a list of them.
  private mutating func mendTexts(_ key: String, _ texts: [String], in dictionary: inout PropertyListValue) {
    var mended = texts
    let lists = ExtensibleSSOProfile.policies.map { ($0.key, $0.value) }
    if let known = (lists + [("NewUserAuthenticationMethods", ExtensibleSSOProfile.methodsOfNewUsers)])
      .first(where: { $0.0 == key })?.1
    {
      for (place, text) in texts.enumerated() where !known.contains(text) {
        guard let meant = ProfileKeyFindings.nearest(to: text, in: known) else { continue }
        mended[place] = meant.text
        note(key, "\(meant.text) was called \(text)")
      }
    }
    var unique: [String] = []
    for text in mended where !unique.wireNames.contains(text) { unique.append(text) }
    if unique.count < mended.count { note(key, "what was there twice is there once") }
    if unique.wireNames != texts.wireNames { dictionary[key] = .array(unique.map { .string($0) }) }
  }

  /// A text that is one of a few.
  private mutating func mend(_ key: String, in dictionary: inout PropertyListValue, to known: [String]) {
    guard let text = dictionary[key]?.text, !known.wireNames.contains(text),
      let meant = ProfileKeyFindings.nearest(to: text, in: known.wireNames)?.text
    else { return }
    dictionary[key] = .string(meant)
    note(key, "it is \(meant), and was \(text)")
  }

  /// True or false for a text or a number that says so; nil for a flag, which needs no mending, and anything else.
  private static func flag(_ value: PropertyListValue) -> Bool? {
    switch value {
    case .integer(0): return false
    case .integer(1): return true
    case .string(let text):
      if ["true", "yes"].contains(where: text.hasSameBytesIgnoringASCIICase) { return true }
      return ["false", "no"].contains(where: text.hasSameBytesIgnoringASCIICase) ? false : nil
    default: return nil
    }
  }

  private mutating func mendAddresses(in payload: inout PropertyListValue) {
    guard let urls = payload["URLs"]?.texts else { return }
    var unique: [String] = []
    for url in urls {
      // What has a query or a fragment is another fault.
      let folded = url.utf8.contains { $0 == 0x3F || $0 == 0x23 } ? nil : ExtensibleSSOProfile.folded(url)
      if folded == nil || !unique.contains(where: { ExtensibleSSOProfile.folded($0) == folded }) { unique.append(url) }
    }
    guard unique.count < urls.count else { return }
    payload["URLs"] = .array(unique.map { .string($0) })
    note("URLs", "an address that was there twice is there once")
  }

  private var payloadCount: Int {
    guard case .array(let payloads)? = profile["PayloadContent"] else { return 1 }
    return payloads.count
  }

  private mutating func mendContainer(of payload: PropertyListValue?) {
    var whole = profile
    mendKeys(of: &whole, type: "Configuration")
    profile = whole
    // Other payloads of the profile may be for users.
    if profile["PayloadScope"] == .string("User"), payloadCount == 1,
      payload?["PlatformSSO"]?["UseSharedDeviceKeys"] == .bool(true)
    {
      profile["PayloadScope"] = .string("System")
      note("PayloadScope", "it is System, which UseSharedDeviceKeys needs")
    }
    guard let payload, case .array(var payloads)? = profile["PayloadContent"],
      let index = payloads.firstIndex(of: payload)
    else { return }
    for key in ["PayloadUUID", "PayloadIdentifier"] {
      guard let own = payload[key]?.text, let outer = profile[key]?.text, own.hasSameBytesIgnoringASCIICase(as: outer)
      else { continue }
      guard let new = key == "PayloadUUID" ? UUIDText.random() : identifier else { continue }
      payloads[index][key] = .string(new)
      note(key, "the payload had the profile's")
    }
    profile["PayloadContent"] = .array(payloads)
  }

  /// The keys that every profile has, and every payload.
  private mutating func mendKeys(of dictionary: inout PropertyListValue, type: String) {
    if dictionary["PayloadVersion"] != .integer(1) {
      dictionary["PayloadVersion"] = .integer(1)
      note("PayloadVersion", "that of \(type) is 1")
    }
    if dictionary["PayloadUUID"]?.text.map(UUIDText.isUUID) != true {
      dictionary["PayloadUUID"] = .string(UUIDText.random())
      note("PayloadUUID", "that of \(type) is a new one")
    }
    if dictionary["PayloadType"] != .string(type) {
      dictionary["PayloadType"] = .string(type)
      note("PayloadType", "it is \(type)")
    }
  }
}

extension PropertyListValue {
  fileprivate mutating func rename(_ key: String, to name: String) {
    guard case .dictionary(var entries) = self, let place = place(of: key) else { return }
    entries[place].key = name
    self = .dictionary(entries)
  }
}
