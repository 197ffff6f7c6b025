import IdentityTesting
import JOSE
import Synchronization
import Testing

@testable import OpenIDKit

/// A provider of authorization codes with everything around it.
struct CodeProvider {
  let clock = VirtualClock()
  let records: MemoryRecordStore
  let ended: RevokedTokens
  let refreshTokens: RefreshTokenService
  let codes: AuthorizationCodeService
  let log = EventLog()

  final class EventLog: Sendable {
    private let events = Mutex<[AuthorizationCodeEvent]>([])
    func append(_ event: AuthorizationCodeEvent) { events.withLock { $0.append(event) } }
    var kinds: [AuthorizationCodeEvent.Kind] { events.withLock { $0.map(\.kind) } }
  }

  /// What a client gets for a code.
  struct Tokens: Sendable, Equatable {
    var grantID: String
    var refreshToken: String
  }

  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

  init(lifetime: Double = 60, retention: Double = 86_400, byteLimit: Int = 1 << 20) throws {
    records = MemoryRecordStore(byteLimit: byteLimit)
    ended = RevokedTokens(records: MemoryRecordStore(), clock: clock.wall)
    refreshTokens = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records, clock: clock.wall)
    codes = try AuthorizationCodeService(
      refreshTokens: refreshTokens, lifetime: .seconds(lifetime), retention: .seconds(retention),
      revokedTokens: ended, clock: clock.wall,
      onEvent: { [log] in log.append($0) })
  }

  static var grant: AuthorizationCodeGrant {
    AuthorizationCodeGrant(
      clientID: "app", redirectURI: "https://app.example/cb", scopes: ["openid"], subject: "alice", sessionID: "s1",
      nonce: "n", codeChallenge: (try? PKCE(verifier: verifier))?.challenge)
  }

  static func request(_ code: String) -> AuthorizationCodeRedemption {
    AuthorizationCodeRedemption(
      code: code, clientID: "app", redirectURI: "https://app.example/cb", codeVerifier: verifier)
  }

  func redeem(
    _ request: AuthorizationCodeRedemption, meanwhile: @Sendable () async throws -> Void = {}
  ) async throws -> Tokens {
    try await codes.redeem(request) { code in try await tokens(for: code, meanwhile) }
  }

  /// Begins a family, and then something happens.
  func tokens(
    for code: RedeemedAuthorizationCode, _ meanwhile: @Sendable () async throws -> Void = {}
  ) async throws -> Tokens {
    let begun = try code.issueRefreshToken()
    try await meanwhile()
    return Tokens(grantID: code.grant.id, refreshToken: begun.refreshToken)
  }

  /// Its codes, as they are kept.
  var store: AuthorizationCodeRecords { AuthorizationCodeRecords(records, clock: clock.wall) }

  /// The name of a code's grant.
  func grantID(of code: String) async throws -> String {
    try #require(await store.code(AuthorizationCodeText.hash(of: code))).grant.id
  }

  /// The logins that live.
  func logins(_ selection: FamilySelection = .client("app")) async throws -> [RefreshedGrant] {
    try await refreshTokens.logins(selection)
  }

  func isActive(_ tokens: Tokens) async throws -> Bool {
    let isEnded = try await ended.isRevoked(anyOf: [.grant(tokens.grantID)])
    let request = RefreshRedemption(refreshToken: tokens.refreshToken, clientID: "app")
    let isLive = (try? await refreshTokens.check(request)) != nil
    // Both end together, or none.
    guard isLive != isEnded else { throw OneWithoutTheOther() }
    return isLive
  }

  struct OneWithoutTheOther: Error {}
}
