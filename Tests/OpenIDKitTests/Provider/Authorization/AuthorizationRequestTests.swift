import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// What the authorization endpoint makes of its parameters.
@Suite("Authorization requests") struct AuthorizationRequestTests {
  private typealias Request = OAuthAuthorizationRequest

  private static let issuer = "https://op.example.com"
  private static let redirectURI = "https://app.example/cb?tenant=1"
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  private static let installed = RegisteredClient(
    id: "app", redirectURIs: [redirectURI, "http://127.0.0.1/cb", "http://[::1]:49152/cb?a=1", "com.example.app:/cb"],
    allowedScopes: ["openid", "profile", "offline_access"])
  private static let website = RegisteredClient(
    id: "site", authentication: .basic(secretSHA256: []), redirectURIs: [redirectURI, "http://127.0.0.1/cb"])

  private static let good: [(String, String)] = [
    ("client_id", "app"), ("redirect_uri", redirectURI), ("response_type", "code"), ("scope", "openid profile"),
    ("state", "s t+&=\u{E9}"), ("nonce", "n"), ("code_challenge", challenge), ("code_challenge_method", "S256"),
  ]

  /// The good request with other values; nil leaves one out, and a name of its own is added.
  private func fields(_ changes: [(String, String?)] = []) -> FormFields {
    var pairs = Self.good
    for (name, value) in changes {
      pairs.removeAll { $0.0 == name }
      if let value { pairs.append((name, value)) }
    }
    return FormFields(pairs)
  }

  private func refusal(
    _ fields: FormFields, of client: RegisteredClient? = installed, isPushed: Bool = false
  ) -> Request.Refusal? {
    do throws(Request.Refusal) {
      _ = try Request(fields, of: client, isPushed: isPushed)
      return nil
    } catch {
      return error
    }
  }

  private func query(_ url: String?) throws -> FormFields {
    let text = try #require(url.flatMap { try? URIComponents(parsing: $0) }?.query)
    return try FormFields(decoding: Array(text.utf8))
  }

  @Test func `a resource is bound, and one that the client may not have is refused at the client`() throws {
    var client = Self.installed
    client.resources = ["https://a.example/api", "https://b.example", "urn:orders", "https://a.example/#x", "orders"]
    func asking(_ resources: String...) -> FormFields {
      FormFields(Self.good + resources.map { ("resource", $0) })
    }
    #expect(try Request(fields(), of: client).resources.isEmpty)
    #expect(try Request(asking(""), of: client).resources.isEmpty)
    #expect(try Request(asking("https://a.example/api"), of: client).resources == ["https://a.example/api"])
    let several = try Request(asking("urn:orders", "https://b.example", "", "urn:orders"), of: client)
    #expect(several.resources == ["urn:orders", "https://b.example"])
    for resource in [
      "https://c.example", "https://b.example/", "https://B.example", "https://a.example/#x", "orders",
      "https://b.exampl\u{E9}",
    ] {
      for fields in [asking(resource), asking("https://b.example", resource)] {
        let refusal = try #require(self.refusal(fields, of: client))
        #expect(refusal.code == "invalid_target" && !refusal.reason.contains(resource))
        #expect(try query(refusal.answerURL(issuer: Self.issuer)).values("error") == ["invalid_target"])
      }
    }
    // Nothing is dropped in silence.
    #expect(refusal(asking("https://b.example"))?.code == "invalid_target")
    #expect(refusal(asking("https://b.example"), isPushed: true)?.code == "invalid_target")
  }

  @Test func `a good request says what it asks for, and is answered at its client`() throws {
    let asked = try Request(
      fields([
        ("scope", "profile openid admin openid"), ("prompt", "login consent"), ("max_age", "300"),
        ("login_hint", "jane"), ("id_token_hint", "e30.e30.AA"), ("acr_values", "two one two"),
        ("claims", #"{"userinfo":{"name":{"essential":true}},"id_token":null}"#), ("dpop_jkt", Self.challenge),
        ("response_mode", "query"), ("display", "page"), ("extra", "1"), ("extra", "2"),
      ]), of: Self.installed)
    #expect(asked.clientID == "app" && asked.redirectURI == Self.redirectURI && asked.nonce == "n")
    #expect(asked.scopes == ["profile", "openid"] && asked.prompts == ["login", "consent"])
    #expect(asked.maximumAge == .seconds(300) && asked.loginHint == "jane" && asked.idTokenHint == "e30.e30.AA")
    #expect(asked.contextClasses == ["two", "one"] && asked.claims["userinfo"]?.objectValue?.names == ["name"])
    #expect(asked.keyThumbprint == Self.challenge && asked.codeChallenge == Self.challenge)
    let answer = asked.answerURL(code: "c/+ ", issuer: Self.issuer)
    #expect(answer.hasPrefix(Self.redirectURI + "&"))
    let expected: FormFields = ["tenant": "1", "code": "c/+ ", "state": "s t+&=\u{E9}", "iss": Self.issuer]
    #expect(try query(answer) == expected)
    #expect("\(asked)" == "OAuthAuthorizationRequest(redacted)")
  }

  @Test func `the largest possible max_age is accepted`() throws {
    let asked = try Request(fields([("max_age", "\(Int.max)")]), of: Self.installed)
    #expect(asked.maximumAge == .seconds(Int.max))
  }

  @Test func `an empty optional parameter counts as absent`() throws {
    let names = [
      "state", "nonce", "prompt", "max_age", "login_hint", "id_token_hint", "acr_values", "claims", "dpop_jkt",
      "response_mode", "request", "request_uri", "registration",
    ]
    let plain = try Request(fields(names.map { ($0, nil) }), of: Self.installed)
    let empty = try Request(fields(names.map { ($0, "") }), of: Self.installed)
    for asked in [plain, empty] {
      #expect(asked.state == nil && asked.nonce == nil && asked.maximumAge == nil && asked.claims.isEmpty)
      #expect(asked.prompts.isEmpty && asked.contextClasses.isEmpty && asked.keyThumbprint == nil)
      #expect(try query(asked.answerURL(code: "c", issuer: "i")).fields.map(\.name) == ["tenant", "code", "iss"])
    }
  }

  @Test func `a request with an unknown client or redirect URI is not redirected`() {
    let wrong: [(FormFields, RegisteredClient?)] = [
      (fields(), nil), (fields(), Self.website), (fields([("client_id", nil)]), Self.installed),
      (fields([("client_id", "")]), Self.installed), (fields([("client_id", "APP")]), Self.installed),
      (FormFields(Self.good + [("client_id", "app")]), Self.installed),
      (FormFields(Self.good + [("redirect_uri", Self.redirectURI)]), Self.installed),
      (FormFields(Self.good + [("redirect_uri", "https://evil.example/cb")]), Self.installed),
      (fields([("redirect_uri", nil)]), Self.installed),
    ]
    for (fields, client) in wrong {
      // Whatever else is wrong.
      for more in [[], [("prompt", "none login")], [("state", "x")]] {
        let refusal = refusal(FormFields(fields.fields.map { ($0.name, $0.value) } + more), of: client)
        #expect(refusal != nil && refusal?.answerURL(issuer: Self.issuer) == nil, "\(fields.fields)")
      }
    }
  }

  @Test(arguments: [
    "https://app.example/cb", "https://app.example/cb?tenant=1&x=1", "https://app.example/cb?tenant=1#",
    "https://app.example/cb?tenant=1#f", "https://APP.example/cb?tenant=1", "https://app.example:443/cb?tenant=1",
    "https://app.example/cb?tenant=1 ", "https://app.example/./cb?tenant=1", "https://app.example/%63b?tenant=1",
    "https://user@app.example/cb?tenant=1", "http://app.example/cb?tenant=1", "//app.example/cb?tenant=1", "cb", "",
    "javascript:alert(1)", "com.example.app:/cb/", "com.example.APP:/cb", "https://app.example/cb?tenant=1\r\nx: y",
    "http://localhost/cb", "http://127.0.0.1.evil.example/cb", "http://127.0.0.1@evil.example/cb",
    "http://127.0.0.1:8080@evil.example/cb", "http://127.0.0.1:8080/cb/", "http://127.0.0.1:8080/cb?x=1",
    "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:/cb", "http://127.0.0.1:+80/cb",
    "https://127.0.0.1:8080/cb", "http://127.0.0.2:8080/cb", "http://[::1]:80/cb", "http://[::2]:80/cb?a=1",
    "http://127.0.0.1:8080/cb#f",
  ]) func `an unregistered redirect URI gets no answer`(address: String) {
    let refusal = refusal(fields([("redirect_uri", address)]))
    #expect(refusal?.code == "invalid_request" && refusal?.answerURL(issuer: Self.issuer) == nil)
  }

  @Test func `an installed app listens at the port that it gets, a website at its own`() throws {
    for address in [
      "http://127.0.0.1/cb", "http://127.0.0.1:8080/cb", "http://127.0.0.1:65535/cb", "http://[::1]/cb?a=1",
      "http://[::1]:1/cb?a=1", "com.example.app:/cb",
    ] {
      let asked = try Request(fields([("redirect_uri", address)]), of: Self.installed)
      #expect(asked.answerURL(code: "c", issuer: "i").hasPrefix(address))
    }
    let site = [("client_id", "site"), ("scope", "openid")] as [(String, String?)]
    #expect(refusal(fields(site + [("redirect_uri", "http://127.0.0.1/cb")]), of: Self.website) == nil)
    #expect(refusal(fields(site + [("redirect_uri", "http://127.0.0.1:8080/cb")]), of: Self.website) != nil)
  }

  /// What is wrong, with the code that the client is told.
  private static let faults: [([(String, String?)], String)] = [
    ([("response_type", nil)], "invalid_request"), ([("response_type", "")], "invalid_request"),
    ([("response_type", "token")], "unsupported_response_type"),
    ([("response_type", "code id_token")], "unsupported_response_type"),
    ([("response_type", "CODE")], "unsupported_response_type"),
    ([("response_mode", "fragment")], "invalid_request"), ([("response_mode", "form_post")], "invalid_request"),
    ([("scope", nil)], "invalid_scope"), ([("scope", " ")], "invalid_scope"), ([("scope", "admin")], "invalid_scope"),
    ([("scope", "OpenID")], "invalid_scope"),
    ([("scope", "openid" + String(repeating: " x", count: 100))], "invalid_request"),
    ([("request", "e30.e30.")], "request_not_supported"),
    ([("request_uri", "https://evil.example/r")], "request_uri_not_supported"),
    ([("registration", "{}")], "registration_not_supported"),
    ([("code_challenge", nil)], "invalid_request"),
    ([("code_challenge", nil), ("code_challenge_method", nil)], "invalid_request"),
    ([("code_challenge_method", nil)], "invalid_request"), ([("code_challenge_method", "plain")], "invalid_request"),
    ([("code_challenge_method", "s256")], "invalid_request"), ([("code_challenge", "short")], "invalid_request"),
    ([("code_challenge", challenge + "A")], "invalid_request"),
    // 43 letters that 32 octets never give: their last bits are not zero.
    ([("code_challenge", String(repeating: "a", count: 43))], "invalid_request"),
    ([("code_challenge", String(challenge.dropLast()) + "=")], "invalid_request"),
    ([("prompt", "none login")], "invalid_request"), ([("max_age", "-1")], "invalid_request"),
    ([("max_age", "+1")], "invalid_request"), ([("max_age", "1.5")], "invalid_request"),
    ([("max_age", "99999999999999999999")], "invalid_request"), ([("max_age", "\u{0661}")], "invalid_request"),
    ([("claims", "[]")], "invalid_request"), ([("claims", "{")], "invalid_request"),
    ([("claims", #"{"userinfo":[]}"#)], "invalid_request"), ([("claims", #"{"id_token":"name"}"#)], "invalid_request"),
    ([("claims", String(repeating: " ", count: 8192) + "{}")], "invalid_request"),
    ([("dpop_jkt", "short")], "invalid_request"), ([("dpop_jkt", challenge + "=")], "invalid_request"),
  ]

  @Test func `a fault of a known client's request is told at the client, with state and issuer`() throws {
    for (changes, code) in Self.faults {
      let refusal = try #require(self.refusal(fields(changes)), "\(changes)")
      #expect(refusal.code == code, "\(changes)")
      let url = try #require(refusal.answerURL(issuer: Self.issuer))
      #expect(url.hasPrefix(Self.redirectURI + "&"))
      let answer = try query(url)
      #expect(answer.values("error") == [code] && answer.values("state") == ["s t+&=\u{E9}"])
      #expect(answer.values("iss") == [Self.issuer] && answer.values("code").isEmpty)
      // RFC 6749 §4.1.2.1: no quotation mark, no backslash, no control character, and nothing that was sent.
      let text = try #require(answer.values("error_description").first).utf8
      #expect(text.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }
  }

  @Test func `a parameter that stands there twice is refused, whether or not its values agree`() throws {
    for name in [
      "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "prompt",
      "max_age", "login_hint", "id_token_hint", "acr_values", "claims", "dpop_jkt",
    ] {
      for second in ["same", "x"] {
        var pairs = Self.good
        let values = [
          "response_mode": "query", "prompt": "login", "max_age": "1", "login_hint": "j", "id_token_hint": "t",
          "acr_values": "a", "claims": "{}", "dpop_jkt": Self.challenge,
        ]
        if let value = values[name] { pairs.append((name, value)) }
        let first = try #require(pairs.first { $0.0 == name }).1
        pairs.append((name, second == "same" ? first : second))
        let refusal = try #require(self.refusal(FormFields(pairs)), "\(name)")
        #expect(refusal.code == "invalid_request", "\(name)")
        // Of two states nobody knows which one the client awaits.
        #expect(try query(refusal.answerURL(issuer: "i")).values("state").isEmpty == (name == "state"))
      }
    }
  }

  @Test func `a confidential client may omit the challenge, and one that must push can do nothing else`() throws {
    var site = Self.website
    let plain: [(String, String?)] = [
      ("client_id", "site"), ("code_challenge", nil), ("code_challenge_method", nil),
    ]
    #expect(try Request(fields(plain), of: site).codeChallenge == nil)
    #expect(refusal(fields(plain + [("code_challenge_method", "S256")]), of: site)?.code == "invalid_request")
    site.requiresPushedRequests = true
    #expect(refusal(fields(plain), of: site)?.code == "invalid_request")
    #expect(refusal(fields(plain), of: site, isPushed: true) == nil)
  }

  @Test func `a refusal of a valid request goes to its redirect URI with state and issuer`() throws {
    let asked = try Request(fields(), of: Self.installed)
    let refusal = asked.refusal("login_required", "No user is logged in")
    let expected: FormFields = [
      "tenant": "1", "error": "login_required", "error_description": "No user is logged in",
      "state": "s t+&=\u{E9}", "iss": Self.issuer,
    ]
    #expect(try query(refusal.answerURL(issuer: Self.issuer)) == expected)
  }

  @Test func `a pushed request is judged the same, and its client told so`() async throws {
    let endpoint = try PushedAuthorizationEndpoint { _, form in
      form.values("client_secret") == ["s3cret"] ? AuthenticatedClient(id: "app") : nil
    } validate: { form, client in
      _ = try Request(form, of: form.values("state") == ["gone"] ? nil : Self.installed, isPushed: true)
    }
    func push(_ changes: [(String, String?)]) async throws -> (Int, String?) {
      var form = fields(changes)
      form.append("client_secret", "s3cret")
      let response = await endpoint.respond(to: .post(form, to: "https://op.example.com/par"))
      return (response.status, try JSONObject(parsing: response.body)["error"]?.stringValue)
    }
    #expect(try await push([]) == (201, nil))
    #expect(try await push([("redirect_uri", "https://evil.example/cb")]) == (400, "invalid_request"))
    #expect(try await push([("state", "gone")]) == (401, "invalid_client"))
    for (changes, code) in Self.faults where changes[0].0 != "request_uri" {
      #expect(try await push(changes) == (400, code), "\(changes)")
    }
  }

  @Test func `whatever comes is judged without a trap`() throws {
    var generator = SystemRandomNumberGenerator()
    let names = Self.good.map(\.0) + ["prompt", "max_age", "claims", "request", "", "\u{0}"]
    let values =
      Self.good.map(\.1) + ["", "\u{0}", "%", "\u{1F469}\u{200D}", String(repeating: "a", count: 10_000), "{"]
    for _ in 0..<2000 {
      var pairs = Self.good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let pair = (
          names.randomElement(using: &generator) ?? "", values.randomElement(using: &generator) ?? ""
        )
        if Bool.random(using: &generator) { pairs.removeAll { $0.0 == pair.0 } }
        pairs.append(pair)
      }
      if let refusal = refusal(FormFields(pairs)), let url = refusal.answerURL(issuer: Self.issuer) {
        // Nothing but a registered address is ever sent a browser.
        #expect(Self.installed.redirectURIs.contains { url.hasPrefix($0) })
        #expect(try URIComponents(parsing: url, maximumByteCount: 100_000).fragment == nil)
      }
    }
  }
}
