import JOSE
import Testing

@testable import PureJOSECommand

@Suite("The jose command, forms of messages")
struct MessageFormTests {
  private static func key(_ algorithm: String) -> [UInt8] {
    CommandRun(["key", "generate", "--alg", algorithm, "--kid", algorithm]).output
  }

  private static let files = [
    "e": key("ES256"), "h": key("HS256"), "o": key("EdDSA"), "w": key("A128KW"), "d": key("ECDH-ES+A128KW"),
    "m": key("ML-DSA-65"),
  ]

  private func run(_ arguments: [String], _ input: String = "", _ more: [String: [UInt8]] = [:]) -> CommandRun {
    CommandRun(arguments, input: input, files: Self.files.merging(more) { $1 })
  }

  @Test("flattened and general JSON, by one key and by several")
  func signJSON() throws {
    let flat = run(["sign", "--key", "e", "--serialization", "flattened", "--cty", "x"], "payload")
    #expect(flat.status == .done && flat.text.hasPrefix("{\"payload\""))
    #expect(run(["verify", "--key", "e"], flat.text).text == "payload")
    let many = run(["sign", "--key", "e", "--key", "h", "--key", "o"], "payload")
    for key in ["e", "h", "o"] { #expect(run(["verify", "--key", key], many.text).text == "payload") }
    #expect(run(["verify", "--key", "e", "--key", "h", "--key", "o", "--all"], many.text).text == "payload")
    #expect(run(["verify", "--key", "e", "--key", "h", "--all"], many.text).status == .invalid)
    let two = run(["sign", "--key", "e", "--key", "h"], "payload")
    #expect(run(["verify", "--key", "o", "--key", "h"], two.text).text == "payload")
    #expect(run(["verify", "--key", "e", "--key", "o", "--all"], two.text).status == .invalid)
    let set = "{\"keys\":[" + String(decoding: Self.files["e"] ?? [], as: UTF8.self) + "]}"
    #expect(run(["verify", "--key", "s"], two.text, ["s": Array(set.utf8)]).text == "payload")
    let shown = run(["inspect"], two.text).text
    #expect(shown.hasPrefix("NOT VERIFIED") && shown.contains("signature 1") && shown.contains("HS256"))
  }

  @Test("detached and unencoded payloads", arguments: [[], ["--unencoded"]])
  func detached(_ flags: [String]) {
    let payload = Array("a.payload".utf8)
    for form in ["compact", "flattened", "general"] {
      let signed = run(["sign", "--key", "e", "--detached", "--serialization", form] + flags, "a.payload")
      #expect(signed.status == .done && !signed.text.contains("payload"))
      #expect(run(["verify", "--key", "e", "--payload", "p"], signed.text, ["p": payload]).output == payload)
      #expect(run(["verify", "--key", "e", "--payload", "p"], signed.text, ["p": [1]]).status == .invalid)
      #expect(run(["verify", "--key", "e"], signed.text).status == .invalid)
    }
  }

  @Test("an unencoded payload in JSON")
  func unencoded() {
    let signed = run(["sign", "--key", "e", "--unencoded", "--serialization", "flattened"], "a.payload")
    #expect(signed.text.contains("\"a.payload\""))
    #expect(run(["verify", "--key", "e"], signed.text).text == "a.payload")
    #expect(run(["sign", "--key", "e", "--unencoded"], "x").status == .usage)
  }

  @Test("encryption in JSON, for one and for several, with authenticated data")
  func encryptJSON() {
    let flat = run(["encrypt", "--key", "w", "--serialization", "flattened", "--aad", "YWFk"], "secret")
    #expect(flat.status == .done && flat.text.contains("\"aad\":\"YWFk\""))
    #expect(run(["decrypt", "--key", "w"], flat.text).text == "secret")
    let many = run(["encrypt", "--key", "w", "--key", "d"], "secret")
    for key in ["w", "d"] { #expect(run(["decrypt", "--key", key], many.text).text == "secret") }
    let shown = run(["inspect"], many.text).text
    #expect(shown.contains("recipient 1") && shown.contains("content encrypted"))
    #expect(run(["decrypt", "--key", "h"], many.text).status == .invalid)
  }

  @Test("nested JWTs: claims are signed, encrypted, opened and verified")
  func nested() {
    let claims = "{\"sub\":\"jane\"}"
    let token = run(["encrypt", "--key", "d", "--sign-key", "e"], claims)
    #expect(token.status == .done)
    #expect(run(["inspect"], token.text).text.contains("\"cty\" : \"JWT\""))
    #expect(run(["decrypt", "--key", "d", "--verify-key", "e"], token.text).text == claims + "\n")
    #expect(run(["decrypt", "--key", "d", "--verify-key", "o"], token.text).status == .invalid)
    #expect(run(["decrypt", "--key", "w", "--verify-key", "e"], token.text).status == .invalid)
    let set = "{\"keys\":[" + String(decoding: Self.files["e"] ?? [], as: UTF8.self) + "]}"
    #expect(run(["decrypt", "--key", "d", "--verify-key", "s"], token.text, ["s": Array(set.utf8)]).status == .done)
    let plain = run(["encrypt", "--key", "d", "--cty", "JWT"], claims)
    let refused = run(["decrypt", "--key", "d", "--verify-key", "e"], plain.text)
    #expect(refused.status == .invalid && refused.output.isEmpty)
    let expired = run(["encrypt", "--key", "d", "--sign-key", "e"], "{\"exp\":1}")
    #expect(
      run(["decrypt", "--key", "d", "--verify-key", "e"], expired.text).errors.first?.contains("claimExpired") ?? false)
    #expect(run(["encrypt", "--key", "d", "--sign-key", "e"], "[]").status == .invalid)
  }

  @Test("passwords need their algorithm named, and take a number of iterations")
  func passwords() {
    let password = Array("{\"kty\":\"oct\",\"k\":\"cGFzc3dvcmQ\"}".utf8)
    let algorithm = ["--alg", "PBES2-HS256+A128KW"]
    let sealed = run(["encrypt", "--key", "p", "--p2c", "1000"] + algorithm, "secret", ["p": password])
    #expect(run(["inspect"], sealed.text).text.contains("\"p2c\" : 1000"))
    #expect(run(["decrypt", "--key", "p"] + algorithm, sealed.text, ["p": password]).text == "secret")
    #expect(run(["decrypt", "--key", "p"], sealed.text, ["p": password]).status == .invalid)
    #expect(run(["encrypt", "--key", "p", "--p2c", "999"] + algorithm, "x", ["p": password]).status == .invalid)
    #expect(run(["encrypt", "--key", "w", "--p2c", "1000"], "x").status == .usage)
  }

  @Test("party info that was agreed on, and compression that is accepted by size")
  func partiesAndCompression() throws {
    let jwk = try JWK(parsing: Self.files["d"] ?? [])
    let sealed = try JWE.encrypt("secret".utf8, to: EncryptionKey(jwk), agreementPartyVInfo: .agreed([1, 2]))
    #expect(run(["decrypt", "--key", "d", "--apv", "AQI"], sealed).text == "secret")
    #expect(run(["decrypt", "--key", "d", "--apv", "AQM"], sealed).status == .invalid)
    #expect(run(["decrypt", "--key", "d"], sealed).status == .invalid)
    let header = Base64URL.encode("{\"alg\":\"dir\",\"enc\":\"A128GCM\",\"zip\":\"DEF\"}".utf8)
    let direct = CommandRun(["key", "generate", "--alg", "A128GCM"]).output
    let token = header + "..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA"
    #expect(
      run(["decrypt", "--key", "k"], token, ["k": direct]).errors.first?.contains("algorithmNotAllowed") ?? false)
    let accepted = run(["decrypt", "--key", "k", "--inflate", "100"], token, ["k": direct])
    #expect(accepted.errors.first?.contains("decryptionFailed") ?? false)
  }

  @Test("PEM and DER both ways, thumbprint URI", arguments: [("e", "ES256"), ("o", "EdDSA"), ("m", "ML-DSA-65")])
  func keyFiles(_ name: String, _ algorithm: String) throws {
    let jwk = String(decoding: Self.files[name] ?? [], as: UTF8.self)
    let key = try JWK(parsing: jwk)
    let privatePEM = run(["key", "pem", "--private"], jwk).text
    let publicPEM = run(["key", "pem"], jwk).text
    #expect(privatePEM.contains("PRIVATE KEY") && publicPEM.contains("BEGIN PUBLIC KEY"))
    let imported = run(["key", "import", "--kid", "k", "--alg", algorithm], privatePEM).text
    let copy = try JWK(parsing: imported)
    #expect(copy.isPrivate && copy.keyID == "k" && copy.algorithm == algorithm)
    #expect(try copy.thumbprint() == key.thumbprint())
    #expect(try JWK(parsing: run(["key", "import"], publicPEM).text).thumbprint() == key.thumbprint())
    #expect(run(["key", "thumbprint", "--uri"], jwk).text == (try key.thumbprintURI()) + "\n")
    #expect(
      run(["key", "thumbprint", "--uri", "--hash", "sha-512"], jwk).text == (try key.thumbprintURI(.sha512)) + "\n")
    #expect(run(["key", "thumbprint", "--hash", "sha-512"], jwk).status == .usage)
    #expect(run(["key", "thumbprint", "--uri", "--hash", "sha512"], jwk).status == .usage)
    #expect(run(["key", "pem", "--private"], run(["key", "public"], jwk).text).status == .invalid)
    #expect(run(["key", "import"], "nonsense").status == .invalid)
  }

  @Test("a certificate becomes a key with x5c, and inspect shows whose key a token carries")
  func certificates() throws {
    let der = try Base64.decode(Self.certificate)
    let imported = CommandRun(["key", "import"], input: der)
    let key = try JWK(parsing: imported.text)
    let certificate = try #require(try key.leafCertificate())
    #expect(!key.isPrivate && certificate.derRepresentation == der)
    let pem = Array(certificate.pemRepresentation.utf8)
    #expect(CommandRun(["key", "import"], input: pem).output == imported.output)
    let token = try JWS.sign(
      [1], with: SigningKey(JWK(parsing: Self.files["e"] ?? [])), header: HeaderParameters(certificates: [der, [0]]))
    let shown = run(["inspect"], token).text
    #expect(shown.contains("certificate 0, chain not validated: OKP Ed25519 key"))
    #expect(shown.contains("x5t#S256 \(certificate.sha256Thumbprint)"))
    #expect(shown.contains("certificate 1, chain not validated: 1 octets, its key can't be read"))
  }

  /// Of version 3, with the public key of RFC 8037 A.2.
  private static let certificate = """
    MIIBqzCBlKADAgECAgEBMA0GCSqGSIb3DQEBCwUAMA8xDTALBgNVBAMMBHRlc3QwHhcNMjUwMTAxMDAwMDAwWhcNMzUwMTAx\
    MDAwMDAwWjAPMQ0wCwYDVQQDDAR0ZXN0MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURqjDTAL\
    MAkGA1UdEwQCMAAwDQYJKoZIhvcNAQELBQADggEBAAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJico\
    KSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX2BhYmNkZWZnaGlqa2xtbm9w\
    cXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZaXmJmam5ydnp+goaKjpKWmp6ipqqusra6vsLGys7S1tre4\
    ubq7vL2+v8DBwsPExcbHyMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8=
    """

  @Test(
    "wrong usage",
    arguments: [
      ["sign", "--key", "e", "--key", "h", "--serialization", "compact"],
      ["sign", "--key", "e", "--serialization", "x"], ["sign", "--key", "e", "--key", "h", "--alg", "ES256"],
      ["verify", "--key", "e", "--key", "h", "--alg", "ES256"], ["encrypt", "--key", "w", "--aad", "YQ"],
      ["encrypt", "--key", "w", "--sign-alg", "ES256"], ["encrypt", "--key", "w", "--sign-key", "e", "--cty", "x"],
      ["decrypt", "--key", "w", "--verify-alg", "ES256"], ["decrypt", "--key", "w", "--inflate", "0"],
      ["decrypt", "--key", "w", "--inflate", "x"], ["key", "pem", "extra"], ["key", "import", "--nonsense", "x"],
    ])
  func usage(_ arguments: [String]) {
    let run = run(arguments, "x")
    #expect(run.status == .usage && run.output.isEmpty && run.errors.count == 1)
  }
}
