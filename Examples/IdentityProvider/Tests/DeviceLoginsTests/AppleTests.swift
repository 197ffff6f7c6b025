import DeviceLogins
@testable import IdentityProvider
import JOSE
import AppleSignInKit
import IdentityTesting
import SQLStores
import Testing

/// Apple Accounts above the login page, with a stand-in for Apple.
@Suite(.timeLimit(.minutes(60))) struct AppleTests {
  private struct Apple {
    let standIn: AppleStandIn
    let client: AppleStandInClient
    let world: World
    let user = AppleStandInUser(
      id: "u", givenName: "Jane", familyName: "Example", email: "jane@icloud.example", hidesEmail: true)

    init() async throws {
      let service = AppleService(
        issuer: "https://appleid.apple.com", authorizationURL: "https://appleid.apple.com/auth/authorize",
        tokenURL: "https://appleid.apple.com/auth/token", revocationURL: "https://appleid.apple.com/auth/revoke",
        keysURL: "https://appleid.apple.com/auth/keys", signatureAlgorithmNames: ["ES256"])
      let key = try SigningKey.generate(.es256, keyID: "ABC123DEFG")
      client = AppleStandInClient(
        clientID: "com.example.web", teamID: "TEAM123456",
        redirectURIs: [try AppleRedirectURI(World.issuer + "/apple/callback")], secretKeys: [key.verificationKey])
      // The stand-in lives by the system's clock, so the provider's is set to it.
      let clock = TestClock()
      clock.advance(WallClock.system.now.secondsSince1970 - clock.wall.now.secondsSince1970)
      let standIn = AppleStandIn(
        service: service, clients: [client], signingKey: try .generate(.es256, keyID: "APPLE00001"), clock: clock.wall)
      self.standIn = standIn
      world = try await World(
        apple: AppleSettings(
          clientID: "com.example.web", teamID: "TEAM123456", key: key, service: service
        ) { await standIn.handle($0) }, clock: clock)
    }

    /// Presses the button and agrees. Returns where the browser is then.
    func signIn(_ browser: Visitor, at path: String = "/apple/login") async throws -> HTTPResponseValue {
      let left = try await browser.follow(browser.get(path))
      let answer = await standIn.authorize(try #require(left.location), decision: .approve(user))
      return try await browser.follow(browser.send(try #require(answer.callback)))
    }

    func notify(_ event: String, _ visitor: Visitor) async throws -> HTTPResponseValue {
      try await visitor.send(
        standIn.notification(event, of: user, to: client, url: World.issuer + "/apple/notifications"))
    }
  }

  @Test func `a password login links an Apple Account once, and the account alone logs in later`() async throws {
    let apple = try await Apple()
    try await apple.world.test { client in
      let browser = Visitor(client)
      #expect(String(decoding: try await browser.get("/login").body, as: UTF8.self).contains("/apple/login"))
      // Nobody knows it yet: the password says whose it is.
      let page = try await apple.signIn(browser)
      #expect(page.status == 200)
      #expect(try await apple.world.provider.database.appleAccounts.accounts(userID: apple.world.jane.id).isEmpty)
      _ = try await browser.follow(browser.logIn(page, "jane", World.password))
      let accounts = try await apple.world.provider.database.appleAccounts.accounts(userID: apple.world.jane.id)
      #expect(accounts.map(\.subject) == [apple.user.subject(teamID: "TEAM123456")])
      #expect(accounts.first?.isPrivateEmail == true && accounts.first?.email?.contains("privaterelay") == true)
      #expect(try await apple.world.events("apple.linked").map(\.event.user) == [apple.world.jane.id])

      // From now on it logs in, in any browser.
      let other = Visitor(client)
      _ = try await apple.signIn(other)
      let succeeded = try #require(try await apple.world.events("login.succeeded").first)
      #expect(succeeded.event.user == apple.world.jane.id && succeeded.event.detail == "fed")
      #expect(try await apple.world.provider.browsers.sessions(userID: apple.world.jane.id).count == 2)

      // Who is logged in as somebody else doesn't get it.
      let stranger = Visitor(client)
      _ = try await stranger.logIn(stranger.get("/login"), "root", World.password)
      #expect(try await apple.signIn(stranger).status == 403)
      #expect(try await apple.world.provider.database.appleAccounts.accounts(userID: apple.world.admin.id).isEmpty)
    }
  }

  @Test func `Apple's notifications switch mail, unlink, and end what Apple vouched for`() async throws {
    let apple = try await Apple()
    try await apple.world.test { client in
      let browser = Visitor(client)
      _ = try await browser.logIn(browser.get("/login"), "jane", World.password)
      _ = try await apple.signIn(browser)
      let other = Visitor(client)
      _ = try await apple.signIn(other)
      let (accounts, subject) = (
        apple.world.provider.database.appleAccounts, apple.user.subject(teamID: "TEAM123456")
      )
      #expect(try await apple.notify("email-disabled", browser).status == 200)
      #expect(try await accounts.account(subject: subject)?.isEmailEnabled == false)
      #expect(try await apple.world.provider.browsers.sessions(userID: apple.world.jane.id).count == 2)
      let revoked = try await apple.notify("consent-revoked", browser)
      #expect(revoked.status == 200)
      #expect(try await accounts.account(subject: subject) == nil)
      // The session that began with the password goes on.
      #expect(try await apple.world.provider.browsers.sessions(userID: apple.world.jane.id).count == 1)
      #expect(try await apple.world.events("apple.notified").count == 2)
      var forged = try await apple.standIn.notification(
        "account-delete", of: apple.user, to: apple.client, url: World.issuer + "/apple/notifications")
      forged.body = Array(#"{"payload":"e30.e30.e30"}"#.utf8)
      #expect(try await browser.send(forged).status == 400)
    }
  }

  @Test func `Sign in with Apple is followed by one code page where the client requires two factors`() async throws {
    let apple = try await Apple()
    let (provider, callback) = (apple.world.provider, "https://site.example/cb")
    let jane = try #require(try await provider.users.user(id: apple.world.jane.id))
    var site = Client(id: "site", name: "Site", authentication: .basic, redirectURIs: [callback])
    site.requiresTwoFactors = true
    _ = site.makeSecret()
    try await provider.clients.put(site)
    try await apple.world.test { client in
      let first = Visitor(client)
      _ = try await first.follow(first.logIn(apple.signIn(first), "jane", World.password))
      let seed = RandomText.octets(20)
      func code(after steps: Int64) -> String {
        OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now) + steps)
      }
      _ = try await provider.secondFactors.enable(seed: seed, code: code(after: 0), of: jane)
      let browser = Visitor(client)
      let query: FormFields = [
        "client_id": "site", "redirect_uri": callback, "response_type": "code", "scope": "openid",
      ]
      let login = try await browser.follow(browser.get("/authorize?" + query.encodedAsQuery()))
      let path = "/apple/login?request=" + browser.hidden("request", in: login)
      let page = try await apple.signIn(browser, at: path)
      #expect(String(decoding: page.body, as: UTF8.self).contains("data-page=\"totp\""))
      let form = FormFields([
        ("csrf", browser.hidden("csrf", in: page)), ("pending", browser.hidden("pending", in: page)),
        ("code", code(after: 1)),
      ])
      let next = try await browser.follow(browser.post("/login/code", form))
      #expect(String(decoding: next.body, as: UTF8.self).contains("data-page=\"consent\""))
      let succeeded = try #require(try await apple.world.events("login.succeeded").first)
      #expect(succeeded.event.detail == "fed otp mfa")
    }
  }

  @Test func `cancelling at Apple shows the login page, and a callback in another browser is refused`() async throws {
    let apple = try await Apple()
    try await apple.world.test { client in
      let browser = Visitor(client)
      let left = try await browser.follow(browser.get("/apple/login"))
      let cancelled = await apple.standIn.authorize(try #require(left.location), decision: .cancel)
      let page = try await browser.follow(browser.send(try #require(cancelled.callback)))
      #expect(String(decoding: page.body, as: UTF8.self).contains("data-page=\"login\""))
      let again = try await browser.follow(browser.get("/apple/login"))
      let answer = await apple.standIn.authorize(try #require(again.location), decision: .approve(apple.user))
      #expect(try await Visitor(client).send(try #require(answer.callback)).status == 400)
      #expect(try await Visitor(client).get("/apple/finish").status == 400)
    }
  }
}
