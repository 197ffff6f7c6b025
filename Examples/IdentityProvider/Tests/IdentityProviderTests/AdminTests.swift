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
      let user = try #require(try await world.provider.users.user(named: "bob"))
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
      let inside = try await browser.submit(
        form, "/admin/clients/new",
        ["name": "Calendar", "redirects": good, "method": "client_secret_basic", "channel": "https://10.0.0.1/logout"])
      #expect(inside.status == .badRequest && inside.text.contains("IDP_PRIVATE_ADDRESSES_ALLOWED"))
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

  @Test func `recovering an account ends its sessions and removes its passkeys and second factor`() async throws {
    try await World.run { world in
      let (provider, user) = (world.provider, world.user)
      let (data, credential) = try PasskeyVerifier(issuer: World.issuer)
        .registration(attestationObject: Authenticator().attestation(), clientData: [])
      _ = try await provider.users.write(for: user) {
        try provider.passkeys.add(credential, data, name: "thief", userID: user.id, in: $0)
      }
      let seed = RandomText.octets(20)
      let code = OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now))
      #expect(try await provider.secondFactors.enable(seed: seed, code: code, of: user) != nil)
      let thief = TestBrowser(world)
      let login = try await thief.logIn(try await thief.open("/login"))
      world.wait(30)
      let next = OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: provider.clock.now))
      #expect(try await thief.submit(login, "/login/code", ["code": next]).page == "account")

      let browser = try await Self.administrator(world)
      let form = try await browser.open("/admin/users/change?user=" + user.id)
      let changed = try await browser.submit(
        form, "/admin/users/change",
        ["email": "alice@new.example", "password": "on", "second-factor": "on", "passkeys": "on"])
      let password = try #require(Self.value("First password", changed))
      #expect(try await thief.open("/account").page == "login")
      #expect(try await provider.passkeys.passkeys(of: user.id).isEmpty)
      let owner = TestBrowser(world)
      #expect(try await owner.logIn(try await owner.open("/login"), password: password).page == "account")
      let found = try #require(try await provider.users.user(id: user.id))
      #expect(found.email == "alice@new.example" && !found.hasSecondFactor && !found.isAdmin)
      for event in ["user.email", "secondFactor.removed", "passkeys.removed", "password.replaced"] {
        #expect(try await provider.audit.entries(named: event).count == 1, "\(event)")
      }
    }
  }

  @Test func `the last active administrator's rights can't be withdrawn, and others' can`() async throws {
    try await World.run { world in
      let (provider, user) = (world.provider, world.user)
      let browser = try await Self.administrator(world)
      let root = try #require(try await provider.users.user(named: "root"))
      let own = try await browser.open("/admin/users/change?user=" + root.id)
      let refused = try await browser.submit(own, "/admin/users/change", ["email": root.email])
      #expect(refused.status == .badRequest && refused.page == "admin-user")
      let form = try await browser.open("/admin/users/change?user=" + user.id)
      _ = try await browser.submit(form, "/admin/users/change", ["email": user.email, "admin": "on"])
      #expect(try await provider.users.user(id: user.id)?.isAdmin == true)
      var change = UserChange()
      (change.isAdmin, change.email) = (false, "new@example.com")
      try await provider.users.setEnabled(false, of: user.id)
      // Who may not log in administers nothing.
      let asked = change
      await #expect(throws: RuleRefusal.self) { try await provider.change(root, asked) }
      #expect(try await provider.users.user(id: root.id)?.email == root.email)
      try await provider.users.setEnabled(true, of: user.id)
      try await provider.change(root, change)
      #expect(try await browser.open("/admin/users").status == .forbidden)
    }
  }

  @Test func `claims in the form replace all of the user's, and a form without claims keeps them`() async throws {
    try await World.run { world in
      let (provider, user) = (world.provider, world.user)
      let browser = try await Self.administrator(world)
      let path = "/admin/users/change"
      let form = try await browser.open(path + "?user=" + user.id)
      #expect(form.text.contains("{&quot;name&quot;:&quot;Alice Archer&quot;}"))
      for bad in [
        #"{"scope":"a"}"#, #"{"a":1,"roles":[]}"#, #"{"client_id":"x"}"#, #"{"sub":"x"}"#, "[]", "{", #"{"a":1,"a":2}"#,
        #"{"a":"\#(String(repeating: "a", count: 20_000))"}"#,
      ] {
        let page = try await browser.submit(form, path, ["email": user.email, "claims": bad])
        #expect(page.status == .badRequest && page.page == "admin-user")
      }
      let claims = #"{"name":"Alice","given_name":"<b>A"}"#
      for fields: FormFields in [["email": user.email, "claims": claims], ["email": user.email]] {
        #expect(try await browser.submit(form, path, fields).page == "admin-user-changed")
        let found = try #require(try await provider.users.user(id: user.id))
        #expect(found.claims == ["name": "Alice", "given_name": "<b>A"] && found.displayName == "Alice")
      }
      #expect(try await provider.audit.entries(named: "user.claims").count == 1)
      #expect(try await browser.submit(form, path, ["email": user.email, "claims": ""]).status == .ok)
      #expect(try await provider.users.user(id: user.id)?.claims == [:])
    }
  }

  @Test func `a client that signs its assertions gets other keys`() async throws {
    try await World.run { world in
      let browser = try await Self.administrator(world)
      let keys = ["first", "second"].map { JWKSet([JWK.generate(.es256, keyID: $0)]) }
      var client = IdentityProvider.Client(
        id: "signer", name: "Signer", authentication: .privateKeyJWT, redirectURIs: [World.redirectURI])
      client.keys = keys[0]
      _ = try await world.provider.addClient(client)
      let form = try await browser.open("/admin/clients/change?client=signer")
      #expect(form.text.contains("first"))
      let fields: FormFields = [
        "name": "Signer", "redirects": World.redirectURI, "keys": String(decoding: keys[1].serialized(), as: UTF8.self),
      ]
      #expect(try await browser.submit(form, "/admin/clients/change", fields).page == "admin-client-added")
      let changed = try #require(try await world.provider.clients.enabledClient(id: "signer"))
      #expect(changed.keys?.keys.map(\.keyID) == ["second"])
    }
  }

  @Test func `a new secret and new redirect URIs of a client replace the former ones`() async throws {
    try await World.run { world in
      let browser = try await Self.administrator(world)
      let form = try await browser.open("/admin/clients/change?client=site")
      #expect(form.text.contains(World.redirectURI))
      let fields: FormFields = [
        "name": "Site", "redirects": "https://client.example/new", "logouts": "", "channel": "",
      ]
      var more = fields
      for name in ["secret", "pkce", "factors", "audience"] { more.append(name, "on") }
      let changed = try await browser.submit(form, "/admin/clients/change", more)
      let secret = try #require(Self.value("client_secret", changed))
      for (secret, status) in [(secret, HTTPResponse.Status.ok), (world.secret, .unauthorized)] {
        let basic = "Basic " + Data("site:\(secret)".utf8).base64EncodedString()
        #expect(try await world.post("/introspect", ["token": "unknown"], [.authorization: basic]).status == status)
      }
      let client = try #require(try await world.provider.clients.enabledClient(id: "site"))
      #expect(client.redirectURIs == ["https://client.example/new"] && client.postLogoutRedirectURIs.isEmpty)
      #expect(client.requiresPKCE && client.requiresTwoFactors && client.allowsTokenEndpointAudience)
      let again = try await browser.open("/admin/clients/change?client=site").text
      for name in ["pkce", "factors", "audience"] { #expect(again.contains("name=\"\(name)\" value=\"on\" checked")) }
      let kept = try await browser.submit(form, "/admin/clients/change", fields)
      #expect(kept.page == "admin-client-added" && Self.value("client_secret", kept) == nil)
    }
  }

  @Test func `disabling a user asks for confirmation first`() async throws {
    try await World.run { world in
      let browser = try await Self.administrator(world)
      let list = try await browser.open("/admin/users")
      let fields: FormFields = ["user": world.user.id]
      let asked = try await browser.submit(list, "/admin/users/disable", fields)
      #expect(asked.page == "admin-confirm")
      #expect(try await world.provider.users.user(id: world.user.id)?.isEnabled == true)
      _ = try await browser.submit(asked, "/admin/users/disable", FormFields())
      #expect(try await world.provider.users.user(id: world.user.id)?.isEnabled == false)
    }
  }

  @Test func `administrators alone see the metrics page, which reloads itself until it is paused`() async throws {
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

  @Test func `a change of a client undoes none that another process has just made`() async throws {
    try await World.run { world in
      let provider = world.provider
      #expect(try await provider.clients.enabledClient(id: "site") != nil)
      let elsewhere = ClientRepository(
        database: provider.database, issuer: provider.clients.issuer, clock: provider.clock)
      _ = try await elsewhere.update("site") { client in
        client.isEnabled = false
        client.secretHash = [1]
      }
      let changed = try await provider.change(client: "site", renewingSecret: false) { $0.name = "Other" }
      #expect(changed?.client.isEnabled == false && changed?.client.secretHash == [1] && changed?.secret == nil)
      let stored = try await elsewhere.client(identifier: "site")
      #expect(stored?.name == "Other" && stored?.isEnabled == false)
      let none = try await provider.change(client: "none", renewingSecret: true) { $0.name = "Other" }
      #expect(none == nil)
    }
  }

  @Test func `a client that another process disables is refused a second later`() async throws {
    try await World.run { world in
      let provider = world.provider
      var client = try #require(try await provider.clients.enabledClient(id: "site"))
      client.isEnabled = false
      // As another process has it: with a memory of its own.
      let elsewhere = ClientRepository(
        database: provider.database, issuer: provider.clients.issuer, clock: provider.clock)
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
