import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import JOSE
import Logging
import NIOEmbedded
import SQLStores
import Testing

@testable import IdentityProvider

/// What is answered when something goes wrong, and what supervisors ask.
@Suite struct FailureTests {
  private struct Broken: Error {}

  private struct Throwing: ProviderExtension {
    func addRoutes(to router: Router<ProviderContext>) {
      for path: RouterPath in ["/broken", "/api/broken"] {
        router.get(path) { _, _ -> Response in throw Broken() }
      }
      router.get("/left") { _, _ -> Response in throw CancellationError() }
    }
  }

  @Test func `an unexpected error is answered with a request number that the log has, too`() async throws {
    try await World.run { world in
      var provider = world.provider
      provider.add(Throwing())
      let lines = InMemoryLogHandler()
      let log = Logger(label: "test", factory: { _ in lines })
      let name = try #require(HTTPField.Name("X-Request-Id"))
      try await Application(router: provider.router(), logger: log).test(.router) { client in
        for path in ["/broken", "/api/broken"] {
          let answer = try await client.execute(uri: path, method: .get)
          let number = try #require(answer.headers[name])
          #expect(answer.status == .internalServerError)
          #expect(answer.headers[.contentSecurityPolicy] != nil && answer.headers[.xContentTypeOptions] == "nosniff")
          #expect(lines.entries.contains { $0.level == .error && "\($0.metadata)".contains(number) })
          if path == "/broken" {
            #expect(answer.page == "error" && answer.text.contains(number))
          } else {
            #expect(try answer.json()["error"] == "server_error")
          }
        }
      }
      #expect(try await world.get("/nowhere").page == "error")
      lines.clear()
      try await Application(router: provider.router(), logger: log).test(.router) { client in
        _ = try await client.execute(uri: "/left", method: .get)
      }
      #expect(!lines.entries.contains { $0.level == .error })
    }
  }

  @Test func `a request with a second Host header is refused`() async throws {
    try await World.run { world in
      // The test's client has one in the request's head.
      let name = try #require(HTTPField.Name("Host"))
      #expect(try await world.get("/login", [name: "other.example"]).status == .badRequest)
      #expect(try await world.get("/login").status == .ok)
    }
  }

  /// Sends a request that names an authority, or none.
  private static func expect(_ code: Int, _ path: String, at authority: String?, _ world: World) async throws {
    let request = Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: authority, path: path),
      body: RequestBody(buffer: .init()))
    let context = ProviderContext(
      source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Logger(label: "test")))
    let answer = try await world.provider.router().buildResponder().respond(to: request, context: context)
    #expect(answer.status.code == code, "\(authority ?? "none") \(path)")
  }

  @Test func `health checks may omit the Host header, and other requests must have it`() async throws {
    try await World.run { world in
      for path in ["/health", "/ready"] { try await Self.expect(200, path, at: nil, world) }
      try await Self.expect(400, "/login", at: nil, world)
      try await Self.expect(200, "/login", at: "op.example", world)
    }
  }

  @Test func `a provider on localhost refuses requests with a foreign Host header`() async throws {
    try await World.run(changing: { $0.issuer = "http://localhost:8080" }) { world in
      for name in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"] {
        try await Self.expect(200, "/login", at: name, world)
      }
      for name in ["rebound.example:8080", "localhost.example:8080", "a@localhost:8080", "127.0.0.1.example", ""] {
        for path in ["/login", "/metrics", "/health"] { try await Self.expect(400, path, at: name, world) }
      }
    }
  }

  @Test func `keys and metadata stay published for a day while the database can't be read`() async throws {
    try await World.run { world in
      try await world.provider.readDocuments()
      let (keys, metadata) = (
        try await world.get("/jwks").text, try await world.get("/.well-known/openid-configuration").text
      )
      let token = try await world.tokens().string("access_token")
      try await world.provider.database.run("ALTER TABLE signingKeys RENAME TO lost")
      try await world.provider.database.run("ALTER TABLE records RENAME TO lostRecords")
      for seconds in [6.0, 3600, 80_000] {
        world.wait(seconds)
        #expect(try await world.get("/ready").status == .serviceUnavailable)
        let answer = try await world.get("/jwks")
        #expect(answer.status == .ok && answer.text == keys)
        #expect(try await world.get("/.well-known/openid-configuration").text == metadata)
      }
      world.wait(5000)
      #expect(try await world.get("/jwks").status == .serviceUnavailable)
      let asked = try await world.get("/userinfo", [.authorization: "Bearer \(token)"])
      #expect(asked.status == .serviceUnavailable && asked.headers[.retryAfter] == "1")
      try await world.provider.database.run("ALTER TABLE lost RENAME TO signingKeys")
      world.wait(6)
      #expect(try await world.get("/jwks").text == keys)
    }
  }

  @Test func `a cached value is served at once while a reload hangs, and the reloaded value follows`() async throws {
    let time = World.Clock()
    let known = LastKnown<Int>(lifetime: 5, patience: .milliseconds(50), clock: time.wall)
    struct Broken: Error {}
    await #expect(throws: Broken.self) { try await known.value { throw Broken() } }
    #expect(try await known.value { 1 } == 1)
    #expect(try await known.value { 2 } == 1)
    time.seconds.withLock { $0 += 6 }
    let (signal, gate) = AsyncStream.makeStream(of: Void.self)
    let hanging: @Sendable () async throws -> Int = {
      for await _ in signal { break }
      return 3
    }
    for _ in 0..<3 { #expect(try await known.value(hanging) == 1) }
    gate.finish()
    // The reading that hung ends by itself, and counts.
    var last = 1
    while last != 3 { last = try await known.value { 4 } }
    time.seconds.withLock { $0 += 6 }
    #expect(try await known.value { throw Broken() } == 3)
    // After a failure what there is serves for a while, so that nobody waits for the next one.
    #expect(try await known.value { 5 } == 3)
    time.seconds.withLock { $0 -= 100 }
    #expect(try await known.value { 6 } == 6)
  }

  @Test func `a server without signing keys is healthy but not ready`() async throws {
    try await World.run { world in
      #expect(try await world.get("/ready").status == .ok)
      try await world.provider.database.run("DELETE FROM signingKeys")
      #expect(try await world.get("/ready").status == .serviceUnavailable)
      #expect(try await world.get("/health").status == .ok)
    }
  }
}
