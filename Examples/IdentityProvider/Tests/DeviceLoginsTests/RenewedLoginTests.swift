import DeviceLogins
@testable import IdentityProvider
import JOSE
import OpenIDKit
import Testing

/// Two apps in one browser's session, whose user logs in again for the second.
///
/// Source: OpenID Connect Core 1.0 §12.2.
@Suite(.timeLimit(.minutes(60))) struct RenewedLoginTests {
  /// What an ID token says of its login.
  private struct Told: Equatable {
    let time: Int64?
    let context: String?
    let session: String?

    init(_ time: Int64?, _ context: String?, _ session: String?) {
      (self.time, self.context, self.session) = (time, context, session)
    }

    init(_ answer: HTTPResponseValue) throws {
      #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
      let token = try #require(answer["id_token"])
      let claims = try #require(try UnverifiedJWS(parsing: token).unverifiedClaims)
      self.init(
        claims["auth_time"]?.numberValue?.int64, claims["acr"]?.stringValue, claims["sid"]?.stringValue)
    }
  }

  private struct Session {
    let world: World
    let browser: Visitor
    let seed = RandomText.octets(20)

    var code: String {
      OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: world.provider.clock.now))
    }

    var now: Int64 { Int64(world.provider.clock.now.wholeSeconds) }

    /// Goes through the pages that come, and returns the tokens.
    func logIn(_ client: String, _ scope: String, _ more: FormFields = [:]) async throws -> HTTPResponseValue {
      let (pkce, redirect) = (PKCE(), "https://\(client).example/cb")
      let asked = FormFields(
        more.fields.map { ($0.name, $0.value) } + [
          ("client_id", client), ("redirect_uri", redirect), ("response_type", "code"), ("scope", scope),
          ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ])
      var page = try await browser.follow(browser.get("/authorize?" + asked.encodedAsQuery()))
      func isPage(_ name: String) -> Bool {
        String(decoding: page.body, as: UTF8.self).contains("data-page=\"\(name)\"")
      }
      func send(_ path: String, _ fields: [(String, String)]) async throws -> HTTPResponseValue {
        try await browser.follow(
          browser.post(path, FormFields([("csrf", browser.hidden("csrf", in: page))] + fields)))
      }
      if isPage("login") { page = try await browser.follow(browser.logIn(page, "jane", World.password)) }
      if isPage("totp") {
        page = try await send("/login/code", [("pending", browser.hidden("pending", in: page)), ("code", code)])
      }
      if isPage("consent") {
        page = try await send(
          "/consent",
          ["request", "session"].map { ($0, browser.hidden($0, in: page)) } + [("decision", "allow")])
      }
      let location = try #require(page.location)
      let answer = try FormFields(decoding: Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
      return try await browser.post(
        "/token",
        [
          "grant_type": "authorization_code", "client_id": client, "redirect_uri": redirect,
          "code": try #require(answer.values("code").first), "code_verifier": pkce.verifier,
        ])
    }

    func refresh(_ answer: HTTPResponseValue) async throws -> HTTPResponseValue {
      try await browser.post(
        "/token",
        [
          "grant_type": "refresh_token", "client_id": "mail",
          "refresh_token": try #require(answer["refresh_token"]),
          "device_secret": try #require(answer["device_secret"]),
        ])
    }
  }

  @Test func `a later login for another app changes nothing that the first app's ID tokens say of its own`()
    async throws
  {
    let world = try await World()
    for id in ["mail", "chat"] {
      var client = Client(id: id, name: id, authentication: .none, redirectURIs: ["https://\(id).example/cb"])
      client.scopes = ["openid", "offline_access"]
      if id == "mail" { (client.isNativeSSOEnabled, client.nativeSSOGroup) = (true, "example") }
      try await world.provider.clients.put(client)
    }
    let jane = try #require(try await world.provider.users.user(id: world.jane.id))
    let both = AuthenticationContext.twoFactors
    try await world.test { client in
      let session = Session(world: world, browser: Visitor(client))
      let start = session.now
      var mail = try await session.logIn("mail", "openid device_sso")
      let first = try Told(mail)
      #expect(first == Told(start, AuthenticationContext.password, first.session) && first.session != nil)
      func refresh() async throws {
        mail = try await session.refresh(mail)
        #expect(try Told(mail) == first)
      }
      try await refresh()
      // Again by the password, by a second factor, and by both.
      world.clock.advance(60)
      let again = try Told(await session.logIn("chat", "openid", ["prompt": "login"]))
      #expect(again == Told(start + 60, AuthenticationContext.password, first.session))
      try await refresh()
      _ = try await world.provider.secondFactors.enable(seed: session.seed, code: session.code, of: jane)
      world.clock.advance(60)
      let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"value\":\"\(both)\"}}}"
      let stronger = try Told(await session.logIn("chat", "openid", ["claims": essential]))
      #expect(stronger == Told(start + 60, both, first.session))
      try await refresh()
      world.clock.advance(60)
      let last = try Told(await session.logIn("chat", "openid", ["prompt": "login"]))
      #expect(last == Told(start + 180, both, first.session))
      for _ in 0..<2 { try await refresh() }
      // What the first app's user does for it counts for it.
      let own = try Told(await session.logIn("mail", "openid device_sso"))
      #expect(own == last)
    }
  }
}
