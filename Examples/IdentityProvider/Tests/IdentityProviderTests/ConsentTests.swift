import HTTPTypes
import HummingbirdTesting
import JOSE
import OpenIDKit
import Testing

@testable import IdentityProvider

@Suite struct ConsentTests {
  private static let bobsPassword = "another horse, another battery"

  private static func logInBob(_ browser: TestBrowser) async throws {
    let form = try await browser.open("/login")
    let page = try await browser.submit(form, "/login", ["username": "bob", "password": bobsPassword])
    #expect(page.page == "account")
  }

  private static func addBob(_ world: World) async throws {
    _ = try await world.provider.addUser("bob", email: "bob@example.com", name: nil, password: bobsPassword)
  }

  @Test func `a client gets no claim that the user's consent doesn't name`() async throws {
    try await World.run { world in
      let own: JSONObject = ["name": "Alice", "salary": 70_000, "groups": ["staff"], "phone_number": "+1"]
      try await world.provider.users.set(claims: own, of: world.user.id)
      let browser = TestBrowser(world)
      // A consent for the scope alone gives none of them.
      _ = try await browser.authorize(scope: "openid offline_access")
      let asked: FormFields = [
        "claims":
          #"{"id_token":{"salary":null,"acr":null,"shoe_size":null},"userinfo":{"groups":null,"sub":null,"email":null}}"#
      ]
      let path = "/authorize?" + browser.request(asked, scope: "openid offline_access").encodedAsQuery()
      let silent = try await browser.open(path + "&prompt=none")
      #expect(try silent.page == nil && browser.answer().values("error") == ["consent_required"])
      let page = try await browser.open(path)
      #expect(page.page == "consent")
      for name in ["salary", "groups", "email"] { #expect(page.text.contains("<code>\(name)</code>"), "\(name)") }
      for name in ["acr", "sub", "shoe_size", "phone_number", "name"] {
        #expect(!page.text.contains("<code>\(name)</code>"), "\(name)")
      }
      _ = try await browser.submit(page, "/consent", ["decision": "allow"])
      // What the user has only now was not on the page.
      var later = own
      later["shoe_size"] = 44
      try await world.provider.users.set(claims: later, of: world.user.id)
      var tokens = try await world.redeem(#require(try browser.answer().values("code").first)).json()
      let idToken = try UnverifiedJWS(parsing: tokens.string("id_token"))
      let claims = try JSONObject(parsing: idToken.unverifiedPayload)
      #expect(claims["salary"] == 70_000 && claims["groups"] == nil && claims["shoe_size"] == nil)
      // Before and after a refresh.
      for _ in 0..<2 {
        let info = try await world.get("/userinfo", [.authorization: "Bearer \(tokens.string("access_token"))"]).json()
        #expect(
          info["groups"] == ["staff"] && info["email"] != nil && info["name"] == nil && info["phone_number"] == nil)
        let refresh: FormFields = ["grant_type": "refresh_token", "refresh_token": try tokens.string("refresh_token")]
        tokens = try await world.post("/token", refresh, [.authorization: world.basic]).json()
      }
    }
  }

  @Test func `consent gives the code at once, and ends the request for users who log in afterwards`() async throws {
    try await World.run { world in
      try await Self.addBob(world)
      let browser = TestBrowser(world)
      let login = try await browser.open("/authorize?" + browser.request().encodedAsQuery())
      let page = try await browser.logIn(login)
      #expect(page.page == "consent" && page.text.contains("This is valid for 400 days"))
      var form = TestBrowser.hidden(page.text, "/consent")
      form.append("decision", "allow")
      let agreed = try await world.post("/consent", form, browser.headers)
      #expect(try #require(agreed.headers[.location]).contains("code="))
      try await Self.logInBob(browser)
      let again = try await browser.open("/authorize/resume?request=" + (form.values("request").first ?? ""))
      #expect(again.page == "error" && again.text.contains("took too long"))
    }
  }

  @Test func `a consent page shown to one user records no consent for another user`() async throws {
    try await World.run { world in
      try await Self.addBob(world)
      let browser = TestBrowser(world)
      let page = try await browser.logIn(
        try await browser.open("/authorize?" + browser.request().encodedAsQuery()))
      try await Self.logInBob(browser)
      let again = try await browser.submit(page, "/consent", ["decision": "allow"])
      #expect(again.page == "consent" && again.text.contains("<strong>bob</strong>"))
      let bob = try #require(try await world.provider.users.user(named: "bob"))
      #expect(try await world.provider.sessions.grantedScopes(userID: bob.id, clientID: "site").isEmpty)
    }
  }

  @Test func `a request for a fresh login asks again if another user has logged in meanwhile`() async throws {
    try await World.run { world in
      try await Self.addBob(world)
      let browser = TestBrowser(world)
      let login = try await browser.open("/authorize?" + browser.request(["prompt": "login"]).encodedAsQuery())
      let page = try await browser.logIn(login)
      let id = try #require(TestBrowser.hidden(page.text, "/consent").values("request").first)
      try await Self.logInBob(browser)
      #expect(try await browser.open("/authorize/resume?request=\(id)").page == "login")
    }
  }

  @Test func `a consent that is taken back ends access tokens, codes and refresh tokens`() async throws {
    try await World.run { world in
      let code = try await world.code(scope: "openid offline_access")
      let tokens = try await world.redeem(code).json()
      let bearer: HTTPFields = [.authorization: "Bearer \(try tokens.string("access_token"))"]
      let basic: HTTPFields = [.authorization: world.basic]
      #expect(try await world.get("/userinfo", bearer).status == .ok)
      let later = try await world.code()
      // As another process has it, which may be cut off before it has ended anything else.
      try await world.provider.sessions.grant([], userID: world.user.id, clientID: "site")
      #expect(try await world.get("/userinfo", bearer).status == .unauthorized)
      for name in ["access_token", "refresh_token"] {
        let asked: FormFields = ["token": try tokens.string(name)]
        #expect(try await world.post("/introspect", asked, basic).json() == ["active": false], "\(name)")
      }
      let refused = try await world.redeem(later)
      #expect(refused.status == .badRequest)
      #expect(try refused.json()["error"]?.stringValue == "invalid_grant")
      let refresh: FormFields = ["grant_type": "refresh_token", "refresh_token": try tokens.string("refresh_token")]
      #expect(try await world.post("/token", refresh, basic).status == .badRequest)
    }
  }

  @Test func `a new consent doesn't revive tokens of a withdrawn one`() async throws {
    try await World.run { world in
      func status(_ token: String) async throws -> HTTPResponse.Status {
        try await world.get("/userinfo", [.authorization: "Bearer \(token)"]).status
      }
      let before = try await world.tokens().string("access_token")
      let browser = TestBrowser(world)
      let page = try await browser.logIn(try await browser.open("/login"))
      #expect(!page.text.contains("consent-name"))
      _ = try await browser.submit(page, "/account/app", ["client": "site"])
      #expect(try await status(before) == .unauthorized)
      world.wait(20)
      let after = try await world.tokens().string("access_token")
      #expect(try await status(before) == .unauthorized)
      #expect(try await status(after) == .ok)
      // A token is its consent's though its machine's clock is behind that of the one where the user agreed.
      world.wait(-5)
      let early = try await world.tokens().string("access_token")
      #expect(try await status(early) == .ok)
      #expect(try await status(before) == .unauthorized)
      world.wait(5)
      // More of the same consent changes nothing for what there is.
      world.wait(1)
      _ = try await world.redeem(world.code(scope: "openid email"))
      #expect(try await status(after) == .ok)
    }
  }

  @Test func `a new consent doesn't revive codes of a withdrawn one`() async throws {
    try await World.run { world in
      let before = try await world.code()
      let browser = TestBrowser(world)
      let page = try await browser.logIn(try await browser.open("/login"))
      _ = try await browser.submit(page, "/account/app", ["client": "site"])
      let after = try await world.code()
      let refused = try await world.redeem(before)
      #expect(try refused.status == .badRequest && refused.json()["error"] == "invalid_grant")
      #expect(try await world.redeem(after).status == .ok)
    }
  }

  @Test func `consent is asked each time for a loopback redirect URI, and once for a website`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      func page(_ address: String) async throws -> TestResponse {
        let form: FormFields = [
          "client_id": "app", "redirect_uri": address, "response_type": "code", "scope": "openid",
          "code_challenge": PKCE().challenge, "code_challenge_method": "S256",
        ]
        return try await browser.open("/authorize?" + form.encodedAsQuery())
      }
      let local = "http://127.0.0.1:5123/callback"
      for isFirst in [true, false] {
        var shown = try await page(local)
        if isFirst { shown = try await browser.logIn(shown) }
        #expect(shown.page == "consent")
        _ = try await browser.submit(shown, "/consent", ["decision": "allow"])
        #expect(browser.address.hasPrefix(local + "?code="))
      }
      _ = try await page(World.redirectURI)
      #expect(browser.address.hasPrefix(World.redirectURI + "?code="))
    }
  }
}
