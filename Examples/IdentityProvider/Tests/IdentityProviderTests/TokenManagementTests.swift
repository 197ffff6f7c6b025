import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

@Suite struct TokenManagementTests {
  @Test func `a client learns about its own tokens, until it ends them`() async throws {
    try await World.run { world in
      let token = try await world.tokens().string("access_token")
      let headers: HTTPFields = [.authorization: world.basic]
      let answer = try await world.post("/introspect", ["token": token], headers).json()
      #expect(answer["active"]?.boolValue == true && answer["sub"]?.stringValue == world.user.id)
      #expect(try await world.post("/introspect", ["token": token, "client_id": "app"]).status == .unauthorized)
      #expect(try await world.post("/revoke", ["token": token], headers).status == .ok)
      #expect(try await world.post("/introspect", ["token": token], headers).json() == ["active": false])
      #expect(try await world.get("/userinfo", [.authorization: "Bearer \(token)"]).status == .unauthorized)
    }
  }

  @Test func `another client's tokens are refused at the revocation, and stay good`() async throws {
    try await World.run { world in
      let tokens = try await world.tokens(scope: "openid offline_access")
      let (access, refresh) = (try tokens.string("access_token"), try tokens.string("refresh_token"))
      let bearer: HTTPFields = [.authorization: "Bearer \(access)"]
      func revoke(_ token: String, _ hint: String? = nil, by client: String = "app") async throws -> TestResponse {
        var form: FormFields = ["token": token, "client_id": client]
        if let hint { form.append("token_type_hint", hint) }
        return try await world.post("/revoke", form)
      }
      for token in [access, refresh] {
        for hint in [nil, "access_token", "refresh_token", "other"] {
          let refused = try await revoke(token, hint)
          #expect(refused.status == .badRequest && refused.headers[.cacheControl] == "no-store")
          #expect(try refused.json()["error"]?.stringValue == "invalid_grant")
        }
      }
      #expect(try await revoke(access, by: "nobody").status == .unauthorized)
      #expect(try await world.get("/userinfo", bearer).status == .ok)
      let form: FormFields = ["grant_type": "refresh_token", "refresh_token": refresh]
      let renewed = try await world.post("/token", form, [.authorization: world.basic])
      #expect(renewed.status == .ok)
      // What is unknown or over tells nothing of whose it was.
      let next = try renewed.json()
      for token in ["unknown", "a.b.c", access + "x", refresh + "x"] {
        #expect(try await revoke(token).status == .ok, "\(token)")
      }
      for token in [try next.string("access_token"), try next.string("refresh_token")] {
        #expect(try await world.post("/revoke", ["token": token], [.authorization: world.basic]).status == .ok)
        #expect(try await revoke(token).status == .ok)
      }
      world.wait(world.provider.settings.accessTokenLifetime + 1)
      #expect(try await revoke(access).status == .ok)
    }
  }

  @Test func `requests that come together with one refresh token are all answered`() async throws {
    try await World.run { world in
      let code = try await world.code(scope: "openid offline_access")
      let token = try await world.redeem(code).json().string("refresh_token")
      let form: FormFields = ["grant_type": "refresh_token", "refresh_token": token]
      var newest = token
      for _ in 0..<6 {
        let answer = try await world.post("/token", form, [.authorization: world.basic])
        #expect(answer.status == .ok)
        newest = try answer.json().string("refresh_token")
      }
      let last: FormFields = ["grant_type": "refresh_token", "refresh_token": newest]
      #expect(try await world.post("/token", last, [.authorization: world.basic]).status == .ok)
    }
  }

  @Test func `a pushed request's reference is good for one use`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let headers: HTTPFields = [.authorization: world.basic]
      let pushed = try await world.post("/par", browser.request(), headers)
      #expect(pushed.status == .created)
      let reference = try pushed.json().string("request_uri")
      let query: FormFields = ["client_id": "site", "request_uri": reference, "scope": "openid email"]
      let page = try await browser.open("/authorize?" + query.encodedAsQuery())
      #expect(page.page == "login")
      #expect(try await browser.open("/authorize?" + query.encodedAsQuery()).page == "error")
      let bad = try await world.post("/par", ["client_id": "site", "redirect_uri": "https://evil.example/"], headers)
      #expect(bad.status == .badRequest)
    }
  }

  @Test func `a pushed request may be continued by a form`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let pushed = try await world.post("/par", browser.request(), [.authorization: world.basic])
      let form: FormFields = ["client_id": "site", "request_uri": try pushed.json().string("request_uri")]
      #expect(try await browser.submit(try await browser.open("/login"), "/authorize", form).page == "login")
    }
  }

  @Test func `a proof beside a pushed request binds its code to the key`() async throws {
    try await World.run { world in
      let key = try SigningKey.generate(.es256)
      let name = try #require(HTTPField.Name("DPoP"))
      func headers(_ path: String, nonce: String?) throws -> HTTPFields {
        let proof = try DPoP.proof(
          method: "POST", url: World.issuer + path, key: key, nonce: nonce, clock: world.provider.clock)
        return [.authorization: world.basic, name: proof]
      }
      let browser = TestBrowser(world)
      let asked = try await world.post("/par", browser.request(), headers("/par", nonce: nil))
      #expect(try asked.json()["error"]?.stringValue == "use_dpop_nonce")
      let nonceName = try #require(HTTPField.Name("DPoP-Nonce"))
      let nonce = try #require(asked.headers[nonceName])
      let other: FormFields = ["dpop_jkt": Base64URL.encode(RandomText.octets(32))]
      let refused = try await world.post("/par", browser.request(other), headers("/par", nonce: nonce))
      #expect(try refused.json()["error"]?.stringValue == "invalid_request")
      let pushed = try await world.post("/par", browser.request(), headers("/par", nonce: nonce))
      let form: FormFields = ["client_id": "site", "request_uri": try pushed.json().string("request_uri")]
      var page = try await browser.logIn(try await browser.open("/authorize?" + form.encodedAsQuery()))
      page = try await browser.submit(page, "/consent", ["decision": "allow"])
      let code = try #require(try browser.answer().values("code").first)
      #expect(try await world.redeem(code).status == .badRequest)
      let again: FormFields = [
        "client_id": "site", "request_uri": try await Self.push(world, browser, headers("/par", nonce: nonce)),
      ]
      _ = try await browser.open("/authorize?" + again.encodedAsQuery())
      let second = try #require(try browser.answer().values("code").first)
      #expect(try await world.redeem(second, headers: headers("/token", nonce: nonce)).status == .ok)
    }
  }

  private static func push(_ world: World, _ browser: TestBrowser, _ headers: HTTPFields) async throws -> String {
    try await world.post("/par", browser.request(), headers).json().string("request_uri")
  }

  @Test func `a client learns about its own refresh token, and no other's`() async throws {
    try await World.run { world in
      let code = try await world.code(scope: "openid offline_access")
      let token = try await world.redeem(code).json().string("refresh_token")
      let answer = try await world.post("/introspect", ["token": token], [.authorization: world.basic]).json()
      #expect(answer["active"]?.boolValue == true && answer["client_id"]?.stringValue == "site")
      #expect(answer["token_type"] == nil)
      var other = IdentityProvider.Client(id: "api", name: "API", authentication: .post, redirectURIs: [])
      other.isResourceServer = true
      let secret = try #require(try await world.provider.addClient(other))
      let form: FormFields = ["token": token, "client_id": "api", "client_secret": secret]
      #expect(try await world.post("/introspect", form).json() == ["active": false])
    }
  }

  @Test func `tokens for a key need a nonce and count with its proof alone`() async throws {
    try await World.run { world in
      let key = try SigningKey.generate(.es256)
      func proof(_ method: String, _ path: String, nonce: String?, token: String? = nil) throws -> String {
        try DPoP.proof(
          method: method, url: World.issuer + path, key: key, accessToken: token, nonce: nonce,
          clock: world.provider.clock)
      }
      let name = try #require(HTTPField.Name("DPoP"))
      let nonceName = try #require(HTTPField.Name("DPoP-Nonce"))
      let code = try await world.code()
      var headers: HTTPFields = [.authorization: world.basic, name: try proof("POST", "/token", nonce: nil)]
      let asked = try await world.redeem(code, headers: headers)
      #expect(try asked.json()["error"]?.stringValue == "use_dpop_nonce")
      let nonce = try #require(asked.headers[nonceName])
      headers[name] = try proof("POST", "/token", nonce: nonce)
      let tokens = try await world.redeem(code, headers: headers).json()
      #expect(tokens["token_type"]?.stringValue == "DPoP")
      let token = try tokens.string("access_token")
      #expect(try await world.get("/userinfo", [.authorization: "Bearer \(token)"]).status == .unauthorized)
      let shown = try proof("GET", "/userinfo", nonce: nonce, token: token)
      #expect(try await world.get("/userinfo", [.authorization: "DPoP \(token)", name: shown]).status == .ok)
      #expect(try await world.get("/userinfo", [.authorization: "DPoP \(token)", name: shown]).status == .unauthorized)
    }
  }

  @Test func `a client's logout ends the session and returns to its address`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let answer = try await browser.authorize()
      let code = try #require(answer.values("code").first)
      let tokens = try await world.redeem(code).json()
      let query: FormFields = [
        "id_token_hint": try tokens.string("id_token"), "post_logout_redirect_uri": "https://client.example/bye",
        "state": "x&y",
      ]
      var wrong = query.fields.map { ($0.name, $0.value) }
      wrong[1].1 = "https://client.example/bye?more=1"
      #expect(try await browser.open("/logout?" + FormFields(wrong).encodedAsQuery()).page == "error")
      _ = try await browser.open("/logout?" + query.encodedAsQuery())
      #expect(browser.address == "https://client.example/bye?state=x%26y")
      #expect(try await browser.open("/account").page == "login")
      let token = try tokens.string("access_token")
      #expect(try await world.get("/userinfo", [.authorization: "Bearer \(token)"]).status == .unauthorized)
    }
  }

  @Test func `the next key is published before it signs, and the last one afterwards`() async throws {
    try await World.run { world in
      let before = try await world.provider.keys.snapshot().entries
      let next = before.filter { $0.state == .next }.map(\.id)
      let active = before.filter { $0.state == .active }.map(\.id)
      try await world.provider.keys.rotate()
      let after = try await world.provider.keys.snapshot().entries
      #expect(after.filter { $0.state == .active }.map(\.id).sorted() == next.sorted())
      #expect(after.filter { $0.state == .retired }.map(\.id).sorted() == active.sorted())
      await #expect(throws: KeyRing.Failure.self) { try await world.provider.keys.rotate() }
      world.wait(301)
      try await world.provider.keys.rotate()
    }
  }

  @Test func `a key that is withdrawn vouches for nothing any more, and logins stay`() async throws {
    try await World.run { world in
      let tokens = try await world.tokens(scope: "openid offline_access")
      func status(_ tokens: JSONObject) async throws -> HTTPResponse.Status {
        try await world.get("/userinfo", [.authorization: "Bearer \(tokens.string("access_token"))"]).status
      }
      #expect(try await status(tokens) == .ok)
      let keys = world.provider.keys
      for state in [KeyRing.Entry.State.active, .next] {
        let former = try await keys.snapshot().entries.filter { $0.state == state }
        for entry in former { #expect(try await keys.revoke(entry.id).state == state) }
        let present = try await keys.snapshot()
        for entry in former { #expect(!present.entries.contains { $0.id == entry.id }) }
        #expect(present.entries.count == 4 && present.signing.count == 2)
        #expect(try await world.get("/jwks").text.contains(former[0].id) == false)
      }
      #expect(try await status(tokens) == .unauthorized)
      let refresh: FormFields = ["grant_type": "refresh_token", "refresh_token": try tokens.string("refresh_token")]
      #expect(try await status(world.post("/token", refresh, [.authorization: world.basic]).json()) == .ok)
      // A retired one leaves nothing behind.
      try await keys.rotate(isForced: true)
      let retired = try await keys.snapshot().entries.filter { $0.state == .retired }
      for entry in retired { _ = try await keys.revoke(entry.id) }
      #expect(try await keys.snapshot().entries.count == 4)
      await #expect(throws: KeyRing.Failure.self) { try await keys.revoke("another") }
      await #expect(throws: KeyRing.Failure.self) { try await keys.revoke(retired[0].id) }
    }
  }

  @Test func `an access token is refused once its lifetime has passed`() async throws {
    try await World.run { world in
      let tokens = try await world.tokens()
      func status() async throws -> HTTPResponse.Status {
        try await world.get("/userinfo", [.authorization: "Bearer \(tokens.string("access_token"))"]).status
      }
      world.wait(3599)
      #expect(try await status() == .ok)
      // By how much the clocks of the provider's machines may differ.
      world.wait(7)
      #expect(try await status() == .unauthorized)
    }
  }
}
