import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

@Suite("Provider: what is granted")
struct ProviderPositiveTests {
  private func login(
    _ world: World, scopes: [String] = ["openid", "profile", "device_sso"], client: String = "app-a",
    secret: String? = nil, session: String = World.session, kind: AcceptedGrant.Kind = .authorizationCode
  ) async throws -> TokenAnswer {
    try await world.provider.tokens(
      for: AcceptedGrant(
        kind, clientID: client, sessionID: session, scopes: scopes, nonce: "n-1", form: presenting(secret)))
  }

  @Test("P04 a login with device_sso gets a secret that the ID token binds; only its hash is stored")
  func p04() async throws {
    let world = try await World(seedsPair: false)
    let response = try await login(world)
    let secret = try #require(response.deviceSecret)
    let token = try claims(response.idToken)
    #expect(token["ds_hash"]?.stringValue == SignatureAlgorithm.es256.leftHalfHash(of: secret.reveal()))
    #expect(token["sid"]?.stringValue == World.session)
    #expect(token["nonce"] == "n-1")
    #expect(token["at_hash"]?.stringValue == SignatureAlgorithm.es256.leftHalfHash(of: response.accessToken))
    let record = try #require(
      try await world.store.record(fingerprint: secret.fingerprint, now: NumericDate(1_760_001_000)))
    #expect(record.fingerprint.hexadecimal == secret.fingerprint.hexadecimal)
    #expect(record.expiresAt == record.createdAt.advanced(by: 30 * 86_400))
  }

  @Test("P05 in the authrim profile the registration is enough")
  func p05() async throws {
    let world = try await World(seedsPair: false) { $0 = .authrim }
    #expect(try await login(world, scopes: ["openid"]).deviceSecret != nil)
    #expect(try await login(world, scopes: ["openid"], client: "app-off").deviceSecret == nil)
    let refreshed = try await login(world, scopes: ["openid", "device_sso"], kind: .refreshToken)
    #expect(refreshed.deviceSecret == nil && refreshed.idToken == nil)
  }

  @Test("P06 without the scope there is no secret, and the login is fine")
  func p06() async throws {
    let world = try await World(seedsPair: false)
    let response = try await login(world, scopes: ["openid"])
    #expect(response.deviceSecret == nil)
    #expect(try claims(response.idToken)["ds_hash"] == nil)
  }

  @Test(
    "P07 P08 the exchange gives App B its own tokens, with a fresh ID token and with an expired one",
    arguments: [1_760_001_000.0, 1_760_010_000])
  func p07p08(time: Double) async throws {
    let world = try await World(at: time)
    let response = await world.exchange()
    #expect(response.status == 200)
    #expect(response["issued_token_type"] == TokenTypeIdentifier.accessToken.text)
    #expect(response["token_type"] == "Bearer")
    #expect(response["refresh_token"] != nil && response["device_secret"] == nil)
    #expect(response.headers.values("Cache-Control") == ["no-store"])
    let grant = try await world.tokens.grant(
      accessToken: try #require(response["access_token"]))
    #expect(grant?.clientID == "app-b" && grant?.sessionID == World.session)
  }

  @Test("P09 the old spelling of the token type is accepted")
  func p09() async throws {
    let world = try await World()
    let old = TokenTypeIdentifier.legacyDeviceSecret.text
    #expect(await world.exchange([("actor_token_type", old)]).status == 200)
  }

  @Test("P10 P11 audience may be absent, or the issuer", arguments: [nil, World.issuer])
  func p10p11(audience: String?) async throws {
    let world = try await World()
    #expect(await world.exchange([("audience", audience)]).status == 200)
  }

  @Test("P12 without scope the client's defaults are granted")
  func p12() async throws {
    let world = try await World()
    #expect(await world.exchange()["scope"] == "openid profile")
    #expect(await world.exchange([("scope", "openid email")])["scope"] == "openid email")
  }

  @Test("P13 an app may exchange its own login although sharing is off")
  func p13() async throws {
    let world = try await World { $0.sharing = .pairwiseConsent }
    #expect(await world.exchange([("client_id", "app-a")]).status == 200)
  }

  @Test("P14 several apps exchange the same ID token")
  func p14() async throws {
    let world = try await World()
    #expect(await world.exchange().status == 200)
    #expect(await world.exchange([("client_id", "app-c")]).status == 200)
    #expect(try await world.record().useCount == 2)
  }

  @Test("An ID token of another machine, whose clock is ahead, may be exchanged")
  func otherMachine() async throws {
    let world = try await World()
    let token = try WorkedExample.idToken([("iat", 1_760_001_002)])
    #expect(await world.exchange([("subject_token", token)]).status == 200)
  }

  @Test("P15 the new ID token names the same user, session and login, for App B")
  func p15() async throws {
    let world = try await World(at: 1_760_010_000)
    let response = await world.exchange()
    let token = try claims(response["id_token"])
    #expect(token["aud"] == "app-b" && token["sub"] == "user-7f3a" && token["sid"] == "s-91c2")
    #expect(token["auth_time"]?.int64Value == 1_759_999_990 && token["acr"] == "urn:example:silver")
    #expect(token["iat"]?.int64Value == 1_760_010_000)
    #expect(token["ds_hash"] == "6oZqdX5MOLq_qBJ8vppAnQ")
    #expect(token["nonce"] == nil && token["act"] == nil)
    // So it can seed the next hop.
    let next = await world.exchange([("client_id", "app-c"), ("subject_token", response["id_token"])])
    #expect(next.status == 200)
  }

  @Test(
    "P16 rotation: a new secret and a token that binds it; the old one serves for 60 seconds more, without rotating again"
  )
  func p16() async throws {
    let world = try await World(settings: ["enabled": true, "rotateOnExchange": true])
    let response = await world.exchange()
    let secret = try #require(response["device_secret"])
    #expect(secret != WorkedExample.secret)
    #expect(
      try claims(response["id_token"])["ds_hash"]?.stringValue == SignatureAlgorithm.es256.leftHalfHash(of: secret))
    world.clock.advance(59)
    let late = await world.exchange([("client_id", "app-c")])
    #expect(late.status == 200 && late["device_secret"] == nil)
    world.clock.advance(1)
    #expect(await world.exchange([("client_id", "app-c")]).error == "invalid_grant")
    let next = await world.exchange([("actor_token", secret), ("subject_token", response["id_token"])])
    #expect(next.status == 200)
  }

  @Test("P19 a login that presents a secret of the same user keeps the device's record")
  func p19() async throws {
    let world = try await World()
    try await world.addSession("s-2")
    let response = try await login(world, secret: WorkedExample.secret, session: "s-2")
    #expect(response.deviceSecret?.reveal() == WorkedExample.secret)
    #expect(try await world.record().sessionIDs == [World.session, "s-2"])
    #expect(try await world.store.records(userID: World.user).count == 1)
    // Both sessions' ID tokens go with the secret now.
    #expect(await world.exchange([("subject_token", response.idToken)]).status == 200)
    #expect(await world.exchange().status == 200)
  }

  @Test(
    "P20 a secret that is garbage, another user's, revoked or expired is as if it were absent",
    arguments: ["garbage", "other", "revoked", "expired", "", "é"])
  func p20(kind: String) async throws {
    let world = try await World()
    var secret = kind
    switch kind {
    case "other":
      try await world.seed(WorkedExample.secondSecret, id: "other", user: "user-other")
      secret = WorkedExample.secondSecret
    case "revoked":
      _ = try await world.store.revoke(id: "record-1", reason: .administrator, now: NumericDate(1_760_000_000))
      secret = WorkedExample.secret
    case "expired":
      try await world.seed(WorkedExample.secondSecret, id: "old", lifetime: 5)
      secret = WorkedExample.secondSecret
    default: break
    }
    let response = try await login(world, secret: secret)
    let fresh = try #require(response.deviceSecret)
    #expect(fresh.reveal() != secret)
    #expect(
      try claims(response.idToken)["ds_hash"]?.stringValue == SignatureAlgorithm.es256.leftHalfHash(of: fresh.reveal()))
  }

  @Test("P21 refreshing with device_sso gives secret and ID token together, without it neither")
  func p21() async throws {
    let world = try await World(seedsPair: false)
    let response = try await login(world, kind: .refreshToken)
    #expect(response.deviceSecret != nil && response.idToken != nil)
    let again = try await login(world, secret: response.deviceSecret?.reveal(), kind: .refreshToken)
    #expect(again.deviceSecret?.reveal() == response.deviceSecret?.reveal() && again.idToken != nil)
    let without = try await login(world, scopes: ["openid"], kind: .refreshToken)
    #expect(without.deviceSecret == nil && without.idToken == nil)
  }

  @Test("P22 the eleventh login revokes the oldest secret")
  func p22() async throws {
    let world = try await World(seedsPair: false)
    var secrets: [DeviceSecret] = []
    for _ in 0..<11 {
      world.clock.advance(1)
      secrets.append(try #require(try await login(world).deviceSecret))
    }
    let now = NumericDate(Int(world.clock.now))
    let records = try await world.store.records(userID: World.user)
    #expect(records.count { $0.state(at: now) == .active } == 10)
    let oldest = try #require(try await world.store.record(fingerprint: secrets[0].fingerprint, now: now))
    #expect(oldest.revocation?.reason == .tooManyDeviceSecrets)
    #expect(try await world.store.record(fingerprint: secrets[1].fingerprint, now: now)?.revocation == nil)
  }

  @Test("P23 with reject, the eleventh login gets no secret and no ds_hash")
  func p23() async throws {
    let world = try await World(settings: ["enabled": true, "maxSecretsBehavior": "reject"], seedsPair: false)
    for _ in 0..<10 { #expect(try await login(world).deviceSecret != nil) }
    let response = try await login(world)
    #expect(response.deviceSecret == nil)
    #expect(try claims(response.idToken)["ds_hash"] == nil)
    #expect(world.audit.all.last?.kind == .deviceSecretWithheld)
    // An expired one makes room.
    world.clock.advance(31 * 86_400)
    #expect(try await login(world).deviceSecret != nil)
  }

  @Test("P27 a logout revokes the session's secrets and every app's refresh token")
  func p27() async throws {
    let world = try await World()
    let response = await world.exchange()
    let refreshToken = try #require(response["refresh_token"])
    #expect(try await world.tokens.grant(refreshToken: refreshToken) != nil)
    try await world.sessions.end(sessionID: World.session)
    try await world.provider.endSession(World.session)
    #expect(try await world.tokens.grant(refreshToken: refreshToken) == nil)
    #expect(try await world.record().revocation?.reason == .sessionEnded)
    #expect(await world.exchange().error == "invalid_grant")
  }

  @Test("P30 with pairwise subjects App B gets its own sub")
  func p30() async throws {
    let world = try await World(pairwise: true, seedsPair: false)
    let login = try await login(world)
    let response = await world.exchange([
      ("subject_token", login.idToken), ("actor_token", login.deviceSecret?.reveal()),
    ])
    #expect(response.status == 200)
    let (mine, theirs) = (try claims(response["id_token"])["sub"], try claims(login.idToken)["sub"])
    #expect(mine != theirs && mine != nil)
  }

  @Test("Sharing by consent needs the setting and both clients; by list, one list with both")
  func sharing() async throws {
    let token = try WorkedExample.idToken([("aud", "app-consenting")])
    let changes: [(String, String?)] = [("client_id", "app-consenting-2"), ("subject_token", token)]
    for allowed in [true, false] {
      let settings: JSONObject = ["enabled": true, "allowCrossClientNativeSSO": .bool(allowed)]
      let world = try await World(settings: settings) { $0.sharing = .pairwiseConsent }
      #expect(await world.exchange(changes).error == (allowed ? nil : "access_denied"))
      #expect(await world.exchange([("client_id", "app-consenting")]).error == "access_denied")
    }
    let listed = try await World { $0.sharing = .lists([["app-a", "app-x"], ["app-b", "app-c"]]) }
    #expect(await listed.exchange([("client_id", "app-x")]).status == 200)
    #expect(await listed.exchange().error == "access_denied")
  }

  @Test("Client authentication: basic, post and custom, each as registered")
  func authentication() async throws {
    let world = try await World()
    var request = World.exchangeRequest([("client_id", nil)])
    let credentials = Base64.encode(Array("app-basic:s3cr%3Aet+%2B".utf8))
    try request.headers.set("Authorization", "Basic " + credentials)
    #expect(await world.provider.tokenExchange(request, sourceAddress: "a").status == 200)
    #expect(await world.exchange([("client_id", "app-post"), ("client_secret", "s3cret")]).status == 200)
    request = World.exchangeRequest([("client_id", "app-custom")])
    #expect(await world.provider.tokenExchange(request, sourceAddress: "a").error == "invalid_client")
    try request.headers.set("X-Attested", "yes")
    #expect(await world.provider.tokenExchange(request, sourceAddress: "a").status == 200)
  }

  @Test("A retired key verifies what it signed")
  func retiredKey() async throws {
    let old = JWK.generate(.es256, keyID: "old")
    let world = try await World(retired: [try #require(old.publicKey)])
    let token = try WorkedExample.idToken([], key: SigningKey(old))
    #expect(await world.exchange([("subject_token", token)]).status == 200)
  }

  @Test("device_sso in an exchange gives the secret back, with the ID token that binds it; a keyed ds_hash serves too")
  func deviceSSOScope() async throws {
    let world = try await World()
    let response = await world.exchange([("scope", "openid device_sso")])
    #expect(response["device_secret"] == WorkedExample.secret && response["id_token"] != nil)
    let keyed = try await World(seedsPair: false) { $0.dsHash = .keyed(.random(count: 32)) }
    let login = try await login(keyed)
    let secret = try #require(login.deviceSecret)
    #expect(
      try claims(login.idToken)["ds_hash"]?.stringValue != SignatureAlgorithm.es256.leftHalfHash(of: secret.reveal()))
    let pair: [(String, String?)] = [("subject_token", login.idToken), ("actor_token", secret.reveal())]
    #expect(await keyed.exchange(pair).status == 200)
  }

  @Test("Discovery announces the feature while it is on")
  func discovery() async throws {
    let world = try await World { $0.emitsSDKDiscoveryFlags = true }
    let on = try await world.provider.metadata()
    for name in [
      "native_sso_supported", "native_sso_token_exchange_supported", "native_sso_device_secret_supported",
    ] { #expect(on[name]?.boolValue == true) }
    #expect(on["claims_supported"]?.arrayValue?.contains("ds_hash") == true)
    #expect(on["scopes_supported"]?.arrayValue?.contains("device_sso") == true)
    #expect(on["grant_types_supported"]?.arrayValue?.contains(.string(GrantType.tokenExchange)) == true)
    let off = try await World(settings: [:]).provider.metadata()
    #expect(off["native_sso_supported"] == false)
    #expect(off["scopes_supported"]?.arrayValue?.contains("device_sso") == false)
  }

  @Test("Revocation by RFC 7009: a device secret, a refresh token, and what nobody knows")
  func revocation() async throws {
    let world = try await World()
    let refreshToken = try #require(await world.exchange()["refresh_token"])
    func revoke(_ token: String, client: String = "app-b") async -> Int {
      let form: FormFields = ["token": token, "client_id": client]
      return await world.provider.revocation(HTTPRequestValue.post(form, to: "/revoke")).status
    }
    #expect(await revoke(refreshToken, client: "app-c") == 400)
    #expect(try await world.tokens.grant(refreshToken: refreshToken) != nil)
    #expect(await revoke(refreshToken) == 200)
    #expect(try await world.tokens.grant(refreshToken: refreshToken) == nil)
    #expect(await revoke("nobody-knows-this") == 200)
    #expect(await revoke(WorkedExample.secret) == 200)
    #expect(try await world.record().revocation?.reason == .revokedByClient)
    #expect(await revoke(WorkedExample.secret, client: "unknown") == 401)
  }
}
