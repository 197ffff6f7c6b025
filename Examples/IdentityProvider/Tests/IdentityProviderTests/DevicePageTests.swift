import HTTPTypes
import HummingbirdTesting
import JOSE
import OpenIDKit
import Testing

@testable import IdentityProvider

/// Devices without a browser, from their first request to their tokens, by the pages that their users see.
@Suite struct DevicePageTests {
  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"
  private static let source: HTTPFields = [HTTPField.Name("X-Forwarded-For")!: "192.0.2.77"]

  private static func run(_ body: @Sendable @escaping (World) async throws -> Void) async throws {
    try await World.run(changing: { $0.trustsForwardedAddress = true }) { world in
      var television = IdentityProvider.Client(
        id: "tv", name: "TV <i>", authentication: .none, redirectURIs: [])
      television.isDevice = true
      _ = try await world.provider.addClient(television)
      try await body(world)
    }
  }

  private static func codes(_ world: World) async throws -> (device: String, user: String) {
    let form: FormFields = ["client_id": "tv", "scope": "openid profile offline_access"]
    let answer = try await world.post("/device_authorization", form, source)
    #expect(answer.status == .ok)
    let object = try answer.json()
    #expect(try object.string("verification_uri") == World.issuer + "/device")
    return (try object.string("device_code"), try object.string("user_code"))
  }

  private static func poll(_ world: World, _ code: String) async throws -> TestResponse {
    try await world.post("/token", ["grant_type": grant, "client_id": "tv", "device_code": code], source)
  }

  private static func logIn(_ world: World) async throws -> TestBrowser {
    let browser = TestBrowser(world)
    let page = try await browser.logIn(try await browser.open("/login"))
    #expect(page.page == "account")
    return browser
  }

  @Test func `a user types the code and the device is logged in`() async throws {
    try await Self.run { world in
      let codes = try await Self.codes(world)
      #expect(try await Self.poll(world, codes.device).json()["error"] == "authorization_pending")
      // The link brings the code; the login comes first, and nothing is done before the user sends it.
      let browser = TestBrowser(world)
      let login = try await browser.open("/device?user_code=" + codes.user)
      #expect(login.page == "login")
      let page = try await browser.logIn(login)
      #expect(page.page == "device" && page.text.contains("value=\"\(codes.user)\""))
      let question = try await browser.submit(page, "/device", ["user_code": codes.user.lowercased()])
      #expect(question.page == "device-question")
      for text in [codes.user, "192.0.2.77", "UTC", "TV &lt;i&gt;", "Stay logged in", "Alice Archer"] {
        #expect(question.text.contains(text), "\(text)")
      }
      let done = try await browser.submit(question, "/device/answer", ["decision": "allow"])
      #expect(done.page == "device-allowed")
      let tokens = try await Self.poll(world, codes.device)
      #expect(tokens.status == .ok)
      let idToken = try UnverifiedJWS(parsing: tokens.json().string("id_token"))
      #expect(try JSONObject(parsing: idToken.unverifiedPayload)["sub"] == .string(world.user.id))
      let refresh: FormFields = [
        "grant_type": "refresh_token", "client_id": "tv", "refresh_token": try tokens.json().string("refresh_token"),
      ]
      #expect(try await world.post("/token", refresh).status == .ok)
      // The app stands on the account page, and can be taken back there.
      let account = try await browser.open("/account")
      #expect(account.text.contains("TV &lt;i&gt;"))
      _ = try await browser.submit(account, "/account/app", ["client": "tv"])
      let again: FormFields = [
        "grant_type": "refresh_token", "client_id": "tv", "refresh_token": try tokens.json().string("refresh_token"),
      ]
      #expect(try await world.post("/token", again).status == .badRequest)
    }
  }

  @Test func `a user's refusal gives the device access_denied and can't be changed`() async throws {
    try await Self.run { world in
      let codes = try await Self.codes(world)
      let browser = try await Self.logIn(world)
      let question = try await browser.submit(
        try await browser.open("/device"), "/device", ["user_code": codes.user])
      let page = try await browser.submit(question, "/device/answer", ["decision": "deny"])
      #expect(page.page == "device-denied")
      #expect(try await Self.poll(world, codes.device).json()["error"] == "access_denied")
      let again = try await browser.submit(question, "/device/answer", ["decision": "allow"])
      #expect(again.page == "error" && again.text.contains("unknown_code"))
    }
  }

  @Test func `a device login is approved only by the page's form, in the session that was asked`() async throws {
    try await Self.run { world in
      let codes = try await Self.codes(world)
      let browser = try await Self.logIn(world)
      let forged: FormFields = ["user_code": codes.user, "decision": "allow"]
      for path in ["/device", "/device/answer"] {
        #expect(try await world.post(path, forged, browser.headers).status == .forbidden)
      }
      let question = try await browser.submit(
        try await browser.open("/device"), "/device", ["user_code": codes.user])
      // Another login than the one that was asked.
      let page = try await browser.submit(question, "/device/answer", ["decision": "allow", "session": "another"])
      #expect(page.page == "device")
      #expect(try await Self.poll(world, codes.device).json()["error"] == "authorization_pending")
    }
  }

  @Test func `five wrong user codes are logged and block further attempts for ten minutes`() async throws {
    try await Self.run { world in
      let codes = try await Self.codes(world)
      let browser = try await Self.logIn(world)
      let form = try await browser.open("/device")
      for _ in 0..<5 {
        let page = try await browser.submit(form, "/device", ["user_code": "BBBB-BBBB"])
        #expect(page.status == .badRequest && page.text.contains("unknown_code"))
      }
      let blocked = try await browser.submit(form, "/device", ["user_code": codes.user])
      #expect(blocked.status == .tooManyRequests && blocked.headers[.retryAfter] == "600")
      #expect(blocked.text.contains("10 minutes"))
      let noted = try await world.provider.audit.entries(named: "device.codeUnknown")
      #expect(noted.count == 5)
    }
  }

  @Test func `links to the page don't fill the store with logins that wait`() async throws {
    try await World.run(changing: { $0.keptRequestsPerMinute = 3 }) { world in
      for _ in 0..<3 { #expect(try await TestBrowser(world).open("/device?user_code=BBBB-BBBB").page == "login") }
      let page = try await TestBrowser(world).open("/device?user_code=BBBB-BBBB")
      #expect(page.status == .tooManyRequests && page.headers[.retryAfter] == "60")
    }
  }

  @Test func `a client that isn't registered for devices gets no device code`() async throws {
    try await Self.run { world in
      let answer = try await world.post("/device_authorization", ["client_id": "app", "scope": "openid"])
      #expect(try answer.json()["error"] == "unauthorized_client")
    }
  }
}
