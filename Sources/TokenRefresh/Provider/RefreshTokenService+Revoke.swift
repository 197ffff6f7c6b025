import JOSE
import StrictJSON

extension RefreshTokenService {
  /// Revokes the family of a refresh token, as its client asked (RFC 7009). Any token of the family will do; anything
  /// else changes nothing.
  ///
  /// - Throws: ``TokenRefreshErrorCode/storage``.
  public func revoke(refreshToken: String, clientID: String) async throws(TokenRefreshError) {
    guard let presented = format.parse(refreshToken),
      let family = try await askingStore({ try await store.family(presented.family) }),
      family.grant.clientID.hasSameBytes(as: clientID)
    else { return }
    try await revoke(family.id, .revokedByClient)
  }

  /// Revokes families: all of a user after a password change or when the user is disabled, those of a session at its
  /// end, all that are older than
  /// a bulk withdrawal.
  ///
  /// - Parameters:
  ///   - selection: which families. Those that have ended already keep their reason.
  ///   - reason: kept with the family, for audit. Clients are only told `invalid_grant`.
  ///   - kept: a family that stays, such as the one in which the user changed the password.
  /// - Throws: ``TokenRefreshErrorCode/storage``. Some families may then be revoked already; do it again.
  public func revoke(
    _ selection: FamilySelection, _ reason: LogoutReason, keeping kept: RefreshTokenFamily.ID? = nil
  ) async throws(TokenRefreshError) {
    for id in try await askingStore({ try await store.families(selection) }) where id != kept {
      try await revoke(id, reason)
    }
  }

  /// Revokes one family. The first reason stays.
  ///
  /// - Throws: ``TokenRefreshErrorCode/storage``.
  public func revoke(_ id: RefreshTokenFamily.ID, _ reason: LogoutReason) async throws(TokenRefreshError) {
    for _ in 0..<32 {
      guard let family = try await askingStore({ try await store.family(id) }), family.status == .active else { return }
      var revoked = family
      revoked.version += 1
      revoked.status = .revoked(reason, at: clock.now)
      if try await askingStore({ try await store.replace(expecting: family.version, with: revoked) }) {
        emit(.revoked(reason), revoked)
        return
      }
    }
    throw TokenRefreshError(.storage, "too many writes to one family at once")
  }

  /// Ends families that have not been used for too long, and removes those that ended so long ago that their reuse need
  /// not be recognised any more: 90 days. Call it once a day or so.
  ///
  /// - Throws: ``TokenRefreshErrorCode/storage``.
  public func removeOldFamilies() async throws(TokenRefreshError) {
    let now = clock.now
    if let idleTimeout = policy.idleTimeout {
      let begun = FamilySelection.createdBefore(now.advanced(by: -idleTimeout))
      for id in try await askingStore({ try await store.activeFamilies(begun) }) {
        guard let family = try await askingStore({ try await store.family(id) }), family.status == .active,
          isExpired(family, at: now)
        else { continue }
        try await revoke(id, .expired)
      }
    }
    let date = now.advanced(by: -90 * 86_400)
    try await askingStore { try await store.removeFamilies(endedBefore: date) }
  }

  /// Revokes the oldest logins of a user with a client beyond the number that is allowed.
  func revokeOverflow(_ grant: RefreshGrant) async throws(TokenRefreshError) {
    let active = try await askingStore {
      try await store.activeFamilies(.subjectAndClient(grant.subject, grant.clientID))
    }
    for id in active.dropLast(policy.maximumFamiliesPerUserAndClient) { try await revoke(id, .tooManyLogins) }
  }
}
