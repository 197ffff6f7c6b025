import JOSE
import Testing

@testable import PureJOSECommand

@Suite("Tokens, lifetimes, issuers and sizes as arguments")
struct TokenArgumentTests {
  static let jwk = JWK.generate(.es256)
  static let files = ["k": Array(jwk.serializedWithPrivateKey())]

  private func token(_ further: [String] = []) -> String {
    let run = CommandRun(
      ["jwt", "sign", "--key", "k", "--iss", "https://idp.example.com", "--aud", "a"] + further, files: Self.files)
    return String(run.text.dropLast())
  }

  @Test(
    "a lifetime has a unit, or is in seconds",
    arguments: [("90", 90), ("90s", 90), ("5m", 300), ("1h", 3600), ("2d", 172_800)])
  func lifetimes(_ text: String, _ seconds: Int) throws {
    let claims = try RegisteredClaims(
      JSONObject(parsing: CommandRun(["inspect", "--json", token(["--expires-in", text])]).output)["claims"]?
        .objectValue ?? [:])
    let (issued, expires) = (try #require(claims.issuedAt), try #require(claims.expiration))
    #expect(expires.wholeSeconds - issued.wholeSeconds == seconds)
  }

  @Test(
    "what is no lifetime is refused",
    arguments: ["0", "-1", "h", "1w", "1.5h", "1h30m", " 1h", "1H", "9223372036854775807d", "99999999999999999999"])
  func noLifetimes(_ text: String) {
    let run = CommandRun(["jwt", "sign", "--key", "k", "--expires-in", text], files: Self.files)
    #expect(run.status == .usage && run.errors.first?.contains("--expires-in") == true)
  }

  @Test("a token is taken as an argument as well as on standard input")
  func arguments() {
    let token = token()
    let verify = ["jwt", "verify", "--key", "k", "--iss", "https://idp.example.com", "--aud", "a"]
    #expect(CommandRun(verify + [token], files: Self.files).status == .done)
    #expect(CommandRun(verify, input: token, files: Self.files).status == .done)
    #expect(CommandRun(verify + ["a.b.c"], input: token, files: Self.files).status == .invalid)
    #expect(CommandRun(verify + [token, token], files: Self.files).status == .usage)
    #expect(CommandRun(["verify", "--key", "k", token], files: Self.files).status == .done)
    #expect(CommandRun(["inspect", token]).text.contains("idp.example.com"))
    let files = ["e": CommandRun(["key", "generate", "--alg", "ECDH-ES"]).output]
    let sealed = String(CommandRun(["encrypt", "--key", "e"], input: "x", files: files).text.dropLast())
    #expect(CommandRun(["decrypt", "--key", "e", sealed], files: files).text == "x")
    let proof = CommandRun(
      ["dpop", "sign", "--key", "k", "--method", "GET", "--uri", "https://a.example/"], files: Self.files
    ).text.dropLast()
    #expect(
      CommandRun(["dpop", "verify", "--method", "GET", "--uri", "https://a.example/", String(proof)]).status == .done)
  }

  @Test("what a verb reads from standard input it reads from a file as well, by either way the same")
  func files() throws {
    let key = Self.jwk.serializedWithPrivateKey()
    let set = JWKSet([Self.jwk]).serialized()
    let pem = Array(try #require(Self.jwk.privatePEMRepresentation).utf8)
    let token = Array((token() + "\n").utf8)
    let request = Array(#"{"method":"GET","url":"https://a.example/"}"#.utf8)
    let verify = ["jwt", "verify", "--key", "k", "--iss", "https://idp.example.com", "--aud", "a"]
    let cases: [([String], [UInt8])] = [
      (["key", "public"], key), (["key", "thumbprint"], key), (["key", "pem", "--private"], key),
      (["key", "import"], pem), (["jwks", "filter"], set), (["jwks", "check"], set),
      (["inspect", "--json"], token), (verify, token), (["verify", "--key", "k"], token), (["psso", "curl"], request),
    ]
    for (arguments, input) in cases {
      let files = Self.files.merging(["file": input]) { $1 }
      let piped = CommandRun(arguments, input: input, files: files)
      let read = CommandRun(arguments + ["file"], input: "another input", files: files)
      #expect(piped.status == .done && read.status == .done, "\(arguments): \(read.errors)")
      #expect(piped.output == read.output && !read.output.isEmpty, "\(arguments)")
      #expect(CommandRun(arguments + ["-"], input: input, files: files).output == piped.output, "\(arguments)")
      #expect(CommandRun(arguments + ["absent.txt/"], input: input, files: files).status == .usage, "\(arguments)")
    }
    // What is signed or encrypted differs from one time to the next.
    let files = Self.files.merging(["file": Array("hello".utf8), "claims": Array(#"{"sub":"jane"}"#.utf8)]) { $1 }
    let signed = CommandRun(["sign", "--key", "k", "file"], input: "another input", files: files)
    #expect(CommandRun(["verify", "--key", "k"], input: signed.output, files: files).text == "hello")
    let named = CommandRun(["jwt", "sign", "--key", "k", "claims"], files: files)
    #expect(CommandRun(["inspect"], input: named.output).text.contains("jane"))
    let secret = ["k": CommandRun(["key", "generate", "--alg", "A256GCM"]).output, "file": Array("hello".utf8)]
    let sealed = CommandRun(["encrypt", "--key", "k", "file"], input: "another input", files: secret)
    #expect(CommandRun(["decrypt", "--key", "k"], input: sealed.output, files: secret).text == "hello")
  }

  /// An issuer at https://idp.example.com.
  private static let issuer: HTTPTransport = { request in
    switch request.url {
    case "https://idp.example.com/.well-known/openid-configuration":
      let body = #"{"issuer":"https://idp.example.com","jwks_uri":"https://idp.example.com/keys"}"#
      return HTTPResponseValue(status: 200, body: Array(body.utf8))
    case "https://idp.example.com/keys":
      return HTTPResponseValue(status: 200, body: JWKSet([jwk.publicKey].compactMap { $0 }).serialized())
    default: return HTTPResponseValue(status: 404, body: [])
    }
  }

  @Test("--issuer verifies with the keys that the issuer publishes")
  func discovery() async {
    func verify(_ issuer: String, _ token: String, _ further: [String] = []) async -> CommandRun {
      await .answered(
        by: Self.issuer, ["jwt", "verify", "--issuer", issuer, "--aud", "a"] + further, input: token,
        files: Self.files)
    }
    let right = await verify("https://idp.example.com", token())
    #expect(right.status == .done && right.text.contains("\"exp\""))
    #expect(await verify("https://idp.example.com", token(), ["--alg", "ES256", "--nonce", "n"]).status == .invalid)
    #expect(await verify("https://idp.example.com", token(), ["--alg", "RS256"]).status == .invalid)
    let forged = CommandRun(
      ["jwt", "sign", "--key", "f", "--iss", "https://idp.example.com", "--aud", "a"],
      files: ["f": Array(JWK.generate(.es256).serializedWithPrivateKey())]
    ).text
    #expect(await verify("https://idp.example.com", forged).status == .invalid)
    #expect(await verify("https://other.example.com", token()).status == .invalid)
    for wrong in ["http://idp.example.com", "idp.example.com"] {
      #expect(await verify(wrong, token()).status == .usage)
    }
    #expect(await verify("https://idp.example.com", token(), ["--key", "k"]).status == .usage)
    #expect(await verify("https://idp.example.com", token(), ["--iss", "i"]).status == .usage)
    let unanswered = await CommandRun.answered(
      by: { _ in throw RequestNotSent() }, ["jwt", "verify", "--issuer", "https://idp.example.com", "--aud", "a"],
      input: token())
    #expect(unanswered.errors.first?.contains("externalKeyFailed") == true)
  }

  @Test("what encrypt seals and sign signs, decrypt and verify take with --max-size, however long it is")
  func sizes() {
    let long = [UInt8](repeating: 0x61, count: 9 << 20)
    // Compared outside of the macro, which would look for the differences of millions of octets.
    func isWhole(_ run: CommandRun) -> Bool { run.output == long }
    let secret = ["k": CommandRun(["key", "generate", "--alg", "A256GCM"]).output]
    let sealed = CommandRun(["encrypt", "--key", "k"], input: long, files: secret).output
    let refused = CommandRun(["decrypt", "--key", "k"], input: sealed, files: secret)
    #expect(refused.status == .invalid && refused.errors.first?.contains("--max-size") == true)
    for size in ["16M", "16MB"] {
      #expect(isWhole(CommandRun(["decrypt", "--key", "k", "--max-size", size], input: sealed, files: secret)))
    }
    #expect(CommandRun(["decrypt", "--key", "k", "--max-size", "9M"], input: sealed, files: secret).status == .invalid)
    let signed = CommandRun(["sign", "--key", "k"], input: long, files: Self.files).output
    #expect(CommandRun(["verify", "--key", "k"], input: signed, files: Self.files).status == .invalid)
    #expect(isWhole(CommandRun(["verify", "--key", "k", "--max-size", "16M"], input: signed, files: Self.files)))
    for size in ["0", "x", "1T", "1TB", "16B", "MB", "9223372036854775807G"] {
      #expect(CommandRun(["decrypt", "--key", "k", "--max-size", size], input: sealed, files: secret).status == .usage)
    }
  }
}
