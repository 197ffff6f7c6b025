import JOSE
import StrictJSON
import Testing

@Suite("Tokens that may be used once")
struct SingleUseJWTTests {
  private static let fixture = ProfileFixture.clientAssertion

  private static func verifier(
    of policy: JWTPolicy = fixture.policy, _ store: some JWTReplayStore
  ) throws -> SingleUseJWTVerifier {
    SingleUseJWTVerifier(JWTVerifier(key: try TestKeys.signing().verificationKey, policy: policy), replayStore: store)
  }

  private static func verdict(_ token: String, _ verifier: SingleUseJWTVerifier) async -> String {
    do throws(JOSEError) {
      _ = try await verifier.verify(token)
      return "accepted"
    } catch {
      return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
    }
  }

  @Test("an assertion is accepted once, by whichever verifier shares the store")
  func once() async throws {
    let store = JWTMemoryReplayStore()
    let token = try Self.fixture.token()
    #expect(await Self.verdict(token, try Self.verifier(store)) == "accepted")
    #expect(await Self.verdict(token, try Self.verifier(store)) == "claimMismatch(jti)")
    #expect(await Self.verdict(try Self.fixture.token { $0["jti"] = "other" }, try Self.verifier(store)) == "accepted")
    // The same jti counts as the same token, whatever else it says.
    let named = { (subject: String) in try Self.fixture.token { ($0["jti"], $0["x"]) = ("n", .string(subject)) } }
    #expect(await Self.verdict(try named("a"), try Self.verifier(store)) == "accepted")
    #expect(await Self.verdict(try named("b"), try Self.verifier(store)) == "claimMismatch(jti)")
  }

  @Test("claims decode as in the verifier inside, and a token is noted then too")
  func decoded() async throws {
    struct Claims: Decodable, Sendable { let jti: String }
    let verifier = try Self.verifier(JWTMemoryReplayStore())
    let token = try Self.fixture.token { $0["jti"] = "a" }
    #expect(try await verifier.verify(token, as: Claims.self).claims.jti == "a")
    #expect(await Self.verdict(token, verifier) == "claimMismatch(jti)")
  }

  @Test("what is wrong is not noted, so nobody uses up the name of another's token")
  func wrongTokens() async throws {
    let store = JWTMemoryReplayStore()
    let verifier = try Self.verifier(store)
    let forged = try Self.fixture.token { ($0["jti"], $0["aud"]) = ("a", "https://other.example.com") }
    #expect(await Self.verdict(forged, verifier) == "claimMismatch(aud)")
    let token = try Self.fixture.token { $0["jti"] = "a" }
    #expect(await Self.verdict(String(token.dropLast(2)) + "AA", verifier) == "signatureInvalid")
    #expect(await Self.verdict(token, verifier) == "accepted")
  }

  @Test("iss, jti and an end are required of every kind")
  func requirements() async throws {
    let policy = JWTPolicy(
      issuer: .notChecked, audience: .notChecked, requiredClaims: [], leeway: 60, clock: ProfileFixture.clock)
    let store = JWTMemoryReplayStore()
    func verdict(age: Double? = nil, _ claims: JSONObject) async throws -> String {
      var policy = policy
      policy.maximumAge = age
      return await Self.verdict(try JWT.sign(claims, with: TestKeys.signing()), try Self.verifier(of: policy, store))
    }
    let now = JSONValue.number(JSONNumber(ProfileFixture.now))
    #expect(try await verdict(["jti": "1", "exp": 4_000_000_000]) == "claimMissing(iss)")
    #expect(try await verdict(["iss": "", "jti": "1", "exp": 4_000_000_000]) == "claimMissing(iss)")
    #expect(try await verdict(["iss": "a", "exp": 4_000_000_000]) == "claimMissing(jti)")
    #expect(try await verdict(["iss": "a", "jti": "", "exp": 4_000_000_000]) == "claimMissing(jti)")
    #expect(try await verdict(["iss": "a", "jti": "1", "iat": now]) == "callerMisuse(exp)")
    #expect(try await verdict(age: 300, ["iss": "a", "jti": "1", "iat": now]) == "accepted")
    #expect(try await verdict(age: 300, ["iss": "a", "jti": "1", "iat": now]) == "claimMismatch(jti)")
    let long = JSONValue.string(String(repeating: "j", count: Limits.default.keyIDByteCount + 1))
    #expect(try await verdict(["iss": "a", "jti": long, "exp": 4_000_000_000]) == "limitExceeded(jti)")
  }

  @Test("a token is remembered for as long as it could be accepted, leeway included")
  func lifetime() async throws {
    actor Store: JWTReplayStore {
      var entries: [JWTReplayEntry] = []
      func record(_ entry: JWTReplayEntry, now: NumericDate) -> ReplayVerdict {
        entries.append(entry)
        return .new
      }
    }
    let store = Store()
    let now = ProfileFixture.now
    var policy = Self.fixture.policy
    let token = try Self.fixture.token { ($0["jti"], $0["exp"]) = ("a", .number(JSONNumber(now + 200))) }
    #expect(await Self.verdict(token, try Self.verifier(of: policy, store)) == "accepted")
    policy.maximumAge = 100
    #expect(await Self.verdict(token, try Self.verifier(of: policy, store)) == "accepted")
    #expect(
      await store.entries == [
        JWTReplayEntry(
          issuer: ProfileFixture.client, tokenID: "a", expiry: NumericDate(now + 260), limitsIssuer: false),
        JWTReplayEntry(
          issuer: ProfileFixture.client, tokenID: "a", expiry: NumericDate(now + 160), limitsIssuer: false),
      ])
  }

  @Test("a replay, a quota, a full store and one that doesn't answer are told apart")
  func errors() async throws {
    struct Silent: Error {}
    struct Store: JWTReplayStore {
      var verdict: ReplayVerdict?
      func record(_ entry: JWTReplayEntry, now: NumericDate) async throws -> ReplayVerdict {
        guard let verdict else { throw Silent() }
        return verdict
      }
    }
    let token = try Self.fixture.token()
    for (verdict, expected) in [
      (.new, "accepted"), (.seen, "claimMismatch(jti)"), (.quotaReached, "replayQuotaReached(iss)"),
      (.storeFull, "replayStoreFull(jti)"), (nil, "replayStoreFull(jti)"),
    ] as [(ReplayVerdict?, String)] {
      #expect(await Self.verdict(token, try Self.verifier(Store(verdict: verdict))) == expected)
    }
  }

  @Test("an issuer that the policy names has no quota, and others have")
  func configuredIssuer() async throws {
    let store = JWTMemoryReplayStore(capacity: 100, quota: 2)
    var configured = try Self.verifier(store)
    func verdict(_ verifier: SingleUseJWTVerifier, _ name: String) async throws -> String {
      await Self.verdict(try Self.fixture.token { $0["jti"] = .string(name) }, verifier)
    }
    for number in 0..<100 { #expect(try await verdict(configured, "\(number)") == "accepted") }
    #expect(try await verdict(configured, "0") == "claimMismatch(jti)")
    #expect(try await verdict(configured, "100") == "replayStoreFull(jti)")
    #expect(!configured.limitsIssuers)
    configured.limitsIssuers = true
    #expect(try await verdict(configured, "101") == "replayQuotaReached(iss)")
    var policy = Self.fixture.policy
    policy.issuer = .notChecked
    #expect(try Self.verifier(of: policy, store).limitsIssuers)
    // Both errors are about the server, not about the token.
    #expect(
      JOSEErrorCode.replayStoreFull.fault == .keyUnavailable
        && JOSEErrorCode.replayQuotaReached.fault == .keyUnavailable)
  }

  @Test("an issuer has its quota, and issuers are told apart to the octet")
  func quota() async {
    let store = JWTMemoryReplayStore(capacity: 100, quota: 2)
    let now = NumericDate(ProfileFixture.now)
    func record(_ issuer: String, _ tokenID: String) async -> ReplayVerdict {
      await store.record(JWTReplayEntry(issuer: issuer, tokenID: tokenID, expiry: now.advanced(by: 60)), now: now)
    }
    #expect(await record("a", "1") == .new)
    #expect(await record("a", "2") == .new)
    #expect(await record("a", "3") == .quotaReached)
    #expect(await record("a", "1") == .seen)
    // Names that run into each other, and one that Swift's == calls equal.
    #expect(await record("b.c", "d") == .new)
    #expect(await record("b", "c.d") == .new)
    #expect(await record("\u{e9}", "1") == .new)
    #expect(await record("e\u{301}", "1") == .new)
  }
}
