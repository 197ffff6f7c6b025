import Foundation
import IdentityTesting
import JOSE
import NativeSSOKit
import PureCrypto
import AppleSignInKit
import StrictJSON
import Synchronization
import Testing
import OpenIDKit

/// Whatever a program prints, dumps or looks at in a debugger, of all public types of the three login libraries: no
/// token, no code, no secret. A new type fails here until somebody has said what it may hold.
@Suite struct DescriptionTests {
  private static let needle = "s3cr3t-needle-of-forty-three-characters-0000"

  /// Types that hold no secret: names, choices, numbers, protocols' answers, and closures.
  private static let harmless = Set(
    """
    BackChannelLogout BackChannelLogoutSender.Delivery BackChannelLogoutSender.Message BackChannelLogoutSender.Outcome
    OpenIDProviderMetadata FamilySelection IDTokenCheck ProtectedResource ResourceClient.Match
    ClientDocument DocumentedClients
    AccessTokenSelection AuthorizationCodeEvent AuthorizationCodeEvent.Kind
    RevokedTokens
    IntrospectionResponse LoginKind LogoutPolicy LogoutPolicy.Decision LogoutReason
    AuthorizationDecision AuthorizationStep AnsweredPage
    ProviderPolicy ProviderEvent
    AuthorizationDecision.LoginReason BrowserLogin OAuthIntrospectionEndpoint AuthenticatedClient RefreshFailure.Kind RefreshGrant
    RefreshTokenEvent RefreshTokenEvent.Kind RefreshTokenFamily RefreshTokenFamily.ID
    RefreshedGrant RotationPolicy RotationPolicy.GraceMode RotationPolicy.ReuseAction TokenClock
    OpenIDError
    TokenSettings TokenState TokenTypeHint
    AuditEvent AuditEvent.Kind AuthenticationSession DSHashRecipe
    DeviceSecretRecord.State DeviceSecretRevocation
    LoginReason
    NativeSSOClient.SignOutScope NativeSSOSettings
    NativeSSOSettings.OverflowBehavior OAuthErrorCode
    ProviderProfile ProviderProfile.Audience ProviderProfile.DeviceSSOScope
    SettingsResolver SettingsResolver.Source SharingPolicy SignIn.Origin
    SignIn.Sharing SignOutMemory
    AppleIdentity AppleIdentityTokenVerifier AppleKeyStore AppleNonce.Form AppleNotification AppleNotification.Event
    AppleNotificationReceiver AppleNotificationVerifier AppleRealUserStatus AppleRedirectURI
    AppleResponseMode AppleResponseType AppleScope AppleService AppleTokenRecovery
    AppleTokenRecovery.Grant
    AppleTransferredUser AppleUser
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  /// Values, and what must not be seen of them.
  private struct Samples {
    var values: [Any] = []
    var secrets = [DescriptionTests.needle]
  }

  @Test func `no public type of the login libraries shows a secret`() async throws {
    var samples = Samples()
    try await addTokenRefresh(&samples)
    try await addNativeSSO(&samples)
    try await addSignInWithApple(&samples)
    var seen: Set<String> = []
    for value in samples.values {
      let name = String(reflecting: type(of: value))
      seen.insert(String(name.prefix { $0 != "<" }.drop { $0 != "." }.dropFirst()))
      var text = "\(value) \(String(reflecting: value)) "
      dump(value, to: &text)
      let numbers = Self.numbers(in: text)
      for secret in samples.secrets {
        #expect(!text.contains(secret), "\(name)")
        #expect(numbers.firstRange(of: Array(secret.utf8)) == nil, "\(name), in octets")
      }
    }
    let all = try ["OpenIDKit", "NativeSSOKit", "AppleSignInKit"].flatMap(Self.publicTypes)
    #expect(all.count > 100)
    #expect(all.filter { !seen.contains($0) && !Self.harmless.contains($0) } == [])
    #expect(Self.harmless.subtracting(all) == [])
  }

  /// The numbers below 256 of a text: octets are dumped as such.
  private static func numbers(in text: String) -> [UInt8] {
    var (numbers, number): ([UInt8], Int?) = ([], nil)
    for byte in text.utf8 {
      if (0x30...0x39).contains(byte) {
        number = min((number ?? 0) * 10 + Int(byte - 0x30), 1000)
      } else if let ended = number {
        if let octet = UInt8(exactly: ended) { numbers.append(octet) }
        number = nil
      }
    }
    return numbers
  }

  /// The types that a module's API text declares.
  private static func publicTypes(_ module: String) throws -> [String] {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: package.appendingPathComponent("API/\(module).txt"), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 2, words[1] == "public" else { return nil }
      let kinds = words[2] == "final" || words[2] == "indirect" ? words[3] : words[2]
      return ["struct", "enum", "actor", "class"].contains(String(kinds)) ? String(words[0]) : nil
    }
  }

  // MARK: OpenIDKit

  private final class Captor: TokenRefresher {
    let attempt = Mutex<RefreshAttempt?>(nil)
    func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
      self.attempt.withLock { $0 = attempt }
      return .failed(RefreshFailure(.misconfigured(nil)))
    }
    func revoke(refreshToken: String) async {}
  }

  private func addTokenRefresh(_ samples: inout Samples) async throws {
    let needle = Self.needle
    let tokens = TokenAnswer(
      accessToken: needle, expiresIn: .seconds(3600), refreshToken: needle, scope: nil, idToken: needle)
    let (store, captor) = (MemorySecretStore(), Captor())
    let manager = try TokenManager(store: store, refresher: captor)
    try await manager.logIn(tokens)
    let token = try await manager.validToken()
    _ = try? await manager.handleUnauthorized(token)
    let failure = RefreshFailure(.unusableAnswer, newRefreshToken: needle)
    let transport: HTTPTransport = { _ in HTTPResponseValue(status: 500) }
    let codeStore = MemoryRecordStore()
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: needle.utf8), sessions: EndlessSessions(), records: codeStore)
    let login = try await service.issue(RefreshGrant(subject: "u", clientID: "c", scope: []))
    let redemption = RefreshRedemption(refreshToken: login.refreshToken, clientID: "c", confirmation: "k")
    let result = try await service.redeem(redemption) { _ in needle }
    let record = StoredRecord(
      kind: StoredRecord.Kind(library: "a"), key: Array(needle.utf8), indexes: [.init("user", Array(needle.utf8))],
      createdAt: NumericDate(0), document: Array(needle.utf8), attempt: [])
    let pushed = MemoryRecordStore()
    _ = try await pushed.commit([.insert(record)])
    let grant = TokenEndpoint.Grant.refreshToken(service) { _, _ in TokenAnswer(accessToken: needle) }
    let authenticate: @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient? = {
      _, _ in nil
    }
    let asked = try OAuthAuthorizationRequest(
      ["client_id": "c", "redirect_uri": "https://x/", "response_type": "code", "scope": "openid", "state": needle],
      of: RegisteredClient(
        id: "c", authentication: .basic(secretSHA256: []), redirectURIs: ["https://x/"]))
    try await addOpenIDLogin(&samples)
    let codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: nil)
    let granted = AuthorizationCodeGrant(
      clientID: "c", redirectURI: "https://x/", scopes: [], subject: needle, nonce: needle,
      additionalMembers: ["a": .string(needle)])
    let code = try await codes.issue(granted)
    let presented = AuthorizationCodeRedemption(code: code, clientID: "c", redirectURI: "https://x/")
    let codeHash = Array(SHA2.SHA256.hash(code.utf8))
    let kept = try #require(
      await codeStore.record(StoredRecord.Kind(library: "authorization-code"), key: codeHash))
    samples.values += [
      codeStore, codes, granted, presented, try AuthorizationCodeRecord(parsing: kept.document),
      try await codes.redeem(presented) { $0 },
      AuthorizationCodeRedemption(code: needle, clientID: "c", codeVerifier: needle),
    ]
    samples.secrets += [login.refreshToken, result.refreshToken, code, Base64URL.encode(codeHash)]
    samples.values += [
      tokens, RefreshOutcome.tokens(tokens), RefreshOutcome.failed(failure), failure, store, manager, token,
      try #require(try await TokenRecords(store).load()), try #require(captor.attempt.withLock { $0 }),
      CallOutcome.finished(token),
      OpenIDKit.ClientAuthentication.basic(needle),
      OpenIDKit.ClientAuthentication.secretInForm(needle),
      OAuthTokenRefresher(
        tokenEndpoint: "https://x/", clientID: "c", authentication: .basic(needle), transport: transport),
      OAuthClient(clientID: "c", authentication: .secretInForm(needle), transport: transport),
      RequestAuthorizer(manager: manager, transport: transport), TokenQuery(token: needle),
      LogoutRequest(idTokenHint: needle, state: needle), record, pushed,
      asked, asked.refusal("access_denied", "no"),
      PushedAuthorization(requestURI: needle, expiresIn: .seconds(60), clientID: "c"),
      try PushedAuthorizationEndpoint(records: pushed, authenticate: authenticate, validate: { _, _ in }),
      redemption, result, try RefreshTokenFormat(key: needle.utf8), service,
      TokenEndpoint(grants: [grant], authenticate: authenticate), grant,
      TokenEndpoint.Request(
        form: ["code": needle, "client_secret": needle], client: AuthenticatedClient(id: "c"), sourceAddress: ""),
      OAuthRevocationEndpoint(service: service, authenticate: authenticate),
    ]
  }

  private func addOpenIDLogin(_ samples: inout Samples) async throws {
    let (needle, issuer, key) = (Self.needle, "https://op.example.com", try SigningKey.generate(.es256, keyID: "k"))
    let keys = JWKSet([try #require(key.verificationKey.publicJWK)]).serialized()
    let nonce = Mutex("")
    let client = try OpenIDClient(
      clientID: "c", redirectURI: "https://x/cb",
      provider: try OpenIDProviderMetadata(
        issuer: issuer, authorizationEndpoint: issuer + "/authorize", tokenEndpoint: issuer + "/token",
        keySetURL: issuer + "/jwks"),
      algorithms: [.es256], authentication: .basic(needle), binding: .freshKey
    ) { request in
      guard request.url.hasSuffix("/token") else { return HTTPResponseValue(status: 200, body: keys) }
      let claims = JWTClaims.idToken(
        issuer: issuer, clientID: "c", subject: needle, nonce: nonce.withLock { $0 }, lifetime: .seconds(3600))
      let answer: JSONObject = [
        "access_token": .string(needle), "token_type": "DPoP", "id_token": .string(try JWT.sign(claims, with: key)),
      ]
      return HTTPResponseValue(status: 200, body: answer.serialized())
    }
    let (pending, url) = try await client.begin()
    let query = try FormFields(decoding: Array(url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
    let state = try query.requiredValue("state")
    nonce.withLock { $0 = query.values("nonce").first ?? "" }
    let login = try await client.finish(pending, redirect: "https://x/cb?code=\(needle)&state=\(state)")
    let stored = try JSONObject(parsing: pending.serialized())
    let server: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": "https://x/a", "token_endpoint": "https://x/t",
      "code_challenge_methods_supported": ["S256"],
    ]
    let resources = ResourceClient(
      redirectURI: "https://x/cb",
      registrations: [.init(issuer: issuer, clientID: "c", authentication: .secretInForm(needle))],
      binding: .freshKey, trusts: { _, _ in true },
      transport: { _ in HTTPResponseValue(status: 200, body: server.serialized()) })
    var kept = stored
    kept["resource"] = "https://api.example"
    let resourceLogin = try await resources.resume(
      OpenIDClient.PendingLogin(parsing: kept.serialized()), store: MemorySecretStore())
    let verifier = try #require(stored["verifier"]?.stringValue)
    samples.secrets += [state, nonce.withLock { $0 }, verifier, login.idToken]
    samples.values += [
      client, pending, login, OpenIDClient.TokenBinding.key(key), OpenIDClient.TokenBinding.freshKey,
      BackChannelLogoutEndpoint(for: client) { _ in },
      ResourceClient.Registration(issuer: issuer, clientID: "c", authentication: .basic(needle)),
      resources, resourceLogin,
      try BackChannelLogoutSender(
        issuer: issuer, signingKey: { _ in key }, transport: { _ in HTTPResponseValue(status: 500) }),
    ]
  }

  // MARK: NativeSSOKit

  private func addNativeSSO(_ samples: inout Samples) async throws {
    let (needle, issuer) = (Self.needle, "https://op.example.com")
    let secret = try DeviceSecret(needle)
    let sessions = SessionRecords()
    try await sessions.addUser("u")
    try await sessions.add(AuthenticationSession(id: "s", userID: "u", authenticatedAt: NumericDate(5)))
    try await sessions.grant(["openid"], userID: "u", clientID: "app")
    let authentication = RegisteredClient.Authentication.basic(secretSHA256: Array(needle.utf8))
    var television = RegisteredClient(id: "tv")
    television.isDevice = true
    let clients = [
      RegisteredClient(id: "app", nativeSSOEnabled: true, redirectURIs: ["app:/cb"]),
      RegisteredClient(id: "web", authentication: authentication), television,
    ]
    var rules = ProviderPolicy()
    rules.devicePage = issuer + "/device"
    var memory = try MemoryProvider(issuer: issuer, clients: clients, sessions: sessions, policy: rules)
    memory.provider.native?.policy.dsHash = .keyed(SecretBytes(copying: needle.utf8))
    let (server, provider) = (memory, memory.provider)
    let (keys, native) = (provider.keys, try #require(provider.native))
    let policy = native.policy
    var configuration = NativeSSOClientConfiguration(
      clientID: "app", redirectURI: "app:/cb",
      metadata: try OpenIDProviderMetadata(
        issuer: issuer, authorizationEndpoint: issuer + "/authorize", tokenEndpoint: issuer + "/token",
        keySetURL: issuer + "/jwks"),
      keys: { _ in keys.verification }, transport: { await server.respond(to: $0) })
    let (pairs, own) = (MemorySecretStore(), MemorySecretStore())
    let session = try NativeSSOSession(
      configuration, pairs: pairs, tokens: own, signOut: SignOutMemory(load: { false }, save: { _ in }))
    let client = session.client
    let (login, url) = try await client.beginLogin()
    let redirect = try await server.authorize(url: url, sessionID: "s")
    let signIn = try await client.completeLogin(login, redirect: redirect)
    let silent = await client.signInSilently()
    // One more code, which nobody redeems.
    let open = try await server.authorize(url: url, sessionID: "s")
    let codes = try [redirect, open].map { url in
      try FormFields(decoding: Array(url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())).requiredValue("code")
    }
    let step = try await provider.authorize(
      HTTPRequestValue(method: "GET", url: url), visit: needle, login: nil, from: "a")
    guard case .ask(let waiting) = step else { throw CancellationError() }
    // A device that its user has found, and that asks until its task ends.
    let shown = Mutex<(DeviceAuthorization, PendingDevice)?>(nil)
    let found = try #require(try await sessions.session(id: "s"))
    _ = try? await TokenManager.device(
      authorizationEndpoint: issuer + "/device_authorization", tokenEndpoint: issuer + "/token", clientID: "tv",
      scope: "openid", clock: TokenClock(wall: .system, elapsed: { .zero }, sleep: { _ in throw CancellationError() }),
      transport: { await server.respond(to: $0) }
    ) { codes in
      let device = try? await provider.device(showing: codes.userCode, login: BrowserLogin(found), from: "a")
      if let device { shown.withLock { $0 = (codes, device) } }
    }
    let (device, pendingDevice) = try #require(shown.withLock { $0 })
    let entry = try await SharedPair(pairs).read()
    let pair = try #require(entry.pair)
    configuration.authentication = .secretInForm(secret.reveal())
    let grant = AcceptedGrant(
      clientID: "app", sessionID: "s", scopes: [], nonce: needle, form: ["device_secret": needle])
    let record = try #require(try await provider.deviceSecrets(userID: "u").first)
    let echo = HTTPResponseValue(
      status: 400, body: Array(#"{"error":"invalid_grant","error_description":"\#(needle)"}"#.utf8))
    samples.secrets += codes
    samples.secrets += [
      signIn.tokens.accessToken, signIn.tokens.refreshToken, signIn.tokens.idToken, pair.deviceSecret.reveal(),
      pair.deviceSecret.fingerprint.hexadecimal, login.request.state, login.request.nonce, waiting.id,
      device.userCode, pendingDevice.pending.id,
    ].compactMap { $0 }
    samples.values += [
      grant, policy.dsHash, policy, secret, secret.fingerprint,
      record, own, try #require(await own.load()),
      server, sessions, pairs,
      client, configuration, provider, native, waiting, session, device, pendingDevice,
      try #require(OAuthErrorResponse(echo)), try PKCE(verifier: needle), login, keys,
      RateLimitKey.deviceSecret(pair.deviceSecret.fingerprint), authentication,
      RegisteredClient(id: "web", authentication: authentication), StaticClientDirectory(clients), pair, entry, signIn,
      silent,
      TokenExchangeRequest(clientID: "app", idToken: needle, deviceSecret: secret),
      TokenResponse(
        TokenAnswer(accessToken: needle, expiresIn: .seconds(1), refreshToken: needle, idToken: needle),
        deviceSecret: secret),
      signIn.tokens,
    ]
  }

  // MARK: AppleSignInKit

  private func addSignInWithApple(_ samples: inout Samples) async throws {
    let (needle, url) = (Self.needle, "https://apple.example")
    let service = AppleService(
      issuer: url, authorizationURL: url + "/authorize", tokenURL: url + "/token", revocationURL: url + "/revoke",
      keysURL: url + "/keys", signatureAlgorithmNames: ["ES256"])
    let key = try SigningKey.generate(.es256, keyID: "k")
    let signer = try AppleClientSecretSigner(
      key: .generate(.es256, keyID: "KEY1234567"), teamID: "TEAM123456", keyID: "KEY1234567", service: service)
    let nonceInUse = Mutex("")
    let transport: HTTPTransport = { request in
      if request.url.hasSuffix("keys") {
        return HTTPResponseValue(
          status: 200, body: JWKSet([key.verificationKey.publicJWK].compactMap { $0 }).serialized())
      }
      if request.url.hasSuffix("usermigrationinfo") {
        return HTTPResponseValue(status: 200, body: Array(#"{"transfer_sub":"t"}"#.utf8))
      }
      let now = WallClock.system.now.wholeSeconds
      let claims: JSONObject = [
        "iss": .string(url), "aud": "web", "sub": "u", "iat": .number(JSONNumber(now)),
        "exp": .number(JSONNumber(now + 600)), "nonce": .string(nonceInUse.withLock { $0 }),
      ]
      let object: JSONObject = [
        "access_token": .string(needle), "token_type": "Bearer", "expires_in": 3600, "refresh_token": .string(needle),
        "id_token": .string(try JWT.sign(claims, with: key, header: HeaderParameters(keyID: "k"))),
      ]
      return HTTPResponseValue(status: 200, body: object.serialized())
    }
    let store = MemoryRecordStore()
    let redirectURI = try AppleRedirectURI("https://www.example.com/cb")
    let client = AppleSignInClient(
      clientID: "web", redirectURI: redirectURI, signer: signer, records: store, transport: transport)
    let start = try await client.begin()
    let query = try FormFields(decoding: Array(start.url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
    let (state, sent) = (try query.requiredValue("state"), try query.requiredValue("nonce"))
    nonceInUse.withLock { $0 = sent }
    let callback = HTTPRequestValue(
      method: "GET", url: "https://www.example.com/cb?code=\(needle)&state=\(state)")
    let outcome = try await client.finish(callback, handle: start.handle) { _ in }
    guard case .signedIn(let signIn) = outcome else { throw CancellationError() }
    let waiting = try await client.begin()
    let nonce = try AppleNonce(raw: needle)
    let request = try AppleAuthorizationRequest(
      clientID: "web", redirectURI: redirectURI, state: needle, nonce: .given(nonce))
    let answer = HTTPRequestValue(method: "GET", url: "https://www.example.com/cb?code=\(needle)&state=\(needle)")
    let received = try AppleAuthorizationResponse.receive(answer, for: request.pending())
    guard case .authorized(let response) = received else { throw CancellationError() }
    let cache = AppleClientSecretCache(signer: signer)
    let secret = try await cache.clientSecret(for: "web")
    let transfer = AppleTransferClient(clientID: "web", signer: signer, transport: transport)
    _ = try await transfer.transferSubject(of: "u", forTeam: "NEWTEAM123")
    samples.secrets += [secret.value, start.handle, waiting.handle, state, sent]
    samples.values += [
      received, request, AppleAuthorizationRequest.NonceChoice.given(nonce), response, secret, cache, signer,
      AppleIdentityTokenOrigin.tokenResponse(code: needle, accessToken: needle),
      AppleIdentityTokenOrigin.nativeApp(code: needle), nonce, request.pending(),
      AppleNativeSignIn(clientID: "app", signer: signer, transport: transport),
      signIn, client, outcome, start, AppleTokenEndpoint.Grant.authorizationCode(needle, redirectURI: nil),
      AppleTokenEndpoint.Grant.refreshToken(needle), signIn.tokens, transfer, store,
    ]
  }
}
