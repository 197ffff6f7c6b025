import PureCrypto
import JOSE
import StrictJSON
import OpenIDKit

/// What a provider keeps about one device secret, as `OpenIDProvider.deviceSecrets(userID:)` shows it. Never the
/// secret.
public struct DeviceSecretRecord: Sendable, Identifiable {
  /// The record's own name, which administrators use.
  public let id: String
  /// The hash of the current secret.
  package var fingerprint: DeviceSecretFingerprint
  /// The hash of the secret before the last rotation, and until when it still serves.
  package var previous: (fingerprint: DeviceSecretFingerprint, validUntil: NumericDate)?
  /// How often the secret has been rotated.
  package var rotationCount = 0
  /// The user whose login made the secret, as sessions name it.
  public let userID: String
  /// The sessions attached: the one of the login, and those of later logins that presented the secret.
  public package(set) var sessionIDs: [String]
  /// The device's former records, by their names, and those that families of refresh tokens came with which go on with
  /// this one: what ends this secret ends their tokens too. The most recent last.
  package private(set) var formerIDs: [String] = []
  /// The client whose login made the secret.
  public let clientID: String
  /// The device's name, if the login told.
  public let deviceName: String?
  /// The device's platform, such as `ios`, if the login told.
  public let devicePlatform: String?
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
  public package(set) var revocation: (date: NumericDate, reason: LogoutReason)?

  /// A new record.
  package init(
    id: String, fingerprint: DeviceSecretFingerprint, userID: String, sessionID: String, clientID: String,
    deviceName: String? = nil, devicePlatform: String? = nil, createdAt: NumericDate, expiresAt: NumericDate
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
    /// Neither revoked nor expired: the secret serves.
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

extension DeviceSecretRecord {
  /// How many former records are remembered. A refresh that gets a secret names its family's again, so that those are
  /// forgotten whose apps have not been heard of for that many records of the device.
  package static let maximumFormerCount = 64

  /// Notes a session whose login goes with the secret, and the record that its refresh tokens came with.
  package mutating func attach(_ sessionID: String, following former: [String]) {
    follow(former)
    if !sessionIDs.contains(WireName(sessionID)) { sessionIDs.append(sessionID) }
  }

  /// Notes that the device had these records before.
  package mutating func follow(_ ids: [String]) {
    let newestFirst = [String]((formerIDs + ids).reversed()).distinct.filter { WireName($0) != id }
    formerIDs = newestFirst.prefix(Self.maximumFormerCount).reversed()
  }

  /// The document of its record. It holds hashes and no secret.
  package func serialized() -> [UInt8] {
    var object: JSONObject = [
      "v": 1, "id": .string(id), "fingerprint": .string(fingerprint.hexadecimal), "user": .string(userID),
      "sessions": .array(sessionIDs.map { .string($0) }), "client": .string(clientID),
      "created": JSONValue(createdAt), "updated": JSONValue(updatedAt), "expires": JSONValue(expiresAt),
      "uses": .number(JSONNumber(useCount)),
    ]
    if !formerIDs.isEmpty { object["former"] = .array(formerIDs.map { .string($0) }) }
    if rotationCount > 0 { object["rotations"] = .number(JSONNumber(rotationCount)) }
    object["device_name"] = deviceName.map { .string($0) }
    object["platform"] = devicePlatform.map { .string($0) }
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
  package init(parsing json: some Collection<UInt8>) throws(JOSEError) {
    guard let object = try? JSONObject(parsing: json), object["v"]?.int64Value == 1,
      let id = object["id"]?.stringValue, let fingerprint = Self.fingerprint(object["fingerprint"]),
      let userID = object["user"]?.stringValue, let sessions = object["sessions"]?.arrayValue?.map(\.stringValue),
      let first = sessions.first ?? nil, !sessions.contains(nil), let clientID = object["client"]?.stringValue,
      let createdAt = Self.date(object["created"]), let updatedAt = Self.date(object["updated"]),
      let expiresAt = Self.date(object["expires"]), let uses = object["uses"]?.numberValue?.exactly(Int.self),
      // One more can be counted.
      (0..<Int.max).contains(uses)
    else { throw Self.invalid }
    self.init(
      id: id, fingerprint: fingerprint, userID: userID, sessionID: first, clientID: clientID,
      deviceName: object["device_name"]?.stringValue,
      devicePlatform: object["platform"]?.stringValue, createdAt: createdAt,
      expiresAt: expiresAt)
    sessionIDs = sessions.compactMap { $0 }
    if let former = object["former"] {
      guard let names = former.arrayValue?.map(\.stringValue), !names.contains(nil),
        names.count <= Self.maximumFormerCount
      else { throw Self.invalid }
      formerIDs = names.compactMap { $0 }
    }
    if let rotations = object["rotations"] {
      // One more can be counted here as well.
      guard let count = rotations.numberValue?.exactly(Int.self), (0..<Int.max).contains(count) else {
        throw Self.invalid
      }
      rotationCount = count
    }
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
      revocation = (date, LogoutReason(reason))
    }
  }

  private static var invalid: JOSEError {
    JOSEError(.recordMalformed, "the stored record is not legal")
  }

  private static func date(_ value: JSONValue?) -> NumericDate? {
    value?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
  }

  private static func fingerprint(_ value: JSONValue?) -> DeviceSecretFingerprint? {
    value?.stringValue.flatMap(DeviceSecretFingerprint.init(hexadecimal:))
  }
}
