import JOSE
import PlatformSSOKit
import StrictJSON
import Testing

@Suite("Configuration by discovery, and Platform SSO in Setup Assistant")
struct DiscoveryAndSetupTests {
  private static let issuer = "https://idp.example.com"

  private func metadata(_ change: (inout JSONObject) -> Void = { _ in }) throws -> IssuerMetadata {
    var members = try Fixture().provider.discoveryMetadata(
      jwksEndpointURL: Self.issuer + "/jwks", authorizationURL: Self.issuer + "/authorize")
    change(&members)
    return try IssuerMetadata(parsing: members.serialized(), issuer: Self.issuer)
  }

  @Test("A provider publishes what a Mac's configuration is made of")
  func discovery() throws {
    let metadata = try metadata()
    let configuration = try LoginConfiguration(clientID: "psso-client", metadata: metadata)
    #expect(configuration.issuer == Self.issuer && configuration.audience == Self.issuer)
    #expect(configuration.tokenEndpointURL == Self.issuer + "/psso/token")
    #expect(configuration.jwksEndpointURL == Self.issuer + "/jwks")
    #expect(configuration.authorizationURL == Self.issuer + "/authorize")
    #expect(try LoginConfiguration(clientID: "c", metadata: metadata, audience: "a").audience == "a")
    // What OpenID Connect Discovery requires of each document.
    for name in ["response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported"] {
      #expect(metadata.members[name]?.arrayValue?.isEmpty == false)
    }
    var provider = try Fixture().provider
    provider.configuration.tokenEndpointURLs = []
    #expect(throws: JOSEError(.callerMisuse, "", name: "tokenEndpointURLs")) {
      try provider.discoveryMetadata(jwksEndpointURL: Self.issuer)
    }
  }

  @Test("A login goes by a configuration that was made of the document")
  func login() async throws {
    var fixture = try Fixture()
    let found = try LoginConfiguration(clientID: "psso-client", metadata: metadata())
    fixture.device.configuration = found
    let request = try fixture.device.loginRequest(
      of: LoginRequestTests.user, by: .password("correct horse"), nonces: fixture.nonces())
    #expect(try await fixture.provider.loginRequest(from: request.httpRequest).userName == Fixture.user)
  }

  @Test(
    "What is absent or of no use is named",
    arguments: [
      ("token_endpoint", nil, ErrorCode.claimMissing), ("token_endpoint", 1, .claimInvalid),
      ("token_endpoint", "http://idp.example.com/token", .claimInvalid), ("token_endpoint", "token", .claimInvalid),
      ("authorization_endpoint", "http://idp.example.com/a", .claimInvalid),
      ("authorization_endpoint", [], .claimInvalid),
    ] as [(String, JSONValue?, ErrorCode)])
  func faults(_ name: String, _ value: JSONValue?, _ code: ErrorCode) throws {
    let metadata = try metadata { $0[name] = value }
    #expect(throws: JOSEError(code, "", name: name)) { try LoginConfiguration(clientID: "c", metadata: metadata) }
  }

  @Test(
    "The answer that asks for Platform SSO is read again as it was written", arguments: [nil, "https://a.example/m"])
  func answer(_ manifest: String?) throws {
    let login = SetupAssistantLogin(
      profileURL: "https://a.example/p", authenticationURL: "https://a.example/login", packageManifestURL: manifest)
    let response = login.response
    #expect(response.status == 403 && response.headers.values("Content-Type") == ["application/json"])
    let body = try JSONObject(parsing: response.body)
    #expect(body["code"] == "com.apple.psso.required")
    var details: JSONObject = ["ProfileURL": "https://a.example/p", "AuthURL": "https://a.example/login"]
    if let manifest { details["Package"] = ["ManifestURL": .string(manifest)] }
    #expect(body["details"] == .object(details))
    #expect(try SetupAssistantLogin(response) == login)
  }

  @Test("Other answers ask for nothing, and one that asks without an address is refused by its name")
  func otherAnswers() throws {
    let good = SetupAssistantLogin(profileURL: "https://a.example/p", authenticationURL: "https://a.example/l").response
    func read(_ change: (inout HTTPResponseValue, inout JSONObject) -> Void) throws -> SetupAssistantLogin? {
      var (response, body) = (good, try JSONObject(parsing: good.body))
      change(&response, &body)
      return try SetupAssistantLogin(
        HTTPResponseValue(status: response.status, headers: response.headers, body: body.serialized()))
    }
    #expect(try read { response, _ in response.status = 401 } == nil)
    #expect(try read { _, body in body["code"] = "com.apple.softwareupdate.required" } == nil)
    #expect(try SetupAssistantLogin(HTTPResponseValue(status: 403, body: Array("<html>".utf8))) == nil)
    let faults: [(String, JSONValue?, ErrorCode)] = [
      ("ProfileURL", nil, .claimMissing), ("AuthURL", nil, .claimMissing), ("ProfileURL", 1, .claimInvalid),
      ("AuthURL", "http://a.example/", .claimInvalid), ("Package", 1, .claimInvalid),
    ]
    for (name, value, code) in faults {
      #expect(throws: JOSEError(code, "", name: name)) {
        try read { _, body in
          var details = body["details"]?.objectValue ?? [:]
          details[name] = value
          body["details"] = .object(details)
        }
      }
    }
    #expect(throws: JOSEError(.claimMissing, "", name: "ManifestURL")) {
      try read { _, body in
        body["details"] = ["ProfileURL": "https://a.example/p", "AuthURL": "https://a.example/l", "Package": [:]]
      }
    }
    #expect(throws: JOSEError(.claimMissing, "", name: "details")) { try read { _, body in body["details"] = nil } }
  }

  @Test("The login's page leads back to Setup Assistant with a token")
  func returnURL() {
    let url = SetupAssistantLogin.returnURL(accessToken: "a+b/c=")
    #expect(url == "apple-remotemanagement-user-login://authentication-results?access-token=a%2Bb%2Fc%3D")
    #expect(SetupAssistantLogin.accessToken(inReturnURL: url) == "a+b/c=")
    for other in [
      "", "apple-remotemanagement-user-login://authentication-results", "https://a.example/?access-token=a",
      "apple-remotemanagement-user-login://authentication-results?access-token=",
      "apple-remotemanagement-user-login://authentication-results?token=a",
      "apple-remotemanagement-user-login://authentication-results?access-token=a&access-token=b",
    ] {
      #expect(SetupAssistantLogin.accessToken(inReturnURL: other) == nil, "\(other)")
    }
  }

  @Test("The short name of a new account is a claim's, or the part of a user name before its domain (macOS 15.4)")
  func accountName() throws {
    var profile = ExtensibleSSOProfile(
      extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345", urls: [Self.issuer],
      authenticationMethod: .password)
    let claims: JSONObject = ["preferred_username": "jane@example.com", "nickname": "jj", "n": 1]
    #expect(profile.accountName(of: claims) == nil)
    for (claim, expected) in [
      ("nickname", "jj"), ("preferred_username", "jane@example.com"), ("absent", nil), ("n", nil),
      ("com.apple.PlatformSSO.AccountShortName", "jane"),
    ] as [(String, String?)] {
      try profile.set("TokenToUserMapping", to: .dictionary([.init("AccountName", .string(claim))]))
      #expect(profile.accountName(of: claims) == expected, "\(claim)")
      #expect(profile.findings().isEmpty)
    }
    for (name, expected) in [("jane", "jane"), ("@example.com", nil), ("", nil), ("a@b@c", "a")] as [(String, String?)]
    {
      #expect(profile.accountName(of: [:]) == nil)
      try profile.set(
        "TokenToUserMapping",
        to: .dictionary([.init("AccountName", .string("com.apple.PlatformSSO.AccountShortName"))]))
      #expect(profile.accountName(of: ["preferred_username": .string(name)]) == expected, "\(name)")
    }
  }
}
