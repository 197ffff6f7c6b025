import Foundation
import HTTPTypes
import HummingbirdTesting
import JOSE
import JOSEHummingbird
import Testing

@testable import IdentityProvider

@Suite struct AdminTests {
  private static let rootPassword = "a password for administrators"

  /// A browser in which an administrator is logged in.
  private static func administrator(_ world: World) async throws -> TestBrowser {
    _ = try await world.provider.addUser(
      "root", email: "root@example.com", name: nil, password: rootPassword, isAdmin: true)
    let browser = TestBrowser(world)
    let page = try await browser.submit(
      try await browser.open("/login"), "/login", ["username": "root", "password": rootPassword])
    #expect(page.page == "account")
    return browser
  }

  /// The text of the element after a term of a list.
  private static func value(_ term: String, _ page: TestResponse) -> String? {
    guard let start = page.text.range(of: "<dt>\(term)</dt><dd>") else { return nil }
    let rest = page.text[start.upperBound...].replacing("<code>", with: "")
    return rest.split(separator: "<").first.map(String.init)
  }

  @Test func `an administrator adds a user, who logs in with the first password`() async throws {
    try await World.run { world in
      let browser = try await Self.administrator(world)
      let form = try await browser.open("/admin/users/new")
      for bad: FormFields in [
        ["username": "", "email": "bob@example.com"], ["username": "b b", "email": "bob@example.com"],
        ["username": "bob", "email": "bob"], ["username": "bob", "email": "@"],
        ["username": "ALICE", "email": "bob@example.com"],
      ] {
        let page = try await browser.submit(form, "/admin/users/new", bad)
        #expect(page.status == .badRequest && page.page == "admin-user-new" && page.text.contains("role=\"alert\""))
      }
      let added = try await browser.submit(
        form, "/admin/users/new", ["username": "bob", "email": "bob@example.com", "name": "Bob <b>"])
      #expect(added.page == "admin-user-added")
      let password = try #require(Self.value("First password", added))
      let user = try #require(try await world.provider.users.account(username: "bob")?.user)
      #expect(!user.isAdmin && user.displayName == "Bob <b>")
      let entry = try #require(try await world.provider.audit.entries(named: "user.added").first?.event)
      #expect(entry.user == user.id && entry.detail?.hasPrefix("by ") == true)
      let other = TestBrowser(world)
      let page = try await other.submit(
        try await other.open("/login"), "/login", ["username": "bob", "password": password])
      #expect(page.page == "account")
      #expect(try await other.open("/admin/users/new").status == .forbidden)
      #expect(try await other.submit(form, "/admin/users/new", ["username": "x"]).status == .forbidden)
    }
  }

  @Test func `an administrator adds a client, whose secret is good`() async throws {
    try await World.run { world in
      let browser = try await Self.administrator(world)
      let form = try await browser.open("/admin/clients/new")
      let good = "https://calendar.example/callback"
      for (name, redirects, method) in [
        ("", good, "client_secret_basic"), ("Calendar", "", "client_secret_basic"),
        ("Calendar", "http://calendar.example/", "client_secret_basic"),
        ("Calendar", good + "#a", "client_secret_basic"), ("Calendar", "javascript:alert(1)", "none"),
        ("Calendar", good, "private_key_jwt"), ("Calendar", good, "made up"),
      ] {
        let page = try await browser.submit(
          form, "/admin/clients/new", ["name": name, "redirects": redirects, "method": method])
        #expect(page.status == .badRequest && page.page == "admin-client-new", "\(name) \(redirects) \(method)")
      }
      let added = try await browser.submit(
        form, "/admin/clients/new",
        [
          "name": "Calendar", "redirects": good + "\r\nhttp://127.0.0.1/callback", "method": "client_secret_basic",
          "dpop": "on",
        ])
      let id = try #require(Self.value("client_id", added))
      let secret = try #require(Self.value("client_secret", added))
      let client = try #require(try await world.provider.clients.enabledClient(id: id))
      #expect(client.redirectURIs == [good, "http://127.0.0.1/callback"] && client.requiresDPoP)
      let entry = try #require(try await world.provider.audit.entries(named: "client.added").first?.event)
      #expect(entry.client == id && entry.user != nil)
      for (secret, status) in [(secret, HTTPResponse.Status.ok), ("wrong", .unauthorized)] {
        let basic = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
        let answer = try await world.post("/introspect", ["token": "unknown"], [.authorization: basic])
        #expect(answer.status == status)
      }
    }
  }

  @Test func `the numbers are shown to administrators, and come again until they are held`() async throws {
    try await World.run { world in
      let browser = try await Self.administrator(world)
      let live = try await browser.open("/admin/metrics")
      #expect(live.page == "admin-metrics" && live.text.contains("content=\"5; url=/admin/metrics\""))
      let held = try await browser.open("/admin/metrics?held=1")
      #expect(held.page == "admin-metrics" && !held.text.contains("http-equiv=\"refresh\""))
      let other = TestBrowser(world)
      _ = try await other.logIn(try await other.open("/login"))
      #expect(try await other.open("/admin/metrics").status == .forbidden)
    }
  }

  @Test func `a client that another process disables is refused a second later`() async throws {
    try await World.run { world in
      let provider = world.provider
      var client = try #require(try await provider.clients.enabledClient(id: "site"))
      client.isEnabled = false
      // As another process has it: with a memory of its own.
      let elsewhere = ClientRepository(
        database: provider.database, authentication: provider.clients.authentication, clock: provider.clock)
      try await elsewhere.put(client)
      #expect(try await elsewhere.enabledClient(id: "site") == nil)
      world.wait(1)
      #expect(try await provider.clients.enabledClient(id: "site") == nil)
      client.isEnabled = true
      try await provider.clients.put(client)
      #expect(try await provider.clients.enabledClient(id: "site") != nil)
      client.isEnabled = false
      try await provider.clients.put(client)
      #expect(try await provider.clients.enabledClient(id: "site") == nil)
    }
  }
}
