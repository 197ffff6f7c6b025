import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

/// Logins that have to be by two factors.
@Suite struct StepUpTests {
  private static let essential: FormFields = [
    "claims": "{\"id_token\":{\"acr\":{\"essential\":true,\"value\":\"\(AuthenticationContext.twoFactors)\"}}}"
  ]

  private static func demand(of world: World) async throws {
    var client = try #require(try await world.provider.clients.enabledClient(id: "site"))
    client.requiresTwoFactors = true
    try await world.provider.clients.put(client)
  }

  @Test func `a one-factor login is refused where two factors are essential, not where they are optional`() async throws
  {
    try await World.run { world in
      let unmet = ["unmet_authentication_requirements"]
      #expect(try await TestBrowser(world).authorize(Self.essential).values("error") == unmet)
      let browser = TestBrowser(world)
      let wish: FormFields = ["acr_values": AuthenticationContext.twoFactors]
      #expect(try await browser.authorize(wish).values("code").count == 1)
      // Nobody can be asked without a page.
      var silent = Self.essential
      silent.append("prompt", "none")
      #expect(try await browser.authorize(silent).values("error") == ["login_required"])
      #expect(try await browser.authorize(Self.essential).values("error") == unmet)
      try await Self.demand(of: world)
      #expect(try await browser.authorize().values("error") == unmet)
    }
  }

  @Test func `a login by the password is stepped up, and what comes of it says so when it has ended`() async throws {
    try await World.run { world in
      let (provider, seed) = (world.provider, RandomText.octets(20))
      func code() -> String { OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now)) }
      let (browser, scope) = (TestBrowser(world), "openid offline_access")
      _ = try await browser.authorize(scope: scope)
      let start = provider.clock.now.wholeSeconds
      _ = try await provider.secondFactors.enable(seed: seed, code: code(), of: world.user)
      world.wait(30)
      let step = try await browser.open("/authorize?" + browser.request(Self.essential, scope: scope).encodedAsQuery())
      #expect(step.page == "totp")
      #expect(try await browser.submit(step, "/login/code", ["code": "000000"]).status == .unauthorized)
      // Another browser can't go on with it.
      let other = TestBrowser(world)
      let pending = TestBrowser.hidden(step.text, "/login/code").values("pending").first ?? ""
      #expect(try await other.open("/login/code?request=" + pending).page == "error")
      _ = try await browser.submit(step, "/login/code", ["code": code()])
      let tokens = try await world.redeem(try #require(try browser.answer().values("code").first)).json()
      let claims = try #require(try UnverifiedJWS(parsing: tokens.string("id_token")).unverifiedClaims)
      #expect(claims["acr"]?.stringValue == AuthenticationContext.twoFactors)
      #expect(claims.strings("amr") == ["pwd", "otp", "mfa"])
      // The password was given then, and not now.
      #expect(claims["auth_time"] == .number(JSONNumber(start)))
      try await Self.demand(of: world)
      world.wait(provider.settings.sessionIdleTimeout + 1)
      let form: FormFields = [
        "grant_type": "refresh_token", "refresh_token": try tokens.string("refresh_token"),
      ]
      let token = try await world.post("/token", form, [.authorization: world.basic]).json().string("access_token")
      #expect(try await world.get("/userinfo", [.authorization: "Bearer \(token)"]).status == .ok)
      let said = try await world.post("/introspect", ["token": token], [.authorization: world.basic]).json()
      #expect(said["acr"]?.stringValue == AuthenticationContext.twoFactors)
    }
  }

  @Test func `a refresh token of a weaker login gives nothing once its client needs two factors`() async throws {
    try await World.run { world in
      let code = try await world.code(scope: "openid offline_access")
      let waiting = try await world.code(scope: "openid")
      let token = try await world.redeem(code).json().string("refresh_token")
      func said() async throws -> JSONObject {
        try await world.post("/introspect", ["token": token], [.authorization: world.basic]).json()
      }
      #expect(try await said()["active"]?.boolValue == true)
      try await Self.demand(of: world)
      #expect(try await said() == ["active": false])
      let form: FormFields = ["grant_type": "refresh_token", "refresh_token": token]
      for answer in [
        try await world.post("/token", form, [.authorization: world.basic]), try await world.redeem(waiting),
      ] {
        #expect(answer.status == .badRequest)
        #expect(try answer.json()["error"]?.stringValue == "invalid_grant")
      }
    }
  }

  @Test func `a token of a weaker login is refused with the kind that is needed`() async throws {
    try await World.run { world in
      let headers: HTTPFields = [.authorization: "Bearer \(try await world.tokens().string("access_token"))"]
      #expect(try await world.get("/userinfo", headers).status == .ok)
      try await Self.demand(of: world)
      let answer = try await world.get("/userinfo", headers)
      let challenge = try #require(answer.headers[.wwwAuthenticate])
      #expect(answer.status == .unauthorized && challenge.contains("insufficient_user_authentication"))
      #expect(challenge.contains("acr_values=\"\(AuthenticationContext.twoFactors)\""))
    }
  }
}
