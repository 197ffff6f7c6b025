import JOSE
import Synchronization
import Testing

@testable import JOSE

@Suite("Verification with remote keys")
struct RemoteJWTVerifierTests {
  private final class Answers: Sendable {
    let keys = Mutex<[JWK]>([])
    let now = Mutex(1_700_000_000.0)
    let requests = Mutex(0)

    var clock: WallClock { WallClock { NumericDate(secondsSince1970: self.now.withLock { $0 }) ?? NumericDate(0) } }

    var set: RemoteKeySet {
      RemoteKeySet(url: "https://idp.example.com/jwks", clock: clock) { _ in
        self.requests.withLock { $0 += 1 }
        return HTTPResponseValue(status: 200, body: JWKSet(self.keys.withLock { $0 }).serialized())
      }
    }
  }

  private static let claims: JSONObject = ["iss": "a", "aud": "b", "exp": 1_800_000_000]

  @Test("what was prepared serves until the issuer's keys change")
  func keeps() async throws {
    let answers = Answers()
    let (first, second) = (JWK.generate(.es256, keyID: "1"), JWK.generate(.es256, keyID: "2"))
    answers.keys.withLock { $0 = [first] }
    let policy = JWTPolicy(issuer: .anyOf(["a"]), audience: .anyOf(["b"]), clock: answers.clock)
    let verifier = RemoteJWTVerifier(keys: answers.set, algorithms: [.es256], policy: policy)
    let token = try JWT.sign(Self.claims, with: SigningKey(first))
    let keys = try await verifier.verify(token).key.material
    for _ in 0..<10 { _ = try await verifier.verify(token) }
    guard case .p256(let before) = keys, case .p256(let after) = try await verifier.verify(token).key.material else {
      return #expect(Bool(false))
    }
    // The very key, which has made its table by now.
    #expect(before === after && after.isPrepared)
    #expect(answers.requests.withLock { $0 } == 1)

    // The issuer goes over to another key: one request brings it, and the old key verifies no more.
    answers.keys.withLock { $0 = [second] }
    answers.now.withLock { $0 += 31 }
    let next = try JWT.sign(Self.claims, with: SigningKey(second))
    #expect(try await verifier.verify(next).header.keyID == "2")
    #expect(answers.requests.withLock { $0 } == 2)
    await #expect(throws: JOSEError(.keyNotFound, "", name: "kid")) { try await verifier.verify(token) }
  }

  @Test("a malformed token causes no request for keys")
  func malformed() async throws {
    let answers = Answers()
    let verifier = RemoteJWTVerifier(keys: answers.set, algorithms: [.es256], issuer: "a", audience: "b")
    for token in ["", "a.b", "a.b.c", "....", "e30.e30.e30"] {
      await #expect(throws: JOSEError.self) { try await verifier.verify(token) }
    }
    #expect(answers.requests.withLock { $0 } == 0)
  }

  #if DEBUG
    @Test("each token is taken apart once, whether the keys are there or not")
    func once() async throws {
      let answers = Answers()
      let (first, second) = (JWK.generate(.es256, keyID: "1"), JWK.generate(.es256, keyID: "2"))
      answers.keys.withLock { $0 = [first] }
      let policy = JWTPolicy(issuer: .anyOf(["a"]), audience: .anyOf(["b"]), clock: answers.clock)
      let set = answers.set
      let verifier = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: policy)
      let token = try JWT.sign(Self.claims, with: SigningKey(first))
      func parts(_ body: () async throws -> Void) async rethrows -> [Int] {
        let count = ParseCount()
        try await ParseCount.$current.withValue(count) { try await body() }
        return [count[.compact], count[.json]]
      }
      // The key set is the third text.
      #expect(try await parts { _ = try await verifier.verify(token) } == [1, 3])
      let other = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: policy)
      #expect(try await parts { _ = try await other.verify(token) } == [1, 2])
      // A header that was met before isn't read again.
      #expect(try await parts { _ = try await other.verify(token) } == [1, 1])
      let proofs = DPoPAccessTokenVerifier(
        tokens: RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: policy),
        proofs: DPoPVerifier(clock: answers.clock, records: MemoryRecordStore()))
      let bound = await parts {
        await #expect(throws: JOSEError.self) {
          try await proofs.verify(
            authorization: "DPoP " + token, proofs: ["x"], method: "GET", url: "https://a.example/", as: JSONObject.self
          )
        }
      }
      #expect(bound == [1, 2])
      // Only one that no key is for is looked at twice, to see which key it names.
      answers.keys.withLock { $0 = [second] }
      answers.now.withLock { $0 += 31 }
      let next = try JWT.sign(Self.claims, with: SigningKey(second))
      #expect(try await parts { _ = try await verifier.verify(next) } == [2, 4])
    }
  #endif

  @Test("many tasks share one request and one verifier")
  func tasks() async throws {
    let answers = Answers()
    let jwk = JWK.generate(.es256, keyID: "1")
    answers.keys.withLock { $0 = [jwk] }
    let policy = JWTPolicy(issuer: .anyOf(["a"]), audience: .anyOf(["b"]), clock: answers.clock)
    let verifier = RemoteJWTVerifier(keys: answers.set, algorithms: [.es256], policy: policy)
    let token = try JWT.sign(Self.claims, with: SigningKey(jwk))
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<50 { group.addTask { try await verifier.verify(token).registeredClaims.issuer } }
      for try await issuer in group { #expect(issuer == "a") }
    }
    #expect(answers.requests.withLock { $0 } == 1)
  }
}
