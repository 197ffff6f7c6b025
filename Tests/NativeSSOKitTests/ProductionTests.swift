import IdentityTesting
import JOSE
import NativeSSOKit
import PureJOSENativeSSOAdministration
import OpenIDKitFoundation
import Foundation
import OpenIDKit
import PureJOSETestSupport
import StrictJSON
import Synchronization
import Testing

/// What logins meet in production: many callers, stores that break, users who leave in the middle.
@Suite struct ProductionTests {
  // MARK: Client

  @Test func `a sign-out while tokens are requested stays in force, and late tokens are revoked`() async throws {
    for scope in [NativeSSOClient.SignOutScope.thisApp, .everywhere] {
      let device = Device(try await World(seedsPair: false))
      let kept = KeptTokens()
      let first = try await device.logIn(device.app("app-a"))
      let app = device.app("app-b", tokens: kept)
      let (login, url) = try await app.beginLogin()
      let redirect = try await device.world.server.authorize(url: url, sessionID: World.session)
      let sent = device.network.requests.all.count
      let gate = device.closeGate()
      async let silent = app.signInSilently()
      async let completed = refusal { try await app.completeLogin(login, redirect: redirect) }
      while device.network.requests.all.count < sent + 2 { await Task.yield() }
      // The requests are under way: their answers come after the sign-out.
      _ = try await app.signOut(scope)
      gate.open()
      #expect(await completed?.code == .loggedOut)
      // A sign-out from everywhere has ended the device secret before this one was answered.
      let reason = await silent.reason
      if scope == .thisApp { #expect(reason == .signedOutByUser) } else { #expect(reason != nil) }
      #expect(await kept.tokens == nil)
      #expect(await kept.suppressesAutomaticSignIn())
      // Each refresh token that came too late was revoked; no other app's, unless the device is signed out.
      let revoked = try device.network.requests.all.filter { $0.url.hasSuffix("/revoke") }.map {
        try $0.form().values("token_type_hint").first
      }
      #expect(revoked.count { $0 == "refresh_token" } == (scope == .thisApp ? 2 : 1))
      let refreshToken = try #require(first.tokens.refreshToken)
      #expect(try await (device.world.tokens.grant(refreshToken: refreshToken) != nil) == (scope == .thisApp))
      let pair = try await SharedPair(device.store).read().pair
      #expect((pair == nil) == (scope == .everywhere))
    }
  }

  private func refusal(_ body: @Sendable () async throws -> SignIn) async -> JOSEError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? JOSEError
    }
  }

  @Test(arguments: DocumentDamage.illegible)
  func `settings that can't be read switch nothing on, and are reset`(damage: DocumentDamage) async throws {
    let records = MemoryRecordStore()
    try await records.save(settings: damage.change(Array(#"{"enabled":true}"#.utf8)))
    let resolver = try SettingsResolver(records: records, cacheLifetime: .zero)
    await #expect(throws: JSONError.self) { try await resolver.settings() }
    await #expect(throws: JSONError.self) { try await resolver.update(["enabled": true]) }
    try await resolver.reset()
    #expect(try await resolver.settings() == NativeSSOSettings())
    #expect(try await resolver.update(["enabled": true]).enabled)
  }

  @Test func `settings are asked for once in three minutes, and a change counts at once`() async throws {
    let clock = TestClock(1000)
    let (loads, changes) = (Recorder<Bool>(), Recorder<Bool>())
    let contended = Recorder<Bool>()
    let inner = MemoryRecordStore()
    let records = HookedRecords(
      inner: inner, willRead: { loads.append(true) },
      willCommit: { _ in
        changes.append(true)
        guard !contended.all.isEmpty else { return }
        try await inner.save(settings: Array(#"{"deviceSecretTTLDays":\#(changes.all.count % 9 + 1)}"#.utf8))
      })
    let resolver = try SettingsResolver(records: records, clock: clock.wall)
    for _ in 0..<5 { #expect(try await resolver.settings().maxAttemptsPerMinute == 10) }
    #expect(loads.all.count == 1)
    try await inner.save(settings: Array(#"{"rateLimit":{"maxAttemptsPerMinute":7}}"#.utf8))
    clock.advance(179)
    #expect(try await resolver.settings().maxAttemptsPerMinute == 10)
    clock.advance(1)
    #expect(try await resolver.settings().maxAttemptsPerMinute == 7)
    #expect(loads.all.count == 2)
    // A clock that is set back does not make old settings last.
    clock.set(10)
    #expect(try await resolver.settings().maxAttemptsPerMinute == 7)
    #expect(loads.all.count == 3)
    var provider = try await World().provider
    provider.settings = resolver
    let api = NativeSSOAdminAPI(provider: provider)
    let change = HTTPRequestValue(
      method: "PUT", url: "/api/admin/settings/native-sso",
      headers: try HTTPHeaderFields([("Content-Type", "application/json")]),
      body: Array(#"{"enabled":true,"rateLimit":{"maxAttemptsPerMinute":9}}"#.utf8))
    #expect(await api.respond(to: change).status == 200)
    #expect(try await resolver.settings().maxAttemptsPerMinute == 9)
    // Without a cache, each request asks.
    let uncached = try SettingsResolver(records: records, cacheLifetime: .zero, clock: clock.wall)
    let before = loads.all.count
    for _ in 0..<3 { _ = try await uncached.settings() }
    #expect(loads.all.count == before + 3)
    // A store that others keep changing is no reason to wait for ever, nor the administrator's fault.
    contended.append(true)
    #expect(await api.respond(to: change).status == 500)
  }

  @Test func `a redirect without the issuer that the provider announces is refused`() async throws {
    let world = try await World()
    let device = Device(world)
    var configuration = device.configuration("app-a")
    configuration.metadata.announcesIssuerInResponse = true
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    let (login, url) = try await app.beginLogin()
    let redirect = try await world.server.authorize(url: url, sessionID: World.session)
    let silent = try #require(redirect.firstRange(of: "&iss="))
    await #expect(throws: JOSEError(.redirectInvalid, "", name: "iss")) {
      try await app.completeLogin(login, redirect: String(redirect[..<silent.lowerBound]))
    }
    _ = try await app.completeLogin(login, redirect: redirect)
    let document: JSONObject = [
      "issuer": .string(World.issuer), "authorization_endpoint": "https://op.example.com/a",
      "token_endpoint": "https://op.example.com/t", "jwks_uri": "https://op.example.com/j",
      "authorization_response_iss_parameter_supported": true,
    ]
    #expect(try OpenIDProviderMetadata(parsing: document.serialized(), issuer: World.issuer).announcesIssuerInResponse)
  }

  @Test func `a login is completed once, within half an hour`() async throws {
    let device = Device(try await World())
    let app = device.app("app-a")
    let (login, url) = try await app.beginLogin()
    let redirect = try await device.world.server.authorize(url: url, sessionID: World.session)
    _ = try await app.completeLogin(login, redirect: redirect)
    let sent = device.network.requests.all.count
    await #expect(throws: JOSEError(.loginOver, "")) {
      try await app.completeLogin(login, redirect: redirect)
    }
    #expect(device.network.requests.all.count == sent)
    let late = try await app.beginLogin()
    let answer = try await device.world.server.authorize(url: late.url, sessionID: World.session)
    device.world.clock.advance(1800)
    await #expect(throws: JOSEError(.loginOver, "")) { try await app.completeLogin(late.login, redirect: answer) }
    #expect(device.network.requests.all.count == sent)
  }

  @Test func `a redirect URI with a query of its own`() async throws {
    let device = Device(try await World())
    var configuration = device.configuration("app-b")
    configuration.redirectURI = "https://app.example.com/cb?tenant=a"
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    for (redirect, isGood) in [
      ("https://app.example.com/cb?tenant=a&", true), ("https://app.example.com/cb?tenant=a?", false),
      ("https://app.example.com/cb?tenant=b&", false), ("https://app.example.com/cb?", false),
    ] {
      let login = try await app.beginLogin().login
      device.network.answer { _ in
        try Device.response(claims: [("nonce", .string(login.request.nonce)), ("ds_hash", nil)])
      }
      let signIn = try? await app.completeLogin(login, redirect: redirect + "code=c&state=\(login.request.state)")
      #expect((signIn != nil) == isGood)
    }
  }

  @Test(arguments: [#"{"v":9,"gen":7}"#, "", "{"]) func `a stored pair that can't be read is written over, and removed`(
    text: String
  ) async throws {
    let device = Device(try await World(seedsPair: false))
    let store = MemorySecretStore(Array(text.utf8))
    let app = NativeSSOClient(device.configuration("app-a"), pairs: store, appTokens: KeptTokens())
    #expect(await app.signInSilently().reason == .storeFailed)
    #expect(try await device.logIn(app).sharing == .stored)
    #expect(await app.signInSilently().signIn != nil)
    await store.damage(Array(text.utf8))
    _ = try await app.signOut(.everywhere)
    #expect(await store.isReadable)
  }

  #if !os(Windows) && !os(WASI)
    @Test func `a damaged file is written over`() async throws {
      let directory = NSTemporaryDirectory() + "pure-jose-\(UInt64.random(in: 0 ... .max))"
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let store = SharedPair(try FileSecretStore(directory: directory, name: "pair", key: nil))
      let pair = try Device.pair()
      #expect(try await store.replace(expecting: 0, with: pair))
      let file = try #require(
        try FileManager.default.contentsOfDirectory(atPath: directory).first { $0.hasSuffix("json") })
      let handle = try #require(FileHandle(forWritingAtPath: directory + "/" + file))
      try handle.truncate(atOffset: 10)
      try handle.close()
      await #expect(throws: JOSEError.self) { try await store.read() }
      #expect(try await store.replace(expecting: 0, with: pair))
      #expect(try await store.read().pair != nil)
    }
  #endif

  @Test func `a pause until a date, and an access token with a line break`() throws {
    var response = try Device.error("slow_down", status: 429)
    try response.headers.set("Retry-After", "Fri, 27 Feb 2026 23:59:59 GMT")
    try response.headers.set("Date", "Fri, 27 Feb 2026 23:59:29 GMT")
    #expect(OAuthErrorResponse(response)?.retryAfter == .seconds(30))
    let body = #"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#
    #expect(throws: JOSEError.self) { try TokenResponse(parsing: body.utf8) }
  }

  // MARK: Provider

  @Test(arguments: [true, false]) func `tokens are revoked if their user logs out or is disabled while they are issued`(
    logsOut: Bool
  ) async throws {
    let world = try await World(seedsPair: false)
    var provider = world.provider
    let issuer = LeavingIssuer(world, logsOut: logsOut)
    provider.tokens = issuer
    for kind in [AcceptedGrant.Kind.authorizationCode, .refreshToken] {
      try await world.sessions.addUser(World.user)
      try await world.addSession(World.session)
      let grant = AcceptedGrant(kind, clientID: "app-a", sessionID: World.session, scopes: ["openid", "device_sso"])
      let refused = await #expect(throws: OAuthErrorResponse.self) { try await provider.tokens(for: grant) }
      #expect(refused?.code == .invalidGrant)
      let issued = try #require(issuer.issued)
      #expect(try await world.tokens.grant(accessToken: issued.accessToken) == nil)
      #expect(try await world.tokens.grant(refreshToken: issued.refreshToken ?? "") == nil)
      let records = try await world.store.records(userID: World.user)
      #expect(records.allSatisfy { $0.revocation != nil })
    }
  }

  @Test func `the grant of an exchange has the device secret's record and the time of the login`() async throws {
    let world = try await World()
    let response = await world.exchange()
    let grant = try #require(
      try await world.tokens.grant(accessToken: response["access_token"] ?? ""))
    #expect(
      grant.deviceSecretID == "record-1" && grant.authenticationTime == NumericDate(1_759_999_990))
  }

  @Test func `further claims stand in an ID token beside the provider's own`() async throws {
    let world = try await World(seedsPair: false)
    var grant = AcceptedGrant(
      .authorizationCode, clientID: "app-a", sessionID: World.session, scopes: ["openid", "device_sso"], nonce: "n")
    let plain = try claims(try await world.provider.tokens(for: grant).idToken)
    grant.additionalClaims = ["name": "Jane", "address": ["locality": "Ely"]]
    let more = try claims(try await world.provider.tokens(for: grant).idToken)
    #expect(more["name"] == "Jane" && more["address"] == ["locality": "Ely"])
    #expect(more.names.count == plain.names.count + 2 && plain.names.contains("ds_hash"))
    // These two differ from token to token.
    for name in plain.names where name != "at_hash" && name != "ds_hash" {
      #expect(more[name] == plain[name], "\(name)")
    }
  }

  @Test(
    arguments: [
      "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp", "sid", "at_hash",
      "c_hash", "s_hash", "ds_hash", "cnf", "events", "act", "may_act", "sub_jwk",
    ]) func `a claim that is the provider's own is refused, and nothing is stored`(name: String) async throws
  {
    let world = try await World(seedsPair: false)
    var grant = AcceptedGrant(
      .authorizationCode, clientID: "app-a", sessionID: World.session, scopes: ["openid", "device_sso"])
    grant.additionalClaims = ["name": "Jane", name: "somebody else's"]
    let refusal = await #expect(throws: OAuthErrorResponse.self) { _ = try await world.provider.tokens(for: grant) }
    #expect(refusal?.code == .serverError)
    #expect(try await world.provider.deviceSecrets(userID: World.user).isEmpty)
    grant.additionalClaims[name] = nil
    _ = try await world.provider.tokens(for: grant)
    #expect(try await world.provider.deviceSecrets(userID: World.user).count == 1)
  }

  @Test func `twelve users behind one address can all exchange tokens`() async throws {
    let world = try await World(seedsPair: false)
    for index in 0..<12 {
      let user = "user-\(index)"
      try await world.sessions.addUser(user)
      for client in World.clients {
        try await world.sessions.grant(client.allowedScopes, userID: user, clientID: client.id)
      }
      try await world.addSession("s-\(index)", user: user)
      let response = try await world.provider.tokens(
        for: AcceptedGrant(
          .authorizationCode, clientID: "app-a", sessionID: "s-\(index)", scopes: ["openid", "device_sso"]))
      let exchange = await world.exchange([
        ("subject_token", response.idToken), ("actor_token", response.deviceSecret?.reveal()),
      ])
      #expect(exchange.status == 200)
    }
  }

  @Test(arguments: [false, true]) func `a rotated secret that comes back is noticed`(revokes: Bool) async throws {
    let world = try await World(settings: ["enabled": true, "rotateOnExchange": true]) {
      $0.revokesReusedDeviceSecrets = revokes
    }
    let response = await world.exchange()
    world.clock.advance(61)
    #expect(await world.exchange([("client_id", "app-c")]).error == "invalid_grant")
    #expect(world.audit.all.count { $0.kind == .deviceSecretReused } == 1)
    let next = await world.exchange([
      ("actor_token", response["device_secret"]), ("subject_token", response["id_token"]),
    ])
    #expect((next.status == 200) == !revokes)
  }

  @Test func `an administrator can't change what the program fixes, and is told so`() async throws {
    let world = try await World()
    var provider = world.provider
    provider.settings = SettingsResolver(try NativeSSOSettings(enabled: true))
    let admin = NativeSSOAdminAPI(provider: provider)
    func put(_ body: String) async throws -> HTTPResponseValue {
      await admin.respond(
        to: HTTPRequestValue(
          method: "PUT", url: "/api/admin/settings/native-sso", body: Array(body.utf8)))
    }
    let refused = try await put(#"{"enabled":false}"#)
    #expect(refused.status == 400 && refused.error == "invalid_value" && refused["setting"] == "enabled")
    #expect(try await put(#"{"enabled":true}"#).status == 200)
  }

  // MARK: Stored forms

  @Test func `a device secret's record keeps the latest of its former ones`() async throws {
    var record = try await World().record()
    record.follow(["a", "b", "a", record.id, "c"])
    #expect(record.formerIDs == ["b", "a", "c"])
    record.follow(["b"])
    #expect(record.formerIDs == ["a", "c", "b"])
    record.follow((0..<100).map(String.init))
    #expect(record.formerIDs == (36..<100).map(String.init))
    #expect(try DeviceSecretRecord(parsing: record.serialized()).formerIDs == record.formerIDs)
  }

  @Test func `a device secret's record survives its journey through JSON`() async throws {
    let world = try await World(settings: ["enabled": true, "rotateOnExchange": true])
    _ = await world.exchange()
    var record = try await world.record()
    record.sessionIDs.append("s-2")
    record.revocation = (NumericDate(7), LogoutReason("words of an administrator"))
    let copy = try DeviceSecretRecord(parsing: record.serialized())
    #expect(copy.serialized() == record.serialized() && copy.useCount == 1 && copy.previous != nil)
    #expect(copy.fingerprint == record.fingerprint && copy.revocation?.reason == record.revocation?.reason)
    for text in ["", "{}", #"{"v":2}"#] {
      #expect(throws: JOSEError(.recordMalformed, "")) { try DeviceSecretRecord(parsing: text.utf8) }
    }
  }
}

/// A token issuer during whose work the user logs out or is disabled.
final class LeavingIssuer: TokenIssuer {
  private let world: World
  private let logsOut: Bool
  private let last = Mutex<TokenAnswer?>(nil)

  init(_ world: World, logsOut: Bool) {
    self.world = world
    self.logsOut = logsOut
  }

  var issued: TokenAnswer? { last.withLock { $0 } }

  func issue(_ grant: TokenGrant) async throws -> TokenAnswer {
    let sessionID = grant.granted.sessionID ?? ""
    let issued = try await world.tokens.issue(grant)
    last.withLock { $0 = issued }
    if logsOut {
      try await world.sessions.end(sessionID: sessionID)
      try await world.provider.endSession(sessionID)
    } else {
      try await world.sessions.disableUser(grant.granted.subject)
    }
    return issued
  }

  func revokeTokens(sessionID: String) async throws { try await world.tokens.revokeTokens(sessionID: sessionID) }
  func revokeTokens(deviceSecretID id: String) async throws { try await world.tokens.revokeTokens(deviceSecretID: id) }
  func revoke(_ token: String, clientID: String) async throws {
    try await world.tokens.revoke(token, clientID: clientID)
  }
}
