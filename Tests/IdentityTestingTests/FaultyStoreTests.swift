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

  @Test func `a sign-out that goes with the tokens, and a column that refuses some`() async {
    #expect(await finds("don't make a signed-out app sign in", AppTokenStoreCases.all) { ForgetfulAppStore() })
    #expect(await finds("a text with NUL in it is kept", AppTokenStoreCases.all) { ForgetfulAppStore() })
  }

  @Test func `pairs in files whose names have no case`() async {
    #expect(await finds("an issuer with a path", SSOPairStoreCases.all) { FoldingPairStore() })
  }
}
