import JOSE
import StrictJSON
import Testing

@testable import PureJOSECommand

@Suite("jose sd-jwt")
struct SDJWTVerbTests {
  private let files: [String: [UInt8]]
  private static let claims = #"""
    {"iss":"https://issuer.example","exp":1800000600,"vct":"t","email":"a@b","address":{"street":"High St","geo":[1,2]},"a.b":1}
    """#

  init() throws {
    let (issuer, holder) = (JWK.generate(.es256, keyID: "i"), JWK.generate(.es256))
    let publicKey = try #require(issuer.publicKey)
    files = [
      "issuer": issuer.serializedWithPrivateKey(), "public": try issuer.serialized(),
      "set": JWKSet([publicKey]).serialized(),
      "holder": holder.serializedWithPrivateKey(), "holder.public": try holder.serialized(),
    ]
  }

  private func run(_ arguments: [String], input: String = "") -> CommandRun {
    CommandRun(["sd-jwt"] + arguments, input: input, files: files)
  }

  private func issued(_ paths: [String] = ["email", "address.street", "address.geo[1]", #"["a.b"]"#]) -> String {
    let run = run(
      ["issue", "--key", "issuer", "--typ", "dc+sd-jwt", "--holder", "holder.public", "--decoys", "2"]
        + paths.flatMap { ["--disclose", $0] }, input: Self.claims)
    #expect(run.status == .done && run.errors.isEmpty)
    return run.text
  }

  private func verified(_ token: String, _ arguments: [String] = [], key: String = "public") -> CommandRun {
    run(["verify", "--key", key, "--at", "1800000000", "--typ", "dc+sd-jwt"] + arguments, input: token)
  }

  @Test("a token is issued, shown in part, and verified")
  func wholeWay() throws {
    let token = issued()
    let presented = run(["present", "--show", "email", "--show", "address.geo[1]"], input: token)
    #expect(presented.status == .done)
    for key in ["public", "set", "issuer"] {
      let run = verified(presented.text, ["--iss", "https://issuer.example", "--require", "email"], key: key)
      #expect(run.status == .done && run.errors.isEmpty)
      let claims = try JSONObject(parsing: run.output)
      #expect(claims["email"]?.stringValue == "a@b" && claims["a.b"] == nil && claims["cnf"] != nil)
      #expect(claims["address"] == ["geo": [1, 2]])
    }
    #expect(verified(presented.text, ["--require", "a.b"]).errors[0].contains("claimMissing"))
    #expect(verified(presented.text, ["--vct", "u", "--vct", "t"]).status == .done)
    #expect(verified(presented.text, ["--vct", "u"]).errors[0].contains("claimMismatch(vct)"))
    #expect(verified(presented.text, ["--iss", "x"]).errors[0].contains("claimMismatch(iss)"))
    #expect(run(["verify", "--key", "public", "--at", "1800000600"], input: presented.text).errors[0].contains("exp"))
    #expect(run(["verify", "--key", "holder.public", "--at", "1800000000"], input: token).status == .invalid)
  }

  @Test("a holder binds what is shown to a verifier and its nonce")
  func binding() throws {
    let token = issued()
    let verifier = ["--aud", "https://shop.example", "--nonce", "n1"]
    let bound = run(["present", "--show", "email", "--key", "holder"] + verifier, input: token)
    #expect(bound.status == .done)
    // The proof was made now, so that the token has to be valid now too: its own date is far ahead.
    let run = run(["verify", "--key", "public"] + verifier, input: bound.text)
    #expect(run.status == .done, "\(run.errors)")
    #expect(self.run(["verify", "--key", "public"] + verifier, input: token).errors[0].contains("kb_jwt"))
    let other = ["--aud", "https://shop.example", "--nonce", "n2"]
    #expect(self.run(["verify", "--key", "public"] + other, input: bound.text).errors[0].contains("nonce"))
  }

  @Test("a token is shown without being verified")
  func inspection() throws {
    let shown = try JSONObject(parsing: run(["inspect"], input: issued()).output)
    #expect(shown["bound"] == false && shown["header"]?.objectValue?["typ"]?.stringValue == "dc+sd-jwt")
    #expect(shown["claims"]?.objectValue?["email"]?.stringValue == "a@b")
    #expect(
      try Set(#require(shown["disclosed"]?.arrayValue).compactMap(\.stringValue))
        == ["email", "address.street", "address.geo[1]", "a.b"])
  }

  @Test("wrong calls are named")
  func misuse() {
    for path in ["", ".", "a.", "a[", "a[x]", "a[-1]", "[]", "[1.5]", "[null]", "[0", "a]b["] {
      let run = run(["issue", "--key", "issuer", "--typ", "x", "--disclose", path], input: "{}")
      #expect(run.status == .usage, "\(path)")
    }
    #expect(run(["issue", "--key", "issuer"], input: "{}").status == .usage)
    #expect(run(["issue", "--key", "issuer", "--typ", "x", "--disclose", "a"], input: "{}").status != .done)
    #expect(
      run(["issue", "--key", "issuer", "--typ", "dc+sd-jwt", "--disclose", "iss"], input: Self.claims).status != .done)
    #expect(run(["present", "--aud", "a"], input: issued()).status == .usage)
    #expect(run(["present", "--key", "holder", "--aud", "a"], input: issued()).status == .usage)
    #expect(run(["present", "--show", "iss"], input: issued()).status != .done)
    #expect(run(["verify", "--key", "public", "--aud", "a"], input: issued()).status == .usage)
    #expect(run(["inspect"], input: "x").status == .invalid)
    #expect(run(["shows"]).errors[0].contains("issue"))
  }
}
