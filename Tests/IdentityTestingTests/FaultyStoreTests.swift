import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import IdentityTesting
import Testing
import OpenIDKit

/// Smaller stores that are wrong in one way, each of which a rule finds that says so.
@Suite struct FaultyStoreTests {
  /// Whether a rule whose text has these words is among the broken ones.
  private func finds<Store: Sendable>(
    _ words: String, _ cases: [StoreCase<Store>], _ make: @escaping @Sendable () -> Store
  ) async -> Bool {
    let findings = await StoreCase.findings(cases, in: StorePlaces(keeping: make))
    return findings.contains { $0.contains(words) }
  }

  @Test func `limiters with a defect`() async {
    for (defect, words) in [
      (.joinsNames, "a path is a user's name"), (.forgetsBlockWhenClockGoesBack, "set back does not end a block"),
      (.countsInLastKeyOnly, "under two keys"), (.allowsOneAlways, "a limit of none"),
    ] as [(FaultyLimiter.Defect, String)] {
      #expect(await finds(words, RateLimiterCases.all) { FaultyLimiter(defect) }, "\(defect)")
    }
  }
}
