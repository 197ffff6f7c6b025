import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// A provider whose users log in devices, and a television.
struct DeviceWorld {
  static let page = "https://op.example.com/device"
  static let grant = "urn:ietf:params:oauth:grant-type:device_code"
  let world: ProviderWorld
  var provider: OpenIDProvider { world.provider }
  var clock: VirtualClock { world.clock }

  static let clients: [RegisteredClient] = {
    var television = RegisteredClient(
      id: "tv", allowedScopes: ["openid", "profile", "offline_access"], resources: ["https://api.example.com"])
    television.isDevice = true
    var other = television
    other = RegisteredClient(id: "other-tv", allowedScopes: ["openid"])
    other.isDevice = true
    var strong = RegisteredClient(id: "strong-tv", allowedScopes: ["openid"])
    (strong.isDevice, strong.requiredContexts, strong.needsConsent) = (true, ["mfa"], false)
    var bound = RegisteredClient(id: "bound-tv", allowedScopes: ["openid"])
    (bound.isDevice, bound.requiresDPoP, bound.needsConsent) = (true, true, false)
    return [television, other, strong, bound] + ProviderWorld.clients
  }()

  init(
    policy change: (inout ProviderPolicy) -> Void = { _ in },
    onEvent: @escaping @Sendable (ProviderEvent) async -> Void = { _ in }
  ) async throws {
    world = try await ProviderWorld(clients: Self.clients, onEvent: onEvent) { policy in
      policy.devicePage = Self.page
      change(&policy)
    }
  }

  /// What a device shows, and what it asks with.
  struct Codes {
    let device, user: String
    let answer: HTTPResponseValue
  }

  func start(
    _ client: String = "tv", _ more: [(String, String)] = [("scope", "openid profile")], key: SigningKey? = nil,
    from source: String = "192.0.2.7"
  ) async throws -> HTTPResponseValue {
    try await send(FormFields([("client_id", client)] + more), to: "/device_authorization", key, source)
  }

  func codes(
    _ client: String = "tv", _ more: [(String, String)] = [("scope", "openid profile")], key: SigningKey? = nil
  ) async throws -> Codes {
    let answer = try await start(client, more, key: key)
    return Codes(
      device: try #require(answer.member("device_code")), user: try #require(answer.member("user_code")),
      answer: answer)
  }

  func poll(
    _ code: String, _ client: String = "tv", _ more: [(String, String)] = [], key: SigningKey? = nil
  ) async throws -> HTTPResponseValue {
    try await send(
      FormFields([("grant_type", Self.grant), ("device_code", code), ("client_id", client)] + more), to: "/token", key,
      "192.0.2.7")
  }

  private func send(
    _ form: FormFields, to path: String, _ key: SigningKey?, _ source: String
  ) async throws -> HTTPResponseValue {
    var request = HTTPRequestValue.post(form, to: ProviderWorld.issuer + path)
    if let key {
      try request.headers.set("DPoP", try DPoP.proof(method: "POST", url: request.url, key: key, clock: clock.wall))
    }
    return try #require(await provider.respond(to: request, from: source))
  }

  func login() async throws -> BrowserLogin { try #require(try await world.login()) }

  func device(_ code: String, from source: String = "198.51.100.1") async throws -> PendingDevice? {
    try await provider.device(showing: code, login: try await login(), from: source)
  }

  /// The user types the code and agrees. Returns whether that counts.
  @discardableResult
  func agree(_ code: String, keeping: Bool = true) async throws -> Bool {
    let device = try #require(try await device(code))
    if keeping {
      try await world.sessions.grant(
        device.pending.agreement, userID: "jane", clientID: device.pending.client.id)
    }
    return try await provider.answerDevice(
      device.pending.id, login: try await login(), after: .consent(sessionID: ProviderWorld.session))
  }
}
