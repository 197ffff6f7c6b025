import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JOSE
import Logging
import NIOEmbedded
import Testing

@testable import IdentityProvider

/// An account that is taken back from a thief, who is at work meanwhile.
@Suite struct RecoveryTests {
  /// Gives the user a second factor, and returns how to make codes of it.
  private static func addSecondFactor(_ world: World) async throws -> @Sendable () -> String {
    let (seed, clock) = (RandomText.octets(20), world.provider.clock)
    let code = { @Sendable in OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: clock.now)) }
    #expect(try await world.provider.secondFactors.enable(seed: seed, code: code(), of: world.user) != nil)
    world.wait(30)
    return code
  }

  private static var replacement: UserChange {
    var change = UserChange()
    change.password = "the owner's own new password"
    return change
  }

  @Test func `a recovery whose password can't be hashed changes nothing`() async throws {
    try await World.run { world in
      let provider = world.provider
      _ = try await Self.addSecondFactor(world)
      var change = Self.replacement
      (change.email, change.removesSecondFactor, change.removesPasskeys) = ("new@example.com", true, true)
      let asked = change
      // As if too many passwords waited.
      let work = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await provider.change(world.user, asked)
      }
      await #expect(throws: (any Error).self) { try await work.value }
      let user = try #require(try await provider.users.user(id: world.user.id))
      #expect(user.hasSecondFactor && user.email == "alice@example.com")
    }
  }

  @Test func `a login that waits for its second factor ends with the password that began it`() async throws {
    try await World.run { world in
      let code = try await Self.addSecondFactor(world)
      let thief = TestBrowser(world)
      let login = try await thief.logIn(try await thief.open("/login"))
      #expect(login.page == "totp")
      try await world.provider.change(world.user, Self.replacement)
      let answer = try await thief.submit(login, "/login/code", ["code": code()])
      #expect(answer.page == "error" && answer.text.contains("request_expired"))
      #expect(try await world.provider.browsers.sessions(userID: world.user.id).isEmpty)
    }
  }

  @Test func `an operation that the old password began is refused after a password change`() async throws {
    try await World.run { world in
      let (provider, thief) = (world.provider, world.user)
      let (data, credential) = try PasskeyVerifier(issuer: World.issuer)
        .registration(attestationObject: Authenticator().attestation(), clientData: [])
      try await provider.change(thief, Self.replacement)
      await #expect(throws: PageRefusal.self) {
        try await provider.users.write(for: thief) {
          try provider.passkeys.add(credential, data, name: "thief", userID: thief.id, in: $0)
        }
      }
      let (seed, clock) = (RandomText.octets(20), provider.clock)
      let code = OneTimePassword.code(seed: seed, step: OneTimePassword.step(at: clock.now))
      await #expect(throws: PageRefusal.self) {
        try await provider.secondFactors.enable(seed: seed, code: code, of: thief)
      }
      let request = Request(
        head: HTTPRequest(method: .post, scheme: "https", authority: "op.example", path: "/login"),
        body: RequestBody(buffer: .init()))
      let context = ProviderContext(
        source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Logger(label: "test")))
      await #expect(throws: PageRefusal.self) {
        try await provider.finishLogin(thief, methods: ["pwd"], interactionID: nil, request, context)
      }
      #expect(try await provider.browsers.sessions(userID: thief.id).isEmpty)
    }
  }

  @Test func `a new password makes all browsers unknown except the one that set it`() async throws {
    try await World.run { world in
      let (provider, browser) = (world.provider, TestBrowser(world))
      func isKnown() async throws -> Bool {
        let user = try #require(try await provider.users.user(id: world.user.id))
        return provider.isKnownBrowser(browser.cookies["__Host-known"] ?? "", of: user)
      }
      let page = try await browser.logIn(try await browser.open("/login"))
      #expect(try await isKnown())
      let new: FormFields = ["password": World.password, "new-password": "another quite long password"]
      #expect(try await browser.submit(page, "/account/password", new).status == .ok)
      #expect(try await isKnown())
      try await provider.change(world.user, Self.replacement)
      #expect(try await !isKnown())
    }
  }
}
