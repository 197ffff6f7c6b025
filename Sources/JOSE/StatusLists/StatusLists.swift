import StrictJSON
import Synchronization

/// Status lists of one provider, fetched when a token names one and kept as long as they say: who revokes a token is
/// obeyed within one `ttl`, and asked once in that time for all tokens of a list.
///
/// ```swift
/// let lists = StatusLists(verifier: verifierOfLists, transport: send)
/// var policy = JWTPolicy.accessToken(issuer: issuer, audience: "api")
/// policy.status = .ifPresent(lists)
/// ```
///
/// Verifiers whose `verify` is asynchronous fetch what they need. One whose `verify` is not judges by the lists that
/// are at hand; ``loading(_:)`` fetches for it.
///
/// For each list there is one request at a time. A URI is asked for only if a token names it whose signature has been
/// verified, and only by https. A redirect is not followed.
///
/// Source: draft-ietf-oauth-status-list §8.
public final class StatusLists: Sendable {
  private struct Known {
    let token: StatusListToken
    let requested: NumericDate
    let freshEnd: NumericDate
  }

  private typealias Request = Task<Result<StatusListToken, JOSEError>, Never>

  private struct Entry {
    var known: Known?
    var request: Request?
    /// When the last request began, or failed.
    var lastRequest: NumericDate?
    /// Why the last request brought nothing; nil after one that did.
    var failure: JOSEError?
  }

  private let verifier: TokenVerifier
  private let times: StatusListTimes
  private let plainHTTP: PlainHTTP
  private let transport: HTTPTransport
  private let entries = Mutex<[String: Entry]>([:])

  /// Lists signed with keys that are there.
  ///
  /// - Parameters:
  ///   - verifier: the keys and algorithms of who publishes the lists, and the policy for `iss`, clocks and limits.
  ///     Type, subject, audience and required claims are those of status lists.
  ///   - staleIfError: how long past its end a list serves after a request that failed, unless its `exp` is sooner.
  ///     None by default: tokens can't be judged then.
  ///   - timeLimit: how long a request may take. The default is 10 seconds.
  ///   - plainHTTP: whether lists may be on this machine, without TLS.
  ///   - transport: the caller's HTTP client.
  public convenience init(
    verifier: JWTVerifier, staleIfError: Duration = .zero, timeLimit: Duration = .seconds(10),
    plainHTTP: PlainHTTP = .refused, transport: @escaping HTTPTransport
  ) {
    var verifier = verifier
    verifier.policy = verifier.policy.ofStatusLists
    self.init(.local(verifier), StatusListTimes(staleIfError, timeLimit), plainHTTP, transport)
  }

  /// Lists signed with keys that are published as well; see
  /// ``init(verifier:staleIfError:timeLimit:plainHTTP:transport:)-(JWTVerifier,_,_,_,_)``.
  public convenience init(
    verifier: RemoteJWTVerifier, staleIfError: Duration = .zero, timeLimit: Duration = .seconds(10),
    plainHTTP: PlainHTTP = .refused, transport: @escaping HTTPTransport
  ) {
    let verifier = verifier.judging(by: verifier.policy.ofStatusLists)
    self.init(.remote(verifier), StatusListTimes(staleIfError, timeLimit), plainHTTP, transport)
  }

  /// Lists with times that only tests choose.
  package convenience init(verifier: JWTVerifier, times: StatusListTimes, transport: @escaping HTTPTransport) {
    var verifier = verifier
    verifier.policy = verifier.policy.ofStatusLists
    self.init(.local(verifier), times, .refused, transport)
  }

  private init(
    _ verifier: TokenVerifier, _ times: StatusListTimes, _ plainHTTP: PlainHTTP, _ transport: @escaping HTTPTransport
  ) {
    (self.verifier, self.times, self.plainHTTP, self.transport) = (verifier, times, plainHTTP, transport)
  }

  private var clock: WallClock { verifier.policy.clock }

  // MARK: Asking

  /// The status of a token whose signature and claims have been verified, whatever it is.
  ///
  /// - Throws: ``ErrorCode/statusUnavailable`` if there is no list that counts now; ``ErrorCode/claimInvalid`` for an
  ///   index beyond it.
  public func status(of reference: StatusReference) async throws(JOSEError) -> TokenStatus {
    try Self.status(of: reference, in: try await list(at: reference.uri).list)
  }

  /// The list at a URI, as it is known now. Waits for its provider only if there is none that serves, and no longer
  /// than the time limit of a request and its own task.
  ///
  /// - Throws: ``ErrorCode/statusUnavailable``.
  public func list(at uri: String) async throws(JOSEError) -> StatusListToken {
    let now = clock.now
    let request: Request
    switch entries.withLock({ step($0[uri], uri, now, &$0) }) {
    case .serve(let token): return token
    case .fail(let error): throw error
    case .wait(let task): request = task
    }
    do throws(JOSEError) {
      return try await Self.outcome(of: request).get()
    } catch {
      // What is known may serve after a request that failed, and not because a wait was cancelled.
      let now = clock.now
      guard let entry = entries.withLock({ $0[uri] }), let known = entry.known,
        serves(known, now, afterFailure: entry.failure != nil)
      else { throw error }
      return known.token
    }
  }

  /// The outcome of a request. A caller whose task is cancelled doesn't wait for it; the request goes on for others.
  private static func outcome(of request: Request) async -> Result<StatusListToken, JOSEError> {
    let (outcomes, arrival) = AsyncStream.makeStream(
      of: Result<StatusListToken, JOSEError>.self, bufferingPolicy: .bufferingOldest(1))
    let waiter = Task { arrival.yield(await request.value) }
    defer { waiter.cancel() }
    for await outcome in outcomes { return outcome }
    return .failure(
      JOSEError(.statusUnavailable, "the task that waited for the status list was cancelled", name: "status"))
  }

  /// Runs a verification by a policy that asks these lists, and again if a list had to be fetched for it.
  ///
  /// ```swift
  /// let token = try await lists.loading { () throws(JOSEError) in try verifier.verify(text) }
  /// ```
  /// - Throws: what the verification throws; ``ErrorCode/statusUnavailable``.
  public func loading<Value>(_ verify: () throws(JOSEError) -> Value) async throws(JOSEError) -> Value {
    let loading = Loading(for: self)
    // A verification asks for one list, or for a few if it is of several tokens.
    for _ in 0..<4 {
      let outcome = Loading.$current.withValue(loading) {
        Result { () throws(JOSEError) in try verify() }
      }
      guard let uri = loading.takeMissing() else { return try outcome.get() }
      loading.note(try await list(at: uri), at: uri)
    }
    return try Loading.$current.withValue(loading) {
      Result { () throws(JOSEError) in try verify() }
    }.get()
  }

  /// The status by the list that is at hand. Without one, it is fetched in the background.
  ///
  /// - Throws: as ``status(of:)``.
  func statusAtHand(of reference: StatusReference) throws(JOSEError) -> TokenStatus {
    let loading = Loading.current.flatMap { $0.isFor(self) ? $0 : nil }
    if let fetched = loading?.list(at: reference.uri) { return try Self.status(of: reference, in: fetched.list) }
    let now = clock.now
    switch entries.withLock({ step($0[reference.uri], reference.uri, now, &$0) }) {
    case .serve(let token): return try Self.status(of: reference, in: token.list)
    case .fail(let error): throw error
    case .wait:
      loading?.miss(reference.uri)
      throw JOSEError(
        .statusUnavailable, "the status list is not at hand: await loading(_:), or try again in a moment",
        name: "status")
    }
  }

  private static func status(of reference: StatusReference, in list: StatusList) throws(JOSEError) -> TokenStatus {
    guard let status = list[reference.index] else {
      throw JOSEError(.claimInvalid, "the token's index is beyond the status list", name: "status")
    }
    return status
  }

  private enum Step {
    case serve(StatusListToken)
    case fail(JOSEError)
    case wait(Request)
  }

  /// What there is for a URI, and a request for it if it is time for one.
  private func step(
    _ entry: Entry?, _ uri: String, _ now: NumericDate, _ entries: inout [String: Entry]
  ) -> Step {
    var entry = entry ?? Entry()
    // A clock that went backwards prolongs no pause.
    let mayAsk = entry.lastRequest.map { now < $0 || now >= $0.advanced(by: times.cooldown) } ?? true
    let served = entry.known.flatMap { serves($0, now, afterFailure: entry.failure != nil) ? $0 : nil }
    if entry.request == nil, mayAsk, served.map({ isNearEnd($0, now) }) ?? true {
      entry.request = begin(uri, now)
      entry.lastRequest = now
      if entries.count >= max(1, times.listCount), entries[uri] == nil { Self.makeRoom(in: &entries) }
      entries[uri] = entry
    }
    if let served { return .serve(served.token) }
    return entry.request.map { .wait($0) } ?? .fail(entry.failure ?? Self.unreachable)
  }

  /// Whether a list may be used without an answer of its provider.
  private func serves(_ known: Known, _ now: NumericDate, afterFailure: Bool) -> Bool {
    // By the same leeway as it was verified with.
    if let expiration = known.token.expiration, now >= expiration.advanced(by: verifier.policy.leeway) { return false }
    // One from the future was asked for before the clock was set back: its end says nothing.
    guard now >= known.requested else { return false }
    return now < known.freshEnd || afterFailure && now < known.freshEnd.advanced(by: times.staleIfError)
  }

  private func isNearEnd(_ known: Known, _ now: NumericDate) -> Bool {
    let time = known.freshEnd.secondsSince1970 - known.requested.secondsSince1970
    return now >= known.freshEnd.advanced(by: -min(times.refreshAhead.inSeconds, time * 0.2))
  }

  /// Forgets the list whose end is nearest, one that was never had first; none that is being asked for.
  private static func makeRoom(in entries: inout [String: Entry]) {
    let idle = entries.filter { $0.value.request == nil }
    let first = idle.min { one, other in
      guard let end = one.value.known?.freshEnd else { return other.value.known != nil }
      return other.value.known.map { end < $0.freshEnd } ?? false
    }
    if let first { entries[first.key] = nil }
  }

  // MARK: Fetching

  private func begin(_ uri: String, _ now: NumericDate) -> Request {
    Task {
      let outcome: Result<(StatusListToken, CacheDirectives), JOSEError>
      do throws(JOSEError) {
        outcome = .success(try await self.fetched(uri))
      } catch {
        outcome = .failure(error)
      }
      return self.finish(uri, outcome, requested: now)
    }
  }

  private func fetched(_ uri: String) async throws(JOSEError) -> (StatusListToken, CacheDirectives) {
    guard plainHTTP.permits(uri) else {
      throw JOSEError(.statusUnavailable, "a status list is fetched from an https URL", name: "status")
    }
    let request = HTTPRequestValue.reading(uri, accepting: StatusList.mediaType)
    guard let answer = await request.answer(within: times.timeLimit, by: transport) else { throw Self.unreachable }
    guard answer.status == 200 else { throw Self.refused(answer.status) }
    let limits = verifier.policy.limits
    guard answer.body.count <= limits.messageByteCount else {
      throw JOSEError(.statusUnavailable, "the status list is too long", name: "status")
    }
    do throws(JOSEError) {
      let token: VerifiedJWT<JSONObject> = try await verifier.verify(
        String(decoding: answer.body, as: UTF8.self))
      return (try StatusListToken(token, at: uri, limits: limits), CacheDirectives(answer.headers))
    } catch {
      throw JOSEError(
        .statusUnavailable, "the status list can't be verified", name: "status", detail: "\(error)")
    }
  }

  private func finish(
    _ uri: String, _ outcome: Result<(StatusListToken, CacheDirectives), JOSEError>, requested: NumericDate
  ) -> Result<StatusListToken, JOSEError> {
    let now = clock.now
    return entries.withLock { entries in
      entries[uri]?.request = nil
      switch outcome {
      case .success((let token, let directives)):
        let known = entries[uri]?.known.flatMap { isNewer($0, than: token, now) ? $0.token : nil }
        let latest = known ?? token
        entries[uri]?.known = Known(
          token: latest, requested: requested, freshEnd: freshEnd(of: token, directives, requested: requested))
        entries[uri]?.failure = nil
        return .success(latest)
      case .failure(let error):
        entries[uri]?.failure = error
        entries[uri]?.lastRequest = max(now, requested)
        return .failure(error)
      }
    }
  }

  /// Whether a known list is newer than one that has come, and has not expired: then the one that has come takes
  /// nothing back. Two servers of a provider may have clocks that differ by a minute.
  private func isNewer(_ known: Known, than token: StatusListToken, _ now: NumericDate) -> Bool {
    let end = known.token.expiration ?? known.requested.advanced(by: times.greatestMaximumAge)
    return known.token.issuedAt > token.issuedAt.advanced(by: 60) && known.requested <= now && now < end
  }

  /// `ttl` counts from when the list was made. One that was over when it came serves until the next request is allowed.
  private func freshEnd(
    of token: StatusListToken, _ directives: CacheDirectives, requested: NumericDate
  ) -> NumericDate {
    let end: NumericDate =
      if let timeToLive = token.timeToLive {
        min(token.issuedAt, requested).advanced(by: timeToLive)
      } else {
        requested.advanced(by: directives.freshness ?? times.maximumAge.inSeconds)
      }
    return max(
      requested.advanced(by: times.cooldown), min(end, requested.advanced(by: times.greatestMaximumAge)))
  }

  private static var unreachable: JOSEError {
    JOSEError(.statusUnavailable, "the status list could not be fetched", name: "status")
  }

  private static func refused(_ status: Int) -> JOSEError {
    JOSEError(
      .statusUnavailable,
      (300..<400).contains(status)
        ? "the request for the status list was answered with a redirect, which is not followed"
        : "the request for the status list was answered with another status than 200", name: "status",
      detail: "it was \(status)")
  }
}

/// What a verification of this task lacks, and what has been fetched for it.
private final class Loading: Sendable {
  @TaskLocal static var current: Loading?

  private let lists: ObjectIdentifier
  private let state = Mutex<(missing: String?, fetched: [String: StatusListToken])>((nil, [:]))

  init(for lists: StatusLists) { self.lists = ObjectIdentifier(lists) }

  func isFor(_ lists: StatusLists) -> Bool { self.lists == ObjectIdentifier(lists) }
  func miss(_ uri: String) { state.withLock { $0.missing = uri } }
  func list(at uri: String) -> StatusListToken? { state.withLock { $0.fetched[uri] } }
  func note(_ list: StatusListToken, at uri: String) { state.withLock { $0.fetched[uri] = list } }

  func takeMissing() -> String? {
    state.withLock { state in
      defer { state.missing = nil }
      return state.missing
    }
  }
}
