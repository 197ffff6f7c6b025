import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JOSE
import Logging
import NIOCore
import Synchronization
import Testing

@testable import IdentityProvider

/// A provider in a folder of its own, with a user and two clients, and a clock that stands until it is moved.
final class World: Sendable {
  static let issuer = "https://op.example"
  static let redirectURI = "https://client.example/callback"
  static let password = "correct horse battery staple"

  let provider: Provider
  /// All that answer in turn, the one above first.
  let providers: [Provider]
  let client: any TestClientProtocol
  let confidential: IdentityProvider.Client
  let secret: String
  let installed: IdentityProvider.Client
  let user: User
  private let time: Clock
  var clock: WallClock { time.wall }

  /// A clock for tests.
  final class Clock: Sendable {
    let seconds = Mutex(1_790_000_000.0)
    var wall: WallClock { WallClock { NumericDate(saturating: self.seconds.withLock { $0 }) } }
  }

  private init(
    _ providers: [Provider], _ client: any TestClientProtocol, _ clients: [IdentityProvider.Client], _ secret: String,
    _ user: User,
    _ time: Clock
  ) {
    (self.provider, self.providers) = (providers[0], providers)
    (self.client, self.secret, self.user) = (client, secret, user)
    (confidential, installed, self.time) = (clients[0], clients[1], time)
  }

  /// Keys of RSA take seconds to find: one folder is made, for any issuer, and copied. Its database is a backup, since
  /// SQLite puts files beside one that is open and takes them away when it is closed.
  private static let template = Task {
    let (folder, made) = (NSTemporaryDirectory() + "idp-tests-" + RandomText.make(byteCount: 8), FileManager.default)
    let provider = try await Provider(
      settings: ProviderSettings(issuer: "", folder: folder + ".made"), clock: Clock().wall,
      log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    try made.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in try made.contentsOfDirectory(atPath: folder + ".made") where !name.hasPrefix("provider.sqlite") {
      try made.copyItem(atPath: folder + ".made/" + name, toPath: folder + "/" + name)
    }
    try provider.backUp(to: folder + "/provider.sqlite")
    return folder
  }

  /// A folder with the keys of a provider and nothing else.
  static func makeFolder() async throws -> String {
    let folder = NSTemporaryDirectory() + "idp-tests-" + RandomText.make(byteCount: 8)
    let template = try await Self.template.value
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: template) {
      try FileManager.default.copyItem(atPath: template + "/" + name, toPath: folder + "/" + name)
    }
    return folder
  }

  /// What a password costs here: nearly nothing.
  static let cost = PasswordCost.argon2id(kibibyteCount: 8, passCount: 1, laneCount: 1)

  /// - Parameter nodes: how many providers share the database. Each answers the request after the other's.
  static func run(
    nodes: Int = 1, changing change: (inout ProviderSettings) -> Void = { _ in },
    _ body: @Sendable @escaping (World) async throws -> Void
  ) async throws {
    let folder = try await makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var settings = ProviderSettings(issuer: issuer, folder: folder)
    settings.passwordCost = cost
    change(&settings)
    let time = Clock()
    let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    var made: [Provider] = []
    for _ in 0..<nodes { made.append(try await Provider(settings: settings, clock: time.wall, log: log)) }
    let providers = made
    let provider = providers[0]
    let user = try await provider.addUser("alice", email: "alice@example.com", name: "Alice Archer", password: password)
    var confidential = IdentityProvider.Client(
      id: "site", name: "Site <b>", authentication: .basic, redirectURIs: [redirectURI])
    confidential.postLogoutRedirectURIs = ["https://client.example/bye"]
    let installed = IdentityProvider.Client(
      id: "app", name: "App", authentication: .none, redirectURIs: [redirectURI, "http://127.0.0.1/callback"])
    let secret = try await provider.addClient(confidential) ?? ""
    _ = try await provider.addClient(installed)
    let clients = [confidential, installed]
    try await test(providers[...]) { client in
      try await body(World(providers, client, clients, secret, user, time))
    }
  }

  private static func test(
    _ providers: ArraySlice<Provider>, _ clients: [any TestClientProtocol] = [],
    _ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void
  ) async throws {
    guard let provider = providers.first else { return try await body(TakingTurns(clients)) }
    let router = provider.router()
    provider.addMetricsRoutes(TextMetrics(), to: router)
    try await Application(router: router).test(.router) { client in
      try await test(providers.dropFirst(), clients + [client], body)
    }
  }

  func wait(_ seconds: Double) { time.seconds.withLock { $0 += seconds } }

  var basic: String { "Basic " + Data("site:\(secret)".utf8).base64EncodedString() }

  func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
    try await client.execute(uri: path, method: .get, headers: headers)
  }

  func post(_ path: String, _ form: FormFields, _ headers: HTTPFields = [:]) async throws -> TestResponse {
    var headers = headers
    headers[.contentType] = "application/x-www-form-urlencoded"
    return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(bytes: form.encoded()))
  }

  /// A code for a request, by a user who logs in and agrees in a new browser.
  func code(_ more: FormFields = [:], scope: String = "openid", client: String = "site") async throws -> String {
    let browser = TestBrowser(self)
    let answer = try await browser.authorize(more, scope: scope, client: client)
    return try #require(answer.values("code").first)
  }

  func redeem(_ code: String, _ more: FormFields = [:], headers: HTTPFields? = nil) async throws -> TestResponse {
    var form: FormFields = ["grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI]
    for field in more.fields { form.append(field.name, field.value) }
    return try await post("/token", form, headers ?? [.authorization: basic])
  }

  func tokens(scope: String = "openid") async throws -> JSONObject {
    try await redeem(code(scope: scope)).json()
  }
}

extension TestResponse {
  var text: String { String(buffer: body) }

  func json() throws -> JSONObject { try JSONObject(parsing: Array(buffer: body)) }

  /// Which page it is.
  var page: String? {
    text.split(separator: "data-page=\"").dropFirst().first?.split(separator: "\"").first.map(String.init)
  }
}
