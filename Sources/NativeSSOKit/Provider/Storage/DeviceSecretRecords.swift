import JOSE
import PureCrypto
import OpenIDKit

/// Device secrets in a provider's records, by their names: hashes, never a secret.
///
/// What the operations throw is what the records throw, and `ErrorCode.recordMalformed` for what can't be read.
package struct DeviceSecretRecords: Sendable {
  package static let kind = StoredDeviceSecret.kind
  /// See ``StoredDeviceSecret/retention``.
  static let retention = StoredDeviceSecret.retention

  private let records: any RecordStore
  private let formerLimit: Int

  /// Device secrets in these records.
  ///
  /// - Parameter formerLimit: how many former secrets of one device are known.
  package init(_ records: any RecordStore, formerLimit: Int = FormerDeviceSecret.maximumCount) {
    (self.records, self.formerLimit) = (records, formerLimit)
  }

  // MARK: Lookups

  /// The record with this current hash, or with this hash before a rotation whose grace has not ended. Whatever its
  /// state.
  package func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) async throws -> DeviceSecretRecord? {
    guard let record = try await first(Self.current(fingerprint)) else { return nil }
    if record.fingerprint == fingerprint { return record }
    guard let previous = record.previous, previous.fingerprint == fingerprint, now < previous.validUntil else {
      return nil
    }
    return record
  }

  /// The record whose secret had this hash before a rotation, if its grace has ended and it is not forgotten
  /// (``FormerDeviceSecret``): that is how a stolen secret is noticed (``NativeSSO``,
  /// `revokesReusedDeviceSecrets`).
  package func rotatedRecord(
    fingerprint: DeviceSecretFingerprint, now: NumericDate
  ) async throws -> DeviceSecretRecord? {
    guard try await record(fingerprint: fingerprint, now: now) == nil else { return nil }
    return try await recordOfFormer(fingerprint)
  }

  /// The record whose secret has this hash, or had it before any rotation that is not forgotten. Whatever its state.
  func anyRecord(fingerprint: DeviceSecretFingerprint) async throws -> DeviceSecretRecord? {
    if let current = try await first(Self.current(fingerprint)) { return current }
    return try await recordOfFormer(fingerprint)
  }

  private func recordOfFormer(_ fingerprint: DeviceSecretFingerprint) async throws -> DeviceSecretRecord? {
    let index = FormerDeviceSecret.index(fingerprint)
    let former = try await records.records(FormerDeviceSecret.kind, where: index, limit: 1).first
    guard let former else { return nil }
    return try await record(id: FormerDeviceSecret.recordID(of: former))
  }

  /// The names of a user's records that a session is attached to, each behind those that it follows, whatever their
  /// state. Of many records the oldest are looked at.
  func line(ofSession sessionID: String, userID: String) async throws -> [String] {
    let found = try await records.records(Self.kind, where: Self.session(sessionID), limit: 256)
    return found.filter { $0.indexes.contains(Self.user(userID)) }.flatMap { record in
      ((try? Self.parsed(record))?.formerIDs ?? []) + [Self.name(record)]
    }
  }

  /// Why the record of this name was revoked; nil if it was not, is not there, or can't be read.
  func revocationReason(of id: String) async throws -> LogoutReason? {
    let stored = try await records.record(Self.kind, key: Array(id.utf8))
    return stored.flatMap { try? Self.parsed($0) }?.revocation?.reason
  }

  /// The record of this name, whatever its state.
  package func record(id: String) async throws -> DeviceSecretRecord? {
    try await records.record(Self.kind, key: Array(id.utf8)).map(Self.parsed)
  }

  /// The records that end with this one: the device's former ones, the most recent last, and itself. One that can't be
  /// read has no former ones.
  package func line(of id: String) async throws -> [String] {
    let stored = try await records.record(Self.kind, key: Array(id.utf8))
    return (stored.flatMap { try? Self.parsed($0) }?.formerIDs ?? []) + [id]
  }

  /// Every record of a user, whatever its state, the newest first.
  package func records(userID: String) async throws -> [DeviceSecretRecord] {
    try await all(Self.user(userID)).reversed().map(Self.parsed)
  }

  // MARK: Changes

  /// What became of a new record.
  package enum Insertion: Sendable, Hashable {
    /// It is there. These were revoked to make room.
    case inserted(revoked: [String])
    /// The user has as many as allowed.
    case rejected
  }

  /// Adds a record, keeping the user at `limit` live ones at most.
  package func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async throws -> Insertion {
    // Each round that fails saw another login of the user succeed.
    for _ in 0..<1024 {
      guard let (changes, revoked) = try await changes(inserting: record, limit: limit, overflow: overflow, now: now)
      else { return .rejected }
      switch try await records.settle(changes) {
      case .done: return .inserted(revoked: revoked)
      case .refused(change: _, .quotaReached), .refused(change: _, .versionChanged), .refused(change: _, .absent):
        continue
      case .refused: throw JOSEError(.storeUnavailable, "the records refused a fresh name")
      }
    }
    throw JOSEError(.storeUnavailable, "too many logins of one user at once")
  }

  /// What adds a record, for a commit with other changes, and which others it revokes to make room; nil if the user has
  /// as many as allowed. The commit is refused if another login of the user is faster.
  package func changes(
    inserting record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async throws -> (changes: [RecordChange], revoked: [String])? {
    let counted = try await all(Self.live(record.userID))
    let expired = counted.filter { (try? Self.parsed($0))?.state(at: now) == .expired }
    let live = counted.filter { counted in !expired.contains { $0.key == counted.key } }
    let oldest = live.prefix(max(0, live.count - limit + 1))
    guard oldest.isEmpty || overflow == .revokeOldest else { return nil }
    let quota = RecordQuota(Self.live(record.userID), limit: limit, now: now)
    return (
      oldest.map { .replace(StoredDeviceSecret.revoked($0, .tooManyDeviceSecrets, at: now)) }
        + expired.map { .replace(StoredDeviceSecret.uncounted($0)) } + [.insert(Self.stored(record), atMost: quota)],
      oldest.map(Self.name)
    )
  }

  /// What became of a use.
  package enum Consumption: Sendable, Hashable {
    /// Counted. This many uses so far.
    case consumed(useCount: Int)
    /// Not active, or nothing of that name.
    case notActive
    /// No uses were left. It is revoked now.
    case exhausted
  }

  /// Uses a secret once: checks again that it is active and has uses left, then counts and notes the time.
  ///
  /// Without uses left, revokes it with `LogoutReason.useCountExceeded` instead.
  package func consume(id: String, useLimit: Int?, now: NumericDate) async throws -> Consumption {
    try await change(id, at: now) { record in
      if let useLimit, record.useCount >= useLimit {
        record.revocation = (now, .useCountExceeded)
        return .exhausted
      }
      record.useCount += 1
      record.lastUsedAt = now
      return .consumed(useCount: record.useCount)
    } ?? .notActive
  }

  /// Attaches a session to an active record. Returns whether it is active.
  ///
  /// - Parameter former: the records that the session's refresh tokens came with.
  package func attach(
    sessionID: String, to id: String, following former: [String] = [], now: NumericDate
  ) async throws -> Bool {
    try await change(id, at: now) { record in
      record.attach(sessionID, following: former)
      return true
    } ?? false
  }

  /// What attaches a session to a record, for a commit with other changes; nil if the record is not active. The commit
  /// is refused if the record has changed since, and so has not if it was revoked.
  package func changes(
    attaching sessionID: String, to id: String, following former: [String] = [], now: NumericDate
  ) async throws -> [RecordChange]? {
    guard let known = try await records.record(Self.kind, key: Array(id.utf8)) else { return nil }
    var record = try Self.parsed(known)
    guard record.state(at: now) == .active else { return nil }
    record.attach(sessionID, following: former)
    record.updatedAt = now
    return [.replace(Self.stored(record, inPlaceOf: known))]
  }

  /// Puts a new secret in place of the current one, if that is still `current` and the record is active. The old one
  /// serves until `graceUntil`. Returns whether it was replaced.
  package func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) async throws -> Bool {
    try await change(
      id, at: now,
      alongside: { record in
        [
          try await FormerDeviceSecret.change(
            writing: current, of: record, limit: formerLimit, now: now, in: records)
        ]
      }
    ) { record in
      guard record.fingerprint == current else { return nil }
      record.previous = (current, graceUntil)
      record.fingerprint = next
      record.rotationCount += 1
      return true
    } ?? false
  }

  /// Revokes a record, also one that can't be read.
  package func revoke(id: String, reason: LogoutReason, now: NumericDate) async throws -> DeviceSecretRevocation {
    try await revoke(Array(id.utf8), reason, now)
  }

  /// What became of a revocation of many records: their names, in any order.
  ///
  /// The tokens of all of them end, also of those revoked before: the process may have died between the two.
  package struct Revocations: Sendable, Hashable {
    /// Revoked now.
    package var revoked: [String] = []
    /// Revoked before; each keeps its date and reason.
    package var alreadyRevoked: [String] = []
  }

  /// Revokes every unrevoked record of a user, also those that can't be read.
  package func revokeAll(userID: String, reason: LogoutReason, now: NumericDate) async throws -> Revocations {
    try await revokeAll(Self.user(userID), reason, now)
  }

  /// Revokes every unrevoked record that a session is attached to, also those that can't be read.
  package func revokeAll(sessionID: String, reason: LogoutReason, now: NumericDate) async throws -> Revocations {
    try await revokeAll(Self.session(sessionID), reason, now)
  }

  private func revokeAll(
    _ index: StoredRecord.Index, _ reason: LogoutReason, _ now: NumericDate
  ) async throws -> Revocations {
    var outcome = Revocations()
    for record in try await all(index) {
      switch try await revoke(record.key, reason, now) {
      case .revoked: outcome.revoked.append(Self.name(record))
      case .alreadyRevoked: outcome.alreadyRevoked.append(Self.name(record))
      case .unknown: break
      }
    }
    return outcome
  }

  private func revoke(
    _ key: [UInt8], _ reason: LogoutReason, _ now: NumericDate
  ) async throws -> DeviceSecretRevocation {
    switch try await StoredDeviceSecret.revoke(key, reason, at: now, in: records) {
    case true?: .revoked
    case false?: .alreadyRevoked
    case nil: .unknown
    }
  }

  /// Changes a record that is active. Returns nil if it is not, or if the change is not to be made.
  ///
  /// - Parameter alongside: what is written in the same commit, by the record as it will be.
  private func change<Value>(
    _ id: String, at now: NumericDate,
    alongside: (DeviceSecretRecord) async throws -> [RecordChange] = { _ in [] },
    _ change: (inout DeviceSecretRecord) -> Value?
  ) async throws -> Value? {
    var value: Value?
    let outcome = try await records.update(Self.kind, key: Array(id.utf8)) { known in
      value = nil
      guard let known else { return [] }
      var record = try Self.parsed(known)
      guard record.state(at: now) == .active, let changed = change(&record) else { return [] }
      value = changed
      record.updatedAt = now
      return try await [.replace(Self.stored(record, inPlaceOf: known))] + alongside(record)
    }
    return outcome == .done ? value : nil
  }

  // MARK: Records

  private static func user(_ id: String) -> StoredRecord.Index { .init("user", Array(id.utf8)) }
  /// Of those that are not revoked.
  private static func live(_ userID: String) -> StoredRecord.Index {
    .init(StoredDeviceSecret.liveName.text, Array(userID.utf8))
  }
  private static func session(_ id: String) -> StoredRecord.Index { .init("session", Array(id.utf8)) }
  /// Of the secret, and of the one before the last rotation.
  private static func current(_ fingerprint: DeviceSecretFingerprint) -> StoredRecord.Index {
    .init("fingerprint", Array(fingerprint.hexadecimal.utf8), isUnique: true)
  }

  private static func parsed(_ record: StoredRecord) throws(JOSEError) -> DeviceSecretRecord {
    let parsed = try DeviceSecretRecord(parsing: record.document)
    guard record.key.elementsEqual(parsed.id.utf8) else {
      throw JOSEError(.recordMalformed, "the stored record has another key")
    }
    return parsed
  }

  private static func name(_ record: StoredRecord) -> String { String(decoding: record.key, as: UTF8.self) }

  /// The record of a device secret: found by its hashes, its user and its sessions.
  private static func stored(_ record: DeviceSecretRecord, inPlaceOf known: StoredRecord? = nil) -> StoredRecord {
    var indexes = [current(record.fingerprint), user(record.userID)]
    if record.revocation == nil { indexes.append(live(record.userID)) }
    if let previous = record.previous?.fingerprint { indexes.append(current(previous)) }
    indexes += record.sessionIDs.map(session)
    var seen: Set<StoredRecord.Index> = []
    return StoredRecord(
      kind: kind, key: Array(record.id.utf8), version: known?.version ?? 0,
      indexes: indexes.filter { seen.insert($0).inserted }, createdAt: record.createdAt,
      expiresAt: (record.revocation?.date ?? record.expiresAt).advanced(by: retention),
      document: record.serialized(), attempt: SystemRandom.bytes(count: 16))
  }

  /// The device secret with this hash.
  private func first(_ index: StoredRecord.Index) async throws -> DeviceSecretRecord? {
    try await records.records(Self.kind, where: index, limit: 1).first.map(Self.parsed)
  }

  /// All records with an index, the oldest first.
  private func all(_ index: StoredRecord.Index) async throws -> [StoredRecord] {
    var limit = 256
    while true {
      let found = try await records.records(Self.kind, where: index, limit: limit)
      guard found.count >= limit else { return found }
      limit *= 2
    }
  }
}

/// What became of a revocation.
public enum DeviceSecretRevocation: Sendable, Hashable {
  /// Revoked now.
  case revoked
  /// It was revoked before.
  case alreadyRevoked
  /// There is nothing of that name.
  case unknown
}
