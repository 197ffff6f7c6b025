import JOSEHTTP
import JOSE
import StrictJSON

extension NativeSSOProvider {
  /// Ends what hangs off a session: every device secret that it is attached to, and every refresh token of every app.
  ///
  /// Call it at logout, whoever asks for it, and with other reasons when a user is disabled or the original refresh token is revoked.
  /// - Returns: how many device secrets were revoked.
  /// - Throws: what the stores throw.
  @discardableResult
  public func endSession(_ sessionID: String, reason: RevocationReason = .sessionLogout) async throws -> Int {
    let count = try await store.revokeAll(sessionID: sessionID, reason: reason, now: clock.now)
    try await tokens.revokeTokens(sessionID: sessionID)
    await audit(AuditEvent(.sessionEnded, sessionID: sessionID, check: reason.description))
    return count
  }

  /// Revokes every device secret of a user, such as when the user is disabled or the password changes. End the sessions as well.
  ///
  /// - Returns: how many device secrets were revoked.
  /// - Throws: what the store throws.
  @discardableResult
  public func revokeDeviceSecrets(userID: String, reason: RevocationReason) async throws -> Int {
    try await store.revokeAll(userID: userID, reason: reason, now: clock.now)
  }

  /// Answers a request to the revocation endpoint. A device secret may be revoked by any client that may use Native SSO and presents it.
  ///
  /// As RFC 7009 demands, a token that does not exist is answered like one that did.
  public func revocation(_ request: HTTPRequestValue) async -> HTTPResponseValue {
    do throws(OAuthErrorResponse) {
      guard request.method.hasSameBytes(as: "POST"), let form = try? request.form(),
        let token = try? form.requiredValue("token")
      else { throw .malformed }
      let client = try await ClientAuthenticator(clients: clients).authenticate(request, form)
      let now = clock.now
      if let secret = try? DeviceSecret(token), client.nativeSSOEnabled,
        let record = try await serving({ try await store.record(fingerprint: secret.fingerprint, now: now) })
      {
        _ = try await serving { try await store.revoke(id: record.id, reason: .clientRevocation, now: now) }
        await audit(AuditEvent(.tokenRevoked, clientID: client.id, userID: record.userID, deviceSecretID: record.id))
      } else {
        try await serving { try await tokens.revoke(token, clientID: client.id) }
        await audit(AuditEvent(.tokenRevoked, clientID: client.id))
      }
      return HTTPResponseValue(status: 200, json: [:])
    } catch {
      return error.httpResponse(to: request)
    }
  }
}
