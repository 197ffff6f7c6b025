import JOSE
import Testing

@testable import TokenRefresh

/// The decision of Platform SSO between a refresh and a full login.
@Suite struct LoginDecisionTests {
  private func record(refreshTokenLife: Double? = 400_000) async throws -> (TokenRecord, NumericDate) {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    var record = try #require(await client.store.stored)
    record.refreshTokenExpiration = refreshTokenLife.map { record.issuedAt.advanced(by: $0) }
    return (record, record.lastFullLogin)
  }

  private func decide(
    _ record: TokenRecord?, _ now: NumericDate, method: LoginDecision.AuthenticationMethod = .password,
    hasEndpoint: Bool = true, frequency: Double = LoginDecision.defaultLoginFrequency
  ) -> LoginDecision {
    LoginDecision(
      record: record, method: method, hasRefreshEndpoint: hasEndpoint, loginFrequency: frequency, now: now)
  }

  @Test func `C-P19 refresh until 18 hours after the login, which a refresh does not move`() async throws {
    let (record, login) = try await record()
    #expect(decide(record, login.advanced(by: 17 * 3600 + 59 * 60)) == .refresh)
    #expect(decide(record, login.advanced(by: 18 * 3600)) == .refresh)
    #expect(decide(record, login.advanced(by: 18 * 3600 + 1)) == .fullLogin)
    let renewed = record.renewed(by: tokens(2), at: login.advanced(by: 17 * 3600))
    #expect(renewed.lastFullLogin == login)
    #expect(decide(renewed, login.advanced(by: 18 * 3600 + 1)) == .fullLogin)
  }

  @Test func `C-N11 a key in the Secure Enclave never refreshes`() async throws {
    let (record, login) = try await record()
    #expect(decide(record, login, method: .userSecureEnclaveKey) == .fullLogin)
    #expect(decide(record, login, method: .smartCard) == .refresh)
  }

  @Test func `C-N12 a LoginFrequency of 60 counts as 3600`() async throws {
    let (record, login) = try await record()
    #expect(decide(record, login.advanced(by: 3600), frequency: 60) == .refresh)
    #expect(decide(record, login.advanced(by: 3601), frequency: 60) == .fullLogin)
  }

  @Test func `no tokens, no endpoint, an expired token, a clock set back`() async throws {
    let (record, login) = try await record(refreshTokenLife: 1000)
    #expect(decide(nil, login) == .fullLogin)
    #expect(decide(record, login, hasEndpoint: false) == .fullLogin)
    #expect(decide(record, login.advanced(by: 999)) == .refresh)
    #expect(decide(record, login.advanced(by: 1000)) == .fullLogin)
    #expect(decide(record, login.advanced(by: -1)) == .fullLogin)
    let (unknown, _) = try await self.record(refreshTokenLife: nil)
    #expect(decide(unknown, login.advanced(by: 3599)) == .refresh)
    #expect(decide(unknown, login.advanced(by: 3600)) == .fullLogin)
    var plain = record
    plain.refreshToken = nil
    #expect(decide(plain, login) == .fullLogin)
  }
}
