import JOSE
import StrictJSON
import Synchronization
import Testing

/// An answer to the request for keys says nothing about a token that waits for them.
@Suite("Who is at fault where keys are fetched")
struct RemoteKeyFaultTests {
  static let place = "https://idp.example.com/jwks"

  /// A server with one answer for each URL, which notes what is accepted.
  private final class Server: Sendable {
    let answers = Mutex<[String: HTTPResponseValue]>([:])
    let accepted = Mutex<[String: [String]]>([:])
    let now = Mutex(1_700_000_000.0)

    var clock: WallClock { WallClock { NumericDate(saturating: self.now.withLock { $0 }) } }

    func answer(_ url: String, _ body: [UInt8], status: Int = 200) {
      answers.withLock { $0[url] = HTTPResponseValue(status: status, body: body) }
    }

    @Sendable func send(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
      accepted.withLock { $0[request.url] = request.headers.values("Accept") }
      return answers.withLock { $0[request.url] } ?? HTTPResponseValue(status: 404)
    }
  }

  private static func policy(_ server: Server) -> JWTPolicy {
    JWTPolicy(issuer: .anyOf(["a"]), audience: .anyOf(["b"]), clock: server.clock)
  }

  private static func token(_ jwk: JWK) throws -> String {
    try JWT.sign(["iss": "a", "aud": "b", "exp": 1_800_000_000] as JSONObject, with: SigningKey(jwk))
  }

  private static func failure(_ body: () async throws -> Void) async -> JOSEError? {
    await #expect(throws: JOSEError.self) { try await body() }
  }

  @Test("a key set is asked for by its own media type as well, metadata as JSON (RFC 7517 8.5.2)")
  func mediaTypes() async throws {
    let issuer = "https://idp.example.com"
    let server = Server()
    let keys = JWKSet([JWK.generate(.es256, keyID: "1")]).serialized()
    server.answer(Self.place, keys)
    let metadata: JSONObject = ["issuer": .string(issuer), "jwks_uri": .string(Self.place)]
    server.answer(issuer + "/.well-known/openid-configuration", metadata.serialized())
    _ = try await RemoteKeySet(url: Self.place, policy: .patient, transport: server.send).keys()
    #expect(server.accepted.withLock { $0 } == [Self.place: ["application/jwk-set+json, application/json"]])
    _ = try await RemoteKeySet(issuer: issuer, policy: .patient, transport: server.send).keys()
    #expect(
      server.accepted.withLock { $0 }[issuer + "/.well-known/openid-configuration"] == ["application/json"])
    #expect(server.accepted.withLock { $0 }[Self.place] == ["application/jwk-set+json, application/json"])
  }

  @Test(
    "a bad response in place of a key set is reported as unavailable and not as a bad token",
    arguments: [
      (200, "<html>maintenance</html>", ErrorCode.externalKeyFailed), (200, "{}", .externalKeyFailed),
      (200, "", .externalKeyFailed), (200, "\u{1F}\u{8B}", .externalKeyFailed),
      (200, #"{"keys":[]}"#, .externalKeyFailed),
      (200, #"{"keys":[],"x":""# + String(repeating: "x", count: 1 << 20) + #""}"#, .limitExceeded),
      (500, "", .externalKeyFailed), (404, "", .externalKeyFailed), (302, "", .externalKeyFailed),
    ])
  func answers(_ status: Int, _ body: String, _ code: ErrorCode) async throws {
    let server = Server()
    server.answer(Self.place, Array(body.utf8), status: status)
    let set = RemoteKeySet(url: Self.place, policy: .patient, clock: server.clock, transport: server.send)
    let token = try Self.token(JWK.generate(.es256, keyID: "1"))
    let verifier = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: Self.policy(server))
    let once = SingleUseJWTVerifier(verifier, records: MemoryRecordStore())
    // At first, and while the issuer must not be asked again.
    for _ in 0..<2 {
      for failure in [
        await Self.failure { _ = try await verifier.verify(token) },
        await Self.failure { _ = try await verifier.verify(parsed: UnverifiedJWS(parsing: token)) },
        await Self.failure { _ = try await once.verify(token) },
        await Self.failure { _ = try await set.keys(for: "1") },
      ] {
        #expect(failure?.code == code && failure?.fault == .unavailable)
      }
    }
  }

  @Test(
    "bad metadata are reported as unavailable and not as a bad token",
    arguments: [
      (#"{"issuer":"https://other.example","jwks_uri":"https://idp.example.com/jwks"}"#, ErrorCode.claimMismatch),
      ("<html>", .externalKeyFailed), ("{}", .claimMissing), ("\u{1F}", .externalKeyFailed),
    ])
  func metadata(_ body: String, _ code: ErrorCode) async throws {
    let server = Server()
    server.answer("https://idp.example.com/.well-known/openid-configuration", Array(body.utf8))
    let set = RemoteKeySet(issuer: "https://idp.example.com", policy: .patient, transport: server.send)
    let failure = await Self.failure { _ = try await set.keys() }
    #expect(failure?.fault == .unavailable && failure?.code == code, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test("a place that can't be asked is the caller's mistake")
  func places() async throws {
    let server = Server()
    let set = RemoteKeySet(url: "http://idp.example.com/jwks", transport: server.send)
    let failure = await Self.failure { _ = try await set.keys() }
    #expect(failure?.code == .callerMisuse && failure?.fault == .callerMisuse)
  }

  @Test("keys from the answer to an earlier request are not reported as the latest")
  func earlierRequest() async throws {
    let issuer = Issuer(JWK.generate(.es256, keyID: "1"))
    let set = try await issuer.fetchedSet()
    issuer.change {
      $0.now += 31
      $0.isGated = true
    }
    async let first = set.keys(refreshing: true)
    await issuer.held()
    async let second = set.keys(refreshing: true)
    // The second waits before the answer comes, or asks after it and is refused.
    for _ in 0..<100 { await Task.yield() }
    issuer.open()
    var isLatest = try await first.isLatest
    #expect(isLatest)
    isLatest = false
    do {
      isLatest = try await second.isLatest
    } catch {
      #expect((error as? JOSEError)?.fault == .unavailable)
    }
    #expect(!isLatest)
  }

  @Test("a key that is not there is the token's fault only if the issuer was asked for this token")
  func unknownKeys() async throws {
    let server = Server()
    server.answer(Self.place, JWKSet([JWK.generate(.es256, keyID: "1")]).serialized())
    let set = RemoteKeySet(url: Self.place, policy: .patient, clock: server.clock, transport: server.send)
    let verifier = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: Self.policy(server))
    let once = SingleUseJWTVerifier(verifier, records: MemoryRecordStore())
    let token = try Self.token(JWK.generate(.es256, keyID: "2"))
    func faults() async throws -> [ErrorCode.Fault?] {
      let failures = [
        await Self.failure { _ = try await verifier.verify(token) },
        await Self.failure { _ = try await verifier.verify(parsed: UnverifiedJWS(parsing: token)) },
        await Self.failure { _ = try await once.verify(token) },
        await Self.failure { _ = try await JWS.verify(token, with: set.keys(for: "2"), algorithms: [.es256]) },
      ]
      #expect(failures.allSatisfy { $0?.code == .keyNotFound })
      return failures.map { $0?.fault }
    }
    // The first asks, and the others come within the cooldown.
    #expect(try await faults() == [.notAuthentic, .unavailable, .unavailable, .unavailable])
    server.now.withLock { $0 += 31 }
    #expect(try await faults() == [.notAuthentic, .unavailable, .unavailable, .unavailable])
    server.now.withLock { $0 += 31 }
    server.answer(Self.place, [], status: 500)
    #expect(try await faults() == [.unavailable, .unavailable, .unavailable, .unavailable])
    // Who names no key asks for none that is new.
    server.answer(Self.place, JWKSet([JWK.generate(.es384, keyID: "1")]).serialized())
    server.now.withLock { $0 += 31 }
    _ = try await set.keys(for: "3")
    var nameless = JWK.generate(.es256)
    nameless.keyID = nil
    let unnamed = try Self.token(nameless)
    let refused = await Self.failure { _ = try await verifier.verify(unnamed) }
    #expect(refused?.code == .keyNotFound && refused?.fault == .notAuthentic)
    // A fixed set has all keys there are.
    let fixed = JWTVerifier(keys: JWKSet([]), algorithms: [.es256], policy: Self.policy(server))
    let failure = #expect(throws: JOSEError.self) { try fixed.verify(token) }
    #expect(failure?.code == .keyNotFound && failure?.fault == .notAuthentic)
  }
}
