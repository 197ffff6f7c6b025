import JOSE
import StrictJSON

extension DeviceSecretRecord {
  /// The record as JSON, for stores that keep bytes. It holds hashes and no secret.
  ///
  /// A database needs columns of its own for what it looks up: ``id``, ``fingerprint``, the fingerprint before, the user
  /// and the sessions.
  public func serialized() -> [UInt8] {
    var object: JSONObject = [
      "v": 1, "id": .string(id), "fingerprint": .string(fingerprint.hexadecimal), "user": .string(userID),
      "sessions": .array(sessionIDs.map { .string($0) }), "client": .string(clientID),
      "created": Self.number(createdAt), "updated": Self.number(updatedAt), "expires": Self.number(expiresAt),
      "uses": .number(JSONNumber(useCount)),
    ]
    object["device_name"] = deviceName.map { .string($0) }
    object["platform"] = devicePlatform.map { .string($0.rawValue) }
    object["last_used"] = lastUsedAt.map { Self.number($0) }
    if let previous {
      object["previous"] = [
        "fingerprint": .string(previous.fingerprint.hexadecimal), "until": Self.number(previous.validUntil),
      ]
    }
    if let revocation {
      object["revoked"] = ["at": Self.number(revocation.date), "reason": .string(revocation.reason.description)]
    }
    return object.serialized()
  }

  /// Reads a record that ``serialized()`` wrote.
  ///
  /// - Throws: ``NativeSSOErrorCode/storedRecordInvalid``.
  public init(parsing json: some Collection<UInt8>) throws(NativeSSOError) {
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
    NativeSSOError(.storedRecordInvalid, "the stored record is not legal")
  }

  private static func number(_ date: NumericDate) -> JSONValue {
    if let whole = Int64(exactly: date.secondsSince1970) { return .number(JSONNumber(whole)) }
    // Dates are finite.
    return (try? JSONNumber(date.secondsSince1970)).map { .number($0) } ?? 0
  }

  private static func date(_ value: JSONValue?) -> NumericDate? {
    value?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
  }

  private static func fingerprint(_ value: JSONValue?) -> DeviceSecretFingerprint? {
    value?.stringValue.flatMap(DeviceSecretFingerprint.init(hexadecimal:))
  }
}
