import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// Where a provider's endpoints are, what they answer to other methods, and who may read them.
@Suite struct ProviderEndpointTests {
  private func answer(
    _ world: ProviderWorld, _ method: String, _ url: String, _ fields: [(String, String)] = [], form: FormFields? = nil
  ) async throws -> HTTPResponseValue? {
    var request = form.map { HTTPRequestValue.post($0, to: url) } ?? HTTPRequestValue(method: method, url: url)
    for (name, value) in fields { try request.headers.append(name, value) }
    return await world.provider.respond(to: request, from: "a")
  }

  @Test(arguments: ["https://op.example.com", "https://op.example.com/tenant"])
  func `metadata is found by both rules, and names every endpoint`(_ issuer: String) async throws {
    let world = try await ProviderWorld(issuer: issuer)
    let path = issuer.dropFirst("https://op.example.com".count)
    for url in [
      issuer + "/.well-known/openid-configuration", "\(path)/.well-known/openid-configuration",
      "https://op.example.com/.well-known/oauth-authorization-server\(path)",
      issuer + "/.well-known/openid-configuration?a#b",
    ] {
      let response = try #require(try await answer(world, "GET", url), "\(url)")
      let metadata = try OpenIDProviderMetadata(parsing: response.body, issuer: issuer)
      #expect(metadata.tokenEndpoint == issuer + "/token" && metadata.endSessionEndpoint == issuer + "/logout")
      #expect(response.headers.values("Cache-Control") == ["max-age=300"])
    }
    let keys = try #require(try await answer(world, "GET", "\(path)/jwks"))
    #expect(
      try JWKSet(parsing: keys.body).keys.count == 2 && !String(decoding: keys.body, as: UTF8.self).contains("\"d\""))
    for other in ["/authorize", "/logout", "/", "/tokens", "/token/", "/x/token"] {
      #expect(try await answer(world, "GET", issuer + other) == nil, "\(other)")
    }
    #expect(try await answer(world, "GET", "https://other.example/jwks") == nil)
    if !path.isEmpty { #expect(try await answer(world, "GET", "/jwks") == nil) }
  }

  @Test(arguments: [
    ("", "issuer"), ("op.example.com", "issuer"), ("https://op.example.com/", "issuer"),
    ("https://op.example.com?a", "issuer"),
    ("https://op.example.com#a", "issuer"),
  ])
  func `an issuer is an absolute address`(_ issuer: String, _ name: String) async throws {
    await #expect(throws: OpenIDError(.settingInvalid, "", name: name)) { try await ProviderWorld(issuer: issuer) }
  }

  @Test func `another method is refused with those that are right, HEAD is GET without a body`() async throws {
    let world = try await ProviderWorld()
    for (path, allowed) in [
      ("/token", "POST, OPTIONS"), ("/jwks", "GET, HEAD, OPTIONS"), ("/userinfo", "GET, HEAD, POST, OPTIONS"),
      ("/.well-known/openid-configuration", "GET, HEAD, OPTIONS"),
    ] {
      let refused = try #require(try await answer(world, "DELETE", path))
      #expect(refused.status == 405 && refused.headers.values("Allow") == [allowed], "\(path)")
      #expect(try await answer(world, "OPTIONS", path)?.status == 204)
    }
    let (head, get) = (try await answer(world, "HEAD", "/jwks"), try await answer(world, "GET", "/jwks"))
    #expect(head?.status == 200 && head?.body == [] && head?.headers == get?.headers)
  }

  @Test func `pages read what is public or needs a token, and those of a public client what gives it one`() async throws
  {
    let world = try await ProviderWorld()
    func origin(_ response: HTTPResponseValue?) -> String? {
      response?.headers.values("Access-Control-Allow-Origin").first
    }
    let (own, other) = (("Origin", "https://app.example"), ("Origin", "https://evil.example"))
    for path in ["/jwks", "/.well-known/openid-configuration", "/userinfo"] {
      #expect(origin(try await answer(world, "GET", path, [other])) == "*")
    }
    let form: FormFields = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": "x"]
    for path in ["/token", "/revoke", "/par"] {
      let answered = try await answer(world, "POST", path, [own], form: form)
      #expect(origin(answered) == "https://app.example" && answered?.headers.values("Vary") == ["Origin"])
      #expect(answered?.headers.values("Access-Control-Allow-Credentials") == [])
      #expect(origin(try await answer(world, "POST", path, [other], form: form)) == nil)
      for strange in ["https://app.exampl", "https:", "https://", "null", "https://app.example/"] {
        #expect(origin(try await answer(world, "POST", path, [("Origin", strange)], form: form)) == nil, "\(strange)")
      }
    }
    // A confidential client's secret is no business of a page.
    let site: FormFields = ["grant_type": "refresh_token", "client_id": "site", "client_secret": "secret"]
    #expect(origin(try await answer(world, "POST", "/token", [("Origin", "https://site.example")], form: site)) == nil)
    #expect(origin(try await answer(world, "POST", "/introspect", [own], form: form)) == nil)
    let asks = [other, ("Access-Control-Request-Method", "POST")]
    let preflight = try await answer(world, "OPTIONS", "/token", asks)
    #expect(preflight?.headers.values("Access-Control-Allow-Headers").first?.contains("dpop") == true)
    let document = try await answer(world, "OPTIONS", "/jwks", asks)
    #expect(document?.headers.values("Access-Control-Allow-Headers") == ["*, authorization"])
  }

  @Test func `a server without users names and answers what its own grants need`() async throws {
    var world = try await ProviderWorld(policy: { $0.hasUsers = false })
    world.provider.grants = [
      TokenEndpoint.Grant("client_credentials") { _ in TokenAnswer(accessToken: "at") }
    ]
    let metadata = try await world.provider.metadata()
    #expect(metadata["grant_types_supported"] == ["client_credentials"] && metadata["response_types_supported"] == [])
    for name in ["authorization_endpoint", "userinfo_endpoint", "end_session_endpoint", "claims_supported"] {
      #expect(metadata[name] == nil, "\(name)")
    }
    for path in ["/userinfo", "/par"] { #expect(try await answer(world, "POST", path) == nil) }
    let site: FormFields = ["client_id": "site", "client_secret": "secret", "grant_type": "client_credentials"]
    #expect(try await world.post("/token", site).member("access_token") == "at")
    #expect(try await world.refresh("x").member("error") == "unsupported_grant_type")
  }

  @Test func `a token that is bound needs its proof, at the token endpoint and at userinfo`() async throws {
    var clients = ProviderWorld.clients
    clients[1].requiresDPoP = true
    var world = try await ProviderWorld(clients: clients)
    world.provider.proofs.nonces = .required(DPoPNonces())
    let key = try SigningKey.generate(.es256)
    func proved(_ request: HTTPRequestValue, _ nonce: String?, token: String? = nil) async throws -> HTTPResponseValue {
      var request = request
      let proof = try DPoP.proof(
        method: request.method, url: request.url, key: key, accessToken: token, nonce: nonce, clock: world.clock.wall)
      try request.headers.set("DPoP", proof)
      if let token { try request.headers.set("Authorization", "DPoP " + token) }
      return try #require(await world.provider.respond(to: request, from: "a"))
    }
    let form: FormFields = [
      "grant_type": "authorization_code", "client_id": "app", "code": try await world.code(client: "app"),
      "redirect_uri": "https://app.example/cb", "code_verifier": ProviderWorld.verifier,
    ]
    let request = HTTPRequestValue.post(form, to: ProviderWorld.issuer + "/token")
    #expect(try await world.post("/token", form).member("error") == "invalid_dpop_proof")
    let asked = try await proved(request, nil)
    #expect(asked.member("error") == "use_dpop_nonce")
    let nonce = try #require(asked.headers.values("DPoP-Nonce").first)
    let answer = try await proved(request, nonce)
    #expect(answer.member("token_type") == "DPoP")
    let token = try #require(answer.member("access_token"))
    let info = HTTPRequestValue(method: "GET", url: ProviderWorld.issuer + "/userinfo")
    #expect(try await proved(info, nonce, token: token).status == 200)
    let again = try await proved(info, nil, token: token)
    #expect(again.status == 401 && again.headers.values("DPoP-Nonce").count == 1)
    #expect(try await world.userInfo(token).status == 401)
    // The refresh token of a public client is bound to the key, too.
    let refused = try await world.refresh(answer.member("refresh_token"), client: "app")
    #expect(refused.member("error") == "invalid_dpop_proof")
  }
}
