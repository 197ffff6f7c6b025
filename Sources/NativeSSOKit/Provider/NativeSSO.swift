import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON

/// The provider's side of Native SSO: device secrets at login, the token exchange, logout and revocation.
///
/// ```swift
/// provider.native = NativeSSO(settings: SettingsResolver(try NativeSSOSettings(enabled: true)))
/// ```
///
/// Its changes are made in the commit of the login's code.
///
/// Source: OpenID Connect Native SSO for Mobile Apps 1.0, RFC 8693.
public struct NativeSSO: Sendable {
  /// The settings in force.
  public var settings: SettingsResolver
  /// What the code decides.
  public var policy: NativeSSOPolicy
  /// Told about every decision. Never about a secret.
  public var audit: @Sendable (AuditEvent) async -> Void
  /// What administrators see of the device that a token request comes from. Nothing, by default.
  public var describeDevice: @Sendable (FormFields) -> (name: String?, platform: String?) = { _ in (nil, nil) }

  /// Native SSO as these settings and this policy say.
  public init(
    settings: SettingsResolver, policy: NativeSSOPolicy = NativeSSOPolicy(),
    audit: @escaping @Sendable (AuditEvent) async -> Void = { _ in }
  ) {
    (self.settings, self.policy, self.audit) = (settings, policy, audit)
  }
}

extension NativeSSO: ProviderAddition {
  package func grants(of provider: OpenIDProvider) -> [TokenEndpoint.Grant] {
    [
      TokenEndpoint.Grant(GrantType.tokenExchange, repeatable: ["audience", "resource"]) { request in
        try await exchange(request, of: provider)
      }
    ]
  }

  /// None but `native_sso_supported: false` while the feature is off.
  package func discoveryMembers() async throws -> JSONObject {
    guard try await settings.settings().enabled else { return ["native_sso_supported": false] }
    var object: JSONObject = ["native_sso_supported": true]
    if policy.emitsSDKDiscoveryFlags {
      object["native_sso_token_exchange_supported"] = true
      object["native_sso_device_secret_supported"] = true
    }
    object["scopes_supported"] = [.string(Scope.openID.text), .string(Scope.deviceSSO.text)]
    object["claims_supported"] = ["ds_hash"]
    object["grant_types_supported"] = [.string(GrantType.tokenExchange)]
    return object
  }
}

extension OpenIDProvider {
  /// Native SSO, if the provider has it.
  public var native: NativeSSO? {
    get { addition as? NativeSSO }
    set { addition = newValue }
  }

  /// The device secrets.
  package var deviceSecretRecords: DeviceSecretRecords { DeviceSecretRecords(records) }

  /// A user's device secrets, whatever their state, the newest first.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if one can't be read; what the records throw.
  public func deviceSecrets(userID: String) async throws -> [DeviceSecretRecord] {
    try await deviceSecretRecords.records(userID: userID)
  }

  /// The device secret of this name, whatever its state.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if it can't be read; what the records throw.
  public func deviceSecret(id: String) async throws -> DeviceSecretRecord? {
    try await deviceSecretRecords.record(id: id)
  }
}

/// What the operator decides in code.
public struct NativeSSOPolicy: Sendable {
  /// Whether a login needs the scope `device_sso` for a device secret. If not, the client's registration decides, and
  /// refreshing never gives one.
  public var requiresDeviceSSOScope = true
  /// Which clients may share a login.
  public var sharing: SharingPolicy = .group
  /// How `ds_hash` is made.
  public var dsHash: DSHashBinding = .recipe(.leftHalfSHA256)
  /// For how long after `iat` an expired ID token is accepted. Default: the lifetime of a device secret.
  public var maximumIDTokenAge: Duration?
  /// Whether the misspelt ID token type of an example in draft 07 is accepted.
  public var acceptsMisspelledIDTokenType = false
  /// Whether a bad subject or actor token is `invalid_request`, to the letter of RFC 8693 §2.2.2, rather than
  /// `invalid_grant`.
  public var followsRFC8693Strictly = false
  /// Whether a device secret that a rotation has replaced, and that is presented after its grace, ends the device's
  /// login. Default: no, for it may be an app that has slept; ``AuditEvent/Kind/deviceSecretReused`` tells in any case.
  /// The last 16,384 secrets of a device are known, each for 90 days. An older one is refused, as any unknown one is.
  public var revokesReusedDeviceSecrets = false
  /// Where errors are documented. `error_uri` is this and a fragment.
  public var errorDocumentation: String?
  /// Whether discovery carries the SDK profile's two flags too.
  public var emitsSDKDiscoveryFlags = false

  /// The defaults.
  public init() {}

  /// As an Authrim server behaves, as far as that is safe: its settings say `maxUseCountPerSecret: 10`.
  public static var authrim: NativeSSOPolicy {
    var policy = NativeSSOPolicy()
    policy.requiresDeviceSSOScope = false
    policy.sharing = .pairwiseConsent
    policy.emitsSDKDiscoveryFlags = true
    return policy
  }
}

/// One decision of a provider, for its audit log. Holds names, never a secret, hash or token.
public struct AuditEvent: Sendable, Hashable {
  /// What was decided.
  public enum Kind: String, Sendable, Hashable {
    /// A device secret was made.
    case deviceSecretIssued
    /// A login got no device secret, because the user has as many as allowed.
    case deviceSecretWithheld
    /// An exchange gave tokens.
    case exchangeGranted
    /// An exchange was refused.
    case exchangeRefused
    /// A device secret was presented after a rotation had replaced it and its grace had ended, within 90 days and
    /// 16,384 rotations.
    case deviceSecretReused
    /// A client revoked a token.
    case tokenRevoked
  }

  /// What was decided.
  public let kind: Kind
  /// The client, if it is a registered one.
  public var clientID: String?
  /// The user concerned, as sessions name it; nil if a refused request named none.
  public var userID: String?
  /// `sid` of the session concerned; nil if there is none.
  public var sessionID: String?
  /// The device secret's record.
  public var deviceSecretID: String?
  /// Why it was refused: which check, for the operator alone.
  public var check: String?

  init(
    _ kind: Kind, clientID: String? = nil, userID: String? = nil, sessionID: String? = nil,
    deviceSecretID: String? = nil, check: String? = nil
  ) {
    (self.kind, self.check) = (kind, check)
    (self.clientID, self.userID) = (clientID, userID)
    (self.sessionID, self.deviceSecretID) = (sessionID, deviceSecretID)
  }
}
