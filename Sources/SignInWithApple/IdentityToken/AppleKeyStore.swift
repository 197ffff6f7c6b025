import JOSEHTTP
import JOSE
import StrictJSON

/// Sends a request and returns the response: a caller's HTTP client. It must not follow redirects.
public typealias AppleTransport = @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue

/// The service's key set, fetched when needed and kept as long as the service allows.
///
/// However many callers wait, one request is under way. A token that names an unknown key causes a new fetch, at most
/// one a minute, so that
/// made-up names can't be turned into requests to Apple.
public actor AppleKeyStore {
  private let service: AppleService
  private let transport: AppleTransport
  private let clock: WallClock
  private var cached: Cached?
  private var lastAttempt: NumericDate?
  /// Attempts that failed since the last that didn't.
  private var failures = 0
  private var fetch: Task<Result<Cached, SignInWithAppleError>, Never>?

  private struct Cached: Sendable {
    var keys: JWKSet
    var fetchedAt: NumericDate
    var freshUntil: NumericDate
  }

  /// A store that fetches with `transport`.
  public init(service: AppleService = .apple, clock: WallClock = .system, transport: @escaping AppleTransport) {
    self.service = service
    self.clock = clock
    self.transport = transport
  }

  /// The key set to verify a token with.
  ///
  /// - Throws: ``SignInWithAppleErrorCode/keyNotFound`` if the service has no key of the token's name,
  ///   ``SignInWithAppleErrorCode/keysUnavailable`` if the set can't be fetched and none was before, and errors of
  ///   the token's form.
  public func keys(for token: String) async throws(SignInWithAppleError) -> JWKSet {
    try await keys(containing: SignedByApple.keyID(of: token, service: service, maximumByteCount: 64 * 1024))
  }

  /// The key set, with a key of that name in it.
  func keys(containing keyID: String) async throws(SignInWithAppleError) -> JWKSet {
    var set = try await current()
    if set.contains(keyID: keyID) { return set }
    if isRecent(Self.minimumInterval, at: clock.now) {
      throw SignInWithAppleError(.keyNotFound, "the service has no such key", name: "kid")
    }
    set = try await refetched().keys
    guard set.contains(keyID: keyID) else {
      throw SignInWithAppleError(.keyNotFound, "the service has no such key", name: "kid")
    }
    return set
  }

  private func current() async throws(SignInWithAppleError) -> JWKSet {
    let now = clock.now
    guard let cached else { return try await refetched().keys }
    // A set from the future was fetched before the clock was set back.
    let isFromFuture = cached.fetchedAt > now.advanced(by: Self.minimumInterval)
    if now < cached.freshUntil, !isFromFuture { return cached.keys }
    let isUsable = now.secondsSince1970 - cached.freshUntil.secondsSince1970 < Self.maximumStaleness
    if isUsable, isRecent(Self.minimumInterval, at: now) { return cached.keys }
    do throws(SignInWithAppleError) {
      return try await refetched().keys
    } catch {
      guard isUsable else { throw error }
      return cached.keys
    }
  }

  private func refetched() async throws(SignInWithAppleError) -> Cached {
    if let fetch { return try await fetch.value.get() }
    // Whoever sends tokens while the service is down can't turn each into a request.
    if isRecent(pauseAfterFailures, at: clock.now) {
      throw SignInWithAppleError(.keysUnavailable, "the key set could not be fetched a moment ago")
    }
    lastAttempt = clock.now
    let task = Task { [service, transport, clock] in
      await Self.fetch(service, transport, clock)
    }
    fetch = task
    let result = await task.value
    fetch = nil
    failures = if case .failure = result { min(failures + 1, 16) } else { 0 }
    let fetched = try result.get()
    cached = fetched
    return fetched
  }

  /// Whether the last attempt was so many seconds ago or less. A clock that was set back prolongs nothing.
  private func isRecent(_ seconds: Double, at now: NumericDate) -> Bool {
    guard let lastAttempt, lastAttempt <= now else { return false }
    return now.secondsSince1970 - lastAttempt.secondsSince1970 < seconds
  }

  /// Two failures in a row may be repeated at once; then the pause is a second, and doubles up to a minute.
  private var pauseAfterFailures: Double {
    failures < 3 ? 0 : min(Double(1 << (failures - 3)), Self.minimumInterval)
  }

  private static func fetch(
    _ service: AppleService, _ transport: AppleTransport, _ clock: WallClock
  ) async -> Result<Cached, SignInWithAppleError> {
    let request = HTTPRequestValue(
      method: "GET", url: service.keysURL,
      headers: HTTPHeaderFields(known: [("Accept", "application/json"), ("User-Agent", "PureJOSE")]), body: [])
    guard let response = try? await transport(request), response.status == 200,
      let keys = try? JWKSet(parsing: response.body)
    else {
      return .failure(SignInWithAppleError(.keysUnavailable, "the key set can't be fetched"))
    }
    let lifetime = CacheLifetime.seconds(response.headers.values("Cache-Control").first) ?? defaultLifetime
    let now = clock.now
    return .success(
      Cached(keys: keys, fetchedAt: now, freshUntil: now.advanced(by: min(max(lifetime, 0), maximumLifetime))))
  }

  private static let defaultLifetime = 3600.0
  private static let maximumLifetime = 86_400.0
  private static let maximumStaleness = 86_400.0
  private static let minimumInterval = 60.0
}

extension JWKSet {
  fileprivate func contains(keyID: String) -> Bool {
    keys.contains { $0.keyID?.hasSameBytes(as: keyID) ?? false }
  }
}

/// `max-age` of a `Cache-Control` field.
///
/// Source: RFC 9111 §5.2.2.
enum CacheLifetime {
  static func seconds(_ field: String?) -> Double? {
    guard let field else { return nil }
    for directive in field.utf8.split(separator: UInt8(ascii: ",")) {
      let text = String(Substring(directive)).asciiLowercased.utf8.filter { $0 != 0x20 && $0 != 0x09 }
      if text.elementsEqual("no-store".utf8) || text.elementsEqual("no-cache".utf8) { return 0 }
      let name = Array("max-age=".utf8)
      guard text.starts(with: name) else { continue }
      let digits = text.dropFirst(name.count)
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      // A number beyond Int is longer than any lifetime that is accepted.
      return Double(Int(String(decoding: digits, as: UTF8.self)) ?? Int.max)
    }
    return nil
  }
}
