import JOSE
import StrictJSON
import Testing

@Suite("Access tokens with DPoP")
struct DPoPAccessTokenTests {
  private struct Claims: Codable, Sendable {
    var sub: String
  }

  static let url = "https://api.example.com/me"

  private let client: SigningKey
  private let issuer: SigningKey
  private let verifier: DPoPAccessTokenVerifier

  private static let policy = JWTPolicy(
    issuer: .notChecked, audience: .anyOf(["api"]), clock: .fixed(at: DPoPTests.now))

  init() throws {
    client = try .generate(.es256)
    issuer = try .generate(.es256)
    let clock = WallClock.fixed(at: DPoPTests.now)
    verifier = DPoPAccessTokenVerifier(
      tokens: JWTVerifier(
        key: issuer.verificationKey,
        policy: Self.policy),
      proofs: DPoPVerifier(clock: clock, records: MemoryRecordStore()))
  }

  private func token(_ confirmation: JSONValue?, audience: String = "api") throws -> String {
    var claims: JSONObject = ["sub": "jane", "aud": .string(audience), "exp": 1_700_000_100]
    if let confirmation { claims["cnf"] = confirmation }
    return try JWT.sign(claims, with: issuer)
  }

  private func bound() throws -> JSONValue {
    ["jkt": .string(try #require(client.verificationKey.publicJWK).thumbprint())]
  }

  private func proof(_ token: String, by key: SigningKey? = nil, nonce: String? = nil) throws -> String {
    try DPoP.proof(
      method: "GET", url: Self.url, key: key ?? client, accessToken: token, nonce: nonce,
      clock: .fixed(at: DPoPTests.now))
  }

  private func verdict(_ authorization: String, _ proofs: [String], nonce: String? = nil) async -> String {
    do throws(JOSEError) {
      let access = try await verifier.verify(
        authorization: authorization, proofs: proofs, method: "GET", url: Self.url, nonce: nonce, as: Claims.self)
      return access.token.claims.sub
    } catch {
      return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
    }
  }

  @Test("a bound token and its proof are accepted, once")
  func accepted() async throws {
    let token = try token(bound())
    let proof = try proof(token)
    #expect(await verdict("DPoP \(token)", [proof]) == "jane")
    #expect(await verdict("DPoP \(token)", [proof]) == "claimMismatch(jti)")
    #expect(await verdict("dpop \(token)", [try self.proof(token, nonce: "n")], nonce: "n") == "jane")
  }

  @Test("the keys may be a remote issuer's")
  func remoteKeys() async throws {
    var published = try #require(issuer.verificationKey.publicJWK)
    published.keyID = "k"
    let keys = JWKSet([published]).serialized()
    let clock = WallClock.fixed(at: DPoPTests.now)
    let remote = RemoteJWTVerifier(
      keys: RemoteKeySet(url: "https://idp.example.com/jwks", clock: clock) { _ in
        HTTPResponseValue(status: 200, body: keys)
      }, algorithms: [.es256],
      policy: Self.policy)
    let remoteVerifier = DPoPAccessTokenVerifier(tokens: remote, proofs: verifier.proofs)
    let token = try token(bound())
    let access = try await remoteVerifier.verify(
      authorization: "DPoP \(token)", proofs: [proof(token)], method: "GET", url: Self.url, as: Claims.self)
    #expect(access.token.claims.sub == "jane")
    // By itself the token would need the proof.
    let bearer = await #expect(throws: JOSEError.self) { try await remote.verify(token) }
    #expect(bearer?.name == "cnf")
    let error = await #expect(throws: JOSEError.self) {
      try await remoteVerifier.verify(
        authorization: "DPoP x", proofs: [self.proof("x")], method: "GET", url: Self.url, as: Claims.self)
    }
    #expect(error?.code == .malformed)
  }

  @Test("access token, proof and key must all be there and belong together")
  func refused() async throws {
    let token = try token(bound())
    let proof = try proof(token)
    #expect(await verdict("Bearer \(token)", [proof]) == "malformed(authorization)")
    #expect(await verdict("Bearer \(token)", []) == "malformed(authorization)")
    for field in ["DPoP \(token) ", "DPoP\t\(token)", "DPoP \(token) x", " DPoP \(token)", "DPoP  ", "DPoP x y"] {
      #expect(await verdict(field, [proof]) == "malformed(authorization)")
    }
    // One space or several (RFC 9110 §11.4).
    #expect(await verdict("dpop   \(token)", []) == "malformed(DPoP)")
    #expect(await verdict("DPoP", [proof]) == "malformed(authorization)")
    #expect(await verdict("DPoP \(token)", []) == "malformed(DPoP)")
    #expect(await verdict("DPoP \(token)", [proof, proof]) == "malformed(DPoP)")
    #expect(await verdict("DPoP \(token)", [proof], nonce: "n") == "claimMissing(nonce)")
    #expect(await verdict("DPoP \(token)", [try self.proof(token, by: .generate(.es256))]) == "keyMismatch(jkt)")
    #expect(await verdict("DPoP \(token)", [try self.proof("another")]) == "claimMismatch(ath)")
    let foreign = try self.token(bound(), audience: "x")
    #expect(await verdict("DPoP \(foreign)", [try self.proof(foreign)]) == "claimMismatch(aud)")
    for confirmation in [nil, [:], ["jwk": [:]]] as [JSONValue?] {
      let unbound = try self.token(confirmation)
      #expect(await verdict("DPoP \(unbound)", [try self.proof(unbound)]) == "claimMissing(cnf)")
    }
    // None of these has used up the proof.
    #expect(await verdict("DPoP \(token)", [proof]) == "jane")
  }
}
