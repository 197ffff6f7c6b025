import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Synchronization
import Testing

/// A clock that tests set.
final class TestClock: Sendable {
  private let seconds: Mutex<Double>

  init(_ seconds: Double) { self.seconds = Mutex(seconds) }

  var now: Double { seconds.withLock { $0 } }

  func set(_ value: Double) { seconds.withLock { $0 = value } }

  func advance(_ by: Double) { seconds.withLock { $0 += by } }

  var wall: WallClock {
    WallClock { [self] in NumericDate(secondsSince1970: now) ?? NumericDate(0) }
  }
}

/// Everything that an audit log and a network dump would hold.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func append(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }
}

/// The provider of the worked example, with the apps of one vendor around it.
struct World {
  static let issuer = "https://op.example.com"
  static let user = "user-7f3a"
  static let session = "s-91c2"

  let clock: TestClock
  let provider: OpenIDProvider
  let server: MemoryProvider
  let sessions: SessionRecords
  let tokens: IssuedTokens
  let store: DeviceSecretRecords
  let settings: MemoryRecordStore
  let audit = Recorder<AuditEvent>()
  /// What clients know of the provider, without a discovery document.
  let metadata: OpenIDProviderMetadata

  init(
    at time: Double = 1_760_001_000, settings: JSONObject = ["enabled": true],
    pairwise: Bool = false, retired: [JWK] = [], records: any RecordStore = MemoryRecordStore(),
    rateLimiter: any RateLimiter = InMemoryRateLimiter(), seedsPair: Bool = true,
    policy change: (inout NativeSSOPolicy) -> Void = { _ in }
  ) async throws {
    let clock = TestClock(time)
    var metadata = try OpenIDProviderMetadata(
      issuer: Self.issuer, authorizationEndpoint: Self.issuer + "/authorize", tokenEndpoint: Self.issuer + "/token",
      keySetURL: Self.issuer + "/jwks")
    metadata.revocationEndpoint = Self.issuer + "/revoke"
    self.metadata = metadata
    self.clock = clock
    store = DeviceSecretRecords(records)
    sessions = SessionRecords(usesPairwiseSubjects: pairwise)
    self.settings = try await .holding(settings: settings)
    var policy = NativeSSOPolicy()
    policy.errorDocumentation = "https://op.example.com/docs/errors"
    change(&policy)
    let audit = audit
    var server = try MemoryProvider(
      issuer: Self.issuer, clients: Self.clients,
      keys: IssuerKeys(signing: SigningKey(WorkedExample.key), retired: retired), sessions: sessions,
      records: records, clock: clock.wall)
    server.provider.native = NativeSSO(settings: try SettingsResolver(records: self.settings), policy: policy) {
      audit.append($0)
    }
    server.provider.rateLimiter = rateLimiter
    (self.server, provider) = (server, server.provider)
    tokens = IssuedTokens(server: server)
    for user in [Self.user, "user-other"] {
      try await sessions.addUser(user)
      for client in Self.clients { try await sessions.grant(client.allowedScopes, userID: user, clientID: client.id) }
    }
    try await sessions.grant(["openid"], userID: Self.user, clientID: "app-unasked")
    try await addSession(Self.session)
    if seedsPair { try await seed(WorkedExample.secret) }
  }

  static let clients: [RegisteredClient] =
    ["app-a", "app-b", "app-c", "app-unasked"].map { client($0, group: "vendor") } + [
      client("app-x", group: "someone-else"), client("app-nogroup", group: nil), client("app-empty", group: ""),
      client("app-consenting", group: nil, crossClient: true),
      client("app-consenting-2", group: nil, crossClient: true),
      client("app-off", group: "vendor", enabled: false),
      client(
        "app-basic", group: "vendor", .basic(secretSHA256: RegisteredClient.Authentication.secretSHA256("s3cr:et +"))),
      client("app-post", group: "vendor", .post(secretSHA256: RegisteredClient.Authentication.secretSHA256("s3cret"))),
      client("app-custom", group: "vendor", .custom { request, _ in request.headers.values("X-Attested") == ["yes"] }),
      client("web-public", group: "vendor", isNative: false),
    ]

  private static func client(
    _ id: String, group: String?, _ authentication: RegisteredClient.Authentication = .none, isNative: Bool = true,
    enabled: Bool = true, crossClient: Bool = false
  ) -> RegisteredClient {
    RegisteredClient(
      id: id, authentication: authentication, isNative: isNative, nativeSSOEnabled: enabled, group: group,
      allowsCrossClient: crossClient, redirectURIs: ["com.example.\(id):/cb"],
      allowedScopes: ["openid", "profile", "email"], defaultScopes: ["openid", "profile"])
  }

  func addSession(_ id: String, user: String = World.user) async throws {
    try await sessions.add(
      AuthenticationSession(
        id: id, userID: user, authenticatedAt: NumericDate(1_759_999_990), authenticationContext: "urn:example:silver"))
  }

  /// Puts a device secret into the store as a login at 1760000000 would have.
  @discardableResult
  func seed(
    _ text: String, id: String = "record-1", user: String = World.user, session: String = World.session,
    createdAt: Int = 1_760_000_000, lifetime: Double = 30 * 86_400
  ) async throws -> DeviceSecretRecord {
    let created = NumericDate(createdAt)
    let record = DeviceSecretRecord(
      id: id, fingerprint: try DeviceSecret(text).fingerprint, userID: user, sessionID: session, clientID: "app-a",
      createdAt: created, expiresAt: created.advanced(by: lifetime))
    _ = try await store.insert(record, limit: 50, overflow: .reject, now: created)
    return record
  }

  /// The record of the pair of the worked example.
  func record(_ id: String = "record-1") async throws -> DeviceSecretRecord {
    try #require(try await store.record(id: id))
  }

  /// The fields of App B's exchange, to be changed.
  static let exchangeFields: [(String, String)] = [
    ("grant_type", GrantType.tokenExchange), ("client_id", "app-b"), ("subject_token", WorkedExample.idToken),
    ("subject_token_type", TokenTypeIdentifier.idToken.text), ("actor_token", WorkedExample.secret),
    ("actor_token_type", TokenTypeIdentifier.deviceSecret.text),
  ]

  /// An exchange with fields replaced, added, or removed with nil.
  static func exchangeRequest(_ changes: [(String, String?)] = []) -> HTTPRequestValue {
    var fields = exchangeFields
    for (name, value) in changes {
      fields.removeAll { $0.0 == name }
      if let value { fields.append((name, value)) }
    }
    return HTTPRequestValue.post(FormFields(fields), to: "/token")
  }

  func exchange(_ changes: [(String, String?)] = [], source: String = "192.0.2.1") async -> HTTPResponseValue {
    await provider.tokenExchange(Self.exchangeRequest(changes), sourceAddress: source)
  }

  /// What the audit log says about the last refusal.
  var lastCheck: String? { audit.all.last?.check }
}

extension OpenIDProvider {
  /// Answers a token-exchange request at an endpoint without other grants.
  func tokenExchange(_ request: HTTPRequestValue, sourceAddress: String) async -> HTTPResponseValue {
    await TokenEndpoint(grants: native?.grants(of: self) ?? [], authenticate: clients.authenticate)
      .respond(to: request, sourceAddress: sourceAddress)
  }

  /// The settings of Native SSO.
  var settings: SettingsResolver {
    get { native?.settings ?? SettingsResolver(NativeSSOSettings()) }
    set { native?.settings = newValue }
  }

  /// Answers a request to the revocation endpoint.
  func revocation(_ request: HTTPRequestValue) async -> HTTPResponseValue {
    await revocationEndpoint.respond(to: request)
  }
}

extension MemoryRecordStore {
  private static let settingsKind = StoredRecord.Kind(library: "native-sso-settings")

  /// Records in which an administrator has saved settings, legal or not.
  static func holding(settings: JSONObject) async throws -> MemoryRecordStore {
    let records = MemoryRecordStore()
    try await records.save(settings: settings.serialized())
    return records
  }

  func save(settings document: [UInt8]) async throws {
    try await put(
      StoredRecord(kind: Self.settingsKind, key: [], createdAt: NumericDate(0), document: document, attempt: []))
  }

  var settings: [UInt8]? { record(Self.settingsKind, key: [])?.document }
}

extension HTTPResponseValue {
  var object: JSONObject { (try? JSONObject(parsing: body)) ?? [:] }
  var error: String? { object["error"]?.stringValue }
  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(_ name: String) -> String? { object[name]?.stringValue }
}

/// The form of a token request that presents a device secret, or none.
func presenting(_ secret: String?) -> FormFields { secret.map { ["device_secret": $0] } ?? [:] }

extension TokenAnswer {
  /// The device secret that goes with them.
  var deviceSecret: DeviceSecret? {
    additionalMembers["device_secret"]?.stringValue.flatMap { try? DeviceSecret($0) }
  }
}

/// The claims of a token, verified with the worked example's key.
func claims(_ token: String?) throws -> JSONObject {
  let token = try #require(token)
  let verified = try JWS.verify(token, with: VerificationKey(WorkedExample.key))
  return try JSONObject(parsing: verified.payload)
}
