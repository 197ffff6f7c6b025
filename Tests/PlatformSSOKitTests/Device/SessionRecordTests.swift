import JOSE
import PlatformSSOKit
import Testing
import OpenIDKit

/// The decision between a refresh and a full login for what a token manager keeps.
@Suite("Refresh or full login of a stored login")
struct SessionRecordTests {
  private static let login = NumericDate(1_767_225_600)

  /// A login at `login`, whose access token was renewed `renewedAfter` seconds later and is good for an hour.
  private func record(
    renewedAfter: Double = 0, refreshTokenLife: Double? = 400_000, kind: LoginKind = .refreshable
  ) throws -> TokenRecord {
    var record = try TokenRecord(
      parsing: """
        {"version":1,"loginID":"l","revision":1,"generation":1,"kind":"\(kind.rawValue)","tokenType":"Bearer","lifetime":3600,
        "refreshToken":"r","issuedAt":0,"lastFullLogin":0}
        """.utf8)
    record.issuedAt = Self.login.advanced(by: renewedAfter)
    record.lastFullLogin = Self.login
    record.refreshTokenExpiration = refreshTokenLife.map { Self.login.advanced(by: $0) }
    return record
  }

  private func decide(
    _ record: TokenRecord, after seconds: Double, method: ExtensibleSSOProfile.AuthenticationMethod = .password,
    frequency: Duration = .seconds(64_800)
  ) -> Bool {
    PlatformSSOSession(record)?.canRefresh(
      method: method, hasRefreshEndpoint: true, loginFrequency: frequency, now: Self.login.advanced(by: seconds))
      ?? false
  }

  @Test("C-P19 refresh until 18 hours after the login, which a refresh does not move", arguments: [0.0, 61_200])
  func eighteenHours(renewedAfter: Double) throws {
    let record = try record(renewedAfter: renewedAfter)
    #expect(decide(record, after: 64_740))
    #expect(decide(record, after: 64_800))
    #expect(!decide(record, after: 64_801))
  }

  @Test("C-N11 a key in the Secure Enclave never refreshes")
  func secureEnclave() throws {
    #expect(!decide(try record(), after: 0, method: .userSecureEnclaveKey))
    #expect(decide(try record(), after: 0, method: .smartCard))
  }

  @Test("C-N12 a LoginFrequency of 60 counts as 3600")
  func leastFrequency() throws {
    #expect(decide(try record(), after: 3600, frequency: .seconds(60)))
    #expect(!decide(try record(), after: 3601, frequency: .seconds(60)))
  }

  @Test("A refresh token's end counts if it is known, else the access token's; a clock set back means a login")
  func ends() throws {
    let short = try record(refreshTokenLife: 1000)
    #expect(decide(short, after: 999))
    #expect(!decide(short, after: 1000))
    #expect(!decide(short, after: -1))
    let unknown = try record(refreshTokenLife: nil)
    #expect(decide(unknown, after: 3599))
    #expect(!decide(unknown, after: 3600))
  }

  @Test("A record without a refresh token, or of another kind, gives no session")
  func notRefreshable() throws {
    var record = try record()
    record.refreshToken = nil
    #expect(PlatformSSOSession(record) == nil)
    #expect(PlatformSSOSession(try self.record(kind: .device)) == nil)
  }
}
