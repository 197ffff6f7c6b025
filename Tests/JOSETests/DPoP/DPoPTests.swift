import JOSE
import Synchronization
import Testing

@Suite("DPoP")
struct DPoPTests {
  static let now = NumericDate(1_700_000_000)
  static let url = "https://server.example.com/token"

  static func verifier(at date: NumericDate = now) -> DPoPVerifier {
    DPoPVerifier(clock: .fixed(at: date), records: MemoryRecordStore())
  }

  static func proof(
    _ key: SigningKey, method: String = "POST", url: String = url, accessToken: String? = nil, nonce: String? = nil
  ) throws -> String {
    try DPoP.proof(
      method: method, url: url, key: key, accessToken: accessToken, nonce: nonce, clock: .fixed(at: now))
  }

  /// The refusal of a proof, as text.
  static func refusal(
    _ proof: String, by verifier: DPoPVerifier, method: String = "POST", url: String = url,
    binding: DPoPVerifier.Binding = .none, nonce: String? = nil
  ) async -> String {
    do throws(JOSEError) {
      _ = try await verifier.verify(proof, method: method, url: url, binding: binding, nonce: nonce)
      return "accepted"
    } catch {
      return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
    }
  }

  @Test("a proof is accepted once, and names its key")
  func once() async throws {
    let key = try TestKeys.signing(keyID: "not in the proof")
    let proof = try Self.proof(key)
    let verifier = Self.verifier()
    let verified = try await verifier.verify(proof, method: "POST", url: Self.url + "?q=1#f", binding: .none)
    #expect(verified.thumbprint == (try JWK(parsing: TestKeys.es256).thumbprint()))
    #expect(verified.issuedAt == Self.now && !verified.publicKey.isPrivate && verified.publicKey.keyID == nil)
    #expect(await Self.refusal(proof, by: verifier) == "claimMismatch(jti)")
    #expect(try await Self.refusal(Self.proof(key), by: verifier) == "accepted")
  }

  @Test("method, URL, nonce and time must be those of the request")
  func request() async throws {
    let key = try TestKeys.signing()
    let proof = try Self.proof(key, nonce: "n1")
    #expect(await Self.refusal(proof, by: Self.verifier(), method: "GET") == "claimMismatch(htm)")
    #expect(await Self.refusal(proof, by: Self.verifier(), method: "post") == "claimMismatch(htm)")
    for url in [
      "https://server.example.com/Token", "http://server.example.com/token", "https://server.example.com:8443/token",
    ] {
      #expect(await Self.refusal(proof, by: Self.verifier(), url: url) == "claimMismatch(htu)")
    }
    for url in [
      "HTTPS://SERVER.example.com:443/token", Self.url + "?a", Self.url + "#b",
      "https://server.example.com/./a/../tok%65n", "https://server.example.com/../token",
    ] {
      #expect(await Self.refusal(proof, by: Self.verifier(), url: url) == "accepted")
    }
    #expect(await Self.refusal(proof, by: Self.verifier(), nonce: "n1") == "accepted")
    #expect(await Self.refusal(proof, by: Self.verifier(), nonce: "n2") == "claimMismatch(nonce)")
    #expect(try await Self.refusal(Self.proof(key), by: Self.verifier(), nonce: "n2") == "claimMissing(nonce)")
    for (shift, expected) in [
      (0.0, "accepted"), (60, "accepted"), (61, "claimExpired(iat)"), (-10, "accepted"), (-11, "claimNotYetValid(iat)"),
    ] {
      #expect(await Self.refusal(proof, by: Self.verifier(at: Self.now.advanced(by: shift))) == expected)
    }
    #expect(code { _ = try Self.proof(key, url: "/token") } == .callerMisuse)
    #expect(code { _ = try Self.proof(TestKeys.hmac()) } == .keyMismatch)
  }

  @Test("an access token needs its hash, and its own key")
  func binding() async throws {
    let key = try TestKeys.signing()
    let thumbprint = try JWK(parsing: TestKeys.es256).thumbprint()
    let proof = try Self.proof(key, accessToken: "token")
    let right = DPoPVerifier.Binding.accessToken("token", thumbprint: thumbprint)
    #expect(await Self.refusal(proof, by: Self.verifier(), binding: right) == "accepted")
    #expect(
      await Self.refusal(proof, by: Self.verifier(), binding: .accessToken("other", thumbprint: thumbprint))
        == "claimMismatch(ath)")
    #expect(
      await Self.refusal(proof, by: Self.verifier(), binding: .accessToken("token", thumbprint: "x"))
        == "keyMismatch(jkt)")
    #expect(try await Self.refusal(Self.proof(key), by: Self.verifier(), binding: right) == "claimMissing(ath)")
  }

  @Test(
    "a port that is empty, or 443 or 80 in more digits, is the scheme's default; any other is compared by its value",
    arguments: [
      ("https://a.example/x", "https://a.example:/x", true), ("https://a.example/x", "https://a.example:443/x", true),
      ("https://a.example/x", "https://a.example:0443/x", true),
      ("https://a.example:/x", "https://a.example:000443/x", true),
      ("https://[::1]/x", "https://[::1]:/x", true), ("https://[::1]/x", "https://[::1]:0443/x", true),
      ("http://a.example/x", "http://a.example:080/x", true), ("http://a.example/x", "http://a.example:/x", true),
      ("https://a.example:8443/x", "https://a.example:08443/x", true),
      ("https://a.example:", "https://a.example/", true),
      ("https://a.example:?q", "https://a.example", true),
      ("https://a.example:0/x", "https://a.example:000/x", true),
      ("https://a.example:0/x", "https://a.example:/x", false),
      ("https://a.example/x", "https://a.example:4430/x", false),
      ("https://a.example/x", "https://a.example:80/x", false),
      ("https://a.example/x", "https://a.example:1443/x", false),
      ("http://a.example/x", "http://a.example:443/x", false),
      ("https://[::443]/x", "https://[::]/x", false), ("https://[::1]/x", "https://[::1:443]/x", false),
      ("https://a.example/x", "https://a.example:44300000000000000000000443/x", false),
    ])
  func ports(_ url: String, _ other: String, areSame: Bool) async throws {
    let key = try TestKeys.signing()
    for (claimed, requested) in [(url, other), (other, url)] {
      let proof = try Self.proof(key, url: claimed)
      #expect(
        await Self.refusal(proof, by: Self.verifier(), url: requested) == (areSame ? "accepted" : "claimMismatch(htu)"))
    }
  }

  @Test(
    "a URL with a port that is no number, or without a host, is refused",
    arguments: [
      "https://a.example:x/", "https://a.example:4a43/", "https://a.example:-443/", "https://a.example:+443/",
      "https://a.example:443:443/", "https://:443/x", "https://:/x", "https://:8443/x", "https://[::1/x",
      "https://[::1]x/",
      "https://[::1]443/", "https://::1/x",
    ])
  func badPorts(_ url: String) throws {
    let key = try TestKeys.signing()
    #expect(code { _ = try Self.proof(key, url: url) } == .callerMisuse)
  }

  @Test(
    "the key in the header may say what it is for, and then it must be for verifying",
    arguments: [
      (#""key_ops":["verify"]"#, "accepted"), (#""key_ops":["verify"],"use":"sig""#, "accepted"),
      (#""key_ops":["encrypt","verify"]"#, "accepted"), (#""key_ops":["verify","sign"]"#, "accepted"),
      (#""use":"sig","alg":"ES256""#, "accepted"), (#""key_ops":["sign"]"#, "keyMismatch(key_ops)"),
      (#""key_ops":["Verify"]"#, "keyMismatch(key_ops)"), (#""key_ops":[]"#, "keyMismatch(key_ops)"),
      (#""key_ops":["wrapKey","deriveKey"]"#, "keyMismatch(key_ops)"), (#""key_ops":"verify""#, "keyInvalid(key_ops)"),
      (#""key_ops":["verify","verify"]"#, "keyInvalid(key_ops)"), (#""key_ops":["verify",1]"#, "keyInvalid(key_ops)"),
      (#""key_ops":null"#, "keyInvalid(key_ops)"),
      (#""key_ops":["verify","wrapKey"],"use":"sig""#, "keyInvalid(key_ops)"),
      (#""use":"enc""#, "keyMismatch(use)"), (#""alg":"ES384""#, "keyMismatch(alg)"),
    ])
  func keyOperations(_ members: String, _ expected: String) async throws {
    let key = try TestKeys.signing()
    let end = try #require(TestKeys.es256.firstRange(of: #","d""#)).lowerBound
    let jwk = TestKeys.es256[..<end] + "," + members + "}"
    let input =
      Base64URL.encode(#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#.utf8) + "."
      + Base64URL.encode(#"{"jti":"a","htm":"POST","htu":"\#(Self.url)","iat":1700000000}"#.utf8)
    let proof = input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    #expect(await Self.refusal(proof, by: Self.verifier()) == expected)
  }

  @Test("the public key in a proof leaves out key_ops and kid of the private key")
  func bareKey() async throws {
    var jwk = try JWK(parsing: TestKeys.es256)
    (jwk.keyOperations, jwk.keyID) = (["sign"], "k")
    let proof = try Self.proof(SigningKey(jwk, algorithm: .es256))
    let verified = try await Self.verifier().verify(proof, method: "POST", url: Self.url, binding: .none)
    #expect(verified.publicKey.keyOperations == nil && verified.publicKey.keyID == nil)
  }

  @Test("headers of another kind are refused")
  func headers() async throws {
    let key = try TestKeys.signing()
    let jwk = String(decoding: try #require(key.verificationKey.publicJWK).serialized(), as: UTF8.self)
    let claims = #"{"jti":"a","htm":"POST","htu":"\#(Self.url)","iat":1700000000}"#
    func made(_ header: String, _ claims: String) throws -> String {
      let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
      return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    }
    for (header, expected) in [
      (#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#, "accepted"),
      (#"{"typ":"JWT","alg":"ES256","jwk":\#(jwk)}"#, "typeMismatch(typ)"),
      (#"{"alg":"ES256","jwk":\#(jwk)}"#, "typeMismatch(typ)"),
      (#"{"typ":"dpop+jwt","alg":"none","jwk":\#(jwk)}"#, "algorithmNotAllowed(alg)"),
      (#"{"typ":"dpop+jwt","alg":"HS256","jwk":\#(jwk)}"#, "algorithmNotAllowed(alg)"),
      (#"{"typ":"dpop+jwt","alg":"ES256"}"#, "headerInvalid(jwk)"),
      (#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(TestKeys.es256)}"#, "keyInvalid(jwk)"),
      (#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(TestKeys.octets32)}"#, "keyInvalid(jwk)"),
      (
        #"{"typ":"dpop+jwt","alg":"ES256","crit":["b64"],"b64":false,"jwk":\#(jwk)}"#, "criticalHeaderUnsupported(crit)"
      ),
    ] {
      #expect(try await Self.refusal(made(header, claims), by: Self.verifier()) == expected)
    }
    let header = #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#
    for (name, expected) in [("jti", "claimMissing(jti)"), ("htm", "claimMissing(htm)"), ("iat", "claimMissing(iat)")] {
      let damaged = claims.replacing("\"\(name)\"", with: "\"x\"")
      #expect(try await Self.refusal(made(header, damaged), by: Self.verifier()) == expected)
    }
    var other = try made(header, claims)
    other.removeLast(4)
    other += "AAAA"
    #expect(await Self.refusal(other, by: Self.verifier()) == "signatureInvalid")
  }

  @Test("htu and the request's URL have 8192 octets at most, query and fragment apart")
  func longTargets() async throws {
    let key = try TestKeys.signing()
    let base = "https://as.example/"
    let edge = base + String(repeating: "a", count: 8192 - base.utf8.count)
    for (url, query, expected) in [
      (edge, "", "accepted"), (edge, "?" + String(repeating: "q", count: 100_000), "accepted"),
      (edge + "a", "", "limitExceeded(htu)"),
      (base + String(repeating: "/..", count: 40_000), "", "limitExceeded(htu)"),
    ] {
      // Made by hand: nothing here makes such a proof.
      let jwk = String(decoding: try #require(key.verificationKey.publicJWK).serialized(), as: UTF8.self)
      let input =
        Base64URL.encode(#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#.utf8) + "."
        + Base64URL.encode(#"{"jti":"a","htm":"POST","htu":"\#(url)","iat":1700000000}"#.utf8)
      let proof = input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
      #expect(await Self.refusal(proof, by: Self.verifier(), url: url + query) == expected)
      if expected != "accepted" {
        #expect(await Self.refusal(proof, by: Self.verifier()) == expected)
        #expect(code { _ = try Self.proof(key, url: url) } == .limitExceeded)
      }
    }
  }
}
