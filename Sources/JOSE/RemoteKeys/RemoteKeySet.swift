/// The keys that an issuer publishes, fetched when needed and kept.
///
/// ```swift
/// let keys = RemoteKeySet { try await get("https://idp.example.com/jwks") }
/// let verifier = RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
/// let token = try await verifier.verify(text, as: MyClaims.self)
/// ```
///
/// There is one request at a time, and everybody who waits gets its outcome, so a later answer never gives way to an earlier one. A token with an
/// unknown `kid` causes a request, but none sooner than the cooldown after the last: strangers can't multiply requests. A request that fails leaves the
/// keys that are there; they serve for a bounded time. A key that the issuer withdrew stops verifying with the next answer. Symmetric and
/// private keys are never taken from a network.
public actor RemoteKeySet {
  /// Asks the issuer. It must give up by itself after some time, and must not follow redirects.
  public typealias Fetch = @Sendable () async throws -> RemoteKeySetResponse

  private struct Known {
    let keys: JWKSet
    let expiry: NumericDate
  }

  private let policy: RemoteKeySetPolicy
  private let clock: WallClock
  private let fetch: Fetch

  private var known: Known?
  private var lastRequest: NumericDate?
  private var request: Task<Result<JWKSet, JOSEError>, Never>?

  /// A set that is fetched by a closure.
  public init(policy: RemoteKeySetPolicy = .default, clock: WallClock = .system, fetch: @escaping Fetch) {
    self.policy = policy
    self.clock = clock
    self.fetch = fetch
  }

  /// The keys as they are known now; the first call, and one after their time, asks the issuer.
  ///
  /// - Parameter keyID: the `kid` that somebody needs. If no key bears it, the issuer is asked again, unless that was done lately.
  /// - Throws: ``JOSEError/Code/externalKeyFailed`` if the keys can't be had, ``JOSEError/Code/malformed`` or
  ///   ``JOSEError/Code/limitExceeded`` if the answer is no key set.
  public func keys(for keyID: String? = nil) async throws(JOSEError) -> JWKSet {
    let now = clock.now
    guard let known, now < known.expiry else { return try await renewed(now) }
    guard isKnown(keyID, known.keys) else {
      guard request != nil || mayAsk(now) else { return known.keys }
      // Whoever asks for an unknown key is told by the keys that are there if the issuer doesn't answer.
      return (try? await ask(now).get()) ?? known.keys
    }
    if request == nil, now >= known.expiry.advanced(by: -policy.refreshAhead), mayAsk(now) { _ = begin(now) }
    return known.keys
  }

  /// Verifies a JWS with the keys.
  ///
  /// - Throws: as ``keys(for:)`` and ``JWS/verify(_:with:algorithms:understanding:limits:)``.
  public func verify(_ token: String, algorithms: [SignatureAlgorithm]) async throws(JOSEError) -> VerifiedJWS {
    let keys = try await keys(for: UnverifiedToken(parsing: token).unverifiedHeader.keyID)
    return try JWS.verify(token, with: keys, algorithms: algorithms)
  }

  // MARK: Asking

  /// A set whose time is over, or that never was, renewed; or the old one for a while.
  private func renewed(_ now: NumericDate) async throws(JOSEError) -> JWKSet {
    let stale = known.flatMap { now < $0.expiry.advanced(by: policy.staleIfError) ? $0.keys : nil }
    guard request != nil || mayAsk(now) else {
      if let stale { return stale }
      throw JOSEError(.externalKeyFailed, "the key set could not be fetched a moment ago", name: "keys")
    }
    switch await ask(now) {
    case .success(let keys): return keys
    case .failure(let failure):
      if let stale { return stale }
      throw failure
    }
  }

  private func isKnown(_ keyID: String?, _ keys: JWKSet) -> Bool {
    guard let keyID else { return true }
    return keys.keys.contains { $0.keyID?.hasSameBytes(as: keyID) ?? false }
  }

  /// Whether the cooldown is over. A clock that went backwards doesn't prolong it.
  private func mayAsk(_ now: NumericDate) -> Bool {
    guard let lastRequest else { return true }
    return now < lastRequest || now >= lastRequest.advanced(by: policy.cooldown)
  }

  private func ask(_ now: NumericDate) async -> Result<JWKSet, JOSEError> {
    await (request ?? begin(now)).value
  }

  private func begin(_ now: NumericDate) -> Task<Result<JWKSet, JOSEError>, Never> {
    lastRequest = now
    let task = Task { await self.load(requested: now) }
    request = task
    return task
  }

  private func load(requested: NumericDate) async -> Result<JWKSet, JOSEError> {
    let answer = try? await fetch()
    request = nil
    do throws(JOSEError) {
      guard let answer, answer.status == 200 else {
        throw JOSEError(.externalKeyFailed, "the key set could not be fetched", name: "keys")
      }
      let keys = try JWKSet(parsing: answer.body, secretKeys: .refused, limits: policy.limits)
      // Even an answer that must not be kept serves until the next one is allowed.
      let age = max(policy.cooldown, min(answer.maximumAge ?? policy.maximumAge, policy.greatestMaximumAge))
      known = Known(keys: keys, expiry: requested.advanced(by: age))
      return .success(keys)
    } catch {
      return .failure(error)
    }
  }
}
