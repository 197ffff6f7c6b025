import Foundation
import Hummingbird
import HummingbirdTesting
import JOSE
import Logging
import SQLStores
import Testing

@testable import IdentityProvider

@Suite struct OperationTests {
  private static func open(_ folder: String) async throws -> Provider {
    try await Provider(
      settings: ProviderSettings(issuer: World.issuer, folder: folder),
      log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
  }

  @Test func `a database without its secrets, or with those of another folder, doesn't start`() async throws {
    try await World.run { world in
      let folder = NSTemporaryDirectory() + "idp-tests-" + RandomText.make(byteCount: 8)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try world.provider.backUp(to: folder + "/provider.sqlite")
      let missing = await #expect(throws: StartRefusal.self) { _ = try await Self.open(folder) }
      #expect(missing?.description.contains("There is no secrets.json") == true)
      #expect(!FileManager.default.fileExists(atPath: folder + "/secrets.json"))
      let other = folder + "-other"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: other) }
      _ = try ProviderSecrets(folder: other)
      try FileManager.default.copyItem(atPath: other + "/secrets.json", toPath: folder + "/secrets.json")
      let foreign = await #expect(throws: StartRefusal.self) { _ = try await Self.open(folder) }
      #expect(foreign?.description.contains("doesn't belong to this database") == true)
    }
  }

  @Test(arguments: ["refreshTokenKey", "nonceKey"])
  func `a server whose secrets differ from the database's in one key doesn't start`(name: String) async throws {
    try await World.run { world in
      let path = world.provider.settings.folder + "/secrets.json"
      var secrets = try JSONObject(parsing: Data(contentsOf: URL(fileURLWithPath: path)))
      let right = try secrets.string(name)
      secrets[name] = .string(RandomText.make())
      try Data(secrets.serialized()).write(to: URL(fileURLWithPath: path))
      let refusal = await #expect(throws: StartRefusal.self) { _ = try await Self.open(world.provider.settings.folder) }
      #expect(refusal?.description.contains("other keys than the servers of this database") == true)
      secrets[name] = .string(right)
      try Data(secrets.serialized()).write(to: URL(fileURLWithPath: path))
      _ = try await Self.open(world.provider.settings.folder)
    }
  }

  @Test func `the numbers tell what the process and the database take`() async throws {
    try await World.run(changing: { $0.metricsToken = "secret" }) { world in
      let text = try await world.get("/metrics", [.authorization: "Bearer secret"]).text
      func number(_ name: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap {
          Double($0)
        }
      }
      #expect(try #require(number("idp_database_size_bytes")) > 50_000)
      #expect(try #require(number("process_max_fds")) > 10)
      #if os(Linux)
        let memory = try #require(number("process_resident_memory_bytes"))
        #expect(memory > 1e6 && memory < 1e11)
        #expect(try #require(number("process_open_fds")) > 2)
      #endif
    }
  }

  @Test func `a login beyond the limit for a client ends the oldest one`() async throws {
    try await World.run(changing: { $0.loginsPerClient = 2 }) { world in
      var tokens: [String] = []
      for _ in 0..<3 {
        let code = try await world.code(["prompt": "consent"], scope: "openid offline_access")
        tokens.append(try await world.redeem(code).json().string("refresh_token"))
        world.wait(1)
      }
      var statuses: [HTTPResponse.Status] = []
      for token in tokens {
        let form: FormFields = ["grant_type": "refresh_token", "refresh_token": token]
        statuses.append(try await world.post("/token", form, [.authorization: world.basic]).status)
      }
      #expect(statuses == [.badRequest, .ok, .ok])
    }
  }

  @Test func `a server that asks about no token refuses one of a user who was disabled`() async throws {
    try await World.run(changing: { $0.statusListTimeToLive = 60 }) { world in
      let token = try await world.redeem(try await world.code(scope: "openid")).json().string("access_token")
      func isAccepted() async throws -> Bool {
        let list = try await world.get("/statuslist")
        #expect(list.status == .ok && list.headers[.contentType] == StatusList.mediaType)
        let keys = try JWKSet(parsing: Array(buffer: try await world.get("/jwks").body))
        let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: world.clock)
        let verifier = JWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
        let claims = try UnverifiedJWS(parsing: token).unverifiedClaims ?? [:]
        let place = try #require(try StatusReference(in: claims))
        let text = String(buffer: list.body)
        return try StatusListToken(verifying: text, at: place.uri, by: verifier).list[place.index] == .valid
      }
      world.wait(10)
      let before = try await isAccepted()
      try await world.provider.sessions.disableUser(world.user.id)
      // Half of the list's time, after which who asks waits for the next one.
      world.wait(31)
      let after = try await isAccepted()
      #expect(before && !after)
    }
    try await World.run { world in
      let status = try await world.get("/statuslist").status
      #expect(status == .notFound)
    }
  }

  @Test func `request times are a histogram of each route`() {
    let metrics = TextMetrics()
    let dimensions = [("http.route", "/api/admin/**"), ("http.request.method", "GET")]
    let timer = metrics.makeTimer(label: "http.server.request.duration", dimensions: dimensions)
    for milliseconds in [1, 2, 3, 250, 60_000] { timer.recordNanoseconds(Int64(milliseconds) * 1_000_000) }
    metrics.makeCounter(label: "hb.requests", dimensions: dimensions).increment(by: Int64(5))
    let lines = metrics.text().split(separator: "\n").map(String.init)
    let (name, names) = (
      "http_server_request_duration_seconds", "http_route=\"/api/admin/**\",http_request_method=\"GET\""
    )
    #expect(lines.contains("# TYPE \(name) histogram"))
    for (bound, count) in [
      ("0.001", 1), ("0.0025", 2), ("0.005", 3), ("0.1", 3), ("0.25", 4), ("1.0", 4), ("10.0", 4), ("+Inf", 5),
    ] {
      #expect(lines.contains("\(name)_bucket{\(names),le=\"\(bound)\"} \(count)"), "\(bound)")
    }
    #expect(
      lines.contains("\(name)_count{\(names)} 5") && lines.contains { $0.hasPrefix("\(name)_sum{\(names)} 60.25") })
    #expect(lines.filter { $0.contains("_bucket") }.count == 14)
    #expect(lines.contains("hb_requests{\(names)} 5.0"))
  }

  @Test func `expired records are removed in batches, and the others stay`() async throws {
    try await World.run { world in
      let provider = world.provider
      func rows(_ table: String) async throws -> Int64? {
        try await provider.database.row("SELECT count(*) FROM \(table)")?[0].int
      }
      // A login at a client, with a consent and its lines.
      _ = try await world.tokens()
      for _ in 0..<30 { _ = try await provider.interactions.add(Interaction(visit: "v")) }
      world.wait(Interactions.lifetime + 1)
      #expect(try await provider.sweep(limit: 10) >= 10)
      #expect(try await rows("interactions") == 20)
      try await provider.removeExpired()
      #expect(try await rows("interactions") == 0)
      #expect(try await rows("records WHERE kind = 'session-client'") == 1)
      #expect(try await rows("auditLog") != 0)
      let (user, sessions) = (world.user.id, provider.sessions)
      #expect(try await sessions.grantedScopes(userID: user, clientID: "site").contains("openid"))
      world.wait(max(provider.settings.auditRetention, provider.settings.consentLifetime))
      try await provider.removeExpired()
      #expect(try await rows("records WHERE kind = 'session-client'") == 0)
      #expect(try await sessions.grantedScopes(userID: user, clientID: "site").isEmpty)
      let now = provider.clock.now.secondsSince1970
      #expect(try await provider.audit.entries().allSatisfy { now - $0.date.secondsSince1970 < 60 })
    }
  }

  @Test func `one of two providers on a database does the housekeeping in a time span`() async throws {
    try await World.run(nodes: 2) { world in
      for _ in 0..<2 {
        let isFirst = try await world.providers[1].isFirst(inSpanOf: 600)
        let isSecondFirst = try await world.providers[0].isFirst(inSpanOf: 600)
        #expect(isFirst && !isSecondFirst)
        world.wait(600)
      }
    }
  }

  @Test func `a number says which process counted it`() {
    let metrics = TextMetrics(node: "a:1")
    metrics.makeCounter(label: "requests", dimensions: [("route", "/")]).increment(by: Int64(5))
    #expect(metrics.text().contains("requests{route=\"/\",node=\"a:1\"} 5.0"))
  }

  @Test(.timeLimit(.minutes(60)))
  func `housekeeping stops even if new records keep expiring`() async throws {
    try await World.run { world in
      let provider = world.provider
      _ = try await provider.interactions.add(Interaction(visit: "v"))
      try await provider.database.run(
        """
        CREATE TRIGGER more AFTER DELETE ON interactions
        BEGIN INSERT INTO interactions VALUES (randomblob(16), 0, x'00'); END
        """)
      world.wait(Interactions.lifetime + 1)
      try await provider.removeExpired()
      #expect(try await provider.database.rows("SELECT id FROM interactions").count == 1)
    }
  }

  @Test func `who logs in while the disk is full gets a page that says so`() async throws {
    try await World.run { world in
      // SQLite takes the size that the file has, if that is more.
      try await world.provider.database.run("PRAGMA max_page_count = 1")
      var page = try await TestBrowser(world).open("/login")
      for _ in 0..<500 where page.status == .ok {
        let browser = TestBrowser(world)
        page = try await browser.logIn(try await browser.open("/login"))
      }
      #expect(page.status == .serviceUnavailable && page.page == "error")
    }
  }
}
