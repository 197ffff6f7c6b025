import JOSE
import NativeSSOKit
import StrictJSON
import Testing
import OpenIDKit

@Suite("Client: both apps against a real provider")
struct ClientFlowTests {
  @Test("App A logs in, App B gets in silently, the pair stays as it was")
  func crossApp() async throws {
    let device = Device(try await World(seedsPair: false))
    let signIn = try await device.logIn(device.app("app-a"))
    #expect(signIn.sharing == .stored && signIn.origin == .interactive && signIn.sessionID != nil)
    #expect(signIn.tokens.scope == "openid profile device_sso")
    let before = try await SharedPair(device.store).read().serialized

    let announced = Recorder<Bool>()
    let tokens = KeptTokens()
    let silent = try await device.app("app-b", tokens: tokens).signIn(announcing: { announced.append(true) }) { url in
      Issue.record("no browser is needed")
      return url
    }
    #expect(silent.origin == .silent && silent.sharing == .unchanged)
    #expect(silent.subject == World.user && silent.tokens.scope == "openid profile")
    #expect(await tokens.tokens?.accessToken == silent.tokens.accessToken)
    #expect(announced.all == [true])
    #expect(try await SharedPair(device.store).read().serialized == before)
    let form = try device.network.form(1)
    #expect(try form.uniqueValue("audience") == World.issuer)
    #expect(try form.uniqueValue("actor_token_type") == TokenTypeIdentifier.deviceSecret.text)
    #expect(form.values("requested_token_type").isEmpty && form.values("client_id") == ["app-b"])
  }

  @Test("The authorization request carries S256, nonce, state and device_sso")
  func authorizationRequest() async throws {
    let device = Device(try await World())
    let login = try await device.app("app-a").beginLogin(["prompt": "login"])
    let query = try #require(login.url.split(separator: "?").last)
    let fields = try FormFields(decoding: Array(query.utf8))
    #expect(fields.values("scope") == ["openid profile device_sso"])
    #expect(fields.values("code_challenge_method") == ["S256"] && fields.values("prompt") == ["login"])
    for name in ["state", "nonce", "code_challenge"] { #expect(fields.values(name).first?.utf8.count == 43) }
    await #expect(throws: JOSEError.self) { try await device.app("app-a").beginLogin(["state": "fixed"]) }
    let authrim = try await device.app("app-a", profile: .authrim).beginLogin()
    #expect(!authrim.login.scopes.contains("device_sso"))
  }

  @Test("The worked example's authorization request, byte for byte")
  func workedRequest() async throws {
    let device = Device(try await World())
    let pkce = try PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    var configuration = device.configuration("app-a")
    configuration.redirectURI = "com.example.appa:/cb"
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    let login = try await app.beginLogin([:], CodeRequest(state: "st-4410", nonce: "n-7d1f", pkce: pkce))
    #expect(
      login.url == World.issuer + "/authorize?response_type=code&client_id=app-a&redirect_uri=com.example.appa%3A%2Fcb"
        + "&scope=openid%20profile%20device_sso&state=st-4410&nonce=n-7d1f"
        + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256")
  }

  @Test("P16 rotation: the client replaces the pair, and the next app uses the new one")
  func p16() async throws {
    let world = try await World(settings: ["enabled": true, "rotateOnExchange": true], seedsPair: false)
    let device = Device(world)
    _ = try await device.logIn(device.app("app-a"))
    let first = try await SharedPair(device.store).read()
    #expect(await device.app("app-b").signInSilently().signIn?.sharing == .stored)
    let second = try await SharedPair(device.store).read()
    #expect(second.generation == first.generation + 1)
    #expect(second.pair?.clientID == "app-b" && second.pair?.writer == "app-b")
    #expect(try #require(second.pair).deviceSecret.isSame(as: try #require(first.pair).deviceSecret) == false)
    world.clock.advance(61)
    #expect(await device.app("app-c").signInSilently().signIn != nil)
  }

  @Test("P19 a second login sends the secret that the device holds, and gets it back")
  func p19() async throws {
    let device = Device(try await World(seedsPair: false))
    _ = try await device.logIn(device.app("app-a"))
    let held = try #require(try await SharedPair(device.store).read().pair)
    _ = try await device.logIn(device.app("app-b"))
    #expect(try device.network.form(1).uniqueValue("device_secret") == held.deviceSecret.reveal())
    let now = try #require(try await SharedPair(device.store).read().pair)
    #expect(now.deviceSecret.isSame(as: held.deviceSecret) && now.clientID == "app-b")
    #expect(try await device.world.store.records(userID: World.user).count == 1)
  }

  @Test("P27 sign-out everywhere ends the session's pair; the next app must log in")
  func p27() async throws {
    let device = Device(try await World(seedsPair: false))
    let (appA, appB) = (device.app("app-a"), device.app("app-b"))
    _ = try await device.logIn(appA)
    #expect(await appB.signInSilently().signIn != nil)
    #expect(try await appA.signOut(.everywhere))
    #expect(await appB.signInSilently().reason == .noPair)
    let records = try await device.world.store.records(userID: World.user)
    #expect(records.allSatisfy { $0.revocation?.reason == .revokedByClient })
    #expect(try device.network.form(2).uniqueValue("token_type_hint") == "device_secret")
  }

  @Test("Signing out of one app keeps the pair, and that app does not sign back in by itself")
  func signOutOfOneApp() async throws {
    let device = Device(try await World(seedsPair: false))
    _ = try await device.logIn(device.app("app-a"))
    let appB = device.app("app-b")
    #expect(await appB.signInSilently().signIn != nil)
    #expect(try await !appB.signOut(.thisApp))
    #expect(await appB.signInSilently().reason == .signedOutByUser)
    #expect(await device.app("app-c").signInSilently().signIn != nil)
    try await appB.allowAutomaticSignIn()
    #expect(await appB.signInSilently().signIn != nil)
    _ = try await appB.signOut(.thisApp)
    _ = try await device.logIn(appB)
    #expect(await appB.signInSilently().signIn != nil)
  }

  @Test("P22 P23 a login beyond the limit stands, with and without a new secret")
  func limits() async throws {
    let world = try await World(
      settings: ["enabled": true, "maxDeviceSecretsPerUser": 1, "maxSecretsBehavior": "reject"])
    let device = Device(world)
    let signIn = try await device.logIn(device.app("app-a"))
    #expect(signIn.sharing == .unavailable)
    #expect(try await SharedPair(device.store).read().pair == nil)
  }

  @Test("Another user's login replaces the pair, or deletes it when it brings none")
  func otherUser() async throws {
    let world = try await World(seedsPair: false)
    try await world.addSession("s-other", user: "user-other")
    let device = Device(world)
    _ = try await device.logIn(device.app("app-a"))
    _ = try await device.logIn(device.app("app-b"), session: "s-other")
    #expect(try await SharedPair(device.store).read().pair?.subject == "user-other")
    let bare = NativeSSOClient(
      device.configuration("app-a", profile: ProviderProfile(deviceSSOScope: .never)), pairs: device.store,
      appTokens: KeptTokens())
    #expect(try await device.logIn(bare).sharing == .unavailable)
    #expect(try await SharedPair(device.store).read().pair == nil)
  }

  @Test("P24 P30 what discovery and the profile say is honoured")
  func profiles() async throws {
    let device = Device(try await World())
    try await device.storePair()
    let document: JSONObject = [
      "issuer": .string(World.issuer), "authorization_endpoint": .string(World.issuer + "/authorize"),
      "token_endpoint": .string(World.issuer + "/token"), "jwks_uri": .string(World.issuer + "/jwks"),
    ]
    let silent = try OpenIDProviderMetadata(parsing: document.serialized(), issuer: World.issuer)
    let unsupported = NativeSSOClient(
      device.configuration("app-b", metadata: silent), pairs: device.store,
      appTokens: KeptTokens())
    #expect(await unsupported.signInSilently().reason == .notSupported)
    #expect(device.network.requests.all.isEmpty)
    let pairwise = try await World(pairwise: true, seedsPair: false)
    let other = Device(pairwise)
    _ = try await other.logIn(other.app("app-a"))
    let profile = ProviderProfile(usesPairwiseSubjects: true)
    #expect(await other.app("app-b", profile: profile).signInSilently().signIn != nil)
    #expect(await other.app("app-b").signInSilently().reason == .responseRejected(NativeSSOClientTests.invalid("sub")))
    let okta = Device(try await World())
    try await okta.storePair()
    _ = await okta.app("app-b", profile: .okta()).signInSilently()
    #expect(try okta.network.form(0).uniqueValue("audience") == "api://default")
    #expect(
      try okta.network.form(0).uniqueValue("actor_token_type") == TokenTypeIdentifier.legacyDeviceSecret.text)
  }

  @Test("Confidential clients authenticate by their registered way")
  func confidential() async throws {
    let device = Device(try await World())
    try await device.storePair()
    var basic = device.configuration("app-basic")
    basic.authentication = .secretInForm("s3cret")
    #expect(
      await NativeSSOClient(basic, pairs: device.store, appTokens: KeptTokens()).signInSilently().signIn
        == nil)
    var post = device.configuration("app-post")
    post.authentication = .secretInForm("s3cret")
    #expect(
      await NativeSSOClient(post, pairs: device.store, appTokens: KeptTokens()).signInSilently().signIn
        != nil)
    #expect(try await SharedPair(device.store).read().pair != nil)
  }
}
