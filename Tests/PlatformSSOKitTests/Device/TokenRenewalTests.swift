import JOSE
import PlatformSSOKit
import Testing

@Suite("Refresh or full login")
struct TokenRenewalTests {
  private static let login = NumericDate(1_767_225_600)

  /// One row for each combination of what decides, with the answer by counting the reasons for a full login.
  @Test("Every combination of the decision table")
  func table() throws {
    var rows = 0
    var device = try Fixture().device
    device.configuration.refreshEndpointURL = nil
    for hasSession in [false, true] {
      for method in ExtensibleSSOProfile.AuthenticationMethod.allCases {
        for hasEndpoint in [false, true] {
          device.configuration.refreshesAtTokenEndpoint = hasEndpoint
          for (frequency, effective) in [(0.0, 3600.0), (3599, 3600), (3600, 3600), (64_800, 64_800), (-1, 3600)] {
            for lifetime in [10.0, 1_000_000] {
              for age in [-1, 0, 1, 9, 10, 11, effective - 1, effective, effective + 1, 999_999, 1_000_000] {
                let session = PlatformSSOSession(
                  received: Self.login, expiration: Self.login.advanced(by: lifetime), lastFullLogin: Self.login)
                device.clock = WallClock { [age] in Self.login.advanced(by: age) }
                let canRefresh = device.canRefresh(
                  hasSession ? session : nil, method: method, loginFrequency: .seconds(frequency))
                let reasons = [
                  !hasSession, method == .userSecureEnclaveKey, !hasEndpoint, age >= lifetime, age > effective, age < 0,
                ]
                #expect(canRefresh == !reasons.contains(true))
                rows += 1
              }
            }
          }
        }
      }
    }
    #expect(rows == 2 * 4 * 2 * 5 * 2 * 11)
  }

  @Test("18 hours are the default, and a refresh does not move the last full login")
  func lastFullLogin() {
    let tokens = LoginResponse(idToken: "i", refreshToken: "r", refreshTokenExpiresIn: .seconds(100_000))
    let first = PlatformSSOSession(of: tokens, at: Self.login)
    let noon = Self.login.advanced(by: 60_000)
    let refreshed = PlatformSSOSession(of: tokens, at: noon, refreshing: first)
    #expect(refreshed.lastFullLogin == Self.login && refreshed.received == noon)
    #expect(refreshed.expiration == noon.advanced(by: 100_000))
    func canRefresh(_ age: Double) -> Bool {
      refreshed.canRefresh(method: .password, hasRefreshEndpoint: true, now: Self.login.advanced(by: age))
    }
    #expect(canRefresh(64_800) && !canRefresh(64_801))
  }

  @Test("Tokens are renewed when expired, or older than 4 hours")
  func due() {
    let session = PlatformSSOSession(
      received: Self.login, expiration: Self.login.advanced(by: 20_000), lastFullLogin: Self.login)
    func isDue(_ age: Double) -> Bool { session.isRenewalDue(at: Self.login.advanced(by: age)) }
    #expect(!isDue(0) && !isDue(14_400) && isDue(14_401) && isDue(20_000))
    let short = PlatformSSOSession(
      received: Self.login, expiration: Self.login.advanced(by: 60), lastFullLogin: Self.login)
    #expect(short.isRenewalDue(at: Self.login.advanced(by: 60)))
    #expect(!short.isRenewalDue(at: Self.login.advanced(by: 59)))
  }

  @Test("A device decides with its own clock, and by what its configuration says of the refresh endpoint")
  func device() throws {
    var fixture = try Fixture()
    let session = PlatformSSOSession(
      received: Fixture.now, expiration: Fixture.now.advanced(by: 100), lastFullLogin: Fixture.now)
    #expect(fixture.device.canRefresh(session, method: .password))
    fixture.device.configuration.refreshEndpointURL = nil
    #expect(!fixture.device.canRefresh(session, method: .password))
    fixture.device.configuration.refreshEndpointURL = "https://idp.example.com/refresh"
    #expect(fixture.device.canRefresh(session, method: .smartCard))
    #expect(!fixture.device.canRefresh(session, method: .userSecureEnclaveKey))
    fixture.clock.advance(by: 100)
    #expect(!fixture.device.canRefresh(session, method: .password))
  }
}
