import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

@Suite struct RefreshTokenIntrospectionTests {
  private static func answer(
    _ token: String, to client: String, of provider: Provider,
    isHonoured: @escaping @Sendable (RefreshGrant) async throws -> Bool = { _ in true }
  ) async throws -> JSONObject {
    let endpoint = OAuthIntrospectionEndpoint(service: provider.service) { _, form in
      form.values("client_id").first.map { AuthenticatedClient(id: $0) }
    } introspectOther: { query, _ in
      guard query.token == "access" else { return nil }
      var answer = IntrospectionResponse.active
      answer.tokenType = "Bearer"
      return answer
    } isHonoured: {
      try await isHonoured($0)
    }
    let request = HTTPRequestValue.post(
      ["token": token, "token_type_hint": "access_token", "client_id": client], to: "https://op.example.com/introspect")
    return try JSONObject(parsing: await endpoint.respond(to: request).body)
  }

  @Test func `a refresh token is its own client's business, and has no type`() async throws {
    let provider = try Provider()
    var grant = Provider.grant
    (grant.authenticationContext, grant.authenticationTime) = ("urn:example:gold", NumericDate(5))
    let token = try await provider.issue(grant)
    #expect(
      try await Self.answer(token, to: "app-a", of: provider) == [
        "active": true, "scope": "openid profile", "client_id": "app-a", "sub": "alice", "acr": "urn:example:gold",
        "auth_time": 5,
      ])
    #expect(try await Self.answer(token, to: "app-b", of: provider) == ["active": false])
    #expect(try await Self.answer(token + "x", to: "app-a", of: provider) == ["active": false])
    #expect(try await Self.answer("access", to: "app-b", of: provider) == ["active": true, "token_type": "Bearer"])
    // Nothing was rotated by that, and what is redeemed or revoked is told so.
    let next = try await provider.redeem(token).refreshToken
    #expect(try await Self.answer(next, to: "app-a", of: provider)["active"] == true)
    try await provider.service.revoke(refreshToken: next, clientID: "app-a")
    #expect(try await Self.answer(next, to: "app-a", of: provider) == ["active": false])
  }

  @Test func `a refresh token that its issuer would refuse is inactive, and a failed check is an error`() async throws {
    let provider = try Provider()
    let token = try await provider.issue(Provider.grant)
    for isHonoured in [true, false] {
      let answer = try await Self.answer(token, to: "app-a", of: provider) { grant in
        grant.subject == "alice" && isHonoured
      }
      #expect(answer["active"] == .bool(isHonoured) && (answer["sub"] == nil) != isHonoured)
    }
    let failed = try await Self.answer(token, to: "app-a", of: provider) { _ in throw CancellationError() }
    #expect(failed["active"] == nil && failed["error"] != nil)
  }
}
