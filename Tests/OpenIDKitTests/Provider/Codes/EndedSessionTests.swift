import IdentityTesting
import JOSE
import Testing

@testable import OpenIDKit

/// A login rests on its session in the commit that begins it, without a closure that remembers to look.
@Suite struct EndedSessionTests {
  /// A provider one of whose sessions ends right before the first commit that begins a family.
  private struct EndingProvider {
    let inner = MemoryRecordStore()
    let sessions: SessionRecords
    let service: RefreshTokenService
    let codes: AuthorizationCodeService

    init(ends: Bool) async throws {
      let sessions = SessionRecords(records: inner)
      try await sessions.add(AuthenticationSession(id: "s1", userID: "alice", authenticatedAt: NumericDate(0)))
      let records = HookedRecords(inner: inner, beforeFirst: RefreshTokenFamilyRecords.kind) {
        if ends { try await sessions.end(sessionID: "s1") }
      }
      self.sessions = sessions
      service = try RefreshTokenService(
        format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records)
      codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil)
    }

    func redeem(_ code: String) async throws -> String {
      let redemption = try AuthorizationCodeRedemption(
        form: [
          "grant_type": "authorization_code", "code": code, "redirect_uri": EndedSessionTests.grant.redirectURI,
          "client_id": "app",
        ], clientID: "app")
      return try await codes.redeem(redemption) { try $0.issueRefreshToken().refreshToken }
    }

    func logins() async throws -> Int { try await service.logins(.session("s1")).count }
  }

  private static let grant = AuthorizationCodeGrant(
    clientID: "app", redirectURI: "app:/cb", scopes: ["openid"], subject: "alice", sessionID: "s1")

  @Test(arguments: [false, true]) func `a code gives a login unless its session ends meanwhile`(_ ends: Bool)
    async throws
  {
    let provider = try await EndingProvider(ends: ends)
    let code = try await provider.codes.issue(Self.grant)
    if ends {
      await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.redeem(code) }
      // The code is used up, and a later one gives nothing either.
      for code in [code, try await provider.codes.issue(Self.grant)] {
        await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.redeem(code) }
      }
    } else {
      _ = try await provider.redeem(code)
    }
    #expect(try await provider.logins() == (ends ? 0 : 1))
    #expect(try await provider.sessions.session(id: "s1")?.isActive == !ends)
  }

  @Test(arguments: [false, true]) func `a login without a code begins unless its session ends`(_ ends: Bool)
    async throws
  {
    let provider = try await EndingProvider(ends: ends)
    let grant = RefreshGrant(subject: "alice", clientID: "app", sessionID: "s1", scope: ["openid"])
    if ends {
      await #expect(throws: OpenIDError(.invalidGrant, "")) { try await provider.service.issue(grant) }
    } else {
      _ = try await provider.service.issue(grant)
    }
    #expect(try await provider.logins() == (ends ? 0 : 1))
  }

  @Test func `many logins of one session can begin at once`() async throws {
    let provider = try await EndingProvider(ends: false)
    let grant = RefreshGrant(subject: "alice", clientID: "app", sessionID: "s1", scope: ["openid"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { _ = try await provider.service.issue(grant) } }
      try await group.waitForAll()
    }
    #expect(try await provider.logins() == 16)
  }

  @Test func `what can't be asked once more ends no login whose commit has compared its session`() async throws {
    struct Down: Error {}
    for isKnown in [true, false] {
      let inner = MemoryRecordStore()
      let sessions = SessionRecords(records: inner)
      if isKnown {
        try await sessions.add(AuthenticationSession(id: "s1", userID: "alice", authenticatedAt: NumericDate(0)))
      }
      let service = try RefreshTokenService(
        format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions { _ in throw Down() }, records: inner)
      let revoked = RevokedTokens(records: MemoryRecordStore())
      let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: revoked)
      let request = try AuthorizationCodeRedemption(
        form: [
          "grant_type": "authorization_code", "code": try await codes.issue(Self.grant),
          "redirect_uri": Self.grant.redirectURI, "client_id": "app",
        ], clientID: "app")
      func redeem() async throws -> String {
        try await codes.redeem(request) { code in
          code.commitAlso([]) { throw OpenIDError(.storeUnavailable, "") }
          return try code.issueRefreshToken().refreshToken
        }
      }
      let grant = RefreshGrant(subject: "alice", clientID: "app", sessionID: "s1", scope: ["openid"])
      if isKnown {
        _ = try await redeem()
        _ = try await service.issue(grant)
        #expect(try await service.logins(.session("s1")).count == 2)
      } else {
        await #expect(throws: OpenIDError(.storeUnavailable, "")) { try await redeem() }
        await #expect(throws: OpenIDError(.storeUnavailable, "")) { try await service.issue(grant) }
        #expect(try await service.logins(.session("s1")).isEmpty)
      }
      // Access tokens that the answer would have brought end with it.
      #expect(try await revoked.isRevoked(anyOf: [.grant(Self.grant.id)]) == !isKnown)
    }
  }
}
