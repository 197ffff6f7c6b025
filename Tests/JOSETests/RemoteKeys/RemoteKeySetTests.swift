import JOSE
import Synchronization
import Testing

@testable import JOSE

/// An issuer with a clock and a counter of requests.
private final class Issuer: Sendable {
  struct State: Sendable {
    var now: Double = 1_700_000_000
    var requests = 0
    var keys: [JWK] = []
    /// Lines of `Cache-Control`.
    var cacheControl: [String] = []
    var age: String?
    var entityTag: String?
    /// What requests had in `If-None-Match`.
    var asked: [String?] = []
    var status = 200
    var isReachable = true
    var gates: [CheckedContinuation<Void, Never>] = []
    var isGated = false
  }

  struct Unreachable: Error {}

  let state = Mutex(State())

  var clock: WallClock {
    WallClock { NumericDate(secondsSince1970: self.state.withLock { $0.now }) ?? NumericDate(0) }
  }

  var requests: Int { state.withLock { $0.requests } }

  func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

  func set(_ policy: RemoteKeySetPolicy = .default) -> RemoteKeySet {
    RemoteKeySet(url: "https://idp.example.com/jwks", policy: policy, clock: clock) { try await self.answer($0) }
  }

  func answer(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    let asked = try request.headers.uniqueValue("If-None-Match")
    let state = state.withLock { state in
      state.requests += 1
      state.asked.append(asked)
      return state
    }
    if state.isGated {
      await withCheckedContinuation { continuation in self.state.withLock { $0.gates.append(continuation) } }
    }
    guard state.isReachable else { throw Unreachable() }
    var headers = HTTPHeaderFields()
    for line in state.cacheControl { try headers.append("cache-control", line) }
    if let age = state.age { try headers.append("Age", age) }
    if let tag = state.entityTag { try headers.append("ETag", tag) }
    if let asked, asked == state.entityTag { return HTTPResponseValue(status: 304, headers: headers) }
    return HTTPResponseValue(status: state.status, headers: headers, body: JWKSet(state.keys).serialized())
  }

  /// Waits until so many requests have been made.
  func requested(_ count: Int) async {
    while requests < count { await Task.yield() }
  }

  func open() {
    let gates = state.withLock { state in
      defer { state.gates = [] }
      state.isGated = false
      return state.gates
    }
    for gate in gates { gate.resume() }
  }
}

@Suite("Remote key sets")
struct RemoteKeySetTests {
  private func key(_ keyID: String) -> JWK { JWK.generate(.es256, keyID: keyID) }

  @Test("tokens verify with fetched keys, and one request serves many")
  func verification() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change { $0.keys = [jwk] }
    let set = issuer.set()
    let signer = try SigningKey(jwk)
    let token = try JWT.sign(["exp": 1_700_000_100] as JSONObject, with: signer)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: issuer.clock)
    let verifier = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: policy)
    for _ in 0..<5 {
      _ = try await set.verify(token, algorithms: [.es256])
      #expect(try await verifier.verify(token, as: [String: Int].self).claims == ["exp": 1_700_000_100])
      #expect(try await verifier.verify(token).registeredClaims.expiration == NumericDate(1_700_000_100))
    }
    #expect(issuer.requests == 1)
  }

  @Test("an unknown kid asks again, but not within the cooldown")
  func unknownKey() async throws {
    let issuer = Issuer()
    let (first, second) = (key("a"), key("b"))
    issuer.change { $0.keys = [first] }
    let set = issuer.set()
    #expect(try await set.keys(for: "a").keys.count == 1)
    issuer.change { $0.keys = [second] }
    for number in 0..<1000 { _ = try await set.keys(for: "x\(number)") }
    #expect(issuer.requests == 1)
    issuer.change { $0.now += 30 }
    #expect(try await set.keys(for: "b").keys.map(\.keyID) == ["b"])
    for number in 0..<1000 { _ = try await set.keys(for: "x\(number)") }
    #expect(issuer.requests == 2)
    // The key that was withdrawn verifies no more.
    let token = try JWS.sign([1], with: SigningKey(first))
    await #expect(throws: JOSEError.self) { try await set.verify(token, algorithms: [.es256]) }
  }

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
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change {
      $0.keys = [jwk]
      $0.cacheControl = cacheControl
    }
    var policy = RemoteKeySetPolicy()
    policy.refreshAhead = .zero
    let set = issuer.set(policy)
    _ = try await set.keys()
    issuer.change { $0.now += seconds - 1 }
    _ = try await set.keys()
    #expect(issuer.requests == 1)
    issuer.change { $0.now += 1 }
    _ = try await set.keys()
    await issuer.requested(2)
  }

  @Test(
    "the time that an answer has spent on the way counts",
    arguments: [("40", 60.0), ("0", 100), ("100", 30), ("101", 30), ("x", 100), ("-1", 100)] as [(String, Double)])
  func age(age: String, seconds: Double) async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change {
      $0.keys = [jwk]
      ($0.cacheControl, $0.age) = (["max-age=100"], age)
    }
    var policy = RemoteKeySetPolicy()
    policy.refreshAhead = .zero
    let set = issuer.set(policy)
    _ = try await set.keys()
    issuer.change { $0.now += seconds - 1 }
    _ = try await set.keys()
    #expect(issuer.requests == 1)
    issuer.change { $0.now += 1 }
    _ = try await set.keys()
    await issuer.requested(2)
  }

  @Test("a withdrawn key ends a minute after its set, while the issuer answers")
  func withdrawnKey() async throws {
    for (wait, expected) in [(659.0, "a"), (660, "b"), (4199, "b")] {
      let issuer = Issuer()
      let (first, second) = (key("a"), key("b"))
      issuer.change { $0.keys = [first] }
      let set = issuer.set()
      _ = try await set.keys()
      issuer.change {
        $0.keys = [second]
        $0.now += wait
      }
      #expect(try await set.keys(for: "a").keys.map(\.keyID) == [expected])
    }
  }

  @Test("a failure of long ago says nothing about an issuer that answers now")
  func oldFailure() async throws {
    let issuer = Issuer()
    let (first, second) = (key("a"), key("b"))
    issuer.change { $0.keys = [first] }
    let set = issuer.set()
    _ = try await set.keys()
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

  @Test("while the issuer is down, no caller waits who has waited once")
  func downForLong() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change { $0.keys = [jwk] }
    let set = issuer.set()
    _ = try await set.keys()
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
    "an answer can forbid that keys serve past their time, or bound it",
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
      let issuer = Issuer()
      issuer.change {
        $0.keys = [jwk]
        $0.cacheControl = cacheControl
      }
      var policy = RemoteKeySetPolicy()
      if !failing { policy.staleIfError = .zero }
      let set = issuer.set(policy)
      _ = try await set.keys()
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

  @Test("the issuer is told what is known, and its word that nothing changed extends the set")
  func entityTag() async throws {
    let issuer = Issuer()
    let (first, second) = (key("a"), key("b"))
    issuer.change {
      $0.keys = [first]
      ($0.entityTag, $0.cacheControl) = ("\"1\"", ["max-age=100, must-revalidate"])
    }
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
    "what is no entity tag isn't sent back",
    arguments: ["", "1", "\"", "\"a\"b\"", "w/\"1\"", "\"a b\"", "\"" + String(repeating: "x", count: 511) + "\""])
  func malformedTags(_ tag: String) async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change { ($0.keys, $0.entityTag) = ([jwk], tag) }
    let set = issuer.set()
    _ = try await set.keys()
    issuer.change { $0.now += 1000 }
    _ = try await set.keys()
    #expect(issuer.state.withLock { $0.asked } == [nil, nil])
  }

  @Test("an issuer that confirms what it was not asked has failed")
  func unaskedConfirmation() async throws {
    let issuer = Issuer()
    issuer.change { $0.status = 304 }
    await #expect { try await issuer.set().keys() } throws: { "\($0)".contains("another status than 200") }
  }

  @Test(
    "keys come by https, or by plain http from this machine where that is allowed",
    arguments: [
      ("https://a.example/k", true, true), ("HTTPS://a.example", true, true), ("http://a.example/k", false, false),
      ("http://127.0.0.1:8080/k", false, true), ("http://localhost/k", false, true), ("http://[::1]:1/", false, true),
      ("http://127.0.0.1.evil.example/", false, false), ("https://u@a.example/", false, false), ("/k", false, false),
      ("http://u:p@127.0.0.1/", false, false), ("file:///k", false, false), ("", false, false),
    ])
  func places(_ url: String, _ isTaken: Bool, _ isTakenHere: Bool) async {
    let body = JWKSet([key("a")]).serialized()
    for (plainHTTP, expected) in [(PlainHTTP.refused, isTaken), (.loopback, isTakenHere)] {
      let set = RemoteKeySet(url: url, plainHTTP: plainHTTP) { _ in HTTPResponseValue(status: 200, body: body) }
      do throws(JOSEError) {
        _ = try await set.keys()
        #expect(expected)
      } catch {
        #expect(!expected && error.code == .callerMisuse && error.name == "url")
      }
    }
  }

  @Test("a failed request leaves the old keys for their time")
  func staleIfError() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change { $0.keys = [jwk] }
    let set = issuer.set()
    _ = try await set.keys()
    issuer.change {
      $0.isReachable = false
      $0.now += 4199
    }
    #expect(try await set.keys().keys.count == 1)
    await issuer.requested(2)
    issuer.change { $0.now += 30 }
    await #expect(throws: JOSEError.self) { try await set.keys() }
    issuer.change {
      $0.isReachable = true
      $0.status = 500
      $0.now += 60
    }
    await #expect(throws: JOSEError.self) { try await set.keys() }
    issuer.change {
      $0.status = 200
      $0.now += 60
    }
    #expect(try await set.keys().keys.count == 1)
  }

  @Test("whose time is over serves at once while one request goes on, however long that takes")
  func staleWhileAsking() async throws {
    let issuer = Issuer()
    let (first, second) = (key("a"), key("b"))
    issuer.change { $0.keys = [first] }
    let set = issuer.set()
    _ = try await set.keys()
    issuer.change {
      $0.now += 650
      $0.keys = [second]
      $0.isGated = true
    }
    for _ in 0..<100 { #expect(try await set.keys(for: "a").keys.map(\.keyID) == ["a"]) }
    await issuer.requested(2)
    while issuer.state.withLock({ $0.gates.isEmpty }) { await Task.yield() }
    #expect(try await set.keys().keys.map(\.keyID) == ["a"])
    issuer.open()
    while try await set.keys().keys.map(\.keyID) != ["b"] { await Task.yield() }
    #expect(issuer.requests == 2)
  }

  @Test("a request that hangs ends by its time limit, and its late answer counts for nothing")
  func timeLimit() async throws {
    let issuer = Issuer()
    let jwk = key("late")
    issuer.change {
      $0.keys = [jwk]
      $0.isGated = true
    }
    var policy = RemoteKeySetPolicy()
    policy.timeLimit = .milliseconds(10)
    let set = issuer.set(policy)
    do throws(JOSEError) {
      _ = try await set.keys()
      Issue.record("no keys, and no error")
    } catch {
      #expect(error.code == .externalKeyFailed && error.reason.contains("too long"))
    }
    issuer.open()
    issuer.change { $0.isReachable = false }
    for _ in 0..<100 { await Task.yield() }
    await #expect(throws: JOSEError.self) { try await set.keys() }
  }

  @Test("a caller that is cancelled waits no longer, and the others do")
  func cancellation() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change {
      $0.keys = [jwk]
      $0.isGated = true
    }
    let set = issuer.set()
    let impatient = Task { try await set.keys() }
    let patient = Task { try await set.keys() }
    while issuer.state.withLock({ $0.gates.isEmpty }) { await Task.yield() }
    impatient.cancel()
    await #expect(throws: JOSEError.self) { try await impatient.value }
    issuer.open()
    #expect(try await patient.value.keys.count == 1)
    #expect(issuer.requests == 1)
  }

  @Test("tokens that no key makes acceptable ask nobody")
  func unacceptableTokens() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change { $0.keys = [jwk] }
    let set = issuer.set()
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [], clock: issuer.clock)
    let verifier = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: policy)
    for (header, expected) in [
      (#"{"alg":"none","kid":"x"}"#, ErrorCode.algorithmNotAllowed),
      (#"{"alg":"HS256","kid":"x"}"#, .algorithmNotAllowed),
      (#"{"alg":"ES256","kid":"x","typ":"at+jwt"}"#, .typeMismatch),
      (#"{"alg":"ES256","kid":"x","crit":["u"],"u":1}"#, .criticalHeaderUnsupported),
      (#"{"alg":"ES256","kid":"x","cty":"JWT"}"#, .limitExceeded), (#"{"kid":"x"}"#, .headerInvalid), ("x", .malformed),
    ] {
      let token = Base64URL.encode(header.utf8) + ".e30." + Base64URL.encode([UInt8](repeating: 1, count: 64))
      await #expect { try await verifier.verify(token) } throws: { ($0 as? JOSEError)?.code == expected }
      if expected != .typeMismatch, expected != .limitExceeded {
        await #expect { try await set.verify(token, algorithms: [.es256]) } throws: {
          ($0 as? JOSEError)?.code == expected
        }
      }
      issuer.change { $0.now += 60 }
    }
    #expect(issuer.requests == 0)
  }

  @Test("an answer without a usable key leaves the known ones for their time")
  func emptyAnswer() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change { $0.keys = [jwk] }
    let set = issuer.set()
    _ = try await set.keys()
    issuer.change {
      $0.keys = []
      $0.now += 700
    }
    for count in 2...4 {
      #expect(try await set.keys(for: "a").keys.count == 1)
      await issuer.requested(count)
      issuer.change { $0.now += 60 }
    }
    #expect(try await set.keys(for: "unknown").keys.count == 1)
    issuer.change { $0.now += 3600 }
    // Now nothing is known any more, and callers hear why.
    await #expect { try await set.keys() } throws: { "\($0)".contains("no key that can be used") }
  }

  @Test("an issuer that begins without keys is asked again as soon as one that fails")
  func emptyAtFirst() async throws {
    let issuer = Issuer()
    let set = issuer.set()
    await #expect { try await set.keys() } throws: { "\($0)".contains("no key that can be used") }
    let jwk = key("a")
    issuer.change { $0.keys = [jwk] }
    await #expect(throws: JOSEError.self) { try await set.keys() }
    #expect(issuer.requests == 1)
    issuer.change { $0.now += 1 }
    #expect(try await set.keys().keys.count == 1)
  }

  @Test("without any keys the issuer is asked again soon, less and less often, and callers hear why")
  func backOff() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change {
      $0.keys = [jwk]
      $0.status = 503
    }
    let set = issuer.set()
    func reason() async -> String {
      do throws(JOSEError) {
        _ = try await set.keys()
        return "keys"
      } catch {
        return error.reason
      }
    }
    for (wait, requests) in [
      (0.0, 1), (0.5, 1), (0.5, 2), (1, 2), (1, 3), (3, 3), (1, 4), (8, 5), (16, 6), (29, 6), (1, 7),
    ] {
      issuer.change { $0.now += wait }
      #expect(await reason().contains("another status than 200"))
      #expect(issuer.requests == requests)
    }
    issuer.change {
      $0.now += 30
      $0.isReachable = false
    }
    #expect(await reason().contains("could not be fetched"))
    issuer.change {
      $0.now += 30
      $0.isReachable = true
      $0.status = 200
    }
    #expect(await reason() == "keys")
  }

  @Test("each request and its outcome is told, with its cause")
  func events() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    let log = Mutex<[String]>([])
    let set = RemoteKeySet(
      url: "https://idp.example.com/jwks", clock: issuer.clock,
      onEvent: { event in
        let text =
          switch event.kind {
          case .requested: "requested"
          case .renewed(let keyCount, let unsupportedCount): "renewed \(keyCount) \(unsupportedCount)"
          case .confirmed(let keyCount): "confirmed \(keyCount)"
          case .failed(.unreachable(let cause)): "unreachable \(type(of: cause))"
          case .failed(.status(let status)): "status \(status)"
          case .failed(.invalid(let error)): "invalid \(error.code)"
          case .failed(.metadata(let error)): "metadata \(error.code)"
          case .failed(.noUsableKeys): "no keys"
          case .failed(.timedOut): "timed out"
          }
        log.withLock { $0.append("\(Int(event.date.secondsSince1970) - 1_700_000_000) \(text)") }
      }, transport: { try await issuer.answer($0) })
    issuer.change { $0.isReachable = false }
    _ = try? await set.keys()
    issuer.change {
      $0.isReachable = true
      $0.status = 404
      $0.now += 10
    }
    _ = try? await set.keys()
    issuer.change {
      $0.status = 200
      $0.keys = [jwk]
      $0.now += 10
    }
    _ = try await set.keys()
    issuer.change {
      $0.keys = []
      $0.now += 30
    }
    _ = try await set.keys(for: "unknown")
    issuer.change {
      ($0.keys, $0.entityTag) = ([jwk], "\"1\"")
      $0.now += 30
    }
    for _ in 0..<2 {
      _ = try await set.keys(for: "unknown")
      issuer.change { $0.now += 30 }
    }
    while log.withLock({ $0.count }) < 12 { await Task.yield() }
    #expect(
      log.withLock { $0 } == [
        "0 requested", "0 unreachable Unreachable", "10 requested", "10 status 404", "20 requested", "20 renewed 1 0",
        "50 requested", "50 no keys", "80 requested", "80 renewed 1 0", "110 requested", "110 confirmed 1",
      ])
  }

  @Test("whoever asks at the same time waits for one request")
  func singleFlight() async throws {
    let issuer = Issuer()
    let jwk = key("a")
    issuer.change {
      $0.keys = [jwk]
      $0.isGated = true
    }
    let set = issuer.set()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await set.keys(for: "a").keys.count } }
      while issuer.state.withLock({ $0.gates.isEmpty }) { await Task.yield() }
      issuer.open()
      for try await count in group { #expect(count == 1) }
    }
    #expect(issuer.requests == 1)
  }

  @Test("a set near its end is renewed behind the caller's back")
  func refreshAhead() async throws {
    let issuer = Issuer()
    let (first, second) = (key("a"), key("b"))
    issuer.change { $0.keys = [first] }
    let set = issuer.set()
    _ = try await set.keys()
    issuer.change {
      $0.now += 545
      $0.keys = [second]
    }
    #expect(try await set.keys().keys.map(\.keyID) == ["a"])
    while issuer.requests < 2 { await Task.yield() }
    while try await set.keys().keys.map(\.keyID) != ["b"] { await Task.yield() }
    #expect(issuer.requests == 2)
  }

  @Test("an answer that is too long is not read, and secrets are not taken")
  func hostileAnswers() async throws {
    func set(_ body: [UInt8]) -> RemoteKeySet {
      RemoteKeySet(url: "https://idp.example.com/jwks") { _ in HTTPResponseValue(status: 200, body: body) }
    }
    let long = set([UInt8](repeating: 0x20, count: 2 << 20))
    await #expect(throws: JOSEError.self) { try await long.keys() }
    let secret = Array(#"{"keys":[\#(TestKeys.octets32),\#(TestKeys.es256)]}"#.utf8)
    let secrets = set(secret)
    await #expect { try await secrets.keys() } throws: { "\($0)".contains("no key that can be used") }
  }
}
