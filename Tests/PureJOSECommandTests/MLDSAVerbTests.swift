import JOSE
import Testing

@testable import PureJOSECommand

@Suite("The jose command with ML-DSA")
struct MLDSAVerbTests {
  static let names = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"]

  @Test("a key is made, shown, named, and signs what its public half verifies", arguments: names)
  func key(_ name: String) throws {
    let made = CommandRun(["key", "generate", "--alg", name, "--kid", "k"])
    #expect(made.status == .done, "\(made.errors)")
    let key = try JWK(parsing: made.text)
    #expect(key.isPrivate && key.algorithm == name && key.keyID == "k")
    let shown = CommandRun(["key", "public"], input: made.output)
    #expect(!shown.text.contains("\"priv\"") && shown.text.contains("\"alg\":\"\(name)\""))
    #expect(CommandRun(["key", "thumbprint"], input: made.output).text == (try key.thumbprint()) + "\n")
    let other = CommandRun(["key", "generate", "--alg", name]).output
    let files = ["key": made.output, "public": shown.output, "other": other]
    let signed = CommandRun(["sign", "--key", "key"], input: "hello", files: files)
    #expect(signed.status == .done, "\(signed.errors)")
    for path in ["public", "key"] {
      #expect(CommandRun(["verify", "--key", path], input: signed.text, files: files).text == "hello")
    }
    #expect(CommandRun(["verify", "--key", "other"], input: signed.text, files: files).status == .invalid)
    let named = CommandRun(["sign", "--key", "key", "--alg", "ES256"], input: "hello", files: files)
    #expect(named.status == .invalid && named.errors.first?.contains("keyMismatch") == true)
    #expect(CommandRun(["inspect"], input: signed.text).text.contains(name))
    let set = CommandRun(["jwks", "merge", "key", "other"], files: files)
    #expect(set.status == .done && !set.text.contains("\"priv\""))
    #expect(CommandRun(["jwks", "filter", "--kty", "AKP", "--alg", name], input: set.output).output == set.output)
  }

  @Test("an imported key keeps its algorithm, and takes no other", arguments: names)
  func importing(_ name: String) throws {
    let key = try JWK(parsing: CommandRun(["key", "generate", "--alg", name]).text)
    for pem in [try #require(key.privatePEMRepresentation), try #require(key.publicPEMRepresentation)] {
      for arguments in [[], ["--alg", name]] {
        let run = CommandRun(["key", "import"] + arguments, input: pem)
        #expect(run.status == .done, "\(run.errors)")
        let read = try JWK(parsing: run.text)
        #expect(try read.algorithm == name && read.thumbprint() == key.thumbprint())
      }
      for other in ["ES256", "ECDH-ES", "HS256"] + Self.names where other != name {
        #expect(CommandRun(["key", "import", "--alg", other], input: pem).status == .invalid)
      }
    }
  }

  @Test("tokens and proofs")
  func tokens() throws {
    let key = CommandRun(["key", "generate", "--alg", "ML-DSA-65", "--kid", "k"]).output
    let files = ["key": key]
    let token = CommandRun(
      ["jwt", "sign", "--key", "key", "--iss", "i", "--sub", "s", "--aud", "a", "--expires-in", "60"], files: files)
    #expect(token.status == .done, "\(token.errors)")
    let verified = CommandRun(
      ["jwt", "verify", "--key", "key", "--iss", "i", "--aud", "a"], input: token.text, files: files)
    #expect(verified.status == .done, "\(verified.errors)")
  }

  @Test("help and completion name the algorithms")
  func help() {
    let text = CommandRun(["help", "sign"]).text
    for name in Self.names { #expect(text.contains(name) && CompletionVerb.keyAlgorithms.contains(name)) }
  }
}
