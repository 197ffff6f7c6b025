import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import IdentityTesting
import StrictJSON
import Testing
import OpenIDKit

/// Stores that are wrong in one way, each of which the rules find.
@Suite struct BrokenStoreTests {
  @Test func `the rules find a secret store that writes without comparing versions`() async {
    let findings = await StoreCase.findings(
      SecretStoreCases.all, in: StorePlaces<any SecretStore> { FaultySecretStore(.writesBlindly) })
    for rule in [
      "what is not there is not replaced", "a document is neither overwritten nor removed by a writer who expects none",
      "only a writer who knows the version writes and removes, and a refusal changes nothing",
      "of simultaneous writers who know the version one wins",
    ] {
      #expect(findings.contains(rule))
    }
  }

  @Test func `the rules find a record store whose connections don't share their records`() async {
    let findings = await StoreCase.findings(
      RecordStoreCases.all, in: StorePlaces<any RecordStore> { _ in MemoryRecordStore() })
    for rule in [
      "what was written is there when the store is opened again", "of simultaneous inserts of one key one wins",
    ] {
      #expect(findings.contains { $0.hasPrefix(rule) })
    }
  }

  @Test func `the rules find secret stores at different places that share one document`() async {
    let shared = MemorySecretStore()
    let findings = await StoreCase.findings(SecretStoreCases.all, in: StorePlaces<any SecretStore> { _ in shared })
    #expect(findings.contains("stores at different places don't share a document"))
  }

  @Test func `a store that throws breaks the rule, and the finding says what it threw`() async {
    struct DiskFull: Error {}
    let findings = await StoreCase.findings(
      RecordStoreCases.all, in: StorePlaces<any RecordStore> { _ in throw DiskFull() })
    #expect(findings.count == RecordStoreCases.all.count)
    #expect(findings.first == "an empty store has no record: it threw DiskFull()")
  }

  @Test func `the rules find a rate limiter that counts blocked attempts`() async {
    let findings = await StoreCase.findings(
      RateLimiterCases.all, in: StorePlaces<any RateLimiter> { EagerLimiter() })
    #expect(!findings.isEmpty)
  }

  @Test func `rules have names of their own, and there are enough of them`() {
    let rules: [[String]] = [
      RecordStoreCases.all.map(\.rule), SecretStoreCases.all.map(\.rule),
      SharedPairCases.all.map(\.rule), SessionTokensCases.all.map(\.rule),
      RateLimiterCases.all.map(\.rule),
      DeviceRegistryCases.all.map(\.rule),
    ]
    for names in rules { #expect(Set(names).count == names.count && names.count >= 10) }
    let documents: [[String]] = [
      SharedPairCases.damaged.map(\.rule),
      DeviceRegistryCases.damaged.map(\.rule),
    ]
    for names in documents { #expect(Set(names).count == names.count && names.count >= 7) }
    #expect((rules + documents).reduce(0) { $0 + $1.count } >= 250)
    // The stores on which logins depend.
    for count in [
      SecretStoreCases.all.count, SharedPairCases.all.count,
    ] {
      #expect((40...80).contains(count), "\(count)")
    }
  }
}

/// Counts every attempt, blocked or not.
private actor EagerLimiter: RateLimiter {
  private var counts: [RateLimitKey: Int] = [:]

  func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate) -> RateLimitDecision {
    for key in keys { counts[key, default: 0] += 1 }
    return keys.allSatisfy { counts[$0, default: 0] <= limit } ? .allowed : .blocked(retryAfter: blockDuration)
  }
}
