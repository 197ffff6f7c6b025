import Foundation
import JOSE
import PlatformSSOKit
import Testing

@testable import PureJOSECommand

@Suite("jose psso profile and check-profile")
struct PSSOProfileVerbTests {
  private static let words = "profile --config mac.json --extension com.example.mac.ssoe --team ABCDE12345"

  /// What the check says of a profile in which it finds nothing.
  private static let good = "nothing is wrong with the profile\n"

  @Test("Settings of a file stand in the profile, and one that no profile has is named")
  func settings() throws {
    let shell = try PSSOShell()
    let good = """
      {"RegistrationToken": "abc", "LoginFrequency": 64800, "UseSharedDeviceKeys": true, "URLs": ["https://idp.example.com"],
       "ExtensionData": {"RegistrationURL": "https://idp.example.com/register"},
       "TokenToUserMapping": {"AccountName": "preferred_username"}}
      """
    try shell.write(good, "good.json")
    let made = try shell.run(Self.words + " --settings good.json")
    #expect(made.status == .done, "\(made.errors)")
    let text = made.text
    for key in ["RegistrationToken", "LoginFrequency", "RegistrationURL", "TokenToUserMapping"] {
      #expect(text.contains("<key>\(key)</key>"), "\(key)")
    }
    #expect(text.contains("<integer>64800</integer>") && text.contains("<key>UseSharedDeviceKeys</key>"))
    for (bad, name) in [
      (#"{"LoginFrequenzy": 1}"#, "LoginFrequenzy"), (#"{"LoginFrequency": "1"}"#, "LoginFrequency"),
      (#"{"LoginFrequency": 1.5}"#, "LoginFrequency"), (#"{"URLs": [1]}"#, "URLs"),
      (#"{"UseSharedDeviceKeys": 1}"#, "UseSharedDeviceKeys"), (#"{"RegistrationToken": null}"#, "RegistrationToken"),
    ] {
      try shell.write(bad, "bad.json")
      let run = try shell.run(Self.words + " --settings bad.json")
      #expect(run.status == .usage && run.errors.joined().contains(name), "\(run.errors)")
    }
  }

  @Test("Profiles of one Mac are looked at together: addresses, Platform SSO twice, Kerberos and the password")
  func several() throws {
    let shell = try PSSOShell()
    try shell.run(Self.words, output: "sso.mobileconfig")
    func check(_ other: String) throws -> CommandRun {
      let head = #"<?xml version="1.0"?><plist version="1.0"><dict><key>PayloadContent</key><array><dict>"#
      let type = "<key>PayloadType</key><string>com.apple.extensiblesso</string>"
      try shell.write(head + type + other + "</dict></array></dict></plist>", "other.json")
      return try shell.run("check-profile --beside other.json", input: "sso.mobileconfig")
    }
    func url(_ url: String) -> String { "<key>URLs</key><array><string>\(url)</string></array>" }
    let apart = try check(url("https://other.example.com"))
    #expect(apart.status == .done && apart.text == Self.good, "\(apart.text)")
    for address in ["https://idp.example.com", "https://idp.example.com/psso"] {
      let shared = try check(url(address))
      #expect(shared.status == .invalid && shared.text.contains("error: URLs: another payload has"), "\(shared.text)")
    }
    let twice = try check("<key>PlatformSSO</key><dict/>")
    #expect(twice.status == .invalid && twice.text.contains("error: PlatformSSO: "))
    let kerberos = try check(
      "<key>ExtensionData</key><dict><key>usePlatformSSOTGT</key><true/><key>syncLocalPassword</key><true/></dict>")
    #expect(kerberos.status == .invalid && kerberos.text.contains("error: syncLocalPassword: "))
    try shell.write("no profile", "other.json")
    let none = try shell.run("check-profile --beside other.json", input: "sso.mobileconfig")
    #expect(none.status == .invalid && none.output.isEmpty)
  }

  @Test("What there is one way to mend is written to a new file, and the rest is said")
  func mended() throws {
    let shell = try PSSOShell()
    let text = try shell.run(Self.words).text
    try shell.write(
      text.replacing("<key>TeamIdentifier</key>", with: "<key>teamIdentifier</key>"), "misspelled.mobileconfig")
    let run = try shell.run("check-profile --fix fixed.mobileconfig", input: "misspelled.mobileconfig")
    #expect(run.status == .done && run.text.hasPrefix("changed: TeamIdentifier: it was called teamIdentifier\n"))
    #expect(try shell.run("check-profile", input: "fixed.mobileconfig").text == Self.good)
    let sound = try shell.run("check-profile --fix none.mobileconfig", input: "fixed.mobileconfig")
    #expect(sound.status == .done && sound.text == Self.good)
    #expect(throws: (any Error).self) { try shell.run("check-profile", input: "none.mobileconfig") }
    try shell.write(
      text.replacing("<string>com.example.mac.ssoe</string>", with: "<string>ssoe/</string>")
        .replacing("<key>TeamIdentifier</key>", with: "<key>teamIdentifier</key>"), "two.mobileconfig")
    let rest = try shell.run("check-profile --fix two-fixed.mobileconfig", input: "two.mobileconfig")
    #expect(rest.status == .invalid)
    #expect(rest.text.contains("changed: ") && rest.text.contains("error: ExtensionIdentifier"))
    try shell.write("{}", "declaration.json")
    #expect(try shell.run("check-profile --fix x", input: "declaration.json").status == .usage)
  }

  @Test("A profile that is written passes the check against both configurations")
  func written() throws {
    let shell = try PSSOShell()
    let made = try shell.run(Self.words, output: "sso.mobileconfig")
    #expect(made.status == .done && made.errors.isEmpty, "\(made.errors)")
    let checked = try shell.run("check-profile --config mac.json --provider idp.json", input: "sso.mobileconfig")
    #expect(checked.status == .done && checked.text == Self.good, "\(checked.errors) \(checked.text)")
    let declared = try shell.run(Self.words + " --form declaration")
    #expect(try JSONObject(parsing: declared.output)["Type"] == "com.apple.configuration.extensible-sso")
    try shell.run(Self.words + " --form declaration", output: "sso.json")
    let again = try shell.run("check-profile --config mac.json --provider idp.json", input: "sso.json")
    #expect(again.status == .done && again.text == Self.good, "\(again.errors) \(again.text)")
    let association = try shell.run(
      Self.words + " --form association --application com.example.mac", output: "aasa.json")
    for name in ["sso.mobileconfig", "sso.json"] {
      let checked = try shell.run(
        "check-profile --association aasa.json --application com.example.mac", input: name)
      #expect(checked.status == .done && checked.text == Self.good, "\(checked.errors) \(checked.text)")
    }
    #expect(
      try JSONObject(parsing: association.output)["authsrv"]
        == ["apps": ["ABCDE12345.com.example.mac", "ABCDE12345.com.example.mac.ssoe"]])
  }

  @Test(
    "What the check would refuse is not written",
    arguments: [
      "--extension com.example.mac.ssoe --team abcde12345", "--extension com.example.mac.ssoe --team ABCDE1234",
      "--extension com..ssoe --team ABCDE12345", "--extension com.example/ssoe --team ABCDE12345",
      "--extension com.example.mac.ssoe --team ABCDE12345 --identifier com.example.",
      "--extension com.example.mac.ssoe --team ABCDE12345 --identifier com.example/sso",
      "--extension com.example.mac.ssoe --team ABCDE12345 --method OpenID",
      "--extension com.example.mac.ssoe --team ABCDE12345 --name a\u{1}b",
    ])
  func unwritten(_ words: String) throws {
    let shell = try PSSOShell()
    let run = try shell.run("profile --config mac.json " + words)
    #expect(run.status == .usage && run.output.isEmpty && run.errors.last?.contains("nothing is written") == true)
    let isAboutNames = ["--team abc", "1234 ", "com..ssoe", "example/ssoe"].contains { (words + " ").contains($0) }
    let association = try shell.run("profile --form association --config mac.json " + words)
    #expect(association.status == (isAboutNames ? .usage : .done))
  }

  @Test("What does not agree is said, a line each, and the exit status is 1")
  func faults() throws {
    let shell = try PSSOShell()
    try shell.run(Self.words, output: "sso.mobileconfig")
    try shell.edit("mac.json") {
      var configuration = $0["loginConfiguration"]?.objectValue ?? [:]
      configuration["keyEndpointURL"] = "https://keys.example.com/keys"
      configuration["audience"] = "another"
      $0["loginConfiguration"] = .object(configuration)
    }
    let checked = try shell.run("check-profile --config mac.json --provider idp.json", input: "sso.mobileconfig")
    #expect(checked.status == .invalid && checked.errors == ["jose: the profile has 2 faults"])
    #expect(checked.text.contains("error: keyEndpointURL: ") && checked.text.contains("error: audience: "))
    try shell.write("HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n", "moved.json")
    let moved = try shell.run("check-profile --association moved.json", input: "sso.mobileconfig")
    #expect(moved.status == .invalid && moved.text.contains("error: apple-app-site-association: "))
    try shell.write(#"{"authsrv":{"apps":["ABCDE12345.com.example.other"]}}"#, "aasa.json")
    #expect(try shell.run("check-profile --association aasa.json", input: "sso.mobileconfig").status == .invalid)
    try shell.write("<plist/>", "sso.mobileconfig")
    #expect(try shell.run("check-profile", input: "sso.mobileconfig").status == .invalid)
    #expect(try shell.run(Self.words + " --form x").status == .usage)
    #expect(try shell.run(Self.words + " --method x").status == .usage)
  }

  @Test("A preset is named in a configuration, and what stands beside it counts more")
  func presets() throws {
    let shell = try PSSOShell()
    try shell.edit("mac.json") {
      var configuration = $0["loginConfiguration"]?.objectValue ?? [:]
      configuration["preset"] = "entra"
      configuration["customRequestJWTParameterName"] = "assertion"
      $0["loginConfiguration"] = .object(configuration)
    }
    try shell.edit("idp.json") {
      var configuration = $0["identityProvider"]?.objectValue ?? [:]
      configuration["preset"] = "entra"
      $0["identityProvider"] = .object(configuration)
    }
    try shell.fetchNonce()
    try shell.run(
      "login-request --config mac.json --nonce-request nonce-request.json", input: "nonce.json", output: "login.json")
    let form = try FormFields(decoding: Array((shell.object("login.json")["body"]?.stringValue ?? "").utf8))
    #expect(form.values("assertion").count == 1 && form.values("prt_protocol_version").isEmpty)
    #expect(try UnverifiedJWS(parsing: form.requiredValue("assertion")).unverifiedHeader.type == "JWT")
    #expect(try shell.run("check-request --config idp.json", input: "login.json").status == .done)
    for name in ["mac.json", "idp.json"] {
      try shell.edit(name) {
        for part in ["loginConfiguration", "identityProvider"] {
          guard var configuration = $0[part]?.objectValue else { continue }
          configuration["preset"] = "nobody"
          $0[part] = .object(configuration)
        }
      }
    }
    #expect(try shell.run("nonce-request --config mac.json").status == .usage)
    #expect(try shell.run("check-request --config idp.json", input: "login.json").status == .usage)
  }
}
