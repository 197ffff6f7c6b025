import JOSE
import Testing

@Suite("JWK Set")
struct JWKSetTests {
  static let mixed = """
    {"keys":[
      {"kty":"EC","crv":"P-256","kid":"good","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
       "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
      {"kty":"AKP","kid":"pq","alg":"SLH-DSA-SHA2-128s","pub":"AA"},
      {"kty":"FOO","kid":"foo"},
      {"kty":"RSA","kid":"rsa","use":"enc","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"},
      {"kty":"EC","crv":"P-256","kid":"off","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
       "y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
      {"kty":"EC","crv":"P-256","kid":"short","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
      {"kty":"OKP","crv":"Ed448","kid":"ed","x":"AA"},
      {"kty":"oct","kid":"secret","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"},
      {"kid":5}
    ],"other":true}
    """

  @Test("unusable entries stay visible, each with its reason, and the others work")
  func unusableEntries() throws {
    let set = try JWKSet(parsing: Self.mixed)
    #expect(set.keys.map(\.keyID) == ["good"])
    #expect(set.unsupportedKeys.map(\.index) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(set.unsupportedKeys.map(\.keyID) == ["pq", "foo", "rsa", "off", "short", "ed", "secret", nil])
    #expect(set.unsupportedKeys[3].reason.code == .keyInvalid)
    #expect(set.unsupportedKeys[0].reason.code == .algorithmUnsupported)
    let token = try JWS.sign(Array("x".utf8), with: TestKeys.signing(keyID: "good"))
    #expect(try JWS.verify(token, with: set, algorithms: [.es256]).payload == Array("x".utf8))
  }

  @Test("an entry that is no object or has a duplicate member is skipped and listed")
  func brokenEntries() throws {
    let good = String(Self.mixed.split(separator: "\n")[1...2].joined()).dropLast()
    let text =
      #"{"keys":[1,{"kty":"EC","kid":"twice","kid":"twice"},null,\#(good),[],{"kty":"oct","x":{"a":1,"a":2}}]}"#
    let set = try JWKSet(parsing: text)
    #expect(set.keys.map(\.keyID) == ["good"])
    #expect(set.unsupportedKeys.map(\.index) == [0, 1, 2, 4, 5])
    #expect(set.unsupportedKeys.allSatisfy { $0.reason.code == .malformed && $0.keyID == nil })
  }

  @Test("a symmetric key in a fetched set verifies nothing; in the program's own set it does")
  func symmetricKeys() throws {
    var jwk = try JWK(parsing: TestKeys.octets32)
    jwk.keyID = "secret"
    let token = try JWS.sign([], with: SigningKey(jwk, algorithm: .hs256))
    let fetched = try JWKSet(parsing: Self.mixed)
    #expect(refusal { _ = try JWS.verify(token, with: fetched, algorithms: [.hs256]) } == "keyNotFound(kid)")
    let own = try JWKSet(parsing: Self.mixed, acceptsSecretKeys: true)
    #expect(try JWS.verify(token, with: own, algorithms: [.hs256]).key.keyID == "secret")
  }

  @Test("a private key in a fetched set is refused as such, before its parts are compared")
  func privateKeys() throws {
    // Somebody else's d: the key would be refused for that, too, once somebody has multiplied.
    let broken = """
      {"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"}]}
      """
    func reason(acceptsSecretKeys: Bool) throws -> String? {
      try JWKSet(parsing: broken, acceptsSecretKeys: acceptsSecretKeys).unsupportedKeys.first?.reason.name
    }
    #expect(try reason(acceptsSecretKeys: false) == "kty")
    #expect(try reason(acceptsSecretKeys: true) == "d")
  }

  @Test("private keys do not leave with a serialized set")
  func serializedSetIsPublic() throws {
    let set = JWKSet([try JWK(parsing: TestKeys.es256), try JWK(parsing: TestKeys.octets32)])
    let text = String(decoding: set.serialized(), as: UTF8.self)
    #expect(!text.contains("\"d\"") && !text.contains("\"k\""))
    #expect(try JWKSet(parsing: text).keys.count == 1)
  }

  @Test(
    "a broken envelope is an error",
    arguments: [
      (#"{"keys":{}}"#, "malformed(keys)"), (#"{}"#, "malformed(keys)"), ("[]", "malformed"),
      (#"{"keys":[],"keys":[]}"#, "malformed"), (#"{"keys":[{]}"#, "malformed"), ("", "malformed"),
    ])
  func envelope(_ json: String, _ expected: String) {
    #expect(refusal { _ = try JWKSet(parsing: json) } == expected)
  }

  @Test("256 keys are read, 257 are not")
  func count() throws {
    func set(_ count: Int) -> String {
      "{\"keys\":[" + Array(repeating: "{}", count: count).joined(separator: ",") + "]}"
    }
    #expect(try JWKSet(parsing: set(256)).unsupportedKeys.count == 256)
    #expect(refusal { _ = try JWKSet(parsing: set(257)) } == "limitExceeded(keySetKeyCount)")
  }

  @Test("an unknown kid never falls back, not even to the only key")
  func unknownKeyID() throws {
    let set = try JWKSet(parsing: Self.mixed)
    for keyID in ["unknown", "", "../../dev/null", "' OR 1=1", "GOOD", "pq", "off"] {
      let token = try JWS.sign([], with: TestKeys.signing(keyID: keyID))
      #expect(refusal { _ = try JWS.verify(token, with: set, algorithms: [.es256]) } == "keyNotFound(kid)")
    }
    let unnamed = try JWS.sign([], with: TestKeys.signing())
    #expect(try JWS.verify(unnamed, with: set, algorithms: [.es256]).payload.isEmpty)
  }

  @Test("a kid of one algorithm does not serve another")
  func keyBoundToAlgorithm() throws {
    var ec = try JWK(parsing: TestKeys.es256)
    ec.keyID = "a"
    ec.algorithm = "ES256"
    var oct = try JWK(parsing: TestKeys.octets32)
    oct.keyID = "b"
    oct.algorithm = "HS256"
    let set = JWKSet([ec, oct])
    var confused = oct
    confused.keyID = "a"
    let token = try JWS.sign([], with: SigningKey(confused))
    #expect(refusal { _ = try JWS.verify(token, with: set, algorithms: [.es256, .hs256]) } == "keyMismatch(alg)")
    #expect(refusal { _ = try JWS.verify(token, with: set, algorithms: [.es256]) } == "algorithmNotAllowed(alg)")
    #expect(refusal { _ = try JWS.verify(token, with: set, algorithms: []) } == "callerMisuse(algorithms)")
  }

  @Test("several keys with one kid are all tried, up to the limit")
  func duplicateKeyIDs() throws {
    let signer = try TestKeys.signing(keyID: "same")
    let token = try JWS.sign([], with: signer)
    let real = try #require(signer.verificationKey.publicJWK)
    let others = (0..<4).map { _ in JWK.generate(.es256, keyID: "same") }
    #expect(try JWS.verify(token, with: JWKSet(Array(others[..<3]) + [real]), algorithms: [.es256]).payload.isEmpty)
    #expect(
      refusal { _ = try JWS.verify(token, with: JWKSet(others + [real]), algorithms: [.es256]) }
        == "keyNotFound(candidateKeyCount)")
  }

  @Test("symmetric keys that share a kid are never chosen, even if only one of them is sound")
  func ambiguousSecrets() throws {
    let first = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    let signer = try SigningKey(secret: Base64URL.decode(first), algorithm: .hs256, keyID: "same")
    let token = try JWS.sign([], with: signer)
    func set(_ others: String) throws -> JWKSet {
      try JWKSet(
        parsing: "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"same\",\"k\":\"\(first)\"}\(others)]}", acceptsSecretKeys: true)
    }
    #expect(try JWS.verify(token, with: set(""), algorithms: [.hs256]).payload.isEmpty)
    let elsewhere = ",{\"kty\":\"oct\",\"kid\":\"Same\",\"k\":\"AA\"},{\"kty\":\"RSA\",\"kid\":\"same\"}"
    #expect(try JWS.verify(token, with: set(elsewhere), algorithms: [.hs256]).payload.isEmpty)
    for k in ["\"\(first)\"", "\"AAAA\"", "\"not base64url\"", "5"] {
      let ambiguous = try set(",{\"kty\":\"oct\",\"kid\":\"same\",\"k\":\(k)}")
      #expect(ambiguous.keys.isEmpty && ambiguous.unsupportedKeys.map(\.keyID) == ["same", "same"])
      #expect(refusal { _ = try JWS.verify(token, with: ambiguous, algorithms: [.hs256]) } == "keyNotFound(kid)")
    }
  }

  @Test("RSA keys are read as long as their moduli cost little together: all of 4096 bits, and 89 of 8192")
  func moduli() throws {
    for (byteCount, expected) in [(256, 256), (512, 256), (1024, 89)] {
      let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: byteCount))
      let key = #"{"kty":"RSA","e":"AQAB","n":"\#(modulus)"}"#
      let set = try JWKSet(parsing: #"{"keys":[\#(Array(repeating: key, count: 256).joined(separator: ","))]}"#)
      #expect(set.keys.count == expected)
      #expect(set.unsupportedKeys.allSatisfy { $0.reason.code == .limitExceeded && $0.reason.name == "n" })
    }
  }
}
