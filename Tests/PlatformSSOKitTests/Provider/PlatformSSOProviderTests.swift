import JOSE
@testable import PlatformSSOKit
import PureCrypto
import Testing

@Suite("A provider in one value")
struct PlatformSSOProviderTests {
  @Test("A Mac registers, logs in, enrolls a key, refreshes and gets its unlock key")
  func wholeDay() async throws {
    let world = try ProviderWorld()
    let provider = try world.provider()
    let mac = try await world.mac(at: provider)
    let login = try await mac.logIn(password: "correct horse")
    #expect(login.uniqueIdentifier == "5b1f8c3e" && login.idToken.claims["name"] == "Jane Example")
    #expect(login.idToken.claims["groups"] == ["staff"])

    let userKey = try SigningKey.generate(.es256)
    let enrolment = UserRegistration(
      userKey: try RegisteredKey(signingKey: userKey.verificationKey), accessToken: login.response.refreshToken)
    let enrolled = await provider.respond(to: try enrolment.httpRequest(to: ProviderWorld.address + "/register/user"))
    #expect(enrolled?.status == 201)
    let byKey = try mac.device.loginRequest(
      of: mac.user, by: .userSecureEnclaveKey(userKey), nonces: await mac.nonces())
    _ = try mac.device.openLoginResponse(
      await mac.send(byKey.httpRequest), to: byKey, idTokenKeys: mac.idTokenKeys)

    let session = PlatformSSOSession(of: login.response, at: Fixture.now)
    let refreshed = try #require(await mac.refresh(login, in: session))
    #expect(refreshed.uniqueIdentifier == "5b1f8c3e")
    let key = try await mac.unlockKey(refreshed)
    #expect(try await mac.unlockKey(refreshed).publicKeyX963Representation == key.publicKeyX963Representation)
    #expect(world.refusals.isEmpty)
  }

  @Test("A wrong password and an unknown user get the same answer, and a removed user is not let in again")
  func wrong() async throws {
    let world = try ProviderWorld()
    let provider = try world.provider()
    let mac = try await world.mac(at: provider)
    let login = try await mac.logIn(password: "correct horse")
    await #expect(throws: JOSEError(.credentialRejected, "")) { try await mac.logIn(password: "a guess") }
    let stranger = TestMac(
      device: mac.device, user: UserLoginConfiguration(loginUserName: "nobody"), idTokenKeys: mac.idTokenKeys,
      send: mac.send)
    await #expect(throws: JOSEError(.credentialRejected, "")) { try await stranger.logIn(password: "a guess") }
    #expect(world.refusals.map(\.code) == [.passwordRejected, .passwordRejected])
    #expect(!world.refusals.contains { "\($0)".contains("a guess") || "\($0)".contains("nobody") })

    await world.users.set(nil)
    let session = PlatformSSOSession(of: login.response, at: Fixture.now)
    await #expect(throws: JOSEError.self) { try await mac.refresh(login, in: session) }
    #expect(world.refusals.last?.code == .accountLocked)
  }

  @Test("A refresh that fails for an illegal subject leaves the refresh token valid")
  func illegalSubject() async throws {
    let world = try ProviderWorld()
    let mac = try await world.mac(at: world.provider())
    let login = try await mac.logIn(password: "correct horse")
    await world.users.set(PlatformSSOUser(subject: "jané"))
    let session = PlatformSSOSession(of: login.response, at: Fixture.now)
    await #expect(throws: JOSEError.self) { try await mac.refresh(login, in: session) }
    await world.users.set(PlatformSSOUser(subject: "5b1f8c3e"))
    world.clock.advance(by: 120)
    #expect(try await mac.refresh(login, in: session) != nil)
  }

  @Test("Two servers with one store and one secret are one provider, and with another secret they are not")
  func twoServers() async throws {
    let world = try ProviderWorld()
    let (first, second) = (try world.provider(), try world.provider())
    let mac = try await world.mac(at: first)
    let login = try await mac.logIn(password: "correct horse")
    let key = try await mac.unlockKey(login)
    let other = P256AgreementPrivateKey()
    func exchange(at provider: PlatformSSOProvider) async throws -> HTTPResponseValue {
      let request = try mac.device.keyRequest(
        of: mac.user, refreshToken: login.response.refreshToken, otherPublicKey: other.publicKey.x963Representation,
        keyContext: key.keyContext, nonces: await mac.nonces())
      return try #require(await provider.respond(to: request.httpRequest))
    }
    #expect(try await exchange(at: second).status == 200)
    let stranger = try world.provider(secret: .random(count: 32))
    #expect(try await exchange(at: stranger).status == 400)
    #expect(world.refusals.map(\.code) == [.serverNonceInvalid])
  }

  @Test(
    "A request for another path or host is not answered",
    arguments: [
      "/", "", "/jwksx", "/jwks/", "/JWKS", "/psso", "/idp/jwks", "https://other.example.com/jwks",
      "http://idp.example.com/jwks", "https://idp.example.com", "https://idp.example.com.evil.example/jwks",
      "//idp.example.com/jwks", "/psso/%74oken", "/register/../jwks", "?/jwks",
    ])
  func others(_ url: String) async throws {
    let provider = try ProviderWorld().provider()
    #expect(await provider.respond(to: HTTPRequestValue(method: "GET", url: url)) == nil)
  }

  @Test("The key set and the association file are for anybody, to read alone")
  func documents() async throws {
    let world = try ProviderWorld()
    let provider = try world.provider()
    for url in ["/jwks", "/jwks?x=1", ProviderWorld.address + "/jwks"] {
      let answer = try await ProviderWorld.get(url, at: provider)
      #expect(answer.status == 200 && answer.headers.values("Content-Type") == ["application/json"])
      #expect(try JWKSet(parsing: answer.body).keys.map(\.keyID) == ["idp-1"])
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("\"d\""))
    }
    let file = try await ProviderWorld.get("/.well-known/apple-app-site-association", at: provider)
    #expect(try JSONObject(parsing: file.body) == ["authsrv": ["apps": ["ABCDE12345.com.example.mac.ssoe"]]])
    let head = await provider.respond(to: HTTPRequestValue(method: "HEAD", url: "/jwks"))
    #expect(head?.status == 200 && head?.body == [])
    for method in ["POST", "PUT", "get"] {
      #expect(await provider.respond(to: HTTPRequestValue(method: method, url: "/jwks"))?.status == 405)
    }
    for url in ["/register", "/register/user", "/psso/token", "/psso/login", "/psso/nonce", "/psso/key"] {
      let answer = try await ProviderWorld.get(url, at: provider)
      #expect((400...499).contains(answer.status), "\(url): \(answer.status)")
    }
  }

  @Test("An address with a path has all places below it, and the association file below the host")
  func path() async throws {
    let world = try ProviderWorld()
    let provider = try world.provider(address: "https://example.com/idp")
    #expect(provider.loginConfiguration.tokenEndpointURL == "https://example.com/idp/psso/token")
    let mac = try await world.mac(at: provider)
    #expect(try await mac.logIn(password: "correct horse").uniqueIdentifier == "5b1f8c3e")
    #expect(try await ProviderWorld.get("/idp/jwks", at: provider).status == 200)
    #expect(await provider.respond(to: HTTPRequestValue(method: "GET", url: "/jwks")) == nil)
    let file = "/.well-known/apple-app-site-association"
    #expect(try await ProviderWorld.get(file, at: provider).status == 200)
    #expect(await provider.respond(to: HTTPRequestValue(method: "GET", url: "/idp" + file)) == nil)
  }

  @Test(
    "Addresses that a provider can't have are refused",
    arguments: [
      "http://idp.example.com", "https://idp.example.com/", "https://idp.example.com?a", "https://idp.example.com#a",
      "idp.example.com", "", "/", "https://", "ftp://idp.example.com", "https://idp.example.com/a/",
    ])
  func addresses(_ address: String) throws {
    let world = try ProviderWorld()
    #expect(throws: JOSEError(.callerMisuse, "", name: "address")) { try world.provider(address: address) }
  }

  @Test("Short secrets and keys that no Mac takes are refused")
  func secrets() throws {
    let world = try ProviderWorld()
    #expect(throws: JOSEError(.callerMisuse, "", name: "secret")) {
      try world.provider(secret: .random(count: 31))
    }
    #expect(throws: JOSEError(.keyMismatch, "", name: "idTokenKey")) {
      try world.provider(key: .generate(.ed25519))
    }
  }

  @Test("A login lasts as long as the provider says")
  func lifetime() async throws {
    let world = try ProviderWorld()
    var provider = try world.provider()
    provider.loginLifetime = .seconds(600)
    let mac = try await world.mac(at: provider)
    let login = try await mac.logIn(password: "correct horse")
    #expect(login.response.refreshTokenExpiresIn == .seconds(600))
    world.clock.advance(by: 601)
    let request = try mac.device.refreshRequest(
      refreshToken: login.response.refreshToken, nonces: await mac.nonces())
    #expect(try await mac.send(request.httpRequest).status == 401)
  }
}
