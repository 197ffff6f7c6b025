import JOSE

/// What an ``OpenIDProvider`` consists of, beside its keys.
struct ProviderParts: Sendable {
  let addresses: ProviderAddresses
  let policy: ProviderPolicy
  let clock: WallClock
  let refreshTokens: RefreshTokenService
  let codes: AuthorizationCodeService
  let onEvent: @Sendable (ProviderEvent) async -> Void
  let statusCache = StatusListCache()
  var clients: any ClientDirectory
  var sessions: any SessionDirectory
  var records: any RecordStore
  var proofs: DPoPVerifier
  var grants: [TokenEndpoint.Grant] = []
  var rateLimiter: any RateLimiter = InMemoryRateLimiter()
  var mayKeep: @Sendable (_ source: String) async throws -> Bool
  var addition: (any ProviderAddition)?
  /// Makes tokens in place of ``refreshTokens``.
  var otherTokens: (any TokenIssuer)?

  /// - Parameter address: the issuer's.
  init(
    _ issuer: String, _ address: URIComponents, _ clients: any ClientDirectory, _ sessions: any SessionDirectory,
    _ refreshTokens: RefreshTokenFormat, _ records: any RecordStore, _ policy: ProviderPolicy, _ clock: WallClock,
    _ onEvent: @escaping @Sendable (ProviderEvent) async -> Void
  ) throws(OpenIDError) {
    addresses = ProviderAddresses(issuer: issuer, address)
    (self.clients, self.sessions, self.records) = (clients, sessions, records)
    (self.policy, self.clock, self.onEvent) = (policy, clock, onEvent)
    self.refreshTokens = try RefreshTokenService(
      policy: policy.rotation, format: refreshTokens, sessions: sessions, records: records, clock: clock
    ) { await onEvent(.refreshToken($0)) }
    // Longer than an access token lives, which ends with its code.
    let retention = Duration.seconds(policy.rotation.maximumAccessTokenLifetime.inSeconds + 86_400)
    codes = try AuthorizationCodeService(
      refreshTokens: self.refreshTokens, lifetime: policy.codeLifetime, retention: retention,
      revokedTokens: RevokedTokens(records: records, clock: clock), clock: clock
    ) { await onEvent(.code($0)) }
    proofs = DPoPVerifier(
      algorithms: [.es256, .ps256, .rs256, .ed25519, .eddsa], clock: clock, records: records)
    let kept = InMemoryRateLimiter()
    mayKeep = { source in
      let decision = await kept.attempt(
        [RateLimitKey("kept", source)], limit: 600, blockDuration: .seconds(60), now: clock.now)
      return decision == .allowed
    }
  }
}
