import JOSE
import Testing

@Suite("DPoP replay store in memory")
struct DPoPReplayStoreTests {
  static let now = DPoPTests.now

  static func entry(
    _ tokenID: String, of thumbprint: String = "key", isBound: Bool = false, expiry: NumericDate = now.advanced(by: 60)
  ) -> DPoPReplayEntry {
    DPoPReplayEntry(thumbprint: thumbprint, tokenID: tokenID, isBoundToAccessToken: isBound, expiry: expiry)
  }

  @Test("a proof is new once, and again when it could not be accepted any more")
  func once() async {
    let store = DPoPMemoryReplayStore()
    let later = Self.now.advanced(by: 60)
    #expect(await store.record(Self.entry("a"), now: Self.now) == .new)
    #expect(await store.record(Self.entry("a"), now: Self.now) == .seen)
    #expect(await store.record(Self.entry("a", of: "other"), now: Self.now) == .new)
    #expect(await store.record(Self.entry("a"), now: later) == .seen)
    #expect(await store.record(Self.entry("a", expiry: later.advanced(by: 60)), now: later.advanced(by: 1)) == .new)
  }

  @Test("a clock that is set back lets in nothing that was seen, and no name twice")
  func clockSetBack() async {
    let store = DPoPMemoryReplayStore()
    #expect(await store.record(Self.entry("a"), now: Self.now) == .new)
    let ahead = Self.now.advanced(by: 100)
    #expect(await store.record(Self.entry("b", expiry: ahead.advanced(by: 60)), now: ahead) == .new)
    #expect(await store.record(Self.entry("a"), now: Self.now) == .seen)
    // A name that serves another proof, once the first has expired, is known all the time.
    let again = Self.entry("a", expiry: ahead.advanced(by: 60))
    #expect(await store.record(again, now: ahead) == .new)
    for proof in [Self.entry("a"), again] {
      for date in [Self.now, ahead] { #expect(await store.record(proof, now: date) == .seen) }
    }
  }

  @Test("what made room for others is not taken again when the clock is set back")
  func quotaAndClockSetBack() async {
    let store = DPoPMemoryReplayStore(capacity: 100, quota: 1)
    #expect(await store.record(Self.entry("a"), now: Self.now) == .new)
    let after = Self.now.advanced(by: 61)
    #expect(await store.record(Self.entry("b", expiry: after.advanced(by: 60)), now: after) == .new)
    #expect(await store.record(Self.entry("a", of: "k2"), now: Self.now) == .storeFull)
    #expect(await store.record(Self.entry("a"), now: Self.now) != .new)
  }

  @Test("a key has its quota, and leaves the others theirs")
  func quota() async {
    let store = DPoPMemoryReplayStore(capacity: 100, quota: 3)
    for number in 0..<3 { #expect(await store.record(Self.entry("\(number)"), now: Self.now) == .new) }
    #expect(await store.record(Self.entry("3"), now: Self.now) == .quotaReached)
    #expect(await store.record(Self.entry("0"), now: Self.now) == .seen)
    #expect(await store.record(Self.entry("3", of: "other"), now: Self.now) == .new)
    let after = Self.now.advanced(by: 61)
    #expect(await store.record(Self.entry("3", expiry: after.advanced(by: 60)), now: after) == .new)
  }

  @Test("a hundred thousand self-made keys lock nobody out")
  func selfMadeKeys() async {
    let store = DPoPMemoryReplayStore()
    for number in 0..<100_000 { _ = await store.record(Self.entry("x", of: "\(number)"), now: Self.now) }
    #expect(await store.record(Self.entry("x", of: "honest"), now: Self.now) == .new)
    #expect(await store.record(Self.entry("x", of: "honest", isBound: true), now: Self.now) == .new)
  }

  @Test(
    "a full room takes nothing from clients with an access token, and refuses without forgetting what could come again")
  func fullRoom() async {
    let store = DPoPMemoryReplayStore(capacity: 10)
    for number in 0..<10 { #expect(await store.record(Self.entry("x", of: "\(number)"), now: Self.now) == .new) }
    #expect(await store.record(Self.entry("x", of: "late"), now: Self.now) == .storeFull)
    #expect(await store.record(Self.entry("x", of: "honest", isBound: true), now: Self.now) == .new)
    // A second later, fresh proofs have room, and what they displaced is not taken again.
    let next = Self.now.advanced(by: 1)
    let fresh = Self.entry("x", of: "late", expiry: next.advanced(by: 60))
    #expect(await store.record(fresh, now: next) == .new)
    #expect(await store.record(fresh, now: next) == .seen)
    // One proof made room. The others are still known, and none of them is new again.
    var verdicts: [DPoPReplayVerdict] = []
    for number in 0..<10 { verdicts.append(await store.record(Self.entry("x", of: "\(number)"), now: next)) }
    #expect(verdicts.count { $0 == .storeFull } == 1 && verdicts.count { $0 == .seen } == 9)
  }

  @Test("the verifier tells a replay from a quota and from a full store")
  func errors() async throws {
    struct Silent: Error {}
    struct Store: DPoPReplayStore {
      var verdict: DPoPReplayVerdict?
      func record(_ entry: DPoPReplayEntry, now: NumericDate) async throws -> DPoPReplayVerdict {
        guard let verdict else { throw Silent() }
        return verdict
      }
    }
    let proof = try DPoPTests.proof(TestKeys.signing())
    for (verdict, expected) in [
      (.new, "accepted"), (.seen, "claimMismatch(jti)"), (.quotaReached, "replayQuotaReached(jkt)"),
      (.storeFull, "replayStoreFull(jti)"), (nil, "replayStoreFull(jti)"),
    ] as [(DPoPReplayVerdict?, String)] {
      let verifier = DPoPVerifier(clock: .fixed(at: Self.now), replayStore: Store(verdict: verdict))
      #expect(await DPoPTests.refusal(proof, by: verifier) == expected)
    }
  }

  @Test("whatever is full and whoever made it, no token is new twice", arguments: 0..<8)
  func walks(seed: Int) async {
    var numbers = SplitMix(seed: UInt64(seed))
    let store = DPoPMemoryReplayStore(capacity: 40, quota: 12)
    var noted: Set<DPoPReplayEntry> = []
    var now = Self.now
    var counts: [DPoPReplayVerdict: Int] = [:]
    for _ in 0..<4000 {
      if numbers.next(below: 4) == 0 { now = now.advanced(by: Double(numbers.next(below: 3))) }
      let entry = Self.entry(
        "\(numbers.next(below: 60))", of: "k\(numbers.next(below: 6))",
        expiry: now.advanced(by: Double(numbers.next(below: 60))))
      let verdict = await store.record(entry, now: now)
      counts[verdict, default: 0] += 1
      if verdict == .new {
        let isFirst = noted.insert(entry).inserted
        #expect(isFirst)
      }
    }
    for verdict: DPoPReplayVerdict in [.new, .seen, .quotaReached, .storeFull] {
      #expect(counts[verdict, default: 0] > 5)
    }
  }
}

/// Numbers that are the same in each run.
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below bound: UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return (mixed ^ mixed >> 31) % bound
  }
}
