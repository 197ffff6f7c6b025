import HummingbirdTesting
import JOSE
import SQLStores
import Testing

@testable import IdentityProvider

/// Requests that say whom they are about.
///
/// Source: OpenID Connect Core 1.0 §3.1.2.1, §3.1.2.2, §5.5.1.
@Suite struct HintTests {
  @Test func `an id_token_hint that can't be verified leads to a login, and to no server error`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      let code = try #require(try await browser.authorize().values("code").first)
      let tokens = try await world.redeem(code).json()
      let old = try tokens.string("id_token")
      let claims = try JSONObject(parsing: Base64URL.decode(String(old.split(separator: ".")[1])))
      let foreign = try JWT.sign(claims, with: try SigningKey.generate(.es256))
      // The key of the token is gone.
      try await world.provider.keys.rotate(isForced: true)
      try await world.provider.database.run("DELETE FROM signingKeys WHERE state = 'retired'")
      world.wait(6)
      for hint in [old, foreign, try tokens.string("access_token"), "abc", "a.b.c"] {
        _ = try await browser.ask(["id_token_hint": hint, "prompt": "none"])
        #expect(try browser.answer().values("error") == ["login_required"], "\(hint)")
        let page = try await browser.ask(["id_token_hint": hint])
        #expect(page.page == "login", "\(hint)")
        _ = try await browser.logIn(page)
        #expect(try browser.answer().values("code").count == 1, "\(hint)")
      }
    }
  }

  @Test func `a request for one user gets login_required while another user is logged in`() async throws {
    try await World.run { world in
      let bob = try await world.provider.addUser(
        "bob", email: "bob@example.com", name: nil, password: World.password)
      let (alices, bobs) = (TestBrowser(world), TestBrowser(world))
      let code = try #require(try await alices.authorize().values("code").first)
      let own = try await world.redeem(code).json().string("id_token")
      let page = try await bobs.ask([:])
      _ = try await bobs.submit(
        try await bobs.submit(page, "/login", ["username": "bob", "password": World.password]), "/consent",
        ["decision": "allow"])
      let other = try await world.redeem(try #require(try bobs.answer().values("code").first)).json()
      let sub = { (id: String) in #"{"id_token":{"sub":{"value":"\#(id)"}}}"# }
      let anyOf = { (id: String) in #"{"userinfo":{"sub":{"values":["nobody","\#(id)"]}}}"# }
      let others: [FormFields] = [
        ["id_token_hint": try other.string("id_token")], ["claims": sub(bob.id)], ["claims": anyOf(bob.id)],
        ["claims": #"{"id_token":{"sub":{"value":7}}}"#],
      ]
      for asked in others {
        var silent = asked
        silent.append("prompt", "none")
        _ = try await alices.ask(silent)
        #expect(try alices.answer().values("error") == ["login_required"])
        let page = try await alices.ask(asked)
        #expect(page.page == "login")
        // Alice again: her client is told, and she isn't asked for ever.
        _ = try await alices.logIn(page)
        #expect(try alices.answer().values("error") == ["login_required"])
      }
      for asked: FormFields in [
        ["id_token_hint": own], ["claims": sub(world.user.id)], ["claims": anyOf(world.user.id)],
        ["claims": #"{"id_token":{"sub":null},"userinfo":{"sub":{"essential":true}}}"#],
      ] {
        _ = try await alices.ask(asked)
        #expect(try alices.answer().values("code").count == 1)
      }
    }
  }
}

extension TestBrowser {
  fileprivate func ask(_ more: FormFields) async throws -> TestResponse {
    try await open("/authorize?" + request(more).encodedAsQuery())
  }
}
