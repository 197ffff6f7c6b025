import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import JOSE
import Logging
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
    }
  }

  @Test func `what no route has foreseen is answered with a number, which the log has too`() async throws {
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
    }
  }

  @Test func `a request has one host`() async throws {
    try await World.run { world in
      // The test's client has one in the request's head.
      let name = try #require(HTTPField.Name("Host"))
      #expect(try await world.get("/login", [name: "other.example"]).status == .badRequest)
      #expect(try await world.get("/login").status == .ok)
    }
  }

  @Test func `a server that can't open its keys is there, and not ready`() async throws {
    try await World.run { world in
      #expect(try await world.get("/ready").status == .ok)
      try await world.provider.database.write { database in try database.execute(sql: "DELETE FROM signingKeys") }
      #expect(try await world.get("/ready").status == .serviceUnavailable)
      #expect(try await world.get("/health").status == .ok)
    }
  }
}
