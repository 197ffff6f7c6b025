import Foundation
import JOSE
import NativeSSOKit
import NativeSSOKitFoundation
import PlatformSSOKit
import AppleSignInKit
import IdentityTesting
import Testing
import OpenIDKit

/// The stores that come with the libraries keep every rule.
@Suite struct ConformingStoreTests {
  private static let clock = WallClock.fixed(at: NumericDate(1_760_000_000))

  @Test(arguments: TokenStoreCases.all) func tokens(rule: StoreCase<any TokenStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryTokenStore() }))
    #expect(try await rule.holds(in: StorePlaces { TokenByteStore() }))
  }

  @Test(arguments: RecordStoreCases.all) func records(rule: StoreCase<any RecordStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { MemoryRecordStore() }))
  }

  @Test(arguments: SSOPairStoreCases.all) func pairs(rule: StoreCase<any SSOPairStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemorySSOPairStore() }))
    let folder = FileManager.default.temporaryDirectory.path + "/sso-pairs-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try await rule.holds(in: StorePlaces { try FileSSOPairStore(directory: folder + "/" + $0) }))
  }

  @Test(arguments: StoredFormCases.pairs) func pairsInDamagedFiles(rule: StoreCase<any SSOPairStore>) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/sso-pairs-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let places = StorePlaces<any SSOPairStore> {
      try FileSSOPairStore(directory: folder + "/" + $0)
    } rewriting: { name, change in
      for file in try FileManager.default.contentsOfDirectory(atPath: folder + "/" + name)
      where file.hasSuffix(".json") {
        let handle = try #require(FileHandle(forUpdatingAtPath: "\(folder)/\(name)/\(file)"))
        let document = change([UInt8](try handle.readToEnd() ?? Data()))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(document))
        try handle.close()
      }
    }
    #expect(try await rule.holds(in: places))
  }

  @Test(arguments: AppTokenStoreCases.all + AppTokenStoreCases.reading(AppTokenByteStore.reading))
  func appTokens(rule: StoreCase<any AppTokenStore>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryAppTokenStore() }))
    #expect(try await rule.holds(in: StorePlaces { AppTokenByteStore() }))
  }

  @Test(arguments: RateLimiterCases.all) func rateLimits(rule: StoreCase<any RateLimiter>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryRateLimiter() }))
  }

  @Test(arguments: DeviceRegistryCases.all) func devices(rule: StoreCase<any DeviceRegistry>) async throws {
    #expect(try await rule.holds(in: StorePlaces { InMemoryDeviceRegistry() }))
  }
}
