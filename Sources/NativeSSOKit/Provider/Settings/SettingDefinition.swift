import StrictJSON

/// One row of the configuration reference.
package struct SettingDefinition: Sendable {
  /// The type and range of a setting, and where it is kept.
  enum Kind: Sendable {
    case bool(WritableKeyPath<NativeSSOSettings, Bool> & Sendable)
    case integer(WritableKeyPath<NativeSSOSettings, Int> & Sendable, ClosedRange<Int>)
    case limit(WritableKeyPath<NativeSSOSettings, Int?> & Sendable, ClosedRange<Int>)
    case overflow
  }

  /// The name in JSON. A dot leads into a nested object.
  package let name: String
  /// The name in the environment.
  let environmentName: String
  let kind: Kind
  package let description: String

  private init(_ name: String, _ environmentName: String, _ kind: Kind, _ description: String) {
    self.name = name
    self.environmentName = "NATIVE_SSO_" + environmentName
    self.kind = kind
    self.description = description
  }

  /// The configuration reference.
  package static let all = [
    SettingDefinition("enabled", "ENABLED", .bool(\.enabled), "Enable Native SSO"),
    SettingDefinition(
      "deviceSecretTTLDays", "DEVICE_SECRET_TTL_DAYS", .integer(\.deviceSecretTTLDays, 1...90),
      "Device secret lifetime in days"),
    SettingDefinition(
      "maxDeviceSecretsPerUser", "MAX_DEVICE_SECRETS_PER_USER", .integer(\.maxDeviceSecretsPerUser, 1...50),
      "Maximum device secrets per user"),
    SettingDefinition(
      "maxSecretsBehavior", "MAX_SECRETS_BEHAVIOR", .overflow, "Behavior when the maximum is exceeded"),
    SettingDefinition(
      "allowCrossClientNativeSSO", "ALLOW_CROSS_CLIENT", .bool(\.allowCrossClientNativeSSO),
      "Allow SSO between different clients"),
    SettingDefinition(
      "rateLimit.maxAttemptsPerMinute", "RATE_LIMIT_MAX_ATTEMPTS_PER_MINUTE", .integer(\.maxAttemptsPerMinute, 1...100),
      "Token exchange attempts per minute"),
    SettingDefinition(
      "rateLimit.blockDurationMinutes", "RATE_LIMIT_BLOCK_DURATION_MINUTES", .integer(\.blockDurationMinutes, 1...60),
      "Minutes for which the rate limit blocks"),
    SettingDefinition(
      "maxUseCountPerSecret", "MAX_USE_COUNT_PER_SECRET", .limit(\.maxUseCountPerSecret, 1...100),
      "Exchanges per device secret, or null for any number"),
    SettingDefinition(
      "refuseExpiredIDToken", "REFUSE_EXPIRED_ID_TOKEN", .bool(\.refuseExpiredIDToken), "Refuse expired ID tokens"),
    SettingDefinition(
      "requireAudience", "REQUIRE_AUDIENCE", .bool(\.requireAudience), "Require the audience parameter"),
    SettingDefinition(
      "acceptLegacyTokenType", "ACCEPT_LEGACY_TOKEN_TYPE", .bool(\.acceptLegacyTokenType),
      "Accept the token type of drafts up to 06"),
    SettingDefinition(
      "rotateOnExchange", "ROTATE_ON_EXCHANGE", .bool(\.rotateOnExchange), "Replace the device secret on each exchange"),
    SettingDefinition(
      "issueRefreshToken", "ISSUE_REFRESH_TOKEN", .bool(\.issueRefreshToken), "Issue a refresh token on exchange"),
  ]

  /// What can be chosen from; nil where it is not a choice.
  package var options: [String]? {
    guard case .overflow = kind else { return nil }
    return NativeSSOSettings.OverflowBehavior.allCases.map(\.rawValue)
  }

  /// The value in settings.
  package func value(_ settings: NativeSSOSettings) -> JSONValue {
    switch kind {
    case .bool(let path): .bool(settings[keyPath: path])
    case .integer(let path, _): .number(JSONNumber(settings[keyPath: path]))
    case .limit(let path, _): settings[keyPath: path].map { .number(JSONNumber($0)) } ?? .null
    case .overflow: .string(settings.maxSecretsBehavior.rawValue)
    }
  }

  /// Takes a value of exactly the right type and range.
  ///
  /// - Throws: `ErrorCode.settingInvalid`.
  func set(_ settings: inout NativeSSOSettings, _ value: JSONValue) throws(NativeSSOError) {
    switch (kind, value) {
    case (.bool(let path), .bool(let flag)):
      settings[keyPath: path] = flag
    case (.integer(let path, let range), .number(let number)):
      settings[keyPath: path] = try integer(number, in: range)
    case (.limit(let path, let range), .number(let number)):
      settings[keyPath: path] = try integer(number, in: range)
    case (.limit(let path, _), .null):
      settings[keyPath: path] = nil
    case (.overflow, .string(let text)):
      guard let behavior = NativeSSOSettings.OverflowBehavior(rawValue: text) else { throw invalid }
      settings.maxSecretsBehavior = behavior
    default: throw invalid
    }
  }

  private func integer(_ number: JSONNumber, in range: ClosedRange<Int>) throws(NativeSSOError) -> Int {
    guard let value = number.exactly(Int.self), range.contains(value) else { throw invalid }
    return value
  }

  private var invalid: NativeSSOError {
    NativeSSOError(.settingInvalid, "the setting has another type or range", name: name)
  }

  /// Takes what can be made of a stored or environment value: numbers are rounded down and moved into the range; what
  /// is not a number, not finite, or of another type leaves the default.
  func load(_ settings: inout NativeSSOSettings, _ value: JSONValue) {
    switch (kind, value) {
    case (.integer(let path, let range), .number(let number)):
      settings[keyPath: path] = Self.clamped(number.double, range)
    case (.limit(let path, let range), .number(let number)):
      settings[keyPath: path] = Self.clamped(number.double, range)
    default:
      try? set(&settings, value)
    }
  }

  private static func clamped(_ value: Double, _ range: ClosedRange<Int>) -> Int {
    // Comparing before converting: a Double beyond Int would trap.
    let floor = value.rounded(.down)
    if floor <= Double(range.lowerBound) { return range.lowerBound }
    return floor >= Double(range.upperBound) ? range.upperBound : Int(floor)
  }

  /// An environment variable's text as the JSON value it means.
  func value(environment text: String) -> JSONValue? {
    switch kind {
    case .bool:
      switch text {
      case "true", "1": true
      case "false", "0": false
      default: nil
      }
    case .integer, .limit: (try? JSONNumber(literal: text)).map { .number($0) }
    case .overflow: .string(text)
    }
  }

  /// The smallest and largest number, for those that are one.
  package var range: ClosedRange<Int>? {
    switch kind {
    case .integer(_, let range), .limit(_, let range): range
    case .bool, .overflow: nil
    }
  }
}
