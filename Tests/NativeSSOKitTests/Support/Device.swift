import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Synchronization
import Testing

/// What a test's network does with a request.
final class Network: Sendable {
  struct Down: Error {}

  private let handler: Mutex<@Sendable (HTTPRequestValue) async throws -> HTTPResponseValue>
  let requests = Recorder<HTTPRequestValue>()
  let pauses = Recorder<Duration>()

  init(_ handler: @escaping @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue) {
    self.handler = Mutex(handler)
  }

  /// Answers everything from now on.
  func answer(_ handler: @escaping @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue) {
    self.handler.withLock { $0 = handler }
  }

  func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    requests.append(request)
    return try await handler.withLock { $0 }(request)
  }

  /// The form of a request that was sent.
  func form(_ index: Int) throws -> FormFields { try requests.all[index].form() }
}

/// A device with the vendor's apps, and the provider of the worked example behind the network.
struct Device {
  let world: World
  let network: Network
  let store = MemorySecretStore()

  init(_ world: World) {
    self.world = world
    network = Network { request in
      request.url.hasSuffix("/revoke")
        ? await world.provider.revocation(request) : await world.server.respond(to: request)
    }
  }

  func configuration(
    _ clientID: String, profile: ProviderProfile = .standard, metadata: OpenIDProviderMetadata? = nil
  ) -> NativeSSOClientConfiguration {
    let (network, keys) = (network, world.provider.keys.verification)
    var configuration = NativeSSOClientConfiguration(
      clientID: clientID, redirectURI: "com.example.\(clientID):/cb", metadata: metadata ?? world.metadata,
      profile: profile,
      scopes: ["openid", "profile"], keys: { _ in keys }, transport: { try await network.send($0) },
      clock: world.clock.wall)
    configuration.sleep = { network.pauses.append($0) }
    return configuration
  }

  func app(
    _ clientID: String, profile: ProviderProfile = .standard, tokens: KeptTokens = KeptTokens()
  ) -> NativeSSOClient {
    NativeSSOClient(configuration(clientID, profile: profile), pairs: store, appTokens: tokens)
  }

  /// Logs in through the browser.
  func logIn(_ app: NativeSSOClient, session: String = World.session) async throws -> SignIn {
    let (login, url) = try await app.beginLogin()
    return try await app.completeLogin(login, redirect: try await world.server.authorize(url: url, sessionID: session))
  }

  /// A store that holds the pair of the worked example, as App A stored it.
  func storePair() async throws {
    let entry = try SSOPairEntry(parsing: Self.pairDocument().serialized())
    _ = try await SharedPair(store).replace(expecting: 0, with: entry.pair)
  }

  static func pairDocument(
    secret: String = WorkedExample.secret, idToken: String = WorkedExample.idToken, subject: String = World.user
  ) -> JSONObject {
    [
      "v": 1, "gen": 1, "issuer": .string(World.issuer), "sub": .string(subject), "sid": .string(World.session),
      "client_id": "app-a", "device_secret": .string(secret), "id_token": .string(idToken),
      "stored_at": 1760000000, "id_token_exp": 1760003600, "id_token_iat": 1760000000, "writer": "app-a",
    ]
  }

  static func pair(secret: String = WorkedExample.secret, subject: String = World.user) throws -> SSOPair? {
    try SSOPairEntry(parsing: pairDocument(secret: secret, subject: subject).serialized()).pair
  }

  /// A response of the token endpoint, with an ID token for App B.
  static func response(
    _ members: JSONObject = [:], claims: [(String, JSONValue?)] = [], idToken: String? = nil
  ) throws -> HTTPResponseValue {
    let accessToken = "at-1"
    let defaults: [(String, JSONValue?)] = [
      ("aud", "app-b"), ("nonce", nil), ("at_hash", .string(SignatureAlgorithm.es256.leftHalfHash(of: accessToken))),
      ("iat", 1760001000), ("exp", 1760004600),
    ]
    var object: JSONObject = [
      "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": 3600,
      "issued_token_type": .string(TokenTypeIdentifier.accessToken.text),
      "id_token": .string(try idToken ?? WorkedExample.idToken(defaults + claims)),
    ]
    for (name, value) in members.members { object[name] = value.isNull ? JSONValue?.none : value }
    return HTTPResponseValue(status: 200, body: object.serialized())
  }

  static func error(_ code: String, status: Int = 400, retryAfter: String? = nil) throws -> HTTPResponseValue {
    let object: JSONObject = ["error": .string(code), "error_description": .string("echo " + WorkedExample.secret)]
    var response = HTTPResponseValue(status: status, body: object.serialized())
    if let retryAfter { try response.headers.set("Retry-After", retryAfter) }
    return response
  }
}

/// An app's tokens in memory.
actor KeptTokens: AppTokens {
  private(set) var tokens: TokenAnswer?
  private var isSuppressed = false

  func save(_ tokens: TokenAnswer, subject: String) { self.tokens = tokens }
  func clear() { tokens = nil }
  func suppressesAutomaticSignIn() -> Bool { isSuppressed }
  func setSuppressesAutomaticSignIn(_ suppresses: Bool) { isSuppressed = suppresses }
}

extension SharedPair {
  /// What an app writes that has read the entry of this generation.
  func replace(expecting generation: UInt64, with pair: SSOPair?) async throws -> Bool {
    let stored = try await load()
    guard stored.entry.generation == generation else { return false }
    return try await replace(stored, with: pair)
  }
}

extension MemorySecretStore {
  /// Writes what no app has written.
  func damage(_ document: [UInt8]) { #expect(replace(expecting: load()?.version, with: document) != nil) }

  /// Whether what is there is an entry.
  var isReadable: Bool { load().flatMap { try? SSOPairEntry(parsing: $0.document) } != nil }
}

extension SilentSignIn {
  var signIn: SignIn? {
    if case .signedIn(let signIn) = self { signIn } else { nil }
  }

  var reason: LoginReason? {
    if case .loginRequired(let reason) = self { reason } else { nil }
  }
}
