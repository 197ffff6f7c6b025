import IdentityTesting
import JOSE
import StrictJSON
import Synchronization
import OpenIDKit

/// Plays token refresh in one process: an app's manager, a provider, and a network that fails. The clock is moved by
/// hand; nothing waits.
struct TokenRefreshDemo {
  let console: Console

  /// Plays all scenes and shows what went over the wire.
  ///
  /// - Throws: ``CommandFailure/invalid(_:)`` if anything turns out otherwise than it must.
  func run() async throws(CommandFailure) {
    try await DemoTranscript.play(on: console) { transcript in
      let script = try await TokenRefreshDemoScript(transcript)
      try await script.logIn()
      try await script.refreshOnce()
      try await script.loseAnAnswer()
      try await script.refusedAccessToken()
      try await script.reuse()
      try await script.changePassword()
    }
  }
}

/// The clock and the network of the demonstration.
private final class TokenRefreshDemoWorld: Sendable {
  private struct State {
    var seconds = 1_760_000_000.0
    var lostAnswers = 0
    var requests = 0
    var accessTokens: [String] = []
  }

  private let state = Mutex(State())

  var requests: Int { state.withLock { $0.requests } }
  func advance(_ seconds: Double) { state.withLock { $0.seconds += seconds } }
  func loseNextAnswer() { state.withLock { $0.lostAnswers += 1 } }
  func countRequest() { state.withLock { $0.requests += 1 } }
  /// The access tokens that the provider has sent, in their order.
  var accessTokens: [String] { state.withLock { $0.accessTokens } }
  func note(_ answer: HTTPResponseValue) {
    guard let token = (try? JSONObject(parsing: answer.body))?["access_token"]?.stringValue else { return }
    state.withLock { $0.accessTokens.append(token) }
  }

  /// Whether the answer that is about to be delivered gets lost.
  func takeLoss() -> Bool {
    state.withLock { state in
      guard state.lostAnswers > 0 else { return false }
      state.lostAnswers -= 1
      return true
    }
  }

  var wall: WallClock { WallClock { NumericDate(0).advanced(by: self.state.withLock { $0.seconds }) } }

  var clock: TokenClock {
    TokenClock(
      wall: wall, elapsed: { Duration(saturating: self.state.withLock { $0.seconds }) },
      sleep: { duration in
        // The time-out of a request is 30 seconds, which never passes here; a pause passes at once.
        guard duration < .seconds(30) else { return try await Task.sleep(for: .seconds(3600)) }
        self.advance(duration.inSeconds)
      })
  }
}

/// The scenes.
private actor TokenRefreshDemoScript {
  private struct ConnectionReset: Error {}

  private let transcript: DemoTranscript
  private let world = TokenRefreshDemoWorld()
  private let server: MemoryProvider
  private let store = MemorySecretStore()
  private let refresher: OAuthTokenRefresher
  private var manager: TokenManager
  private var stolen = ""

  init(_ transcript: DemoTranscript) async throws {
    self.transcript = transcript
    let world = world
    let server = try MemoryProvider(
      issuer: "https://op.example.com",
      clients: [RegisteredClient(id: "app-a", allowedScopes: ["openid", "profile"])], clock: world.wall)
    try await server.sessions.addUser("alice")
    self.server = server
    refresher = OAuthTokenRefresher(tokenEndpoint: "https://op.example.com/token", clientID: "app-a") { request in
      world.countRequest()
      transcript.message("refresh request", request)
      let response = await server.respond(to: request)
      world.note(response)
      if world.takeLoss() {
        transcript.message("answer, lost on the way", response)
        throw ConnectionReset()
      }
      transcript.message("answer", response)
      return response
    }
    manager = try Self.makeManager(store, refresher, world)
  }

  private static func makeManager(
    _ store: MemorySecretStore, _ refresher: OAuthTokenRefresher, _ world: TokenRefreshDemoWorld
  ) throws -> TokenManager {
    var settings = TokenSettings()
    settings.thresholdJitter = .zero
    return try TokenManager(store: store, refresher: refresher, settings: settings, clock: world.clock)
  }

  func logIn() async throws {
    transcript.scene("A login begins a family of refresh tokens")
    let issued = try await server.provider.refreshTokens.issue(
      RefreshGrant(subject: "alice", clientID: "app-a", scope: ["openid", "profile"]))
    try await manager.logIn(
      TokenAnswer(accessToken: "first", expiresIn: .seconds(3600), refreshToken: issued.refreshToken))
    stolen = issued.refreshToken
    transcript.message(
      "login's tokens", ["refresh_token: \(issued.refreshToken)"], byteCount: issued.refreshToken.utf8.count)
    try transcript.check("the state is fresh", await manager.state == .fresh)
  }

  func refreshOnce() async throws {
    transcript.scene("1000 callers with 299 seconds left")
    world.advance(3301)
    let manager = manager
    let values = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1000 { group.addTask { try await manager.validToken().value } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    try transcript.check("one request on the wire", world.requests == 1)
    try transcript.check("every caller has the new token", values == [world.accessTokens[0]])
    try transcript.check("the store has the new refresh token", try await TokenRecords(store).load()?.generation == 2)
  }

  func loseAnAnswer() async throws {
    transcript.scene("An answer is lost, and the app crashes")
    world.advance(3301)
    world.loseNextAnswer()
    let old = try await manager.validToken()
    try transcript.check("the old token still serves", old.value == world.accessTokens[0])
    try transcript.check(
      "the store knows that a rotation may have happened", try await TokenRecords(store).load()?.pendingRotation != nil)
    manager = try Self.makeManager(store, refresher, world)
    transcript.show("the app starts again, 5 seconds later")
    world.advance(5)
    try transcript.check(
      "the same refresh token again brings a token", try await manager.validToken().value == world.accessTokens[2])
    try transcript.check("nothing is pending any more", try await TokenRecords(store).load()?.pendingRotation == nil)
  }

  func refusedAccessToken() async throws {
    transcript.scene("A resource server refuses the current access token")
    let refused = world.accessTokens[2]
    let outcome = try await manager.withValidToken { token -> CallOutcome<String> in
      token.value == refused ? .unauthorized("401") : .finished(token.value)
    }
    guard case .finished(let value) = outcome else { throw DemoTranscript.Unexpected() }
    try transcript.check("one refresh, one retry", value == world.accessTokens[3])
  }

  func reuse() async throws {
    transcript.scene("A thief presents the first refresh token")
    let thief = OAuthTokenRefresher(tokenEndpoint: "https://op.example.com/token", clientID: "app-a") {
      [transcript, server] request in
      transcript.message("thief's request", request)
      let response = await server.respond(to: request)
      transcript.message("answer to the thief", response)
      return response
    }
    let manager = try Self.makeManager(MemorySecretStore(), thief, world)
    try await manager.logIn(TokenAnswer(accessToken: "x", expiresIn: .zero, refreshToken: stolen))
    let error = await failure { _ = try await manager.validToken() }
    try transcript.check(
      "the thief gets nothing: \(error?.logoutReason?.description ?? "-")", error?.logoutReason == .invalidGrant)
    world.advance(3301)
    let owner = self.manager
    let ended = await failure { _ = try await owner.validToken(minimumRemaining: .seconds(1000)) }
    try transcript.check(
      "nor does the owner: the family is revoked, \(ended?.logoutReason?.description ?? "-")",
      ended?.logoutReason == .invalidGrant)
    try transcript.check("the store is empty", try await TokenRecords(store).load() == nil)
    let again = await failure { _ = try await owner.validToken() }
    try transcript.check("later calls fail without a request", again?.code == .reauthenticationRequired)
  }

  func changePassword() async throws {
    transcript.scene("A new login, and a password change elsewhere")
    try await logIn()
    try await server.provider.refreshTokens.revoke(.subject("alice"), .passwordChanged)
    world.advance(4000)
    let manager = manager
    let error = await failure { _ = try await manager.validToken() }
    try transcript.check(
      "the login has ended: \(error?.logoutReason?.description ?? "-")", error?.code == .reauthenticationRequired)
    try transcript.check("the state says so", await manager.state == .reauthenticationRequired(.invalidGrant))
  }

  private func failure(_ body: () async throws -> Void) async -> OpenIDError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? OpenIDError
    }
  }
}
