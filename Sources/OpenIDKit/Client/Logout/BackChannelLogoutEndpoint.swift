import JOSE
import PureCrypto
import StrictJSON

/// A client's endpoint at which its provider says that a session has ended.
///
/// ```swift
/// let endpoint = BackChannelLogoutEndpoint(
///   issuer: issuer, clientID: "site", keys: keys, algorithms: [.es256]
/// ) { logout in
///   try await visits.removeAll { logout.ends(subject: $0.subject, sessionID: $0.sessionID) }
/// }
/// let response = await endpoint.respond(to: request)
/// ```
///
/// The provider posts here by itself: no browser, no cookie, and no protection against forged forms is in the way.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8.
public struct BackChannelLogoutEndpoint: Sendable {
  private let verifier: SingleUseJWTVerifier
  private let inHand = TokensInHand()
  private let endSessions: @Sendable (BackChannelLogout) async throws -> Void

  /// An endpoint.
  ///
  /// A token is good for two minutes after it was made, a minute's difference of clocks granted.
  /// - Parameters:
  ///   - issuer: the provider's identifier.
  ///   - clientID: as the provider knows the client.
  ///   - keys: the provider's.
  ///   - algorithms: those accepted, which are those of the provider's ID tokens.
  ///   - records: keep a token from being taken twice: shared by all machines of the client. The default serves one
  ///     process.
  ///   - requiresType: whether `typ` must be `logout+jwt`. Many providers send `JWT` or nothing.
  ///   - clock: tells when tokens are over.
  ///   - endSessions: ends what ``BackChannelLogout/ends(subject:sessionID:)`` says. If it throws, the provider is told
  ///     that the logout has failed, and may send the token again. It must stand being called twice: two machines may
  ///     get copies of a token at once.
  public init(
    issuer: String, clientID: String, keys: RemoteKeySet, algorithms: [SignatureAlgorithm],
    records: any RecordStore = MemoryRecordStore(), requiresType: Bool = false, clock: WallClock = .system,
    endSessions: @escaping @Sendable (BackChannelLogout) async throws -> Void
  ) {
    var policy = JWTPolicy.logoutToken(
      issuer: issuer, clientID: clientID, requiresType: requiresType, clock: clock)
    policy.maximumAge = .seconds(120)
    verifier = SingleUseJWTVerifier(
      RemoteJWTVerifier(keys: keys, algorithms: algorithms, policy: policy), records: records)
    self.endSessions = endSessions
  }

  /// An endpoint for the logins of a client.
  ///
  /// - Parameters:
  ///   - client: the client; its provider's keys and the algorithms of its ID tokens are those of logout tokens.
  ///   - records: as in ``init(issuer:clientID:keys:algorithms:records:requiresType:clock:endSessions:)``.
  ///   - requiresType: the same.
  ///   - endSessions: the same.
  public init(
    for client: OpenIDClient, records: any RecordStore = MemoryRecordStore(), requiresType: Bool = false,
    endSessions: @escaping @Sendable (BackChannelLogout) async throws -> Void
  ) {
    self.init(
      issuer: client.provider.issuer, clientID: client.clientID, keys: client.keys, algorithms: client.algorithms,
      records: records, requiresType: requiresType, clock: client.clock.wall, endSessions: endSessions)
  }

  /// Answers a request: 200 without a body when the sessions have ended; 400 if the token is not good, or was used
  /// before, or the sessions could not be ended; 503 with `Retry-After` if the token could not be judged, because the
  /// provider's keys or the store were not there, or because it names a key that may be new, and the provider was asked
  /// for its keys a moment ago. Only a token whose sessions have ended is used up.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    guard request.hasMethod("POST"), let form = try? request.form(acceptsDuplicates: true),
      let token = try? form.requiredValue("logout_token")
    else { return Self.refused }
    do {
      try await end(token)
      return .unstored(200, mediaType: nil)
    } catch is NotEnded, is TokensInHand.Taken {
      // There is no other status for a logout that failed (§2.8).
      return .oauthError(400, "server_error")
    } catch let error as JOSEError where error.fault == .unavailable {
      // That says nothing about the token.
      return .temporarilyUnavailable
    } catch {
      return Self.refused
    }
  }

  /// The sessions could not be ended.
  private struct NotEnded: Error {}

  /// The token names neither a user nor a session.
  private struct NamesNothing: Error {}

  private static var refused: HTTPResponseValue { .oauthError(400, "invalid_request") }

  private func end(_ token: String) async throws {
    try await verifier.verify(token, among: inHand) { verified in
      guard let logout = BackChannelLogout(verified.claims) else { throw NamesNothing() }
      do {
        try await endSessions(logout)
      } catch {
        throw NotEnded()
      }
    }
  }
}

extension BackChannelLogoutEndpoint: Redacted {}
