import JOSE
import StrictJSON

/// Device secrets in memory: an actor, so each operation is atomic. For single-process servers and tests.
public actor InMemoryDeviceSecretStore: DeviceSecretStore {
  private typealias Key = [UInt8]

  private var records: [Key: DeviceSecretRecord] = [:]
  /// Record names by current hash, and by the hash before a rotation.
  private var idsByFingerprint: [DeviceSecretFingerprint: Key] = [:]
  /// Record names by the hashes that rotations have replaced.
  private var idsByRotated: [DeviceSecretFingerprint: Key] = [:]
  /// Record names by user, the oldest first.
  private var idsByUser: [Key: [Key]] = [:]

  /// An empty store.
  public init() {}

  /// Adds a record, keeping the user at `limit` live ones at most.
  public func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) -> DeviceSecretInsertion {
    let live = ids(ofUser: record.userID).filter { records[$0]?.state(at: now) == .active }
    var revoked: [String] = []
    if live.count >= limit {
      guard overflow == .revokeOldest else { return .rejected }
      for id in live.prefix(live.count - limit + 1) {
        revoke(id, .maxSecretsExceeded, now)
        if let name = records[id]?.id { revoked.append(name) }
      }
    }
    let id = Key(record.id.utf8)
    records[id] = record
    idsByFingerprint[record.fingerprint] = id
    idsByUser[Key(record.userID.utf8), default: []].append(id)
    return .inserted(revoked: revoked)
  }

  /// The record with this hash.
  public func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) -> DeviceSecretRecord? {
    guard let id = idsByFingerprint[fingerprint], let record = records[id] else { return nil }
    if record.fingerprint == fingerprint { return record }
    guard let previous = record.previous, previous.fingerprint == fingerprint, now < previous.validUntil else {
      return nil
    }
    return record
  }

  // Asynchronous, like the protocol's default: who calls a store of this type would get that one else, which finds
  // nothing.
  /// The record whose secret had this hash before a rotation.
  public func rotatedRecord(fingerprint: DeviceSecretFingerprint, now: NumericDate) async -> DeviceSecretRecord? {
    guard record(fingerprint: fingerprint, now: now) == nil else { return nil }
    return idsByRotated[fingerprint].flatMap { records[$0] }
  }

  /// The record of this name.
  public func record(id: String) -> DeviceSecretRecord? { records[Key(id.utf8)] }

  /// Every record of a user, the newest first.
  public func records(userID: String) -> [DeviceSecretRecord] {
    ids(ofUser: userID).reversed().compactMap { records[$0] }
  }

  /// Uses a secret once.
  public func consume(id: String, useLimit: Int?, now: NumericDate) -> DeviceSecretConsumption {
    let id = Key(id.utf8)
    guard var record = records[id], record.state(at: now) == .active else { return .notActive }
    if let useLimit, record.useCount >= useLimit {
      revoke(id, .useCountExceeded, now)
      return .exhausted
    }
    record.useCount += 1
    record.lastUsedAt = now
    record.updatedAt = now
    records[id] = record
    return .consumed(useCount: record.useCount)
  }

  /// Attaches a session to an active record.
  public func attach(sessionID: String, to id: String, now: NumericDate) -> Bool {
    let id = Key(id.utf8)
    guard var record = records[id], record.state(at: now) == .active else { return false }
    if !record.sessionIDs.containsBytes(of: sessionID) { record.sessionIDs.append(sessionID) }
    record.updatedAt = now
    records[id] = record
    return true
  }

  /// Puts a new secret in place of the current one.
  public func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) -> Bool {
    let id = Key(id.utf8)
    guard var record = records[id], record.state(at: now) == .active, record.fingerprint == current else {
      return false
    }
    if let older = record.previous { idsByFingerprint[older.fingerprint] = nil }
    record.previous = (current, graceUntil)
    idsByRotated[current] = id
    record.fingerprint = next
    record.updatedAt = now
    records[id] = record
    idsByFingerprint[next] = id
    return true
  }

  /// Revokes a record.
  public func revoke(id: String, reason: RevocationReason, now: NumericDate) -> DeviceSecretRevocation {
    let id = Key(id.utf8)
    guard let record = records[id] else { return .unknown }
    guard record.revocation == nil else { return .alreadyRevoked }
    revoke(id, reason, now)
    return .revoked
  }

  /// Revokes every unrevoked record of a user.
  public func revokeAll(userID: String, reason: RevocationReason, now: NumericDate) -> DeviceSecretRevocations {
    revokeAll(ids(ofUser: userID), reason, now)
  }

  /// Revokes every unrevoked record that a session is attached to.
  public func revokeAll(sessionID: String, reason: RevocationReason, now: NumericDate) -> DeviceSecretRevocations {
    let attached = records.filter { $0.value.sessionIDs.containsBytes(of: sessionID) }.map(\.key)
    return revokeAll(attached, reason, now)
  }

  /// Removes expired records, and those revoked long ago.
  public func removeStale(now: NumericDate, revokedBefore: NumericDate) -> Int {
    let stale = records.filter { _, record in
      record.revocation.map { $0.date < revokedBefore } ?? (record.state(at: now) == .expired)
    }
    for (id, record) in stale {
      records[id] = nil
      idsByFingerprint[record.fingerprint] = nil
      if let previous = record.previous { idsByFingerprint[previous.fingerprint] = nil }
      idsByUser[Key(record.userID.utf8)]?.removeAll { $0 == id }
    }
    idsByRotated = idsByRotated.filter { stale[$0.value] == nil }
    return stale.count
  }

  private func ids(ofUser userID: String) -> [Key] { idsByUser[Key(userID.utf8)] ?? [] }

  private func revokeAll(
    _ ids: [Key], _ reason: RevocationReason, _ now: NumericDate
  ) -> DeviceSecretRevocations {
    var outcome = DeviceSecretRevocations()
    for id in ids {
      guard let record = records[id] else { continue }
      guard record.revocation == nil else {
        outcome.alreadyRevoked.append(record.id)
        continue
      }
      revoke(id, reason, now)
      outcome.revoked.append(record.id)
    }
    return outcome
  }

  private func revoke(_ id: Key, _ reason: RevocationReason, _ now: NumericDate) {
    records[id]?.revocation = (now, reason)
    records[id]?.updatedAt = now
  }
}
