import IdentityTesting
import JOSE
import Testing

@testable import AppleSignInKit

@Suite struct AuthorizationRequestTests {
  private func request(
    _ responseType: AppleResponseType = .code, scopes: Set<AppleScope> = [], mode: AppleResponseMode? = nil,
    clientID: String = Fixture.clientID, state: String? = "st-8d0b7e", teamID: String? = nil,
    additional: [(name: String, value: String)] = []
  ) throws -> AppleAuthorizationRequest {
    try AppleAuthorizationRequest(
      clientID: clientID, redirectURI: Fixture().redirectURI(), responseType: responseType, scopes: scopes,
      responseMode: mode, state: state, nonce: .given(AppleNonce(raw: "n-5f2c9a")), teamID: teamID,
      additionalParameters: additional)
  }

  @Test func `P01 scopes without a mode give form_post and the printed address`() throws {
    let request = try request(.codeAndIdentityToken, scopes: [.email, .name])
    #expect(request.responseMode == .formPost)
    #expect(request.url() == Printed.authorizeURL)
    #expect(request.url().contains("scope=name%20email"))
  }

  @Test func `P02 a code without scopes and mode goes by query`() throws {
    #expect(try request().url().contains("response_type=code&response_mode=query&"))
  }

  @Test func `P03 code id_token without scopes may go by fragment`() throws {
    #expect(try request(.codeAndIdentityToken, mode: .fragment).responseMode == .fragment)
  }

  /// The rows of the combination matrix: response type, whether a scope is asked for, mode, and the effective mode or
  /// the error on the wire.
  static let rows: [(row: Int, type: String, hasScope: Bool, mode: String?, effective: AppleResponseMode?)] = [
    (1, "code", false, nil, .query), (2, "code", false, "query", .query), (3, "code", false, "fragment", .fragment),
    (4, "code", false, "form_post", .formPost), (5, "code", true, nil, nil), (6, "code", true, "query", nil),
    (7, "code", true, "fragment", nil), (8, "code", true, "form_post", .formPost),
    (9, "code id_token", false, nil, .fragment), (10, "code id_token", false, "query", nil),
    (11, "code id_token", false, "fragment", .fragment), (12, "code id_token", false, "form_post", .formPost),
    (13, "code id_token", true, nil, nil), (14, "code id_token", true, "query", nil),
    (15, "code id_token", true, "fragment", nil), (16, "code id_token", true, "form_post", .formPost),
    (17, "id_token", false, "form_post", nil), (18, "", false, "form_post", nil),
  ]

  private func wireURL(type: String, hasScope: Bool, mode: String?) -> String {
    var parameters = [
      ("client_id", Fixture.clientID), ("redirect_uri", "https://www.example.com/apple/callback"),
      ("response_type", type), ("state", "s"),
    ]
    if hasScope { parameters.append(("scope", "name")) }
    if let mode { parameters.append(("response_mode", mode)) }
    return "https://appleid.apple.com/auth/authorize?" + URLQuery.encode(parameters)
  }

  @Test(arguments: rows.indices) func `P04 and N01 every row of the matrix, on the wire and in the builder`(
    _ index: Int
  ) async throws {
    let row = Self.rows[index]
    let fixture = try Fixture()
    let answer = try await fixture.standIn().authorize(
      wireURL(type: row.type, hasScope: row.hasScope, mode: row.mode), decision: .approve(fixture.user))
    #expect((answer.callback != nil) == (row.effective != nil), "row \(row.row)")
    if row.effective == nil { #expect(answer.response.status == 400) }

    guard let type = AppleResponseType(rawValue: row.type) else {
      let expected: ErrorCode =
        row.type == "id_token" ? .responseTypeUnsupported : .responseTypeUnsupported
      #expect(failure { _ = try AppleResponseType.parse(row.type) }?.code == expected)
      return
    }
    let mode = row.mode.flatMap { AppleResponseMode(rawValue: $0) }
    let thrown = failure { _ = try request(type, scopes: row.hasScope ? [.name] : [], mode: mode) }
    if row.effective != nil {
      #expect(thrown == nil)
    } else if mode == nil {
      // On the wire the default mode breaks the rule; the builder chooses form_post instead.
      #expect(try request(type, scopes: [.name]).responseMode == .formPost)
    } else {
      #expect(thrown?.code == (row.hasScope ? .scopeNeedsFormPost : .identityTokenForbidsQuery))
    }
  }

  @Test func `P05 the provider takes id_token code for code id_token`() async throws {
    let fixture = try Fixture()
    let answer = try await fixture.standIn().authorize(
      wireURL(type: "id_token code", hasScope: false, mode: "form_post"), decision: .approve(fixture.user))
    let body = String(decoding: try #require(answer.callback).body, as: UTF8.self)
    #expect(body.contains("id_token="))
  }

  @Test func `P06 a redirect URI with port and query keeps them`() async throws {
    let fixture = try Fixture()
    let uri = try AppleRedirectURI("https://www.example.com:8443/cb?tenant=7")
    let request = try AppleAuthorizationRequest(clientID: Fixture.clientID, redirectURI: uri)
    let answer = try await fixture.standIn().authorize(
      request.url(of: fixture.service), decision: .approve(fixture.user))
    #expect(
      answer.response.headers.values("Location").first?.hasPrefix("https://www.example.com:8443/cb?tenant=7&state=")
        == true)
    let outcome = try AppleAuthorizationResponse.receive(
      #require(answer.callback), for: request.pending(now: fixture.clock.now), clock: fixture.clock)
    guard case .authorized = outcome else { Issue.record("not authorized"); return }
  }

  static let badRedirectURIs: [(uri: String, code: ErrorCode)] = [
    ("http://www.example.com/cb", .redirectURIInvalid), ("myapp://cb", .redirectURIInvalid),
    ("/cb", .redirectURIInvalid), ("HTTPS://www.example.com/cb", .redirectURIInvalid),
    ("https://192.0.2.7/cb", .redirectURIInvalid), ("https://[2001:db8::1]/cb", .redirectURIInvalid),
    ("https://2130706433/cb", .redirectURIInvalid), ("https://0x7f.1/cb", .redirectURIInvalid),
    ("https://127.0x1/cb", .redirectURIInvalid), ("https://192.0.2.7./cb", .redirectURIInvalid),
    ("https://localhost/cb", .redirectURIInvalid), ("https://LOCALHOST:8443/cb", .redirectURIInvalid),
    ("https://app.localhost/cb", .redirectURIInvalid), ("https://localhost./cb", .redirectURIInvalid),
    ("https://www.example.com/cb#x", .redirectURIInvalid), ("https://www.example.com/cb#", .redirectURIInvalid),
    ("https://u:p@www.example.com/cb", .redirectURIInvalid),
    ("https://intranet/cb", .redirectURIInvalid),
    ("https://www..example.com/cb", .redirectURIInvalid), ("https://-a.example.com/cb", .redirectURIInvalid),
    ("https://example.com./cb", .redirectURIInvalid), ("https:///cb", .redirectURIInvalid),
    ("https://" + String(repeating: "a", count: 64) + ".com/", .redirectURIInvalid),
    ("https://www.example.com:0/cb", .redirectURIInvalid),
    ("https://www.example.com:65536/", .redirectURIInvalid),
    ("https://www.example.com:/cb", .redirectURIInvalid), ("https://www.exämple.com/cb", .redirectURIInvalid),
    ("https://www.example.com/a b", .redirectURIInvalid),
    ("https://www.example.com\\@evil.example/", .redirectURIInvalid),
    ("", .redirectURIInvalid),
  ]

  @Test(arguments: badRedirectURIs.indices)
  func `N02 redirect URIs that must fail, in the builder and as a page of the provider`(_ index: Int) async throws {
    let (uri, code) = Self.badRedirectURIs[index]
    #expect(failure { _ = try AppleRedirectURI(uri) }?.code == code)
    let url =
      "https://appleid.apple.com/auth/authorize?"
      + URLQuery.encode([("client_id", Fixture.clientID), ("redirect_uri", uri), ("response_type", "code")])
    let fixture = try Fixture()
    let answer = try await fixture.standIn().authorize(url, decision: .approve(fixture.user))
    #expect(
      answer.response.status == 400 && answer.callback == nil && answer.response.headers.values("Location").first == nil
    )
    #expect(answer.response.headers.values("Content-Type").first?.hasPrefix("text/html") == true)
  }

  @Test func `N02 a redirect URI that differs by a slash is not the registered one`() async throws {
    let fixture = try Fixture()
    let request = try AppleAuthorizationRequest(
      clientID: Fixture.clientID, redirectURI: AppleRedirectURI("https://www.example.com/apple/callback/"))
    let answer = try await fixture.standIn().authorize(
      request.url(of: fixture.service), decision: .approve(fixture.user))
    #expect(answer.response.status == 400 && answer.callback == nil)
  }

  @Test(
    arguments: [
      ("TEAM123456.com.example.web", nil), ("TEAM123456", "TEAM123456"), ("team12345a.com.example", "team12345a"),
    ] as [(String, String?)])
  func `N03 a client identifier with the Team ID in it`(clientID: String, teamID: String?) {
    #expect(failure { _ = try request(clientID: clientID, teamID: teamID) }?.code == .clientIDInvalid)
  }

  @Test func `N03 an empty client identifier`() {
    #expect(failure { _ = try request(clientID: "") }?.code == .clientIDInvalid)
  }

  @Test(arguments: ["profile", "name,email", "name Email", "nam\u{65}\u{301}"]) func `N04 unknown scopes`(
    _ scope: String
  ) {
    #expect(failure { _ = try AppleScope.parse(scope) }?.code == .scopeUnsupported)
  }

  @Test(arguments: ["web_message", "", "FORM_POST", "form_post "]) func `N05 unknown response modes`(_ mode: String) {
    #expect(failure { _ = try AppleResponseMode.parse(mode) }?.code == .responseModeUnsupported)
  }

  @Test(arguments: ["token", "none", "code code", "code token", "id_token id_token", "code  id_token", " code"])
  func `N01 further response types`(_ type: String) {
    #expect(failure { _ = try AppleResponseType.parse(type) }?.code == .responseTypeUnsupported)
  }

  @Test(arguments: ["", "a b", "ä", String(repeating: "x", count: 513)]) func `opaque values out of bounds`(
    _ text: String
  ) {
    #expect(failure { _ = try request(state: text) }?.code == .stateInvalid)
    #expect(failure { _ = try AppleNonce(raw: text) }?.code == .nonceInvalid)
  }

  @Test(arguments: ["state", "scope", "", "a b"]) func `further parameters that are the request's own`(_ name: String) {
    #expect(failure { _ = try request(additional: [(name, "x")]) }?.code == .parameterUnsupported)
  }

  @Test func `a further parameter is written last and only once`() throws {
    #expect(try request(additional: [("prompt", "a b")]).url().hasSuffix("&nonce=n-5f2c9a&prompt=a%20b"))
    #expect(failure { _ = try request(additional: [("p", "1"), ("p", "2")]) }?.code == .parameterUnsupported)
  }

  @Test func `state and nonce are fresh, of 256 bits, and different`() throws {
    let uri = try Fixture().redirectURI()
    var seen: Set<String> = []
    for _ in 0..<100 {
      let request = try AppleAuthorizationRequest(clientID: Fixture.clientID, redirectURI: uri)
      let nonce = try #require(request.nonce)
      #expect(try Base64URL.decode(request.state).count == 32 && Base64URL.decode(nonce.raw).count == 32)
      seen.insert(request.state)
      seen.insert(nonce.raw)
    }
    #expect(seen.count == 200)
  }

  @Test func `without a nonce the address has none`() throws {
    let request = try AppleAuthorizationRequest(
      clientID: Fixture.clientID, redirectURI: Fixture().redirectURI(), nonce: .absent)
    #expect(!request.url().contains("nonce="))
  }
}
