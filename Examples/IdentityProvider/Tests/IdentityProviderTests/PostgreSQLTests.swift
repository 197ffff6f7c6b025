#if PostgreSQL
  import Foundation
  import HTTPTypes
  import Hummingbird
  import HummingbirdTesting
  import JOSE
  import Logging
  import NIOCore
  import PostgresTesting
  import SQLStores
  import Testing

  @testable import IdentityProvider

  /// Two providers on a database of PostgreSQL that the tests start. Each answers the request after the other's.
  @Suite(
    .serialized, .timeLimit(.minutes(60)), .enabled(if: LocalServer.isInstalled, "there is no PostgreSQL server here"))
  struct PostgreSQLTests {
    private static let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private static func run(
      _ change: (inout ProviderSettings) -> Void = { _ in }, _ body: @Sendable @escaping (World) async throws -> Void
    ) async throws {
      let folder = try await World.makeFolder()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let connection = try await LocalServer.database()
      // With keys, which take seconds to find.
      _ = try await DatabaseCopy.run(ProviderSettings(issuer: World.issuer, folder: folder), to: connection)
      try await World.run(
        nodes: 2,
        changing: { settings in
          settings.database = connection
          change(&settings)
        }, body)
    }

    /// Holds a lock of another transaction while something is done.
    private static func locking(
      _ database: any SQLDriver, _ lock: @escaping @Sendable (any SQLSession) throws -> Void,
      meanwhile body: () async throws -> Void
    ) async throws {
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      let end = DispatchSemaphore(value: 0)
      let holder = Task {
        defer { start.finish() }
        try await database.write { session in
          try lock(session)
          start.finish()
          end.wait()
        }
      }
      for await _ in started {}
      do {
        defer { end.signal() }
        try await body()
      }
      try await holder.value
    }

    private static func refresh(_ token: String, _ world: World) async throws -> TestResponse {
      try await world.post(
        "/token", ["grant_type": "refresh_token", "refresh_token": token], [.authorization: world.basic])
    }

    @Test func `a login, a code and its tokens go through both providers, and so does a code that comes again`()
      async throws
    {
      try await Self.run { world in
        let code = try await world.code(["prompt": "consent"], scope: "openid offline_access")
        let tokens = try await world.redeem(code).json()
        let bearer: HTTPFields = [.authorization: "Bearer \(try tokens.string("access_token"))"]
        for _ in 0..<2 { #expect(try await world.get("/userinfo", bearer).status == .ok) }
        var token = try tokens.string("refresh_token")
        for _ in 0..<4 {
          let answer = try await Self.refresh(token, world)
          #expect(answer.status == .ok)
          token = try answer.json().string("refresh_token")
        }
        #expect(try await world.redeem(code).status == .badRequest)
        for _ in 0..<2 { #expect(try await world.get("/userinfo", bearer).status == .unauthorized) }
        let ended = token
        for _ in 0..<2 { #expect(try await Self.refresh(ended, world).status == .badRequest) }
      }
    }

    @Test func `a logout at one provider is one at the other`() async throws {
      try await Self.run { world in
        let browser = TestBrowser(world)
        let code = try #require(try await browser.authorize().values("code").first)
        let tokens = try await world.redeem(code).json()
        let query: FormFields = [
          "id_token_hint": try tokens.string("id_token"), "post_logout_redirect_uri": "https://client.example/bye",
        ]
        _ = try await browser.open("/logout?" + query.encodedAsQuery())
        #expect(browser.address == "https://client.example/bye")
        let bearer: HTTPFields = [.authorization: "Bearer \(try tokens.string("access_token"))"]
        for _ in 0..<2 {
          #expect(try await browser.open("/account").page == "login")
          #expect(try await world.get("/userinfo", bearer).status == .unauthorized)
        }
      }
    }

    @Test func `administrators see the same pages, and one provider's changes are the other's within a second`()
      async throws
    {
      try await Self.run { world in
        _ = try await world.provider.addUser(
          "root", email: "root@example.com", name: nil, password: World.password, isAdmin: true)
        let browser = TestBrowser(world)
        _ = try await browser.submit(
          try await browser.open("/login"), "/login", ["username": "root", "password": World.password])
        for path in ["users", "clients", "devices", "keys", "audit", "audit?event=login", "metrics"] {
          for _ in 0..<2 { #expect(try await browser.open("/admin/" + path).status == .ok, "\(path)") }
        }
        let users = try await browser.open("/admin/users")
        let unstorable: FormFields = ["user": "a\u{0}", "sure": "yes"]
        #expect(try await browser.submit(users, "/admin/users/disable", unstorable).status == .badRequest)
        let other = world.providers[1].clients
        #expect(try await other.enabledClient(id: "site") != nil)
        #expect(try await world.provider.setEnabled(false, client: "site"))
        world.wait(ClientRepository.cacheLifetime)
        #expect(try await other.enabledClient(id: "site") == nil)
        // The last administrator stays, whichever provider is asked.
        let root = try #require(try await world.provider.users.user(named: "root"))
        var change = UserChange()
        change.isAdmin = false
        let last = change
        await #expect(throws: RuleRefusal.self) { try await world.providers[1].change(root, last) }
      }
    }

    @Test func `wrong passwords count together, whichever provider is asked`() async throws {
      try await Self.run { world in
        var statuses: [HTTPResponse.Status] = []
        // Each provider is asked half as often as one browser may: the second request keeps them taking turns.
        for _ in 0..<12 {
          _ = try await world.get("/health")
          let browser = TestBrowser(world)
          statuses.append(try await browser.logIn(try await browser.open("/login"), password: "wrong").status)
        }
        #expect(statuses.first == .unauthorized && statuses.last == .tooManyRequests)
      }
    }

    @Test func `a blocked attempt waits for no lock and counts against its other budgets`() async throws {
      try await Self.run { world in
        let (limiter, database) = (world.provider.limiter, world.provider.database)
        let flooded = LoginLimiter.Budget(key: "flooded", limit: 1, interval: 60)
        let other = LoginLimiter.Budget(key: "other", limit: 1, interval: 60)
        #expect(try await limiter.attempt([flooded]) == nil)
        try await Self.locking(database) { session in
          try session.lock(["login attempts flooded"], .postgreSQL)
        } meanwhile: {
          let (one, both) = (try await limiter.attempt([flooded]), try await limiter.attempt([flooded, other]))
          #expect(one == 60 && both == 60)
        }
        #expect(try await limiter.attempt([other]) == 60)
      }
    }

    @Test func `a repeated audit event is counted without waiting for a lock on the log`() async throws {
      try await Self.run { world in
        let (audit, database) = (world.provider.audit, world.provider.database)
        for _ in 0..<50 { await audit.record(.init("login.failed")) }
        try await Self.locking(database) { session in
          _ = try session.run("SELECT 1 FROM auditLog ORDER BY number DESC LIMIT 1 FOR UPDATE", [])
        } meanwhile: {
          await audit.record(.init("login.failed"))
          let counts = try await database.rows(
            "SELECT count(*), CAST(sum(repeats) AS BIGINT) FROM auditLog WHERE event = 'login.failed'")
          #expect(try counts[0][0].int == 50 && counts[0][1].int == 1)
        }
      }
    }

    @Test func `a change of an account whose answer gets lost ends its logins nevertheless`() async throws {
      try await Self.run { world in
        let browser = TestBrowser(world)
        _ = try await browser.authorize()
        for _ in 0..<2 { #expect(try await browser.open("/account").page == "account") }
        // The connection ends within the commit.
        for statement in [
          """
          CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(0.1); RETURN NEW; END $$
          """,
          """
          CREATE CONSTRAINT TRIGGER fault AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION fault()
          """,
        ] { try await world.provider.database.run(statement) }
        var change = UserChange()
        change.password = "another horse, another battery"
        let asked = change
        await #expect(throws: RecordOutcomeUnknown.self) { try await world.provider.change(world.user, asked) }
        for _ in 0..<2 { #expect(try await browser.open("/account").page == "login") }
      }
    }

    @Test func `of two providers that rotate the keys at once, one does, and the other signs on until it sees that`()
      async throws
    {
      try await Self.run { world in
        func active(_ provider: Provider) async throws -> [String] {
          try await provider.keys.snapshot().entries.filter { $0.state == .active }.map(\.id)
        }
        let before = try await active(world.provider)
        let rotated = try await withThrowingTaskGroup(of: Int.self) { group in
          for provider in world.providers {
            group.addTask {
              do {
                try await provider.keys.rotate()
                return 1
              } catch is KeyRing.Failure {
                return 0
              }
            }
          }
          return try await group.reduce(0, +)
        }
        #expect(rotated == 1)
        world.wait(KeyRing.cacheLifetime)
        let after = try await active(world.provider)
        #expect(Set(after).isDisjoint(with: before))
        #expect(try await active(world.providers[1]) == after)
        // What was signed before, or by a provider that had not yet seen the new keys, is verified still.
        let published = try await world.provider.keys.snapshot().published.keys.map(\.keyID)
        #expect(before.allSatisfy { id in published.contains { $0 == id } })
      }
    }

    @Test func `of two that make keys at once by different secrets, all keys are one's, and the other doesn't start`()
      async throws
    {
      let settings = ProviderSettings(issuer: World.issuer, folder: "")
      let database = try await Storage.connect(try await LocalServer.database(), settings, .system)
      let rings = try (0..<2).map { _ in
        KeyRing(database: database, seal: try SealingKey(RandomText.octets(32)), clock: .system)
      }
      let started = try await withThrowingTaskGroup(of: Int.self) { group in
        for ring in rings {
          group.addTask {
            do {
              try await ring.prepare()
              return 1
            } catch is JOSEError {
              return 0
            }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(started == 1)
      #expect(try await database.rows("SELECT id FROM signingKeys").count == 4)
    }

    @Test func `of two that start at once with different issuers, one does, and the other says whose issuer counts`()
      async throws
    {
      let folder = try await World.makeFolder()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let connection = try await LocalServer.database()
      _ = try await DatabaseCopy.run(ProviderSettings(issuer: "", folder: folder), to: connection)
      @Sendable func refusal(_ issuer: String) async throws -> String? {
        var settings = ProviderSettings(issuer: issuer, folder: folder)
        settings.database = connection
        do {
          _ = try await Provider(settings: settings, log: Self.log)
          return nil
        } catch let error as StartRefusal {
          return error.description
        }
      }
      let issuers = ["https://a.example", "https://b.example"]
      async let first = refusal(issuers[0])
      async let second = refusal(issuers[1])
      let refusals = try await [first, second]
      let started = try #require(refusals.firstIndex { $0 == nil })
      #expect(refusals[1 - started]?.contains("give --issuer \(issuers[started])") == true)
      for (index, issuer) in issuers.enumerated() {
        let again = try await refusal(issuer)
        #expect((again == nil) == (index == started))
      }
    }

    @Test func `a provider without a free connection says when to come again`() async throws {
      try await Self.run({ $0.databaseConnections = 1 }) { world in
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let holders = world.providers.map { provider in
          Task {
            try await provider.database.read { session in
              _ = try session.run("SELECT 1", [])
              start.yield()
              end.wait()
            }
          }
        }
        var count = 0
        for await _ in started {
          count += 1
          if count == holders.count { break }
        }
        let answers = [
          try await world.get("/ready"), try await world.get("/login?request=x"),
          try await world.redeem("a code"),
        ]
        #expect(answers.map(\.status) == [.serviceUnavailable, .serviceUnavailable, .serviceUnavailable])
        #expect(answers.allSatisfy { $0.headers[.retryAfter] != nil })
        #expect(try await world.get("/health").status == .ok)
        for _ in holders { end.signal() }
        for holder in holders { try await holder.value }
        for _ in 0..<2 { #expect(try await world.get("/ready").status == .ok) }
      }
    }

    @Test func `a folder's database goes on in PostgreSQL, where nothing may be before`() async throws {
      let connection = try await LocalServer.database()
      try await World.run { world in
        let code = try await world.code(["prompt": "consent"], scope: "openid offline_access")
        let token = try await world.redeem(code).json().string("refresh_token")
        let number = try #require(try await world.provider.audit.entries(limit: 1).first?.number)
        var settings = world.provider.settings
        let tables = try await DatabaseCopy.run(settings, to: connection)
        for (table, expected) in [("accounts", 1), ("clients", 2), ("signingKeys", 4), ("passkeys", 0)] {
          #expect(tables.first { $0.table == table }?.count == Int64(expected), "\(table)")
        }
        let from = settings
        // Nothing opens what stayed behind.
        let moved = await #expect(throws: StartRefusal.self) {
          _ = try await Provider(settings: from, clock: world.provider.clock, log: Self.log)
        }
        #expect(moved?.description.contains("IDP_DATABASE") == true)
        try FileManager.default.removeItem(atPath: from.folder + ProviderFolder.moveMark)
        let refusal = await #expect(throws: StartRefusal.self) { _ = try await DatabaseCopy.run(from, to: connection) }
        #expect(refusal?.description.contains("rows already") == true)

        settings.database = connection
        let provider = try await Provider(settings: settings, clock: world.provider.clock, log: Self.log)
        #expect(throws: StartRefusal.self) { try provider.backUp(to: settings.folder + "/copy") }
        #expect(ProviderFolder.mode(from.folder + ProviderFolder.moveMark) != nil)
        await provider.audit.record(.init("copied"))
        #expect(try #require(try await provider.audit.entries(limit: 1).first?.number) > number)
        let form: FormFields = ["grant_type": "refresh_token", "refresh_token": token]
        let headers: HTTPFields = [.authorization: world.basic, .contentType: "application/x-www-form-urlencoded"]
        try await Application(router: provider.router()).test(.router) { client in
          let answer = try await client.execute(
            uri: "/token", method: .post, headers: headers, body: ByteBuffer(bytes: form.encoded()))
          #expect(answer.status == .ok)
        }
      }
    }

    @Test func `a provider without the secrets of a database, or of an older version, doesn't start`() async throws {
      try await Self.run { world in
        let connection = try #require(world.provider.settings.database)
        let folder = NSTemporaryDirectory() + "idp-tests-" + RandomText.make(byteCount: 8)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func refusal(_ connection: String, in folder: String, makes: Bool) async throws -> String {
          var settings = ProviderSettings(issuer: World.issuer, folder: folder)
          (settings.database, settings.makesFolder) = (connection, makes)
          let asked = settings
          let refusal = await #expect(throws: StartRefusal.self) {
            _ = try await Provider(settings: asked, clock: world.provider.clock, log: Self.log)
          }
          return refusal?.description ?? ""
        }
        #expect(try await refusal(connection, in: folder, makes: true).contains("copy it from another server"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/secrets.json"))
        let empty = try await LocalServer.database()
        #expect(try await refusal(empty, in: folder, makes: false).contains("no provider in this database"))
        #expect(try await refusal("host=/nowhere", in: folder, makes: true).contains("The database can't be used"))
        _ = try ProviderSecrets(folder: folder)
        #expect(try await refusal(connection, in: folder, makes: true).contains("doesn't belong to this database"))
        try await world.provider.database.run("INSERT INTO migrations (name) VALUES ('idp999')")
        let own = world.provider.settings.folder
        #expect(try await refusal(connection, in: own, makes: true).contains("A newer version"))
      }
    }
  }
#endif
