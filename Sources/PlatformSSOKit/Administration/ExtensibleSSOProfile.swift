import JOSE
import PureCrypto

/// What an administrator sets for Macs that log in by Platform SSO: the payload `com.apple.extensiblesso`, or the
/// declaration of the same settings.
///
/// What every profile has is a property. The other settings go by their keys in a configuration profile:
/// ```swift
/// try profile.set("LoginFrequency", to: .integer(7200))
/// try profile.set("TokenToUserMapping", to: .dictionary([.init("AccountName", .string("preferred_username"))]))
/// ```
/// In the payload itself stand `Type` (`Redirect` unless it is set), `ScreenLockedBehavior`, `DeniedBundleIdentifiers`,
/// `ExtensionData` and `RegistrationToken`; in its dictionary `PlatformSSO` are `LoginFrequency`,
/// `AllowDeviceIdentifiersInAttestation`, `AccountDisplayName`, `SynchronizeProfilePicture`, `EnableCreateUserAtLogin`,
/// `TokenToUserMapping`, `NewUserAuthorizationMode`, `NewUserAuthenticationMethods`, `EnableRegistrationDuringSetup`,
/// `EnableCreateFirstUserDuringSetup`, `TemporarySessionQuickLogin`, `EnableAuthorization`, `UserAuthorizationMode`,
/// `AdministratorGroups`, `AdditionalGroups`, `AuthorizationGroups`, `AccessKeyReaderGroupIdentifier`,
/// `AccessKeyTerminalIdentityUUID` and `AccessKeyReaderIssuerCertificateUUID` (the UUID of a payload, and a reference
/// to an asset in a declaration), `AllowAccessKeyExpressMode`, `FileVaultPolicy`, `LoginPolicy`, `UnlockPolicy`,
/// `OfflineGracePeriod`, `AuthenticationGracePeriod`, `NonPlatformSSOAccounts`, `WebLoginURLAllowList` and
/// `AllowWebLoginPasswordSync`.
///
/// The findings compare it with what the extension and the provider are configured to.
/// Source: Apple, device management, Extensible Single Sign-on.
public struct ExtensibleSSOProfile: Sendable, Equatable {
  /// How users log in: `AuthenticationMethod`.
  public enum AuthenticationMethod: String, Sendable, CaseIterable {
    /// With a password.
    case password = "Password"
    /// With a key in the Secure Enclave.
    case userSecureEnclaveKey = "UserSecureEnclaveKey"
    /// With a smart card.
    case smartCard = "SmartCard"
    /// With a browser (macOS 27).
    case openID = "OpenID"
  }

  /// The extension's bundle identifier.
  public var extensionIdentifier: String
  /// The extension's team.
  public var teamIdentifier: String
  /// Beginnings of the addresses that the extension answers for.
  public var urls: [String]
  /// How users log in.
  public var authenticationMethod: AuthenticationMethod
  /// Whether a Mac has one pair of keys for all users. Key requests, new accounts and browser logins need it.
  public var useSharedDeviceKeys: Bool
  /// Header fields that Macs add to their requests (macOS 27.2). The declaration has them; a configuration profile has
  /// no such key.
  public var additionalHTTPHeaders = AdditionalHTTPHeaders.none

  private var settings: [String: PropertyListValue] = ["Type": .string("Redirect")]

  /// What is wrong around the settings in the configuration profile that this one was read from.
  var payloadFindings = PayloadFindings()

  /// A profile of the settings that have no default.
  public init(
    extensionIdentifier: String, teamIdentifier: String, urls: [String], authenticationMethod: AuthenticationMethod,
    useSharedDeviceKeys: Bool = true
  ) {
    (self.extensionIdentifier, self.teamIdentifier, self.urls) = (extensionIdentifier, teamIdentifier, urls)
    (self.authenticationMethod, self.useSharedDeviceKeys) = (authenticationMethod, useSharedDeviceKeys)
  }

  /// A profile for a login configuration: its addresses' origins are the extension's, and its method one that the
  /// messages have.
  ///
  /// - Parameters:
  ///   - configuration: what the extension configures.
  ///   - extensionIdentifier: the extension's bundle identifier.
  ///   - teamIdentifier: the extension's team.
  ///   - authenticationMethod: how users log in.
  public init(
    for configuration: LoginConfiguration, extensionIdentifier: String, teamIdentifier: String,
    authenticationMethod: AuthenticationMethod
  ) {
    var origins: [String] = []
    for (_, url) in configuration.endpoints {
      if let origin = EndpointOrigin.of(url), !origins.contains(WireName(origin)) { origins.append(origin) }
    }
    self.init(
      extensionIdentifier: extensionIdentifier, teamIdentifier: teamIdentifier, urls: origins,
      authenticationMethod: authenticationMethod)
    additionalHTTPHeaders = configuration.additionalHTTPHeaders
    if authenticationMethod == .openID, let page = configuration.authorizationURL.flatMap(EndpointOrigin.of) {
      settings["WebLoginURLAllowList"] = .array([.string(page)])
    }
  }

  /// The value of a setting; nil if it has none, or if there is no setting of this key.
  public subscript(_ key: String) -> PropertyListValue? {
    // A dictionary of strings finds a key in another normal form, too.
    ProfileSetting.named(key).flatMap { settings[$0.key] }
  }

  /// Sets the value of a key, or takes it away.
  ///
  /// - Throws: `ErrorCode.claimInvalid`, named by the key, if there is no such setting or it has another type.
  public mutating func set(_ key: String, to value: PropertyListValue?) throws(JOSEError) {
    guard let setting = ProfileSetting.named(key) else {
      throw JOSEError(.claimInvalid, "the profile has no such setting", name: key)
    }
    try set(setting, to: value, name: key)
  }

  mutating func set(_ setting: ProfileSetting, to value: PropertyListValue?, name: String) throws(JOSEError) {
    settings[setting.key] = try value.flatMap { value throws(JOSEError) in try setting.checked(value, name: name) }
  }

  func texts(_ key: String) -> [String] { settings[key]?.texts ?? [] }

  func flag(_ key: String) -> Bool { settings[key] == .bool(true) }

  func number(_ key: String) -> Int64? {
    guard case .integer(let number)? = settings[key] else { return nil }
    return number
  }
}

extension ExtensibleSSOProfile: Redacted {}
