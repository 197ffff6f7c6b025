import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import PureJOSETestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("Client: answers of servers that differ, fail or lie")
struct NativeSSOClientTests {
  static func invalid(_ name: String) -> JOSEError {
    JOSEError(.identityTokenInvalid, "a claim is not acceptable", name: name)
  }

  private func silently(
    profile: ProviderProfile = .standard,
    _ answer: @escaping @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue
  ) async throws -> (SilentSignIn, Device) {
    let device = Device(try await World())
    try await device.storePair()
    device.network.answer(answer)
    return (await device.app("app-b", profile: profile).signInSilently(), device)
  }

  private func login(
    profile: ProviderProfile = .standard,
    _ answer: @escaping @Sendable (OpenIDClient.PendingLogin) throws -> HTTPResponseValue
  ) async throws -> (SignIn, Device) {
    let device = Device(try await World())
    let app = device.app("app-b", profile: profile)
    let (login, url) = try await app.beginLogin()
    let redirect = try await device.world.server.authorize(url: url, sessionID: World.session)
    device.network.answer { _ in try answer(login) }
    return (try await app.completeLogin(login, redirect: redirect), device)
  }

  private static let secret: JSONObject = ["device_secret": .string(WorkedExample.secret)]

  @Test("P17 device_token alone is the secret; with the alias off it is nothing")
  func p17() async throws {
    let answer: @Sendable (OpenIDClient.PendingLogin) throws -> HTTPResponseValue = {
      try Device.response(
        ["device_token": .string(WorkedExample.secret)], claims: [("nonce", .string($0.request.nonce))])
    }
    let (signIn, device) = try await login(answer)
    #expect(signIn.sharing == .stored)
    #expect(try await SharedPair(device.store).read().pair?.deviceSecret.reveal() == WorkedExample.secret)
    #expect(try await login(profile: .strictDraft07, answer).0.sharing == .unavailable)
  }

  @Test("P18 N36 an answer without refresh token and ds_hash, of type bearer, is success and leaves the pair alone")
  func p18n36() async throws {
    let before = try SSOPairEntry(parsing: Device.pairDocument().serialized()).serialized
    for type in ["bearer", "BEARER", "DPoP"] {
      let (outcome, device) = try await silently { _ in
        try Device.response(
          ["token_type": .string(type), "expires_in": "60"], claims: [("ds_hash", nil), ("sid", nil)])
      }
      let signIn = try #require(outcome.signIn)
      #expect(
        signIn.sharing == .unchanged && signIn.tokens.refreshToken == nil && signIn.tokens.expiresIn == .seconds(60))
      #expect(try await SharedPair(device.store).read().serialized == before)
    }
    let (bare, _) = try await silently { _ in
      try Device.response(["id_token": .null, "issued_token_type": .null, "expires_in": .null])
    }
    #expect(bare.signIn?.subject == World.user && bare.signIn?.tokens.expiresIn == .seconds(300))
  }

  @Test("P29 after invalid_grant, a pair that another app stored meanwhile is tried once")
  func p29() async throws {
    let device = Device(try await World())
    try await device.storePair()
    let newer = try #require(try Device.pair(secret: WorkedExample.secondSecret))
    let store = device.store
    device.network.answer { request in
      guard try request.form().uniqueValue("actor_token") == WorkedExample.secondSecret else {
        _ = try await SharedPair(store).replace(expecting: 1, with: newer)
        return try Device.error("invalid_grant")
      }
      return try Device.response(claims: [("ds_hash", nil)])
    }
    #expect(await device.app("app-b").signInSilently().signIn != nil)
    #expect(device.network.requests.all.count == 2)
    // And never twice, however often the store changes; the newest pair is then not ours to delete.
    let restless = Device(try await World())
    try await restless.storePair()
    let other = restless.store
    restless.network.answer { _ in
      let generation = try await SharedPair(other).read().generation
      _ = try await SharedPair(other).replace(expecting: generation, with: newer)
      return try Device.error("invalid_grant")
    }
    #expect(await restless.app("app-b").signInSilently().reason != nil)
    #expect(restless.network.requests.all.count == 2)
    #expect(try await SharedPair(other).read().pair != nil)
  }

  @Test(
    "invalid_grant deletes the pair that failed, invalid_request leaves the vendor's pair to the other apps",
    arguments: ["invalid_grant", "invalid_request"])
  func finalFailure(code: String) async throws {
    let (outcome, device) = try await silently { _ in try Device.error(code) }
    #expect(outcome.reason == .refused(OAuthErrorCode(code)))
    let isKept = code == "invalid_request"
    #expect(try Self.decision(code).keepsPair == isKept)
    #expect(try await (SharedPair(device.store).read().pair != nil) == isKept)
    #expect(device.network.requests.all.count == 1)
  }

  private static func decision(
    _ code: String, status: Int = 400, retryAfter: String? = nil
  ) throws -> RecoveryDecision {
    RecoveryDecision(
      after: .refused(try #require(OAuthErrorResponse(Device.error(code, status: status, retryAfter: retryAfter)))))
  }

  @Test(
    "N19 every other refusal keeps the pair and falls back to a login",
    arguments: [
      ("invalid_token", RecoveryDecision.Action.logInOrAwaitNewIDToken, false), ("access_denied", .logIn, true),
      ("invalid_target", .logIn, true), ("interaction_required", .logIn, false), ("invalid_scope", .logIn, false),
      ("unauthorized_client", .logIn, true), ("unsupported_grant_type", .logIn, true),
      ("invalid_client", .reportConfigurationError, false), ("invalid_dpop_proof", .renewProof, false),
      ("use_dpop_nonce", .renewProof, false), ("never_heard_of", .logIn, false),
    ])
  func recovery(code: String, action: RecoveryDecision.Action, disables: Bool) async throws {
    let device = Device(try await World())
    try await device.storePair()
    device.network.answer { _ in try Device.error(code, status: 403) }
    let app = device.app("app-b")
    let (error, decision) = (OAuthErrorCode(code), try Self.decision(code, status: 403))
    #expect(await app.signInSilently().reason == .refused(error))
    #expect(decision.action == action && decision.keepsPair && decision.disablesSSO == disables)
    #expect(try await SharedPair(device.store).read().pair != nil)
    #expect(device.network.requests.all.count == 1)
    // A refusal for good is remembered until the configuration changes.
    let again = await app.signInSilently().reason
    #expect(device.network.requests.all.count == (disables ? 1 : 2))
    if disables {
      #expect(again == .refusedEarlier(error))
      try await app.reload(device.configuration("app-b"))
      _ = await app.signInSilently()
      #expect(device.network.requests.all.count == 2)
    }
  }

  @Test("invalid_scope is answered with openid alone, once, if the app can do without")
  func openIDOnly() async throws {
    let device = Device(try await World())
    try await device.storePair()
    device.network.answer { request in
      try request.form().uniqueValue("scope") == "openid"
        ? try Device.response(["scope": "openid"], claims: [("ds_hash", nil)]) : try Device.error("invalid_scope")
    }
    var configuration = device.configuration("app-b")
    configuration.scopesAreOptional = true
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    #expect(await app.signInSilently().signIn?.tokens.scope == "openid")
    device.network.answer { _ in try Device.error("invalid_scope") }
    #expect(await app.signInSilently().reason != nil)
    #expect(device.network.requests.all.count == 4)
  }

  @Test(
    "slow_down is not repeated, and pauses as long as it says, at most a quarter of an hour",
    arguments: [("30", 30), (nil, 60), ("100000", 900), ("soon", 60)])
  func slowDown(retryAfter: String?, pause: Int) async throws {
    let device = Device(try await World())
    try await device.storePair()
    device.network.answer { _ in try Device.error("slow_down", status: 429, retryAfter: retryAfter) }
    let app = device.app("app-b")
    #expect(await app.signInSilently().reason == .refused(.slowDown))
    let decision = try Self.decision("slow_down", status: 429, retryAfter: retryAfter)
    #expect(decision.action == .logInAndPause(.seconds(pause)) && decision.keepsPair)
    #expect(await app.signInSilently().reason == .paused(.seconds(pause)))
    device.world.clock.advance(Double(pause))
    _ = await app.signInSilently()
    #expect(device.network.requests.all.count == 2)
  }

  @Test(
    "N40 three failures of the network, or of the server, end in a login and keep the pair",
    arguments: ["down", "server_error", "temporarily_unavailable", "html"])
  func n40(kind: String) async throws {
    let (outcome, device) = try await silently { _ in
      switch kind {
      case "down": throw Network.Down()
      case "html": HTTPResponseValue(status: 502, body: Array("<html>".utf8))
      default: try Device.error(kind, status: 503)
      }
    }
    #expect(outcome.signIn == nil)
    #expect(device.network.requests.all.count == 3 && device.network.pauses.all == [.seconds(1), .seconds(2)])
    #expect(try await SharedPair(device.store).read().pair != nil)
  }

  @Test("The whole sign-in falls back to the browser")
  func fallback() async throws {
    let device = Device(try await World(seedsPair: false))
    try await device.storePair()
    let server = device.world.server
    let signIn = try await device.app("app-b").signIn { url in
      try await server.authorize(url: url, sessionID: World.session)
    }
    #expect(signIn.origin == .interactive && signIn.sharing == .stored)
  }

  @Test("N31 a secret without an ID token is not stored, and the sign-in stands")
  func n31() async throws {
    let (outcome, device) = try await silently { _ in
      try Device.response(["id_token": .null, "device_secret": .string(WorkedExample.secondSecret)])
    }
    let error = JOSEError(.deviceSecretWithoutIDToken, "")
    #expect(outcome.signIn?.sharing == .discarded(error))
    #expect(try await SharedPair(device.store).read().generation == 1)
  }

  @Test("N32 two different secrets, or a malformed one: none is stored, and the login stands")
  func n32() async throws {
    let bad: [(JSONObject, ErrorCode)] = [
      (["device_secret": "a", "device_token": "b"], .deviceSecretAmbiguous),
      (["device_secret": ""], .deviceSecretMalformed),
      (["device_secret": "a b"], .deviceSecretMalformed), (["device_secret": 7], .deviceSecretMalformed),
    ]
    for (members, code) in bad {
      let (signIn, device) = try await login {
        try Device.response(members, claims: [("nonce", .string($0.request.nonce))])
      }
      guard case .discarded(let error) = signIn.sharing else { return #expect(Bool(false)) }
      #expect(error.code == code)
      #expect(try await SharedPair(device.store).read().pair == nil)
    }
  }

  @Test("N33 a login's ds_hash that is wrong under a known recipe, or absent: the pair is refused, the login stands")
  func n33() async throws {
    let wrong: JSONValue = .string(SignatureAlgorithm.es256.leftHalfHash(of: "another"))
    for hash in [wrong, nil] as [JSONValue?] {
      let (signIn, device) = try await login(profile: .authrim) {
        try Device.response(Self.secret, claims: [("nonce", .string($0.request.nonce)), ("ds_hash", hash)])
      }
      #expect(signIn.sharing == .discarded(JOSEError(.deviceSecretBindingMismatch, "", name: "ds_hash")))
      #expect(try await SharedPair(device.store).read().pair == nil)
    }
    // Without a configured recipe an unknown value proves nothing.
    let (signIn, device) = try await login {
      try Device.response(Self.secret, claims: [("nonce", .string($0.request.nonce)), ("ds_hash", wrong)])
    }
    #expect(signIn.sharing == .stored)
    #expect(try await SharedPair(device.store).read().pair?.dsHashRecipe == nil)
  }

  @Test("An exchange whose ID token binds another secret is refused where the recipe is known")
  func exchangeBinding() async throws {
    let hash: JSONValue = .string(SignatureAlgorithm.es256.leftHalfHash(of: "another"))
    let (outcome, device) = try await silently(profile: .authrim) { _ in
      try Device.response(claims: [("ds_hash", hash)])
    }
    #expect(outcome.reason == .responseRejected(JOSEError(.deviceSecretBindingMismatch, "", name: "ds_hash")))
    #expect(try await SharedPair(device.store).read().generation == 1)
    let (rotated, other) = try await silently { _ in
      try Device.response(["device_secret": .string(WorkedExample.secondSecret)], claims: [("ds_hash", nil)])
    }
    #expect(rotated.signIn?.sharing == .discarded(JOSEError(.deviceSecretBindingMismatch, "", name: "ds_hash")))
    #expect(try await SharedPair(other.store).read().generation == 1)
  }

  @Test(
    "N34 N35 an exchanged ID token with a wrong claim is refused, and the pair kept",
    arguments: [
      ("aud", JSONValue.string("app-a")), ("aud", ["app-b", "app-z"]), ("sub", "user-other"), ("sub", ""),
      ("sid", "s-x"),
      ("iss", "https://evil.example"), ("exp", 1_760_000_940), ("iat", 1_760_001_061),
      ("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
      ("azp", "app-a"), ("nonce", 7), ("sid", 7), ("ds_hash", 7), ("amr", "pwd"), ("auth_time", "now"), ("sub", nil),
      ("exp", nil), ("iat", nil), ("iss", nil), ("aud", nil),
    ] as [(String, JSONValue?)])
  func n34n35(name: String, value: JSONValue?) async throws {
    let (outcome, device) = try await silently { _ in try Device.response(claims: [(name, value)]) }
    guard case .responseRejected(let error)? = outcome.reason else { return #expect(Bool(false)) }
    #expect(error.code == .identityTokenInvalid)
    #expect(error.name == name)
    #expect(try await SharedPair(device.store).read().pair != nil)
  }

  @Test("An ID token with a bad signature, or an algorithm that is not acceptable or not implemented")
  func signatures() async throws {
    func header(_ json: String) -> String {
      let parts = WorkedExample.exchangedIDToken.split(separator: ".")
      return Base64URL.encode(Array(json.utf8)) + "." + parts[1] + "." + parts[2]
    }
    let stranger = try SigningKey(JWK.generate(.es256, keyID: "nsso-test-1"))
    let tokens: [(String, ErrorCode)] = [
      (try WorkedExample.idToken([("aud", "app-b"), ("nonce", nil)], key: stranger), .identityTokenInvalid),
      (header(#"{"alg":"none","kid":"nsso-test-1"}"#), .identityTokenInvalid),
      (header(#"{"alg":"HS256","kid":"nsso-test-1"}"#), .identityTokenInvalid),
      (header(#"{"alg":"ES256","kid":"unknown"}"#), .identityTokenInvalid),
      (header(#"{"alg":"PS999","kid":"nsso-test-1"}"#), .algorithmUnsupported),
      (header(#"{"kid":"nsso-test-1"}"#), .identityTokenInvalid), ("a.b.c", .identityTokenInvalid),
      ("x", .identityTokenInvalid),
      (Base64URL.encode(Array(#"{"alg":"ECDH-ES","enc":"A256GCM"}"#.utf8)) + "....", .encryptedIDToken),
    ]
    for (token, code) in tokens {
      let (outcome, _) = try await silently { _ in try Device.response(idToken: token) }
      guard case .responseRejected(let error)? = outcome.reason else { return #expect(Bool(false)) }
      #expect(error.code == code)
    }
  }

  @Test("RS256 is verified where it is implemented, and otherwise named as what is missing")
  func rs256() async throws {
    let parts = WorkedExample.exchangedIDToken.split(separator: ".")
    let token = Base64URL.encode(Array(#"{"alg":"RS256","kid":"nsso-test-1"}"#.utf8)) + "." + parts[1] + "." + parts[2]
    let (outcome, _) = try await silently { _ in try Device.response(idToken: token) }
    guard case .responseRejected(let error)? = outcome.reason else { return #expect(Bool(false)) }
    let isImplemented = SignatureAlgorithm(name: "RS256") != nil
    #expect(error.code == (isImplemented ? .identityTokenInvalid : .algorithmUnsupported))
  }

  @Test("A key set that lacks the token's key is asked for once more")
  func keyRefresh() async throws {
    let device = Device(try await World())
    try await device.storePair()
    let asked = Recorder<Bool>()
    let keys = device.world.provider.keys.verification
    var configuration = device.configuration("app-b")
    configuration.keys = { refreshing in
      asked.append(refreshing)
      return refreshing ? keys : JWKSet([])
    }
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    #expect(await app.signInSilently().signIn != nil)
    #expect(asked.all == [false, true])
    configuration.keys = { _ in throw Network.Down() }
    let without = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    #expect(
      await without.signInSilently().reason == .responseRejected(JOSEError(.serviceFailed, "", name: "jwks_uri")))
  }

  @Test(
    "A body that is no token response",
    arguments: [
      ("access_token", JSONValue.null), ("access_token", ""), ("access_token", 7), ("token_type", .null),
      ("token_type", "mac"), ("id_token", 1),
      ("issued_token_type", "urn:ietf:params:oauth:token-type:jwt"), ("issued_token_type", 1),
    ] as [(String, JSONValue)])
  func malformedResponse(name: String, value: JSONValue) async throws {
    let (outcome, _) = try await silently { _ in try Device.response([name: value]) }
    guard case .responseRejected? = outcome.reason else { return #expect(Bool(false)) }
  }

  @Test("Bodies that are no JSON, doubled, too deep; a missing issued_token_type under the strict profile")
  func malformedBodies() async throws {
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    for body in ["", "x", "[]", #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#, #"{"a":\#(deep)}"#] {
      let (outcome, _) = try await silently { _ in HTTPResponseValue(status: 200, body: Array(body.utf8)) }
      #expect(outcome.reason == .responseRejected(JOSEError(.answerMalformed, "")))
    }
    let (strict, _) = try await silently(profile: .strictDraft07) { _ in
      try Device.response(["issued_token_type": .null])
    }
    #expect(
      strict.reason == .responseRejected(JOSEError(.unexpectedIssuedTokenType, "", name: "issued_token_type")))
  }

  @Test("Another client's login is refused, and the redirect URI is the login's own")
  func foreignLogins() async throws {
    let device = Device(try await World())
    let app = device.app("app-b")
    let (login, _) = try await app.beginLogin()
    for (issuer, client) in [(login.issuer, "app-a"), ("https://evil.example", login.clientID)] {
      let other = OpenIDClient.PendingLogin(
        issuer: issuer, expiration: login.expiration, clientID: client, redirectURI: login.redirectURI,
        request: login.request, scopes: login.scopes)
      await #expect(throws: JOSEError(.callerMisuse, "", name: "pending")) {
        try await app.completeLogin(other, redirect: "com.example.app-b:/cb?code=x&state=" + login.request.state)
      }
    }
    #expect(device.network.requests.all.isEmpty)
    // Begun with another redirect URI, which a reload has changed since.
    let before = OpenIDClient.PendingLogin(
      issuer: login.issuer, expiration: login.expiration, clientID: login.clientID, redirectURI: "com.example.old:/cb",
      request: login.request, scopes: login.scopes)
    _ = try? await app.completeLogin(before, redirect: "com.example.old:/cb?code=x&state=" + login.request.state)
    let sent = try #require(device.network.requests.all.last).form()
    #expect(sent.values("redirect_uri") == ["com.example.old:/cb"])
  }

  @Test("How long ago the user may have proved who they are is asked for, and checked")
  func maximumAge() async throws {
    let device = Device(try await World())
    let app = device.app("app-a")
    // The session is 1010 seconds old.
    for (age, isGood) in [(3600, true), (60, false)] {
      let (login, url) = try await app.beginLogin(maximumAge: .seconds(age))
      #expect(url.contains("&max_age=\(age)"))
      let redirect = try await device.world.server.authorize(url: url, sessionID: World.session)
      let outcome: Result<SignIn, JOSEError>
      do throws(JOSEError) {
        outcome = .success(try await app.completeLogin(login, redirect: redirect))
      } catch {
        outcome = .failure(error)
      }
      switch outcome {
      case .success: #expect(isGood)
      case .failure(let error): #expect(!isGood && error == Self.invalid("auth_time"))
      }
    }
    await #expect(throws: JOSEError(.callerMisuse, "", name: "max_age")) {
      try await app.beginLogin(maximumAge: .seconds(-1))
    }
  }

  @Test("Redirects that do not answer the request")
  func redirects() async throws {
    let device = Device(try await World())
    let app = device.app("app-b")
    let (login, url) = try await app.beginLogin()
    let good = try await device.world.server.authorize(url: url, sessionID: World.session)
    let state = "state=" + login.request.state
    let bad = [
      "", "com.example.app-b:/cb", "com.example.app-b:/cb?code=x", "com.example.app-b:/cb?code=x&state=other",
      "com.example.app-b:/cb?\(state)", "com.example.evil:/cb?code=x&\(state)", good + "&code=again", good + "&state=x",
      "com.example.app-b:/cb?code=x&\(state)&iss=https%3A%2F%2Fevil.example", "com.example.app-b:/cb?code=%zz&\(state)",
      "com.example.app-b:/cb?error=access_denied", "com.example.app-b:/cb/?code=x&\(state)",
    ]
    for redirect in bad {
      let error = await #expect(throws: JOSEError.self) { try await app.completeLogin(login, redirect: redirect) }
      #expect(error?.code == .redirectInvalid)
      #expect((error?.name == "iss") == redirect.contains("iss=https%3A%2F%2Fevil"))
    }
    // An error is an answer: that login is over.
    let refused = try await app.beginLogin().login
    for error in [JOSEError(.serverRefused, "", name: "access_denied"), JOSEError(.loginOver, "")] {
      await #expect(throws: error) {
        try await app.completeLogin(
          refused, redirect: "com.example.app-b:/cb?error=access_denied&state=" + refused.request.state)
      }
    }
    #expect(device.network.requests.all.isEmpty)
    #expect(try await app.completeLogin(login, redirect: good + "#_").sharing == .stored)
    // The login serves once, and so does the code.
    let sent = device.network.requests.all.count
    await #expect(throws: JOSEError(.loginOver, "")) {
      try await app.completeLogin(login, redirect: good)
    }
    #expect(device.network.requests.all.count == sent)
  }

  @Test("A login whose nonce is missing or another's is refused", arguments: [nil, "another"] as [String?])
  func nonce(value: String?) async throws {
    await #expect(throws: Self.invalid("nonce")) {
      _ = try await login { _ in try Device.response(claims: [("nonce", value.map { .string($0) })]) }
    }
  }

  @Test("P24 discovery: which flags mean support, and documents that are not acceptable")
  func discovery() throws {
    func parse(_ members: JSONObject) throws -> OpenIDProviderMetadata {
      var object: JSONObject = [
        "issuer": .string(World.issuer), "authorization_endpoint": "https://op.example.com/authorize",
        "token_endpoint": "https://op.example.com/token", "jwks_uri": "https://op.example.com/jwks",
      ]
      for (name, value) in members.members { object[name] = value.isNull ? JSONValue?.none : value }
      return try OpenIDProviderMetadata(parsing: object.serialized(), issuer: World.issuer)
    }
    for name in ["native_sso_supported", "native_sso_support", "native_sso_token_exchange_supported"] {
      #expect(try parse([name: true]).announcesNativeSSO == true)
      #expect(try parse([name: false]).announcesNativeSSO == false)
      #expect(try parse([name: "true"]).announcesNativeSSO == false)
    }
    #expect(try parse([:]).announcesNativeSSO == false)
    #expect(try !parse(["native_sso_token_exchange_supported": true]).announcesDeviceSSOScope)
    let bad: [JSONObject] = [
      ["issuer": .null], ["issuer": "https://op.example.com/"], ["token_endpoint": .null],
      ["token_endpoint": "http://op.example.com/token"], ["token_endpoint": "https://a@op.example.com/token"],
      ["token_endpoint": "https://op.example.com/token#x"], ["authorization_endpoint": "javascript:alert(1)"],
      ["authorization_endpoint": 7], ["jwks_uri": ""],
      ["jwks_uri": .null],
    ]
    for members in bad { #expect(throws: OpenIDError.self) { try parse(members) } }
    // A client can do without this one.
    #expect(try parse(["revocation_endpoint": "ftp://op.example.com"]).revocationEndpoint == nil)
    #expect(throws: OpenIDError.self) {
      try OpenIDProviderMetadata(parsing: Array("[]".utf8), issuer: World.issuer)
    }
  }

  @Test("An endpoint is https, or on this machine where that is allowed, however the metadata came about")
  func endpoints() async throws {
    for (endpoint, plainHTTP, isTaken) in [
      ("https://op.example.com/token", PlainHTTP.refused, true), ("http://op.example.com/token", .refused, false),
      ("http://127.0.0.1:8080/token", .refused, false), ("http://127.0.0.1:8080/token", .loopback, true),
      ("http://op.example.com/token", .loopback, false), ("https://a@op.example.com/token", .loopback, false),
    ] {
      let device = Device(try await World())
      try await device.storePair()
      let document: JSONObject = [
        "issuer": .string(World.issuer), "authorization_endpoint": .string(endpoint),
        "token_endpoint": .string(endpoint), "jwks_uri": .string(World.issuer + "/jwks"),
      ]
      let read = try? OpenIDProviderMetadata(
        parsing: document.serialized(), issuer: World.issuer, plainHTTP: plainHTTP)
      #expect((read != nil) == isTaken)
      var metadata = try? OpenIDProviderMetadata(
        issuer: World.issuer, authorizationEndpoint: endpoint, tokenEndpoint: endpoint,
        keySetURL: World.issuer + "/jwks", plainHTTP: plainHTTP)
      #expect((metadata != nil) == isTaken)
      // The one endpoint that may be set later is looked at when it is used.
      metadata =
        try metadata
        ?? OpenIDProviderMetadata(
          issuer: World.issuer, authorizationEndpoint: World.issuer + "/a", tokenEndpoint: World.issuer + "/t",
          keySetURL: World.issuer + "/jwks", plainHTTP: plainHTTP)
      metadata?.revocationEndpoint = endpoint
      let sent = Mutex<[String]>([])
      var configuration = NativeSSOClientConfiguration(
        clientID: "app-b", redirectURI: "com.example.b:/cb", metadata: try #require(metadata),
        keys: { _ in JWKSet([]) },
        transport: { request in
          sent.withLock { $0.append(request.url) }
          return HTTPResponseValue(status: 500)
        })
      configuration.sleep = { _ in }
      let client = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
      _ = try await client.beginLogin()
      _ = await client.signInSilently()
      _ = try? await client.signOut(.everywhere)
      #expect(sent.withLock { $0.contains(endpoint) } == isTaken)
    }
  }

  @Test("A pair of another issuer is never sent, and a client keeps its issuer")
  func foreignPair() async throws {
    let device = Device(try await World())
    var document = Device.pairDocument()
    document["issuer"] = "https://evil.example"
    let pair = try SSOPairEntry(parsing: document.serialized()).pair
    _ = try await SharedPair(device.store).replace(expecting: 0, with: pair)
    let app = device.app("app-b")
    #expect(await app.signInSilently().reason == .noPair)
    #expect(device.network.requests.all.isEmpty)
    var other = device.configuration("app-b")
    other.metadata = try OpenIDProviderMetadata(
      issuer: "https://evil.example", authorizationEndpoint: "https://evil.example/a",
      tokenEndpoint: "https://evil.example/t", keySetURL: "https://evil.example/j")
    await #expect(throws: JOSEError.self) { try await app.reload(other) }
  }

  @Test("Silent sign-ins of one app at once are one exchange")
  func singleFlight() async throws {
    let device = Device(try await World(settings: ["enabled": true, "rotateOnExchange": true], seedsPair: false))
    _ = try await device.logIn(device.app("app-a"))
    let gate = device.closeGate()
    let (app, begun) = (device.app("app-b"), Recorder<Bool>())
    let successes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 { group.addTask { await app.signInSilently(notedIn: begun).signIn != nil } }
      while begun.all.count < 12 { await Task.yield() }
      gate.open()
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(successes == 12 && device.network.requests.all.count == 2)
    #expect(try await SharedPair(device.store).read().generation == 2)
    // The next one is another exchange.
    #expect(await app.signInSilently().signIn != nil)
    #expect(device.network.requests.all.count == 3)
  }
}

extension NativeSSOClient {
  /// Notes a caller on the way in. It joins the exchange under way before the client does anything else.
  fileprivate func signInSilently(notedIn begun: Recorder<Bool>) async -> SilentSignIn {
    begun.append(true)
    return await signInSilently()
  }
}
