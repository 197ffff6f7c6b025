import HTTPTypes
import HummingbirdTesting
import JOSE
import NIOCore
import OpenIDKit
import Testing

@testable import IdentityProvider

/// What software on the way adds to a request is no parameter of it.
///
/// Source: RFC 6749 §3.1, §3.2.
@Suite struct ParameterTests {
  /// Fields that say nothing.
  private static let noise = [
    "&flag", "&&", "&=", "&%E4", "&x=%E4", "&%zz=1", "&client_secret=", "&prompt=", "&login_hint", "&utm_source=a%",
  ]

  private static func post(
    _ world: World, _ path: String, _ body: String, _ headers: HTTPFields = [:]
  ) async throws -> TestResponse {
    var headers = headers
    headers[.contentType] = "application/x-www-form-urlencoded"
    return try await world.client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
  }

  /// A form's text with something before and behind it.
  private static func text(_ form: FormFields, _ more: String = "") -> String {
    (more.isEmpty ? "" : more.dropFirst() + "&") + form.encodedAsQuery() + more
  }

  @Test func `an authorization request goes on whatever stands beside its parameters`() async throws {
    try await World.run { world in
      let form = TestBrowser(world).request()
      for more in Self.noise {
        let text = Self.text(form, more)
        let asked = try await world.get("/authorize?" + text)
        #expect(asked.status == .seeOther, "\(more)")
        #expect(asked.headers[.location]?.hasPrefix("/login?request=") == true, "\(more)")
        let posted = try await Self.post(world, "/authorize", text)
        #expect(posted.status == .seeOther, "\(more)")
        #expect(posted.headers[.location]?.hasPrefix("/authorize/resume?request=") == true, "\(more)")
      }
      // All of it at once, up to the tokens.
      let text = Self.text(form, Self.noise.joined())
      for isPosted in [false, true] {
        let browser = TestBrowser(world)
        _ = try await browser.open("/login")
        var address: String? = "/authorize?" + text
        if isPosted { address = try await Self.post(world, "/authorize", text, browser.headers).headers[.location] }
        var page = try await browser.open(try #require(address))
        #expect(page.page == "login")
        page = try await browser.logIn(page)
        if page.page == "consent" { _ = try await browser.submit(page, "/consent", ["decision": "allow"]) }
        let answer = try browser.answer()
        #expect(answer.values("state") == ["s t"])
        #expect(try await world.redeem(try #require(answer.values("code").first)).status == .ok)
      }
    }
  }

  @Test(arguments: [
    "state=%E4", "state=a%", "%73tate=%zz", "scope=%E4", "client_id=%E4", "redirect_uri=%", "login_hint=%E4",
    "prompt=%zz", "prompt%", "prompt%E4=login", "claims=%E4",
  ])
  func `a parameter that can't be decoded is an error page`(_ wrong: String) async throws {
    try await World.run { world in
      let text = Self.text(TestBrowser(world).request()) + "&" + wrong
      for answer in [try await world.get("/authorize?" + text), try await Self.post(world, "/authorize", text)] {
        #expect(answer.status == .badRequest && answer.page == "error")
        #expect(answer.headers[.location] == nil)
      }
    }
  }

  @Test func `endpoints of clients read their parameters and nothing else`() async throws {
    try await World.run { world in
      let headers: HTTPFields = [.authorization: world.basic]
      var tokens = try await world.tokens(scope: "openid offline_access")
      let challenge: FormFields = ["code_challenge": PKCE().challenge, "code_challenge_method": "S256"]
      for more in Self.noise + [Self.noise.joined()] {
        func post(_ path: String, _ form: FormFields, _ headers: HTTPFields = [:]) async throws -> TestResponse {
          try await Self.post(world, path, Self.text(form, more), headers)
        }
        let refresh = try tokens.string("refresh_token")
        let access = try tokens.string("access_token")
        for token in [access, refresh] {
          let said = try await post("/introspect", ["token": token], headers)
          #expect(try said.json()["active"]?.boolValue == true, "\(more)")
        }
        let request = TestBrowser(world).request(challenge)
        #expect(try await post("/par", request, headers).status == .created, "\(more)")
        let installed = TestBrowser(world).request(challenge, client: "app")
        #expect(try await post("/par", installed).status == .created, "\(more)")
        #expect(try await post("/revoke", ["token": "unknown", "client_id": "app"]).status == .ok, "\(more)")
        let renewed = try await post(
          "/token", ["grant_type": "refresh_token", "refresh_token": refresh], headers)
        #expect(renewed.status == .ok, "\(more)")
        tokens = try renewed.json()
        #expect(try await post("/revoke", ["token": try tokens.string("access_token")], headers).status == .ok)
        let said = try await post("/introspect", ["token": try tokens.string("access_token")], headers)
        #expect(try said.json() == ["active": false], "\(more)")
        tokens = try await world.tokens(scope: "openid offline_access")
      }
      let code = try await world.code()
      let form: FormFields = [
        "grant_type": "authorization_code", "code": code, "redirect_uri": World.redirectURI,
      ]
      #expect(try await Self.post(world, "/token", Self.text(form, Self.noise.joined()), headers).status == .ok)
    }
  }

  @Test func `endpoints of clients refuse a parameter of theirs that can't be decoded`() async throws {
    try await World.run { world in
      let access = try await world.tokens().string("access_token")
      let headers: HTTPFields = [.authorization: world.basic]
      for (path, wrong) in [
        ("/token", "grant_type=refresh_token&refresh_token=%E4"), ("/token", "grant_type=%zz"),
        ("/token", "grant_type=authorization_code&code=a&scope=%"),
        ("/par", TestBrowser(world).request().encodedAsQuery() + "&claims=%E4"),
        ("/par", TestBrowser(world).request().encodedAsQuery() + "&prompt%"),
        ("/introspect", "token=%E4"), ("/introspect", "token=\(access)&token_type_hint=%zz"),
        ("/revoke", "token=%E4"), ("/revoke", "token=\(access)&client_secret=%zz"),
      ] {
        let answer = try await Self.post(world, path, wrong, headers)
        #expect(answer.status == .badRequest, "\(path) \(wrong)")
        #expect(try answer.json()["error"]?.stringValue == "invalid_request", "\(path) \(wrong)")
      }
      #expect(try await world.get("/userinfo", [.authorization: "Bearer \(access)"]).status == .ok)
    }
  }
}
