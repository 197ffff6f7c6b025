import JOSE
import Testing

@testable import PureJOSECommand

@Suite("jose jwt")
struct JWTVerbTests {
  static let key = Array(JWK.generate(.es256).serializedWithPrivateKey())
  static let files = ["key": key]

  private func sign(_ arguments: [String], _ input: String = "") -> CommandRun {
    CommandRun(["jwt", "sign", "--key", "key"] + arguments, input: input, files: Self.files)
  }

  private func verify(
    _ token: String, _ arguments: [String], key: String = "key", files: [String: [UInt8]] = JWTVerbTests.files
  ) -> CommandRun {
    CommandRun(["jwt", "verify", "--key", key] + arguments, input: token, files: files)
  }

  @Test("claims of options and input are signed, and come out when all is right")
  func roundTrip() throws {
    let signed = sign(
      [
        "--iss", "https://a.example", "--aud", "api", "--aud", "b", "--expires-in", "60", "--claim", "n=a=b",
        "--claim-json", "x=[1,true]",
      ], #"{"sub":"jane"}"#)
    #expect(signed.status == .done)
    let verified = verify(signed.text, ["--iss", "https://a.example", "--aud", "api", "--require", "sub"])
    #expect(verified.status == .done && verified.errors.isEmpty)
    let claims = try JSONObject(parsing: verified.output)
    #expect(
      claims["sub"] == "jane" && claims["aud"] == ["api", "b"] && claims["n"] == "a=b" && claims["x"] == [1, true])
    #expect(claims["iat"] != nil && claims["exp"] != nil)
  }

  @Test("what is wrong with a token is named")
  func refusals() {
    let token = sign([], #"{"iss":"i","aud":"a","exp":2000,"iat":1000,"nonce":"n"}"#).text
    func verdict(_ arguments: [String]) -> String {
      let run = verify(token, arguments)
      #expect(run.status == .done || run.output.isEmpty)
      return run.status == .done ? "done" : run.errors.first ?? ""
    }
    let right = ["--iss", "i", "--aud", "a", "--at", "1999"]
    #expect(verdict(right) == "done")
    #expect(verdict(right + ["--nonce", "n", "--alg", "ES256", "--typ", "jwt"]) == "done")
    #expect(verdict(["--iss", "i", "--aud", "a", "--at", "2000"]).contains("claimExpired(exp)"))
    #expect(verdict(["--iss", "i", "--aud", "a", "--at", "2059", "--leeway", "60"]) == "done")
    #expect(verdict(["--iss", "x", "--aud", "a", "--at", "1999"]).contains("claimMismatch(iss)"))
    #expect(verdict(["--iss", "i", "--aud", "x", "--at", "1999"]).contains("claimMismatch(aud)"))
    #expect(verdict(right + ["--typ", "at+jwt"]).contains("typeMismatch(typ)"))
    #expect(verdict(right + ["--require", "jti"]).contains("claimMissing(jti)"))
    #expect(verdict(right + ["--nonce", "other"]).contains("claimMismatch(nonce)"))
    #expect(verdict(right + ["--alg", "ES384"]).contains("keyMismatch"))
  }

  @Test("explain says what is wrong in 80 columns, and ends with 0 only for a token that verify takes")
  func explain() {
    let token = sign(
      [], #"{"iss":"i","aud":"a","exp":2000,"iat":1000,"long":"\#(String(repeating: "x", count: 150))"}"#
    )
    .text
    func explain(_ arguments: [String]) -> CommandRun {
      let run = CommandRun(["jwt", "explain", "--key", "key"] + arguments, input: token, files: Self.files)
      #expect(run.status == verify(token, arguments).status)
      #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(run.text)")
      return run
    }
    let accepted = explain(["--iss", "i", "--aud", "a", "--at", "1999"])
    #expect(accepted.status == .done && accepted.text.hasPrefix("accepted\nheader\n"))
    let refused = explain(["--iss", "x", "--aud", "a", "--at", "2030", "--leeway", "10"])
    #expect(refused.status == .invalid)
    for part in ["refused\n", "claimMismatch(iss)", "claimExpired(exp)", "30 s ago", "wanted \"x\""] {
      #expect(refused.text.contains(part), "\(part)")
    }
    #expect(refused.errors == ["jose: claimMismatch(iss): the token is from another issuer than the policy accepts"])
    let usage = CommandRun(
      ["jwt", "explain", "--key", "key", "--iss", "i", "--aud", "a", "--nonce", "n"], input: token, files: Self.files)
    #expect(usage.status == .usage)
  }

  @Test("what jose jwt sign makes, jose jwt verify takes, whether --expires-in is there or not")
  func expiry() throws {
    let right = ["--iss", "i", "--aud", "a"]
    for further in [[], ["--expires-in", "60"], ["--claim", "exp=2000000000"], ["--claim-json", "exp=2000000000"]] {
      let signed = sign(right + further)
      #expect(signed.status == .done && verify(signed.text, right).status == .done, "\(further)")
    }
    #expect(verify(sign(right, #"{"exp":2000000000}"#).text, right).status == .done)
    let unending = sign(right + ["--no-expiry"])
    #expect(unending.status == .done)
    #expect(verify(unending.text, right).errors.first?.contains("claimMissing(exp)") == true)
  }

  @Test("registered claims that no verifier would take are not signed")
  func registeredClaims() {
    for claim in ["exp=tomorrow", "nbf=", "iat=2026-11-23", "exp=1e400", "nbf=1.5.2", "iat=0x10"] {
      let run = sign(["--claim", claim])
      #expect(run.status == .usage && run.output.isEmpty && !(run.errors.first ?? "").contains("tomorrow"), "\(claim)")
    }
    for claim in [#"exp="2000000000""#, "nbf=true", "sub=5", "iss=[]", "aud=[1]", "aud=[]", "jti=[]"] {
      let run = sign(["--claim-json", claim])
      #expect(run.status == .invalid && run.output.isEmpty, "\(claim)")
    }
    #expect(sign([], #"{"exp":"soon"}"#).status == .invalid)
    #expect(sign(["--expires-in", "5", "--no-expiry"]).status == .usage)
    #expect(sign(["--no-expiry", "--claim", "exp=5"]).status == .usage)
  }

  @Test("a key set takes several algorithms")
  func sets() throws {
    let jwk = try JWK(parsing: Self.key)
    let set = JWKSet([try #require(jwk.publicKey)]).serialized()
    let token = sign(["--iss", "i", "--aud", "a", "--expires-in", "60"]).text
    let arguments = ["--iss", "i", "--aud", "a", "--alg", "ES256", "--alg", "RS256"]
    #expect(verify(token, arguments, key: "set", files: ["set": set]).status == .done)
    #expect(
      verify(token, ["--iss", "i", "--aud", "a", "--alg", "RS256"], key: "set", files: ["set": set]).status == .invalid)
    #expect(verify(token, arguments).status == .usage)
  }

  @Test(
    "wrong usage",
    arguments: [
      ["jwt"], ["jwt", "x"], ["jwt", "sign"], ["jwt", "verify", "--key", "key"],
      ["jwt", "verify", "--key", "key", "--iss", "i"], ["jwt", "sign", "--key", "key", "--claim", "x"],
      ["jwt", "sign", "--key", "key", "--claim-json", "x={"], ["jwt", "sign", "--key", "key", "--expires-in", "-1"],
      ["jwt", "sign", "--key", "key", "--iss", "a", "--claim", "iss=b"],
      ["jwt", "verify", "--key", "key", "--iss", "i", "--aud", "a", "--leeway", "601"],
      ["jwt", "verify", "--key", "key", "--iss", "i", "--aud", "a", "--alg", "none"],
    ])
  func usage(arguments: [String]) {
    #expect(CommandRun(arguments, input: "", files: Self.files).status == .usage)
  }
}
