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
  ///   - whyGrantEnded: asked at each redemption: nil if the session is alive, the user is active and consent is
  ///     there, else why not. The
  ///     family is then revoked.
  ///   - onEvent: told what happens, for audit and alarms.
  /// - Throws: ``TokenRefreshErrorCode/settingInvalid``.
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
    self.policy = policy
    self.format = format
    self.store = store
    self.clock = clock
    self.isGrantAlive = whyGrantEnded
    self.onEvent = onEvent
    self.random = random
  }

  /// Begins a family for a login and returns its first token with the grant to make an access token from.
  ///
  /// - Throws: ``TokenRefreshErrorCode/storage``; ``TokenRefreshErrorCode/invalidGrant`` if the session or the user is
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
      throw TokenRefreshError(.storage, "the store refused fresh names")
    }
    // Whoever ended the session meanwhile has revoked what there was; what came later is revoked here.
    if let reason = try await askingStore({ try await isGrantAlive(grant) }) {
      try await revoke(family.id, reason)
      throw Self.invalidGrant
    }
    try await revokeOverflow(grant)
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
      accessTokenLifetime: policy.accessTokenLifetime)
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
      throw TokenRefreshError(.storage, "the store failed")
    }
  }

  /// The one text for every refusal of a token, so that its reason can't be told from outside.
  static var invalidGrant: TokenRefreshError { TokenRefreshError(.invalidGrant, "the refresh token is not valid") }
}
