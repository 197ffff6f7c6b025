import Testing

@testable import JOSE

@Suite("Names that may be used once")
struct UsedOnceTests {
  private static let now = NumericDate(1_760_000_000)
  private let store = MemoryRecordStore()

  private func used(quota: Int = 10_000) -> UsedOnce {
    var used = UsedOnce(store, kind: "test")
    used.quota = quota
    return used
  }

  private static func name(
    _ name: String, of maker: String = "m", limited: Bool = true, after seconds: Double = 0, lifetime: Double = 60
  ) -> UsedOnce.Name {
    UsedOnce.Name([maker, name], maker: limited ? maker : nil, expiry: now.advanced(by: seconds + lifetime))
  }

  @Test("a name is new once until its expiry, and then again")
  func once() async throws {
    let used = used()
    let later = Self.now.advanced(by: 60)
    #expect(try await used.note(Self.name("a"), now: Self.now) == .new)
    #expect(try await used.note(Self.name("a"), now: Self.now) == .seen)
    #expect(try await used.note(Self.name("a", of: "other"), now: Self.now) == .new)
    // To its last moment, and whatever another bearer says of its end before that.
    for lifetime in [59, 60, 60.5, 6_000] {
      #expect(try await used.note(Self.name("a", lifetime: lifetime), now: later) == .seen)
    }
    #expect(try await used.note(Self.name("a"), now: later.advanced(by: 1)) == .seen)
    #expect(try await used.note(Self.name("a", after: 60), now: later.advanced(by: 0.001)) == .new)
    #expect(try await used.note(Self.name("a", after: 60), now: later.advanced(by: 0.001)) == .seen)
  }

  @Test("names are told apart to the octet, and each part ends where it ends")
  func octets() async throws {
    let used = used()
    let parts = [
      ["a", "b\u{E9}"], ["ab", "\u{E9}"], ["", "ab\u{E9}"], ["ab\u{E9}", ""], ["b\u{E9}", "a"], ["a", "b"],
      ["A", "b\u{E9}"], ["a", "be\u{301}"], ["a", "b\u{C9}"], ["a", "b\u{E9}\u{0}"], ["a", "b\u{E9} "], ["a1.b"],
    ]
    for part in parts { #expect(try await used.note(.init(part, expiry: Self.now), now: Self.now) == .new) }
    for part in parts { #expect(try await used.note(.init(part, expiry: Self.now), now: Self.now) == .seen) }
  }

  @Test("names of different kinds are separate, and the store holds only digests")
  func kinds() async throws {
    #expect(try await used().note(Self.name("a"), now: Self.now) == .new)
    #expect(try await UsedOnce(store, kind: "other").note(Self.name("a"), now: Self.now) == .new)
    let kind = StoredRecord.Kind(library: "test")
    let record = try #require(await store.record(kind, key: Self.name("a").digest))
    #expect(record.expiresAt == Self.now.advanced(by: 60) && record.document.isEmpty && record.key.count == 32)
  }

  @Test("a clock that is set back lets in nothing that was seen, and no name twice")
  func clockSetBack() async throws {
    let used = used(quota: 1)
    #expect(try await used.note(Self.name("a"), now: Self.now) == .new)
    let ahead = Self.now.advanced(by: 100)
    #expect(try await used.note(Self.name("b", after: 100), now: ahead) == .new)
    #expect(try await used.note(Self.name("c", of: "k2", after: 100), now: ahead) == .new)
    #expect(try await used.note(Self.name("a"), now: Self.now) == .seen)
    // A name that serves another bearer, once the first has expired, is known all the time.
    #expect(try await used.note(Self.name("c", of: "k2", after: 161), now: ahead.advanced(by: 61)) == .new)
    for name in [Self.name("c", of: "k2", after: 100), Self.name("c", of: "k2", after: 161)] {
      for date in [Self.now, ahead, ahead.advanced(by: 61)] { #expect(try await used.note(name, now: date) == .seen) }
    }
  }

  @Test("a quota counts each maker's names separately, and unlimited names are exempt")
  func quota() async throws {
    let used = used(quota: 3)
    for number in 0..<3 { #expect(try await used.note(Self.name("\(number)"), now: Self.now) == .new) }
    #expect(try await used.note(Self.name("3"), now: Self.now) == .quotaReached)
    #expect(try await used.note(Self.name("0"), now: Self.now) == .seen)
    #expect(try await used.note(Self.name("3", of: "other"), now: Self.now) == .new)
    #expect(try await used.note(Self.name("3", after: 61), now: Self.now.advanced(by: 61)) == .new)
    for number in 10..<50 {
      #expect(try await used.note(Self.name("\(number)", limited: false), now: Self.now) == .new)
    }
    // Makers are told apart to the octet, too.
    for maker in ["\u{E9}", "e\u{301}", "E", "e"] {
      for number in 0..<3 { #expect(try await used.note(Self.name("\(number)", of: maker), now: Self.now) == .new) }
    }
  }

  @Test("a maker at its quota costs no count of all its names each time")
  func quotaIsCheap() async throws {
    /// The shortest time of a refusal at a quota: what a machine takes that does nothing else meanwhile.
    func refusal(at quota: Int) async throws -> Duration {
      var used = UsedOnce(MemoryRecordStore(), kind: "test")
      used.quota = quota
      for number in 0..<quota { _ = try await used.note(Self.name("\(number)"), now: Self.now) }
      var shortest = Duration.seconds(3600)
      for number in quota..<(quota + 1_000) {
        let start = ContinuousClock.now
        #expect(try await used.note(Self.name("\(number)"), now: Self.now) == .quotaReached)
        shortest = min(shortest, ContinuousClock.now - start)
      }
      return shortest
    }
    // A count of two hundred times as many takes two hundred times as long.
    let (few, many) = (try await refusal(at: 100), try await refusal(at: 20_000))
    #expect(many < few * 20, "\(few) at 100, \(many) at 20,000")
  }

  @Test("whether a name was noted is known without noting it")
  func isNoted() async throws {
    let used = used()
    for _ in 0..<2 { #expect(try await !used.isNoted(Self.name("a"), now: Self.now)) }
    #expect(try await used.note(Self.name("a"), now: Self.now) == .new)
    for seconds in [0.0, 60, 61] {
      #expect(try await used.isNoted(Self.name("a"), now: Self.now.advanced(by: seconds)))
    }
    #expect(try await !used.isNoted(Self.name("a", after: 61), now: Self.now.advanced(by: 61)))
    #expect(try await !used.isNoted(Self.name("a", of: "other"), now: Self.now))
  }

  @Test("of many who use a name one does, and many names are all new")
  func concurrency() async throws {
    let used = used()
    func verdicts(_ name: @escaping @Sendable (Int) -> String) async throws -> [UsedOnce.Verdict: Int] {
      try await withThrowingTaskGroup(of: UsedOnce.Verdict.self) { group in
        for number in 0..<64 { group.addTask { try await used.note(Self.name(name(number)), now: Self.now) } }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
    }
    #expect(try await verdicts { _ in "a" } == [.new: 1, .seen: 63])
    #expect(try await verdicts { "n\($0)" } == [.new: 64])
    #expect(try await verdicts { "n\($0)" } == [.seen: 64])
  }

  @Test("a lost answer doesn't change whether a name is new or seen", arguments: [true, false])
  func lostAnswers(isMade: Bool) async throws {
    let losing = LosingStore(losing: isMade ? .after : .before)
    let used = UsedOnce(losing, kind: "test")
    #expect(try await used.note(Self.name("a"), now: Self.now) == .new)
    #expect(try await used.note(Self.name("a"), now: Self.now) == .seen)
  }

  @Test("names of several kinds are noted together or not at all", arguments: [nil, true, false])
  func together(losesAnswers: Bool?) async throws {
    let records: any RecordStore =
      if let losesAnswers { LosingStore(losing: losesAnswers ? .after : .before) } else { store }
    let (first, second) = (UsedOnce(records, kind: "test"), UsedOnce(records, kind: "other"))
    func note(_ one: String, _ other: String, after seconds: Double = 0) async throws -> Int? {
      let (one, other) = (Self.name(one, after: seconds), Self.name(other, after: seconds))
      let refused = try await UsedOnce.note([(first, one), (second, other)], now: Self.now.advanced(by: seconds))
      #expect(refused.map { $0.verdict == .seen } ?? true)
      return refused?.number
    }
    #expect(try await note("a", "b") == nil)
    #expect(try await note("a", "b") == 0)
    #expect(try await note("c", "b") == 1)
    #expect(try await !first.isNoted(Self.name("c"), now: Self.now))
    #expect(try await note("a", "d") == 0)
    #expect(try await !second.isNoted(Self.name("d"), now: Self.now))
    #expect(try await note("c", "d") == nil)
    // Expired ones make room, in both places at once.
    #expect(try await note("a", "b", after: 61) == nil)
    #expect(try await note("c", "b", after: 61) == 1)
    #expect(try await UsedOnce.note([], now: Self.now) == nil)
  }

  @Test("a full kind refuses new names, forgets none and leaves room for other kinds")
  func fullRoom() async throws {
    let store = MemoryRecordStore(byteLimit: 10 * 500)
    let (used, other) = (UsedOnce(store, kind: "test"), UsedOnce(store, kind: "other"))
    var count = 0
    await #expect(throws: RecordStoreFull.self) {
      for number in 0..<100 {
        guard try await used.note(Self.name("x", of: "\(number)"), now: Self.now) == .new else { continue }
        count += 1
      }
    }
    #expect((5..<20).contains(count))
    for number in 0..<count { #expect(try await used.note(Self.name("x", of: "\(number)"), now: Self.now) == .seen) }
    #expect(try await other.note(Self.name("x"), now: Self.now) == .new)
    // What can't come again makes room, a minute later.
    await #expect(throws: RecordStoreFull.self) {
      try await used.note(Self.name("y", after: 119), now: Self.now.advanced(by: 119))
    }
    for number in 0..<count {
      #expect(try await used.note(Self.name("\(number)", after: 121), now: Self.now.advanced(by: 121)) == .new)
    }
  }

  @Test("no bearer is new twice in random sequences with quotas and a full store", arguments: 0..<8)
  func walks(seed: UInt64) async throws {
    var state = seed
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    var used = UsedOnce(MemoryRecordStore(byteLimit: 60 * 420), kind: "test")
    used.quota = 3
    var noted: Set<[String]> = []
    var now = Self.now
    var counts: [UsedOnce.Verdict?: Int] = [:]
    for _ in 0..<4_000 {
      if random(4) == 0 { now = now.advanced(by: Double(random(3))) }
      let (name, maker, expiry) = ("\(random(60))", "k\(random(8))", now.advanced(by: Double(random(60))))
      let verdict = try? await used.note(.init([maker, name], maker: maker, expiry: expiry), now: now)
      counts[verdict, default: 0] += 1
      if verdict == .new {
        let isFirst = noted.insert([name, maker, "\(expiry.secondsSince1970)"]).inserted
        #expect(isFirst)
      }
    }
    for verdict: UsedOnce.Verdict? in [.new, .seen, .quotaReached, nil] {
      #expect(counts[verdict, default: 0] > 5, "\(String(describing: verdict))")
    }
  }

  @Test("a verifier of proofs tells a replay from a quota, a full store and one that doesn't answer")
  func proofs() async throws {
    let key = try TestKeys.signing()
    let proof = try DPoPTests.proof(key)
    let (clock, sound) = (WallClock.fixed(at: DPoPTests.now), MemoryRecordStore())
    var verifier = DPoPVerifier(clock: clock, records: sound)
    #expect(await DPoPTests.refusal(proof, by: verifier) == "accepted")
    #expect(await DPoPTests.refusal(proof, by: verifier) == "claimMismatch(jti)")
    verifier.unboundProofs.quota = 1
    #expect(await DPoPTests.refusal(try DPoPTests.proof(key), by: verifier) == "replayQuotaReached(jkt)")
    for store in [MemoryRecordStore(byteLimit: 0), SilentStore()] as [any RecordStore] {
      #expect(
        await DPoPTests.refusal(proof, by: DPoPVerifier(clock: clock, records: store)) == "replayStoreFull(jti)")
    }
  }
}

/// A store that doesn't answer.
struct SilentStore: RecordStore {
  struct Silent: Error {}

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? { throw Silent() }
  func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] { throw Silent() }
  func commit(_ changes: [RecordChange]) async throws -> RecordCommit { throw Silent() }
  func removeExpired(before date: NumericDate, limit: Int) async throws -> Int { throw Silent() }
}
