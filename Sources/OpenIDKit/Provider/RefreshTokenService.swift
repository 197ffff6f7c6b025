import JOSE
import PureCrypto
import StrictJSON

/// A provider's refresh tokens: issues them, redeems each once, notices reuse, and revokes.
///
/// ```swift
/// let result = try await service.redeem(request) { grant in
///   try makeAccessToken(for: grant)
/// }
/// ```
///
/// Source: RFC 6749 §6, §10.4; RFC 9700 §4.14.
public struct RefreshTokenService: Sendable {
  /// How tokens are treated.
  public let policy: RotationPolicy
  let format: RefreshTokenFormat
  let store: any RefreshTokenFamilyStore
  let clock: WallClock
  let random: RandomSource
  let isGrantAlive: @Sendable (RefreshGrant) async throws -> LogoutReason?
  let onEvent: @Sendable (RefreshTokenEvent) -> Void

  /// A service.
  ///
  /// - Parameters:
  ///   - policy: lifetimes, and what becomes of tokens that come twice.
  ///   - format: holds the secret key, the same on all machines of one provider and after a restart.
  ///   - store: shared by these machines too. The default serves one process and forgets.
  ///   - clock: dates families and judges their age.
  ///   - whyGrantEnded: asked at each redemption, before and after the tokens are made: nil if the session is alive,
  ///     the user is active and consent is there, else why not. The family is then revoked.
  ///   - onEvent: told what happens, for audit and alarms.
  /// - Throws: `ErrorCode.settingInvalid`.
  public init(
    policy: RotationPolicy = RotationPolicy(), format: RefreshTokenFormat,
    store: any RefreshTokenFamilyStore = InMemoryRefreshTokenFamilyStore(), clock: WallClock = .system,
    whyGrantEnded: @escaping @Sendable (RefreshGrant) async throws -> LogoutReason? = { _ in nil },
    onEvent: @escaping @Sendable (RefreshTokenEvent) -> Void = { _ in }
  ) throws(TokenRefreshError) {
    try self.init(
      policy: policy, format: format, store: store, clock: clock, whyGrantEnded: whyGrantEnded, onEvent: onEvent,
      random: .system)
  }

  package init(
    policy: RotationPolicy, format: RefreshTokenFormat, store: any RefreshTokenFamilyStore, clock: WallClock,
    whyGrantEnded: @escaping @Sendable (RefreshGrant) async throws -> LogoutReason?,
    onEvent: @escaping @Sendable (RefreshTokenEvent) -> Void, random: RandomSource
  ) throws(TokenRefreshError) {
    try policy.requireValid()
    (self.policy, self.format, self.store, self.clock) = (policy, format, store, clock)
    self.isGrantAlive = whyGrantEnded
    self.onEvent = onEvent
    self.random = random
  }

  /// Begins a family for a login and returns its first token with the grant to make an access token from.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`; `ErrorCode.invalidGrant` if the session or the user is
  ///   gone by now.
  public func issue(
    _ grant: RefreshGrant
  ) async throws(TokenRefreshError) -> (refreshToken: String, grant: RefreshedGrant) {
    let now = clock.now
    let family = try await askingStore {
      for _ in 0..<4 {
        guard let id = RefreshTokenFamily.ID(octets: random.bytes(16)) else { break }
        let family = RefreshTokenFamily(
          id: id, version: 1, grant: grant, createdAt: now,
          absoluteExpiration: policy.absoluteLifetime.map { now.advanced(by: $0) }, lastUsedAt: now, status: .active,
          generation: 1, rotatedAt: nil, replayCount: 0)
        if try await store.insert(family) { return family }
      }
      throw TokenRefreshError(.storeUnavailable, "the store refused fresh names")
    }
    do throws(TokenRefreshError) {
      // Whoever ended the session meanwhile has revoked what there was; what came later is revoked here.
      if let reason = try await askingStore({ try await isGrantAlive(grant) }) {
        try await revoke(family.id, reason)
        throw Self.invalidGrant
      }
      try await revokeOverflow(grant, sparing: family.id)
    } catch {
      // Nobody gets its token: it must not count among the user's logins.
      try? await revoke(family.id, .notIssued)
      throw error
    }
    return (
      format.token(of: family.id, generation: 1),
      refreshedGrant(family, generation: 1, scope: grant.scope, resources: grant.resources)
    )
  }

  func refreshedGrant(
    _ family: RefreshTokenFamily, generation: UInt64, scope: [String], resources: [String]
  ) -> RefreshedGrant {
    RefreshedGrant(
      grant: family.grant, scope: scope, resources: resources, family: family.id, generation: generation,
      accessTokenLifetime: policy.lifetime(asked: family.grant.accessTokenLifetime))
  }

  func emit(_ kind: RefreshTokenEvent.Kind, _ family: RefreshTokenFamily) {
    onEvent(
      RefreshTokenEvent(
        kind: kind, family: family.id, clientID: family.grant.clientID, subject: family.grant.subject,
        generation: family.generation))
  }

  func askingStore<Value: Sendable>(_ body: () async throws -> Value) async throws(TokenRefreshError) -> Value {
    do {
      return try await body()
    } catch {
      throw TokenRefreshError(.storeUnavailable, "the store failed")
    }
  }

  /// The one text for every refusal of a token, so that its reason can't be told from outside.
  static var invalidGrant: TokenRefreshError { TokenRefreshError(.invalidGrant, "the refresh token is not valid") }
}

extension RefreshTokenService {
  /// Revokes the family of a refresh token, as its client asked (RFC 7009). Any token of the family will do; anything
  /// else changes nothing.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func revoke(refreshToken: String, clientID: String) async throws(TokenRefreshError) {
    guard let presented = format.parse(refreshToken),
      let family = try await askingStore({ try await store.family(presented.family) }),
      family.grant.clientID.hasSameBytes(as: clientID)
    else { return }
    try await revoke(family.id, .revokedByClient)
  }

  /// Revokes families: all of a user after a password change or when the user is disabled, those of a session at its
  /// end, all that are older than a bulk withdrawal.
  ///
  /// - Parameters:
  ///   - selection: which families. Those that have ended already keep their reason.
  ///   - reason: kept with the family, for audit. Clients are only told `invalid_grant`.
  ///   - kept: a family that stays, such as the one in which the user changed the password.
  /// - Throws: `ErrorCode.storeUnavailable`. All families that could be revoked then are; do it again.
  public func revoke(
    _ selection: FamilySelection, _ reason: LogoutReason, keeping kept: RefreshTokenFamily.ID? = nil
  ) async throws(TokenRefreshError) {
    var failure: TokenRefreshError?
    for id in try await askingStore({ try await store.families(selection) }) where id != kept {
      do throws(TokenRefreshError) {
        try await revoke(id, reason)
      } catch {
        // One that can't be read, say. The others may be a thief's, and end nevertheless.
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Revokes one family. The first reason stays.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func revoke(_ id: RefreshTokenFamily.ID, _ reason: LogoutReason) async throws(TokenRefreshError) {
    try await revoke(id, reason, reading: store.family)
  }

  private func revoke(
    _ id: RefreshTokenFamily.ID, _ reason: LogoutReason,
    reading family: (RefreshTokenFamily.ID) async throws -> RefreshTokenFamily?
  ) async throws(TokenRefreshError) {
    for _ in 0..<32 {
      guard let family = try await askingStore({ try await family(id) }), family.status == .active else { return }
      var revoked = family
      revoked.version += 1
      revoked.status = .revoked(reason, at: clock.now)
      if try await askingStore({ try await store.replace(expecting: family.version, with: revoked) }) {
        emit(.revoked(reason), revoked)
        return
      }
    }
    throw TokenRefreshError(.storeUnavailable, "too many writes to one family at once")
  }

  /// Ends families that have not been used for too long, and removes those that ended so long ago that their reuse need
  /// not be recognised any more: 90 days. Call it once a day or so.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func removeOldFamilies() async throws(TokenRefreshError) {
    let now = clock.now
    if let idleTimeout = policy.idleTimeout {
      let begun = FamilySelection.createdBefore(now.advanced(by: -idleTimeout))
      for id in try await askingStore({ try await store.activeFamilies(begun) }) {
        guard let family = try await askingStore({ try await readable(id) }), family.status == .active,
          isExpired(family, at: now)
        else { continue }
        try await revoke(id, .expired)
      }
    }
    let date = now.advanced(by: -90 * 86_400)
    try await askingStore { try await store.removeFamilies(endedBefore: date) }
  }

  /// Revokes the oldest logins of a user with a client beyond the number that is allowed, but neither the one that has
  /// just begun nor those that come after it: of logins that begin at once, each would end the others. If this
  /// machine's clock is behind another's, there is one too many until the next login.
  func revokeOverflow(
    _ grant: RefreshGrant, sparing new: RefreshTokenFamily.ID
  ) async throws(TokenRefreshError) {
    let active = try await askingStore {
      try await store.activeFamilies(.subjectAndClient(grant.subject, grant.clientID))
    }
    for id in active.dropLast(policy.maximumFamiliesPerUserAndClient).prefix(while: { $0 != new }) {
      try await revoke(id, .tooManyLogins, reading: readable)
    }
  }

  /// The family of that name, unless it can't be read: then its tokens are not redeemed, and nobody's login must wait
  /// for it.
  private func readable(_ id: RefreshTokenFamily.ID) async throws -> RefreshTokenFamily? {
    do {
      return try await store.family(id)
    } catch let error as TokenRefreshError where error.code == .recordMalformed {
      return nil
    }
  }
}
