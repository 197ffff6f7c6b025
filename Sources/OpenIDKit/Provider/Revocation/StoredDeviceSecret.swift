import JOSE
import PureCrypto
import StrictJSON

/// What OpenIDKit knows of a device secret's record, which Native SSO writes and reads: how it is revoked, so that a
/// code can end the secret that it made.
///
/// Its document has a member `revoked` once it is revoked. Until then it is found by the index `live`.
package enum StoredDeviceSecret {
  package static let kind = StoredRecord.Kind(library: "device-secret")
  package static let liveName: WireName = "live"
  /// For how many seconds revoked, expired and former ones are kept: for audit, and to be known if they come back, so
  /// that the device's next one follows them.
  package static let retention = 90.0 * 86_400

  /// Revokes a record, also one that can't be read.
  ///
  /// - Returns: whether it was revoked by this; nil if there is none of that key.
  /// - Throws: what the records throw.
  package static func revoke(
    _ key: [UInt8], _ reason: LogoutReason, at now: NumericDate, in records: any RecordStore
  ) async throws -> Bool? {
    var outcome: Bool?
    _ = try await records.update(kind, key: key) { known in
      outcome = known.map { !isRevoked($0) }
      guard let known, outcome == true else { return [] }
      return [.replace(revoked(known, reason, at: now))]
    }
    return outcome
  }

  /// A record, revoked. One that can't be read is found among the live ones no more.
  package static func revoked(_ known: StoredRecord, _ reason: LogoutReason, at now: NumericDate) -> StoredRecord {
    var record = uncounted(known)
    record.expiresAt = now.advanced(by: retention)
    guard var object = try? JSONObject(parsing: known.document) else { return record }
    object["updated"] = JSONValue(now)
    object["revoked"] = ["at": JSONValue(now), "reason": .string(reason.description)]
    record.document = object.serialized()
    return record
  }

  /// A record that is found among the live ones no more.
  package static func uncounted(_ known: StoredRecord) -> StoredRecord {
    var record = known
    record.indexes.removeAll { liveName == $0.name }
    record.attempt = SystemRandom.bytes(count: 16)
    return record
  }

  private static func isRevoked(_ known: StoredRecord) -> Bool {
    guard let object = try? JSONObject(parsing: known.document) else {
      return !known.indexes.contains { liveName == $0.name }
    }
    return object["revoked"] != nil
  }
}
