import JOSE
import NativeSSOKit

/// A store with one defect, which the rules must find.
actor BrokenDeviceSecretStore: DeviceSecretStore {
  enum Defect: CaseIterable, Sendable {
    case ignoresLimit, countsExpired, ignoresUseLimit, forgetsToRevokeExhausted, servesExpired, unlimitedGrace
    case rotatesTwice, revokesTwice, ignoresSessions, comparesUsersAsStrings, losesReason, keepsStale, namesNewOnly
  }

  private let inner = InMemoryDeviceSecretStore()
  private let defect: Defect

  init(_ defect: Defect) { self.defect = defect }

  func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async -> DeviceSecretInsertion {
    switch defect {
    case .ignoresLimit: return await inner.insert(record, limit: .max, overflow: overflow, now: now)
    case .countsExpired: return await inner.insert(record, limit: limit, overflow: overflow, now: NumericDate(0))
    case .comparesUsersAsStrings:
      let folded = DeviceSecretRecord(
        id: record.id, fingerprint: record.fingerprint, userID: record.userID == "\u{E9}" ? "x" : record.userID,
        sessionID: record.sessionIDs[0], clientID: record.clientID, createdAt: record.createdAt,
        expiresAt: record.expiresAt)
      return await inner.insert(folded, limit: limit, overflow: overflow, now: now)
    default: return await inner.insert(record, limit: limit, overflow: overflow, now: now)
    }
  }

  func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) async -> DeviceSecretRecord? {
    await inner.record(fingerprint: fingerprint, now: defect == .unlimitedGrace ? NumericDate(0) : now)
  }

  func rotatedRecord(fingerprint: DeviceSecretFingerprint, now: NumericDate) async -> DeviceSecretRecord? {
    await inner.rotatedRecord(fingerprint: fingerprint, now: now)
  }

  func record(id: String) async -> DeviceSecretRecord? {
    var record = await inner.record(id: id)
    if defect == .forgetsToRevokeExhausted, record?.revocation?.reason == .useCountExceeded { record?.revocation = nil }
    if defect == .losesReason, let date = record?.revocation?.date { record?.revocation = (date, .sessionLogout) }
    return record
  }

  func records(userID: String) async -> [DeviceSecretRecord] {
    await inner.records(userID: defect == .comparesUsersAsStrings && userID == "\u{E9}" ? "x" : userID)
  }

  func consume(id: String, useLimit: Int?, now: NumericDate) async -> DeviceSecretConsumption {
    switch defect {
    case .ignoresUseLimit: await inner.consume(id: id, useLimit: nil, now: now)
    case .servesExpired: await inner.consume(id: id, useLimit: useLimit, now: NumericDate(0))
    default: await inner.consume(id: id, useLimit: useLimit, now: now)
    }
  }

  func attach(sessionID: String, to id: String, now: NumericDate) async -> Bool {
    defect == .ignoresSessions ? true : await inner.attach(sessionID: sessionID, to: id, now: now)
  }

  func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) async -> Bool {
    let isRotated = await inner.rotate(id: id, from: current, to: next, graceUntil: graceUntil, now: now)
    return defect == .rotatesTwice ? true : isRotated
  }

  func revoke(id: String, reason: RevocationReason, now: NumericDate) async -> DeviceSecretRevocation {
    let outcome = await inner.revoke(id: id, reason: reason, now: now)
    return defect == .revokesTwice && outcome == .alreadyRevoked ? .revoked : outcome
  }

  func revokeAll(userID: String, reason: RevocationReason, now: NumericDate) async -> DeviceSecretRevocations {
    if defect == .comparesUsersAsStrings { _ = await inner.revokeAll(userID: "x", reason: reason, now: now) }
    return named(await inner.revokeAll(userID: userID, reason: reason, now: now))
  }

  func revokeAll(sessionID: String, reason: RevocationReason, now: NumericDate) async -> DeviceSecretRevocations {
    named(await inner.revokeAll(sessionID: sessionID, reason: reason, now: now))
  }

  private func named(_ outcome: DeviceSecretRevocations) -> DeviceSecretRevocations {
    defect == .namesNewOnly ? DeviceSecretRevocations(revoked: outcome.revoked) : outcome
  }

  func removeStale(now: NumericDate, revokedBefore: NumericDate) async -> Int {
    defect == .keepsStale ? 0 : await inner.removeStale(now: now, revokedBefore: revokedBefore)
  }
}
