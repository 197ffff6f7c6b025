import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

@Suite struct LoginTests {
  @Test func `a form of another site is refused`() async throws {
    try await World.run { world in
      let form: FormFields = ["username": "alice", "password": World.password, "request": ""]
      #expect(try await world.post("/login", form).status == .forbidden)
      let browser = TestBrowser(world)
      let page = try await browser.open("/login")
      var headers = browser.headers
      headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "cross-site"
      var whole = TestBrowser.hidden(page.text, "/login")
      for field in form.fields.dropLast() { whole.append(field.name, field.value) }
      #expect(try await world.post("/login", whole, headers).status == .forbidden)
      #expect(try await world.post("/login", whole, browser.headers).status == .seeOther)
    }
  }

  @Test func `logins must wait a minute after too many wrong passwords, and right ones don't count`() async throws {
    try await World.run(changing: { $0.loginAttemptsPerMinute = 3 }) { world in
      for _ in 0..<6 {
        let browser = TestBrowser(world)
        #expect(try await browser.logIn(try await browser.open("/login")).page == "account")
      }
      let browser = TestBrowser(world)
      var page = try await browser.open("/login")
      for _ in 0..<3 {
        page = try await browser.logIn(page, password: "wrong")
        #expect(page.status == .unauthorized)
      }
      page = try await browser.logIn(page)
      #expect(page.status == .tooManyRequests && page.headers[.retryAfter] != nil)
      world.wait(61)
      #expect(try await browser.logIn(try await browser.open("/login")).page == "account")
    }
  }

  @Test func `a login under way fails if its user is disabled or gets a second factor meanwhile`() async throws {
    try await World.run { world in
      let provider = world.provider
      let router = Router(context: ProviderContext.self)
      router.middlewares.add(Failures(isLocal: false))
      router.get("/in") { request, context in
        // The user as it was when the password was looked at.
        try await provider.finishLogin(world.user, methods: ["pwd"], interactionID: nil, request, context)
      }
      try await Application(router: router).test(.router) { client in
        func status() async throws -> HTTPResponse.Status {
          try await client.execute(uri: "/in", method: .get).status
        }
        #expect(try await status() == .seeOther)
        try await provider.users.setEnabled(false, of: world.user.id)
        #expect(try await status() == .badRequest)
        try await provider.users.setEnabled(true, of: world.user.id)
        #expect(try await status() == .seeOther)
        let seed = RandomText.octets(20)
        let code = OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now))
        #expect(try await provider.secondFactors.enable(seed: seed, code: code, of: world.user) != nil)
        #expect(try await status() == .badRequest)
      }
      #expect(try await provider.browsers.sessions(userID: world.user.id).count == 2)
    }
  }

  @Test func `a clock that is set back makes no user wait longer`() async throws {
    try await World.run(changing: { $0.loginAttemptsPerMinute = 3 }) { world in
      let browser = TestBrowser(world)
      var page = try await browser.open("/login")
      for _ in 0..<4 { page = try await browser.logIn(page, password: "wrong") }
      #expect(page.status == .tooManyRequests)
      world.wait(-7200)
      page = try await browser.logIn(page)
      let wait = try #require(page.headers[.retryAfter].flatMap { Int($0) })
      #expect(page.status == .tooManyRequests && wait <= world.provider.settings.loginBlockDuration)
      world.wait(Double(wait) + 1)
      #expect(try await browser.logIn(try await browser.open("/login")).page == "account")
      // Attempts that were counted at the later time end with a minute, too.
      for _ in 0..<3 { _ = try await browser.logIn(try await TestBrowser(world).open("/login"), password: "wrong") }
      world.wait(-7200)
      let other = TestBrowser(world)
      _ = try await other.logIn(try await other.open("/login"))
      world.wait(61)
      #expect(try await other.logIn(try await other.open("/login")).page == "account")
    }
  }

  @Test func `a second factor is asked for, and each code is good once`() async throws {
    try await World.run { world in
      let (provider, id, seed) = (world.provider, world.user.id, RandomText.octets(20))
      func code() -> String { OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now)) }
      let recovery = try await provider.secondFactors.enable(seed: seed, code: code(), of: world.user)
      #expect(recovery?.count == 8)
      let browser = TestBrowser(world)
      let page = try await browser.logIn(try await browser.open("/login"))
      #expect(page.page == "totp")
      #expect(try await browser.open("/account").page == "login")
      #expect(try await browser.submit(page, "/login/code", ["code": "000000"]).status == .unauthorized)
      // The code that has set it up may have been seen.
      #expect(try await browser.submit(page, "/login/code", ["code": code()]).status == .unauthorized)
      world.wait(30)
      #expect(try await browser.submit(page, "/login/code", ["code": code()]).page == "account")
      #expect(try await !provider.secondFactors.isValid(code(), of: id))
      let spare = try #require(recovery?.first)
      #expect(try await provider.secondFactors.isValid(spare, of: id))
      #expect(try await !provider.secondFactors.isValid(spare, of: id))
    }
  }

  @Test func `a session ends after its idle timeout and when its user is disabled`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      #expect(try await browser.open("/account").page == "account")
      #expect(try await browser.open("/admin/users").status == .forbidden)
      world.wait(world.provider.settings.sessionIdleTimeout + 1)
      #expect(try await browser.open("/account").page == "login")
      _ = try await browser.logIn(try await browser.open("/login"))
      try await world.provider.users.setEnabled(false, of: world.user.id)
      #expect(try await browser.open("/account").page == "login")
    }
  }

  @Test func `what people write is escaped`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let page = try await browser.open("/authorize?" + browser.request(["login_hint": "\"><script>"]).encodedAsQuery())
      #expect(page.text.contains("Site &lt;b&gt;") && !page.text.contains("<script>"))
      #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    }
  }

  @Test func `replacing or disabling a second factor requires one of its codes`() async throws {
    try await World.run { world in
      let (provider, seed) = (world.provider, RandomText.octets(20))
      func code(of seed: [UInt8] = seed) -> String {
        OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now))
      }
      let browser = TestBrowser(world)
      let account = try await browser.logIn(try await browser.open("/login"))
      let recovery = try #require(try await provider.secondFactors.enable(seed: seed, code: code(), of: world.user))
      world.wait(30)
      let path = "/account/second-factor"
      func submit(_ page: TestResponse, _ fields: FormFields) async throws -> TestResponse {
        try await browser.submit(page, path, fields)
      }
      func isOn() async throws -> Bool { try await provider.users.user(id: world.user.id)?.hasSecondFactor == true }
      let off: FormFields = ["change": "off", "password": World.password]
      for wrong in ["", "000000", recovery[0] + "A"] {
        var form = off
        form.append("code", wrong)
        #expect(try await submit(account, form).status == .forbidden)
      }
      #expect(try await isOn())
      // Another seed, with its own code and the password.
      let setup = try await submit(account, ["change": "begin"])
      #expect(setup.page == "totp-setup" && setup.text.contains("name=\"former\""))
      let sealed = TestBrowser.hidden(setup.text, path).values("seed").first ?? ""
      let other = try provider.seal.open(sealed)
      let on: FormFields = ["change": "on", "seed": sealed, "code": code(of: other), "password": World.password]
      #expect(try await submit(setup, on).status == .forbidden)
      var stored = try await provider.users.secondFactor(of: world.user.id)
      #expect(try stored.map { try provider.seal.open($0) } == seed)
      var right = on
      right.append("former", code())
      #expect(try await submit(setup, right).page == "recovery-codes")
      stored = try await provider.users.secondFactor(of: world.user.id)
      #expect(try stored.map { try provider.seal.open($0) } == other)
      // The former recovery codes are over, and the new seed's code turns it off.
      for (text, isTaken) in [(recovery[1], false), (code(of: other), false), ("", true)] {
        var form = off
        if isTaken { world.wait(30) }
        form.append("code", isTaken ? code(of: other) : text)
        #expect(try await submit(account, form).status == (isTaken ? .ok : .forbidden))
      }
      #expect(try await !isOn())
    }
  }
}
