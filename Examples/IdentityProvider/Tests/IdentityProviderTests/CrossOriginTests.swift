import Foundation
import HTTPTypes
import HummingbirdTesting
import JOSE
import SQLStores
import Testing

@testable import IdentityProvider

/// What pages of other origins may read.
@Suite struct CrossOriginTests {
  private static let paths = ["/token", "/revoke", "/par"]

  private static func preflight(
    _ path: String, from origin: String, method: String = "POST", asking header: String = "dpop", _ world: World
  ) async throws -> TestResponse {
    let headers: HTTPFields = [
      .origin: origin, .accessControlRequestMethod: method, .accessControlRequestHeaders: header,
    ]
    return try await world.client.execute(uri: path, method: .options, headers: headers)
  }

  @Test func `a page of a public client gets its tokens, without cookies`() async throws {
    try await World.run { world in
      let origin = "https://client.example"
      for path in Self.paths {
        let asked = try await Self.preflight(path, from: origin, world)
        #expect(asked.status == .noContent && asked.headers[.accessControlAllowOrigin] == origin, "\(path)")
        #expect(asked.headers[.accessControlAllowHeaders]?.contains("dpop") == true)
        // A refusal can be read, too.
        let answer = try await world.post(path, ["client_id": "nobody"], [.origin: origin])
        #expect(answer.status == .unauthorized && answer.headers[.accessControlAllowOrigin] == origin, "\(path)")
        for response in [asked, answer] {
          #expect(response.headers[.vary] == "Origin" && response.headers[.accessControlAllowCredentials] == nil)
        }
      }
    }
  }

  @Test func `CORS admits no origin but those of enabled public clients at endpoints for tokens`() async throws {
    try await World.run { world in
      var closed = IdentityProvider.Client(
        id: "closed", name: "Closed", authentication: .basic, redirectURIs: ["https://closed.example/callback"])
      _ = try await world.provider.addClient(closed)
      closed = IdentityProvider.Client(
        id: "gone", name: "Gone", authentication: .none, redirectURIs: ["https://gone.example/callback"])
      closed.isEnabled = false
      _ = try await world.provider.addClient(closed)
      for origin in [
        "https://closed.example", "https://gone.example", "https://client.example.evil", "https://client.exampl",
        "http://client.example", "https:", "https://", "null", "",
      ] {
        for path in Self.paths {
          let asked = try await Self.preflight(path, from: origin, world)
          let answer = try await world.post(path, ["client_id": "nobody"], [.origin: origin])
          for response in [asked, answer] {
            #expect(response.headers[.accessControlAllowOrigin] == nil, "\(origin) \(path)")
            #expect(response.headers[.vary] == "Origin")
          }
        }
      }
    }
  }

  /// Whether a browser sends the header after this answer, without cookies.
  ///
  /// Source: Fetch Standard §4.8.
  private static func allows(_ header: String, _ answer: TestResponse) -> Bool {
    let names = (answer.headers[.accessControlAllowHeaders] ?? "").lowercased().split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    return names.contains(header) || names.contains("*") && header != "authorization"
  }

  @Test func `CORS allows every request header for metadata and keys`() async throws {
    try await World.run { world in
      for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/jwks"] {
        for header in ["mcp-protocol-version", "authorization", "x-anything"] {
          let asked = try await Self.preflight(
            path, from: "https://other.example", method: "GET", asking: header, world)
          #expect(asked.status == .noContent && Self.allows(header, asked), "\(path) \(header)")
          #expect(asked.headers[.accessControlAllowOrigin] == "*")
          #expect(asked.headers[.accessControlAllowMethods] == "GET")
          #expect(asked.headers[.accessControlAllowCredentials] == nil)
        }
      }
    }
  }

  @Test func `CORS allows only the headers of OAuth clients at endpoints for tokens`() async throws {
    try await World.run { world in
      for path in Self.paths + ["/userinfo"] {
        for header in ["mcp-protocol-version", "authorization", "dpop", "content-type"] {
          let asked = try await Self.preflight(path, from: "https://client.example", asking: header, world)
          #expect(asked.status == .noContent && Self.allows(header, asked), "\(path) \(header)")
          #expect(asked.headers[.accessControlAllowOrigin] != nil)
          #expect(asked.headers[.accessControlAllowCredentials] == nil)
        }
        let asked = try await Self.preflight(path, from: "https://client.example", asking: "x-anything", world)
        #expect(!Self.allows("x-anything", asked), "\(path)")
      }
      for path in ["/login", "/account", "/authorize", "/logout", "/admin/users"] {
        let asked = try await Self.preflight(
          path, from: "https://client.example", asking: "mcp-protocol-version", world)
        #expect(asked.headers[.accessControlAllowHeaders] == nil, "\(path)")
      }
    }
  }

  @Test func `client origins are reread after a second, even if one client record is unreadable`() async throws {
    try await World.run { world in
      let clients = world.provider.clients
      func isKnown() async throws -> Bool {
        let asked = try await Self.preflight("/token", from: "https://client.example", world)
        return asked.headers[.accessControlAllowOrigin] != nil
      }
      func change(_ sql: String) async throws {
        try await world.provider.database.run(sql)
      }
      #expect(try await isKnown())
      // As another process does it.
      try await change("UPDATE clients SET isEnabled = 0")
      #expect(try await isKnown())
      world.wait(ClientRepository.cacheLifetime)
      #expect(try await !isKnown())
      try await clients.put(world.installed)
      #expect(try await isKnown())
      try await change("INSERT INTO clients (id, isEnabled, createdAt, document) VALUES (x'00', 1, 0, x'00')")
      world.wait(ClientRepository.cacheLifetime)
      #expect(try await isKnown())
      #expect(try await clients.clients().map(\.id).sorted() == ["app", "site"])
    }
  }

  @Test func `CORS admits every origin at metadata, keys and userinfo, and none at pages`() async throws {
    try await World.run { world in
      let headers: HTTPFields = [.origin: "https://other.example"]
      for path in ["/.well-known/openid-configuration", "/jwks", "/userinfo"] {
        #expect(try await world.get(path, headers).headers[.accessControlAllowOrigin] == "*", "\(path)")
        let asked = try await Self.preflight(path, from: "https://other.example", world)
        #expect(asked.status == .noContent && asked.headers[.accessControlAllowOrigin] == "*", "\(path)")
      }
      for path in ["/login", "/introspect", "/account", "/authorize"] {
        let asked = try await Self.preflight(path, from: "https://client.example", world)
        #expect(asked.headers[.accessControlAllowOrigin] == nil, "\(path)")
        #expect(try await world.get(path, headers).headers[.accessControlAllowOrigin] == nil, "\(path)")
      }
    }
  }
}
