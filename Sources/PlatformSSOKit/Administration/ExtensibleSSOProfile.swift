import JOSE
import PureCrypto
import StrictJSON

/// What an administrator sets for Macs that log in by Platform SSO: the payload `com.apple.extensiblesso`, or the
/// declaration of the same settings.
///
/// Its findings compare it with what the extension and the provider are configured to.
/// Source: Apple, device management, Extensible Single Sign-on.
public struct ExtensibleSSOProfile: Sendable, Hashable {
  /// How users log in: `AuthenticationMethod`.
  public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    /// With a password.
    case password = "Password"
    /// With a key in the Secure Enclave.
    case userSecureEnclaveKey = "UserSecureEnclaveKey"
    /// With a smart card.
    case smartCard = "SmartCard"
    /// With a browser (macOS 27).
    case openID = "OpenID"
  }

  /// What rights an account has: `NewUserAuthorizationMode`, `UserAuthorizationMode`.
  public enum AuthorizationMode: String, Sendable, Hashable, CaseIterable {
    /// A standard account.
    case standard = "Standard"
    /// An administrator's.
    case admin = "Admin"
    /// What its groups say.
    case groups = "Groups"
    /// A session that leaves nothing behind; for new users only.
    case temporary = "Temporary"
  }

  /// What a Mac does at FileVault, login window and screen lock, as the profile writes it.
  public struct Policies: Sendable, Hashable {
    /// `FileVaultPolicy`.
    public var fileVault: [String] = []
    /// `LoginPolicy`.
    public var login: [String] = []
    /// `UnlockPolicy`.
    public var unlock: [String] = []
    /// `OfflineGracePeriod`, in seconds.
    public var offlineGracePeriod: Int?
    /// `AuthenticationGracePeriod`, in seconds.
    public var authenticationGracePeriod: Int?
    /// `NonPlatformSSOAccounts`: local accounts that are left alone.
    public var nonPlatformSSOAccounts: [String] = []

    /// No policies.
    public init() {}
  }

  /// Tap to Login (macOS 26): how a Mac reads a user's access key.
  public struct AccessKey: Sendable, Hashable {
    /// `AccessKeyReaderGroupIdentifier`.
    public var readerGroupIdentifier: [UInt8]?
    /// The reader's identity: the UUID of a payload in a profile, a reference to an asset in a declaration.
    public var terminalIdentity: String?
    /// The certificate of the readers' issuer (macOS 26.2), named alike.
    public var readerIssuerCertificate: String?
    /// `AllowAccessKeyExpressMode`.
    public var allowExpressMode = false

    /// Nothing set.
    public init() {}
  }

  /// The extension's bundle identifier.
  public var extensionIdentifier: String
  /// The extension's team.
  public var teamIdentifier: String
  /// `Redirect` for Platform SSO.
  public var type = "Redirect"
  /// Beginnings of the addresses that the extension answers for.
  public var urls: [String]
  /// `ScreenLockedBehavior`, `Cancel` or `DoNotHandle`.
  public var screenLockedBehavior: String?
  /// `DeniedBundleIdentifiers`: applications that the extension does not serve.
  public var deniedBundleIdentifiers: [String] = []
  /// `ExtensionData`: what the extension reads.
  public var extensionData: [PropertyListValue.Entry] = []
  /// `RegistrationToken`: what the extension registers the device with.
  public var registrationToken: String?
  /// How users log in.
  public var authenticationMethod: AuthenticationMethod
  /// Whether a Mac has one pair of keys for all users. Key requests, new accounts and browser logins need it.
  public var useSharedDeviceKeys: Bool
  /// What the account is called in System Settings.
  public var accountDisplayName: String?
  /// Seconds from one full login to the next; 64 800 if nil, 3600 at least.
  public var loginFrequency: Int?
  /// Whether administrators' rights may come from the provider.
  public var enableAuthorization = false
  /// Whether the login window makes accounts.
  public var enableCreateUserAtLogin = false
  /// `TokenToUserMapping`: the claim with the short name of a new account.
  public var accountNameClaim: String?
  /// `TokenToUserMapping`: the claim with the full name of a new account.
  public var fullNameClaim: String?
  /// What rights new accounts have.
  public var newUserAuthorizationMode: AuthorizationMode?
  /// How new users may log in (macOS 26): of `Password`, `SmartCard`, `AccessKey` and `OpenID`. The first two if empty.
  public var newUserAuthenticationMethods: [String] = []
  /// Whether Setup Assistant registers the Mac (macOS 26).
  public var enableRegistrationDuringSetup = false
  /// Whether Setup Assistant makes the first account of the user who logs in (macOS 26). Macs do unless told not to.
  public var enableCreateFirstUserDuringSetup = true
  /// Whether sessions that leave nothing behind begin quickly, with the volume erased every eight hours only (macOS
  /// 26).
  public var temporarySessionQuickLogin = false
  /// Whether the account's picture is the one of the `id_token` (macOS 26).
  public var synchronizeProfilePicture = false
  /// Tap to Login; nil for none.
  public var accessKey: AccessKey?
  /// What rights accounts have after each login.
  public var userAuthorizationMode: AuthorizationMode?
  /// Groups whose members are administrators.
  public var administratorGroups: [String] = []
  /// Groups that are made on the Mac.
  public var additionalGroups: [String] = []
  /// What groups may do, by the right's name.
  public var authorizationGroups: [PropertyListValue.Entry] = []
  /// Policies at FileVault, login window and screen lock.
  public var policies = Policies()
  /// Whether attestations carry serial number and UDID (macOS 15.4).
  public var allowDeviceIdentifiersInAttestation = false
  /// Hosts that a login by a browser may show (macOS 27).
  public var webLoginURLAllowList: [String] = []
  /// Whether the page of a login by a browser may give the Mac the password (macOS 27).
  public var allowWebLoginPasswordSync = false
  /// Header fields that Macs add to their requests (macOS 27.2). The declaration has them; a configuration profile has
  /// no such key.
  public var additionalHTTPHeaders = AdditionalHTTPHeaders.none

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
      if let origin = EndpointOrigin.of(url), !origins.containsBytes(of: origin) { origins.append(origin) }
    }
    self.init(
      extensionIdentifier: extensionIdentifier, teamIdentifier: teamIdentifier, urls: origins,
      authenticationMethod: authenticationMethod)
    additionalHTTPHeaders = configuration.additionalHTTPHeaders
    if authenticationMethod == .openID {
      webLoginURLAllowList = configuration.authorizationURL.flatMap(EndpointOrigin.of).map { [$0] } ?? []
    }
  }
}

extension ExtensibleSSOProfile: Redacted {}
