import StrictJSON
import Testing

@testable import JOSE

@Suite("Tokens that may be used once")
struct SingleUseJWTTests {
  private static let fixture = ProfileFixture.clientAssertion

  private static func verifier(
    of policy: JWTPolicy = fixture.policy, _ store: some RecordStore
  ) throws -> SingleUseJWTVerifier {
    SingleUseJWTVerifier(JWTVerifier(key: try TestKeys.signing().verificationKey, policy: policy), records: store)
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
    let store = MemoryRecordStore()
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
    let verifier = try Self.verifier(MemoryRecordStore())
    let token = try Self.fixture.token { $0["jti"] = "a" }
    #expect(try await verifier.verify(token, as: Claims.self).claims.jti == "a")
    #expect(await Self.verdict(token, verifier) == "claimMismatch(jti)")
  }

  @Test("a refused token is not noted, so its jti stays usable")
  func wrongTokens() async throws {
    let store = MemoryRecordStore()
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
      issuer: .notChecked, audience: .notChecked, requiredClaims: [], leeway: .seconds(60), clock: ProfileFixture.clock)
    let store = MemoryRecordStore()
    func verdict(age: Duration? = nil, _ claims: JSONObject) async throws -> String {
      var policy = policy
      policy.maximumAge = age
      return await Self.verdict(try JWT.sign(claims, with: TestKeys.signing()), try Self.verifier(of: policy, store))
    }
    let now = JSONValue.number(JSONNumber(ProfileFixture.now))
    #expect(try await verdict(["jti": "1", "exp": 2_000_000_000]) == "claimMissing(iss)")
    #expect(try await verdict(["iss": "", "jti": "1", "exp": 2_000_000_000]) == "claimMissing(iss)")
    #expect(try await verdict(["iss": "a", "exp": 2_000_000_000]) == "claimMissing(jti)")
    #expect(try await verdict(["iss": "a", "jti": "", "exp": 2_000_000_000]) == "claimMissing(jti)")
    #expect(try await verdict(["iss": "a", "jti": "1", "iat": now]) == "callerMisuse(exp)")
    #expect(try await verdict(age: .seconds(300), ["iss": "a", "jti": "1", "iat": now]) == "accepted")
    #expect(try await verdict(age: .seconds(300), ["iss": "a", "jti": "1", "iat": now]) == "claimMismatch(jti)")
    let long = JSONValue.string(String(repeating: "j", count: Limits.default.keyIDByteCount + 1))
    #expect(try await verdict(["iss": "a", "jti": long, "exp": 2_000_000_000]) == "limitExceeded(jti)")
  }

  @Test("a token is remembered for as long as it could be accepted, leeway included")
  func lifetime() async throws {
    let store = MemoryRecordStore()
    let now = ProfileFixture.now
    var policy = Self.fixture.policy
    for (tokenID, age, last) in [("a", nil, 260), ("b", .seconds(100), 160)] as [(String, Duration?, Int)] {
      let token = try Self.fixture.token {
        ($0["jti"], $0["exp"]) = (.string(tokenID), .number(JSONNumber(now + 200)))
      }
      policy.maximumAge = age
      #expect(await Self.verdict(token, try Self.verifier(of: policy, store)) == "accepted")
      let name = UsedOnce.Name([ProfileFixture.client, tokenID], expiry: NumericDate(now))
      let record = await store.record(StoredRecord.Kind(library: "used-token"), key: name.digest)
      #expect(record?.expiresAt == NumericDate(now + last) && record?.indexes == [])
    }
  }

  @Test("a replay, a quota, a full store and one that doesn't answer are told apart")
  func errors() async throws {
    let token = try Self.fixture.token()
    let sound = MemoryRecordStore()
    for expected in ["accepted", "claimMismatch(jti)"] {
      #expect(await Self.verdict(token, try Self.verifier(sound)) == expected)
    }
    for store in [MemoryRecordStore(byteLimit: 0), SilentStore()] as [any RecordStore] {
      let verifier = SingleUseJWTVerifier(
        JWTVerifier(key: try TestKeys.signing().verificationKey, policy: Self.fixture.policy), records: store)
      #expect(await Self.verdict(token, verifier) == "replayStoreFull(jti)")
    }
  }

  @Test("an issuer that the policy names has no quota, and others have")
  func configuredIssuer() async throws {
    // 256 octets and a key of 32 for each.
    let store = MemoryRecordStore(byteLimit: 100 * 288)
    var configured = try Self.verifier(store)
    configured.used.quota = 2
    func verdict(_ verifier: SingleUseJWTVerifier, _ name: String) async throws -> String {
      await Self.verdict(try Self.fixture.token { $0["jti"] = .string(name) }, verifier)
    }
    for number in 0..<100 { #expect(try await verdict(configured, "\(number)") == "accepted") }
    #expect(try await verdict(configured, "0") == "claimMismatch(jti)")
    #expect(try await verdict(configured, "100") == "replayStoreFull(jti)")
    #expect(!configured.limitsIssuers)
    configured.limitsIssuers = true
    // Those that were noted without a quota don't count.
    #expect(await store.removeExpired(before: .init(.max), limit: 4) == 4)
    for number in 0..<2 {
      #expect(try await verdict(configured, "limited-\(number)") == "accepted")
    }
    #expect(try await verdict(configured, "101") == "replayQuotaReached(iss)")
    var policy = Self.fixture.policy
    policy.issuer = .notChecked
    #expect(try Self.verifier(of: policy, store).limitsIssuers)
    // Both errors are about the server, not about the token.
    #expect(
      ErrorCode.replayStoreFull.fault == .unavailable
        && ErrorCode.replayQuotaReached.fault == .unavailable)
  }
}
