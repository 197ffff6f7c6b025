import StrictJSON

extension ExtensibleSSOProfile {
  /// Reads a configuration profile, or a property list of the payload alone. Of several payloads the first with
  /// Platform SSO counts.
  ///
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`,
  ///   `ErrorCode.claimMissing` and `ErrorCode.claimInvalid` with the key,
  ///   `ErrorCode.fieldInvalid` for additional header fields.
  public init(configurationProfile octets: [UInt8]) throws(PlatformSSOError) {
    let root = try PropertyListValue(xmlDocument: octets)
    var payloads = [root]
    if case .array(let content)? = root["PayloadContent"] { payloads = content }
    guard let payload = payloads.first(where: { $0["PlatformSSO"] != nil }) else {
      throw PlatformSSOError(.claimMissing, "no payload has Platform SSO", name: "PlatformSSO")
    }
    try self.init(payload: payload)
  }

  /// Reads the payload `com.apple.extensiblesso`. Keys that messages and checks have nothing to do with are passed
  /// over.
  ///
  /// - Throws: `ErrorCode.claimMissing` and `ErrorCode.claimInvalid` with the key,
  ///   `ErrorCode.limitExceeded` and `ErrorCode.fieldInvalid` for additional header fields.
  public init(payload: PropertyListValue) throws(PlatformSSOError) {
    let outer = ProfileMembers(payload)
    guard let platformSSO = payload["PlatformSSO"] else { throw outer.missing("PlatformSSO") }
    let inner = ProfileMembers(platformSSO)
    guard let method = AuthenticationMethod(rawValue: try inner.string("AuthenticationMethod")) else {
      throw inner.invalid("AuthenticationMethod")
    }
    self.init(
      extensionIdentifier: try outer.string("ExtensionIdentifier"), teamIdentifier: try outer.string("TeamIdentifier"),
      urls: try outer.strings("URLs"), authenticationMethod: method,
      useSharedDeviceKeys: try inner.bool("UseSharedDeviceKeys"))
    type = try outer.string("Type")
    screenLockedBehavior = try outer.string(ifPresent: "ScreenLockedBehavior")
    deniedBundleIdentifiers = try outer.strings("DeniedBundleIdentifiers")
    extensionData = try outer.entries("ExtensionData")
    registrationToken = try outer.string(ifPresent: "RegistrationToken")
    try readUsers(inner)
    policies.fileVault = try inner.strings("FileVaultPolicy")
    policies.login = try inner.strings("LoginPolicy")
    policies.unlock = try inner.strings("UnlockPolicy")
    policies.offlineGracePeriod = try inner.integer("OfflineGracePeriod")
    policies.authenticationGracePeriod = try inner.integer("AuthenticationGracePeriod")
    policies.nonPlatformSSOAccounts = try inner.strings("NonPlatformSSOAccounts")
    allowDeviceIdentifiersInAttestation = try inner.bool("AllowDeviceIdentifiersInAttestation")
    webLoginURLAllowList = try inner.strings("WebLoginURLAllowList")
    allowWebLoginPasswordSync = try inner.bool("AllowWebLoginPasswordSync")
    // A Mac finds no header fields here. Who wrote some is told so: see findings(as:).
    additionalHTTPHeaders = try inner.headerFields()
  }

  private mutating func readUsers(_ inner: ProfileMembers) throws(PlatformSSOError) {
    accountDisplayName = try inner.string(ifPresent: "AccountDisplayName")
    loginFrequency = try inner.integer("LoginFrequency")
    enableAuthorization = try inner.bool("EnableAuthorization")
    enableCreateUserAtLogin = try inner.bool("EnableCreateUserAtLogin")
    newUserAuthenticationMethods = try inner.strings("NewUserAuthenticationMethods")
    enableRegistrationDuringSetup = try inner.bool("EnableRegistrationDuringSetup")
    enableCreateFirstUserDuringSetup = try inner.bool("EnableCreateFirstUserDuringSetup", default: true)
    temporarySessionQuickLogin = try inner.bool("TemporarySessionQuickLogin")
    synchronizeProfilePicture = try inner.bool("SynchronizeProfilePicture")
    accessKey = try AccessKey(
      inner, group: "AccessKeyReaderGroupIdentifier", terminal: "AccessKeyTerminalIdentityUUID",
      issuer: "AccessKeyReaderIssuerCertificateUUID", express: "AllowAccessKeyExpressMode")
    let mapping = try inner.nested(ifPresent: "TokenToUserMapping")
    accountNameClaim = try mapping.string(ifPresent: "AccountName")
    fullNameClaim = try mapping.string(ifPresent: "FullName")
    newUserAuthorizationMode = try inner.mode("NewUserAuthorizationMode")
    userAuthorizationMode = try inner.mode("UserAuthorizationMode")
    administratorGroups = try inner.strings("AdministratorGroups")
    additionalGroups = try inner.strings("AdditionalGroups")
    authorizationGroups = try inner.entries("AuthorizationGroups")
  }
}

extension ExtensibleSSOProfile.AccessKey {
  /// The access key of members with these names, or nil if none is there.
  init?(
    _ members: ProfileMembers, group: String, terminal: String, issuer: String, express: String
  ) throws(PlatformSSOError) {
    self.init()
    readerGroupIdentifier = try members.octets(group)
    terminalIdentity = try members.string(ifPresent: terminal)
    readerIssuerCertificate = try members.string(ifPresent: issuer)
    allowExpressMode = try members.bool(express)
    if self == Self() { return nil }
  }
}

/// The members of a dictionary in a profile. One of another type is an error, never an absent one.
struct ProfileMembers {
  let dictionary: PropertyListValue

  init(_ dictionary: PropertyListValue) { self.dictionary = dictionary }

  func missing(_ key: String) -> PlatformSSOError {
    PlatformSSOError(.claimMissing, "a required key is absent", name: key)
  }

  func invalid(_ key: String) -> PlatformSSOError {
    PlatformSSOError(.claimInvalid, "the key has another type or value than it must have", name: key)
  }

  func string(_ key: String) throws(PlatformSSOError) -> String {
    guard let text = try string(ifPresent: key) else { throw missing(key) }
    return text
  }

  func string(ifPresent key: String) throws(PlatformSSOError) -> String? {
    guard let value = dictionary[key] else { return nil }
    guard case .string(let text) = value else { throw invalid(key) }
    return text
  }

  func bool(_ key: String, default absent: Bool = false) throws(PlatformSSOError) -> Bool {
    guard let value = dictionary[key] else { return absent }
    guard case .bool(let bool) = value else { throw invalid(key) }
    return bool
  }

  func integer(_ key: String) throws(PlatformSSOError) -> Int? {
    guard let value = dictionary[key] else { return nil }
    guard case .integer(let integer) = value, let number = Int(exactly: integer) else { throw invalid(key) }
    return number
  }

  func strings(_ key: String) throws(PlatformSSOError) -> [String] {
    guard let value = dictionary[key] else { return [] }
    guard case .array(let elements) = value else { throw invalid(key) }
    var strings: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw invalid(key) }
      strings.append(text)
    }
    return strings
  }

  /// A dictionary that must be there.
  func nested(_ key: String) throws(PlatformSSOError) -> ProfileMembers {
    guard dictionary[key] != nil else { throw missing(key) }
    return try nested(ifPresent: key)
  }

  /// A dictionary; an empty one if it is absent.
  func nested(ifPresent key: String) throws(PlatformSSOError) -> ProfileMembers {
    ProfileMembers(.dictionary(try entries(key)))
  }

  /// Octets: data, or text in base64, as JSON has them; 16 octets may be hexadecimal too.
  func octets(_ key: String) throws(PlatformSSOError) -> [UInt8]? {
    switch dictionary[key] {
    case nil: return nil
    case .data(let octets)?: return octets
    case .string(let text)?:
      guard let octets = Self.hexadecimal(text) ?? AnyBase64.decode(text) else { throw invalid(key) }
      return octets
    default: throw invalid(key)
    }
  }

  private static func hexadecimal(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 32, text.utf8.count == 32 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// `AdditionalHTTPHeaders`.
  func headerFields() throws(PlatformSSOError) -> AdditionalHTTPHeaders {
    var fields: [CustomValue] = []
    for entry in try entries("AdditionalHTTPHeaders") {
      guard case .string(let value) = entry.value else { throw invalid("AdditionalHTTPHeaders") }
      fields.append(CustomValue(entry.key, value))
    }
    return try AdditionalHTTPHeaders(fields)
  }

  func entries(_ key: String) throws(PlatformSSOError) -> [PropertyListValue.Entry] {
    guard let value = dictionary[key] else { return [] }
    guard case .dictionary(let entries) = value else { throw invalid(key) }
    return entries
  }

  func mode(_ key: String) throws(PlatformSSOError) -> ExtensibleSSOProfile.AuthorizationMode? {
    guard let text = try string(ifPresent: key) else { return nil }
    guard let mode = ExtensibleSSOProfile.AuthorizationMode(rawValue: text) else { throw invalid(key) }
    return mode
  }
}
