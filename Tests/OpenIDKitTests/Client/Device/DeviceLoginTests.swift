import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Programs without a browser as clients: at our provider, and at servers that answer as others do.
@Suite struct DeviceLoginTests {
  private static let issuer = "https://as.example.com"
  private static let codes: JSONObject = [
    "device_code": "dc", "user_code": "WDJB-MJHT", "verification_uri": "https://as.example.com/device",
    "expires_in": 600, "interval": 5,
  ]

  /// A server that says what it is told to, one answer after the other, and the last one for ever.
  private final class Server: Sendable {
    let clock = VirtualClock()
    private let state: Mutex<(codes: HTTPResponseValue, answers: [HTTPResponseValue?], sent: [HTTPRequestValue])>

    init(_ codes: JSONObject = DeviceLoginTests.codes, _ answers: HTTPResponseValue?...) {
      state = Mutex((.json(200, codes), answers, []))
    }

    var sent: [HTTPRequestValue] { state.withLock { $0.sent } }

    var transport: HTTPTransport {
      { [self] request in
        let answer = state.withLock { state -> HTTPResponseValue? in
          state.sent.append(request)
          guard !request.url.hasSuffix("/codes") else { return state.codes }
          return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        guard let answer else { throw OpenIDError(.temporarilyUnavailable, "no answer") }
        return answer
      }
    }

    func logIn(
      scope: String? = "read", resource: String? = nil, proofKey: SigningKey? = nil,
      show: @Sendable (DeviceAuthorization) async -> Void = { _ in }
    ) async throws(OpenIDError) -> TokenManager {
      try await TokenManager.device(
        authorizationEndpoint: issuer + "/codes", tokenEndpoint: issuer + "/token", clientID: "tv", scope: scope,
        resource: resource, proofKey: proofKey, clock: clock.tokenClock, transport: transport, show: show)
    }
  }

  private static func error(_ code: String, _ status: Int = 400) -> HTTPResponseValue {
    .json(status, ["error": .string(code)])
  }

  private static let pending = error("authorization_pending")
  private static let tokens = HTTPResponseValue.json(
    200, ["access_token": "at", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt"])

  // MARK: At our provider

  private func client(
    _ world: DeviceWorld, _ id: String = "tv", binding: OpenIDClient.TokenBinding = .none
  ) async throws -> OpenIDClient {
    let transport: HTTPTransport = { request in
      await world.provider.respond(to: request, from: "192.0.2.7") ?? HTTPResponseValue(status: 404)
    }
    return try OpenIDClient(
      clientID: id, provider: try await .discover(ProviderWorld.issuer, transport: transport),
      algorithms: [.es256, .ps256], scopes: ["profile", "offline_access"], binding: binding,
      clock: world.clock.tokenClock, transport: transport)
  }

  @Test(arguments: [false, true]) func `a user logs in on another device`(isBound: Bool) async throws {
    let world = try await DeviceWorld()
    let client = try await client(world, binding: isBound ? .freshKey : .none)
    let shown = Mutex<[DeviceAuthorization]>([])
    let login = try await client.logInDevice(resource: "https://api.example.com") { codes in
      shown.withLock { $0.append(codes) }
      do { #expect(try await world.agree(codes.userCode)) } catch { Issue.record(error) }
    }
    let codes = try #require(shown.withLock { $0.first })
    #expect(codes.verificationURI == DeviceWorld.page && codes.lifetime == .seconds(600))
    #expect(codes.verificationURIComplete == DeviceWorld.page + "?user_code=" + codes.userCode)
    #expect(login.subject == "jane" && login.tokens.tokenType == (isBound ? "DPoP" : "Bearer"))
    #expect((login.proofKey != nil) == isBound)
    #expect(try world.world.claims(login.tokens.accessToken)["aud"] == "https://api.example.com")
    // What was answered before the first question is had by it.
    #expect(world.clock.pauses == [5])
    world.clock.advance(3500)
    let renewed = try await login.manager.validToken()
    #expect(renewed.value != login.tokens.accessToken)
  }

  @Test func `a user's refusal ends the device login with access_denied`() async throws {
    let world = try await DeviceWorld()
    let client = try await client(world)
    await #expect(throws: OpenIDError(.authorizationRefused, "", name: "access_denied")) {
      _ = try await client.logInDevice { codes in
        do {
          let device = try #require(try await world.device(codes.userCode))
          _ = try await world.provider.answerDevice(device.pending.id, login: world.login(), after: .denial)
        } catch { Issue.record(error) }
      }
    }
  }

  @Test func `a device login ends when its codes expire without an answer`() async throws {
    let world = try await DeviceWorld()
    let client = try await client(world)
    await #expect(throws: OpenIDError(.loginOver, "")) { _ = try await client.logInDevice { _ in } }
    #expect(world.clock.pauses.count == 120 && world.clock.pauses.allSatisfy { $0 == 5 })
  }

  @Test func `a device client begins no browser login, and needs the provider's device endpoint`() async throws {
    let client = try await client(try await DeviceWorld())
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "redirectURI")) { _ = try await client.begin() }
    let none = try await DeviceWorld { $0.devicePage = nil }
    let other = try await self.client(none)
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "device_authorization_endpoint")) {
      _ = try await other.logInDevice { _ in Issue.record("it has no codes") }
    }
  }

  @Test func `an ID token that is not the answer's logs nobody in`() async throws {
    let world = try await DeviceWorld()
    var client = try await client(world)
    client.verifyIDToken = { _, request throws(JOSEError) in
      #expect(request.nonce == nil && request.requiresNonce && request.accessToken != nil)
      throw JOSEError(.claimInvalid, "not this one", name: "at_hash")
    }
    let login = client
    await #expect(throws: OpenIDError(.identityTokenInvalid, "", name: "at_hash")) {
      _ = try await login.logInDevice { codes in _ = try? await world.agree(codes.userCode) }
    }
  }

  // MARK: Questions

  @Test func `a device login sends its scope, resource, client_id and device code`() async throws {
    let server = Server(Self.codes, Self.pending, Self.tokens)
    let manager = try await server.logIn(resource: "https://api.example.com")
    #expect(try await manager.validToken().value == "at")
    let forms = try server.sent.map { try $0.form() }
    #expect(forms.count == 3)
    #expect(
      forms[0].fields.map { "\($0.name)=\($0.value)" }
        == ["scope=read", "resource=https://api.example.com", "client_id=tv"])
    #expect(
      forms[2].fields.map { "\($0.name)=\($0.value)" } == [
        "grant_type=" + DeviceWorld.grant, "device_code=dc", "resource=https://api.example.com", "client_id=tv",
      ])
    #expect(server.clock.pauses == [5, 5])
  }

  /// `slow_down` is neither a denial nor a plain "not yet": each makes the pause five seconds longer, for good.
  @Test func `each slow_down lengthens the polling interval by five seconds for good`() async throws {
    let server = Server(
      Self.codes, Self.pending, Self.error("slow_down"), Self.pending, Self.error("slow_down"), Self.pending,
      Self.tokens)
    _ = try await server.logIn()
    #expect(server.clock.pauses == [5, 5, 10, 10, 15, 15])
  }

  /// A proxy's page, a server that is down and one that is not there are no answers.
  @Test(
    arguments: [
      nil, HTTPResponseValue(status: 400, body: Array("<html>".utf8)), HTTPResponseValue(status: 502),
      HTTPResponseValue(status: 302), HTTPResponseValue(status: 200, body: Array("<html>".utf8)),
      error("server_error", 500), error("temporarily_unavailable", 503),
    ] as [HTTPResponseValue?])
  func `a failed poll is repeated with a doubled interval`(answer: HTTPResponseValue?) async throws {
    let server = Server(Self.codes, answer, answer, Self.pending, Self.tokens)
    _ = try await server.logIn()
    #expect(server.clock.pauses == [5, 10, 20, 20])
  }

  @Test func `a server that is down is asked once a minute, until the time is over`() async throws {
    let server = Server(Self.codes, HTTPResponseValue(status: 500))
    await #expect(throws: OpenIDError(.loginOver, "")) { _ = try await server.logIn() }
    #expect(server.clock.pauses.prefix(6) == [5, 10, 20, 40, 60, 60] && server.clock.now < 1_760_000_700)
  }

  @Test func `a Retry-After field sets the next pause`() async throws {
    var busy = HTTPResponseValue(status: 429)
    try busy.headers.set("Retry-After", "42")
    let server = Server(Self.codes, busy, Self.pending, Self.tokens)
    _ = try await server.logIn()
    #expect(server.clock.pauses == [5, 42, 10])
  }

  @Test(
    arguments: [
      ("access_denied", OpenIDError(.authorizationRefused, "", name: "access_denied")),
      ("expired_token", OpenIDError(.loginOver, "")), ("invalid_grant", OpenIDError(.invalidGrant, "")),
      ("invalid_client", OpenIDError(.configuration, "", name: "invalid_client")),
      ("unheard_of", OpenIDError(.configuration, "")),
    ])
  func `every other error ends the device login`(code: String, expected: OpenIDError) async throws {
    let server = Server(Self.codes, Self.error(code))
    await #expect(throws: expected) { _ = try await server.logIn() }
    #expect(server.sent.count == 2)
  }

  @Test func `tokens that are not bound to the key are refused`() async throws {
    let server = Server(Self.codes, Self.tokens)
    let key = try SigningKey.generate(.es256)
    await #expect(throws: OpenIDError(.answerMalformed, "", name: "token_type")) {
      _ = try await server.logIn(proofKey: key)
    }
    #expect(server.sent.allSatisfy { $0.headers.values("DPoP").count == 1 })
  }

  @Test func `a task that is cancelled asks no more`() async throws {
    let server = Server(Self.codes, Self.pending)
    server.clock.kill()
    await #expect(throws: OpenIDError(.cancelled, "")) { _ = try await server.logIn() }
    #expect(server.sent.count == 1)
  }

  // MARK: Codes

  @Test(
    arguments: [
      ("device_code", nil, "device_code"), ("device_code", "", "device_code"), ("user_code", nil, "user_code"),
      ("user_code", "A\u{1B}[2J", "user_code"), ("user_code", .string(String(repeating: "B", count: 65)), "user_code"),
      ("verification_uri", nil, "verification_uri"), ("verification_uri", "javascript:alert(1)", "verification_uri"),
      ("verification_uri", "file:///etc/passwd", "verification_uri"),
      ("verification_uri", "https://as.example.com/\u{202E}", "verification_uri"), ("expires_in", nil, "expires_in"),
      ("expires_in", 0, "expires_in"), ("expires_in", "soon", "expires_in"),
    ] as [(String, JSONValue?, String)])
  func `unusable device codes are refused`(name: String, value: JSONValue?, fault: String) async throws {
    var codes = Self.codes
    codes[name] = value
    let server = Server(codes, Self.tokens)
    await #expect(throws: OpenIDError(.answerMalformed, "", name: fault)) {
      _ = try await server.logIn { _ in Issue.record("nothing is to be shown") }
    }
  }

  /// Five seconds where the answer says nothing that can be waited for; an old name of the address; digits as text.
  @Test(
    arguments: [
      ([("interval", nil)], 5), ([("interval", 0)], 5), ([("interval", -3)], 5), ([("interval", "7")], 7),
      ([("interval", 30)], 30), ([("expires_in", "600")], 5),
      ([("verification_uri", nil), ("verification_url", "https://as.example.com/device")], 5),
      ([("verification_uri_complete", "javascript:alert(1)")], 5),
    ] as [([(String, JSONValue?)], Double)])
  func `answers of other servers`(changes: [(String, JSONValue?)], pause: Double) async throws {
    var codes = Self.codes
    for (name, value) in changes { codes[name] = value }
    let server = Server(codes, Self.tokens)
    _ = try await server.logIn { codes in
      #expect(codes.verificationURI == "https://as.example.com/device" && codes.verificationURIComplete == nil)
    }
    #expect(server.clock.pauses == [pause])
  }

  @Test(arguments: ["http://as.example.com/codes", "as.example.com", ""])
  func `nothing is sent without TLS`(endpoint: String) async throws {
    let server = Server(Self.codes, Self.tokens)
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "device_authorization_endpoint")) {
      _ = try await TokenManager.device(
        authorizationEndpoint: endpoint, tokenEndpoint: Self.issuer + "/token", clientID: "tv",
        transport: server.transport, show: { _ in })
    }
    #expect(server.sent.isEmpty)
  }
}
