import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import Testing

/// Logins at a provider that takes no authorization request but a pushed one, and gives no token without a proof of
/// possession that has one of its nonces.
@Suite struct DemandingProviderTests {
  private let device: Device
  private let server: MemoryProvider

  init() async throws {
    let world = try await World(seedsPair: false)
    var server = world.server
    server.provider.clients = StaticClientDirectory(
      World.clients.map { client in
        var client = client
        (client.requiresPushedRequests, client.requiresDPoP, client.needsConsent) = (true, true, false)
        return client
      })
    server.provider.proofs.nonces = .required(DPoPNonces())
    (device, self.server) = (Device(world), server)
    device.network.answer { [server] in await server.respond(to: $0) }
  }

  private func configuration(_ clientID: String, proofKey: SigningKey?) -> NativeSSOClientConfiguration {
    var metadata = device.world.metadata
    metadata.pushedAuthorizationEndpoint = World.issuer + "/par"
    metadata.requiresPushedRequests = true
    var configuration = device.configuration(clientID, metadata: metadata)
    configuration.proofKey = proofKey
    return configuration
  }

  private func session(_ clientID: String, tokens: MemorySecretStore) throws -> NativeSSOSession {
    let configuration = try configuration(clientID, proofKey: SigningKey.generate(.es256))
    let clock = device.world.clock
    return try NativeSSOSession(
      configuration, pairs: device.store, tokens: tokens, signOut: SignOutMemory(load: { false }, save: { _ in }),
      clock: TokenClock(
        wall: clock.wall, elapsed: { Duration(saturating: clock.now) },
        sleep: { _ in try await Task.sleep(for: .seconds(86_400)) }))
  }

  @Test func `a login, an exchange and a refresh are pushed and proved`() async throws {
    let (server, kept) = (server, MemorySecretStore())
    let mail = try session("app-a", tokens: kept)
    let shown = Recorder<String>()
    let signIn = try await mail.signIn { url in
      shown.append(url)
      return try await server.authorize(url: url, sessionID: World.session)
    }
    #expect(signIn.origin == .interactive && signIn.sharing == .stored && signIn.tokens.tokenType == "DPoP")
    // The browser carries a reference and nothing else.
    let address = try #require(shown.all.first)
    let query = try #require(try URIComponents(parsing: address).query)
    #expect(try FormFields(decoding: Array(query.utf8)).fields.map(\.name) == ["client_id", "request_uri"])
    let pushed = try device.network.form(0)
    #expect(pushed.values("scope") == ["openid profile device_sso"] && pushed.values("dpop_jkt").count == 1)

    let chat = try session("app-b", tokens: MemorySecretStore())
    let silent = try #require(await chat.signInSilently().signIn)
    #expect(silent.subject == signIn.subject && silent.tokens.tokenType == "DPoP")

    let before = try await mail.validToken().value
    device.world.clock.advance(3595)
    #expect(try await mail.validToken().value != before)
    #expect(try await TokenRecords(kept).load()?.refreshToken != signIn.tokens.refreshToken)
  }

  @Test func `a client that pushes and proves nothing gets in nowhere`() async throws {
    let plain = device.app("app-a")
    let (login, url) = try await plain.beginLogin()
    let redirect = try await server.authorize(url: url, sessionID: World.session)
    await #expect(throws: JOSEError(.serverRefused, "", name: "invalid_request")) {
      try await plain.completeLogin(login, redirect: redirect)
    }
    let unproved = NativeSSOClient(
      configuration("app-a", proofKey: nil), pairs: device.store, appTokens: KeptTokens())
    let (pushed, reference) = try await unproved.beginLogin()
    let answer = try await server.authorize(url: reference, sessionID: World.session)
    await #expect(throws: JOSEError(.serverRefused, "", name: "invalid_dpop_proof")) {
      try await unproved.completeLogin(pushed, redirect: answer)
    }
  }

  @Test func `a provider whose endpoint for pushed requests is not named begins no login`() async throws {
    var configuration = configuration("app-a", proofKey: nil)
    configuration.metadata.pushedAuthorizationEndpoint = nil
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    await #expect(throws: JOSEError(.callerMisuse, "", name: "provider")) { try await app.beginLogin() }
  }

  @Test func `tokens of an exchange that are not bound are refused`() async throws {
    let device = Device(try await World())
    try await device.storePair()
    var configuration = device.configuration("app-b")
    configuration.proofKey = try SigningKey.generate(.es256)
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    // A provider that knows nothing of proofs.
    device.network.answer { [world = device.world] request in
      await world.server.respond(to: .post(try request.form(), to: request.url))
    }
    #expect(
      await app.signInSilently().reason == .responseRejected(JOSEError(.answerMalformed, "", name: "token_type")))
    #expect(device.network.requests.all.map { $0.headers.values("DPoP").count } == [1])
  }
}
