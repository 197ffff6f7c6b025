import JOSE
import Synchronization
import Testing

/// The way of the article on status lists, from the token to its end.
@Suite("Status lists, the article")
struct RevokingTokensTests {
  @Test("a token is accepted until the list says that it is revoked")
  func revoked() async throws {
    let key = JWK.generate(.es256, keyID: "1")
    let publicKey = try #require(key.publicKey)
    let revoked = Mutex([Int]())
    let requests = Mutex([String]())
    func verifier() -> RemoteJWTVerifier {
      accessTokenVerifier { request in
        requests.withLock { $0.append(request.url) }
        switch request.url {
        case "https://login.example.com/.well-known/openid-configuration":
          let metadata = #"{"issuer":"https://login.example.com","jwks_uri":"https://login.example.com/keys"}"#
          return HTTPResponseValue(status: 200, body: Array(metadata.utf8))
        case "https://login.example.com/keys":
          return HTTPResponseValue(status: 200, body: JWKSet([publicKey]).serialized())
        default: return try publishList(revoked: revoked.withLock { $0 }, key: SigningKey(key))
        }
      }
    }
    let now = WallClock.system.now
    let (jane, joe) = (
      try issueAccessToken(for: "jane", index: 4711, key: SigningKey(key), now: now),
      try issueAccessToken(for: "joe", index: 4712, key: SigningKey(key), now: now)
    )
    let first = verifier()
    for token in [jane, joe, jane] {
      let verified: VerifiedJWT<JSONObject> = try await first.verify(token)
      #expect(verified.claims["aud"]?.stringValue == "api")
    }
    // The list lives for five minutes, which a busy machine may take to get here.
    let wasQuick = WallClock.system.now < now.advanced(by: .seconds(60))
    #expect(requests.withLock { $0.count { $0.hasSuffix("/statuslists/1") } } == 1 || !wasQuick)
    revoked.withLock { $0 = [4711] }
    let second = verifier()
    let error = await #expect(throws: JOSEError.self) { try await second.verify(jane) as VerifiedJWT<JSONObject> }
    #expect(error?.code == .statusRefused)
    _ = try await second.verify(joe) as VerifiedJWT<JSONObject>
  }
}
