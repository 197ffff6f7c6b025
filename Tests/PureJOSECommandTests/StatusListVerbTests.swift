import JOSE
import StrictJSON
import Testing

@testable import PureJOSECommand

@Suite("jose status-list")
struct StatusListVerbTests {
  private static let uri = "https://idp.example/lists/1"
  private let files: [String: [UInt8]]

  init() throws {
    let key = JWK.generate(.es256, keyID: "lists")
    files = ["key": key.serializedWithPrivateKey(), "public": try key.serialized(), "file": Array(#"{"3":1}"#.utf8)]
  }

  private func run(_ arguments: [String], input: String = "") -> CommandRun {
    CommandRun(["status-list"] + arguments, input: input, files: files)
  }

  private func token(_ statuses: String, _ further: [String] = []) -> String {
    let run = run(
      ["encode", "--bits", "2", "--size", "100", "--key", "key", "--uri", Self.uri, "--ttl", "5m"] + further,
      input: statuses)
    #expect(run.status == .done && run.errors.isEmpty)
    return run.text
  }

  private func check(_ token: String, _ index: String, _ further: [String] = [], uri: String = uri) -> CommandRun {
    run(["check", "--key", "public", "--uri", uri, "--index", index] + further, input: token)
  }

  @Test("a list is written as a claim, and decoded as the same")
  func claim() throws {
    for input in [[], ["-"], ["file"]] {
      let claim = run(["encode", "--bits", "4", "--size", "5"] + input, input: #"{"3":1}"#)
      #expect(claim.status == .done)
      let decoded = try JSONObject(parsing: run(["decode"], input: claim.text).output)
      #expect(decoded["bits"] == 4 && decoded["size"] == 6)
      #expect(decoded["counts"] == ["valid": 5, "invalid": 1] && decoded["statuses"] == ["3": 1])
    }
  }

  @Test("a list is signed, and tells the status of one token")
  func wholeWay() throws {
    let token = token(#"{"7":1,"8":2,"9":3}"#)
    #expect(check(token, "0").status == .done && check(token, "0").text == "valid\n")
    for (index, status) in [("7", "invalid"), ("8", "suspended"), ("9", "application-specific 3")] {
      let run = check(token, index)
      #expect(run.status == .invalid && run.text == status + "\n" && run.errors[0].contains("statusRefused"))
    }
    #expect(check(token, "100").errors[0].contains("claimInvalid(status)"))
    #expect(check(token, "0", uri: "https://idp.example/lists/2").errors[0].contains("claimMismatch(sub)"))
    #expect(check(token, "0", ["--at", "4000000000"]).errors[0].contains("claimExpired"))
    #expect(check(token, "0", ["--iss", "x"]).errors[0].contains("iss"))
    let decoded = try JSONObject(parsing: run(["decode", String(token.dropLast())]).output)
    #expect(decoded["counts"] == ["valid": 97, "invalid": 1, "suspended": 1, "application-specific 3": 1])
    let claims = try JSONObject(parsing: CommandRun(["inspect", "--json"], input: token).output)["claims"]?.objectValue
    #expect(claims?["ttl"] == 300 && claims?["sub"] == .string(Self.uri))
  }

  @Test("malformed lists and unsuitable arguments are refused")
  func refusals() {
    let encode = ["encode", "--bits", "2", "--size", "10"]
    for (arguments, input, status) in [
      (["encode", "--bits", "2"], "{}", ExitStatus.usage), (encode + ["--uri", "x"], "{}", .usage),
      (encode + ["--key", "key"], "{}", .usage), (encode + ["--key", "key", "--uri", Self.uri], "{}", .usage),
      (encode, "[]", .invalid), (encode, #"{"x":1}"#, .invalid), (encode, #"{"1":4}"#, .invalid),
      (encode, #"{"12":1}"#, .invalid), (encode, #"{"1":"1"}"#, .invalid), (encode, #"{"1":256}"#, .invalid),
      (["encode", "--bits", "3", "--size", "10"], "{}", .invalid), (["decode"], "{}", .invalid),
      (["decode"], "a.b.c", .invalid), (["check", "--key", "public", "--uri", Self.uri], "a.b.c", .usage),
      (["check", "--key", "public", "--uri", Self.uri, "--index", "-1"], "a.b.c", .usage),
      (["check", "--key", "public", "--uri", Self.uri, "--index", "0"], "a.b.c", .invalid), (["list"], "", .usage),
    ] {
      #expect(run(arguments, input: input).status == status, "\(arguments) \(input)")
    }
    #expect(token("{}", ["--expires-in", "10m"]).isEmpty == false)
    let short = run(
      encode + ["--key", "key", "--uri", Self.uri, "--ttl", "5m", "--expires-in", "1m"], input: "{}")
    #expect(short.status == .invalid && short.errors[0].contains("lifetime"))
  }
}
