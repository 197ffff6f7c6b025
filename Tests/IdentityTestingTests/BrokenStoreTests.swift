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
  @Test func `a store that writes whatever it is given`() async {
    let findings = await StoreCase.findings(
      TokenStoreCases.all, in: StorePlaces<any TokenStore> { CarelessTokenStore() })
    for rule in [
      "what is not there is not replaced", "a record is not overwritten by who expects none",
      "only who knows the revision writes and removes", "login identifiers are compared as bytes",
      "of simultaneous writers who know the revision one wins",
    ] {
      #expect(findings.contains(rule))
    }
  }

  @Test func `a store whose connections know nothing of each other`() async {
    let findings = await StoreCase.findings(
      RecordStoreCases.all, in: StorePlaces<any RecordStore> { _ in MemoryRecordStore() })
    for rule in [
      "what was written is there when the store is opened again", "of simultaneous inserts of one key one wins",
    ] {
      #expect(findings.contains { $0.hasPrefix(rule) })
    }
  }

  @Test func `a store that compares names as Swift does, and one that ends them at NUL`() async {
    for change: @Sendable (String) -> String in [
      { String($0.unicodeScalars.prefix { $0.value != 0 }.map(Character.init)) },
      { String($0.reversed().drop { $0 == " " }.reversed()) },
    ] {
      let findings = await StoreCase.findings(
        TokenStoreCases.all, in: StorePlaces<any TokenStore> { ChangingTokenStore(change) })
      #expect(findings.contains { $0.hasSuffix("is kept, whatever it is") })
      #expect(findings.contains { $0.hasSuffix("is a login's name, and no other's") })
    }
  }

  @Test func `a place that all share`() async {
    let shared = InMemoryTokenStore()
    let findings = await StoreCase.findings(TokenStoreCases.all, in: StorePlaces<any TokenStore> { _ in shared })
    #expect(findings.contains("stores at different places don't share a record"))
  }

  @Test func `a store that throws breaks the rule, and the finding says what it threw`() async {
    struct DiskFull: Error {}
    let findings = await StoreCase.findings(
      RecordStoreCases.all, in: StorePlaces<any RecordStore> { _ in throw DiskFull() })
    #expect(findings.count == RecordStoreCases.all.count)
    #expect(findings.first == "an empty store has no record: it threw DiskFull()")
  }

  @Test func `a limiter that counts what it has blocked`() async {
    let findings = await StoreCase.findings(
      RateLimiterCases.all, in: StorePlaces<any RateLimiter> { EagerLimiter() })
    #expect(!findings.isEmpty)
  }

  @Test func `rules have names of their own, and there are enough of them`() {
    let rules = [
      RecordStoreCases.all.map(\.rule), TokenStoreCases.all.map(\.rule),
      SSOPairStoreCases.all.map(\.rule),
      AppTokenStoreCases.all.map(\.rule), RateLimiterCases.all.map(\.rule),
      DeviceRegistryCases.all.map(\.rule),
      AppTokenStoreCases.reading(AppTokenByteStore.reading).map(\.rule),
    ]
    for names in rules { #expect(Set(names).count == names.count && names.count >= 10) }
    let documents = [
      StoredFormCases.tokens.map(\.rule), StoredFormCases.pairs.map(\.rule),
      StoredFormCases.appTokens(reading: AppTokenByteStore.reading).map(\.rule),
      StoredFormCases.devices.map(\.rule),
    ]
    for names in documents { #expect(Set(names).count == names.count && names.count >= 7) }
    #expect((rules + documents).reduce(0) { $0 + $1.count } >= 300)
    // The stores on which logins depend.
    let appTokens = AppTokenStoreCases.all.count + AppTokenStoreCases.reading(AppTokenByteStore.reading).count
    for count in [
      TokenStoreCases.all.count, SSOPairStoreCases.all.count, appTokens,
    ] {
      #expect((40...80).contains(count), "\(count)")
    }
  }
}

/// Writes whatever it is given.
private actor CarelessTokenStore: TokenStore {
  private var record: TokenRecord?

  func load() -> TokenRecord? { record }

  func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) -> Bool {
    self.record = record
    return true
  }
}

/// Changes texts on their way in, as columns do.
private actor ChangingTokenStore: TokenStore {
  private let inner = InMemoryTokenStore()
  private let change: @Sendable (String) -> String

  init(_ change: @escaping @Sendable (String) -> String) { self.change = change }

  func load() async -> TokenRecord? { await inner.load() }

  func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) async -> Bool {
    let record = record.map { given in
      var changed = given
      changed.subject = given.subject.map(change)
      changed.loginID = change(given.loginID)
      return changed
    }
    let expected = expected.map { TokenRecord.Version(loginID: change($0.loginID), revision: $0.revision) }
    return await inner.replace(expected, with: record)
  }
}

/// Counts every attempt, blocked or not.
private actor EagerLimiter: RateLimiter {
  private var counts: [RateLimitKey: Int] = [:]

  func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Int, now: NumericDate) -> RateLimitDecision {
    for key in keys { counts[key, default: 0] += 1 }
    return keys.allSatisfy { counts[$0, default: 0] <= limit } ? .allowed : .blocked(retryAfter: blockDuration)
  }
}
