import JOSE
import Testing

@testable import PureJOSECommand

/// A key that stands where a file's name belongs gets into no log, and nothing that an argument holds moves the cursor.
@Suite struct ArgumentSecrecyTests {
  private static let jwk = String(decoding: JWK.generate(.es256).serializedWithPrivateKey(), as: UTF8.self)

  /// Ways to give a key or a token itself.
  static let contents: [String] = {
    let pem = (try? JWK(parsing: jwk.utf8))?.privatePEMRepresentation ?? ""
    return [
      jwk, "  \n" + jwk, "\u{FEFF}" + jwk, "[\(jwk)]", pem, "open sesame\nopen sesame",
      "eyJhbGciOiJub25lIn0.opensesame.x",
    ]
  }()

  @Test(arguments: contents) func `nothing of a key or a token is repeated`(_ content: String) {
    for arguments in [
      ["sign", "--key", content], ["verify", "--key", content, "a.b.c"], ["key", "import", content],
      ["key", "import", "--password-file", content], ["key", "generate", "--alg", content],
      ["key", "generate", "--alg", "ES256", "--crv", content], ["sign", "--\(content)"], [content], ["key", content],
      ["demo", content], ["completion", content], ["certificate", "verify", "--root", content],
      ["jwks", "merge", content], ["vectors", content], ["psso", content],
      ["jwt", "verify", "--issuer", content, "--aud", "a"],
      ["jwt", "verify", "--key", content, "--iss", "i", "--aud", "a", "--profile", content],
    ] {
      let run = CommandRun(arguments)
      #expect(run.status != .done && run.output.isEmpty, "\(arguments[0])")
      for part in ["kty", "BEGIN", "sesame", String(Self.jwk.suffix(30))] {
        #expect(!run.errors.joined().contains(part), "\(arguments.map { $0.prefix(12) }): \(run.errors)")
      }
    }
    // The process's own files.
    #expect(throws: Visible.contentRefused) { try Console.standard.readFile(content) }
    #expect(throws: Visible.contentRefused) { try Console.standard.writeFile([1], content) }
  }

  @Test func `a path is escaped, and keeps its end`() {
    let path = "/home/\u{1b}[2J/" + String(repeating: "long/", count: 60) + "key.json"
    var text = ""
    do throws(CommandFailure) {
      _ = try Console.standard.readFile(path)
    } catch {
      if case .usage(let usage) = error { text = usage }
    }
    #expect(text.contains("key.json") && text.contains("…") && !text.contains("\u{1b}") && text.contains("/home/"))
    for name in ["key.json", "v1.2.key", "eyJ.json", "a b", "key.public.json"] {
      #expect(Visible.argument(name) == name && !Visible.isContent(name))
    }
  }

  @Test func `what a file holds is read to one octet past its limit`() throws {
    let limit = Limits.default
    for (arguments, text) in [
      (["verify", "--key", "k"], "--max-size"), (["verify", "--key", "k", "--max-size", "100"], "--max-size"),
      (["sign", "--key", "k", "--max-size", "100"], "--max-size"), (["key", "public"], "longer than a megabyte"),
      (["jwt", "verify", "--key", "k", "--iss", "i", "--aud", "a"], "tokenByteCount"),
    ] {
      var counts: [Int] = []
      let input = [UInt8](repeating: 0x61, count: limit.messageByteCount + 4096)
      let run = CommandRun(arguments, input: input, files: ["k": Array(Self.jwk.utf8)])
      counts.append(run.output.count)
      #expect(run.status == .invalid && counts == [0], "\(arguments)")
      #expect(run.errors.first?.contains(text) == true && run.errors.first?.contains("limitExceeded") == true)
    }
    // A device without an end.
    let octets = try SystemInterface.contents(ofFile: "/dev/zero", upTo: 100_000)
    #expect(octets.count == 100_001)
    #expect(throws: CommandFailure.self) { try Console.standard.file("/dev/zero", upTo: .file) }
  }

  @Test func `an operand that is no file, and can be no token, is said to be neither`() {
    for operand in ["tokn", "no such file"] {
      let run = CommandRun(["inspect", operand])
      #expect(run.status == .invalid && run.errors.first?.contains("no file of this name") == true)
      #expect(run.errors.first?.contains("opaque") == true)
    }
    #expect(CommandRun(["inspect", "a.b"]).status == .invalid)
  }

  @Test func `a password file may begin with a byte order mark, and PKCS#12 is called so`() throws {
    let password = Array("\u{FEFF}correct horse\n".utf8)
    let arguments = try Arguments(["--password-file", "p"], options: ["password-file"])
    let console = Console(
      readInput: { [] }, readFile: { _ in password }, write: { _ in }, writeError: { _ in })
    #expect(try console.password(of: arguments) == Array("correct horse".utf8))
    // The beginning of a PFX: SEQUENCE { 3, SEQUENCE { … } }.
    let pfx: [UInt8] = [0x30, 0x07, 0x02, 0x01, 0x03, 0x30, 0x02, 0x05, 0x00]
    let run = CommandRun(["key", "import"], input: pfx)
    #expect(run.status == .invalid && run.errors.first?.contains("PKCS#12") == true)
  }

  @Test func `tokens of tutorials are looked at with a longer lifetime`() throws {
    let key = ["k": Array(Self.jwk.utf8)]
    let claims = #"{"iss":"i","aud":"a","exp":9999999999}"#
    let token = String(
      CommandRun(["jwt", "sign", "--key", "k", "--no-expiry"], input: "{}", files: key).text.dropLast())
    #expect(!token.isEmpty)
    let signed = CommandRun(["jwt", "sign", "--key", "k"], input: claims, files: key).text
    let verify = ["jwt", "verify", "--key", "k", "--iss", "i", "--aud", "a"]
    let refused = CommandRun(verify, input: signed, files: key)
    #expect(refused.status == .invalid && refused.errors.first?.contains("maximumLifetime") == true)
    #expect(refused.errors.first?.contains("milliseconds") == false)
    #expect(CommandRun(verify + ["--max-lifetime", "200000d"], input: signed, files: key).status == .done)
    let explain = ["jwt", "explain"] + verify.dropFirst(2)
    #expect(CommandRun(explain + ["--max-lifetime", "200000d"], input: signed, files: key).status == .done)
  }

  @Test func `who encrypts to many nameless recipients, or by a short password, is told so`() throws {
    let made = CommandRun(["key", "generate", "--alg", "RSA-OAEP-256", "--size", "4096"])
    let long = Array(made.output)
    var named = try JWK(parsing: long)
    named.keyID = "1"
    let password = Array(#"{"kty":"oct","k":"cGFzcw"}"#.utf8)
    let files = ["long": long, "named": Array(try named.serialized()), "password": password]
    func errors(_ arguments: [String]) -> [String] {
      let run = CommandRun(["encrypt"] + arguments, input: "x", files: files)
      #expect(run.status == .done, "\(run.errors)")
      return run.errors
    }
    func keys(_ name: String, _ count: Int) -> [String] { (0..<count).flatMap { _ in ["--key", name] } }
    #expect(errors(keys("long", 4)).first?.contains("kid") == true)
    #expect(errors(keys("long", 3)).isEmpty && errors(keys("named", 4)).isEmpty)
    let short = ["--key", "password", "--alg", "PBES2-HS256+A128KW"]
    #expect(errors(short).first?.contains("8 characters") == true)
  }
}
