import JOSE
import StrictJSON

/// The settings of a provider that an administrator may change: the configuration reference, with its ranges and
/// defaults.
///
/// Every value of this type is in range. `updating(with:)` is strict, `loading(_:)` lenient.
public struct NativeSSOSettings: Sendable, Hashable {
  /// Whether Native SSO is on. Default: off. Off also makes existing device secrets unusable.
  package internal(set) var enabled = false
  /// Lifetime of a device secret in days, 1 to 90.
  package var deviceSecretTTLDays = 30
  /// Live device secrets that a user may have, 1 to 50. Default: 10.
  package internal(set) var maxDeviceSecretsPerUser = 10
  /// What happens to one more. Default: the oldest is revoked.
  package internal(set) var maxSecretsBehavior = OverflowBehavior.revokeOldest
  /// Whether clients may share logins under ``SharingPolicy/pairwiseConsent``. Default: no.
  package internal(set) var allowCrossClientNativeSSO = false
  /// Attempts a minute, 1 to 100. Default: 10.
  package internal(set) var maxAttemptsPerMinute = 10
  /// Minutes for which one attempt too many blocks, 1 to 60.
  package var blockDurationMinutes = 15
  /// Exchanges that a device secret serves before it is revoked, 1 to 100. Default: any number.
  package internal(set) var maxUseCountPerSecret: Int?
  /// Whether an expired ID token is refused. Default: no; the session and the secret tell freshness.
  package internal(set) var refuseExpiredIDToken = false
  /// Whether `audience` must be given. Default: no; if given it must be the issuer in any case.
  package internal(set) var requireAudience = false
  /// Whether the old spelling of the device secret's token type is accepted. Default: yes.
  package internal(set) var acceptLegacyTokenType = true
  /// Whether an exchange replaces the device secret. Default: no.
  package internal(set) var rotateOnExchange = false
  /// Whether an exchange gives a refresh token. Default: yes.
  package internal(set) var issueRefreshToken = true

  /// What happens when a user has as many device secrets as allowed and logs in once more.
  public enum OverflowBehavior: String, Sendable, Hashable, CaseIterable {
    /// The oldest is revoked.
    case revokeOldest = "revoke_oldest"
    /// The login gets no device secret.
    case reject
  }

  /// The defaults.
  public init() {}

  /// Settings that differ from the defaults only where given. ``jsonObject`` shows them.
  ///
  /// - Throws: `ErrorCode.settingInvalid`, naming the setting that is out of range.
  public init(
    enabled: Bool, deviceSecretLifetime: Duration = .seconds(30 * 86_400), maxDeviceSecretsPerUser: Int = 10,
    maxSecretsBehavior: OverflowBehavior = .revokeOldest, allowCrossClientNativeSSO: Bool = false,
    maxAttemptsPerMinute: Int = 10, blockDuration: Duration = .seconds(900), maxUseCountPerSecret: Int? = nil,
    refuseExpiredIDToken: Bool = false, requireAudience: Bool = false, acceptLegacyTokenType: Bool = true,
    rotateOnExchange: Bool = false, issueRefreshToken: Bool = true
  ) throws(JOSEError) {
    self.enabled = enabled
    deviceSecretTTLDays = Self.count(of: 86_400, in: deviceSecretLifetime)
    (self.maxDeviceSecretsPerUser, self.maxSecretsBehavior) = (maxDeviceSecretsPerUser, maxSecretsBehavior)
    (self.allowCrossClientNativeSSO, self.maxAttemptsPerMinute) = (allowCrossClientNativeSSO, maxAttemptsPerMinute)
    (self.blockDurationMinutes, self.maxUseCountPerSecret) = (
      Self.count(of: 60, in: blockDuration), maxUseCountPerSecret
    )
    (self.refuseExpiredIDToken, self.requireAudience) = (refuseExpiredIDToken, requireAudience)
    (self.acceptLegacyTokenType, self.rotateOnExchange) = (acceptLegacyTokenType, rotateOnExchange)
    self.issueRefreshToken = issueRefreshToken
    var copy = self
    for setting in SettingDefinition.all { try setting.set(&copy, setting.value(self)) }
  }

  /// Lifetime of a device secret, 1 to 90 days. Default: 30.
  package var deviceSecretLifetime: Duration { .seconds(deviceSecretTTLDays * 86_400) }
  /// For how long one attempt too many blocks, 1 to 60 minutes. Default: 15.
  package var blockDuration: Duration { .seconds(blockDurationMinutes * 60) }

  /// How many units of this many seconds a duration has; -1, which no setting allows, if they are not whole.
  private static func count(of seconds: Double, in duration: Duration) -> Int {
    Int(exactly: duration.inSeconds / seconds) ?? -1
  }
}

extension NativeSSOSettings {
  /// The settings as plain JSON, `rateLimit` nested.
  public var jsonObject: JSONObject {
    var object = JSONObject()
    for setting in SettingDefinition.all { object.set(setting.value(self), at: setting.name) }
    return object
  }

  /// These settings with some replaced. Those that `changes` does not name keep their values; `rateLimit` merges member
  /// by member.
  ///
  /// - Throws: `ErrorCode.settingInvalid`, naming a setting that is unknown, of another type or out of
  ///   range. Nothing is changed then.
  package func updating(with changes: JSONObject) throws(JOSEError) -> NativeSSOSettings {
    var settings = self
    for (name, value) in try changes.flattened() {
      guard let definition = SettingDefinition.all.first(where: { WireName($0.name) == name }) else {
        throw JOSEError(.settingInvalid, "there is no such setting")
      }
      try definition.set(&settings, value)
    }
    return settings
  }

  /// The defaults with what can be made of stored values; see ``updating(with:)`` for the strict way.
  package static func loading(_ stored: JSONObject) -> NativeSSOSettings {
    var settings = NativeSSOSettings()
    for definition in SettingDefinition.all {
      if let value = stored.value(at: definition.name) { definition.load(&settings, value) }
    }
    return settings
  }
}

extension JSONObject {
  /// The value at a name, where a dot leads into a nested object.
  func value(at name: String) -> JSONValue? {
    let parts = name.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return self[name] }
    return self[String(parts[0])]?.objectValue?[String(parts[1])]
  }

  /// Sets the value at a name, where a dot leads into a nested object.
  mutating func set(_ value: JSONValue, at name: String) {
    let parts = name.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else {
      self[name] = value
      return
    }
    var nested = self[String(parts[0])]?.objectValue ?? [:]
    nested[String(parts[1])] = value
    self[String(parts[0])] = .object(nested)
  }

  /// The members with `rateLimit` taken apart.
  fileprivate func flattened() throws(JOSEError) -> [(String, JSONValue)] {
    var flat: [(String, JSONValue)] = []
    for (name, value) in members {
      guard WireName(name) == "rateLimit" else {
        flat.append((name, value))
        continue
      }
      guard case .object(let nested) = value else {
        throw JOSEError(.settingInvalid, "the setting is not an object", name: "rateLimit")
      }
      for (inner, value) in nested.members { flat.append(("rateLimit." + inner, value)) }
    }
    return flat
  }
}
