import IdentityTesting
import JOSE
import Synchronization
import PureJOSETestSupport

@testable import OpenIDKit

/// A provider with everything around it.
struct Provider {
  let service: RefreshTokenService
  let store = MemoryRecordStore()
  let clock: VirtualClock
  let log = EventLog()
  let users = Users()
  let format: RefreshTokenFormat

  final class EventLog: Sendable {
    private let events = Mutex<[RefreshTokenEvent]>([])
    func append(_ event: RefreshTokenEvent) { events.withLock { $0.append(event) } }
    var kinds: [RefreshTokenEvent.Kind] { events.withLock { $0.map(\.kind) } }
    var reuses: Int { kinds.count { if case .reuse = $0 { true } else { false } } }
  }

  final class Users: Sendable {
    private let disabled = Mutex<Set<String>>([])
    func disable(_ subject: String) { disabled.withLock { _ = $0.insert(subject) } }
    func isDisabled(_ subject: String) -> Bool { disabled.withLock { $0.contains(subject) } }
  }

  init(_ policy: RotationPolicy = RotationPolicy(), clock: VirtualClock = VirtualClock()) throws {
    self.clock = clock
    format = try RefreshTokenFormat(key: Array(0...31))
    service = try RefreshTokenService(
      policy: policy, format: format, sessions: EndlessSessions { [users] in !users.isDisabled($0) }, records: store,
      clock: clock.wall, onEvent: { [log] in log.append($0) })
  }

  static let grant = RefreshGrant(
    subject: "alice", clientID: "app-a", sessionID: "s1", scope: ["openid", "profile"],
    resources: ["https://api.example"])

  func issue(_ grant: RefreshGrant = Provider.grant) async throws -> String {
    try await service.issue(grant).refreshToken
  }

  func redeem(
    _ token: String, client: String = "app-a", scope: [String]? = nil, confirmation: String? = nil
  ) async throws -> RefreshResult<String> {
    try await service.redeem(
      RefreshRedemption(refreshToken: token, clientID: client, scope: scope, confirmation: confirmation)
    ) { "at-\($0.generation)" }
  }

  func family(_ token: String) async throws -> RefreshTokenFamily? {
    guard let parsed = format.parse(token) else { return nil }
    return try await RefreshTokenFamilyRecords(store, idleTimeout: nil).family(parsed.family)
  }

  func removeExpired() async { _ = await store.removeExpired(before: clock.date, limit: 1000) }

  func isRevoked(_ token: String, _ reason: LogoutReason) async throws -> Bool {
    guard case .revoked(reason, _) = try await family(token)?.status else { return false }
    return true
  }
}
