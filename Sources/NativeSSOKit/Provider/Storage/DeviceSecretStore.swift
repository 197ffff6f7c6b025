import JOSE

/// Where a provider keeps its device secrets.
///
/// Every operation is atomic with respect to the others: a database runs each in one transaction, or as one conditional
/// update. `DeviceSecretStoreCases` of the product `IdentityTesting` check an implementation, concurrency included.
///
/// What an operation throws, such as a database's error, becomes `server_error` in the answer to a request, and reaches
/// whoever called ``NativeSSOProvider/endSession(_:reason:)`` and its like.
public protocol DeviceSecretStore: Sendable {
  /// Adds a record, keeping the user at `limit` live ones at most.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async throws -> DeviceSecretInsertion

  /// The record with this current hash, or with this hash before a rotation whose grace has not ended. Whatever its
  /// state.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) async throws -> DeviceSecretRecord?

  /// The record whose secret had this hash before a rotation, if its grace has ended: that is how a stolen secret is
  /// noticed (``NativeSSOProvider``, `revokesReusedDeviceSecrets`). A store that does not remember says nil: then a
  /// secret that comes back is refused, and no more.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func rotatedRecord(fingerprint: DeviceSecretFingerprint, now: NumericDate) async throws -> DeviceSecretRecord?

  /// The record of this name, whatever its state.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func record(id: String) async throws -> DeviceSecretRecord?

  /// Every record of a user, whatever its state, the newest first.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func records(userID: String) async throws -> [DeviceSecretRecord]

  /// Uses a secret once: checks again that it is active and has uses left, then counts and notes the time.
  ///
  /// Without uses left, revokes it with ``RevocationReason/useCountExceeded`` instead.
  /// - Throws: anything; see ``DeviceSecretStore``.
  func consume(id: String, useLimit: Int?, now: NumericDate) async throws -> DeviceSecretConsumption

  /// Attaches a session to an active record. Returns whether it is active.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func attach(sessionID: String, to id: String, now: NumericDate) async throws -> Bool

  /// Puts a new secret in place of the current one, if that is still `current` and the record is active. The old one
  /// serves until `graceUntil`. Returns whether it was replaced.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) async throws -> Bool

  /// Revokes a record.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func revoke(id: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocation

  /// Revokes every unrevoked record of a user. Records that can't be read are revoked by their columns.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func revokeAll(userID: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocations

  /// Revokes every unrevoked record that a session is attached to. Records that can't be read are revoked by their
  /// columns.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func revokeAll(sessionID: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocations

  /// Removes expired records, and revoked ones that were revoked before `revokedBefore`. Returns how many.
  ///
  /// - Throws: anything; see ``DeviceSecretStore``.
  func removeStale(now: NumericDate, revokedBefore: NumericDate) async throws -> Int
}

/// What became of a new record.
public enum DeviceSecretInsertion: Sendable, Hashable {
  /// It is there. These were revoked to make room.
  case inserted(revoked: [String])
  /// The user has as many as allowed.
  case rejected
}

/// What became of a use.
public enum DeviceSecretConsumption: Sendable, Hashable {
  /// Counted. This many uses so far.
  case consumed(useCount: Int)
  /// Not active, or nothing of that name.
  case notActive
  /// No uses were left. It is revoked now.
  case exhausted
}

/// What became of a revocation of many records: their names, in any order.
///
/// The tokens of all of them end, also of those revoked before: the process may have died between the two.
public struct DeviceSecretRevocations: Sendable, Hashable {
  /// Revoked now.
  public var revoked: [String]
  /// Revoked before; each keeps its date and reason.
  public var alreadyRevoked: [String]

  /// An outcome.
  public init(revoked: [String] = [], alreadyRevoked: [String] = []) {
    (self.revoked, self.alreadyRevoked) = (revoked, alreadyRevoked)
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
