import JOSE
import Testing

@testable import PureJOSECommand

@Suite("jose inspect")
struct InspectVerbTests {
  @Test("dates are shown as people write them, and how far they are")
  func dates() throws {
    let claims: JSONObject = ["iat": 1_700_000_000, "exp": 1_700_003_600, "nbf": "x"]
    let token = try JWT.sign(claims, with: SigningKey.generate(.es256))
    let streams = Streams()
    let console = Console(
      readInput: { Array(token.utf8) }, readFile: { _ in [] },
      write: { bytes in streams.output.withLock { $0 += bytes } }, writeError: { _ in })
    try InspectVerb(console: console, clock: .fixed(at: NumericDate(1_700_000_300))).run([])
    let text = String(decoding: streams.output.withLock { $0 }, as: UTF8.self)
    #expect(text.contains("iat 2023-11-14T22:13:20Z, 5 minutes ago\n"))
    #expect(text.contains("exp 2023-11-14T23:13:20Z, in 55 minutes\n") && !text.contains("nbf 1970"))
  }

  /// Computed with another library.
  @Test(
    "dates are written by the Gregorian calendar with leap years",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (951_868_800, "2000-03-01T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
      (4_107_542_399, "2100-02-28T23:59:59Z"), (1_709_164_800, "2024-02-29T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "10000-01-01T00:00:00Z"),
      (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ])
  func calendar(_ seconds: Int, _ expected: String) {
    #expect(NumericDate(seconds).calendarText == expected)
  }

  @Test("the earliest and the latest date can be written", arguments: [Int.max, Int.min])
  func extremes(_ seconds: Int) {
    #expect(NumericDate(seconds).calendarText.hasSuffix("Z"))
    #expect(!DateText.distance(NumericDate(seconds), NumericDate(0)).isEmpty)
  }

  @Test("--json is one object that says that nothing is verified")
  func json() throws {
    let key = try SigningKey.generate(.es256)
    func inspect(_ token: String) throws -> JSONObject {
      let run = CommandRun(["inspect", "--json"], input: token)
      #expect(run.status == .done && run.errors.isEmpty)
      let object = try JSONObject(parsing: run.output)
      #expect(object["verified"] == false)
      return object
    }
    let compact = try inspect(JWT.sign(["sub": "jane", "exp": 1_700_000_000] as JSONObject, with: key))
    #expect(compact["header"]?.objectValue?["alg"] == "ES256" && compact["claims"]?.objectValue?["sub"] == "jane")
    #expect(compact["dates"] == ["exp": "2023-11-14T22:13:20Z"])
    let general = try inspect(
      JWS.signJSON(Array("text".utf8), with: [JWSSigner(key: key)], serialization: .general))
    #expect(general["payloadByteCount"] == 4)
    #expect(general["signatures"]?.arrayValue?.first?.objectValue?["protected"]?.objectValue?["alg"] == "ES256")
    let flattened = try inspect(
      JWS.signJSON(Array("{}".utf8), with: [JWSSigner(key: key)], serialization: .flattened))
    #expect(flattened["claims"] == [:] && flattened["protected"]?.objectValue?["alg"] == "ES256")
    let recipient = try EncryptionKey(JWK.generateForKeyAgreement())
    let encrypted = try inspect(JWE.encrypt(Array("x".utf8), to: recipient))
    #expect(encrypted["claims"] == nil && encrypted["header"]?.objectValue?["alg"] == "ECDH-ES")
    for bad in ["", "{}", "a.b", #"{"signatures":[5]}"#] {
      #expect(CommandRun(["inspect", "--json"], input: bad).status == .invalid)
    }
  }
}

@Suite("Keys for the wrong verb")
struct WrongKeyTests {
  @Test("a signing key can't encrypt, an encryption key can't sign, and the error says so")
  func families() {
    let files = [
      "es": Array(JWK.generate(.es256).serializedWithPrivateKey()),
      "ed": Array(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#.utf8),
      "ecdh": Array(JWK.generateForKeyAgreement().serializedWithPrivateKey()),
      "gcm": Array(JWK.generate(.a256gcm).serializedWithPrivateKey()),
    ]
    for key in ["es", "ed"] {
      let run = CommandRun(["encrypt", "--key", key], input: "x", files: files)
      #expect(run.status == .invalid && run.errors[0].contains("the key is for signatures"))
    }
    let opened = CommandRun(["decrypt", "--key", "es"], input: "a.b.c.d.e", files: files)
    #expect(opened.status == .invalid && opened.errors[0].contains("the key is for signatures"))
    for key in ["ecdh", "gcm"] {
      for verb in ["sign", "verify"] {
        let run = CommandRun([verb, "--key", key], input: "x", files: files)
        #expect(run.status == .invalid && run.errors[0].contains("the key is for encryption"))
      }
    }
  }

  @Test("--alg goes with sets: it says which algorithms are accepted")
  func sets() throws {
    let key = JWK.generate(.es256, keyID: "k")
    let files = ["key": Array(key.serializedWithPrivateKey()), "set": JWKSet([key]).serialized()]
    let token = CommandRun(["sign", "--key", "key"], input: "x", files: files).text
    #expect(CommandRun(["verify", "--key", "set", "--alg", "ES256"], input: token, files: files).text == "x")
    #expect(
      CommandRun(["verify", "--key", "set", "--alg", "RS256", "--alg", "ES256"], input: token, files: files).text == "x"
    )
    let refused = CommandRun(["verify", "--key", "set", "--alg", "RS256"], input: token, files: files)
    #expect(refused.status == .invalid && refused.errors[0].contains("algorithmNotAllowed"))
    #expect(CommandRun(["verify", "--key", "set", "--alg", "none"], input: token, files: files).status == .usage)
    #expect(
      CommandRun(["verify", "--key", "key", "--alg", "ES256", "--alg", "RS256"], input: token, files: files).status
        == .usage)
    let secret = JWK.generate(.a256gcm, keyID: "k")
    let sealed = CommandRun(
      ["encrypt", "--key", "s"], input: "x", files: ["s": Array(secret.serializedWithPrivateKey())]
    ).text
    let secrets = ["set": Array("{\"keys\":[".utf8) + secret.serializedWithPrivateKey() + Array("]}".utf8)]
    #expect(CommandRun(["decrypt", "--key", "set", "--alg", "dir"], input: sealed, files: secrets).text == "x")
    #expect(
      CommandRun(["decrypt", "--key", "set", "--alg", "A256KW", "--alg", "dir"], input: sealed, files: secrets).text
        == "x")
    #expect(
      CommandRun(["decrypt", "--key", "set", "--alg", "A256KW"], input: sealed, files: secrets).status == .invalid)
  }
}
