import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Answers about tokens that are signed: RFC 9701, on both sides.
@Suite struct SignedIntrospectionTests {
  private static let endpoint = ProviderWorld.issuer + "/introspect"
  private static let accept = "application/token-introspection+jwt"

  private func client(
    _ world: ProviderWorld, _ id: String = "site",
    change: @escaping @Sendable (inout HTTPResponseValue) -> Void = { _ in }
  ) -> (OAuthClient, RemoteKeySet) {
    let transport: HTTPTransport = { request in
      var response = await world.provider.respond(to: request, from: "a") ?? HTTPResponseValue(status: 404)
      if request.url == Self.endpoint { change(&response) }
      return response
    }
    let client = OAuthClient(
      clientID: id, authentication: .secretInForm("secret"), clock: world.clock.wall, transport: transport)
    return (client, RemoteKeySet(issuer: ProviderWorld.issuer, clock: world.clock.wall, transport: transport))
  }

  private func ask(
    _ world: ProviderWorld, _ token: String?, by id: String = "site", issuer: String = ProviderWorld.issuer,
    change: @escaping @Sendable (inout HTTPResponseValue) -> Void = { _ in }
  ) async throws(OpenIDError) -> IntrospectionResponse {
    let (client, keys) = client(world, id, change: change)
    return try await client.introspect(
      IntrospectionRequest(token: token ?? ""), at: Self.endpoint, signedBy: issuer, keys: keys, algorithms: [.es256])
  }

  @Test func `an introspection response is signed for its requester and equals the plain JSON`() async throws {
    let world = try await ProviderWorld()
    let token = try await world.redeem(try await world.code()).member("access_token")
    let (plain, _) = client(world)
    let signed = try await ask(world, token)
    #expect(signed.isActive && signed.subject == "jane")
    #expect(signed == (try await plain.introspect(IntrospectionRequest(token: token ?? ""), at: Self.endpoint)))
    // A resource server's answer is its own, whatever the token's audience is.
    let seen = Mutex<[UInt8]>([])
    _ = try await ask(world, token, by: "api") { response in seen.withLock { [body = response.body] in $0 = body } }
    let answer = try UnverifiedJWS(parsing: String(decoding: seen.withLock { $0 }, as: UTF8.self))
    let claims = try JSONObject(parsing: answer.unverifiedPayload)
    #expect(claims["aud"] == "api" && claims["iss"] == .string(ProviderWorld.issuer) && claims["iat"] != nil)
    #expect(
      claims["sub"] == nil && claims["exp"] == nil && claims["token_introspection"]?.objectValue?["active"] == true)
    let metadata = try await world.provider.metadata()
    #expect(metadata["introspection_signing_alg_values_supported"] == ["ES256"])
  }

  @Test func `of a token that is not active nothing more is said`() async throws {
    let world = try await ProviderWorld()
    #expect(try await ask(world, "unknown") == .inactive)
  }

  @Test(
    arguments: [
      ([], false), (["application/json"], false), (["*/*"], false), (["application/*"], false), ([accept], true),
      (["application/json, " + accept.uppercased() + " ; q=0.5"], true), ([accept + ";q=0"], false),
      ([accept + "; q=0.000"], false), (["text/html", accept], true), (["application/token-introspection+jwt2"], false),
    ] as [([String], Bool)])
  func `the Accept field decides whether introspection is signed`(fields: [String], isSigned: Bool) async throws {
    let world = try await ProviderWorld()
    var request = HTTPRequestValue.post(
      ["token": "x", "client_id": "site", "client_secret": "secret"], to: Self.endpoint)
    for field in fields { try request.headers.append("Accept", field) }
    let answer = try #require(await world.provider.respond(to: request, from: "a"))
    #expect(answer.status == 200 && answer.headers.values("Cache-Control") == ["no-store"])
    #expect(answer.headers.values("Content-Type") == [isSigned ? Self.accept : "application/json"])
  }

  @Test func `a client without authentication gets no signed introspection response`() async throws {
    let world = try await ProviderWorld()
    var request = HTTPRequestValue.post(["token": "x", "client_id": "app"], to: Self.endpoint)
    try request.headers.append("Accept", Self.accept)
    #expect(await world.provider.respond(to: request, from: "a")?.status == 401)
  }

  /// A proxy that answers in plain JSON, or by the answer to another, takes the signature away.
  @Test func `an answer that is not signed, or not for this client and now, is refused`() async throws {
    let world = try await ProviderWorld()
    let token = try await world.redeem(try await world.code()).member("access_token")
    func fault(
      by id: String = "site", issuer: String = ProviderWorld.issuer,
      _ change: @escaping @Sendable (inout HTTPResponseValue) -> Void = { _ in }
    ) async -> OpenIDError? {
      do {
        _ = try await ask(world, token, by: id, issuer: issuer, change: change)
        return nil
      } catch {
        return error
      }
    }
    let active: HTTPResponseValue = .json(200, ["active": true, "sub": "jane"])
    #expect(await fault { $0 = active } == OpenIDError(.answerMalformed, "", name: "Content-Type"))
    #expect(await fault { $0.headers = HTTPHeaderFields() } == OpenIDError(.answerMalformed, "", name: "Content-Type"))
    #expect(
      await fault { try? $0.headers.set("Content-Type", "application/jwt") }
        == OpenIDError(.answerMalformed, "", name: "Content-Type"))
    #expect(await fault { $0.body = active.body }?.code == .answerMalformed)
    #expect(await fault { $0.body[$0.body.count / 2] ^= 1 }?.code == .answerMalformed)
    #expect(await fault(issuer: "https://other.example") == OpenIDError(.answerMalformed, "", name: "iss"))
    // The answer that another server got.
    let other = Mutex<[UInt8]>([])
    _ = await fault(by: "api") { response in other.withLock { [body = response.body] in $0 = body } }
    #expect(await fault { $0.body = other.withLock { $0 } } == OpenIDError(.answerMalformed, "", name: "aud"))
    // One of before.
    let old = Mutex<[UInt8]>([])
    _ = await fault { response in old.withLock { [body = response.body] in $0 = body } }
    world.clock.advance(180)
    #expect(await fault { $0.body = old.withLock { $0 } } == OpenIDError(.answerMalformed, "", name: "iat"))
    #expect(await fault() == nil)
    // An access token is no answer.
    let access = Array((token ?? "").utf8)
    #expect(await fault { $0.body = access }?.code == .answerMalformed)
  }

  @Test func `an introspection response that can't be signed is answered with 503`() async throws {
    struct Down: Error {}
    var endpoint = OAuthIntrospectionEndpoint { _, _ in
      AuthenticatedClient(id: "api")
    } introspect: { _, _ in
      nil
    }
    endpoint.sign = { _, _ in throw Down() }
    var request = HTTPRequestValue.post(["token": "x"], to: Self.endpoint)
    #expect(await endpoint.respond(to: request).status == 200)
    try request.headers.append("Accept", Self.accept)
    #expect(await endpoint.respond(to: request).status == 503)
  }
}
