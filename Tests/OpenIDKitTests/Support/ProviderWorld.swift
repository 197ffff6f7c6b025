import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// A provider in memory with a website, an app and a resource server, and a user who is logged in.
struct ProviderWorld {
  static let issuer = "https://op.example.com"
  static let callback = "https://site.example/cb"
  static let session = "s-1"

  let clock = VirtualClock()
  let records = HookableRecords()
  let sessions: SessionRecords
  var provider: OpenIDProvider

  /// Sessions whose users have claims.
  private struct Directory: SessionDirectory {
    let sessions: SessionRecords

    func session(id: String) async throws -> AuthenticationSession? { try await sessions.session(id: id) }
    func isActive(userID: String) async throws -> Bool { try await sessions.isActive(userID: userID) }
    func grantedScopes(userID: String, clientID: String) async throws -> [String] {
      try await sessions.grantedScopes(userID: userID, clientID: clientID)
    }
    func subject(userID: String, clientID: String) async throws -> String {
      try await sessions.subject(userID: userID, clientID: clientID)
    }
    func userID(subject: String, clientID: String) async throws -> String? {
      try await sessions.userID(subject: subject, clientID: clientID)
    }
    func claims(named names: [String], of userID: String) async throws -> JSONObject {
      let known: JSONObject = ["email": "jane@example.com", "name": "Jane", "height": 170, "iss": "someone"]
      var found: JSONObject = [:]
      for name in names { found[name] = known[name] }
      return found
    }
  }

  static let clients: [RegisteredClient] = {
    var site = RegisteredClient(
      id: "site", authentication: .post(secretSHA256: RegisteredClient.Authentication.secretSHA256("secret")),
      redirectURIs: [callback], allowedScopes: ["openid", "profile", "email", "offline_access", "orders"],
      resources: ["https://api.example.com"])
    site.postLogoutRedirectURIs = ["https://site.example/bye"]
    site.backChannelLogoutURI = "https://site.example/logout"
    var app = RegisteredClient(id: "app", redirectURIs: ["https://app.example/cb"], allowedScopes: ["openid"])
    app.needsConsent = false
    var api = RegisteredClient(
      id: "api", authentication: .post(secretSHA256: RegisteredClient.Authentication.secretSHA256("secret")))
    api.isResourceServer = true
    return [site, app, api]
  }()

  init(
    pairwise: Bool = false, clients: [RegisteredClient] = Self.clients, issuer: String = Self.issuer,
    onEvent: @escaping @Sendable (ProviderEvent) async -> Void = { _ in },
    policy change: (inout ProviderPolicy) -> Void = { _ in }
  ) async throws {
    var policy = ProviderPolicy()
    change(&policy)
    sessions = SessionRecords(records: records, usesPairwiseSubjects: pairwise, clock: clock.wall)
    provider = try OpenIDProvider(
      issuer: issuer,
      keys: IssuerKeys(
        signing: .generate(.ps256, keyID: "p-1"), others: [.generate(.es256, keyID: "e-1")]),
      clients: StaticClientDirectory(clients), sessions: Directory(sessions: sessions),
      refreshTokens: RefreshTokenFormat(key: Array(0...31)), records: records, policy: policy,
      clock: clock.wall, onEvent: onEvent)
    try await sessions.addUser("jane")
    try await begin(Self.session)
  }

  func begin(_ id: String, context: String? = nil) async throws {
    try await sessions.add(
      AuthenticationSession(
        id: id, userID: "jane", authenticatedAt: clock.wall.now, authenticationContext: context))
  }

  func login(_ id: String = Self.session) async throws -> BrowserLogin? {
    try await sessions.session(id: id).map { BrowserLogin($0) }
  }

  /// An authorization request of the website's.
  static func request(_ changes: [(String, String?)] = [], client: String = "site") throws -> HTTPRequestValue {
    var fields: [(String, String)] = [
      ("client_id", client), ("redirect_uri", client == "site" ? callback : "https://\(client).example/cb"),
      ("response_type", "code"), ("scope", "openid"), ("state", "st"),
    ]
    if client == "app" {
      fields += [("code_challenge", try PKCE(verifier: verifier).challenge), ("code_challenge_method", "S256")]
    }
    for (name, value) in changes {
      fields.removeAll { $0.0 == name }
      if let value { fields.append((name, value)) }
    }
    return HTTPRequestValue(method: "GET", url: issuer + "/authorize?" + FormFields(fields).encodedAsQuery())
  }

  static let verifier = String(repeating: "v", count: 43)

  /// The code for a request whose user agrees to everything.
  func code(_ changes: [(String, String?)] = [], client: String = "site", session: String = Self.session) async throws
    -> String
  {
    var step = try await provider.authorize(
      try Self.request(changes, client: client), visit: "v", login: try await login(session), from: "a")
    if case .ask(let pending) = step, pending.decision == .consent {
      try await sessions.grant(pending.agreement, userID: "jane", clientID: client)
      step = try await provider.resume(
        pending.id, visit: "v", login: try await login(session), after: .consent(sessionID: session))
    }
    return try #require(step.answer?.values("code").first, "\(step)")
  }

  func post(_ path: String, _ form: FormFields) async throws -> HTTPResponseValue {
    try #require(await provider.respond(to: .post(form, to: Self.issuer + path), from: "a"))
  }

  func redeem(_ code: String, _ more: [(String, String)] = [], client: String = "site") async throws
    -> HTTPResponseValue
  {
    let own =
      client == "site"
      ? [("redirect_uri", Self.callback), ("client_secret", "secret")]
      : [("redirect_uri", "https://\(client).example/cb"), ("code_verifier", Self.verifier)]
    return try await post(
      "/token", FormFields([("grant_type", "authorization_code"), ("code", code), ("client_id", client)] + own + more))
  }

  func refresh(_ token: String?, client: String = "site") async throws -> HTTPResponseValue {
    var form: FormFields = ["grant_type": "refresh_token", "client_id": client, "refresh_token": token ?? ""]
    if client == "site" { form.append("client_secret", "secret") }
    return try await post("/token", form)
  }

  func introspect(_ token: String?, by client: String = "site") async throws -> JSONObject {
    try await post("/introspect", ["token": token ?? "", "client_id": client, "client_secret": "secret"]).object
  }

  func userInfo(_ token: String?, method: String = "GET") async throws -> HTTPResponseValue {
    var request = HTTPRequestValue(method: method, url: Self.issuer + "/userinfo")
    try request.headers.set("Authorization", "Bearer " + (token ?? ""))
    return try #require(await provider.respond(to: request, from: "a"))
  }

  func claims(_ token: String?) throws -> JSONObject {
    let parts = try #require(token).split(separator: ".").map(String.init)
    return try JSONObject(parsing: Base64URL.decode(parts[1]))
  }
}

/// Records that can fail.
final class HookableRecords: RecordStore {
  struct Down: Error {}
  private let inner = MemoryRecordStore()
  private let failing = Mutex<@Sendable (StoredRecord.Kind) -> Bool>({ _ in false })

  private let inserted = Mutex<[String: Int]>([:])

  /// How many records of a kind were made.
  func count(of kind: String) -> Int { inserted.withLock { $0[kind, default: 0] } }

  /// Lets every operation on these kinds fail.
  func fail(_ failing: @escaping @Sendable (StoredRecord.Kind) -> Bool) { self.failing.withLock { $0 = failing } }

  private func check(_ kind: StoredRecord.Kind) throws {
    if failing.withLock({ $0 })(kind) { throw Down() }
  }

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try check(kind)
    return await inner.record(kind, key: key)
  }
  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async throws -> [StoredRecord] {
    try check(kind)
    return await inner.records(kind, where: index, limit: limit)
  }
  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    for change in changes { try check(change.kind) }
    let commit = try await inner.commit(changes)
    guard commit == .done else { return commit }
    for case .insert(let record, _) in changes { inserted.withLock { $0[record.kind.name, default: 0] += 1 } }
    return commit
  }
  func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    await inner.removeExpired(before: date, limit: limit)
  }
}

extension AuthorizationStep {
  /// The parameters of the client's answer.
  var answer: FormFields? {
    guard case .answer(let response) = self, let address = response.headers.values("Location").first else { return nil }
    return try? FormFields(decoding: Array(address.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
  }

  var pending: PendingAuthorization? { if case .ask(let pending) = self { pending } else { nil } }

  var refusal: String? { if case .refused(let refusal) = self { refusal.code } else { nil } }
}

extension HTTPResponseValue {
  fileprivate var object: JSONObject { (try? JSONObject(parsing: body)) ?? [:] }

  func member(_ name: String) -> String? { object[name]?.stringValue }
}
