import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing
import OpenIDKit

@testable import IdentityProvider

@Suite struct CodeFlowTests {
  @Test func `a code gives an ID token for the client, and an access token for userinfo`() async throws {
    try await World.run { world in
      let tokens = try await world.tokens(scope: "openid email")
      let verifier = JWTVerifier(
        keys: try await world.provider.keys.snapshot().published, algorithms: KeyRing.algorithms,
        policy: .idTokenHint(issuer: World.issuer, clock: world.provider.clock))
      let claims = try verifier.verify(tokens.string("id_token")).claims
      #expect(claims["aud"]?.stringValue == "site" && claims["sub"]?.stringValue == world.user.id)
      #expect(claims["nonce"]?.stringValue == "n" && claims["email"] == nil)
      let info = try await world.get("/userinfo", [.authorization: "Bearer \(tokens.string("access_token"))"])
      #expect(try info.json()["email"]?.stringValue == "alice@example.com")
      #expect(try info.json()["name"] == nil)
      #expect(tokens["refresh_token"] == nil)
    }
  }

  @Test func `a reused code is refused and ends the access and refresh tokens that it gave`() async throws {
    try await World.run { world in
      let code = try await world.code(["prompt": "consent"], scope: "openid offline_access")
      let tokens = try await world.redeem(code).json()
      let bearer: HTTPFields = [.authorization: "Bearer \(try tokens.string("access_token"))"]
      #expect(try await world.get("/userinfo", bearer).status == .ok)
      let again = try await world.redeem(code)
      #expect(again.status == .badRequest)
      #expect(try again.json()["error"]?.stringValue == "invalid_grant")
      #expect(try await world.get("/userinfo", bearer).status == .unauthorized)
      let refresh: FormFields = ["grant_type": "refresh_token", "refresh_token": try tokens.string("refresh_token")]
      #expect(try await world.post("/token", refresh, [.authorization: world.basic]).status == .badRequest)
    }
  }

  @Test func `a code is good for a minute, for its client and its address`() async throws {
    try await World.run { world in
      let late = try await world.code()
      world.wait(61)
      #expect(try await world.redeem(late).status == .badRequest)
      let stolen = try await world.code()
      #expect(try await world.redeem(stolen, ["client_id": "app"], headers: [:]).status == .badRequest)
      // Who may not have it doesn't use it up.
      #expect(try await world.redeem(stolen).status == .ok)
      let moved = try await world.code()
      let form: FormFields = [
        "grant_type": "authorization_code", "code": moved, "redirect_uri": "https://client.example/",
      ]
      #expect(try await world.post("/token", form, [.authorization: world.basic]).status == .badRequest)
    }
  }

  @Test func `a challenge needs its verifier, and a verifier without a challenge is refused`() async throws {
    try await World.run { world in
      let pkce = PKCE()
      let challenge: FormFields = ["code_challenge": pkce.challenge, "code_challenge_method": "S256"]
      func status(_ asked: FormFields, _ presented: FormFields) async throws -> HTTPResponse.Status {
        let code = try await world.code(asked)
        return try await world.redeem(code, presented).status
      }
      let missing = try await status(challenge, [:])
      let wrong = try await status(challenge, ["code_verifier": PKCE().verifier])
      let right = try await status(challenge, ["code_verifier": pkce.verifier])
      // Somebody has taken the challenge out.
      let downgraded = try await status([:], ["code_verifier": pkce.verifier])
      #expect([missing, wrong, right, downgraded] == [.badRequest, .badRequest, .ok, .badRequest])
    }
  }

  @Test func `a public client's request without a code challenge is answered with invalid_request`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let answer = try await browser.authorize(client: "app")
      #expect(answer.values("error") == ["invalid_request"] && answer.values("state") == ["s t"])
      #expect(answer.values("iss") == [World.issuer])
    }
  }

  @Test(arguments: [
    "https://client.example/callback/", "https://client.example/callback?x=1", "https://client.example.evil/callback",
    "http://127.0.0.1:9999/callback", "",
  ])
  func `an unregistered redirect URI gets an error page instead of a redirect`(address: String) async throws {
    try await World.run { world in
      let form: FormFields = [
        "client_id": "site", "response_type": "code", "scope": "openid", "redirect_uri": address,
      ]
      let response = try await world.get("/authorize?" + form.encodedAsQuery())
      #expect(response.page == "error" && response.status == .badRequest)
      #expect(response.headers[.location] == nil)
    }
  }

  @Test func `a loopback redirect URI may differ from the registered one in its port alone`() async throws {
    try await World.run { world in
      for (address, isFine) in [
        ("http://127.0.0.1:5123/callback", true), ("http://127.0.0.1/callback", true),
        ("http://127.0.0.1:5123/other", false), ("http://127.0.0.1:0/callback", false),
        ("http://127.0.0.1.evil/callback", false),
      ] {
        let form: FormFields = [
          "client_id": "app", "response_type": "code", "scope": "openid", "redirect_uri": address,
        ]
        let response = try await world.get("/authorize?" + form.encodedAsQuery())
        #expect((response.headers[.location]?.hasPrefix(address) ?? false) == isFine, "\(address)")
      }
    }
  }
}
