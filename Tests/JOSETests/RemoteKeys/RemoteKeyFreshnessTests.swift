import JOSE
import Synchronization
import Testing

@testable import JOSE

/// How long fetched keys serve, and when the issuer is asked again.
@Suite("Freshness of remote keys")
struct RemoteKeyFreshnessTests {
  private func key(_ keyID: String) -> JWK { JWK.generate(.es256, keyID: keyID) }

  @Test(
    "the answer says how long it stays fresh, within bounds",
    arguments: [
      ([], 600.0), (["max-age=100"], 100), (["public, Max-Age = \"100\""], 100), (["max-age=5"], 30),
      (["no-store, max-age=100"], 30), (["max-age=99999999999999999999"], 86_400),
      (["max-age=-1"], 30), (["max-age"], 30), (["max-age="], 30), (["max-age=\"\""], 30), (["max-age=abc"], 30),
      (["max-age=100.5"], 30), (["max-age=1e3"], 30), (["max-age=1 00"], 30), (["max-age=+100"], 30),
      (["max-age=\"100"], 30), (["max-age=100\""], 30), (["max-age=1\"0\"0"], 30), (["max-age=\"100\""], 100),
      (["max-age=\" 100\""], 30), (["max-age=100;"], 30), (["max-age=x, max-age=100"], 30),
      (["max-age=100", "max-age=x"], 30), (["s-maxage=100"], 600), (["s-maxage=x, max-age=100"], 100),
      (["max-age-of-all=1"], 600), (["max-age=0"], 30), (["max-age=0100"], 100), (["\tmax-age\t=\t100 "], 100),
      (["public", "max-age=100"], 100), (["max-age=100", "no-store"], 30),
      (["max-age=200", "max-age=100"], 100), (["private=\"a, max-age=40\", max-age=100"], 100),
    ] as [([String], Double)])
  func freshness(cacheControl: [String], seconds: Double) async throws {
    try await expectRenewal(after: seconds, from: Issuer(key("a")) { $0.cacheControl = cacheControl })
  }

  @Test(
    "the time that an answer has spent on the way counts",
    arguments: [("40", 60.0), ("0", 100), ("100", 30), ("101", 30), ("x", 100), ("-1", 100)] as [(String, Double)])
  func age(age: String, seconds: Double) async throws {
    let issuer = Issuer(key("a")) { ($0.cacheControl, $0.age) = (["max-age=100"], age) }
    try await expectRenewal(after: seconds, from: issuer)
  }

  /// Expects that a set asks again after so many seconds, and not before.
  private func expectRenewal(after seconds: Double, from issuer: Issuer) async throws {
    var policy = RemoteKeySetPolicy.patient
    policy.refreshAhead = .zero
    let set = try await issuer.fetchedSet(policy)
    issuer.change { $0.now += seconds - 1 }
    _ = try await set.keys()
    #expect(issuer.requests == 1)
    issuer.change { $0.now += 1 }
    _ = try await set.keys()
    await issuer.requested(2)
  }

  @Test("a withdrawn key serves until 60 seconds after its set has become stale")
  func withdrawnKey() async throws {
    for (wait, expected) in [(659.0, "a"), (660, "b"), (4199, "b")] {
      let issuer = Issuer(key("a"))
      let second = key("b")
      let set = try await issuer.fetchedSet()
      issuer.change {
        $0.keys = [second]
        $0.now += wait
      }
      #expect(try await set.keys(for: "a").keys.map(\.keyID) == [expected])
    }
  }

  @Test("a failure of long ago says nothing about an issuer that answers now")
  func oldFailure() async throws {
    let issuer = Issuer(key("a"))
    let second = key("b")
    let set = try await issuer.fetchedSet()
    issuer.change {
      $0.isReachable = false
      $0.now += 700
    }
    #expect(try await set.keys(for: "a").keys.count == 1)
    issuer.change {
      $0.isReachable = true
      $0.keys = [second]
      $0.now += 2000
    }
    #expect(try await set.keys(for: "a").keys.map(\.keyID) == ["b"])
  }

  @Test("callers with stale keys don't wait while the issuer is down")
  func downForLong() async throws {
    let issuer = Issuer(key("a"))
    let set = try await issuer.fetchedSet()
    issuer.change {
      $0.isReachable = false
      $0.now += 700
    }
    _ = try await set.keys()
    issuer.change { $0.isGated = true }
    for _ in 0..<80 {
      issuer.change { $0.now += 40 }
      // It would hang here if it waited.
      #expect(try await set.keys(for: "a").keys.count == 1)
      while await set.isAsking {
        issuer.open()
        await Task.yield()
      }
      issuer.change { $0.isGated = true }
    }
    issuer.change { $0.isGated = false }
  }

  @Test(
    "Cache-Control decides whether and how long stale keys may serve",
    arguments: [
      (["no-store"], 30.0, 0.0, 0.0), (["no-cache"], 30, 0, 0), (["max-age=100", "must-revalidate"], 100, 0, 0),
      (["max-age=100, stale-if-error=50"], 100, 60, 50), (["max-age=100, stale-while-revalidate=10"], 100, 10, 3600),
      (["max-age=100, stale-while-revalidate=9999, stale-if-error=9999"], 100, 60, 3600),
      (["max-age=100"], 100, 60, 3600),
    ])
  func staleTimes(_ cacheControl: [String], _ age: Double, _ whileRenewed: Double, _ ifError: Double) async throws {
    let jwk = key("a")
    /// Whether the set serves at once, whether or not the issuer hangs, and whether it serves after a failure.
    func serves(_ wait: Double, failing: Bool) async throws -> Bool {
      let issuer = Issuer(jwk) { $0.cacheControl = cacheControl }
      var policy = RemoteKeySetPolicy.patient
      if !failing { policy.staleIfError = .zero }
      let set = try await issuer.fetchedSet(policy)
      issuer.change {
        $0.isReachable = false
        $0.now += wait
      }
      return (try? await set.keys()) != nil
    }
    #expect(try await serves(age + whileRenewed - 1, failing: false))
    #expect(try await !serves(age + whileRenewed, failing: false))
    #expect(try await serves(age + max(whileRenewed, ifError) - 1, failing: true))
    #expect(try await !serves(age + max(whileRenewed, ifError), failing: true))
  }

  @Test("a request sends the known entity tag, and a 304 renews the set")
  func entityTag() async throws {
    let issuer = Issuer(key("a")) {
      ($0.entityTag, $0.cacheControl) = ("\"1\"", ["max-age=100, must-revalidate"])
    }
    let second = key("b")
    let set = issuer.set()
    let keys = try await set.keys()
    // The answer that confirms has no `Cache-Control`: the first one's holds on.
    issuer.change {
      $0.cacheControl = []
      $0.now += 1000
    }
    #expect(try await set.keys().boundKeys === keys.boundKeys)
    #expect(issuer.state.withLock { $0.asked } == [nil, "\"1\""])
    issuer.change { $0.now += 30 }
    _ = try await set.keys()
    #expect(issuer.requests == 2)
    issuer.change {
      $0.keys = [second]
      ($0.entityTag, $0.cacheControl) = ("W/\"2\"", ["no-store"])
      $0.now += 1000
    }
    #expect(try await set.keys().keys.map(\.keyID) == ["b"])
    // What must not be kept can't be confirmed.
    issuer.change { $0.now += 1000 }
    _ = try await set.keys()
    #expect(issuer.state.withLock { $0.asked } == [nil, "\"1\"", "\"1\"", nil])
  }

  @Test(
    "a malformed entity tag isn't sent back",
    arguments: ["", "1", "\"", "\"a\"b\"", "w/\"1\"", "\"a b\"", "\"" + String(repeating: "x", count: 511) + "\""])
  func malformedTags(_ tag: String) async throws {
    let issuer = Issuer(key("a")) { $0.entityTag = tag }
    let set = try await issuer.fetchedSet()
    issuer.change { $0.now += 1000 }
    _ = try await set.keys()
    #expect(issuer.state.withLock { $0.asked } == [nil, nil])
  }

  @Test("a 304 to a request without an entity tag is an error")
  func unaskedConfirmation() async throws {
    let issuer = Issuer { $0.status = 304 }
    await #expect { try await issuer.set().keys() } throws: { "\($0)".contains("another status than 200") }
  }

  @Test("a stale set serves at once while one request renews it")
  func staleWhileAsking() async throws {
    let issuer = Issuer(key("a"))
    let second = key("b")
    let set = try await issuer.fetchedSet()
    issuer.change {
      $0.now += 650
      $0.keys = [second]
      $0.isGated = true
    }
    for _ in 0..<100 { #expect(try await set.keys(for: "a").keys.map(\.keyID) == ["a"]) }
    await issuer.requested(2)
    await issuer.held()
    #expect(try await set.keys().keys.map(\.keyID) == ["a"])
    issuer.open()
    while try await set.keys().keys.map(\.keyID) != ["b"] { await Task.yield() }
    #expect(issuer.requests == 2)
  }

  @Test("a set near its end is renewed behind the caller's back")
  func refreshAhead() async throws {
    let issuer = Issuer(key("a"))
    let second = key("b")
    let set = try await issuer.fetchedSet()
    issuer.change {
      $0.now += 545
      $0.keys = [second]
    }
    #expect(try await set.keys().keys.map(\.keyID) == ["a"])
    await issuer.requested(2)
    while try await set.keys().keys.map(\.keyID) != ["b"] { await Task.yield() }
    #expect(issuer.requests == 2)
  }
}
