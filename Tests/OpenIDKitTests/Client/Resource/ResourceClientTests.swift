import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// From a refusal to a token that is good at a resource.
@Suite struct ResourceClientTests {
  private static func document(_ members: JSONObject) -> HTTPResponseValue {
    HTTPResponseValue(status: 200, body: members.serialized())
  }

  private func error(_ body: () async throws(OpenIDError) -> Void) async -> OpenIDError? {
    do throws(OpenIDError) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [false, true]) func `a refusal leads to a token for the resource`(_ isBound: Bool) async throws {
    let world = try await ResourceWorld()
    let login = try await world.login(world.client(binding: isBound ? .freshKey : .none))
    #expect(login.resource == ResourceWorld.address && login.issuer == ProviderWorld.issuer)
    #expect(login.scopes == ["notes.read", "offline_access"])
    if !isBound { #expect(try await login.authorizer.send(world.request).body == Array("notes".utf8)) }
    // The resource is named in each request that asks for a token, and the request has neither `openid` nor a nonce.
    world.world.clock.advance(4000)
    #expect(try await login.manager.validToken().type == (isBound ? "DPoP" : "Bearer"))
    let tokens = try world.sent(to: "/token").map { try $0.form() }
    #expect(tokens.map { $0.values("grant_type") } == [["authorization_code"], ["refresh_token"]])
    #expect(tokens.allSatisfy { $0.values("resource") == [ResourceWorld.address] })
  }

  @Test func `the authorization request asks for the resource by S256, without openid`() async throws {
    let world = try await ResourceWorld()
    let (_, url) = try await world.client().begin(after: try await world.refusal(), to: world.request)
    let pushed = try #require(world.sent(to: "/par").first).form()
    #expect(url.contains("request_uri="))
    #expect(pushed.values("resource") == [ResourceWorld.address] && pushed.values("nonce").isEmpty)
    #expect(pushed.values("scope") == ["notes.read offline_access"])
    #expect(pushed.values("code_challenge_method") == ["S256"])
  }

  @Test func `a client can leave the resource parameter out`() async throws {
    let world = try await ResourceWorld()
    _ = try await world.client(sendsResource: false).begin(after: try await world.refusal(), to: world.request)
    #expect(try #require(world.sent(to: "/par").first).form().values("resource").isEmpty)
  }

  // MARK: The resource's metadata

  @Test func `without a hint, the metadata of the address are asked for, then the server's`() async throws {
    let world = try await ResourceWorld()
    world.isHinted.withLock { $0 = false }
    _ = try await world.client().begin(after: try await world.refusal(), to: world.request)
    let own = "https://api.example.com/.well-known/oauth-protected-resource"
    #expect(world.sent(to: "oauth-protected-resource").map(\.url) == [own + "/mcp"])
    world.answer(own + "/mcp", HTTPResponseValue(status: 404))
    var members = world.resource.members
    members["resource"] = "https://api.example.com"
    world.answer(own, Self.document(members))
    let (pending, _) = try await world.client().begin(after: try await world.refusal(), to: world.request)
    #expect(pending.resource == "https://api.example.com")
  }

  @Test(arguments: [
    ("https://api.example.com/mcp", true), ("https://api.example.com/mcp/", false), ("https://api.example.com", false),
    ("https://API.example.com/mcp", false), ("https://api.example.com:443/mcp", false),
    ("https://api.example.com/%6Dcp", false), ("https://evil.example/mcp", false),
    ("https://api.example.com/.well-known/oauth-protected-resource/mcp", false), ("", false),
  ]) func `resource metadata must name the requested address itself`(_ named: String, _ isTaken: Bool) async throws {
    let world = try await ResourceWorld()
    var members = world.resource.members
    members["resource"] = .string(named)
    world.answer(world.resource.metadataURL, Self.document(members))
    let refusal = try await world.refusal()
    let failure = await error { () async throws(OpenIDError) in
      _ = try await world.client().begin(after: refusal, to: world.request)
    }
    #expect(isTaken ? failure == nil : failure?.code == .metadataInvalid && failure?.name == "resource")
    #expect(isTaken || world.sent(to: ProviderWorld.issuer).isEmpty)
  }

  @Test(arguments: [
    ("https://api.example.com/mcp", true), ("https://api.example.com", true), ("https://api.example.com/", true),
    ("https://api.example.com/mc", false), ("https://api.example.com/mcp/tools", true),
    ("https://api.example.com/mcp/tools/", false), ("https://api.example.com/mcp?x=1", false),
    ("https://api.example.com.evil.example/mcp", false), ("http://api.example.com/mcp", false),
  ]) func `metadata of a path before the address count where that is allowed`(
    _ named: String, _ isTaken: Bool
  ) async throws {
    let world = try await ResourceWorld()
    var members = world.resource.members
    members["resource"] = .string(named)
    world.answer(world.resource.metadataURL, Self.document(members))
    let refusal = try await world.refusal()
    let request = HTTPRequestValue(method: "GET", url: ResourceWorld.address + "/tools")
    let client = world.client(match: .pathPrefix)
    let failure = await error { () async throws(OpenIDError) in _ = try await client.begin(after: refusal, to: request)
    }
    #expect(isTaken ? failure == nil : failure?.name == "resource", "\(named)")
  }

  @Test(arguments: [
    "https://evil.example/.well-known/oauth-protected-resource/mcp", "http://api.example.com/metadata", "metadata",
    "https://user@api.example.com/metadata", "https://api.example.com:8443/metadata",
    "https://api.example.com/metadata#x",
  ]) func `metadata lie at the resource's own server`(_ place: String) async throws {
    let world = try await ResourceWorld()
    let refusal = HTTPResponseValue(
      status: 401, headers: try HTTPHeaderFields([("WWW-Authenticate", "Bearer resource_metadata=\"\(place)\"")]))
    let failure = await error { () async throws(OpenIDError) in
      _ = try await world.client().begin(after: refusal, to: world.request)
    }
    #expect(failure?.code == .metadataInvalid && failure?.name == "resource_metadata" && world.sent.isEmpty)
  }

  @Test(arguments: [200, 302, 400, 403, 404, 500]) func `a response that asks for no token begins no login`(
    _ status: Int
  ) async throws {
    let world = try await ResourceWorld()
    var refusal = try await world.refusal()
    refusal.status = status
    let failure = await error { [refusal] () async throws(OpenIDError) in
      _ = try await world.client().begin(after: refusal, to: world.request)
    }
    #expect(failure?.code == .invalidRequest)
  }

  // MARK: The authorization server

  @Test func `metadata of an authorization server are looked for at three addresses in order`() async throws {
    let issuer = "https://op.example.com/tenant"
    let world = try await ResourceWorld(servers: [issuer])
    let client = world.client(registrations: [.init(issuer: issuer, clientID: "agent")])
    let places = [
      "https://op.example.com/.well-known/oauth-authorization-server/tenant",
      "https://op.example.com/.well-known/openid-configuration/tenant",
      "https://op.example.com/tenant/.well-known/openid-configuration",
    ]
    let refusal = try await world.refusal()
    for number in places.indices {
      let before = world.sent.count
      for place in places { world.answer(place, HTTPResponseValue(status: 404)) }
      world.answer(
        places[number],
        Self.document([
          "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
          "token_endpoint": .string(issuer + "/token"), "code_challenge_methods_supported": ["S256"],
        ]))
      // Its keys are not needed.
      _ = try await client.begin(after: refusal, to: world.request)
      #expect(world.sent[before...].map(\.url).filter { $0.hasPrefix("https://op") } == Array(places[...number]))
    }
    // What is no refusal of the place says nothing about the others.
    for status in [302, 429, 500, 503] {
      let before = world.sent.count
      world.answer(places[0], HTTPResponseValue(status: status))
      let failure = await error { () async throws(OpenIDError) in
        _ = try await client.begin(after: refusal, to: world.request)
      }
      #expect(failure?.code == .temporarilyUnavailable)
      #expect(world.sent[before...].map(\.url).filter { $0.hasPrefix("https://op") } == [places[0]])
    }
  }

  @Test(
    arguments: [
      (["issuer": "https://op.example.com/"], "issuer"), (["issuer": "https://evil.example"], "issuer"),
      (["code_challenge_methods_supported": nil], "code_challenge_methods_supported"),
      (["code_challenge_methods_supported": ["plain"]], "code_challenge_methods_supported"),
      (["code_challenge_methods_supported": "S256"], "code_challenge_methods_supported"),
      (["token_endpoint": "http://op.example.com/token"], "token_endpoint"),
      (["authorization_endpoint": "javascript:alert(1)"], "authorization_endpoint"),
      (["protected_resources": ["https://other.example"]], "protected_resources"),
    ] as [([String: JSONValue?], String)]) func `a server must be the one that was named, and prove codes`(
      _ changes: [String: JSONValue?], _ name: String
    ) async throws
  {
    let world = try await ResourceWorld()
    var members = try await world.world.provider.metadata()
    for (name, value) in changes { members[name] = value }
    world.answer("https://op.example.com/.well-known/oauth-authorization-server", Self.document(members))
    let refusal = try await world.refusal()
    let failure = await error { () async throws(OpenIDError) in
      _ = try await world.client().begin(after: refusal, to: world.request)
    }
    #expect(failure?.code == .metadataInvalid && failure?.name == name)
  }

  @Test func `only an issuer that is trusted is asked, one that knows the client first`() async throws {
    let world = try await ResourceWorld(servers: ["https://evil.example", ProviderWorld.issuer])
    let refusal = try await world.refusal()
    let client = world.client { issuer, resource in
      #expect(resource.resource == ResourceWorld.address)
      return issuer == ProviderWorld.issuer
    }
    #expect(try await client.begin(after: refusal, to: world.request).login.issuer == ProviderWorld.issuer)
    #expect(world.sent(to: "evil").isEmpty)
    let none = await error { () async throws(OpenIDError) in
      _ = try await world.client { _, _ in false }.begin(after: refusal, to: world.request)
    }
    #expect(none?.code == .settingInvalid && none?.name == "trusts")
  }

  @Test func `a client identifier is used only with the issuer that it is registered at`() async throws {
    let world = try await ResourceWorld()
    let refusal = try await world.refusal()
    func failure(_ client: ResourceClient) async -> OpenIDError? {
      await error { () async throws(OpenIDError) in _ = try await client.begin(after: refusal, to: world.request) }
    }
    let strange = [ResourceClient.Registration(issuer: "https://other.example", clientID: "agent")]
    #expect(await failure(world.client(registrations: strange))?.name == "registrations")
    // A document serves where the server takes such.
    let document = "https://agent.example/client.json"
    #expect(await failure(world.client(registrations: [], document: document))?.name == "registrations")
    var members = try await world.world.provider.metadata()
    members["client_id_metadata_document_supported"] = true
    members["pushed_authorization_request_endpoint"] = nil
    world.answer("https://op.example.com/.well-known/oauth-authorization-server", Self.document(members))
    let client = world.client(registrations: [], document: document)
    let (_, url) = try await client.begin(after: refusal, to: world.request)
    #expect(url.contains("client_id=https%3A%2F%2Fagent.example%2Fclient.json"))
  }

  // MARK: More scopes

  @Test func `a step-up asks for all that was asked for before, too`() async throws {
    let world = try await ResourceWorld()
    let client = world.client()
    let login = try await world.login(client)
    world.needed.withLock { $0 = ["notes.write"] }
    let refusal = try await login.authorizer.send(world.request)
    #expect(refusal.status == 403)
    let (pending, url) = try await client.begin(after: refusal, to: world.request, login: login)
    #expect(pending.scopes == ["notes.read", "notes.write", "offline_access"])
    let second = try await client.finish(pending, redirect: try await world.authorize(url))
    #expect(try await second.authorizer.send(world.request).status == 200)
    // Nothing new is asked for: another login would bring nothing.
    let loop = await error { () async throws(OpenIDError) in
      _ = try await client.begin(after: refusal, to: world.request, login: second)
    }
    #expect(loop?.code == .configuration && loop?.name == "insufficient_scope")
  }

  @Test func `a server that keeps asking for more scopes gets at most eight further logins`() async throws {
    let world = try await ResourceWorld(scopes: (0...9).map { "more-\($0)" })
    let client = world.client()
    var login = try await world.login(client)
    for number in 0...8 {
      world.needed.withLock { $0 = ["more-\(number)"] }
      let refusal = try await login.authorizer.send(world.request)
      #expect(refusal.status == 403)
      let asking = login
      var next: (OpenIDClient.PendingLogin, String)?
      let failure = await error { () async throws(OpenIDError) in
        next = try await client.begin(after: refusal, to: world.request, login: asking)
      }
      guard let (pending, url) = next else {
        #expect(number == 8 && failure?.code == .configuration && failure?.name == "insufficient_scope")
        return
      }
      let kept = try OpenIDClient.PendingLogin(parsing: pending.serialized())
      login = try await client.finish(kept, redirect: try await world.authorize(url))
    }
    Issue.record("nine logins for more")
  }

  @Test func `a login for another resource starts with that resource's scopes alone`() async throws {
    let (world, other) = (try await ResourceWorld(), try await ResourceWorld("https://api.example.com/mcp/tools"))
    let login = try await other.login(other.client())
    let refusal = HTTPResponseValue(
      status: 401,
      headers: try HTTPHeaderFields([
        ("WWW-Authenticate", "Bearer resource_metadata=\"\(world.resource.metadataURL)\"")
      ]))
    let (pending, _) = try await world.client().begin(after: refusal, to: world.request, login: login)
    #expect(pending.scopes == ["notes.read", "notes.write", "offline_access"])
  }

  @Test func `a resource's token goes to its own server alone`() async throws {
    let world = try await ResourceWorld()
    let login = try await world.login(world.client())
    let before = world.sent.count
    for url in [
      "https://other.example/mcp", "https://api.example.com:8443/mcp", "https://api.example.com.evil.example/",
    ] {
      let failure = await failure { _ = try await login.authorizer.send(HTTPRequestValue(method: "GET", url: url)) }
      #expect(failure?.code == .invalidRequest && failure?.name == "url")
    }
    #expect(world.sent.count == before)
    let same = HTTPRequestValue(method: "GET", url: "https://API.example.com:443/mcp")
    _ = try await login.authorizer.send(same)
    #expect(world.sent.count == before + 1)
  }

  // MARK: The answer

  @Test func `a redirect of another issuer and the second use of a redirect are refused`() async throws {
    let world = try await ResourceWorld()
    let client = world.client()
    let (pending, url) = try await client.begin(after: try await world.refusal(), to: world.request)
    let redirect = try await world.authorize(url)
    let other = redirect.replacing("iss=https%3A%2F%2Fop.example.com", with: "iss=https%3A%2F%2Fevil.example")
    #expect(other != redirect)
    let foreign = await error { () async throws(OpenIDError) in _ = try await client.finish(pending, redirect: other) }
    #expect(foreign?.code == .redirectInvalid && foreign?.name == "iss")
    _ = try await client.finish(pending, redirect: redirect)
    let again = await error { () async throws(OpenIDError) in _ = try await client.finish(pending, redirect: redirect) }
    #expect(again?.code == .loginOver)
  }

  @Test func `a login goes on in another process`() async throws {
    let world = try await ResourceWorld()
    let client = world.client(binding: .freshKey)
    let (pending, url) = try await client.begin(after: try await world.refusal(), to: world.request)
    let store = MemorySecretStore()
    let kept = try OpenIDClient.PendingLogin(parsing: pending.serialized())
    #expect(kept.resource == ResourceWorld.address)
    _ = try await client.finish(kept, redirect: try await world.authorize(url), store: store)
    world.world.clock.advance(4000)
    let resumed = try await world.client(binding: .freshKey).resume(kept, store: store)
    #expect(try await resumed.manager.validToken().type == "DPoP" && resumed.resource == ResourceWorld.address)
    // A login that has no resource is another client's.
    var strange = pending
    strange.resource = nil
    let failure = await error { [strange] () async throws(OpenIDError) in
      _ = try await client.finish(strange, redirect: redirectOf(strange))
    }
    #expect(failure?.code == .settingInvalid)
  }

  private func redirectOf(_ pending: OpenIDClient.PendingLogin) -> String { pending.redirectURI + "?code=x" }
}
