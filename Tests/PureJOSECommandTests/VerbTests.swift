import Foundation
import JOSE
import Testing

@testable import PureJOSECommand

@Suite("The jose command")
struct VerbTests {
  @Test("keys are generated, shown in public, and named", arguments: ["ES256", "ES256K", "ECDH-ES"])
  func asymmetricKeys(_ algorithm: String) throws {
    let generated = CommandRun(["key", "generate", "--alg", algorithm, "--kid", "k1"])
    #expect(generated.status == .done && generated.errors.isEmpty)
    let key = try JWK(parsing: generated.text)
    #expect(key.isPrivate && key.keyID == "k1" && key.algorithm == algorithm)
    let shown = CommandRun(["key", "public"], input: generated.output)
    #expect(shown.status == .done && !shown.text.contains("\"d\""))
    #expect(try JWK(parsing: shown.text).isPrivate == false)
    let thumbprint = CommandRun(["key", "thumbprint"], input: shown.output)
    #expect(thumbprint.text == (try key.thumbprint()) + "\n")
  }

  @Test(
    "symmetric keys have the length of their algorithm",
    arguments: [("HS256", 32), ("A128GCM", 16), ("A192GCM", 24), ("A256GCM", 32)])
  func symmetricKeys(_ algorithm: String, _ count: Int) throws {
    let generated = CommandRun(["key", "generate", "--alg", algorithm])
    guard case .string(let k)? = try JSONObject(parsing: generated.output)["k"] else { return #expect(Bool(false)) }
    #expect(try Base64URL.decode(k).count == count)
    let shown = CommandRun(["key", "public"], input: generated.output)
    #expect(shown.status == .invalid && shown.output.isEmpty && shown.errors.count == 1)
    #expect(CommandRun(["key", "thumbprint"], input: generated.output).text.utf8.count == 44)
  }

  @Test(
    "a signed payload verifies with the key and with a set; a changed one does not",
    arguments: ["ES256", "ES256K", "HS256"])
  func signAndVerify(_ algorithm: String) throws {
    let key = CommandRun(["key", "generate", "--alg", algorithm, "--kid", "k1"]).output
    let payload: [UInt8] = [0, 0xFF, 0x0A, 0x0D]
    let signed = CommandRun(["sign", "--key", "k", "--typ", "x"], input: payload, files: ["k": key])
    #expect(signed.status == .done && signed.text.hasSuffix("\n"))
    #expect(CommandRun(["verify", "--key", "k"], input: signed.output, files: ["k": key]).output == payload)
    let set = Array("{\"keys\":[".utf8) + key + Array("]}".utf8)
    #expect(CommandRun(["verify", "--key", "s"], input: signed.output, files: ["s": set]).output == payload)
    var changed = signed.output
    changed[changed.count - 10] ^= 1
    let refused = CommandRun(["verify", "--key", "k"], input: changed, files: ["k": key])
    #expect(refused.status == .invalid && refused.output.isEmpty && refused.errors.count == 1)
    let other = CommandRun(["key", "generate", "--alg", algorithm]).output
    #expect(CommandRun(["verify", "--key", "k"], input: signed.output, files: ["k": other]).status == .invalid)
  }

  @Test("an encrypted plaintext opens with the private key, with party info in the header")
  func encryptAndDecrypt() throws {
    let key = CommandRun(["key", "generate", "--alg", "ECDH-ES"]).output
    let publicKey = CommandRun(["key", "public"], input: key).output
    let sealed = CommandRun(
      ["encrypt", "--key", "p", "--alg", "ECDH-ES", "--enc", "A128GCM", "--apu", "QWxpY2U", "--apv", "Qm9i"],
      input: "secret", files: ["p": publicKey])
    #expect(sealed.status == .done)
    #expect(CommandRun(["decrypt", "--key", "k"], input: sealed.output, files: ["k": key]).text == "secret")
    let inspected = CommandRun(["inspect"], input: sealed.output).text
    #expect(inspected.hasPrefix("NOT VERIFIED") && inspected.contains("QWxpY2U") && !inspected.contains("secret"))
    let wrong = CommandRun(["key", "generate", "--alg", "ECDH-ES"]).output
    let refused = CommandRun(["decrypt", "--key", "k"], input: sealed.output, files: ["k": wrong])
    #expect(refused.status == .invalid && refused.output.isEmpty)
    #expect(CommandRun(["decrypt", "--key", "k"], input: sealed.output, files: ["k": publicKey]).status == .invalid)
  }

  @Test("direct encryption", arguments: ["A128GCM", "A192GCM", "A256GCM"])
  func direct(_ algorithm: String) {
    let key = CommandRun(["key", "generate", "--alg", algorithm]).output
    let sealed = CommandRun(["encrypt", "--key", "k"], input: "x", files: ["k": key])
    #expect(CommandRun(["decrypt", "--key", "k"], input: sealed.output, files: ["k": key]).text == "x")
  }

  @Test("PEM keys serve as well as JWKs")
  func pem() throws {
    let jwk = JWK.generate(.es256)
    let privatePEM = Array(try #require(jwk.privatePEMRepresentation).utf8)
    let publicPEM = Array(try #require(jwk.publicPEMRepresentation).utf8)
    let signed = CommandRun(["sign", "--key", "k"], input: "x", files: ["k": privatePEM])
    #expect(CommandRun(["verify", "--key", "k"], input: signed.output, files: ["k": publicPEM]).text == "x")
  }

  @Test("inspect shows header and claims and says that nothing is verified")
  func inspect() throws {
    let token = try JWT.sign(["sub": "jane"], with: SigningKey.generate(.es256))
    let shown = CommandRun(["inspect"], input: token + "\r\n").text
    #expect(
      shown.hasPrefix("NOT VERIFIED") && shown.contains("\"alg\" : \"ES256\"") && shown.contains("\"sub\" : \"jane\""))
    #expect(CommandRun(["inspect"], input: "nonsense").status == .invalid)
  }

  @Test(
    "wrong usage ends with 2, one line and no output",
    arguments: [
      [], ["nonsense"], ["key"], ["key", "generate"], ["key", "generate", "--alg"],
      ["key", "generate", "--alg", "none"],
      ["key", "generate", "--alg", "ES256", "--alg", "ES256"], ["sign"], ["sign", "--key", "-"],
      ["sign", "--key", "absent"],
      ["sign", "--key", "k", "extra"], ["sign", "--nonsense", "x"], ["verify"],
      ["encrypt", "--key", "k", "--alg", "RSA1_5"],
      ["encrypt", "--key", "k", "--enc", "A1"], ["encrypt", "--key", "k", "--apu", "="], ["decrypt"],
      ["inspect", "x", "y"],
      ["demo"], ["demo", "nonsense"],
    ])
  func usage(_ arguments: [String]) {
    let key = CommandRun(["key", "generate", "--alg", "ES256"]).output
    let run = CommandRun(arguments, files: ["k": key])
    #expect(run.status == .usage && run.output.isEmpty && run.errors.count == 1)
  }

  @Test(
    "invalid input ends with 1, one line and no output",
    arguments: [
      (["key", "public"], ""), (["key", "public"], "{}"), (["key", "thumbprint"], "[]"),
      (["verify", "--key", "k"], ""),
      (["verify", "--key", "k"], "a.b.c"), (["decrypt", "--key", "k"], "a.b.c.d.e"),
      (["verify", "--key", "bad"], "a.b.c"),
      (["decrypt", "--key", "k"], "\u{FEFF}"), (["inspect"], "a.b"),
    ])
  func invalid(_ arguments: [String], _ input: String) {
    let key = CommandRun(["key", "generate", "--alg", "ES256"]).output
    let run = CommandRun(arguments, input: input, files: ["k": key, "bad": Array("nonsense".utf8)])
    #expect(run.status == .invalid && run.output.isEmpty && run.errors.count == 1)
  }

  /// What the Platform SSO demonstration shows.
  private func platformSSO(isVerbose: Bool, hasColors: Bool = false) async throws -> String {
    let shown = Streams()
    var console = Console(
      readInput: { [] }, readFile: { _ in [] }, write: { bytes in shown.output.withLock { $0 += bytes } },
      writeError: { _ in })
    console.outputHasColors = { hasColors }
    try await DemoVerb(console: console).play(.platformSSO, isVerbose: isVerbose)
    return String(decoding: shown.output.withLock { $0 }, as: UTF8.self)
  }

  @Test("the Platform SSO demonstration fits a terminal: every message, what was checked, a table of the exchanges")
  func platformSSOInShort() async throws {
    let text = try await platformSSO(isVerbose: false)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 60 && lines.allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(lines.allSatisfy { $0.last != " " } && !text.contains("\u{1b}"))
    #expect(text.count { $0 == "✓" } == lines.count { $0.hasPrefix("  ") })
    for line in [
      "400, signatureInvalid", "400, serverNonceReplayed", "401, refreshTokenRejected", "401, passwordRejected",
    ] {
      #expect(lines.count { $0.hasSuffix(line) } == 1, "\(line)")
    }
    let table = lines.drop { !$0.hasPrefix("exchange ") }.dropFirst()
    #expect(
      table.compactMap { $0.split(separator: "  ").first } == [
        "login, password", "login, encrypted password", "login, Secure Enclave key", "login, smart card",
        "login, browser", "refresh", "key request", "key exchange", "what is refused",
      ])
    // As many checks as the long form makes.
    let checks = table.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    #expect(checks == (try await platformSSO(isVerbose: true).count { $0 == "✓" }))
    #expect(try await platformSSO(isVerbose: false, hasColors: true).contains("\u{1b}[32m✓"))
  }

  @Test("the Platform SSO demonstration plays to its end, and shows what is refused")
  func platformSSO() async throws {
    let text = try await platformSSO(isVerbose: true)
    #expect(text.count { $0 == "✓" } >= 100)
    // Every message, from both sides, is in the table at the end.
    let table = text.split(separator: "\n").drop { !$0.hasPrefix("message ") }.map { row in
      row.split(separator: "  ").first.map(String.init) ?? ""
    }
    for method in ["password", "encrypted password", "Secure Enclave key", "smart card", "browser"] {
      #expect(table.contains("login request, \(method)"))
    }
    for message in [
      "server nonce request", "server nonce response", "login request, checked", "login response",
      "login response, opened", "preauthentication request", "preauthentication response", "authorization request",
      "authorization request, checked", "callback", "refresh request", "refresh request, checked", "key request",
      "key request, checked", "key response", "key response, opened", "key exchange request",
      "key exchange request, checked", "key exchange response", "key exchange response, opened",
    ] {
      #expect(table.contains(message), "\(message)")
    }
    for code in [
      "serverNonceReplayed", "signatureInvalid", "refreshTokenRejected", "passwordRejected", "deviceUnknown",
    ] {
      #expect(text.contains("refused: \(code)"))
    }
  }

  @Test("every verb has help", arguments: Verb.allCases)
  func help(_ verb: Verb) {
    let run = CommandRun([verb.rawValue, "--help"])
    #expect(run.status == .done && run.text.hasPrefix("jose \(verb.rawValue)"))
    #expect(CommandRun(["--help"]).text.contains("jose \(verb.rawValue)"))
  }
}
