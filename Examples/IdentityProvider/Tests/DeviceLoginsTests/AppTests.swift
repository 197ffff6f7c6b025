import DeviceLogins
@testable import IdentityProvider
import JOSE
import NativeSSOKit
import OpenIDKit
import Testing

/// Two apps of one maker on one device.
@Suite(.timeLimit(.minutes(60))) struct AppTests {
  private struct Apps {
    let world: World
    var session: AuthenticationSession

    /// The session that a user's browser has begun.
    func session(of user: User) async throws -> AuthenticationSession {
      let entry = try #require(try await world.provider.browsers.sessions(userID: user.id).first)
      return try #require(try await world.provider.sessions.session(id: entry.id))
    }

    init() async throws {
      world = try await World()
      for id in ["mail", "chat"] {
        var client = Client(id: id, name: id, authentication: .none, redirectURIs: ["com.example.\(id):/cb"])
        client.scopes = ["openid", "profile", "offline_access", "device_sso"]
        client.isNativeSSOEnabled = true
        client.nativeSSOGroup = "example"
        client.idTokenAlgorithm = id == "mail" ? "RS256" : "ES256"
        try await world.provider.clients.put(client)
      }
      var stranger = Client(id: "stranger", name: "stranger", authentication: .none, redirectURIs: ["com.other:/cb"])
      stranger.isNativeSSOEnabled = true
      stranger.nativeSSOGroup = "other"
      try await world.provider.clients.put(stranger)
      session = AuthenticationSession(
        id: "session-1", userID: world.jane.id, authenticatedAt: world.clock.wall.now, authenticationMethods: ["pwd"])
      try await world.provider.sessions.add(session)
      try await world.provider.sessions.grant(
        ["openid", "profile", "offline_access"], userID: world.jane.id, clientID: "chat")
    }

    /// What the first app's login is answered with, once its code has been checked.
    func login() async throws -> (idToken: String, secret: DeviceSecret) {
      var openID = try await world.provider.openID()
      let login = AcceptedGrant(
        clientID: "mail", sessionID: session.id, scopes: ["openid", "offline_access", "device_sso"])
      openID.grants.append(
        TokenEndpoint.Grant("urn:example:login") { [openID] _ in try await openID.tokens(for: login) })
      let request = HTTPRequestValue.post(
        ["grant_type": "urn:example:login", "client_id": "mail"], to: World.issuer + "/token")
      let answer = try #require(await openID.respond(to: request, from: "192.0.2.1"))
      return (try #require(answer["id_token"]), try DeviceSecret(#require(answer["device_secret"])))
    }

    func exchange(
      _ login: (idToken: String, secret: DeviceSecret), as client: String = "chat", _ visitor: Visitor
    ) async throws -> HTTPResponseValue {
      try await visitor.post(
        "/token",
        [
          "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": client,
          "audience": World.issuer, "subject_token": login.idToken,
          "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "actor_token": login.secret.reveal(),
          "actor_token_type": "urn:openid:params:token-type:device-secret", "scope": "openid offline_access",
        ])
    }

    func refresh(_ token: String, _ visitor: Visitor) async throws -> HTTPResponseValue {
      try await visitor.post(
        "/token", ["grant_type": "refresh_token", "refresh_token": token, "client_id": "chat"])
    }
  }

  @Test func `an exchange gives a second app tokens of its own algorithm, and refuses an unrelated app`() async throws {
    let apps = try await Apps()
    try await apps.world.test { client in
      let visitor = Visitor(client)
      let login = try await apps.login()
      let answer = try await apps.exchange(login, visitor)
      #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
      let idToken = try #require(answer["id_token"])
      let keys = try JWKSet(parsing: await visitor.get("/jwks").body)
      let verifier = JWTVerifier(
        keys: keys, algorithms: [.es256],
        policy: JWTPolicy(issuer: .anyOf([World.issuer]), audience: .anyOf(["chat"]), clock: apps.world.clock.wall))
      let claims = try verifier.verify(idToken, as: JSONObject.self).claims
      #expect(claims["sub"]?.stringValue == apps.world.jane.id && claims["sid"]?.stringValue == apps.session.id)
      #expect(try await apps.exchange(login, as: "stranger", visitor)["error"] == "access_denied")
      #expect(try await apps.exchange((login.idToken, DeviceSecret.random()), visitor)["error"] == "invalid_grant")
      let metadata = try await visitor.get("/.well-known/openid-configuration").object
      #expect(metadata["native_sso_supported"] == true)
      #expect(try await apps.world.events("native.exchangeGranted").map(\.event.client) == ["chat"])
      #expect(try await apps.world.events("native.exchangeRefused").count == 2)
      let device = try #require(try await apps.world.devices.devices(of: apps.world.jane.id).first)
      #expect(device.kind == "Native SSO" && device.isActive)
    }
  }

  @Test func `an exchange for a client that needs two factors is refused until the login had both`() async throws {
    let apps = try await Apps()
    let provider = apps.world.provider
    try await apps.world.test { client in
      let visitor = Visitor(client)
      let login = try await apps.login()
      var chat = try #require(try await provider.clients.enabledClient(id: "chat"))
      chat.requiresTwoFactors = true
      try await provider.clients.put(chat)
      #expect(try await apps.exchange(login, visitor)["error"] == "interaction_required")
      let session = AuthenticationSession(
        id: apps.session.id, userID: apps.world.jane.id, authenticatedAt: apps.world.clock.wall.now,
        authenticationContext: AuthenticationContext.twoFactors, authenticationMethods: ["pwd", "otp", "mfa"])
      try await provider.sessions.add(session)
      let answer = try await apps.exchange(login, visitor)
      #expect(answer.status == 200)
      #expect(try await apps.refresh(try #require(answer["refresh_token"]), visitor).status == 200)
    }
  }

  @Test(arguments: ["/logout/confirm", "/account/sign-out-everywhere"])
  func `a logout in the browser, here or everywhere, ends what came of the login`(path: String) async throws {
    let begun = try await Apps()
    let world = begun.world
    try await world.test { client in
      var apps = begun
      let visitor = Visitor(client)
      _ = try await visitor.follow(visitor.logIn(visitor.get("/login"), "jane", World.password))
      apps.session = try await apps.session(of: world.jane)
      let login = try await apps.login()
      let token = try #require(try await apps.exchange(login, Visitor(client))["refresh_token"])
      #expect(try await apps.refresh(token, Visitor(client)).status == 200)
      let form = FormFields([("csrf", visitor.hidden("csrf", in: try await visitor.get("/account")))])
      let answer = try await visitor.post(path, form)
      #expect((200..<400).contains(answer.status), "\(answer.status)")
      #expect(try await apps.exchange(login, Visitor(client))["error"] == "invalid_grant")
      #expect(try await apps.refresh(token, Visitor(client)).status == 400)
    }
  }

  @Test func `a device secret sent to the revocation endpoint ends, with all logins that came of it`() async throws {
    let apps = try await Apps()
    try await apps.world.test { client in
      let visitor = Visitor(client)
      let login = try await apps.login()
      let token = try #require(try await apps.exchange(login, visitor)["refresh_token"])
      for (id, status) in [("nobody", 401), ("chat", 200)] {
        let form: FormFields = [
          "token": login.secret.reveal(), "token_type_hint": "device_secret", "client_id": id,
        ]
        #expect(try await visitor.post("/revoke", form).status == status)
      }
      #expect(try await apps.exchange(login, visitor)["error"] == "invalid_grant")
      #expect(try await apps.refresh(token, visitor)["error"] == "invalid_grant")
      #expect(try await apps.world.devices.devices(of: apps.world.jane.id).isEmpty)
    }
  }

  @Test func `ending a session ends refresh tokens whose device secret was already removed`() async throws {
    let apps = try await Apps()
    try await apps.world.test { client in
      let visitor = Visitor(client)
      let token = try #require(try await apps.exchange(apps.login(), visitor)["refresh_token"])
      // Device secrets that have expired are removed; the refresh tokens that they gave live on.
      let removed = try await apps.world.provider.database.run("DELETE FROM records WHERE kind = 'device-secret'")
      #expect(removed.count == 1)
      let next = try #require(try await apps.refresh(token, visitor)["refresh_token"])
      try await apps.world.provider.end(apps.session, because: "logout")
      #expect(try await apps.refresh(next, visitor)["error"] == "invalid_grant")
    }
  }

  @Test func `administrators see and change settings and device secrets over HTTP, and nobody else does`() async throws
  {
    let apps = try await Apps()
    let world = apps.world
    try await world.test { client in
      let settings = "/api/admin/settings/native-sso"
      let secrets = "/api/admin/users/\(world.jane.id)/device-secrets"
      let jane = Visitor(client)
      #expect(try await jane.call("GET", settings).status == 401)
      _ = try await jane.follow(jane.logIn(jane.get("/login"), "jane", World.password))
      for method in ["GET", "PUT", "DELETE"] { #expect(try await jane.call(method, settings).status == 403) }

      let root = Visitor(client)
      _ = try await root.follow(root.logIn(root.get("/login"), "root", World.password))
      let token = root.hidden("csrf", in: try await root.get("/account"))
      let described = try await root.call("GET", settings).object["settings"]?.objectValue?["deviceSecretTTLDays"]
      #expect(described?.objectValue?["value"] == 30)
      // Another site's page can't send the header.
      let change = #"{"deviceSecretTTLDays":7}"#
      for forged in [nil, "", "guess", jane.hidden("csrf", in: try await jane.get("/account"))] {
        #expect(try await root.call("PUT", settings, change, formToken: forged).status == 403)
      }
      #expect(try await root.call("PUT", settings, change, formToken: token).status == 200)
      #expect(try await root.call("PUT", settings, #"{"enabled":false}"#, formToken: token).status == 400)

      let login = try await apps.login()
      let list = try await root.call("GET", secrets).object["items"]?.arrayValue
      let item = try #require(list?.first?.objectValue)
      #expect(list?.count == 1 && item["expires_at"] == "2025-10-16T08:53:20.000Z")
      let id = try #require(item["id"]?.stringValue)
      #expect(try await apps.exchange(login, Visitor(client)).status == 200)
      #expect(try await root.call("DELETE", "/api/admin/device-secrets/" + id).status == 403)
      #expect(try await root.call("DELETE", "/api/admin/device-secrets/" + id, formToken: token).status == 200)
      #expect(try await apps.exchange(login, Visitor(client))["error"] == "invalid_grant")
      #expect(try await root.call("GET", "/api/admin/nothing").status == 404)
      #expect(
        try await world.events("admin.native").map(\.event.user) == [world.admin.id, world.admin.id, world.admin.id])
    }
  }

  @Test func `a device that is revoked, and a new password, end the apps' logins`() async throws {
    let apps = try await Apps()
    try await apps.world.test { client in
      let visitor = Visitor(client)
      let login = try await apps.login()
      let token = try #require(try await apps.exchange(login, visitor)["refresh_token"])
      let device = try #require(try await apps.world.devices.devices(of: apps.world.jane.id).first)
      #expect(try await !apps.world.devices.revokeDevice(device.id, of: apps.world.admin.id))
      #expect(try await apps.world.devices.revokeDevice(device.id, of: apps.world.jane.id))
      #expect(try await apps.exchange(login, visitor)["error"] == "invalid_grant")
      #expect(try await apps.refresh(token, visitor).status == 400)
      #expect(try await apps.world.devices.devices(of: apps.world.jane.id).isEmpty)

      let second = try await apps.login()
      #expect(try await apps.exchange(second, visitor).status == 200)
      try await apps.world.devices.credentialsDidChange(of: apps.world.jane.id)
      #expect(try await apps.exchange(second, visitor)["error"] == "invalid_grant")
    }
  }
}
