import HTTPTypes
import HummingbirdTesting
import JOSE
import SQLStores
import Testing

@testable import IdentityProvider

/// A client's page that posts the request for a logout, which browsers do without the session's cookie.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0 §2.
@Suite struct LogoutTests {
  private static let farewell = "https://client.example/bye?state=x%26y"

  /// The request of a client whose user is logged in.
  private static func request(_ world: World, _ browser: TestBrowser) async throws -> FormFields {
    let code = try #require(try await browser.authorize().values("code").first)
    return [
      "id_token_hint": try await world.redeem(code).json().string("id_token"),
      "post_logout_redirect_uri": "https://client.example/bye", "state": "x&y",
    ]
  }

  private static func posted(_ form: FormFields, _ world: World) async throws -> String {
    let answer = try await world.post("/logout", form)
    let location = try #require(answer.headers[.location])
    #expect(answer.status == .seeOther && location.hasPrefix("/logout?request="))
    #expect(!location.contains("id_token_hint") && location.utf8.count < 100)
    #expect(answer.headers[values: .setCookie].isEmpty)
    return location
  }

  private static func sessionCount(_ world: World) async throws -> Int {
    try await world.provider.browsers.sessions(userID: world.user.id).count
  }

  @Test func `a logout that another site posts ends the session, once`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let address = try await Self.posted(form, world)
      #expect(try await Self.sessionCount(world) == 1)
      _ = try await browser.open(address)
      #expect(browser.address == Self.farewell)
      #expect(try await Self.sessionCount(world) == 0 && browser.cookies["__Host-session"] == nil)
      // Again, as by the browser's back button.
      #expect(try await browser.open(address).page == "logged-out" && browser.address == address)
      // It ends no later login.
      _ = try await browser.logIn(try await browser.open("/login"))
      #expect(try await browser.open(address).page == "logout")
      #expect(try await Self.sessionCount(world) == 1)
    }
  }

  @Test func `a posted logout with the session's cookie needs no second step`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let answer = try await world.post("/logout", form, browser.headers)
      #expect(answer.status == .seeOther && answer.headers[.location] == Self.farewell)
      #expect(try await Self.sessionCount(world) == 0)
    }
  }

  @Test func `a posted logout whose second step has no cookie ends no session`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let address = try await Self.posted(form, world)
      let answer = try await world.get(address)
      #expect(answer.status == .seeOther && answer.headers[.location] == Self.farewell)
      // That was its one use.
      #expect(try await world.get(address).page == "logged-out")
      #expect(try await browser.open(address).page == "logout")
      #expect(try await Self.sessionCount(world) == 1)
    }
  }

  @Test func `a waiting logout is used by one of several simultaneous requests`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let address = try await Self.posted(form, world)
      let locations = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<8 { group.addTask { try await world.get(address).headers[.location] } }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(locations.count { $0 == Self.farewell } == 1)
    }
  }

  @Test func `a posted logout that was left for too long asks the user`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let address = try await Self.posted(form, world)
      world.wait(Interactions.lifetime + 1)
      #expect(try await browser.open(address).page == "logout")
      #expect(try await Self.sessionCount(world) == 1)
    }
  }

  @Test func `a posted logout that names no login asks the user, and goes on to the client`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      _ = try await Self.request(world, browser)
      let form: FormFields = ["client_id": "site", "post_logout_redirect_uri": "https://client.example/bye"]
      let page = try await browser.open(try await Self.posted(form, world))
      #expect(page.page == "logout")
      #expect(try await Self.sessionCount(world) == 1)
      _ = try await browser.submit(page, "/logout/confirm", FormFields())
      #expect(browser.address == "https://client.example/bye")
      #expect(try await Self.sessionCount(world) == 0)
    }
  }

  @Test func `an invalid logout request is refused at once and not stored`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let count = { try await world.provider.database.rows("SELECT id FROM interactions", []).count }
      let before = try await count()
      for (name, value) in [
        ("id_token_hint", "e.y.z"), ("post_logout_redirect_uri", "https://evil.example/"), ("client_id", "app"),
      ] {
        var wrong = FormFields()
        for field in form.fields where field.name != name { wrong.append(field.name, field.value) }
        wrong.append(name, value)
        let answer = try await world.post("/logout", wrong)
        #expect(answer.status == .badRequest && answer.page == "error", "\(name)")
      }
      #expect(try await count() == before)
    }
  }

  @Test func `references of waiting logouts and waiting logins are not interchangeable`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let form = try await Self.request(world, browser)
      let address = try await Self.posted(form, world)
      let id = String(address.dropFirst("/logout?request=".utf8.count))
      for path in ["/authorize/resume", "/login", "/login/code", "/consent"] {
        #expect(try await browser.open("\(path)?request=\(id)").page == "error", "\(path)")
      }
      let other = TestBrowser(world)
      #expect(try await other.open("/authorize?" + other.request().encodedAsQuery()).page == "login")
      let waiting = String(other.address.dropFirst("/login?request=".utf8.count))
      #expect(try await other.open("/logout?request=\(waiting)").page == "logged-out")
      #expect(try await other.open("/login?request=\(waiting)").page == "login")
      // A parameter that this endpoint doesn't know is ignored, as the specification has it.
      var more = form
      more.append("request", "other")
      _ = try await browser.open("/logout?" + more.encodedAsQuery())
      #expect(browser.address == Self.farewell)
    }
  }

  @Test func `one network leaves a limited number of waiting logouts`() async throws {
    try await World.run(changing: { $0.keptRequestsPerMinute = 2 }) { world in
      for _ in 0..<2 { _ = try await Self.posted(["client_id": "site"], world) }
      let answer = try await world.post("/logout", ["client_id": "site"])
      #expect(answer.status == .tooManyRequests && answer.headers[.retryAfter] == "60")
    }
  }
}
