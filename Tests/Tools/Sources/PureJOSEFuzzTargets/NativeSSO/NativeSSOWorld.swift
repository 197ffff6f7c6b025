import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto
import StrictJSON
import Synchronization

/// A provider with one session and one device secret, and an app, at a fixed time and with fixed keys.
struct NativeSSOWorld: Sendable {
  static let issuer = "https://op.example.com"
  static let now = NumericDate(1_760_001_000)
  static let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

  let key: P256PrivateKey
  let keys: IssuerKeys

  static let shared = Result { try NativeSSOWorld() }

  private init() throws {
    key = try TokenKeys.p256("op")
    keys = try IssuerKeys(
      signing: SigningKey(pemRepresentation: key.pemRepresentation, algorithm: .es256, keyID: "op-1"))
  }

  /// An ID token with any claims, rightly signed.
  func idToken(_ claims: [UInt8]) -> String {
    TokenKeys.signed(header: Array(#"{"alg":"ES256","typ":"JWT","kid":"op-1"}"#.utf8), payload: claims, by: key)
  }

  /// The claims that the session's ID token has.
  static func claims(_ audience: String, _ further: String = "") -> String {
    """
    {"iss":"\(issuer)","sub":"user-1","aud":"\(audience)","iat":1760001000,"exp":1760004600,"auth_time":1759999990,"sid":"s-1",\
    "ds_hash":"\(SignatureAlgorithm.es256.leftHalfHash(of: secret))"\(further)}
    """
  }

  /// A provider that nothing was asked of yet.
  func provider() async throws -> OpenIDProvider {
    let sessions = SessionRecords()
    let records = MemoryRecordStore()
    let clients = ["app-a", "app-b"].map { id in
      RegisteredClient(
        id: id, authentication: .none, isNative: true, nativeSSOEnabled: true, group: "g", allowsCrossClient: true,
        redirectURIs: ["com.example.\(id):/cb"], allowedScopes: ["openid", "profile"], defaultScopes: ["openid"])
    }
    let basic = RegisteredClient(
      id: "app-basic", authentication: .basic(secretSHA256: RegisteredClient.Authentication.secretSHA256("s3cret")),
      isNative: true, nativeSSOEnabled: true, group: "g", allowsCrossClient: true, redirectURIs: [],
      allowedScopes: ["openid"], defaultScopes: ["openid"])
    try await sessions.addUser("user-1")
    for client in clients + [basic] {
      try await sessions.grant(client.allowedScopes, userID: "user-1", clientID: client.id)
    }
    try await sessions.add(
      AuthenticationSession(
        id: "s-1", userID: "user-1", authenticatedAt: NumericDate(1_759_999_990), authenticationContext: nil))
    let created = NumericDate(1_760_000_000)
    let record = DeviceSecretRecord(
      id: "record-1", fingerprint: try DeviceSecret(Self.secret).fingerprint, userID: "user-1", sessionID: "s-1",
      clientID: "app-a", createdAt: created, expiresAt: created.advanced(by: 86_400))
    _ = try await DeviceSecretRecords(records).insert(record, limit: 50, overflow: .reject, now: created)
    return try MemoryProvider(
      issuer: Self.issuer, clients: clients + [basic], keys: keys, sessions: sessions, records: records,
      clock: .fixed(at: Self.now)
    ).provider
  }

  /// An app whose token endpoint gives one answer.
  func client(
    answer: HTTPResponseValue, pair: SSOPair? = nil
  ) async throws -> (NativeSSOSession, MemorySecretStore) {
    let store = MemorySecretStore()
    let shared = SharedPair(store)
    if let pair { _ = try await shared.replace(try await shared.load(), with: pair) }
    let metadata = try OpenIDProviderMetadata(
      issuer: Self.issuer, authorizationEndpoint: Self.issuer + "/authorize", tokenEndpoint: Self.issuer + "/token",
      keySetURL: Self.issuer + "/jwks")
    let keys = keys.verification
    var configuration = NativeSSOClientConfiguration(
      clientID: "app-b", redirectURI: "com.example.app-b:/cb", metadata: metadata, scopes: ["openid"],
      keys: { _ in keys }, transport: { _ in answer }, clock: .fixed(at: Self.now))
    configuration.sleep = { _ in }
    let session = try NativeSSOSession(
      configuration, pairs: store, tokens: MemorySecretStore(),
      signOut: SignOutMemory(load: { false }, save: { _ in }),
      clock: TokenClock(
        wall: .fixed(at: Self.now), elapsed: { .zero }, sleep: { _ in try await Task.sleep(for: .seconds(86_400)) }))
    return (session, store)
  }

  /// The pair that an app of the device stored.
  func pair() throws -> SSOPair? {
    let document: JSONObject = [
      "v": 1, "gen": 1, "issuer": .string(Self.issuer), "sub": "user-1", "sid": "s-1", "client_id": "app-a",
      "device_secret": .string(Self.secret), "id_token": .string(idToken(Array(Self.claims("app-a").utf8))),
      "stored_at": 1_760_000_000, "id_token_exp": 1_760_003_600, "id_token_iat": 1_760_000_000, "writer": "app-a",
    ]
    return try SSOPairEntry(parsing: document.serialized()).pair
  }
}
