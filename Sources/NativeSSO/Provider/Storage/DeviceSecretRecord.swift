import JOSE

/// What a provider keeps about one device secret. Never the secret.
public struct DeviceSecretRecord: Sendable, Identifiable {
  /// The record's own name, which administrators use.
  public let id: String
  /// The hash of the current secret.
  public var fingerprint: DeviceSecretFingerprint
  /// The hash of the secret before the last rotation, and until when it still serves.
  public var previous: (fingerprint: DeviceSecretFingerprint, validUntil: NumericDate)?
  /// The user.
  public let userID: String
  /// The sessions attached: the one of the login, and those of later logins that presented the secret.
  public var sessionIDs: [String]
  /// The client whose login made the secret.
  public let clientID: String
  /// The device's name, if the login told.
  public let deviceName: String?
  /// The device's platform, if the login told.
  public let devicePlatform: DevicePlatform?
  /// When the record was made.
  public let createdAt: NumericDate
  /// When it last changed.
  public var updatedAt: NumericDate
  /// From when on the secret does not serve any more.
  public let expiresAt: NumericDate
  /// When the secret last served.
  public var lastUsedAt: NumericDate?
  /// How often it has served.
  public var useCount = 0
  /// When and why it was revoked.
  public var revocation: (date: NumericDate, reason: RevocationReason)?

  /// A new record.
  public init(
    id: String, fingerprint: DeviceSecretFingerprint, userID: String, sessionID: String, clientID: String,
    deviceName: String? = nil, devicePlatform: DevicePlatform? = nil, createdAt: NumericDate, expiresAt: NumericDate
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.userID = userID
    sessionIDs = [sessionID]
    self.clientID = clientID
    self.deviceName = deviceName
    self.devicePlatform = devicePlatform
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

extension DeviceSecretRecord: CustomStringConvertible, CustomReflectable {
  /// The record's name.
  public var description: String { "DeviceSecretRecord(\(id))" }

  /// Shows no hash.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

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
