import JOSE
import StrictJSON
import Testing

/// The way of the article on selective disclosure, from the issuer to the verifier.
@Suite("Selective disclosure, the article")
struct SelectiveDisclosureTests {
  @Test("a card is issued, shown in part, and verified")
  func card() async throws {
    let (issuer, holder) = (JWK.generate(.es256, keyID: "hr"), JWK.generate(.es256))
    let employee: JSONObject = [
      "sub": "e17", "given_name": "Ada", "birthdate": "1815-12-10",
      "address": ["street": "St James's", "city": "London"],
    ]
    let card = try issueCard(
      for: employee, holder: #require(holder.publicKey), key: SigningKey(issuer), now: WallClock.system.now)
    let shown = try show(card, to: "https://shop.example.com", nonce: "n1", key: SigningKey(holder))
    let keys = try JWKSet([#require(issuer.publicKey)])
    let claims = try verify(shown, keys: keys, nonce: "n1")
    #expect(claims["given_name"]?.stringValue == "Ada" && claims["birthdate"] == nil)
    #expect(claims["address"] == ["city": "London"] && claims["sub"]?.stringValue == "e17")
    for (presentation, nonce) in [(shown, "n2"), (card, "n1")] {
      let error = #expect(throws: JOSEError.self) { try verify(presentation, keys: keys, nonce: nonce) }
      #expect(error?.code == .claimMismatch)
    }
    let query = #"""
      {"credentials": [{"id": "card", "format": "dc+sd-jwt",
                        "meta": {"vct_values": ["https://hr.example.com/employee"]},
                        "claims": [{"path": ["given_name"]}, {"path": ["address", "city"], "values": ["London"]}]}]}
      """#
    let verifier = cardVerifier(nonce: "n1") { request in
      #expect(request.url == "https://hr.example.com/.well-known/jwt-vc-issuer")
      let set = try JSONObject(parsing: keys.serialized())
      let metadata: JSONObject = ["issuer": "https://hr.example.com", "jwks": .object(set)]
      return HTTPResponseValue(status: 200, body: metadata.serialized())
    }
    #expect(try await firstNames(in: ["card": [.string(shown)]], to: query, verifier: verifier) == ["Ada"])
    let nameless = try SDJWT(parsing: card).presenting([]).bound(
      to: "https://shop.example.com", nonce: "n1", with: SigningKey(holder)
    ).compact
    let error = await #expect(throws: JOSEError.self) {
      try await firstNames(in: ["card": [.string(nameless)]], to: query, verifier: verifier)
    }
    #expect(error?.code == .claimMissing && error?.name == "given_name")
  }
}
