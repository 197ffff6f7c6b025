import JOSE
import Synchronization
import Testing

@testable import JOSE

@Suite("Remote key sets")
struct RemoteKeySetTests {
  private func key(_ keyID: String) -> JWK { JWK.generate(.es256, keyID: keyID) }

  @Test("tokens verify with fetched keys, and one request serves many")
  func verification() async throws {
    let jwk = key("a")
    let issuer = Issuer(jwk)
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
    let (first, second) = (key("a"), key("b"))
    let issuer = Issuer(first)
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
      let set = RemoteKeySet(url: url, policy: .patient, plainHTTP: plainHTTP) { _ in
        HTTPResponseValue(status: 200, body: body)
      }
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
    let issuer = Issuer(key("a"))
    let set = try await issuer.fetchedSet()
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

  @Test("a request that hangs ends by its time limit, and its late answer counts for nothing")
  func timeLimit() async throws {
    let issuer = Issuer(key("late")) { $0.isGated = true }
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
    let issuer = Issuer(key("a")) { $0.isGated = true }
    let set = issuer.set()
    let impatient = Task { try await set.keys() }
    let patient = Task { try await set.keys() }
    await issuer.held()
    impatient.cancel()
    await #expect(throws: JOSEError.self) { try await impatient.value }
    issuer.open()
    #expect(try await patient.value.keys.count == 1)
    #expect(issuer.requests == 1)
  }

  @Test("a token that no key can make acceptable causes no request")
  func unacceptableTokens() async throws {
    let issuer = Issuer(key("a"))
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
    let issuer = Issuer(key("a"))
    let set = try await issuer.fetchedSet()
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

  @Test("requests for a first key set back off up to 30 seconds, and errors tell the cause")
  func backOff() async throws {
    let issuer = Issuer(key("a")) { $0.status = 503 }
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
      url: "https://idp.example.com/jwks", policy: .patient, clock: issuer.clock,
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
    let issuer = Issuer(key("a")) { $0.isGated = true }
    let set = issuer.set()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await set.keys(for: "a").keys.count } }
      await issuer.held()
      issuer.open()
      for try await count in group { #expect(count == 1) }
    }
    #expect(issuer.requests == 1)
  }

  @Test("an answer that is too long is not read, and secrets are not taken")
  func hostileAnswers() async throws {
    func set(_ body: [UInt8]) -> RemoteKeySet {
      RemoteKeySet(url: "https://idp.example.com/jwks", policy: .patient) { _ in
        HTTPResponseValue(status: 200, body: body)
      }
    }
    let long = set([UInt8](repeating: 0x20, count: 2 << 20))
    await #expect(throws: JOSEError.self) { try await long.keys() }
    let secret = Array(#"{"keys":[\#(TestKeys.octets32),\#(TestKeys.es256)]}"#.utf8)
    let secrets = set(secret)
    await #expect { try await secrets.keys() } throws: { "\($0)".contains("no key that can be used") }
  }
}
