import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON

/// The scenes of the Native SSO demonstration.
actor NativeSSODemoScript {
  private static let issuer = "https://op.example.com"
  private static let user = "user-7f3a"

  private let wire: NativeSSODemoWire
  private let sharedStore = MemorySecretStore()
  private let server: MemoryProvider
  private var lines: [String] = []
  private var sessionCount = 0

  init() async throws {
    wire = NativeSSODemoWire(now: 1_760_000_000)
    let wire = wire
    let keys = try OpenIDKit.IssuerKeys(signing: SigningKey.generate(.es256, keyID: "demo-1"))
    let clients = [("notes", "vendor"), ("mail", "vendor"), ("stranger", "elsewhere")].map { id, group in
      RegisteredClient(
        id: id, nativeSSOEnabled: true, group: group, redirectURIs: ["com.example.\(id):/cb"],
        allowedScopes: ["openid", "profile"], defaultScopes: ["openid", "profile"])
    }
    var server = try MemoryProvider(
      issuer: Self.issuer, clients: clients, keys: keys, clock: WallClock { NumericDate(wire.now) })
    server.provider.native?.policy.errorDocumentation = Self.issuer + "/docs/errors"
    try await server.sessions.addUser(Self.user)
    for client in clients {
      try await server.sessions.grant(["openid", "profile"], userID: Self.user, clientID: client.id)
    }
    self.server = server
    wire.connect { [server] request in await server.respond(to: request, sourceAddress: "192.0.2.7") }
  }

  /// What was shown so far, and the table of messages.
  var transcript: String {
    (lines + [""] + wire.table).joined(separator: "\n") + "\n"
  }

  /// Plays all scenes. Returns why it stopped, if it did.
  func play() async -> CommandFailure? {
    do {
      try await login()
      try await silentSignIn()
      try await expiredIDToken()
      try await crossClientRefusal()
      try await revocation()
      try await expiredDeviceSecret()
      try await logout()
      try await rateLimit()
      return nil
    } catch let failure as CommandFailure {
      return failure
    } catch {
      return .invalid("native-sso: \(error)")
    }
  }

  // MARK: Scenes

  private func login() async throws {
    scene("1. Notes logs in through the browser")
    let app = try app("notes")
    let (login, url) = try await app.client.beginLogin()
    show("authorization request", url)
    let redirect = try await authenticate(url)
    show("redirect", redirect)
    wire.expect("code exchange, Notes")
    let signIn = try await app.client.completeLogin(login, redirect: redirect)
    showLast()
    try check(
      signIn.sharing == .stored,
      "the ID token's signature, iss, aud, exp, iat, nonce and at_hash hold; the pair is stored")
    let pair = try await storedPair()
    let claims = try verified(pair.idToken, audience: "notes")
    show("ID token, verified", claims)
    let expected = DSHashRecipe.leftHalfSHA256.value(of: pair.deviceSecret, signatureAlgorithm: "ES256")
    try check(claims["ds_hash"]?.stringValue == expected, "ds_hash is the left half of SHA-256 of the device secret")
    let record = try await server.provider.deviceSecretRecords.record(
      fingerprint: pair.deviceSecret.fingerprint, now: NumericDate(wire.now))
    try check(record != nil, "the provider knows the device secret by its hash only")
    wire.passed(2)
  }

  private func silentSignIn() async throws {
    scene("2. Mail signs in silently")
    let generation = try await SharedPair(sharedStore).read().generation
    wire.expect("token exchange, Mail")
    let outcome = await (try app("mail")).signInSilently()
    showLast()
    guard case .signedIn(let signIn) = outcome, let idToken = signIn.tokens.idToken else {
      throw failed("silent sign-in")
    }
    let claims = try verified(idToken, audience: "mail")
    show("ID token, verified", claims)
    try check(claims["sub"]?.stringValue == Self.user && claims["aud"] == "mail", "same user, own audience")
    try check(signIn.tokens.scope == "openid profile", "the scopes are what Mail may have, and no more")
    let after = try await SharedPair(sharedStore).read().generation
    try check(after == generation, "the shared pair stays as it was")
    wire.passed(3)
  }

  private func expiredIDToken() async throws {
    scene("3. Two hours later: the ID token has expired, the session lasts")
    wire.advance(7200)
    let pair = try await storedPair()
    try check(pair.idTokenExpiration < NumericDate(wire.now), "the stored ID token is past its exp")
    wire.expect("token exchange, expired ID token")
    guard case .signedIn = await (try app("mail")).signInSilently() else {
      throw failed("exchange of an expired ID token")
    }
    showLast()
    try check(true, "its signature and binding are what counts: tokens are issued")
    wire.passed(2)
  }

  private func crossClientRefusal() async throws {
    scene("4. A stranger's app gets hold of the pair")
    wire.expect("token exchange, stranger")
    let reason = await silentReason(try app("stranger"))
    showLast()
    guard case .refused(.accessDenied)? = reason else { throw failed("cross-client refusal") }
    try check(true, "access_denied: the apps are not of one group")
    try check(try await SharedPair(sharedStore).read().pair != nil, "decision: log in, keep the pair, do not try again")
    wire.passed(2)
    try await fallBack("stranger", sharing: false)
  }

  private func revocation() async throws {
    scene("5. An administrator revokes the device secret")
    let pair = try await storedPair()
    let record = try await server.provider.deviceSecretRecords.record(
      fingerprint: pair.deviceSecret.fingerprint, now: NumericDate(wire.now))
    guard let record else { throw failed("lookup of the device secret") }
    let cause = LogoutReason("lost phone")
    guard case .revoked = try await server.provider.revokeDeviceSecret(id: record.id, reason: cause) else {
      throw failed("revocation of the device secret")
    }
    try check(true, "revoked")
    wire.expect("token exchange, revoked")
    let reason = await silentReason(try app("mail"))
    showLast()
    guard case .refused(.invalidGrant)? = reason else { throw failed("refusal of a revoked secret") }
    try check(true, "invalid_grant; decision: delete the pair, log in")
    let gone = try await SharedPair(sharedStore).read().pair == nil
    try check(gone, "the pair is gone")
    wire.passed(2)
    try await fallBack("mail", sharing: true)
  }

  private func expiredDeviceSecret() async throws {
    scene("6. Thirty-one days later: the device secret has expired")
    wire.advance(31 * 86_400)
    wire.expect("token exchange, expired secret")
    let reason = await silentReason(try app("notes"))
    showLast()
    guard case .refused(.invalidGrant)? = reason else { throw failed("refusal of an expired secret") }
    try check(true, "invalid_grant, with the same words as before: the answer tells a thief nothing")
    wire.passed(1)
    try await fallBack("notes", sharing: true)
  }

  private func logout() async throws {
    scene("7. Signing out everywhere")
    let notes = try app("notes")
    wire.expect("token exchange, Notes")
    guard case .signedIn = await notes.signInSilently() else { throw failed("silent sign-in") }
    wire.passed(1)
    wire.expect("revocation: device secret")
    wire.expect("revocation: refresh token")
    let isRevoked = try await notes.signOut(.everywhere)
    showLast()
    try check(isRevoked, "refresh token and device secret are revoked")
    let reason = await silentReason(try app("mail"))
    try check(reason == .noPair, "Mail finds no pair and shows its login")
    wire.passed(2)
  }

  private func rateLimit() async throws {
    scene("8. An attacker guesses device secrets")
    try await fallBack("notes", sharing: true)
    let pair = try await storedPair()
    let server = server
    var last: HTTPResponseValue?
    for number in 1...11 {
      wire.expect("guess \(number)")
      let guess = TokenExchangeRequest(clientID: "mail", idToken: pair.idToken, deviceSecret: .random())
      let request = HTTPRequestValue.post(guess.form, to: Self.issuer + "/token")
      last = await wire.record(request) { await server.respond(to: $0, sourceAddress: "203.0.113.9") }
    }
    showLast()
    try check(last?.status == 429, "the eleventh in a minute is answered 429, for a quarter of an hour")
    wire.passed(1)
    wire.expect("token exchange, Mail")
    guard case .signedIn = await (try app("mail")).signInSilently() else { throw failed("sign-in beside the guesses") }
    try check(true, "the user's own device, at another address, is not disturbed")
    wire.passed(1)
  }

  // MARK: Steps

  private func fallBack(_ client: String, sharing: Bool) async throws {
    let stranger = MemorySecretStore()
    let app = try self.app(client, store: sharing ? sharedStore : stranger)
    let (login, url) = try await app.client.beginLogin()
    wire.expect("fallback login, \(client)")
    let signIn = try await app.client.completeLogin(login, redirect: try await authenticate(url))
    try check(
      signIn.origin == .interactive && signIn.sharing == .stored, "\(client) falls back to the browser and is in")
    wire.passed(1)
  }

  /// The user authenticates and agrees.
  private func authenticate(_ url: String) async throws -> String {
    sessionCount += 1
    let id = "session-\(sessionCount)"
    try await server.sessions.add(
      AuthenticationSession(id: id, userID: Self.user, authenticatedAt: NumericDate(wire.now)))
    return try await server.authorize(url: url, sessionID: id)
  }

  private func silentReason(_ app: NativeSSOSession) async -> LoginReason? {
    if case .loginRequired(let reason) = await app.signInSilently() { return reason }
    return nil
  }

  private func app(_ client: String, store: MemorySecretStore? = nil) throws -> NativeSSOSession {
    let (wire, keys) = (wire, server.provider.keys.verification)
    var metadata = try OpenIDProviderMetadata(
      issuer: Self.issuer, authorizationEndpoint: Self.issuer + "/authorize", tokenEndpoint: Self.issuer + "/token",
      keySetURL: Self.issuer + "/jwks")
    metadata.revocationEndpoint = Self.issuer + "/revoke"
    let configuration = NativeSSOClientConfiguration(
      clientID: client, redirectURI: "com.example.\(client):/cb", metadata: metadata, scopes: ["openid", "profile"],
      keys: { _ in keys }, transport: { try await wire.send($0) }, clock: WallClock { NumericDate(wire.now) })
    // Each scene starts the app anew.
    return try NativeSSOSession(
      configuration, pairs: store ?? sharedStore, tokens: MemorySecretStore(),
      signOut: SignOutMemory(load: { false }, save: { _ in }),
      clock: TokenClock(
        wall: configuration.clock, elapsed: TokenClock.system.elapsed, sleep: TokenClock.system.sleep))
  }

  private func storedPair() async throws -> SSOPair {
    guard let pair = try await SharedPair(sharedStore).read().pair else { throw failed("reading the pair") }
    return pair
  }

  private func verified(_ token: String, audience: String) throws -> JSONObject {
    var policy = JWTPolicy(issuer: .anyOf([Self.issuer]), audience: .anyOf([audience]))
    let wire = wire
    policy.clock = WallClock { NumericDate(wire.now) }
    let keys = server.provider.keys.verification
    return try JWTVerifier(keys: keys, algorithms: [.es256], policy: policy).verify(token).claims
  }

  // MARK: Showing

  private func scene(_ title: String) { lines += ["", title, String(repeating: "-", count: title.utf8.count)] }

  private func show(_ name: String, _ text: String) { lines.append("  \(name): \(text)") }

  private func show(_ name: String, _ object: JSONObject) {
    lines.append("  \(name):")
    lines += object.members.map { "    \($0.name) = \(NativeSSODemoWire.short($0.value))" }
  }

  private func showLast() { lines += wire.describeLast() }

  private func check(_ holds: Bool, _ text: String) throws(CommandFailure) {
    guard holds else { throw failed(text) }
    lines.append("  \u{2713} \(text)")
  }

  private func failed(_ text: String) -> CommandFailure { .invalid("native-sso: not so: \(text)") }
}
