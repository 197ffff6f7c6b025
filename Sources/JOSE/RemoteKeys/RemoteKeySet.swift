/// The keys that an issuer publishes, fetched when needed and kept.
///
/// ```swift
/// let keys = RemoteKeySet { try await get("https://idp.example.com/jwks") }
/// let verifier = RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
/// let token = try await verifier.verify(text, as: MyClaims.self)
/// ```
///
/// There is one request at a time, and everybody who waits gets its outcome, so a later answer never gives way to an earlier one. Nobody waits
/// while there are keys that serve: a set whose time is over is renewed behind its users' backs, and serves for a bounded time until it is. Who
/// waits, waits for the time limit of a request at most, and no longer than its own task.
///
/// A token with an unknown `kid` causes a request, but none sooner than the cooldown after the last, and only if its header would be accepted:
/// strangers can't multiply requests. A request that fails leaves the keys that are there, and so does an answer without a single key that can be
/// used: an issuer that publishes nothing has made a mistake. A key that the issuer withdrew stops verifying with the next answer. Symmetric
/// and private keys are never taken from a network.
public actor RemoteKeySet {
  /// Asks the issuer. It must not follow redirects. A request that takes too long is cancelled.
  public typealias Fetch = @Sendable () async throws -> RemoteKeySetResponse

  private struct Known {
    let keys: JWKSet
    let requested: NumericDate
    let expiry: NumericDate
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
  private var lastRequest: NumericDate?
  /// Requests that failed since the last that didn't.
  private var failureCount = 0
  private var lastFailure: RemoteKeySetFailure?
  private var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var waitingCount = 0

  /// A set that is fetched by a closure.
  ///
  /// - Parameters:
  ///   - policy: how long keys are trusted, and how often they are asked for.
  ///   - clock: where "now" comes from. The time limit of a request goes by the system's.
  ///   - onEvent: told of each request and its outcome. It is called in between, so it should return at once.
  ///   - fetch: asks the issuer.
  public init(
    policy: RemoteKeySetPolicy = .default, clock: WallClock = .system,
    onEvent: (@Sendable (RemoteKeySetEvent) -> Void)? = nil, fetch: @escaping Fetch
  ) {
    (self.policy, self.clock, self.onEvent, self.fetch) = (policy, clock, onEvent, fetch)
  }

  /// The keys as they are known now. Waits for the issuer only if there are none that serve, or none of the name.
  ///
  /// - Parameter keyID: the `kid` that somebody needs. If no key bears it, the issuer is asked again, unless that was done lately.
  /// - Throws: ``JOSEErrorCode/externalKeyFailed`` if the keys can't be had, which says why the last request failed, or if the task was
  ///   cancelled; ``JOSEErrorCode/malformed`` or ``JOSEErrorCode/limitExceeded`` if the answer is not a key set.
  public func keys(for keyID: String? = nil) async throws(JOSEError) -> JWKSet {
    let now = clock.now
    guard let known, now < known.expiry.advanced(by: policy.staleIfError) else { return try await firstKeys(now) }
    guard isKnown(keyID, known.keys) else {
      guard request != nil || mayAsk(now) else { return known.keys }
      // Whoever asks for an unknown key is told by the keys that are there if the issuer doesn't answer.
      return (try? await outcome(now).get()) ?? known.keys
    }
    // A set from the future was asked for before the clock was set back: its end says nothing.
    let isFromFuture = known.requested > now.advanced(by: policy.cooldown)
    let isDue = isFromFuture || now >= known.expiry.advanced(by: -policy.refreshAhead)
    if request == nil, isDue, mayAsk(now) { begin(now) }
    return known.keys
  }

  /// Verifies a JWS with the keys.
  ///
  /// - Throws: as ``keys(for:)`` and ``JWS/verify(_:with:algorithms:understanding:limits:)``. What can't be accepted with any key asks nobody.
  public func verify(_ token: String, algorithms: [SignatureAlgorithm]) async throws(JOSEError) -> VerifiedJWS {
    let header = try UnverifiedToken(parsing: token).unverifiedHeader
    guard header.isAcceptable(algorithms) else {
      return try JWS.verify(token, with: known?.keys ?? JWKSet([]), algorithms: algorithms)
    }
    return try JWS.verify(token, with: await keys(for: header.keyID), algorithms: algorithms)
  }

  // MARK: Asking

  /// Keys where there were none, or none for too long.
  private func firstKeys(_ now: NumericDate) async throws(JOSEError) -> JWKSet {
    known = nil
    guard request != nil || mayAsk(now) else {
      throw lastFailure?.error
        ?? JOSEError(.externalKeyFailed, "the key set could not be fetched a moment ago", name: "keys")
    }
    return try await outcome(now).get()
  }

  private func isKnown(_ keyID: String?, _ keys: JWKSet) -> Bool {
    guard let keyID else { return true }
    return keys.keys.contains { $0.keyID?.hasSameBytes(as: keyID) ?? false }
  }

  /// Whether the pause after the last request is over. A clock that went backwards doesn't prolong it.
  private func mayAsk(_ now: NumericDate) -> Bool {
    guard let lastRequest else { return true }
    return now < lastRequest || now >= lastRequest.advanced(by: pause)
  }

  /// While nothing can be verified, the issuer is asked again soon; each failure doubles the time.
  private var pause: Double {
    guard known == nil, failureCount > 0 else { return policy.cooldown }
    return min(policy.cooldown, policy.retryDelay * Double(1 << min(failureCount - 1, 16)))
  }

  /// The outcome of the request that is under way, or of a new one. A caller whose task is cancelled doesn't wait for it.
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
    let fetch = fetch
    let timeLimit = Duration.seconds(max(0.001, min(policy.timeLimit, 86_400)))
    let load = Task {
      do {
        let answer = try await fetch()
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
  private func finish(_ number: Int, _ answer: Result<RemoteKeySetResponse, RemoteKeySetFailure>) {
    guard let request, request.number == number else { return }
    self.request = nil
    for task in request.tasks { task.cancel() }
    let outcome: Outcome
    let event: RemoteKeySetEvent.Kind
    do throws(RemoteKeySetFailure) {
      let keys = try accepted(answer.get(), requested: request.date)
      (failureCount, lastFailure) = (0, nil)
      outcome = .success(keys)
      event = .renewed(keyCount: keys.keys.count, unsupportedCount: keys.unsupportedKeys.count)
    } catch {
      failureCount += 1
      lastFailure = error
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
    _ answer: RemoteKeySetResponse, requested: NumericDate
  ) throws(RemoteKeySetFailure) -> JWKSet {
    guard answer.status == 200 else { throw .status(answer.status) }
    let keys: JWKSet
    do throws(JOSEError) {
      keys = try JWKSet(parsing: answer.body, secretKeys: .refused, limits: policy.limits)
    } catch {
      throw .invalid(error)
    }
    guard !keys.keys.isEmpty else { throw .noUsableKeys }
    // Even an answer that must not be kept serves until the next one is allowed.
    let age = max(policy.cooldown, min(answer.maximumAge ?? policy.maximumAge, policy.greatestMaximumAge))
    known = Known(keys: keys, requested: requested, expiry: requested.advanced(by: age))
    return keys
  }
}

extension ProtectedHeader {
  /// Whether some key could verify a token with this header.
  fileprivate func isAcceptable(_ algorithms: [SignatureAlgorithm]) -> Bool {
    algorithms.contains { $0.name.hasSameBytes(as: algorithm) } && critical.allSatisfy { $0.hasSameBytes(as: "b64") }
  }
}
