import JOSE

/// A setting of a profile: its key, what it may be, and where the declaration has it.
struct ProfileSetting {
  enum Kind {
    case text, number, texts, octets, dictionary
    /// A dictionary of texts.
    case names
    /// One of some texts.
    case choice([String])
    /// Yes or no; what it is when it is absent.
    case flag(absent: Bool)
  }

  /// The key in a configuration profile.
  let key: String
  let kind: Kind
  /// Whether the key stands in the payload itself, and not in its dictionary `PlatformSSO`.
  var isOuter = false
  /// The names that lead to it in a declaration's payload.
  let path: [String]

  private init(_ key: String, _ kind: Kind, _ group: String? = nil, _ name: String? = nil) {
    (self.key, self.kind) = (key, kind)
    path = ["PlatformSSO"] + (group.map { [$0] } ?? []) + [name ?? key]
  }

  private init(outer key: String, _ kind: Kind, path: [String]? = nil) {
    (self.key, self.kind, isOuter) = (key, kind, true)
    self.path = path ?? [key]
  }

  /// The setting with a key.
  static func named(_ key: String) -> ProfileSetting? { all.first { WireName($0.key) == key } }

  /// The value in its form, or nil if it says what its absence says.
  ///
  /// - Parameter name: what an error calls it.
  func checked(_ value: PropertyListValue, name: String) throws(JOSEError) -> PropertyListValue? {
    switch (kind, value) {
    case (.text, .string), (.number, .integer), (.octets, .data): return value
    case (.flag(let absent), .bool(let flag)): return flag == absent ? nil : value
    case (.choice(let known), .string(let text)) where known.contains(WireName(text)): return value
    case (.texts, .array(let elements)) where value.texts != nil: return elements.isEmpty ? nil : value
    case (.dictionary, .dictionary(let entries)): return entries.isEmpty ? nil : value
    case (.names, .dictionary(let entries)) where entries.allSatisfy({ $0.value.text != nil }):
      return entries.isEmpty ? nil : value
    case (.octets, .string(let text)):
      // JSON has no data: 16 octets may be hexadecimal, others are base64.
      if let octets = Self.hexadecimal(text) ?? AnyBase64.decode(text) { return .data(octets) }
    default: break
    }
    throw JOSEError(.claimInvalid, "the key has an unexpected type or value", name: name)
  }

  private static func hexadecimal(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap(\.hexadecimalValue)
    guard digits.count == 32, text.utf8.count == 32 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static let modes = Kind.choice(["Standard", "Admin", "Groups", "Temporary"])

  /// All settings, in the order in which they are written.
  static let all = [
    ProfileSetting(outer: "Type", .text), ProfileSetting(outer: "ScreenLockedBehavior", .text),
    ProfileSetting(outer: "DeniedBundleIdentifiers", .texts), ProfileSetting(outer: "ExtensionData", .dictionary),
    ProfileSetting(outer: "RegistrationToken", .text, path: ["PlatformSSO", "RegistrationToken"]),
    ProfileSetting("LoginFrequency", .number), ProfileSetting("AllowDeviceIdentifiersInAttestation", no),
    ProfileSetting("AccountDisplayName", .text, "Account", "DisplayName"),
    ProfileSetting("SynchronizeProfilePicture", no, "Account"),
    ProfileSetting("EnableCreateUserAtLogin", no, "UserCreation", "EnableAtLogin"),
    ProfileSetting("TokenToUserMapping", .names, "UserCreation"),
    ProfileSetting("NewUserAuthorizationMode", modes, "UserCreation"),
    ProfileSetting("NewUserAuthenticationMethods", .texts, "UserCreation"),
    ProfileSetting("EnableRegistrationDuringSetup", no, "UserCreation"),
    ProfileSetting(
      "EnableCreateFirstUserDuringSetup", .flag(absent: true), "UserCreation", "EnableFirstUserDuringSetup"),
    ProfileSetting("TemporarySessionQuickLogin", no, "UserCreation"),
    ProfileSetting("EnableAuthorization", no, "Authorization", "EnableIdentityProviderAccounts"),
    ProfileSetting("UserAuthorizationMode", modes, "Authorization"),
    ProfileSetting("AdministratorGroups", .texts, "Authorization"),
    ProfileSetting("AdditionalGroups", .texts, "Authorization"),
    ProfileSetting("AuthorizationGroups", .names, "Authorization"),
    ProfileSetting("AccessKeyReaderGroupIdentifier", .octets, "AccessKey", "ReaderGroupIdentifier"),
    ProfileSetting("AccessKeyTerminalIdentityUUID", .text, "AccessKey", "TerminalIdentityAssetReference"),
    ProfileSetting("AccessKeyReaderIssuerCertificateUUID", .text, "AccessKey", "ReaderIssuerCertificateAssetReference"),
    ProfileSetting("AllowAccessKeyExpressMode", no, "AccessKey", "AllowExpressMode"),
    ProfileSetting("FileVaultPolicy", .texts, "Policies", "FileVault"),
    ProfileSetting("LoginPolicy", .texts, "Policies", "Login"),
    ProfileSetting("UnlockPolicy", .texts, "Policies", "Unlock"),
    ProfileSetting("OfflineGracePeriod", .number, "Policies"),
    ProfileSetting("AuthenticationGracePeriod", .number, "Policies"),
    ProfileSetting("NonPlatformSSOAccounts", .texts, "Policies"),
    ProfileSetting("WebLoginURLAllowList", .texts, "WebAuthentication", "URLAllowList"),
    ProfileSetting("AllowWebLoginPasswordSync", no, "WebAuthentication", "AllowPasswordSync"),
  ]

  private static let no = Kind.flag(absent: false)
}
