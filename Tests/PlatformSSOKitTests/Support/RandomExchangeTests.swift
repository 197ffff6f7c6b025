import Foundation
import PureJOSETestSupport
import Testing

@Suite("Exchanges between a device and a provider with settings drawn at random")
struct RandomExchangeTests {
  /// The same exchanges each time, or others: `PUREJOSE_TEST_SEED=2 swift test --filter RandomExchangeTests`.
  @Test("Every message comes over as it was meant, in 1001 exchanges")
  func exchanges() async throws {
    let seed = ProcessInfo.processInfo.environment["PUREJOSE_TEST_SEED"].flatMap { UInt64($0) } ?? 1
    print("PUREJOSE_TEST_SEED=\(seed)")
    var generator = SeededGenerator(seed: seed)
    let keys = try RandomExchangeKeys()
    #expect(keys.cards.count == 4)
    var played = 0
    for round in 0..<143 {
      for kind in RandomExchange.Kind.allCases {
        do {
          var exchange = try RandomExchange(kind, using: &generator, keys: keys)
          try await exchange.play()
          played += 1
        } catch {
          Issue.record("seed \(seed), round \(round), \(kind): \(error)")
          return
        }
      }
    }
    #expect(played == 1001)
  }
}
