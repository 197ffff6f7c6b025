import Foundation
import JOSE
import NativeSSO
import NativeSSOFoundation
import PlatformSSO
import SignInWithApple
import StoreConformance
import Testing
import TokenRefresh

/// The stores that come with the libraries keep every rule.
@Suite struct ConformingStoreTests {
  private static let clock = WallClock.fixed(at: NumericDate(1_760_000_000))

  @Test(arguments: TokenStoreCases.all) func tokens(rule: StoreCase<any TokenStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryTokenStore() }))
    #expect(try await rule.holds(in: StorePlaces { TokenByteStore() }))
  }

  @Test(arguments: FamilyStoreCases.all) func families(rule: StoreCase<any RefreshTokenFamilyStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryRefreshTokenFamilyStore() }))
    #expect(try await rule.holds(in: StorePlaces { FamilyByteStore() }))
  }

  @Test(arguments: PushedAuthorizationStoreCases.all)
  func pushedRequests(rule: StoreCase<any PushedAuthorizationStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryPushedAuthorizationStore(clock: Self.clock) }))
  }

  @Test(arguments: SSOPairStoreCases.all) func pairs(rule: StoreCase<any SSOPairStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemorySSOPairStore() }))
    let folder = FileManager.default.temporaryDirectory.path + "/sso-pairs-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try await rule.holds(in: StorePlaces { try FileSSOPairStore(directory: folder + "/" + $0) }))
  }

  @Test(arguments: AppTokenStoreCases.all) func appTokens(rule: StoreCase<any AppTokenStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryAppTokenStore() }))
  }

  @Test(arguments: DeviceSecretStoreCases.all)
  func deviceSecrets(rule: StoreCase<any DeviceSecretStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryDeviceSecretStore() }))
  }

  @Test(arguments: RateLimiterCases.all) func rateLimits(rule: StoreCase<any RateLimiter>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryRateLimiter() }))
  }

  @Test(arguments: SettingsStoreCases.all) func settings(rule: StoreCase<any SettingsStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemorySettingsStore() }))
  }

  @Test(arguments: SessionStoreCases.all) func sessions(rule: StoreCase<any SessionStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemorySessionDirectory() }))
    #expect(try await rule.holds(in: StorePlaces { InMemorySessionDirectory(usesPairwiseSubjects: true) }))
  }

  @Test(arguments: ApplePendingSignInStoreCases.all)
  func appleSignIns(rule: StoreCase<any ApplePendingSignInStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryApplePendingSignInStore(clock: Self.clock) }))
  }

  @Test(arguments: AppleNotificationStoreCases.all)
  func appleNotifications(rule: StoreCase<any AppleNotificationStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryAppleNotificationStore(clock: Self.clock) }))
  }

  @Test(arguments: DPoPReplayStoreCases.all) func proofs(rule: StoreCase<any DPoPReplayStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { DPoPMemoryReplayStore() }))
  }

  @Test(arguments: ReplayStoreCases.all) func replays(rule: StoreCase<any ReplayStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryReplayStore(clock: Self.clock) }))
  }

  @Test(arguments: ServerNonceStoreCases.all) func nonces(rule: StoreCase<any ServerNonceStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { NonceTable() }))
  }
}
