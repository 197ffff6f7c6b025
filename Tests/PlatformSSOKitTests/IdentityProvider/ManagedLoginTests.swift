import JOSE
import Synchronization
import Testing
import OpenIDKit

@testable import PlatformSSOKit

/// The token manager over Platform SSO's refresh request, against the provider's side of this module.
@Suite("Token manager over Platform SSO")
struct ManagedLoginTests {
  /// Answers as the provider does, and rotates the refresh token each time.
  private final class Server: Sendable {
    let fixture: Fixture
    let refreshRequests = Mutex(0)
    let failure = Mutex<(any Error)?>(nil)
    let replacement = Mutex<HTTPResponseValue?>(nil)

    init(_ fixture: Fixture) { self.fixture = fixture }

    func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
      let provider = fixture.provider
      guard try !request.form().fields.contains(where: { $0.value == "srv_challenge" }) else {
        return try provider.serverNonceResponse(to: request)
      }
      let number = refreshRequests.withLock { count in
        count += 1
        return count + 1
      }
      if let error = failure.withLock({ $0 }) { throw error }
      if let response = replacement.withLock({ $0 }) { return response }
      do throws(JOSEError) {
        let refresh = try await provider.refreshRequest(from: request)
        let next = "rt-00000\(number)"
        _ = try? await fixture.store.give(next, expiration: fixture.clock.now.advanced(by: 28_800))
        let idToken = try provider.idToken(for: refresh, subject: "u-1")
        return try provider.loginResponse(
          to: refresh,
          LoginResponse(
            idToken: idToken, refreshToken: next, refreshTokenExpiresIn: .seconds(28_800), expiresIn: .seconds(3600)))
      } catch {
        return provider.errorResponse(for: error)
      }
    }
  }

  private struct NotReached: Error {}

  private static var settings: TokenSettings {
    var settings = TokenSettings()
    settings.thresholdJitter = .zero
    settings.requestTimeout = .milliseconds(97_250)
    settings.lockLease = .seconds(120)
    return settings
  }

  /// The fixture's time. A request's time-out is a real hour, a pause between attempts passes at once.
  private func clock(_ server: Server) -> TokenClock {
    let clock = server.fixture.clock
    return TokenClock(
      wall: clock.wallClock, elapsed: { Duration(saturating: clock.now.secondsSince1970) },
      sleep: { duration in
        if duration == Self.settings.requestTimeout { return try await Task.sleep(for: .seconds(3600)) }
        clock.advance(by: duration.inSeconds)
      })
  }

  private func refresher(_ fixture: Fixture, _ transport: @escaping HTTPTransport) -> OAuthTokenRefresher {
    OAuthTokenRefresher(
      tokenEndpoint: fixture.device.configuration.tokenEndpointURL, clientID: fixture.device.configuration.clientID,
      transport: fixture.device.refreshTransport(idTokenKeys: { fixture.idTokenKeys }, sending: transport))
  }

  private func manager(
    _ server: Server, refreshToken: String = "rt-000001", transport: HTTPTransport? = nil
  ) async throws -> TokenManager {
    let fixture = server.fixture
    let refresher = refresher(fixture, transport ?? { try await server.send($0) })
    let manager = try TokenManager(
      store: MemorySecretStore(), refresher: refresher, settings: Self.settings, clock: clock(server))
    try await manager.logIn(
      TokenAnswer(accessToken: "first", expiresIn: .seconds(3600), refreshToken: refreshToken))
    return manager
  }

  @Test("A token is renewed by a signed request and rotated, as often as it runs out")
  func renewal() async throws {
    let server = Server(try Fixture())
    let manager = try await manager(server)
    #expect(try await manager.validToken().value == "first")
    for round in 1...3 {
      server.fixture.clock.advance(by: 3400)
      let token = try await manager.validToken()
      let claims = try JSONObject(parsing: UnverifiedJWS(parsing: token.value).unverifiedPayload)
      #expect(claims["sub"] == "u-1")
      #expect(server.refreshRequests.withLock { $0 } == round)
      #expect(try await manager.validToken().value == token.value)
    }
  }

  @Test("The login's own response begins a managed login")
  func login() async throws {
    let server = Server(try Fixture())
    let (fixture, device) = (server.fixture, server.fixture.device)
    let request = try device.loginRequest(
      of: PresetTests.user, by: .password("correct horse"), nonces: fixture.nonces())
    let login = try await fixture.provider.loginRequest(from: request.httpRequest)
    let response = try fixture.provider.loginResponse(
      to: login,
      LoginResponse(
        idToken: fixture.provider.idToken(for: login, subject: "u-1"), refreshToken: "rt-000001",
        refreshTokenExpiresIn: .seconds(28_800), expiresIn: .seconds(3600)))
    let opened = try device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    let store = MemorySecretStore()
    let manager = try await PlatformSSOKitTests.manager(
      of: opened, on: device, store: store, idTokenKeys: { fixture.idTokenKeys }, send: { try await server.send($0) })
    #expect(try await manager.validToken().value == opened.response.idToken)
    let record = try #require(try await TokenRecords(store).load())
    #expect(record.refreshToken == "rt-000001" && record.idToken == opened.response.idToken)
    #expect(record.lifetime == 3600)
  }

  @Test("A refused refresh token ends the login, once")
  func refusal() async throws {
    let server = Server(try Fixture())
    let manager = try await manager(server, refreshToken: "rt-unknown")
    server.fixture.clock.advance(by: 4000)
    await #expect(throws: OpenIDError.self) { try await manager.validToken() }
    await #expect(throws: OpenIDError.self) { try await manager.validToken() }
    #expect(server.refreshRequests.withLock { $0 } == 1)
  }

  @Test("Without a refresh endpoint a renewal is a login, and a refusal of nonces is no matter of time")
  func noRefresh() async throws {
    let fixture = try Fixture()
    func error(
      _ device: PlatformSSODevice, _ status: Int, _ body: String
    ) async throws -> (status: Int, error: String?, sent: Int) {
      let sent = Mutex(0)
      let transport = device.refreshTransport(idTokenKeys: { fixture.idTokenKeys }) { _ in
        sent.withLock { $0 += 1 }
        return HTTPResponseValue(status: status, body: Array(body.utf8))
      }
      let answer = try await transport(
        .post(["grant_type": "refresh_token", "refresh_token": "r"], to: "https://idp.example.com/token"))
      let code = (try? JSONObject(parsing: answer.body))?["error"]?.stringValue
      return (answer.status, code, sent.withLock { $0 })
    }
    var device = fixture.device
    device.configuration.refreshEndpointURL = nil
    #expect(try await error(device, 200, #"{"Nonce":"n"}"#) == (400, "login_required", 0))
    for (status, body, expected, code) in [
      (400, #"{"error":"unauthorized_client"}"#, 400, "invalid_request"),
      (400, #"{"error":"invalid_grant"}"#, 400, "invalid_request"), (503, "", 503, "temporarily_unavailable"),
      (502, "<html>", 503, "temporarily_unavailable"), (200, "<html>", 503, "temporarily_unavailable"),
    ] {
      #expect(try await error(fixture.device, status, body) == (expected, code, 1), "\(status) \(body)")
    }
  }

  @Test("What failed before the refresh token left is tried again; what may have arrived is in doubt")
  func transportErrors() async throws {
    let server = Server(try Fixture())
    let refresher = refresher(server.fixture) { try await server.send($0) }
    func kind(_ refresher: OAuthTokenRefresher) async throws -> RefreshFailure.Kind? {
      let attempts = Mutex<[RefreshFailure.Kind]>([])
      let manager = try TokenManager(
        store: MemorySecretStore(),
        refresher: Recorder(inner: refresher) { kind in attempts.withLock { $0.append(kind) } },
        settings: Self.settings, clock: clock(server))
      try await manager.logIn(TokenAnswer(accessToken: "first", expiresIn: .seconds(1), refreshToken: "rt-000001"))
      server.fixture.clock.advance(by: 10)
      _ = try? await manager.validToken()
      return attempts.withLock { $0.first }
    }
    server.failure.withLock { $0 = RequestNotSent() }
    #expect(try await kind(refresher) == .notSent)
    server.failure.withLock { $0 = NotReached() }
    #expect(try await kind(refresher) == .noAnswer)
    server.failure.withLock { $0 = nil }
    for (status, body, expected) in [
      (200, "not a token", RefreshFailure.Kind.unusableAnswer), (429, "", .serverBusy), (502, "<html>", .noAnswer),
      (400, #"{"error":"invalid_request"}"#, .misconfigured("invalid_request")), (401, "", .invalidGrant),
      (401, #"{"error":"invalid_grant"}"#, .invalidGrant), (401, "{}", .invalidGrant),
      // Tokens that are not encrypted don't count, whatever the status.
      (200, #"{"access_token":"a","token_type":"Bearer"}"#, .unusableAnswer),
      (201, #"{"access_token":"a","token_type":"Bearer"}"#, .unusableAnswer),
      // A proxy's page, and a client that is refused, say nothing of the login.
      (401, "<html>", .unusableAnswer), (401, #"{"error":"invalid_client"}"#, .misconfigured("invalid_client")),
    ] {
      server.replacement.withLock { $0 = HTTPResponseValue(status: status, body: Array(body.utf8)) }
      #expect(try await kind(refresher) == expected, "\(status)")
    }
    let unreachable = self.refresher(server.fixture) { _ in throw NotReached() }
    #expect(try await kind(unreachable) == .notSent)
    let busy = self.refresher(server.fixture) { _ in HTTPResponseValue(status: 503, body: []) }
    #expect(try await kind(busy) == .serverBusy)
  }

  private struct Recorder: TokenRefresher {
    let inner: OAuthTokenRefresher
    let record: @Sendable (RefreshFailure.Kind) -> Void

    func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
      let outcome = await inner.refresh(attempt)
      if case .failed(let failure) = outcome { record(failure.kind) }
      return outcome
    }

    func revoke(refreshToken: String) async { await inner.revoke(refreshToken: refreshToken) }
  }
}
