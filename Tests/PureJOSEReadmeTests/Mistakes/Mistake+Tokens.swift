import JOSE
import PureCrypto
import StrictJSON

extension Mistake {
  static let json: [Mistake] = [
    Mistake("a member twice", says: "two members of one name") { _ = try JWK(parsing: #"{"kty":"EC","kty":"EC"}"#) },
    Mistake("a trailing comma", says: "comma") { _ = try JWK(parsing: #"{"kty":"EC",}"#) },
    Mistake("NaN", says: "NaN") { _ = try JWK(parsing: #"{"kty":NaN}"#) },
    Mistake("single quotes", says: "double quotes") { _ = try JWK(parsing: "{'kty':'EC'}") },
    Mistake("too deep", says: "deeper") { _ = try JWK(parsing: String(repeating: "[", count: 200)) },
    Mistake("too long", says: "longer", "limit") {
      _ = try JWK(parsing: "{\"kty\":\"\(String(repeating: "a", count: 1 << 20))\"}")
    },
    Mistake("no text", says: "empty", "setting") { _ = try JWK(parsing: "") },
    Mistake("an array", says: "object", "{") { _ = try JWK(parsing: "[]") },
    Mistake("not UTF-8", says: "UTF-8") { _ = try JWK(parsing: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) },
    Mistake("something after the object", says: "after") { _ = try JWK(parsing: "{} {}") },
    Mistake("JSON cut short", says: "ends", "whole") { _ = try JWK(parsing: #"{"kty":"EC""#) },
  ]

  static let tokens: [Mistake] = [
    Mistake("Bearer in front", says: "Bearer", "remove") { try Bench.verify("Bearer " + Bench.token()) },
    Mistake("quotes around", says: "quotes", "remove") { try Bench.verify("\"" + Bench.token() + "\"") },
    Mistake("a line break behind", says: "white space", "remove") { try Bench.verify(Bench.token() + "\n") },
    Mistake("cut short", says: "length", "cut") {
      try Bench.verify(
        Bench.token(header: #"{"alg":"ES256","kid":"first"}"#, signature: [UInt8](repeating: 1, count: 48)))
    },
    Mistake("cut within four letters", says: "base64url", "cut") { try Bench.verify(Bench.token() + "A" + "AA") },
    Mistake("two segments", says: "two segments", "signature") {
      try Bench.verify(Bench.token().split(separator: ".").dropLast().joined(separator: "."))
    },
    Mistake("four segments", says: "segments", "three") { try Bench.verify(Bench.token() + ".AAAA") },
    Mistake("an opaque token", says: "no dots", "introspection") { try Bench.verify("2YotnFZFEjr1zCsicMWpAA") },
    Mistake("an empty token", says: "empty", "header") { try Bench.verify("") },
    Mistake("a variable that was never set", says: "undefined", "set the variable") {
      try Bench.verify("undefined")
    },
    Mistake("percent-encoded", says: "percent", "decode") {
      try Bench.verify(Bench.token().replacing("e", with: "%65", maxReplacements: 1))
    },
    Mistake("standard base64", says: "+", "base64url") {
      try Bench.verify(Bench.token().replacing("e", with: "+", maxReplacements: 1))
    },
    Mistake("padding", says: "=", "remove") { try Bench.verify(Bench.token() + "==") },
    Mistake("a JWE to a JWT verifier", says: "encrypted", "NestedJWTVerifier") { try Bench.verify(Bench.encrypted()) },
    Mistake("a JWT to be decrypted", says: "signed", "JWTVerifier") {
      let key = try DecryptionKey(password: Bench.password, algorithm: .pbes2HS256A128KW)
      _ = try JWE.decrypt(Bench.token(), with: key, contentEncryption: [.a256gcm])
    },
    Mistake("a JSON serialization", says: "verifyJSON") {
      try Bench.verify(#"{"payload":"e30","protected":"e30","signature":"AA"}"#)
    },
    Mistake("alg: none", says: "none", "unsigned") {
      try Bench.verify(Bench.token(header: #"{"alg":"none"}"#, signature: []))
    },
    Mistake("another algorithm", says: "algorithms", "accepted") {
      try Bench.verify(Bench.token(header: #"{"alg":"HS256"}"#))
    },
    Mistake("a token of encryption by its alg", says: "encryption") {
      try Bench.verify(Bench.token(header: #"{"alg":"RSA-OAEP-256"}"#))
    },
    Mistake("an unknown kid", says: "kid", "fetch") {
      try Bench.verify(Bench.token(header: #"{"alg":"ES256","kid":"who"}"#))
    },
    Mistake("no kid, and no key that fits", says: "algorithm", "type") {
      let verifier = JWTVerifier(keys: try Bench.keySet(), algorithms: [.es384], policy: Bench.policy)
      _ = try verifier.verify(Bench.token(header: #"{"alg":"ES384"}"#))
    },
    Mistake("no keys", says: "set", "empty") {
      _ = try JWTVerifier(keys: JWKSet([]), algorithms: [.es256], policy: Bench.policy).verify(Bench.token())
    },
    Mistake("no algorithms", says: "list of accepted algorithms", "empty") {
      _ = try JWTVerifier(keys: Bench.keySet(), algorithms: [], policy: Bench.policy).verify(Bench.token())
    },
    Mistake("another issuer's signature", says: "signature", "key") {
      try Bench.verify(Bench.token(header: #"{"alg":"ES256","kid":"first"}"#))
    },
    Mistake("a signature in DER", says: "DER", "64") {
      let signature: [UInt8] = [0x30, 0x44, 0x02, 0x20] + [UInt8](repeating: 1, count: 66)
      try Bench.verify(Bench.token(header: #"{"alg":"ES256","kid":"first"}"#, signature: signature))
    },
    Mistake("a token that is too long", says: "limit", "tokenByteCount") {
      try Bench.verify(String(repeating: "A", count: 1 << 20))
    },
    Mistake("an unknown extension", says: "crit", "understoodCriticalParameters") {
      try Bench.verify(Bench.token(header: #"{"alg":"ES256","crit":["exp"],"exp":1}"#))
    },
    Mistake("an unencoded payload", says: "b64") {
      try Bench.verify(Bench.token(header: #"{"alg":"ES256","crit":["b64"],"b64":false}"#, payload: "{}"))
    },
    Mistake("a header without alg", says: "(alg)", "absent") { try Bench.verify(Bench.token(header: "{}")) },
    Mistake("another type", says: "typ", "type") { try Bench.verify(Bench.token(type: "at+jwt")) },
    Mistake("a token in a token", says: "cty", "another token") {
      let token = try JWS.sign("{}".utf8, with: Bench.signingKey(), header: HeaderParameters(contentType: "JWT"))
      try Bench.verify(token)
    },
    Mistake("claims that are no object", says: "claims", "object") {
      try Bench.verify(JWS.sign("[1]".utf8, with: Bench.signingKey()))
    },
    Mistake("claims that are text", says: "value", "JSON") {
      try Bench.verify(JWS.sign("hello".utf8, with: Bench.signingKey()))
    },
  ]
}
