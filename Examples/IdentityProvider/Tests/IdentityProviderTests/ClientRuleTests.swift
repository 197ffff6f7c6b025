import HTTPTypes
import HummingbirdTesting
import JOSE
import OpenIDKit
import Testing

@testable import IdentityProvider

/// What clients are registered for, beyond their addresses.
@Suite struct ClientRuleTests {
  @Test func `an assertion is for the issuer alone, as one text`() async throws {
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
