/// The keys that an issuer publishes, fetched when needed and kept.
///
/// ```swift
/// let keys = RemoteKeySet(url: "https://idp.example.com/jwks", transport: send)
/// let verifier = RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
/// let token = try await verifier.verify(text, as: MyClaims.self)
/// ```
///
/// There is one request at a time, and all callers that wait get its outcome, so a later answer never gives way to an
/// earlier one. No caller waits while there are keys that serve. A set near its end is renewed in the background, and
/// serves a minute past its end for that; a set that ended before is used only after a request that failed. An answer
/// that forbids this (`no-store`, `no-cache`, `must-revalidate`) is obeyed. A caller waits for the time limit of a
/// request at most, and no longer than its own task.
///
/// A server that names its answer (`ETag`) is asked only whether the set has changed, and extends its time by saying
/// that it has not (304).
///
/// A token with an unknown `kid` causes a request, but none sooner than the cooldown after the last, and only if its
/// header would be accepted: strangers can't multiply requests. A request that fails leaves the keys that are there,
/// and so does an answer without a single key that can be used: an issuer that publishes nothing has made a mistake. A
/// key that the issuer withdrew stops verifying with the next answer. Symmetric and private keys are never taken from a
/// network.
public actor RemoteKeySet {
  typealias Fetch = @Sendable (_ validator: DocumentValidator?) async throws -> DocumentAnswer

  private struct Known {
    let keys: JWKSet
    let validator: DocumentValidator?
    let directives: CacheDirectives
    let requested: NumericDate
    let expiry: NumericDate
    /// When the keys end if no request fails, and when if one does.
    let staleEnd: NumericDate
    let errorEnd: NumericDate
  }

  private typealias Outcome = Result<JWKSet, JOSEError>

  private struct Request {
    let number: Int
    let date: NumericDate
    let tasks: [Task<Void, Never>]
  }

  private let policy: RemoteKeySetPolicy
  private let clock: WallClock
  private let onEvent: (@Sendable (RemoteKeySetEvent) -> Void)?
  private let fetch: Fetch

  private var known: Known?
  private var request: Request?
  private var requestCount = 0
  /// The number of the last request that brought keys, or 0.
  private var answered = 0
  private var lastRequest: NumericDate?
  /// Requests that failed since the last that didn't.
  private var failureCount = 0
  private var lastFailure: (cause: RemoteKeySetFailure, date: NumericDate)?
  private var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var waitingCount = 0

  /// The keys at a URL.
  ///
  /// - Parameters:
  ///   - url: where the key set is, an https URL.
  ///   - policy: how long keys are trusted, and how often they are asked for.
  ///   - plainHTTP: whether the keys may be on this machine, without TLS.
  ///   - clock: where "now" comes from. The time limit of a request goes by the system's.
  ///   - onEvent: told of each request and its outcome. It is called in between, so it should return at once.
  ///   - transport: the caller's HTTP client. A request that takes too long is cancelled.
  public init(
    url: String, policy: RemoteKeySetPolicy = .default, plainHTTP: PlainHTTP = .refused, clock: WallClock = .system,
    onEvent: (@Sendable (RemoteKeySetEvent) -> Void)? = nil, transport: @escaping HTTPTransport
  ) {
    self.init(policy: policy, clock: clock, onEvent: onEvent) {
      try await DocumentAnswer.get(
        url, accepting: MediaType.keySet, confirming: $0, plainHTTP: plainHTTP, transport: transport)
    }
  }

  init(
    policy: RemoteKeySetPolicy, clock: WallClock, onEvent: (@Sendable (RemoteKeySetEvent) -> Void)?,
    fetch: @escaping Fetch
  ) {
    (self.policy, self.clock, self.onEvent, self.fetch) = (policy, clock, onEvent, fetch)
  }

  /// The keys as they are known now. Waits for the issuer only if there are none that serve, or none of the name.
  ///
  /// - Parameter keyID: the `kid` that is needed. If no key bears it, the issuer is asked again, unless that was done
  ///   lately.
  /// - Returns: the keys. A token whose key is not among them is refused with ``ErrorCode/keyNotFound``, whose fault is
  ///   ``ErrorCode/Fault/unavailable`` if it names one and the issuer wasn't asked during this call.
  /// - Throws: ``ErrorCode/externalKeyFailed`` if the keys can't be had, which says why the last request failed, or
  ///   if the task was cancelled; ``ErrorCode/malformed``, ``ErrorCode/limitExceeded`` or ``ErrorCode/claimMismatch``
  ///   if an answer is no key set or no metadata of the issuer. The fault of all is ``ErrorCode/Fault/unavailable``;
  ///   ``ErrorCode/callerMisuse`` if the place of the keys is not an https URL.
  public func keys(for keyID: String? = nil) async throws(JOSEError) -> JWKSet {
    // A request that was under way before may have been answered before as well.
    let before = requestCount
    var keys = try await served(for: keyID)
    keys.isLatest = answered > before
    return keys
  }

  /// The keys that serve without an answer of the issuer, who is asked in the background when they are near their end.
  func atHand() -> JWKSet? {
    let now = clock.now
    guard let known = servingKeys(now) else { return nil }
    renewIfDue(known, now)
    return known.keys
  }

  private func renewIfDue(_ known: Known, _ now: NumericDate) {
    // A set from the future was asked for before the clock was set back: its end says nothing.
    let isFromFuture = known.requested > now.advanced(by: policy.cooldown)
    let isDue = isFromFuture || now >= known.expiry.advanced(by: -policy.refreshAhead.inSeconds)
    if request == nil, isDue, mayAsk(now) { begin(now) }
  }

  private func served(for keyID: String?) async throws(JOSEError) -> JWKSet {
    let now = clock.now
    if let known = servingKeys(now) {
      if isKnown(keyID, known.keys) {
        renewIfDue(known, now)
        return known.keys
      }
      guard request != nil || mayAsk(now) else { return known.keys }
    } else if request == nil, !mayAsk(now) {
      throw lastFailure?.cause.error
        ?? JOSEError(.externalKeyFailed, "the key set could not be fetched a moment ago", name: "keys")
    }
    switch await outcome(now) {
    case .success(let keys): return keys
    case .failure(let error):
      // The keys that are there answer for an unknown key, and for one that was known before the issuer failed.
      guard let known = servingKeys(clock.now) else { throw error }
      return known.keys
    }
  }

  /// The keys as they are known now or, if some token has a key that is not among them, as the issuer says now.
  ///
  /// - Throws: as ``keys(for:)``; ``ErrorCode/externalKeyFailed`` also while the issuer can't be asked again.
  package func keys(refreshing: Bool) async throws(JOSEError) -> JWKSet {
    guard refreshing else { return try await keys() }
    let (now, before) = (clock.now, requestCount)
    guard request != nil || mayAsk(now) else {
      throw JOSEError(
        .externalKeyFailed, "the issuer's keys were requested a moment ago: try again later", name: "keys")
    }
    var latest = try await outcome(now).get()
    // A request that was under way before may have been answered before as well.
    latest.isLatest = answered > before
    return latest
  }

  /// Verifies a JWS with the keys.
  ///
  /// - Throws: as ``keys(for:)`` and ``JWS/verify(_:with:algorithms:understanding:limits:)``. What no key can make
  ///   acceptable asks no issuer.
  package func verify(_ token: String, algorithms: [SignatureAlgorithm]) async throws(JOSEError) -> VerifiedJWS {
    let token = try UnverifiedJWS(parsing: token)
    let header = token.unverifiedHeader
    guard header.isAcceptable(algorithms) else {
      return try token.verified(with: known?.keys ?? JWKSet([]), algorithms: algorithms)
    }
    return try token.verified(with: await keys(for: header.keyID), algorithms: algorithms)
  }

  /// Whether a request is under way.
  var isAsking: Bool { request != nil }

  // MARK: Asking

  /// What is known, if it may be used without an answer of the issuer.
  ///
  /// Past `staleWhileRevalidate`, that takes a failure: a recent one, or one after which the issuer must not be asked
  /// yet. An old one says nothing about an issuer that may well answer now.
  private func servingKeys(_ now: NumericDate) -> Known? {
    guard let known, isUsable(known, now) else { return nil }
    guard now >= known.staleEnd, let lastFailure else { return known }
    let isRecent = now < lastFailure.date.advanced(by: policy.staleWhileRevalidate)
    return isRecent || !mayAsk(now) ? known : nil
  }

  private func isUsable(_ known: Known, _ now: NumericDate) -> Bool {
    now < known.staleEnd || lastFailure != nil && now < known.errorEnd
  }

  private func isKnown(_ keyID: String?, _ keys: JWKSet) -> Bool {
    guard let keyID else { return true }
    let name = WireName(keyID)
    return keys.keys.contains { $0.keyName == name }
  }

  /// Whether the pause after the last request is over. A clock that went backwards doesn't prolong it.
  private func mayAsk(_ now: NumericDate) -> Bool {
    guard let lastRequest else { return true }
    return now < lastRequest || now >= lastRequest.advanced(by: pause(now))
  }

  /// While nothing can be verified, the issuer is asked again soon; each failure doubles the time.
  private func pause(_ now: NumericDate) -> Double {
    guard failureCount > 0, known.map({ !isUsable($0, now) }) ?? true else { return policy.cooldown.inSeconds }
    return min(policy.cooldown.inSeconds, policy.retryDelay.inSeconds * Double(1 << min(failureCount - 1, 16)))
  }

  /// The outcome of the request that is under way, or of a new one. A caller whose task is cancelled doesn't wait for
  /// it.
  private func outcome(_ now: NumericDate) async -> Outcome {
    if request == nil { begin(now) }
    waitingCount += 1
    let number = waitingCount
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: Self.cancelled)
        } else {
          waiting[number] = continuation
        }
      }
    } onCancel: {
      Task { await self.release(number) }
    }
  }

  private static var cancelled: Outcome {
    .failure(JOSEError(.externalKeyFailed, "the task that waited for the key set was cancelled", name: "keys"))
  }

  private func release(_ number: Int) {
    waiting.removeValue(forKey: number)?.resume(returning: Self.cancelled)
  }

  private func begin(_ now: NumericDate) {
    lastRequest = now
    requestCount += 1
    let number = requestCount
    let (fetch, validator) = (fetch, known?.validator)
    let timeLimit = max(.milliseconds(1), min(policy.timeLimit, .seconds(86_400)))
    let load = Task {
      do {
        let answer = try await fetch(validator)
        self.finish(number, .success(answer))
      } catch {
        self.finish(number, .failure(error as? RemoteKeySetFailure ?? .unreachable(error)))
      }
    }
    let timer = Task {
      guard (try? await Task.sleep(for: timeLimit)) != nil else { return }
      self.finish(number, .failure(.timedOut))
    }
    request = Request(number: number, date: now, tasks: [load, timer])
    onEvent?(RemoteKeySetEvent(.requested, at: now))
  }

  /// Takes the first outcome of a request: its answer, its failure or its end by time.
  private func finish(_ number: Int, _ answer: Result<DocumentAnswer, RemoteKeySetFailure>) {
    guard let request, request.number == number else { return }
    self.request = nil
    for task in request.tasks { task.cancel() }
    let outcome: Outcome
    let event: RemoteKeySetEvent.Kind
    do throws(RemoteKeySetFailure) {
      let answer = try answer.get()
      let keys = try accepted(answer, requested: request.date)
      (failureCount, lastFailure) = (0, nil)
      answered = number
      outcome = .success(keys)
      event =
        answer.confirms
        ? .confirmed(keyCount: keys.keys.count)
        : .renewed(keyCount: keys.keys.count, unsupportedCount: keys.unsupportedKeys.count)
    } catch {
      failureCount += 1
      lastFailure = (error, clock.now)
      outcome = .failure(error.error)
      event = .failed(error)
    }
    let callers = waiting
    waiting = [:]
    for caller in callers.values { caller.resume(returning: outcome) }
    onEvent?(RemoteKeySetEvent(event, at: clock.now))
  }

  /// The keys of an answer, which are known from now on.
  private func accepted(
    _ answer: DocumentAnswer, requested: NumericDate
  ) throws(RemoteKeySetFailure) -> JWKSet {
    if answer.confirms, let known {
      let directives = CacheDirectives(answer.response.headers, confirming: known.directives)
      self.known = lasting(known.keys, validator: known.validator, directives, requested: requested)
      return known.keys
    }
    guard answer.response.status == 200 else { throw .status(answer.response.status) }
    let keys: JWKSet
    do throws(JOSEError) {
      keys = try JWKSet(parsing: IssuerDocument.text(of: answer.response), limits: policy.limits)
    } catch {
      throw .invalid(IssuerDocument.fault(error, of: answer.response, name: "keys"))
    }
    guard !keys.keys.isEmpty else { throw .noUsableKeys }
    known = lasting(
      keys, validator: answer.validator, CacheDirectives(answer.response.headers), requested: requested)
    return keys
  }

  private func lasting(
    _ keys: JWKSet, validator: DocumentValidator?, _ directives: CacheDirectives, requested: NumericDate
  ) -> Known {
    // Even an answer that must not be kept serves until the next one is allowed.
    let wanted = directives.freshness ?? policy.maximumAge.inSeconds
    let age = max(policy.cooldown.inSeconds, min(wanted, policy.greatestMaximumAge.inSeconds))
    let expiry = requested.advanced(by: age)
    func end(_ time: Duration, _ bound: Double?) -> NumericDate {
      expiry.advanced(by: min(time.inSeconds, bound ?? .infinity))
    }
    return Known(
      keys: keys, validator: validator, directives: directives, requested: requested, expiry: expiry,
      staleEnd: end(policy.staleWhileRevalidate, directives.staleWhileRevalidate),
      errorEnd: end(policy.staleIfError, directives.staleIfError))
  }
}

extension ProtectedHeader {
  /// Whether some key could verify a token with this header.
  fileprivate func isAcceptable(_ algorithms: [SignatureAlgorithm]) -> Bool {
    algorithms.contains { $0.name == algorithmName } && criticalNames.allSatisfy { $0 == "b64" }
  }
}
