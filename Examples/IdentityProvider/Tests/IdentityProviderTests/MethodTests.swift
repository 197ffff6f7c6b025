import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

/// What paths answer that are asked by another method than theirs, or that there are not.
@Suite struct MethodTests {
  @Test(arguments: ["/jwks", "/.well-known/openid-configuration", "/provider.css", "/health", "/nowhere", "/userinfo"])
  func `HEAD is answered as GET, without a body`(path: String) async throws {
    try await World.run { world in
      let get = try await world.get(path)
      let head = try await world.client.execute(uri: path, method: .head)
      #expect(head.status == get.status && head.body.readableBytes == 0)
      for name in [HTTPField.Name.contentLength, .contentType, .contentSecurityPolicy, .wwwAuthenticate] {
        #expect(head.headers[name] == get.headers[name], "\(name)")
      }
    }
  }

  @Test func `HEAD asks for a logout as GET does`() async throws {
    try await World.run { world in
      let path = "/logout?id_token_hint=" + (try await world.tokens().string("id_token"))
      let get = try await world.get(path)
      let head = try await world.client.execute(uri: path, method: .head)
      #expect(get.status != .badRequest && head.status == get.status)
      #expect(head.headers[.location] == get.headers[.location] && head.body.readableBytes == 0)
    }
  }

  @Test(
    arguments: [
      (HTTPRequest.Method.get, "/token", "POST"), (.head, "/token", "POST"), (.options, "/introspect", "POST"),
      (.post, "/jwks", "GET, HEAD"), (.put, "/userinfo", "GET, HEAD, POST"), (.delete, "/authorize", "GET, HEAD, POST"),
      (.get, "/login/passkey", "POST"), (.patch, "/metrics", "GET, HEAD"),
    ] as [(HTTPRequest.Method, String, String)])
  func `a wrong method is answered with 405 and an Allow field with the right ones`(
    method: HTTPRequest.Method, path: String, allowed: String
  ) async throws {
    try await World.run { world in
      let answer = try await world.client.execute(uri: path, method: method)
      #expect(answer.status == .methodNotAllowed && answer.headers[.allow] == allowed)
      #expect((answer.page == "error") == ["/authorize", "/login/passkey"].contains(path))
    }
  }

  @Test func `an unknown path is answered with 404, with an error page only outside API paths`() async throws {
    try await World.run { world in
      for path in ["/nowhere", "/tokens", "/parents", "/login/nowhere"] {
        for answer in [try await world.get(path), try await world.post(path, [:])] {
          #expect(answer.status == .notFound && answer.page == "error", "\(path)")
        }
      }
      for path in ["/api/nowhere", "/.well-known/nowhere", "/token/nowhere"] {
        let answer = try await world.get(path)
        #expect(answer.status == .notFound && answer.page == nil, "\(path)")
      }
    }
  }
}
