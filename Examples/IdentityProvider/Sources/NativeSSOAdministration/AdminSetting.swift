import NativeSSOKit
import StrictJSON

/// A setting as an administrator's page shows it.
struct AdminSetting: Sendable {
  /// The name in JSON. A dot leads into a nested object.
  let name: String
  let description: String
  /// The smallest and largest number, for one that is a number.
  var range: ClosedRange<Int>?
  /// The possible values, for a setting that is a choice.
  var options: [String] = []

  static let all = [
    AdminSetting(name: "enabled", description: "Enable Native SSO"),
    AdminSetting(name: "deviceSecretTTLDays", description: "Device secret lifetime in days", range: 1...90),
    AdminSetting(name: "maxDeviceSecretsPerUser", description: "Maximum device secrets per user", range: 1...50),
    AdminSetting(
      name: "maxSecretsBehavior", description: "Behavior when the maximum is exceeded",
      options: NativeSSOSettings.OverflowBehavior.allCases.map(\.rawValue)),
    AdminSetting(name: "allowCrossClientNativeSSO", description: "Allow SSO between different clients"),
    AdminSetting(
      name: "rateLimit.maxAttemptsPerMinute", description: "Token exchange attempts per minute", range: 1...100),
    AdminSetting(
      name: "rateLimit.blockDurationMinutes", description: "Minutes for which the rate limit blocks", range: 1...60),
    AdminSetting(
      name: "maxUseCountPerSecret", description: "Exchanges per device secret, or null for any number", range: 1...100),
    AdminSetting(name: "refuseExpiredIDToken", description: "Refuse expired ID tokens"),
    AdminSetting(name: "requireAudience", description: "Require the audience parameter"),
    AdminSetting(name: "acceptLegacyTokenType", description: "Accept the token type of drafts up to 06"),
    AdminSetting(name: "rotateOnExchange", description: "Replace the device secret on each exchange"),
    AdminSetting(name: "issueRefreshToken", description: "Issue a refresh token on exchange"),
  ]

  /// The value in settings.
  func value(_ settings: NativeSSOSettings) -> JSONValue {
    name.split(separator: ".").reduce(.object(settings.jsonObject)) { $0.objectValue?[String($1)] ?? .null }
  }
}
