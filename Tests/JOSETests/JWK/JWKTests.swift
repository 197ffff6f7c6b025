import Foundation
import JOSE
import StrictJSON
import Testing

@Suite("JSON Web Key")
struct JWKTests {
  @Test("a private key round-trips, with its metadata and unknown members")
  func roundTrip() throws {
    let text =
      TestKeys.es256.dropLast()
      + #","kid":"k1","use":"sig","key_ops":["sign","verify"],"alg":"ES256","x5c":["AAAA"],"foo":{"a":[1]},"ext":true}"#
    let key = try JWK(parsing: String(text))
    #expect(
      key.keyID == "k1" && key.use == "sig" && key.algorithm == "ES256" && key.keyOperations == ["sign", "verify"])
    #expect(key.isPrivate)
    let again = try JWK(parsing: key.serializedWithPrivateKey())
    #expect(again.serializedWithPrivateKey() == key.serializedWithPrivateKey())
    #expect(again.otherMembers["foo"] != nil && again.otherMembers["ext"] != nil && again.otherMembers["x5c"] != nil)
  }

  @Test("public export holds no private member, and key_ops of a public key only")
  func publicExport() throws {
    var key = try JWK(parsing: TestKeys.es256)
    key.keyOperations = ["sign", "verify"]
    key.otherMembers["d"] = "smuggled"
    let object = try JSONObject(parsing: key.serialized())
    for name in ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"] { #expect(object[name] == nil) }
    #expect(try #require(key.publicKey).keyOperations == ["verify"])
    #expect(try #require(key.publicKey).isPrivate == false)
    let symmetric = try JWK(parsing: TestKeys.octets32)
    #expect(symmetric.publicKey == nil)
    #expect(code { _ = try symmetric.serialized() } == .keyMismatch)
  }

  @Test(
    "wrong members are refused",
    arguments: [
      (#"{"kty":"EC","crv":"P-256","x":5,"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#, "keyInvalid(x)"),
      (#"{"kty":"EC","crv":"P-256","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#, "keyInvalid(x)"),
      (#"{"kty":"EC","crv":"P-192","x":"AA","y":"AA"}"#, "algorithmUnsupported(crv)"),
      (#"{"kty":"EC","x":"AA","y":"AA"}"#, "keyInvalid(crv)"),
      (#"{"kty":"AKP","alg":"ML-DSA-44","pub":"AA"}"#, "keyInvalid(pub)"),
      (#"{"kty":"AKP","pub":"AA"}"#, "keyInvalid(alg)"),
      (#"{"kty":"AKP","alg":"HPKE-8","pub":"AA"}"#, "keyInvalid(pub)"),
      (#"{"kty":"AKP","alg":"HPKE-11","pub":"AA"}"#, "algorithmUnsupported(alg)"),
      (#"{"kty":"AKP","alg":"HPKE-0","pub":"AA"}"#, "algorithmUnsupported(alg)"),
      (#"{"kty":"akp","alg":"ML-DSA-44","pub":"AA"}"#, "algorithmUnsupported(kty)"),
      ("{\"kty\":\"O\u{212A}P\",\"crv\":\"Ed25519\",\"x\":\"AA\"}", "algorithmUnsupported(kty)"),
      (#"{"kty":5}"#, "keyInvalid(kty)"), ("{}", "keyInvalid(kty)"), ("[]", "malformed"), ("", "malformed"),
      (#"{"kty":"oct","k":""}"#, "keyInvalid(k)"), (#"{"kty":"oct","k":"A"}"#, "keyInvalid(k)"),
      (#"{"kty":"oct"}"#, "keyInvalid(k)"),
      (#"{"kty":"oct","k":"AAAA","key_ops":"sign"}"#, "keyInvalid(key_ops)"),
      (#"{"kty":"oct","k":"AAAA","key_ops":["sign","sign"]}"#, "keyInvalid(key_ops)"),
      (#"{"kty":"oct","k":"AAAA","key_ops":[1]}"#, "keyInvalid(key_ops)"),
      (#"{"kty":"oct","k":"AAAA","use":"sig","key_ops":["encrypt"]}"#, "keyInvalid(key_ops)"),
      (#"{"kty":"oct","k":"AAAA","kid":7}"#, "keyInvalid(kid)"),
      (#"{"kty":"oct","k":"AAAA","alg":null}"#, "keyInvalid(alg)"),
      (#"{"kty":"oct","k":"AAAA","k":"AAAA"}"#, "malformed"),
    ])
  func refusals(_ json: String, _ expected: String) {
    #expect(refusal { _ = try JWK(parsing: json) } == expected)
  }

  @Test("coordinates have 32 octets exactly, lie on the curve, and fit the private scalar")
  func coordinates() throws {
    let object = try JSONObject(parsing: TestKeys.es256.utf8)
    let other = try JSONObject(parsing: TestKeys.ecdhES.utf8)
    func replacing(_ name: String, _ value: JSONValue?) -> JSONObject {
      var copy = object
      copy[name] = value
      return copy
    }
    guard case .string(let x)? = object["x"] else { return #expect(Bool(false)) }
    let octets = try Base64URL.decode(x)
    #expect(refusal { _ = try JWK(replacing("x", .string(Base64URL.encode([0] + octets)))) } == "keyInvalid(x)")
    #expect(refusal { _ = try JWK(replacing("x", .string(Base64URL.encode(octets.dropFirst())))) } == "keyInvalid(x)")
    #expect(refusal { _ = try JWK(replacing("x", other["x"])) } == "keyInvalid(x)")
    #expect(refusal { _ = try JWK(replacing("d", other["d"])) } == "keyInvalid(d)")
    for scalar in [
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [UInt8](repeating: 1, count: 31),
      [UInt8](repeating: 1, count: 33),
    ] {
      #expect(refusal { _ = try JWK(replacing("d", .string(Base64URL.encode(scalar)))) } == "keyInvalid(d)")
    }
  }

  @Test("leading zero octets of x, y and d survive every format")
  func leadingZeros() throws {
    var found: Set<String> = []
    for _ in 0..<6000 where found.count < 2 {
      let key = JWK.generate(.es256)
      let point = try #require(key.x963Representation)
      if point[1] == 0 { found.insert("x") }
      if point[33] == 0 { found.insert("y") }
      guard point[1] == 0 || point[33] == 0 else { continue }
      let object = try key.publicJSONObject()
      for name in ["x", "y"] {
        guard case .string(let text)? = object[name] else { return #expect(Bool(false)) }
        #expect(try Base64URL.decode(text).count == 32)
      }
      let pem = try #require(key.privatePEMRepresentation)
      #expect(try JWK(pemRepresentation: pem).thumbprint() == key.thumbprint())
      let publicPEM = try #require(key.publicPEMRepresentation)
      #expect(try JWK(pemRepresentation: publicPEM).thumbprint() == key.thumbprint())
      #expect(try JWK(parsing: key.serializedWithPrivateKey()).thumbprint() == key.thumbprint())
    }
    #expect(found == ["x", "y"])
  }

  @Test("thumbprints do not depend on other members, their order, the private part or the format")
  func thumbprint() throws {
    let key = try JWK(parsing: TestKeys.es256)
    let reordered =
      #"{"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","kid":"z","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","crv":"P-256","kty":"EC"}"#
    #expect(try JWK(parsing: reordered).thumbprint() == key.thumbprint())
    #expect(try #require(key.publicKey).thumbprint() == key.thumbprint())
    #expect(try JWK(pemRepresentation: #require(key.publicPEMRepresentation)).thumbprint() == key.thumbprint())
    let symmetric = try JWK(parsing: TestKeys.octets32)
    #expect(code { _ = try symmetric.thumbprint() } == .keyMismatch)
    #expect(symmetric.secretKeyThumbprint().utf8.count == 43)
  }

  @Test("a kid is compared as bytes and not by Unicode equivalence")
  func keyIDBytes() throws {
    let composed = try TestKeys.signing(keyID: "caf\u{E9}")
    var stranger = JWK.generate(.es256, keyID: "cafe\u{301}")
    stranger.algorithm = "ES256"
    let token = try JWS.sign([], with: composed)
    #expect(refusal { _ = try JWS.verify(token, with: JWKSet([stranger]), algorithms: [.es256]) } == "keyNotFound(kid)")
  }

  @Test("nothing that prints or dumps a key shows it")
  func redaction() throws {
    let key = try JWK(parsing: TestKeys.octets32)
    let signing = try TestKeys.hmac()
    let decryption = try TestKeys.decryption()
    var shown = "\(key) \(String(reflecting: key)) \(signing) \(String(reflecting: signing)) \(decryption) "
    shown += "\(signing.verificationKey) \(decryption.encryptionKey) \([key]) \(Optional(key) as Any)"
    dump(key, to: &shown)
    dump([signing], to: &shown)
    dump(decryption, to: &shown)
    for secret in ["AAECAwQF", "000102030405", "0, 1, 2, 3, 4", "VEmDZpDX", "54498366"] {
      #expect(!shown.contains(secret))
    }
  }

  @Test("a key is named by thumbprint URIs of three hashes, to the octet, and by no other")
  func thumbprintURIs() throws {
    let key = try JWK(parsing: TestKeys.es256)
    let prefix = "urn:ietf:params:oauth:jwk-thumbprint:"
    let uris = try ThumbprintHash.allCases.map { try key.thumbprintURI($0) }
    #expect(
      uris == [
        prefix + "sha-256:" + (try key.thumbprint()), prefix + "sha-384:" + (try key.thumbprint(.sha384)),
        prefix + "sha-512:" + (try key.thumbprint(.sha512)),
      ])
    #expect(try key.thumbprintURI() == uris[0])
    let secret = try JWK(parsing: TestKeys.octets32)
    #expect(refusal { _ = try secret.thumbprintURI(.sha512) } == "keyMismatch(kty)")
  }
}
