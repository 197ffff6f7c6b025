import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

@Suite struct CookieTests {
  @Test(arguments: ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])
  func `a login on a loopback host works over plain HTTP, without the __Host- prefix`(issuer: String) async throws {
    try await World.run(changing: { $0.issuer = issuer }) { world in
      let browser = TestBrowser(world)
      let page = try await browser.logIn(try await browser.open("/login")).page
      #expect(page == "account")
      #expect(browser.cookies.keys.contains("idp-session") && browser.cookies.keys.allSatisfy { $0.hasPrefix("idp-") })
      #expect(try await browser.open("/logout").page == "logout")
    }
  }

  @Test(arguments: ["http://login.example.com", "https://localhost:8443", "http://localhost.example.com"])
  func `cookies of all other issuers are Secure and have the __Host- prefix`(issuer: String) async throws {
    try await World.run(changing: { $0.issuer = issuer }) { world in
      let fields = try await world.get("/login").headers[values: .setCookie]
      #expect(fields.count == 1 && fields.allSatisfy { $0.hasPrefix("__Host-") && $0.contains("; Secure") })
    }
  }

  @Test func `a browser without cookies gets an error that names them`() async throws {
    try await World.run { world in
      var form = TestBrowser.hidden(try await world.get("/login").text, "/login")
      form.append("username", "alice")
      form.append("password", World.password)
      let answer = try await world.post("/login", form)
      #expect(answer.status == .forbidden && answer.text.contains("no_cookie"))
      let query = TestBrowser(world).request().encodedAsQuery()
      let address = try #require(try await world.get("/authorize?" + query).headers[.location])
      #expect(address.hasPrefix("/login?"))
      #expect(try await world.get(address).text.contains("no_cookie"))
    }
  }
}
