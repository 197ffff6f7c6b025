import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

/// A user logs in again in the same session, for another app: the tokens of earlier logins go on saying what they said.
@Suite struct RenewedLoginTests {
  private static let (first, second) = (NumericDate(1_760_000_990), NumericDate(1_760_000_995))

  private static func session(_ time: NumericDate, _ context: String?, _ methods: [String]?) -> AuthenticationSession {
    AuthenticationSession(
      id: World.session, userID: World.user, authenticatedAt: time, authenticationContext: context,
      authenticationMethods: methods)
  }

  /// A login of an app in the session as it is.
  private func login(_ world: World, _ client: String) async throws -> HTTPResponseValue {
    let grant = AuthorizationCodeGrant(
      clientID: client, redirectURI: "com.example.\(client):/cb", scopes: ["openid", "device_sso"],
      subject: World.user, sessionID: World.session)
    let codes = try AuthorizationCodeService(
      refreshTokens: world.server.provider.refreshTokens, revokedTokens: nil, clock: world.clock.wall)
    let form: FormFields = [
      "grant_type": "authorization_code", "client_id": client, "redirect_uri": grant.redirectURI,
      "code": try await codes.issue(grant),
    ]
    return await world.server.respond(to: .post(form, to: "/token"))
  }

  private func refresh(
    _ server: MemoryProvider, _ client: String, _ answer: HTTPResponseValue
  ) async throws -> HTTPResponseValue {
    let form: FormFields = [
      "grant_type": "refresh_token", "client_id": client, "refresh_token": try #require(answer["refresh_token"]),
      "device_secret": answer["device_secret"] ?? "",
    ]
    return await server.respond(to: .post(form, to: "/token"))
  }

  private func expect(
    _ answer: HTTPResponseValue, _ time: NumericDate?, _ context: String?, _ methods: [String]?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let token = try claims(answer["id_token"])
    #expect(token["auth_time"]?.int64Value == time.map { Int64($0.wholeSeconds) }, sourceLocation: sourceLocation)
    #expect(token["acr"]?.stringValue == context, sourceLocation: sourceLocation)
    let told = token["amr"]?.arrayValue?.compactMap(\.stringValue)
    #expect(told == methods, sourceLocation: sourceLocation)
  }

  @Test func `a renewed ID token keeps the claims of its own login after a later login`() async throws {
    let world = try await World(seedsPair: false)
    try await world.sessions.add(Self.session(Self.first, "silver", ["pwd"]))
    let a = try await login(world, "app-a")
    try expect(a, Self.first, "silver", ["pwd"])
    // As long as the session is of the same login, it knows how the user logged in.
    let renewed = try await refresh(world.server, "app-a", a)
    try expect(renewed, Self.first, "silver", ["pwd"])
    #expect(try await world.sessions.renew(Self.session(Self.second, "gold", ["pwd", "otp"])))
    let b = try await login(world, "app-b")
    try expect(b, Self.second, "gold", ["pwd", "otp"])
    var next = renewed
    for _ in 0..<2 {
      next = try await refresh(world.server, "app-a", next)
      try expect(next, Self.first, "silver", nil)
    }
    try expect(try await refresh(world.server, "app-b", b), Self.second, "gold", ["pwd", "otp"])
  }

  @Test func `a login without acr gets none from a later login`() async throws {
    let world = try await World(seedsPair: false)
    try await world.sessions.add(Self.session(Self.first, nil, nil))
    let a = try await login(world, "app-a")
    #expect(try await world.sessions.renew(Self.session(Self.second, "gold", ["pwd", "otp"])))
    try expect(try await refresh(world.server, "app-a", a), Self.first, nil, nil)
  }

  @Test func `a family without login claims uses the session's until a later login replaces them`() async throws {
    let world = try await World(seedsPair: false)
    try await world.sessions.add(Self.session(Self.first, "silver", ["pwd"]))
    let grant = RefreshGrant(
      subject: World.user, clientID: "app-a", sessionID: World.session, scope: ["openid", "device_sso"])
    let token = try await world.server.provider.refreshTokens.issue(grant).refreshToken
    var answer = HTTPResponseValue(status: 200)
    answer.body = Array(#"{"refresh_token":"\#(token)"}"#.utf8)
    answer = try await refresh(world.server, "app-a", answer)
    try expect(answer, Self.first, "silver", ["pwd"])
    world.clock.advance(10)
    #expect(try await world.sessions.renew(Self.session(world.clock.wall.now, "gold", ["otp"])))
    try expect(try await refresh(world.server, "app-a", answer), nil, nil, nil)
  }

  /// native-sso §7.7: an exchange keeps the login of its ID token.
  @Test func `an exchange shares the login of its ID token, and so does what comes of it`() async throws {
    let world = try await World(seedsPair: false)
    try await world.sessions.add(Self.session(Self.first, "silver", ["pwd"]))
    let a = try await login(world, "app-a")
    let changes: [(String, String?)] = [
      ("subject_token", a["id_token"]), ("actor_token", a["device_secret"]), ("scope", "openid device_sso"),
    ]
    try expect(await world.exchange(changes), Self.first, "silver", ["pwd"])
    #expect(try await world.sessions.renew(Self.session(Self.second, "gold", ["pwd", "otp"])))
    let b = await world.exchange(changes)
    try expect(b, Self.first, "silver", nil)
    try expect(try await refresh(world.server, "app-b", b), Self.first, "silver", nil)
  }

  @Test func `an exchange for a client that requires a context uses the session's latest login`() async throws {
    let world = try await World(seedsPair: false)
    try await world.sessions.add(Self.session(Self.first, "silver", ["pwd"]))
    let a = try await login(world, "app-a")
    #expect(try await world.sessions.renew(Self.session(Self.second, "gold", ["pwd", "otp"])))
    let demanding = World.clients.map { client in
      var client = client
      if client.id == "app-b" { client.requiredContexts = ["gold"] }
      return client
    }
    var server = world.server
    server.provider.clients = StaticClientDirectory(demanding)
    let request = World.exchangeRequest([
      ("subject_token", a["id_token"]), ("actor_token", a["device_secret"]), ("scope", "openid device_sso"),
    ])
    let b = await server.respond(to: request)
    try expect(b, Self.second, "gold", ["pwd", "otp"])
    try expect(try await refresh(server, "app-b", b), Self.second, "gold", ["pwd", "otp"])
  }
}
