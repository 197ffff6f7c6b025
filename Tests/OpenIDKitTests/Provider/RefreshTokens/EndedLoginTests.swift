import IdentityTesting
import JOSE
import OpenIDKit
import Testing

/// A refresh asks whether user and session are there: no provider has to remember it.
@Suite struct EndedLoginTests {
  enum End: CaseIterable {
    case nothing, session, user
  }

  /// A login with these scopes, of a session or none, and a refresh after one of them has ended.
  private func redeem(
    after end: End, scope: [String], sessionID: String? = "s", deviceSecretID: String? = nil,
    outlives: Bool = false, byEndOfSession: Bool = false
  ) async throws -> LogoutReason? {
    let records = MemoryRecordStore()
    let sessions = SessionRecords(records: records)
    try await sessions.addUser("alice")
    try await sessions.add(AuthenticationSession(id: "s", userID: "alice", authenticatedAt: WallClock.system.now))
    let events = Provider.EventLog()
    var policy = RotationPolicy()
    policy.offlineAccessOutlivesSession = outlives
    // Families elsewhere than sessions: no commit compares the session.
    let service = try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: Array(0...31)), sessions: sessions,
      onEvent: { events.append($0) })
    let grant = RefreshGrant(
      subject: "alice", clientID: "app", sessionID: sessionID, scope: scope, deviceSecretID: deviceSecretID)
    let token = try await service.issue(grant).refreshToken
    switch end {
    case .nothing: break
    case .session: try await sessions.end(sessionID: "s")
    case .user: try await sessions.disableUser("alice")
    }
    if byEndOfSession { try await service.endSession("s") }
    do {
      _ = try await service.redeem(RefreshRedemption(refreshToken: token, clientID: "app")) { _ in }
      return nil
    } catch {
      #expect(error.code == .invalidGrant)
      guard case .revoked(let reason)? = events.kinds.last else {
        Issue.record("no family has ended: \(events.kinds)")
        return nil
      }
      return reason
    }
  }

  @Test func `a login ends with its user and with its session`() async throws {
    #expect(try await redeem(after: .nothing, scope: ["openid"]) == nil)
    #expect(try await redeem(after: .session, scope: ["openid"]) == .sessionEnded)
    #expect(try await redeem(after: .user, scope: ["openid"]) == .userDisabled)
    // One without a session has its user.
    #expect(try await redeem(after: .session, scope: ["mail"], sessionID: nil) == nil)
    #expect(try await redeem(after: .user, scope: ["mail"], sessionID: nil) == .userDisabled)
  }

  @Test(arguments: [false, true]) func `offline access outlives its session where the policy says so`(
    isEnded: Bool
  ) async throws {
    let scope = ["openid", "offline_access"]
    #expect(try await redeem(after: .session, scope: scope, byEndOfSession: isEnded) == .sessionEnded)
    #expect(try await redeem(after: .session, scope: scope, outlives: true, byEndOfSession: isEnded) == nil)
    #expect(
      try await redeem(after: .session, scope: ["openid"], outlives: true, byEndOfSession: isEnded) == .sessionEnded)
    // Never its user, and a device secret ends with the session.
    #expect(try await redeem(after: .user, scope: scope, outlives: true, byEndOfSession: isEnded) == .userDisabled)
    let reason = try await redeem(
      after: .session, scope: scope, deviceSecretID: "d", outlives: true, byEndOfSession: isEnded)
    #expect(reason == .sessionEnded)
  }
}
