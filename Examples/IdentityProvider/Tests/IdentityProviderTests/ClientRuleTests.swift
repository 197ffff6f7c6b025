import HTTPTypes
import HummingbirdTesting
import JOSE
import OpenIDKit
import Testing

@testable import IdentityProvider

/// What clients are registered for, beyond their addresses.
@Suite struct ClientRuleTests {
  @Test func `a client assertion has one audience, the issuer or, if allowed, the token endpoint`() async throws {
    try await World.run { world in
      let jwk = JWK.generate(.es256, keyID: "k")
      let key = try SigningKey(jwk)
      var client = IdentityProvider.Client(
        id: "signer", name: "Signer", authentication: .privateKeyJWT, redirectURIs: [World.redirectURI])
      client.keys = JWKSet([jwk])
      func status(_ audience: JSONValue) async throws -> HTTPResponse.Status {
        let now = world.provider.clock.now.wholeSeconds
        let claims: JSONObject = [
          "iss": "signer", "sub": "signer", "aud": audience, "iat": .number(JSONNumber(now)),
          "exp": .number(JSONNumber(now + 60)), "jti": .string(RandomText.make()),
        ]
        let form: FormFields = [
          "token": "unknown", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          "client_assertion": try JWT.sign(claims, with: key, type: "JWT"),
        ]
        return try await world.post("/introspect", form).status
      }
      let (issuer, endpoint) = (JSONValue.string(World.issuer), JSONValue.string(World.issuer + "/token"))
      _ = try await world.provider.addClient(client)
      #expect(try await status(issuer) == .ok)
      for audience: JSONValue in [
        endpoint, .array([issuer]), .array([issuer, endpoint]), .string(World.issuer + "/introspect"),
      ] {
        #expect(try await status(audience) == .unauthorized)
      }
      client.allowsTokenEndpointAudience = true
      try await world.provider.clients.put(client)
      #expect(try await status(endpoint) == .ok)
      #expect(try await status(.array([endpoint])) == .unauthorized)
    }
  }

  @Test func `a client's keys are public ones that can be used`() throws {
    let settings = ProviderSettings(issuer: World.issuer, folder: "")
    func refusal(_ keys: JWKSet) -> String? {
      var client = IdentityProvider.Client(
        id: "c", name: "C", authentication: .privateKeyJWT, redirectURIs: [World.redirectURI])
      client.keys = keys
      do throws(RuleRefusal) {
        try ClientRules.check(client, settings)
        return nil
      } catch { return error.description }
    }
    let pair = JWK.generate(SignatureAlgorithm.es256)
    let shown = try #require(pair.publicKey)
    let encrypting = try #require(JWK.generateForKeyAgreement().publicKey)
    #expect(refusal(JWKSet([shown])) == nil)
    #expect(refusal(JWKSet([]))?.contains("has no key") == true)
    #expect(refusal(JWKSet([pair]))?.contains("private key") == true)
    #expect(refusal(JWKSet([shown, JWK.generate(SignatureAlgorithm.hs256)]))?.contains("symmetric") == true)
    #expect(refusal(JWKSet([encrypting]))?.contains("has no key") == true)
  }

  private static let privateHosts = [
    "localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "10.1.2.3", "172.16.0.1",
    "172.31.9.9", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "[::1]", "[::]", "[fe80::1]",
    "[fd00::1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]", "[2002:c0a8:101::1]", "[ff02::1]", "[ff0e::1]",
    "0.1.2.3", "192.0.0.8", "192.0.0.170", "198.18.0.1", "198.19.255.255", "240.0.0.1", "255.255.255.255",
    "239.1.2.3", "100.127.255.255", "[2001::1]", "[2001:0:909:909::1]", "[2001:2::1]", "[2001:1ff::1]",
    "[::ffff:198.18.0.1]", "[64:ff9b::c000:8]", "[64:ff9b:1::909:909]", "[2002:c613:1::1]", "[::9.9.9.9]", "[5f00::1]",
    "192.0.2.1", "198.51.100.255", "203.0.113.7", "[2001:db8::1]", "[2001:db8:ffff::1]", "[::ffff:203.0.113.7]",
  ]
  private static let publicHosts = [
    "client.example", "9.9.9.9", "172.32.0.1", "100.128.0.1", "[2001:db9::1]", "[::ffff:9.9.9.9]", "localhost.example",
    "192.0.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "[2001:200::1]", "[64:ff9b::909:909]",
    "[2002:909:909::1]", "[2a00::1]", "192.0.3.1", "198.51.101.1", "203.0.114.1",
  ]

  @Test func `logouts aren't told into private networks, unless a setting allows it`() throws {
    var settings = ProviderSettings(issuer: World.issuer, folder: "")
    var client = IdentityProvider.Client(id: "c", name: "C", authentication: .basic, redirectURIs: [World.redirectURI])
    for host in Self.privateHosts + Self.publicHosts {
      client.backChannelLogoutURI = "https://\(host)/logout"
      let asked = client
      settings.allowsPrivateAddresses = true
      #expect(throws: Never.self, "\(host)") { try ClientRules.check(asked, settings) }
      settings.allowsPrivateAddresses = false
      if Self.publicHosts.contains(host) {
        #expect(throws: Never.self, "\(host)") { try ClientRules.check(asked, settings) }
      } else {
        #expect(throws: RuleRefusal.self, "\(host)") { try ClientRules.check(asked, settings) }
      }
    }
  }

  @Test func `a host that is or resolves to a private address gets no request`() async throws {
    var requests = OutgoingRequests(trustedRoots: nil, allowsPrivateAddresses: false)
    requests.resolve = { host in host == "public.example" ? "9.9.9.9" : "192.168.1.1" }
    #expect(try await requests.publicAddress(of: "https://public.example/logout") == ["public.example": "9.9.9.9"])
    let asked = requests
    for host in ["private.example"] + Self.privateHosts {
      let request = HTTPRequestValue(method: "POST", url: "https://\(host)/logout")
      await #expect(throws: RequestNotSent.self, "\(host)") { try await asked.send(request) }
    }
  }

  @Test func `a client may ask for tokens for its own resources`() async throws {
    try await World.run { world in
      let api = "https://api.example.com/mcp"
      #expect(try await TestBrowser(world).authorize(["resource": api]).values("error") == ["invalid_target"])
      var client = try #require(try await world.provider.clients.enabledClient(id: "site"))
      client.resources = [api]
      try ClientRules.check(client, world.provider.settings)
      try await world.provider.clients.put(client)
      #expect(try await TestBrowser(world).authorize(["resource": api]).values("code").count == 1)
      #expect(try await TestBrowser(world).authorize(["resource": api + "/"]).values("error") == ["invalid_target"])
      for wrong in ["http://api.example.com", "https://api.example.com#x", "api", ""] {
        client.resources = [wrong]
        let asked = client
        #expect(throws: RuleRefusal.self) { try ClientRules.check(asked, world.provider.settings) }
      }
    }
  }

  @Test func `a client gets tokens for itself, for what it may have without a user`() async throws {
    try await World.run { world in
      let api = "https://api.example.com"
      func ask(_ more: [(String, String)]) async throws -> TestResponse {
        try await world.post(
          "/token", FormFields([("grant_type", "client_credentials")] + more), [.authorization: world.basic])
      }
      #expect(try await ask([("resource", api)]).json()["error"] == "unauthorized_client")
      var client = try #require(try await world.provider.clients.enabledClient(id: "site"))
      (client.machineScopes, client.resources) = (["orders.read"], [api])
      try ClientRules.check(client, world.provider.settings)
      try await world.provider.clients.put(client)
      #expect(try Client(id: "x", isEnabled: true, document: client.document).machineScopes == ["orders.read"])
      let answer = try await ask([("resource", api)])
      #expect(answer.status == .ok && answer.headers[.cacheControl] == "no-store")
      let token = try UnverifiedJWS(parsing: answer.json().string("access_token"))
      let claims = try JSONObject(parsing: token.unverifiedPayload)
      #expect(claims["sub"] == "client:site" && claims["aud"] == .string(api) && claims["scope"] == "orders.read")
      // For which resource it is, the request has to say.
      #expect(try await ask([]).json()["error"] == "invalid_target")
      #expect(try await ask([("resource", api), ("scope", "openid")]).json()["error"] == "invalid_scope")
      for change: (inout IdentityProvider.Client) -> Void in [
        { $0.authentication = .none }, { $0.resources = [] }, { $0.machineScopes = [] },
      ] {
        var wrong = client
        change(&wrong)
        let asked = wrong
        #expect(throws: RuleRefusal.self) { try ClientRules.check(asked, world.provider.settings) }
      }
    }
  }

  @Test func `a client with a secret can be told to use a challenge`() async throws {
    try await World.run { world in
      var client = try #require(try await world.provider.clients.enabledClient(id: "site"))
      client.requiresPKCE = true
      try await world.provider.clients.put(client)
      #expect(try await TestBrowser(world).authorize().values("error") == ["invalid_request"])
      let more: FormFields = ["code_challenge": PKCE().challenge, "code_challenge_method": "S256"]
      #expect(try await TestBrowser(world).authorize(more).values("code").count == 1)
    }
  }
}
