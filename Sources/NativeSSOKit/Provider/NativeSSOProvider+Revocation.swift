import JOSE
import PureCrypto
import OpenIDKit

extension NativeSSOProvider {
  /// Ends what hangs off a session: every device secret that it is attached to, every refresh token of the session, and
  /// every refresh token that came of these device secrets, in whatever app and session.
  ///
  /// Call it at each logout, and with other reasons when a user is disabled or the original refresh token is revoked.
  /// - Returns: how many device secrets were revoked.
  /// - Throws: what the records throw. All that could be ended is; do it again.
  @discardableResult
  public func endSession(_ sessionID: String, reason: LogoutReason = .sessionEnded) async throws -> Int {
    let count = try await revokeTokens(sessionID: sessionID, reason: reason)
    await audit(AuditEvent(.sessionEnded, sessionID: sessionID, check: reason.description))
    return count
  }

  /// Revokes a device secret, and ends every refresh token that came of it or with it, or with a former one of its
  /// device.
  ///
  /// All secrets of one session count as one device's, since nothing else tells devices apart: where two devices share
  /// a session, the end of one's secret ends the logins of both. The last 64 former ones are known. Logins that came
  /// with an older one stay, until ``endSession(_:reason:)``.
  /// - Parameters:
  ///   - id: the record's name.
  ///   - reason: kept with the record. If it was revoked before, the first reason stays; its tokens end in any case.
  /// - Throws: what the records throw. Do it again.
  @discardableResult
  public func revokeDeviceSecret(
    id: String, reason: LogoutReason
  ) async throws -> DeviceSecretRevocation {
    let outcome = try await store.revoke(id: id, reason: reason, now: clock.now)
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
    let secrets = try await store.revokeAll(userID: userID, reason: reason, now: clock.now)
    try await Self.all(endings(of: secrets.revoked + secrets.alreadyRevoked, reason))
    return secrets.revoked.count
  }

  /// Ends what hangs off a session. First no device secret gives tokens any more, then those go that were given.
  func revokeTokens(sessionID: String, reason: LogoutReason) async throws -> Int {
    let secrets = try await store.revokeAll(sessionID: sessionID, reason: reason, now: clock.now)
    let session = { [tokens] in try await tokens.revokeTokens(sessionID: sessionID) }
    try await Self.all([session] + endings(of: secrets.revoked + secrets.alreadyRevoked, reason))
    return secrets.revoked.count
  }

  /// What ends all that the devices of these secrets have: former secrets that serve yet, and the refresh tokens that
  /// came with each.
  private func endings(of ids: [String], _ reason: LogoutReason) async -> [() async throws -> Void] {
    var (names, failed) = (ids, [() async throws -> Void]())
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

  /// Tries each, whatever becomes of those before it, and throws the first failure.
  private static func all(_ endings: [() async throws -> Void]) async throws {
    var failure: (any Error)?
    for end in endings {
      do {
        try await end()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  // MARK: The endpoint

  /// The revocation endpoint of the provider's clients: it ends refresh tokens, device secrets with every
  /// refresh token that came of them, and what else there is.
  ///
  /// A device secret may be revoked by any client that may use Native SSO and presents it: the apps of a device share
  /// it. One that a rotation has replaced ends its successor: the app that presents it may not know of that. How far
  /// the end of a secret reaches is said at ``revokeDeviceSecret(id:reason:)``.
  /// - Parameters:
  ///   - authenticate: authenticates or identifies the client; `authenticate` of ``clients`` unless it is given.
  ///   - revokeOther: told of every token that is no device secret: revokes access tokens that can be revoked. It must
  ///     see to it that the token is the client's, and throw `ErrorCode.invalidGrant` for another client's.
  public func revocationEndpoint(
    authenticate: (@Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?)? = nil,
    revokeOther: @escaping @Sendable (RevocationRequest, AuthenticatedClient) async throws -> Void = { _, _ in }
  ) -> OAuthRevocationEndpoint {
    OAuthRevocationEndpoint(authenticate: authenticate ?? clients.authenticate) { request, client in
      // The hint may be wrong, so it decides nothing.
      if try await revokeDeviceSecret(request.token, by: client.id) { return }
      try await tokens.revoke(request.token, clientID: client.id)
      try await revokeOther(request, client)
      await audit(AuditEvent(.tokenRevoked, clientID: client.id))
    }
  }

  /// Whether a token is a device secret. It is revoked now if this client may do so.
  private func revokeDeviceSecret(_ token: String, by clientID: String) async throws -> Bool {
    guard let secret = try? DeviceSecret(token),
      let record = try await store.anyRecord(fingerprint: secret.fingerprint)
    else { return false }
    guard try await clients.client(id: clientID)?.nativeSSOEnabled == true else {
      throw OpenIDError(.invalidGrant, "the device secret belongs to clients of Native SSO")
    }
    try await revokeDeviceSecret(id: record.id, reason: .revokedByClient)
    await audit(AuditEvent(.tokenRevoked, clientID: clientID, userID: record.userID, deviceSecretID: record.id))
    return true
  }
}
