import JOSE
import StrictJSON

/// The service's key set, fetched when needed and kept as long as the service allows: a `RemoteKeySet` with times that
/// suit Apple.
///
/// However many callers wait, one request is under way. A token that names an unknown key causes a new fetch, at most
/// one a minute, so that made-up names can't be turned into requests to Apple: until the minute is over, a made-up name
/// can't be told from a new one. A set whose time is over is renewed in the background for a minute, and serves for a
/// day after a request that failed.
public struct AppleKeyStore: Sendable {
  private let service: AppleService
  private let remote: RemoteKeySet

  /// A store that fetches with `transport`.
  public init(service: AppleService = .apple, clock: WallClock = .system, transport: @escaping HTTPTransport) {
    self.service = service
    var policy = RemoteKeySetPolicy.default
    (policy.maximumAge, policy.refreshAhead, policy.staleIfError) = (.seconds(3600), .zero, .seconds(86_400))
    policy.cooldown = .seconds(60)
    remote = RemoteKeySet(url: service.keysURL, policy: policy, clock: clock) { request in
      var request = request
      try request.headers.append("User-Agent", "PureJOSE")
      return try await transport(request)
    }
  }

  /// The key set to verify a token with.
  ///
  /// - Throws: `ErrorCode.keyNotFound` if the service has no key of the token's name, with the fault
  ///   `ErrorCode.Fault.unavailable` if it wasn't asked during this call: nothing is known of the token, and a server
  ///   answers 503; `ErrorCode.keysUnavailable` if the set can't be fetched and none was before; and errors of the
  ///   token's form.
  public func keys(for token: String) async throws(JOSEError) -> JWKSet {
    try await keys(for: SignedByApple.parsed(token))
  }

  /// The key set to verify a token with that has been taken apart.
  func keys(for token: UnverifiedJWS) async throws(JOSEError) -> JWKSet {
    try await keys(containing: SignedByApple.keyID(of: token, service: service))
  }

  /// The key set, with a key of that name in it.
  func keys(containing keyID: String) async throws(JOSEError) -> JWKSet {
    let set: JWKSet
    do throws(JOSEError) {
      set = try await remote.keys(for: keyID)
    } catch {
      throw JOSEError(.keysUnavailable, "the key set can't be fetched")
    }
    guard set.keys.contains(where: { $0.keyName == WireName(keyID) }) else {
      throw JOSEError(
        .keyNotFound, "the service has no such key", name: "kid", fault: set.isLatest ? nil : .unavailable)
    }
    return set
  }
}
