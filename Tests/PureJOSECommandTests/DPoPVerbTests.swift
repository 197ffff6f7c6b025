import JOSE
import Testing

@testable import PureJOSECommand

@Suite("jose dpop")
struct DPoPVerbTests {
  private let key: SigningKey
  private let thumbprint: String

  init() throws {
    key = try .generate(.es256)
    thumbprint = try #require(key.verificationKey.publicJWK).thumbprint()
  }

  private func proof(accessToken: String? = nil, nonce: String? = nil) throws -> String {
    try DPoP.proof(
      method: "POST", url: "https://api.example.com/a?x=1", key: key, accessToken: accessToken, nonce: nonce,
      clock: .fixed(at: NumericDate(1000)))
  }

  private func verify(
    _ proof: String, _ arguments: [String] = [], method: String = "POST", uri: String = "https://api.example.com/a",
    at: String = "1010", token: String = ""
  ) -> CommandRun {
    CommandRun(
      ["dpop", "verify", "--method", method, "--uri", uri, "--at", at] + arguments, input: proof + "\n",
      files: ["token": Array((token + "\n").utf8)])
  }

  @Test("a proof for the request yields its key's thumbprint")
  func accepted() throws {
    let run = verify(try proof())
    #expect(run.status == .done && run.text == thumbprint + "\n" && run.errors.isEmpty)
    #expect(verify(try proof(nonce: "n"), ["--nonce", "n"]).status == .done)
  }

  @Test("what is wrong with a proof is named")
  func refused() throws {
    func verdict(_ run: CommandRun) -> String {
      #expect(run.status == .invalid && run.output.isEmpty && run.errors.count == 1)
      return run.errors.first ?? ""
    }
    let proof = try proof()
    #expect(verdict(verify(proof, method: "GET")).contains("claimMismatch(htm)"))
    #expect(verdict(verify(proof, uri: "https://api.example.com/b")).contains("claimMismatch(htu)"))
    #expect(verdict(verify(proof, at: "1061")).contains("claimExpired(iat)"))
    #expect(verdict(verify(proof, at: "900")).contains("claimNotYetValid(iat)"))
    #expect(verdict(verify(proof, ["--nonce", "n"])).contains("claimMissing(nonce)"))
    #expect(verdict(verify(proof, ["--access-token", "token"], token: "opaque")).contains("claimMissing(ath)"))
    #expect(verdict(verify("x.y.z")).contains("malformed"))
    let token = try JWT.sign(["sub": "jane"] as JSONObject, with: key)
    #expect(verdict(verify(token)).contains("typeMismatch(typ)"))
  }

  @Test("an access token is the proof's, by its hash and by the key that it is bound to")
  func accessTokens() throws {
    let other = try SigningKey.generate(.es256)
    func bound(_ claims: JSONObject) throws -> CommandRun {
      let token = try JWT.sign(claims, with: other)
      return verify(try proof(accessToken: token), ["--access-token", "token"], token: token)
    }
    #expect(
      verify(try proof(accessToken: "opaque"), ["--access-token", "token"], token: "opaque").text == thumbprint + "\n")
    #expect(
      verify(try proof(accessToken: "other"), ["--access-token", "token"], token: "opaque").errors[0]
        .contains("claimMismatch(ath)"))
    #expect(try bound(["cnf": ["jkt": .string(thumbprint)]]).text == thumbprint + "\n")
    #expect(try bound(["cnf": ["jkt": "x"]]).errors[0].contains("keyMismatch(jkt)"))
    #expect(try bound(["sub": "jane"]).errors[0].contains("claimMissing(cnf)"))
  }

  @Test("a proof that the command makes is one that it takes, with token and nonce")
  func signing() throws {
    let jwk = JWK.generate(.es256, keyID: "k")
    let files = ["key": jwk.serializedWithPrivateKey(), "token": Array("opaque\n".utf8)]
    let request = [
      "--method", "GET", "--uri", "https://api.example.com/a?x=1", "--access-token", "token", "--nonce", "n",
    ]
    let proof = CommandRun(["dpop", "sign", "--key", "key"] + request, files: files)
    #expect(proof.status == .done && proof.errors.isEmpty)
    let verified = CommandRun(["dpop", "verify"] + request, input: proof.text, files: files)
    #expect(try verified.text == jwk.thumbprint() + "\n")
    let header = try UnverifiedJWS(parsing: String(proof.text.dropLast())).unverifiedHeader
    #expect(header["jwk"]?.objectValue?["d"] == nil && header.keyID == nil)
    func isUsageError(_ arguments: String...) -> Bool {
      CommandRun(["dpop", "sign", "--key", "key"] + arguments, files: files).status == .usage
    }
    #expect(isUsageError("--method", "GET", "--uri", "/a"))
    #expect(isUsageError("--method", "GET") && isUsageError("--uri", "https://a.example/"))
    let secret = ["key": JWK.generate(.hs256).serializedWithPrivateKey()]
    #expect(
      CommandRun(["dpop", "sign", "--key", "key", "--method", "GET", "--uri", "https://a.example/"], files: secret)
        .status == .invalid)
  }

  @Test(
    "wrong usage",
    arguments: [
      ["dpop"], ["dpop", "sign"], ["dpop", "verify"], ["dpop", "verify", "--method", "GET"],
      ["dpop", "verify", "--method", "GET", "--uri", "https://a.example/", "--at", "x"],
      ["dpop", "verify", "--method", "GET", "--uri", "https://a.example/", "--access-token", "absent"],
    ])
  func usage(_ arguments: [String]) {
    #expect(CommandRun(arguments).status == .usage)
  }

  @Test("a URI without a host is wrong usage")
  func relativeURI() throws {
    #expect(verify(try proof(), uri: "/a").status == .usage)
  }
}
