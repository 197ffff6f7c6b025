import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import IdentityTesting
import Testing
import OpenIDKit

/// The stores that come with the libraries keep every rule.
@Suite struct ConformingStoreTests {
  private static let clock = WallClock.fixed(at: NumericDate(1_760_000_000))

  @Test(arguments: SecretStoreCases.all) func secrets(rule: StoreCase<any SecretStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { MemorySecretStore() }))
  }

  @Test(arguments: RecordStoreCases.all) func records(rule: StoreCase<any RecordStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { MemoryRecordStore() }))
  }

  @Test(arguments: RateLimiterCases.all) func rateLimits(rule: StoreCase<any RateLimiter>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryRateLimiter() }))
  }
}
