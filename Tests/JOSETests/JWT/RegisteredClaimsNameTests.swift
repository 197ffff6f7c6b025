import JOSE
import Testing

@Suite("Names among registered claims")
struct RegisteredClaimsNameTests {
  @Test("Claims are equal where the bytes of their names are", arguments: ["iss", "sub", "aud", "jti"])
  func equality(name: String) throws {
    let composed = try RegisteredClaims([name: "\u{E9}"])
    let decomposed = try RegisteredClaims([name: "e\u{301}"])
    #expect(composed == (try RegisteredClaims([name: "\u{E9}"])))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test("A claim that is set is the one that is read")
  func setting() throws {
    var claims = try RegisteredClaims(["iss": "a", "sub": "b", "jti": "c"])
    #expect(claims.issuer == "a" && claims.subject == "b" && claims.tokenID == "c")
    (claims.issuer, claims.subject, claims.tokenID) = ("e\u{301}", nil, "d")
    #expect(claims.issuer?.utf8.elementsEqual("e\u{301}".utf8) == true)
    #expect(claims.subject == nil && claims.tokenID == "d")
  }

  @Test("A header's algorithm, key and extensions are compared as bytes")
  func header() throws {
    let token = try UnverifiedJWS(parsing: Self.token(#"{"alg":"HS256","kid":"\#u{E9}"}"#))
    #expect(token.unverifiedHeader.keyName == "\u{E9}" as WireName)
    #expect(token.unverifiedHeader.keyName != "e\u{301}" as WireName)
    #expect(token.unverifiedHeader.algorithmName == SignatureAlgorithm.hs256.name)
    #expect(token.unverifiedHeader.keyID == "\u{E9}")
  }

  private static func token(_ header: String) -> String {
    "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array("{}".utf8))).AAAA"
  }
}
