import JOSE
import PureCrypto
import OpenIDKit

extension OpenIDProvider {
  /// Revokes a device secret, and ends every refresh token that came of it or with it, or with a former one of its
  /// device.
  ///
  /// All secrets of one session count as one device's, since nothing else tells devices apart: where two devices share
  /// a session, the end of one's secret ends the logins of both. The last 64 former ones are known. Logins that came
  /// with an older one stay, until `endSession(_:reason:)`.
  /// - Parameters:
  ///   - id: the record's name.
  ///   - reason: kept with the record. If it was revoked before, the first reason stays; its tokens end in any case.
  /// - Throws: what the records throw. Do it again.
  @discardableResult
  public func revokeDeviceSecret(
    id: String, reason: LogoutReason
  ) async throws -> DeviceSecretRevocation {
    let outcome = try await deviceSecretRecords.revoke(id: id, reason: reason, now: clock.now)
    if outcome != .unknown { try await Self.all(endings(of: [id], reason)) }
    return outcome
  }

  /// Revokes every device secret of a user, such as when the user is disabled or the password changes, and ends every
  /// refresh token that came of one or with one. End the sessions as well.
  ///
  /// - Returns: how many device secrets were revoked.
  /// - Throws: what the records throw. All that could be ended is; do it again.
  @discardableResult
  public func revokeDeviceSecrets(userID: String, reason: LogoutReason) async throws -> Int {
    let secrets = try await deviceSecretRecords.revokeAll(userID: userID, reason: reason, now: clock.now)
    try await Self.all(endings(of: secrets.revoked + secrets.alreadyRevoked, reason))
    return secrets.revoked.count
  }

  /// What ends all that the devices of these secrets have: former secrets that serve yet, and the refresh tokens that
  /// came with each.
  fileprivate func endings(
    of ids: [String], _ reason: LogoutReason
  ) async -> [@Sendable () async throws -> Void] {
    let store = deviceSecretRecords
    var (names, failed) = (ids, [@Sendable () async throws -> Void]())
    for id in ids {
      do {
        names += try await store.line(of: id)
      } catch {
        failed.append { throw error }
      }
    }
    names = names.distinct
    // First no device secret gives tokens any more, then those go that were given.
    return names.map { id in { _ = try await store.revoke(id: id, reason: reason, now: clock.now) } }
      + names.map { id in { try await tokens.revokeTokens(deviceSecretID: id) } } + failed
  }
}

extension NativeSSO {
  package func endSession(
    _ id: String, _ reason: LogoutReason, of provider: OpenIDProvider
  ) async throws -> [@Sendable () async throws -> Void] {
    let secrets = try await provider.deviceSecretRecords.revokeAll(
      sessionID: id, reason: reason, now: provider.clock.now)
    return await provider.endings(of: secrets.revoked + secrets.alreadyRevoked, reason)
  }

  package func revoke(_ token: String, by clientID: String, of provider: OpenIDProvider) async throws -> Bool {
    guard let secret = try? DeviceSecret(token),
      let record = try await provider.deviceSecretRecords.anyRecord(fingerprint: secret.fingerprint)
    else { return false }
    guard try await provider.clients.client(id: clientID)?.nativeSSOEnabled == true else {
      throw OpenIDError(.invalidGrant, "the device secret belongs to clients of Native SSO")
    }
    try await provider.revokeDeviceSecret(id: record.id, reason: .revokedByClient)
    await audit(AuditEvent(.tokenRevoked, clientID: clientID, userID: record.userID, deviceSecretID: record.id))
    return true
  }
}
