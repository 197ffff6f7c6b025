import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

/// One refused exchange: what is changed in App B's request, and the error that must come.
struct RefusedExchange: Sendable, CustomTestStringConvertible {
  let name: String
  let changes: [(String, String?)]
  let error: String
  /// The check that the audit log names, where the error alone does not say enough.
  var check: String?

  init(_ name: String, _ changes: [(String, String?)], _ error: String, check: String? = nil) {
    self.name = name
    self.changes = changes
    self.error = error
    self.check = check
  }

  var testDescription: String { name }
}

@Suite("Provider: what is refused")
struct ProviderNegativeTests {
  static let malformed = [
    RefusedExchange("N01 no subject_token", [("subject_token", nil)], "invalid_request"),
    RefusedExchange("N01 empty subject_token", [("subject_token", "")], "invalid_request"),
    RefusedExchange(
      "N01 no actor_token, nor type", [("actor_token", nil), ("actor_token_type", nil)], "invalid_request"),
    RefusedExchange("N01 no subject_token_type", [("subject_token_type", nil)], "invalid_request"),
    RefusedExchange("N02 actor_token without type", [("actor_token_type", nil)], "invalid_request"),
    RefusedExchange("N02 actor_token_type without token", [("actor_token", nil)], "invalid_request"),
    RefusedExchange("N02 empty actor_token", [("actor_token", "")], "invalid_request"),
    RefusedExchange("N04 unknown actor_token_type", [("actor_token_type", "urn:example:x")], "invalid_request"),
    RefusedExchange(
      "N04 actor_token_type in another case",
      [("actor_token_type", "URN:openid:params:token-type:device-secret")], "invalid_request"),
    RefusedExchange(
      "N05 hyphenated subject type",
      [("subject_token_type", "urn:ietf:params:oauth:token-type:id-token")], "invalid_request"),
    RefusedExchange(
      "an access token as subject",
      [("subject_token_type", "urn:ietf:params:oauth:token-type:access_token")], "invalid_request"),
    RefusedExchange("no grant_type", [("grant_type", nil)], "invalid_request"),
    RefusedExchange("another grant_type", [("grant_type", "password")], "unsupported_grant_type"),
    RefusedExchange(
      "an oversized actor_token", [("actor_token", String(repeating: "a", count: 4097))], "invalid_request"),
    RefusedExchange("an actor_token with a line break", [("actor_token", "a\nb")], "invalid_request"),
    RefusedExchange("N25 another audience", [("audience", "https://other.example")], "invalid_target"),
    RefusedExchange("N25 the issuer with a slash", [("audience", World.issuer + "/")], "invalid_target"),
    RefusedExchange("a resource with a fragment", [("resource", "https://api.example.com/#x")], "invalid_target"),
    RefusedExchange("a resource that is no URI", [("resource", "api")], "invalid_target"),
    RefusedExchange(
      "another requested token type",
      [("requested_token_type", "urn:ietf:params:oauth:token-type:saml2")], "invalid_request"),
    RefusedExchange("N23 scope without openid", [("scope", "profile")], "invalid_scope"),
    RefusedExchange("a scope that the client may not have", [("scope", "openid admin")], "invalid_scope"),
    RefusedExchange("a scope with an illegal character", [("scope", "openid pro\"file")], "invalid_scope"),
    RefusedExchange("a scope that looks like openid", [("scope", "openid\u{301}")], "invalid_scope"),
    RefusedExchange(
      "N24 a scope that needs consent", [("client_id", "app-unasked"), ("scope", "openid email")],
      "interaction_required"),
    RefusedExchange("N19 a client outside the group", [("client_id", "app-x")], "access_denied"),
    RefusedExchange("N19 a client without a group", [("client_id", "app-nogroup")], "access_denied"),
    RefusedExchange("N19 a client with an empty group", [("client_id", "app-empty")], "access_denied"),
    RefusedExchange("N20 a client without Native SSO", [("client_id", "app-off")], "unauthorized_client"),
    RefusedExchange("N22 a confidential client without authentication", [("client_id", "app-post")], "invalid_client"),
    RefusedExchange(
      "N22 a wrong client secret", [("client_id", "app-post"), ("client_secret", "wrong")], "invalid_client"),
    RefusedExchange(
      "N22 a client secret by another way", [("client_id", "app-basic"), ("client_secret", "s3cr:et +")],
      "invalid_client"),
    RefusedExchange("a public client with a secret", [("client_secret", "x")], "invalid_client"),
    RefusedExchange("a public client that is no app", [("client_id", "web-public")], "invalid_client"),
    RefusedExchange("an unknown client", [("client_id", "app-z")], "invalid_client"),
    RefusedExchange("no client", [("client_id", nil)], "invalid_client"),
  ]

  @Test("N01 N02 N04 N05 N19 N20 N22 N23 N24 N25 and their like", arguments: malformed)
  func refused(_ refused: RefusedExchange) async throws {
    let world = try await World()
    let response = await world.exchange(refused.changes)
    #expect(response.error == refused.error)
    #expect(response.status == (refused.error == "invalid_client" ? 401 : 400))
    #expect(try await world.record().useCount == 0)
    expectNoSecret(response)
  }

  /// ID tokens that are somebody's, but not good enough. Each would pass if its one flaw went unnoticed.
  static let badTokens: [RefusedExchange] = {
    func make(_ changes: [(String, JSONValue?)], type: String? = "JWT") -> String {
      (try? WorkedExample.idToken(changes, type: type)) ?? ""
    }
    func forged(header: JSONObject) -> String {
      let parts = WorkedExample.idToken.split(separator: ".")
      return Base64URL.encode(header.serialized()) + "." + parts[1] + "." + parts[2]
    }
    let parts = WorkedExample.idToken.split(separator: ".").map(String.init)
    let stranger = JWK.generate(.es256, keyID: "nsso-test-1")
    let unnamed = JWK.generate(.es256)
    return [
      RefusedExchange(
        "N06 a secret with one character changed", [("actor_token", "B" + WorkedExample.secret.dropFirst())],
        "invalid_grant",
        check: "ds_hash"),
      RefusedExchange(
        "N06 a secret cut short", [("actor_token", String(WorkedExample.secret.dropLast()))], "invalid_grant"),
      RefusedExchange(
        "N07 another device's secret", [("actor_token", WorkedExample.secondSecret)], "invalid_grant", check: "ds_hash"),
      RefusedExchange(
        "N08 no ds_hash", [("subject_token", make([("ds_hash", nil)]))], "invalid_grant", check: "ds_hash"),
      RefusedExchange("N08 ds_hash null", [("subject_token", make([("ds_hash", .null)]))], "invalid_grant"),
      RefusedExchange("N08 ds_hash empty", [("subject_token", make([("ds_hash", "")]))], "invalid_grant"),
      RefusedExchange(
        "N08 ds_hash of the whole hash",
        [("subject_token", make([("ds_hash", "6oZqdX5MOLq_qBJ8vppAnT4fk6AP8UiP9zX8-Rev_9A")]))], "invalid_grant"),
      RefusedExchange("N09 no sid", [("subject_token", make([("sid", nil)]))], "invalid_grant", check: "session"),
      RefusedExchange("N09 an empty sid", [("subject_token", make([("sid", "")]))], "invalid_grant", check: "session"),
      RefusedExchange(
        "N09 a session that the secret has nothing to do with", [("subject_token", make([("sid", "s-foreign")]))],
        "invalid_grant", check: "session"),
      RefusedExchange(
        "N14 signature flipped", [("subject_token", parts[0] + "." + parts[1] + ".B" + parts[2].dropFirst())],
        "invalid_grant", check: "id_token"),
      RefusedExchange(
        "N14 alg none", [("subject_token", forged(header: ["alg": "none", "kid": "nsso-test-1"]))], "invalid_grant"),
      RefusedExchange(
        "N14 alg none without signature",
        [("subject_token", Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + parts[1] + ".")], "invalid_grant"),
      RefusedExchange(
        "N14 HS256 with the public key", [("subject_token", hmacForgery)], "invalid_grant", check: "id_token"),
      RefusedExchange(
        "N14 RS256", [("subject_token", forged(header: ["alg": "RS256", "kid": "nsso-test-1"]))], "invalid_grant"),
      RefusedExchange(
        "N14 unknown kid", [("subject_token", forged(header: ["alg": "ES256", "kid": "other"]))], "invalid_grant"),
      RefusedExchange(
        "N14 missing kid",
        [("subject_token", (try? WorkedExample.idToken([], key: signer(kid: nil))) ?? "")], "invalid_grant",
        check: "id_token_header"),
      RefusedExchange(
        "N14 our kid, another's key",
        [("subject_token", (try? WorkedExample.idToken([], key: SigningKey(stranger))) ?? "")],
        "invalid_grant", check: "id_token"),
      RefusedExchange(
        "N14 another's key without name",
        [("subject_token", (try? WorkedExample.idToken([], key: SigningKey(unnamed))) ?? "")], "invalid_grant"),
      RefusedExchange(
        "N15 another issuer", [("subject_token", make([("iss", "https://evil.example")]))], "invalid_grant",
        check: "iss"),
      RefusedExchange(
        "N15 the issuer with a slash", [("subject_token", make([("iss", "https://op.example.com/")]))], "invalid_grant"),
      RefusedExchange("no issuer", [("subject_token", make([("iss", nil)]))], "invalid_grant"),
      RefusedExchange(
        "N16 another user's ID token", [("subject_token", make([("sub", "user-other")]))], "invalid_grant", check: "sub"
      ),
      RefusedExchange("no subject", [("subject_token", make([("sub", nil)]))], "invalid_grant"),
      RefusedExchange("an empty subject", [("subject_token", make([("sub", "")]))], "invalid_grant"),
      RefusedExchange("no audience", [("subject_token", make([("aud", nil)]))], "invalid_grant"),
      RefusedExchange("an empty audience", [("subject_token", make([("aud", [])]))], "invalid_grant"),
      RefusedExchange(
        "an audience that nobody knows", [("subject_token", make([("aud", "app-z")]))], "access_denied",
        check: "sharing"),
      RefusedExchange(
        "an unknown audience beside a known one",
        [("subject_token", make([("aud", ["app-a", "app-z"]), ("azp", "app-a")]))], "access_denied", check: "sharing"),
      RefusedExchange(
        "two audiences without azp", [("subject_token", make([("aud", ["app-a", "app-b"])]))], "invalid_grant",
        check: "id_token"),
      RefusedExchange(
        "two audiences with azp null", [("subject_token", make([("aud", ["app-a", "app-b"]), ("azp", .null)]))],
        "invalid_grant", check: "id_token"),
      RefusedExchange(
        "a logout token", [("subject_token", make([("events", [:])]))], "invalid_grant", check: "id_token"),
      RefusedExchange(
        "not valid yet", [("subject_token", make([("nbf", 1_760_001_061)]))], "invalid_grant", check: "id_token"),
      RefusedExchange(
        "issued in the future", [("subject_token", make([("iat", 1_760_001_061)]))], "invalid_grant", check: "iat"),
      RefusedExchange("no iat", [("subject_token", make([("iat", nil)]))], "invalid_grant"),
      RefusedExchange("iat as text", [("subject_token", make([("iat", "1760000000")]))], "invalid_grant"),
      RefusedExchange("no exp", [("subject_token", make([("exp", nil)]))], "invalid_grant"),
      RefusedExchange(
        "an access token's type", [("subject_token", make([], type: "at+jwt"))], "invalid_grant",
        check: "id_token_header"),
      RefusedExchange("a logout token's type", [("subject_token", make([], type: "logout+jwt"))], "invalid_grant"),
      RefusedExchange("no token at all", [("subject_token", "x")], "invalid_grant"),
      RefusedExchange("two segments", [("subject_token", parts[0] + "." + parts[1])], "invalid_grant"),
      RefusedExchange("five segments", [("subject_token", "e30." + WorkedExample.idToken + ".e30")], "invalid_grant"),
      RefusedExchange(
        "a token of more than 16 KiB",
        [("subject_token", WorkedExample.idToken + String(repeating: "A", count: 16 << 10))],
        "invalid_grant", check: "id_token_size"),
    ]
  }()

  /// The public key's octets as an HMAC secret: what a verifier that trusts `alg` would fall for.
  static var hmacForgery: String {
    guard let key = try? WorkedExample.key, let octets = key.publicKey?.x963Representation,
      let signer = try? SigningKey(secret: octets, algorithm: .hs256, keyID: "nsso-test-1")
    else { return "" }
    return (try? WorkedExample.idToken([], key: signer)) ?? ""
  }

  static func signer(kid: String?) throws -> SigningKey {
    var key = try WorkedExample.key
    key.keyID = kid
    return try SigningKey(key)
  }

  @Test("N06 N07 N08 N09 N14 N15 N16 and their like", arguments: badTokens)
  func refusedToken(_ refused: RefusedExchange) async throws {
    let world = try await World()
    try await world.seed(WorkedExample.secondSecret, id: "record-2")
    try await world.addSession("s-foreign")
    #expect(refused.changes.allSatisfy { $0.1?.isEmpty == false })
    let response = await world.exchange(refused.changes)
    #expect(response.error == refused.error)
    if let check = refused.check { #expect(world.lastCheck == check) }
    #expect(try await world.record().useCount == 0)
    #expect(try await world.record("record-2").useCount == 0)
    expectNoSecret(response)
    // The client does not learn which check failed.
    if refused.error == "invalid_grant" {
      #expect(response["error_description"] == "The device credential is not valid")
      #expect(response["error_uri"] == "https://op.example.com/docs/errors#device_secret")
    }
  }

  @Test("A client that needs another kind of login, at each grant", arguments: ["gold", "silver"])
  func contexts(kind: String) async throws {
    let needed = ["urn:example:\(kind)"]
    let world = try await World()
    var provider = world.provider
    let clients = World.clients.map { client in
      var client = client
      client.requiredContexts = needed
      return client
    }
    provider.clients = StaticClientDirectory(clients)
    let serves = kind == "silver"
    let response = await provider.tokenExchange(World.exchangeRequest(), sourceAddress: "192.0.2.1")
    #expect(response.error == (serves ? nil : "interaction_required"))
    #expect(world.lastCheck == (serves ? nil : "authentication_context"))
    #expect(try await world.record().useCount == (serves ? 1 : 0))
    for (kind, context, serves) in [
      (AcceptedGrant.Kind.authorizationCode, nil, serves), (.refreshToken, nil, false),
      // The login that the token came of counts, and not the last one of the session.
      (.refreshToken, needed[0], true), (.refreshToken, "urn:example:bronze", false),
    ] {
      var grant = AcceptedGrant(kind, clientID: "app-a", sessionID: World.session, scopes: ["openid"])
      grant.authenticationContext = context
      do throws(OAuthErrorResponse) {
        _ = try await provider.tokens(for: grant)
        #expect(serves)
      } catch {
        #expect(!serves && error.code == .invalidGrant)
      }
    }
  }

  @Test("N03 a parameter that occurs twice", arguments: World.exchangeFields.map(\.0) + ["scope", "unknown"])
  func n03(name: String) async throws {
    let world = try await World()
    var fields = FormFields(World.exchangeFields)
    let value = fields.values(name).first ?? "openid"
    while fields.values(name).count < 2 { fields.append(name, value) }
    let response = await world.provider.tokenExchange(HTTPRequestValue.post(fields, to: "/token"), sourceAddress: "a")
    #expect(response.error == "invalid_request")
  }

  @Test("A request that is no form", arguments: ["GET", "type", "escape", "size", "utf8", "empty"])
  func n03Forms(kind: String) async throws {
    let world = try await World()
    var request = World.exchangeRequest()
    switch kind {
    case "GET": request.method = "GET"
    case "type": try request.headers.set("Content-Type", "application/json")
    case "escape": request.body += Array("&audience=%zz".utf8)
    case "size": request.body += Array(("&x=" + String(repeating: "a", count: 64 << 10)).utf8)
    case "utf8": request.body += Array("&scope=%FF".utf8)
    default: request.body = []
    }
    let response = await world.provider.tokenExchange(request, sourceAddress: "a")
    #expect(response.status == (kind == "empty" ? 401 : 400))
    #expect(response.error == (kind == "empty" ? "invalid_client" : "invalid_request"))
  }

  @Test(
    "N10 a session that was logged out, has ended, or whose user is disabled",
    arguments: ["logout", "ended", "disabled"])
  func n10(kind: String) async throws {
    let world = try await World()
    switch kind {
    case "logout": try await world.provider.endSession(World.session)
    case "ended": try await world.sessions.end(sessionID: World.session)
    default: try await world.sessions.disableUser(World.user)
    }
    #expect(await world.exchange().error == "invalid_grant")
  }

  @Test("N11 a secret serves until the instant of its expiry", arguments: [(-1.0, true), (0, false), (1, false)])
  func n11(offset: Double, serves: Bool) async throws {
    let world = try await World(at: 1_760_000_000 + 86_400 + offset, settings: ["enabled": true], seedsPair: false)
    try await world.seed(WorkedExample.secret, lifetime: 86_400)
    #expect(await world.exchange().error == (serves ? nil : "invalid_grant"))
  }

  @Test("N12 a revoked secret")
  func n12() async throws {
    let world = try await World()
    _ = try await world.store.revoke(id: "record-1", reason: .administrator, now: NumericDate(1_760_000_500))
    #expect(await world.exchange().error == "invalid_grant")
    #expect(world.lastCheck == "device_secret")
  }

  @Test("N13 the third use of a secret that serves twice is refused, and revokes it")
  func n13() async throws {
    let world = try await World(settings: ["enabled": true, "maxUseCountPerSecret": 2])
    #expect(await world.exchange().status == 200)
    #expect(await world.exchange().status == 200)
    #expect(await world.exchange().error == "invalid_grant")
    #expect(try await world.record().revocation?.reason == .useCountExceeded)
  }

  @Test("N15 another issuer's token, signed with that issuer's key under our key's name")
  func n15() async throws {
    let world = try await World()
    let key = try SigningKey(JWK.generate(.es256, keyID: "nsso-test-1"))
    let token = try WorkedExample.idToken([("iss", "https://evil.example")], key: key)
    #expect(await world.exchange([("subject_token", token)]).error == "invalid_grant")
  }

  @Test("N16 a secret of another user, even if the token binds it")
  func n16() async throws {
    let world = try await World()
    try await world.seed(WorkedExample.secondSecret, id: "other", user: "user-other", session: "s-other")
    try await world.addSession("s-other", user: "user-other")
    let hash: JSONValue = .string(SignatureAlgorithm.es256.leftHalfHash(of: WorkedExample.secondSecret))
    for sid in [World.session, "s-other"] {
      let token = try WorkedExample.idToken([("ds_hash", hash), ("sid", .string(sid))])
      let response = await world.exchange([("actor_token", WorkedExample.secondSecret), ("subject_token", token)])
      #expect(response.error == "invalid_grant")
    }
  }

  @Test("N16 a session that belongs to another user")
  func n16Session() async throws {
    let world = try await World()
    try await world.addSession(World.session, user: "user-other")
    #expect(await world.exchange().error == "invalid_grant")
  }

  @Test(
    "N17 an expired ID token where the operator refuses them",
    arguments: [(1_760_003_659.0, true), (1_760_003_660, false)])
  func n17(time: Double, serves: Bool) async throws {
    let world = try await World(at: time, settings: ["enabled": true, "refuseExpiredIDToken": true])
    let response = await world.exchange()
    #expect(response.error == (serves ? nil : "invalid_token"))
    if !serves { #expect(response["error_uri"] == "https://op.example.com/docs/errors#id_token") }
  }

  @Test("N18 an ID token is accepted for as long as a secret lives", arguments: [(-1.0, true), (0, false)])
  func n18(offset: Double, serves: Bool) async throws {
    let world = try await World(
      at: 1_760_000_000 + 7 * 86_400 + offset, settings: ["enabled": true, "deviceSecretTTLDays": 7])
    #expect(await world.exchange().error == (serves ? nil : "invalid_grant"))
    if !serves { #expect(world.lastCheck == "iat_age") }
  }

  @Test("N21 with the feature off, nothing is exchanged and nobody gets a secret")
  func n21() async throws {
    let world = try await World(settings: [:])
    #expect(await world.exchange().error == "unsupported_grant_type")
    let grant = AcceptedGrant(
      .authorizationCode, clientID: "app-a", sessionID: World.session, scopes: ["openid", "device_sso"])
    #expect(try await world.provider.tokens(for: grant).deviceSecret == nil)
  }

  @Test(
    "N22 the challenge that goes with a refused Authorization field",
    arguments: ["Basic %%%", "Basic YTpi", "Bearer x", "Basic"])
  func n22(field: String) async throws {
    let world = try await World()
    var request = World.exchangeRequest([("client_id", "app-basic")])
    try request.headers.set("Authorization", field)
    let response = await world.provider.tokenExchange(request, sourceAddress: "a")
    #expect(response.status == 401 && response.error == "invalid_client")
    #expect(response.headers.values("WWW-Authenticate").first?.hasPrefix("Basic ") == true)
  }

  @Test("N26 audience is required where the operator says so; the switches for spellings work both ways")
  func n26() async throws {
    let strict = try await World(settings: ["enabled": true, "requireAudience": true])
    #expect(await strict.exchange().error == "invalid_request")
    #expect(await strict.exchange([("audience", World.issuer)]).status == 200)
    let modern = try await World(settings: ["enabled": true, "acceptLegacyTokenType": false])
    let old = TokenTypeIdentifier.legacyDeviceSecret.text
    #expect(await modern.exchange([("actor_token_type", old)]).error == "invalid_request")
    let lenient = try await World { $0.acceptsMisspelledIDTokenType = true }
    let hyphenated = TokenTypeIdentifier.misspelledIDToken.text
    #expect(await lenient.exchange([("subject_token_type", hyphenated)]).status == 200)
  }

  @Test("N27 the eleventh request in a minute blocks for fifteen minutes from that instant")
  func n27() async throws {
    let world = try await World()
    for _ in 0..<10 {
      #expect(await world.exchange().status == 200)
      world.clock.advance(5)
    }
    let blocked = await world.exchange()
    #expect(blocked.status == 429 && blocked.error == "slow_down")
    #expect(blocked.headers.values("Retry-After") == ["900"])
    world.clock.advance(14 * 60 + 59)
    let still = await world.exchange()
    #expect(still.status == 429 && still.headers.values("Retry-After") == ["1"])
    world.clock.advance(1)
    #expect(await world.exchange().status == 200)
  }

  @Test("N27 the limit holds for one client and user over many sources, and for one secret over many clients")
  func n27Keys() async throws {
    let world = try await World()
    for index in 0..<10 { #expect(await world.exchange(source: "192.0.2.\(index)").status == 200) }
    #expect(await world.exchange(source: "192.0.2.100").status == 429)
    #expect(await world.exchange([("client_id", "app-c")], source: "192.0.2.101").status == 429)
    let other = try await World()
    for index in 0..<10 {
      #expect(await other.exchange([("actor_token", "guess-\(index)")]).error == "invalid_grant")
    }
    #expect(await other.exchange([("actor_token", "guess-11")]).status == 429)
    #expect(await other.exchange(source: "198.51.100.1").status == 200)
  }

  @Test("N27 the limit holds for one client and user over several devices and sources")
  func n27User() async throws {
    let world = try await World()
    try await world.seed(WorkedExample.secondSecret, id: "record-2")
    let hash: JSONValue = .string(SignatureAlgorithm.es256.leftHalfHash(of: WorkedExample.secondSecret))
    let other: [(String, String?)] = [
      ("actor_token", WorkedExample.secondSecret), ("subject_token", try WorkedExample.idToken([("ds_hash", hash)])),
    ]
    for index in 0..<10 {
      let changes = index.isMultiple(of: 2) ? other : []
      #expect(await world.exchange(changes, source: "192.0.2.\(index)").status == 200)
    }
    #expect(await world.exchange(other, source: "192.0.2.99").status == 429)
    // Another client of the same user is not blocked, as long as the secret itself is not.
    #expect(await world.exchange([("client_id", "app-c")], source: "192.0.2.98").status == 200)
  }

  @Test("N28 an ID token with ds_hash and no actor is refused")
  func n28() async throws {
    let world = try await World()
    let response = await world.exchange([("actor_token", nil), ("actor_token_type", nil)])
    #expect(response.error == "invalid_request")
  }

  @Test("N38 two exchanges at once, one use left: exactly one succeeds")
  func n38() async throws {
    let world = try await World(settings: ["enabled": true, "maxUseCountPerSecret": 1])
    let statuses = await withTaskGroup(of: Int.self) { group in
      for client in ["app-b", "app-c"] { group.addTask { await world.exchange([("client_id", client)]).status } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [200, 400])
    #expect(try await world.record().useCount == 1)
  }

  @Test("N38 the exchange that got the last use keeps it, though another comes before its tokens are made")
  func n38InOrder() async throws {
    let world = try await World(settings: ["enabled": true, "maxUseCountPerSecret": 1])
    var provider = world.provider
    provider.tokens = Overtaken(tokens: world.tokens, store: world.store, now: NumericDate(1_760_001_000))
    let response = await provider.tokenExchange(World.exchangeRequest(), sourceAddress: "192.0.2.1")
    #expect(response.status == 200)
    let issued = try #require(response["access_token"])
    #expect(try await world.tokens.grant(accessToken: issued) != nil)
    #expect(try await world.record().revocation?.reason == .useCountExceeded)
  }

  /// Issues tokens, but not before another exchange has found the secret used up.
  private struct Overtaken: TokenIssuer {
    let tokens: IssuedTokens
    let store: DeviceSecretRecords
    let now: NumericDate

    func issue(_ grant: TokenGrant) async throws -> TokenAnswer {
      guard case .exhausted = try await store.consume(id: "record-1", useLimit: 1, now: now) else {
        throw OAuthErrorResponse(.serverError, "the secret was not used up")
      }
      return try await tokens.issue(grant)
    }

    func revokeTokens(sessionID: String) async throws { try await tokens.revokeTokens(sessionID: sessionID) }

    func revokeTokens(deviceSecretID id: String) async throws { try await tokens.revokeTokens(deviceSecretID: id) }

    func revoke(_ token: String, clientID: String) async throws { try await tokens.revoke(token, clientID: clientID) }
  }

  @Test("To the letter of RFC 8693 bad tokens are invalid_request, and a bad session still invalid_grant")
  func strictRFC8693() async throws {
    let world = try await World { $0.followsRFC8693Strictly = true }
    #expect(await world.exchange([("subject_token", "x")]).error == "invalid_request")
    #expect(await world.exchange([("actor_token", WorkedExample.secondSecret)]).error == "invalid_request")
    try await world.sessions.end(sessionID: World.session)
    #expect(await world.exchange().error == "invalid_grant")
  }

  @Test("N39 neither an answer nor the audit log holds a secret or a token")
  func n39() async throws {
    let world = try await World()
    for refused in Self.malformed + Self.badTokens {
      let response = await world.exchange(refused.changes, source: refused.name)
      expectNoSecret(response)
    }
    _ = await world.exchange()
    let log = world.audit.all.map { String(reflecting: $0) }.joined()
    for secret in [
      WorkedExample.secret, WorkedExample.idToken, try DeviceSecret(WorkedExample.secret).fingerprint.hexadecimal,
    ] {
      #expect(!log.contains(secret))
    }
    #expect(world.audit.all.count > 70)
  }

  private func expectNoSecret(_ response: HTTPResponseValue) {
    #expect(response.headers.values("Cache-Control") == ["no-store"])
    for secret in [WorkedExample.secret, WorkedExample.secondSecret, WorkedExample.idToken] {
      #expect(!response.text.contains(secret))
    }
  }
}
