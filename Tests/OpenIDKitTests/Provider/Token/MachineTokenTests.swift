import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Tokens that clients have for themselves, at the provider and at a client.
@Suite struct MachineTokenTests {
  private static let api = "https://api.example.com"
  private static let key = try! SigningKey.generate(.es256, keyID: "m-1")

  private static func secret() -> RegisteredClient.Authentication {
    .post(secretSHA256: RegisteredClient.Authentication.secretSHA256("secret"))
  }

  private static func clients(_ clock: WallClock) -> [RegisteredClient] {
    var nightly = RegisteredClient(id: "nightly", authentication: secret(), resources: [api, api + "/b"])
    nightly.machineScopes = ["orders.read", "orders.write"]
    var user = nightly
    user = RegisteredClient(id: "jane", authentication: secret(), resources: [api])
    user.machineScopes = ["openid", "orders.read"]
    var app = RegisteredClient(id: "app", allowedScopes: ["openid"])
    app.machineScopes = ["orders.read"]
    func asserting(_ id: String) -> RegisteredClient {
      let verifier = JWTVerifier(
        key: key.verificationKey,
        policy: .clientAssertion(clientID: id, audience: [ProviderWorld.issuer], clock: clock))
      var client = RegisteredClient(
        id: id, authentication: .assertion(SingleUseJWTVerifier(verifier, records: MemoryRecordStore())),
        isNative: false)
      client.machineScopes = ["orders.read"]
      return client
    }
    var strict = asserting("strict")
    strict.takesAudienceLists = false
    var api = RegisteredClient(id: "api", authentication: secret())
    api.isResourceServer = true
    return [
      nightly, user, app, asserting("signer"), strict, RegisteredClient(id: "site", authentication: secret()), api,
    ]
  }

  private func world(_ audience: [String]? = [api]) async throws -> ProviderWorld {
    var world = try await ProviderWorld(clients: [], policy: { $0.machineAudience = audience })
    world.provider.clients = StaticClientDirectory(Self.clients(world.clock.wall))
    return world
  }

  private func ask(
    _ world: ProviderWorld, _ client: String = "nightly", secret: String? = "secret",
    _ more: [(String, String)] = []
  ) async throws -> HTTPResponseValue {
    let secret = secret.map { [("client_secret", $0)] } ?? []
    return try await world.post(
      "/token", FormFields([("grant_type", "client_credentials"), ("client_id", client)] + secret + more))
  }

  // MARK: The provider

  @Test func `a client gets a token for itself, for what it may have`() async throws {
    let world = try await world()
    let answer = try await ask(world)
    #expect(answer.status == 200 && answer.member("scope") == "orders.read orders.write")
    let object = try JSONObject(parsing: answer.body)
    #expect(object["refresh_token"] == nil && object["id_token"] == nil && object["expires_in"] == 3600)
    let claims = try world.claims(answer.member("access_token"))
    #expect(claims["sub"] == "client:nightly" && claims["client_id"] == "nightly" && claims["aud"] == .string(Self.api))
    #expect(claims["sid"] == nil && claims["auth_time"] == nil)
    let narrow = try await ask(world, "nightly", [("scope", "orders.read"), ("resource", Self.api + "/b")])
    let other = try world.claims(narrow.member("access_token"))
    #expect(other["scope"] == "orders.read" && other["aud"] == .string(Self.api + "/b"))
    // What is taken where no resource is named may be named, too.
    #expect(
      try await ask(try await self.world(["https://all.example"]), "nightly", [("resource", "https://all.example")])
        .status == 200)
  }

  @Test(
    arguments: [
      ("nightly", "secret", [("scope", "orders.read admin")], "invalid_scope"),
      ("nightly", "secret", [("scope", "openid")], "invalid_scope"),
      ("nightly", "secret", [("scope", "offline_access")], "invalid_scope"),
      // Also one that is registered with it.
      ("jane", "secret", [], "invalid_scope"), ("jane", "secret", [("scope", "openid")], "invalid_scope"),
      ("nightly", "secret", [("resource", "https://other.example")], "invalid_target"),
      ("nightly", "wrong", [], "invalid_client"), ("nightly", nil, [], "invalid_client"),
      ("app", nil, [], "unauthorized_client"), ("site", "secret", [], "unauthorized_client"),
    ] as [(String, String?, [(String, String)], String)])
  func `a client_credentials request beyond the client's rights is refused`(
    _ client: String, _ secret: String?, _ more: [(String, String)], _ error: String
  ) async throws {
    let answer = try await ask(try await world(), client, secret: secret, more)
    #expect(answer.member("error") == error)
  }

  @Test func `the grant is off, or needs a resource, as the policy says`() async throws {
    let off = try await world(nil)
    #expect(try await ask(off).member("error") == "unsupported_grant_type")
    #expect(
      try await off.provider.metadata()["grant_types_supported"]?.arrayValue?.contains("client_credentials") == false)
    let bare = try await world([])
    #expect(try await ask(bare).member("error") == "invalid_target")
    #expect(try await ask(bare, "nightly", [("resource", Self.api)]).status == 200)
    #expect(
      try await bare.provider.metadata()["grant_types_supported"]?.arrayValue?.contains("client_credentials") == true)
  }

  /// A client that is registered under a user's name is not that user anywhere.
  @Test func `a client's own token is not accepted as a user's`() async throws {
    let world = try await world()
    let answer = try await ask(world, "jane", [("scope", "orders.read")])
    let token = answer.member("access_token")
    #expect(try world.claims(token)["sub"] == "client:jane")
    #expect(try await world.userInfo(token).status == 403)
    let seen = try await world.post(
      "/introspect", ["token": try #require(token), "client_id": "api", "client_secret": "secret"])
    #expect(seen.member("sub") == "client:jane" && seen.member("username") == nil)
    #expect(try JSONObject(parsing: seen.body)["active"] == true)
    // A user whose name could be a client's gets no token.
    try await world.sessions.addUser("client:nightly")
    try await world.sessions.add(
      AuthenticationSession(id: "s-2", userID: "client:nightly", authenticatedAt: world.clock.wall.now))
    await #expect(throws: OAuthErrorResponse.self) {
      try await world.provider.tokens(for: AcceptedGrant(clientID: "app", sessionID: "s-2", scopes: ["openid"]))
    }
  }

  @Test func `a client's token ends by revocation, or with what it may have`() async throws {
    let world = try await world()
    let first = try #require(try await ask(world).member("access_token"))
    #expect(try await world.provider.access(first) != nil)
    let revoked = try await world.post(
      "/revoke", ["token": first, "client_id": "nightly", "client_secret": "secret"])
    #expect(revoked.status == 200)
    #expect(try await world.provider.access(first) == nil)
    let second = try #require(try await ask(world).member("access_token"))
    var provider = world.provider
    var clients = Self.clients(world.clock.wall)
    clients[0].machineScopes = ["orders.read"]
    provider.clients = StaticClientDirectory(clients)
    #expect(try await provider.access(second) == nil)
    provider.clients = StaticClientDirectory([])
    #expect(try await provider.access(second) == nil)
  }

  private func assertion(_ client: String, _ audience: JSONValue, type: String?, _ id: String) throws -> String {
    let now = VirtualClock().wall.now.wholeSeconds
    let claims: JSONObject = [
      "iss": .string(client), "sub": .string(client), "aud": audience, "jti": .string(id),
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 60)),
    ]
    return try type.map { try JWT.sign(claims, with: Self.key, type: $0) } ?? JWT.sign(claims, with: Self.key)
  }

  @Test(
    arguments: [
      ("signer", "https://op.example.com", "client-authentication+jwt", true),
      ("signer", "https://op.example.com", "JWT", true), ("signer", "https://op.example.com", nil, true),
      ("signer", ["https://op.example.com"], "client-authentication+jwt", true),
      ("strict", ["https://op.example.com"], nil, false), ("strict", "https://op.example.com", nil, true),
      ("signer", ["https://op.example.com", "https://x.example"], nil, false),
      ("signer", "https://op.example.com/token", nil, false), ("signer", "https://op.example.com/", nil, false),
      ("signer", "https://op.example.com", "at+jwt", false), ("signer", [], nil, false),
    ] as [(String, JSONValue, String?, Bool)]) func `an assertion is for the issuer, with its type or without`(
      _ client: String, _ audience: JSONValue, _ type: String?, _ isTaken: Bool
    ) async throws
  {
    let world = try await world()
    let jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    let fields = [
      ("client_assertion_type", jwtBearer), ("client_assertion", try assertion(client, audience, type: type, "1")),
    ]
    #expect(try await ask(world, client, secret: nil, fields).status == (isTaken ? 200 : 401))
    // A pushed request takes no list.
    guard isTaken, audience.arrayValue != nil else { return }
    let pushed = [
      ("client_id", client), ("client_assertion_type", jwtBearer),
      ("client_assertion", try assertion(client, audience, type: type, "2")),
    ]
    #expect(try await world.post("/par", FormFields(pushed)).member("error") == "invalid_client")
  }

  // MARK: The client

  /// The forms that a client has sent.
  private final class Sent: Sendable {
    private let list = Mutex<[FormFields]>([])
    var forms: [FormFields] { list.withLock { $0 } }
    func note(_ request: HTTPRequestValue) {
      guard let form = try? request.form() else { return }
      list.withLock { $0.append(form) }
    }
  }

  private func manager(
    _ world: ProviderWorld, _ sent: Sent, proofKey: SigningKey? = nil, scope: String? = nil
  ) async throws -> TokenManager {
    try await TokenManager.machine(
      tokenEndpoint: ProviderWorld.issuer + "/token", clientID: "signer",
      authentication: .privateKeyJWT(
        Self.key, clientID: "signer", audience: ProviderWorld.issuer, clock: world.clock.wall),
      scope: scope, proofKey: proofKey, clock: world.clock.tokenClock
    ) { request in
      sent.note(request)
      return try #require(await world.provider.respond(to: request, from: "a"))
    }
  }

  @Test(arguments: [false, true]) func `a client keeps its token, and asks once for the next`(_ isBound: Bool)
    async throws
  {
    let world = try await world()
    let sent = Sent()
    let key = isBound ? try SigningKey.generate(.es256) : nil
    let tokens = try await manager(world, sent, proofKey: key)
    let first = try await tokens.validToken()
    #expect(first.type == (isBound ? "DPoP" : "Bearer") && first.scope == "orders.read")
    #expect(try await tokens.validToken().value == first.value && sent.forms.count == 1)
    world.clock.advance(3600)
    let next = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await tokens.validToken().value } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(next.count == 1 && !next.contains(first.value))
    let forms = sent.forms
    #expect(forms.count == 2 && forms.allSatisfy { $0.values("grant_type") == ["client_credentials"] })
    #expect(forms.allSatisfy { $0.values("refresh_token").isEmpty })
    // Each assertion is new, for the issuer as a text, and of its own type.
    let assertions = try forms.map { try UnverifiedJWS(parsing: $0.requiredValue("client_assertion")) }
    #expect(Set(assertions.map { String(decoding: $0.unverifiedPayload, as: UTF8.self) }).count == 2)
    for assertion in assertions {
      #expect(assertion.unverifiedHeader.type == "client-authentication+jwt")
      #expect(assertion.unverifiedClaims?["aud"] == .string(ProviderWorld.issuer))
    }
  }

  @Test func `what the server refuses is said at once`() async throws {
    let world = try await world()
    let sent = Sent()
    let error = await failure { _ = try await manager(world, sent, scope: "admin") }
    #expect(error?.code == .configuration && error?.name == "invalid_scope")
  }
}
