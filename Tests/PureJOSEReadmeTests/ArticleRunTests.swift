import IdentityTesting
import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON
import Testing

/// The articles' code, run: what one part of an article makes, the others take.
@Suite("Articles, run")
struct ArticleRunTests {
  /// Answers every request with a key set, and with metadata that name it.
  private static func issuer(_ keySet: [UInt8], name: String = "https://idp.example.com") -> HTTPTransport {
    { request in
      let metadata: JSONObject = ["issuer": .string(name), "jwks_uri": .string(name + "/jwks")]
      return HTTPResponseValue(status: 200, body: request.url.hasSuffix("/jwks") ? keySet : metadata.serialized())
    }
  }

  @Test("what the issuer of Getting started on a server signs, each of its verifiers accepts")
  func server() async throws {
    let issuer = try AccessTokenIssuer(pem: P256SigningKey().pemRepresentation)
    let token = try issuer.token(for: "jane", client: "shop", scope: "orders")
    let session = try Authenticator(keySet: issuer.keySet).session(authorization: "Bearer " + token)
    #expect(session?.sub == "jane" && session?.scope == "orders")
    #expect(
      try accessTokenVerifier(keys: JWKSet(parsing: issuer.keySet)).verify(token).registeredClaims.subject == "jane")
    #expect(await RemoteAuthenticator(send: Self.issuer(issuer.keySet)).status(for: token) == 200)
    // Another issuer's token, and an issuer that is down.
    let stranger = try AccessTokenIssuer(pem: P256SigningKey().pemRepresentation)
    let forged = try stranger.token(for: "jane", client: "shop", scope: "orders")
    #expect(try Authenticator(keySet: issuer.keySet).session(authorization: "Bearer " + forged) == nil)
    #expect(await RemoteAuthenticator(send: Self.issuer(issuer.keySet)).status(for: forged) == 401)
    #expect(await RemoteAuthenticator { _ in throw RequestNotSent() }.status(for: token) == 503)
  }

  @Test("the authenticator of Getting started on a server lets the right token in and no other")
  func authenticator() throws {
    let issuer = try SigningKey.generate(.es256, keyID: "2026-01")
    let keySet = JWKSet([try #require(issuer.verificationKey.publicJWK)]).serialized()
    let authenticator = try Authenticator(keySet: keySet)
    var claims: JSONObject = [
      "iss": "https://idp.example.com", "aud": "https://api.example.com", "sub": "jane", "client_id": "shop",
      "jti": "1", "scope": "orders", "iat": .number(JSONNumber(WallClock.system.now.wholeSeconds)),
      "exp": .number(JSONNumber(WallClock.system.now.wholeSeconds + 3600)),
    ]
    let token = try JWT.sign(claims, with: issuer, type: "at+jwt")
    #expect(authenticator.session(authorization: "Bearer " + token)?.sub == "jane")
    #expect(authenticator.session(authorization: token) == nil)
    #expect(authenticator.session(authorization: "Bearer " + token.dropLast()) == nil)
    claims["aud"] = "https://other.example.com"
    let other = try JWT.sign(claims, with: issuer, type: "at+jwt")
    #expect(authenticator.session(authorization: "Bearer " + other) == nil)
  }

  @Test("the messenger of Getting started in an app signs and opens")
  func messenger() throws {
    let messenger = Messenger()
    let keys = try JWKSet(parsing: messenger.publicKeys)
    let request = try JWS.verify(messenger.request("tea"), with: keys, algorithms: [.es256])
    #expect(request.header.type == "order+jwt")
    let recipient = try EncryptionKey(#require(keys.keys.last))
    #expect(try messenger.open(JWE.encrypt(Array("thanks".utf8), to: recipient)) == Array("thanks".utf8))
  }

  @Test("kinds of tokens: issuer, resource server and a client that authenticates itself")
  func kindsOfTokens() async throws {
    let key = try SigningKey.generate(.es256, keyID: "a")
    let keySet = JWKSet([try #require(key.verificationKey.publicJWK)])
    let token = try AccessTokens(key: key).token(for: "jane", client: "shop")
    #expect(try await Orders(send: Self.issuer(keySet.serialized())).subject(of: token) == "jane")

    let server = ClientAuthentication(keys: ["shop": keySet])
    var assertion = ""
    // A busy machine may wait for longer than an assertion lives.
    for attempt in 0..<20 {
      assertion = try JWT.sign(
        JWTClaims.clientAssertion(clientID: "shop", audience: "https://idp.example.com", lifetime: .seconds(300)),
        with: key)
      do {
        try await server.authenticate("shop", assertion: assertion)
        break
      } catch let error as JOSEError where error.code == .claimExpired && attempt < 19 {}
    }
    let used = assertion
    await #expect(throws: JOSEError.self) { try await server.authenticate("shop", assertion: used) }
    await #expect(throws: JOSEError.self) { try await server.authenticate("other", assertion: used) }
  }

  @Test("kinds of tokens: a login with Google")
  func google() async throws {
    let key = try SigningKey(
      pemRepresentation: try #require(RSASigningKey(bitCount: 2048).pemRepresentation), algorithm: .rs256, keyID: "g")
    let keySet = JWKSet([try #require(key.verificationKey.publicJWK)]).serialized()
    let login = GoogleLogin(
      keys: RemoteKeySet(url: "https://google.example.com/jwks", transport: Self.issuer(keySet)), clientID: "site")
    let claims = JWTClaims.idToken(
      issuer: "https://accounts.google.com", clientID: "site", subject: "107", nonce: "n", lifetime: .seconds(3600))
    let token = try JWT.sign(claims, with: key)
    #expect(try await login.account(of: token, nonce: "n") == "107")
    await #expect(throws: JOSEError.self) { try await login.account(of: token, nonce: "m") }
  }

  @Test("migrating: encrypted messages, tokens in tokens, and tokens of two services")
  func migrating() throws {
    let mailboxKey = P256AgreementPrivateKey()
    let mailbox = try Mailbox(pem: mailboxKey.pemRepresentation)
    let address = try JWK(pemRepresentation: mailboxKey.publicKey.pemRepresentation)
    let sealed = try Mailbox.seal(Array("hello".utf8), toJWK: String(decoding: address.serialized(), as: UTF8.self))
    #expect(try mailbox.open(sealed) == Array("hello".utf8))

    let issuer = try AccessTokenIssuer(pem: P256SigningKey().pemRepresentation)
    let recipient = JWK.generateForKeyAgreement(keyID: "r")
    let nested = try JWT.signAndEncrypt(
      JWTClaims(
        issuer: "https://idp.example.com", audience: "https://api.example.com", subject: "jane",
        lifetime: .seconds(3600)),
      with: issuer.key, to: EncryptionKey(try #require(recipient.publicKey), algorithm: .ecdhES))
    let verifier = nestedTokenVerifier(
      decryptionKey: try DecryptionKey(recipient, algorithm: .ecdhES), issuerKeys: try JWKSet(parsing: issuer.keySet))
    #expect(try verifier.verify(nested).registeredClaims.subject == "jane")

    let rsa = try RSASigningKey(bitCount: 2048)
    let tokens = try UserTokens(
      privateKeyPEM: try #require(rsa.pemRepresentation), publicKeyPEM: rsa.publicKey.pemRepresentation)
    let claims = try tokens.claims(of: tokens.token(for: "jane", admin: true))
    #expect(claims.sub == "jane" && claims.admin)
  }

  @Test("primitives, strict JSON and HTTP values")
  func values() throws {
    try primitives()
    #expect(try readAccount(Array(#"{"id":18446744073709551615,"name":"jane"}"#.utf8)).id == .max)
    #expect(throws: (any Error).self) { try readAccount(Array(#"{"id":1,"id":2,"name":"jane"}"#.utf8)) }
    #expect(try clientID(body: Array("grant_type=refresh_token&client_id=shop".utf8)) == "shop")
  }

  @Test("an app refreshes at the endpoint of the provider's article, and a code begins such a login")
  func refreshing() async throws {
    let records = MemoryRecordStore()
    let sessions = SessionRecords(records: records)
    try await sessions.addUser("jane")
    let provider = try RefreshEndpoint(key: Array(0...31), sessions: sessions, records: records) {
      "access-" + $0.grant.subject
    }
    let app = try AppTokens(store: MemorySecretStore()) { await provider.respond(to: $0) }
    // A token that the API refuses is refreshed, and the call made again.
    try await app.manager.logIn(
      TokenAnswer(
        accessToken: "old", expiresIn: nil, refreshToken: try await provider.begin(user: "jane", client: "app")),
      subject: "jane")
    let answer = try await app.orders { HTTPResponseValue(status: $0 == "Bearer access-jane" ? 200 : 401) }
    #expect(answer.status == 200)
  }

  @Test("a program that knows nothing but an address reads notes, and writes some after asking for more")
  func notes() async throws {
    var reader = RegisteredClient(
      id: "reader", redirectURIs: ["http://127.0.0.1:8765/callback"], allowedScopes: ["notes.read", "notes.write"],
      resources: ["https://notes.example.com/mcp"])
    reader.refreshTokens = true
    var policy = ProviderPolicy()
    policy.acceptsPlainOAuth = true
    // Codes and pushed requests live for a minute, for which a busy machine may wait.
    let memory = try MemoryProvider(
      issuer: "https://login.example.com", clients: [reader], policy: policy, clock: .fixed(at: WallClock.system.now))
    try await memory.sessions.addUser("jane")
    try await memory.sessions.add(
      AuthenticationSession(id: "s", userID: "jane", authenticatedAt: memory.provider.clock.now))
    let server = try NotesServer(transport: { await memory.respond(to: $0) })
    let program = NotesReader(
      transport: { request in
        guard request.url.hasPrefix("https://notes.example.com/") else { return await memory.respond(to: request) }
        return try await server.respond(to: request)
      }, confirms: { $0 == "Log in at https://login.example.com for https://notes.example.com/mcp?" },
      browse: { try await memory.authorize(url: $0, sessionID: "s") })
    let address = "https://notes.example.com/mcp"
    let (read, login) = try await program.send(HTTPRequestValue(method: "GET", url: address))
    #expect(read.status == 200 && login?.scopes == ["notes.read", "offline_access"])
    let (written, more) = try await program.send(HTTPRequestValue(method: "POST", url: address), login)
    #expect(written.status == 200 && more?.scopes == ["notes.read", "notes.write", "offline_access"])
    #expect(try await server.respond(to: HTTPRequestValue(method: "GET", url: address)).status == 401)
  }

  @Test("the provider from nothing logs a user in, remembers the browser, and gives tokens")
  func loginProvider() async throws {
    var client = RegisteredClient(id: "app", redirectURIs: ["https://app.example.com/cb"])
    client.needsConsent = false
    let provider = try LoginProvider(
      issuer: "https://idp.example.com", key: .generate(.es256, keyID: "k"), refreshKey: Array(0...31),
      cookieKey: SigningKey(secret: Array(32...63), algorithm: .hs256), clients: [client], records: MemoryRecordStore()
    ) { password, _ in
      password == "secret"
    }
    try await provider.sessions.addUser("jane")
    let base = "https://idp.example.com"
    let pkce = PKCE()
    let query: FormFields = [
      "client_id": "app", "redirect_uri": "https://app.example.com/cb", "response_type": "code", "scope": "openid",
      "code_challenge": pkce.challenge, "code_challenge_method": "S256",
    ]
    func get(_ path: String, _ cookies: String) async throws -> HTTPResponseValue {
      var request = HTTPRequestValue(method: "GET", url: base + path)
      if !cookies.isEmpty { try request.headers.set("Cookie", cookies) }
      return try await provider.respond(to: request, from: "192.0.2.1")
    }
    func cookies(_ response: HTTPResponseValue) -> String {
      response.headers.values("Set-Cookie").compactMap { $0.split(separator: ";").first.map(String.init) }
        .joined(separator: "; ")
    }
    let page = try await get("/authorize?" + query.encodedAsQuery(), "")
    let id = try #require(String(decoding: page.body, as: UTF8.self).split(separator: "\"").first { $0.count == 43 })
    func logIn(_ password: String, _ visit: String) async throws -> HTTPResponseValue {
      var request = HTTPRequestValue.post(
        ["request": String(id), "user": "jane", "password": password], to: base + "/login")
      try request.headers.set("Cookie", visit)
      return try await provider.respond(to: request, from: "192.0.2.1")
    }
    #expect(try await logIn("wrong", cookies(page)).status == 401)
    // Another browser can't answer it.
    #expect(try await logIn("secret", "__Host-visit=other").status == 400)
    let answer = try await logIn("secret", cookies(page))
    let location = try #require(answer.headers.values("Location").first)
    let code = try FormFields(decoding: Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
    let form: FormFields = [
      "grant_type": "authorization_code", "client_id": "app", "code": try code.requiredValue("code"),
      "redirect_uri": "https://app.example.com/cb", "code_verifier": pkce.verifier,
    ]
    let tokens = try await provider.respond(to: .post(form, to: base + "/token"), from: "192.0.2.1")
    #expect(try JSONObject(parsing: tokens.body)["id_token"]?.stringValue != nil)
    // The browser is known, and a form of another site finds it by a redirect.
    #expect(try await get("/authorize?" + query.encodedAsQuery(), cookies(answer)).status == 303)
    let posted = try await provider.respond(to: .post(query, to: base + "/authorize"), from: "192.0.2.1")
    let next = try #require(posted.headers.values("Location").first)
    #expect(try await get(next, cookies(answer)).headers.values("Location").first?.contains("code=") == true)
    #expect(try await get("/elsewhere", "").status == 404)
  }

  /// What each sample is run by. A sample that is only compiled can teach code that fails.
  @Test("every sample is run by a test")
  func everySampleIsRun() {
    #expect(Samples.notRun(Samples.names, in: Samples.tests) == Samples.elsewhere.keys.sorted())
  }

  @Test("a sample that no test runs is noticed")
  func plantedSample() {
    #expect(Samples.notRun(["Nobody": ["NobodyRunsThis"]], in: Samples.tests) == ["Nobody"])
  }
}
