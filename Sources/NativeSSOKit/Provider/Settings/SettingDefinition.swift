import JOSE
import StrictJSON

/// One row of the configuration reference.
struct SettingDefinition: Sendable {
  /// The type and range of a setting, and where it is kept.
  enum Kind: Sendable {
    case bool(WritableKeyPath<NativeSSOSettings, Bool> & Sendable)
    case integer(WritableKeyPath<NativeSSOSettings, Int> & Sendable, ClosedRange<Int>)
    case limit(WritableKeyPath<NativeSSOSettings, Int?> & Sendable, ClosedRange<Int>)
    case overflow
  }

  /// The name in JSON. A dot leads into a nested object.
  let name: String
  /// The environment variable that has the setting.
  let environmentName: String
  let kind: Kind

  private init(_ name: String, _ environmentName: String, _ kind: Kind) {
    self.name = name
    self.environmentName = "NATIVE_SSO_" + environmentName
    self.kind = kind
  }

  /// The configuration reference.
  static let all = [
    SettingDefinition("enabled", "ENABLED", .bool(\.enabled)),
    SettingDefinition(
      "deviceSecretTTLDays", "DEVICE_SECRET_TTL_DAYS", .integer(\.deviceSecretTTLDays, 1...90)),
    SettingDefinition(
      "maxDeviceSecretsPerUser", "MAX_DEVICE_SECRETS_PER_USER", .integer(\.maxDeviceSecretsPerUser, 1...50)),
    SettingDefinition(
      "maxSecretsBehavior", "MAX_SECRETS_BEHAVIOR", .overflow),
    SettingDefinition(
      "allowCrossClientNativeSSO", "ALLOW_CROSS_CLIENT", .bool(\.allowCrossClientNativeSSO)),
    SettingDefinition(
      "rateLimit.maxAttemptsPerMinute", "RATE_LIMIT_MAX_ATTEMPTS_PER_MINUTE", .integer(\.maxAttemptsPerMinute, 1...100)),
    SettingDefinition(
      "rateLimit.blockDurationMinutes", "RATE_LIMIT_BLOCK_DURATION_MINUTES", .integer(\.blockDurationMinutes, 1...60)),
    SettingDefinition(
      "maxUseCountPerSecret", "MAX_USE_COUNT_PER_SECRET", .limit(\.maxUseCountPerSecret, 1...100)),
    SettingDefinition(
      "refuseExpiredIDToken", "REFUSE_EXPIRED_ID_TOKEN", .bool(\.refuseExpiredIDToken)),
    SettingDefinition(
      "requireAudience", "REQUIRE_AUDIENCE", .bool(\.requireAudience)),
    SettingDefinition(
      "acceptLegacyTokenType", "ACCEPT_LEGACY_TOKEN_TYPE", .bool(\.acceptLegacyTokenType)),
    SettingDefinition(
      "rotateOnExchange", "ROTATE_ON_EXCHANGE", .bool(\.rotateOnExchange)),
    SettingDefinition(
      "issueRefreshToken", "ISSUE_REFRESH_TOKEN", .bool(\.issueRefreshToken)),
  ]

  /// The value in settings.
  func value(_ settings: NativeSSOSettings) -> JSONValue {
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
  func set(_ settings: inout NativeSSOSettings, _ value: JSONValue) throws(JOSEError) {
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

  private func integer(_ number: JSONNumber, in range: ClosedRange<Int>) throws(JOSEError) -> Int {
    guard let value = number.exactly(Int.self), range.contains(value) else { throw invalid }
    return value
  }

  private var invalid: JOSEError {
    JOSEError(.settingInvalid, "the setting has another type or range", name: name)
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
      switch WireName(text) {
      case "true", "1": true
      case "false", "0": false
      default: nil
      }
    case .integer, .limit: (try? JSONNumber(literal: text)).map { .number($0) }
    case .overflow: .string(text)
    }
  }
}
