import JOSE
import Testing

@testable import PureJOSECommand

@Suite("jose jwks")
struct JWKSVerbTests {
  private let one = JWK.generate(.es256, keyID: "one")
  private let two = JWK.generate(.ed25519, keyID: "two")

  private func octets(_ key: JWK) -> [UInt8] { Array(key.serializedWithPrivateKey()) }
  private func set(_ keys: JWK...) -> [UInt8] {
    let list = keys.map { String(decoding: octets($0), as: UTF8.self) }.joined(separator: ",")
    return Array("{\"keys\":[\(list)]}".utf8)
  }

  @Test("keys, sets and PEM become one set of public keys, each key once")
  func merge() throws {
    let pem = try #require(JWK.generate(.es384).publicPEMRepresentation)
    let files = ["a": octets(one), "b": set(one, two), "c": Array(pem.utf8)]
    let run = CommandRun(["jwks", "merge", "a", "b", "c"], files: files)
    #expect(run.status == .done && !run.text.contains("\"d\""))
    #expect(try JWKSet(parsing: run.output).keys.map(\.keyID) == ["one", "two", nil])
    let secret = CommandRun(["jwks", "merge", "--private", "a", "b"], files: files)
    #expect(try JWKSet(parsing: secret.output, acceptsSecretKeys: true).keys.allSatisfy(\.isPrivate))
    // A public half and its private key are one key, whichever comes first.
    let publicOne = Array(try one.serialized())
    for order in [["a", "p"], ["p", "a"]] {
      let run = CommandRun(["jwks", "merge", "--private"] + order, files: ["a": octets(one), "p": publicOne])
      let keys = try JWKSet(parsing: run.output, acceptsSecretKeys: true).keys
      #expect(keys.count == 1 && keys[0].isPrivate)
    }
  }

  @Test("two keys of one name, entries that can't be used and secrets without --private are refused")
  func mergeRefusals() {
    let other = JWK.generate(.es256, keyID: "one")
    let files = [
      "a": octets(one), "b": octets(other), "bad": Array(#"{"keys":[{"kty":"x"}]}"#.utf8),
      "oct": octets(JWK.generate(.hs256)),
    ]
    for (arguments, error) in [
      (["a", "b"], "keyInvalid(kid)"), (["a", "bad"], "entry 0 of bad"), (["oct"], "keyMismatch(kty)"),
    ] {
      let run = CommandRun(["jwks", "merge"] + arguments, files: files)
      #expect(run.status == .invalid && run.output.isEmpty && run.errors[0].contains(error))
    }
    #expect(CommandRun(["jwks", "merge", "--private", "oct"], files: files).status == .done)
  }

  @Test(
    "a filter keeps the keys for which all holds",
    arguments: [
      (["--kid", "one"], ["one"]), (["--alg", "Ed25519"], ["two"]), (["--kty", "EC"], ["one"]),
      (["--crv", "Ed25519"], ["two"]), (["--kid", "one", "--kty", "OKP"], []), (["--use", "enc"], []),
      ([], ["one", "two"]),
    ])
  func filter(_ arguments: [String], _ names: [String]) throws {
    let run = CommandRun(["jwks", "filter"] + arguments, input: set(one, two))
    #expect(run.status == .done && !run.text.contains("\"d\""))
    #expect(try JWKSet(parsing: run.output).keys.map { $0.keyID ?? "" } == names)
    let secret = CommandRun(["jwks", "filter", "--private"] + arguments, input: set(one, two))
    #expect(try JWKSet(parsing: secret.output, acceptsSecretKeys: true).keys.allSatisfy(\.isPrivate))
  }

  @Test("a check shows each entry and what is wrong with it")
  func check() throws {
    let publicSet = JWKSet([one, two]).serialized()
    let good = CommandRun(["jwks", "check"], input: publicSet)
    #expect(good.status == .done && good.text.split(separator: "\n").count == 2 && good.errors.isEmpty)
    let thumbprint = try two.thumbprint()
    #expect(good.text.contains("0  EC P-256 kid one alg ES256") && good.text.contains(thumbprint))
    let secret = CommandRun(["jwks", "check"], input: set(one))
    #expect(secret.status == .invalid && secret.text.contains("private"))
    #expect(CommandRun(["jwks", "check", "--private"], input: set(one)).status == .done)
    let twice = CommandRun(
      ["jwks", "check"], input: JWKSet([one, JWK.generate(.es256, keyID: "one")]).serialized())
    #expect(twice.status == .invalid && twice.text.contains("occurs twice"))
    let unnamed = CommandRun(["jwks", "check"], input: JWKSet([one, JWK.generate(.es256)]).serialized())
    #expect(unnamed.status == .invalid && unnamed.text.contains("1  EC P-256") && unnamed.text.contains("no name"))
    let bad = CommandRun(["jwks", "check"], input: #"{"keys":[{"kty":"x"},5,{"kty":"EC","kty":"EC"}]}"#)
    #expect(bad.status == .invalid && bad.text.split(separator: "\n").allSatisfy { $0.contains("can't be used") })
    #expect(bad.text.split(separator: "\n").count == 3 && bad.errors.count == 1)
    #expect(CommandRun(["jwks", "check"], input: #"{"keys":[]}"#).status == .invalid)
  }

  @Test("a kid with control characters is written escaped")
  func names() {
    let run = CommandRun(
      ["jwks", "check"], input: JWKSet([JWK.generate(.es256, keyID: "a\u{1B}[2Jé")]).serialized())
    #expect(run.status == .done && !run.text.contains("\u{1B}") && run.text.contains("kid a\\u{1B}[2J\\u{00E9}"))
  }

  @Test(
    "wrong usage",
    arguments: [["jwks"], ["jwks", "chek"], ["jwks", "merge"], ["jwks", "merge", "absent"], ["jwks", "check", "x"]])
  func usage(_ arguments: [String]) {
    let run = CommandRun(arguments, input: "{}")
    #expect(run.status == .usage)
    if arguments.last == "chek" { #expect(run.errors[0].contains("did you mean check?")) }
  }
}
