import PureCrypto
import JOSE
import StrictJSON

/// What a provider keeps about one device secret, as ``NativeSSOProvider/deviceSecrets(userID:)`` shows it. Never the
/// secret.
public struct DeviceSecretRecord: Sendable, Identifiable {
  /// The record's own name, which administrators use.
  public let id: String
  /// The hash of the current secret.
  package var fingerprint: DeviceSecretFingerprint
  /// The hash of the secret before the last rotation, and until when it still serves.
  package var previous: (fingerprint: DeviceSecretFingerprint, validUntil: NumericDate)?
  /// The user.
  public let userID: String
  /// The sessions attached: the one of the login, and those of later logins that presented the secret.
  public package(set) var sessionIDs: [String]
  /// The client whose login made the secret.
  public let clientID: String
  /// The device's name, if the login told.
  public let deviceName: String?
  /// The device's platform, if the login told.
  public let devicePlatform: DevicePlatform?
  /// When the record was made.
  public let createdAt: NumericDate
  /// When it last changed.
  package var updatedAt: NumericDate
  /// From when on the secret does not serve any more.
  public let expiresAt: NumericDate
  /// When the secret last served.
  public package(set) var lastUsedAt: NumericDate?
  /// How often it has served.
  public package(set) var useCount = 0
  /// When and why it was revoked.
  public package(set) var revocation: (date: NumericDate, reason: RevocationReason)?

  /// A new record.
  package init(
    id: String, fingerprint: DeviceSecretFingerprint, userID: String, sessionID: String, clientID: String,
    deviceName: String? = nil, devicePlatform: DevicePlatform? = nil, createdAt: NumericDate, expiresAt: NumericDate
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.userID = userID
    sessionIDs = [sessionID]
    (self.clientID, self.deviceName, self.devicePlatform) = (clientID, deviceName, devicePlatform)
    self.createdAt = createdAt
    updatedAt = createdAt
    self.expiresAt = expiresAt
  }

  /// Where a record is in its life. All states but the first are final.
  public enum State: Sendable, Hashable {
    /// Serves.
    case active
    /// Revoked, exhaustion included.
    case revoked
    /// At or past its expiry.
    case expired
  }

  /// The state at a time. Expiry is inclusive: a secret does not serve at its expiry instant.
  public func state(at now: NumericDate) -> State {
    if revocation != nil { return .revoked }
    return now >= expiresAt ? .expired : .active
  }
}

extension DeviceSecretRecord: Redacted {}

/// A device's platform.
public enum DevicePlatform: String, Sendable, Hashable, CaseIterable {
  /// iOS and iPadOS.
  case iOS = "ios"
  /// Android.
  case android
  /// macOS.
  case macOS = "macos"
  /// Windows.
  case windows
  /// Anything else.
  case other
}

/// Why a device secret was revoked: one of the names below, or an administrator's words.
public struct RevocationReason: Sendable, Hashable, CustomStringConvertible {
  /// The text.
  public let description: String

  /// A reason in an administrator's words. Control characters are dropped.
  public init(_ text: String) {
    description = String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
  }

  /// The session was logged out.
  public static let sessionLogout = RevocationReason("session_logout")
  /// The session was logged out over the back channel.
  public static let backchannelLogout = RevocationReason("backchannel_logout")
  /// The user had as many as allowed.
  public static let maxSecretsExceeded = RevocationReason("max_secrets_exceeded")
  /// It had served as often as allowed.
  public static let useCountExceeded = RevocationReason("use_count_exceeded")
  /// A secret that a rotation had replaced was presented after its grace.
  public static let secretReused = RevocationReason("secret_reused")
  /// An administrator gave no reason.
  public static let adminRevocation = RevocationReason("admin_revocation")
  /// An administrator revoked all of a user and gave no reason.
  public static let adminBulkRevocation = RevocationReason("admin_bulk_revocation")
  /// The user was disabled or deleted.
  public static let userDisabled = RevocationReason("user_disabled")
  /// The user's password changed.
  public static let passwordChanged = RevocationReason("password_changed")
  /// A client revoked it (RFC 7009).
  public static let clientRevocation = RevocationReason("client_revocation")
  /// The original refresh token was revoked.
  public static let refreshTokenRevoked = RevocationReason("refresh_token_revoked")
}

extension DeviceSecretRecord {
  /// The document of its record. It holds hashes and no secret.
  package func serialized() -> [UInt8] {
    var object: JSONObject = [
      "v": 1, "id": .string(id), "fingerprint": .string(fingerprint.hexadecimal), "user": .string(userID),
      "sessions": .array(sessionIDs.map { .string($0) }), "client": .string(clientID),
      "created": JSONValue(createdAt), "updated": JSONValue(updatedAt), "expires": JSONValue(expiresAt),
      "uses": .number(JSONNumber(useCount)),
    ]
    object["device_name"] = deviceName.map { .string($0) }
    object["platform"] = devicePlatform.map { .string($0.rawValue) }
    object["last_used"] = lastUsedAt.map { JSONValue($0) }
    if let previous {
      object["previous"] = [
        "fingerprint": .string(previous.fingerprint.hexadecimal), "until": JSONValue(previous.validUntil),
      ]
    }
    if let revocation {
      object["revoked"] = ["at": JSONValue(revocation.date), "reason": .string(revocation.reason.description)]
    }
    return object.serialized()
  }

  /// Reads a record that ``serialized()`` wrote.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  package init(parsing json: some Collection<UInt8>) throws(NativeSSOError) {
    guard let object = try? JSONObject(parsing: json), object["v"]?.int64Value == 1,
      let id = object["id"]?.stringValue, let fingerprint = Self.fingerprint(object["fingerprint"]),
      let userID = object["user"]?.stringValue, let sessions = object["sessions"]?.arrayValue?.map(\.stringValue),
      let first = sessions.first ?? nil, !sessions.contains(nil), let clientID = object["client"]?.stringValue,
      let createdAt = Self.date(object["created"]), let updatedAt = Self.date(object["updated"]),
      let expiresAt = Self.date(object["expires"]), let uses = object["uses"]?.numberValue?.exactly(Int.self)
    else { throw Self.invalid }
    self.init(
      id: id, fingerprint: fingerprint, userID: userID, sessionID: first, clientID: clientID,
      deviceName: object["device_name"]?.stringValue,
      devicePlatform: object["platform"]?.stringValue.flatMap(DevicePlatform.init(rawValue:)), createdAt: createdAt,
      expiresAt: expiresAt)
    sessionIDs = sessions.compactMap { $0 }
    self.updatedAt = updatedAt
    useCount = uses
    lastUsedAt = Self.date(object["last_used"])
    if let stored = object["previous"]?.objectValue {
      guard let fingerprint = Self.fingerprint(stored["fingerprint"]), let until = Self.date(stored["until"]) else {
        throw Self.invalid
      }
      previous = (fingerprint, until)
    }
    if let stored = object["revoked"]?.objectValue {
      guard let date = Self.date(stored["at"]), let reason = stored["reason"]?.stringValue else { throw Self.invalid }
      revocation = (date, RevocationReason(reason))
    }
  }

  private static var invalid: NativeSSOError {
    NativeSSOError(.recordMalformed, "the stored record is not legal")
  }

  private static func date(_ value: JSONValue?) -> NumericDate? {
    value?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
  }

  private static func fingerprint(_ value: JSONValue?) -> DeviceSecretFingerprint? {
    value?.stringValue.flatMap(DeviceSecretFingerprint.init(hexadecimal:))
  }
}
