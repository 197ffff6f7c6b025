import JOSE
@testable import PlatformSSOKit
import Testing

@Suite("Logins by a browser, of a provider in one value")
struct BrowserLoginTests {
  /// A Mac whose user logs in by the browser.
  private struct Browser {
    let world: ProviderWorld
    let provider: PlatformSSOProvider
    let mac: TestMac

    init() async throws {
      world = try ProviderWorld()
      provider = try world.provider()
      let registered = try await world.mac(at: provider)
      var device = registered.device
      device.configuration.federationUserPreauthenticationURL = ProviderWorld.address + "/psso/discovery"
      device.configuration.isFederated = { $0["account_type"] == "Federated" }
      mac = TestMac(
        device: device, user: registered.user, idTokenKeys: registered.idTokenKeys, send: registered.send)
    }

    /// Asks how the user logs in, and opens the page.
    func open(_ user: String = Fixture.user) async throws -> (WebAuthorizationRequest, HTTPResponseValue) {
      let user = UserLoginConfiguration(loginUserName: user)
      let answer = try await mac.send(mac.device.preauthenticationRequest(of: user))
      let endpoint = try #require(try mac.device.preauthentication(from: answer))
      let request = try mac.device.webAuthorizationRequest(of: user, at: endpoint)
      return (request, try await mac.send(request.httpRequest))
    }

    /// Sends the form of a page.
    func submit(
      _ page: HTTPResponseValue, user: String = Fixture.user, password: String = "correct horse"
    ) async throws -> HTTPResponseValue {
      let text = String(decoding: page.body, as: UTF8.self)
      let name = try #require(text.firstMatch(of: /name="login" value="([^"]+)"/)?.1)
      let action = try #require(text.firstMatch(of: /action="([^"]+)"/)?.1)
      let form = FormFields([("login", String(name)), ("user", user), ("password", password)])
      return try #require(await provider.respond(to: .post(form, to: String(action))))
    }

    /// The login with the code that a browser brought back.
    func logIn(_ answer: HTTPResponseValue, _ request: WebAuthorizationRequest) async throws -> OpenedLoginResponse {
      let location = try #require(answer.headers.values("Location").first)
      let callback = try AuthorizationCallback(url: location, answering: request)
      let login = try mac.device.loginRequest(of: mac.user, by: .webAuthorization(callback), nonces: await mac.nonces())
      return try mac.device.openLoginResponse(
        await mac.send(login.httpRequest), to: login, idTokenKeys: mac.idTokenKeys)
    }
  }

  @Test("A browser login leads from the page to a code, and page and code work once")
  func wholeWay() async throws {
    let browser = try await Browser()
    let (request, page) = try await browser.open()
    #expect(page.status == 200 && page.headers.values("Cache-Control") == ["no-store"])
    let answer = try await browser.submit(page)
    #expect(answer.status == 303)
    #expect(try await browser.logIn(answer, request).uniqueIdentifier == "5b1f8c3e")
    await #expect(throws: JOSEError.self) { try await browser.logIn(answer, request) }
    // The page was used.
    #expect(try await browser.submit(page).status == 400)
  }

  @Test("A wrong password has four more attempts, each on a page of its own")
  func wrongPasswords() async throws {
    let browser = try await Browser()
    var (_, page) = try await browser.open()
    for _ in 0..<4 {
      let next = try await browser.submit(page, password: "guess")
      #expect(next.status == 401)
      #expect(try await browser.submit(page).status == 400)
      page = next
    }
    let last = try await browser.submit(page, password: "guess")
    #expect(last.status == 401 && !String(decoding: last.body, as: UTF8.self).contains("<form"))
    let (request, again) = try await browser.open()
    let right = try await browser.submit(browser.submit(again, password: "guess"))
    #expect(try await browser.logIn(right, request).uniqueIdentifier == "5b1f8c3e")
  }

  @Test("A page is good for five minutes, and for the registration that opened it")
  func ends() async throws {
    let browser = try await Browser()
    let (_, page) = try await browser.open()
    browser.world.clock.advance(by: 301)
    #expect(try await browser.submit(page).status == 400)
    let (_, later) = try await browser.open()
    #expect(try await browser.provider.identityProvider.devices.remove(id: "mac-1", tenant: nil))
    #expect(try await browser.submit(later).status == 400)
    _ = try await browser.world.mac(at: browser.provider)
    let (_, again) = try await Browser().open()
    #expect(try await browser.submit(again).status == 400)
  }

  @Test("A login page of a former registration is refused after the Mac registers anew")
  func formerRegistration() async throws {
    let browser = try await Browser()
    let (_, page) = try await browser.open()
    #expect(try await browser.provider.identityProvider.devices.remove(id: "mac-1", tenant: nil))
    _ = try await browser.world.mac(at: browser.provider)
    #expect(try await browser.submit(page).status == 400)
  }

  @Test("An account that may not log in gets no code")
  func accounts() async throws {
    let browser = try await Browser()
    for verdict in CredentialVerdict.allCases where verdict != .accepted {
      await browser.world.users.setVerdict(verdict)
      let (_, page) = try await browser.open()
      #expect(try await browser.submit(page).status == (verdict == .wrong ? 401 : 403), "\(verdict)")
    }
    await browser.world.users.setVerdict(.accepted)
    let (_, page) = try await browser.open()
    #expect(try await browser.submit(page, user: "nobody").status == 401)
  }

  @Test("Names are shown as text, however they are written")
  func escaping() async throws {
    let browser = try await Browser()
    let hostile = "\"><script>alert('1')</script>&amp;"
    let (_, page) = try await browser.open(hostile)
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(!text.contains("<script") && text.contains("&lt;script&gt;") && text.contains("&amp;amp;"))
    let again = try await browser.submit(page, user: hostile, password: hostile)
    #expect(again.status == 401 && !String(decoding: again.body, as: UTF8.self).contains("<script"))
  }

  @Test("One Mac can't fill the store with pages")
  func quota() async throws {
    let browser = try await Browser()
    for _ in 0..<20 { #expect(try await browser.open().1.status == 200) }
    #expect(try await browser.open().1.status == 503)
    browser.world.clock.advance(by: 301)
    #expect(try await browser.open().1.status == 200)
  }

  @Test(
    "A malformed login form, or one without a field, is refused",
    arguments: [
      "", "login=x", "login=x&user=jane", "user=jane&password=x", "login=&user=&password=",
      "login=%00&user=%00&password=%00", "login=a&login=b&user=c&password=d", "%", "login=x&user=%FF&password=%FF",
    ])
  func hostileForms(_ body: String) async throws {
    let provider = try ProviderWorld().provider()
    let headers = try HTTPHeaderFields([("Content-Type", "application/x-www-form-urlencoded")])
    let request = HTTPRequestValue(method: "POST", url: "/psso/login", headers: headers, body: Array(body.utf8))
    #expect(await provider.respond(to: request)?.status == 400)
  }
}
