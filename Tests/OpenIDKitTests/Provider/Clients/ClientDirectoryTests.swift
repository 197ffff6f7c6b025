import JOSE
import OpenIDKit
import Testing

@Suite("Registered clients prove themselves at the endpoints")
struct ClientDirectoryTests {
  private static let hash = RegisteredClient.Authentication.secretSHA256("a secret")
  private static let clients = StaticClientDirectory([
    RegisteredClient(id: "app"), RegisteredClient(id: "site", authentication: .none, isNative: false),
    RegisteredClient(id: "basic", authentication: .basic(secretSHA256: hash)),
    RegisteredClient(id: "post", authentication: .post(secretSHA256: hash)),
    RegisteredClient(
      id: "own",
      authentication: .custom { request, form in
        guard form.values("proof") != ["unknown"] else { throw Unavailable() }
        return request.method == "POST" && form.values("proof") == ["good"]
      }),
  ])

  private struct Unavailable: Error {}

  private struct Failing: ClientDirectory {
    func client(id: String) async throws -> RegisteredClient? { throw Unavailable() }
  }

  private static func basic(_ id: String, _ secret: String) -> String {
    "Basic " + Base64.encode(Array("\(id):\(secret)".utf8))
  }

  private func client(
    _ form: FormFields, _ authorization: [String] = [], in clients: any ClientDirectory = clients
  ) async throws -> String? {
    var request = HTTPRequestValue(method: "POST", url: "https://idp.example.com/token")
    for field in authorization { try request.headers.append("Authorization", field) }
    return try await clients.authenticate(request, form)?.id
  }

  @Test("each client authenticates by the method that it is registered for")
  func registered() async throws {
    #expect(try await client(["client_id": "app"]) == "app")
    #expect(try await client([:], [Self.basic("basic", "a%20secret")]) == "basic")
    #expect(try await client(["client_id": "basic"], [Self.basic("basic", "a+secret")]) == "basic")
    #expect(try await client(["client_id": "post", "client_secret": "a secret"]) == "post")
    #expect(try await client(["client_id": "own", "proof": "good"]) == "own")
  }

  @Test(
    "a client with another method or wrong credentials is refused",
    arguments: [
      ([:], []), (["client_id": ""], []), (["client_id": "nobody"], []), (["client_id": "site"], []),
      (["client_id": "app", "client_secret": "a secret"], []), (["client_id": "app"], [basic("app", "a+secret")]),
      (["client_id": "basic"], []), (["client_id": "basic", "client_secret": "a secret"], []),
      (["client_id": "basic", "client_secret": "a secret"], [basic("basic", "a+secret")]),
      ([:], [basic("basic", "another")]), ([:], [basic("basic", "a+secret&")]),
      (["client_id": "post"], [basic("basic", "a+secret")]),
      ([:], [basic("basic", "a+secret"), basic("basic", "a+secret")]), ([:], ["Basic !"]), ([:], ["Bearer a"]),
      (["client_id": "post"], []), (["client_id": "post", "client_secret": "another"], []),
      ([:], [basic("post", "a+secret")]), (["client_id": "own", "proof": "bad"], []), (["client_id": "own"], []),
      (["client_id": "APP"], []),
    ] as [(FormFields, [String])])
  func others(_ form: FormFields, _ authorization: [String]) async throws {
    #expect(try await client(form, authorization) == nil)
  }

  @Test("what can't be looked up is the server's fault, and an endpoint has the client come again")
  func unavailable() async throws {
    let cases: [(FormFields, any ClientDirectory)] = [
      (["client_id": "app"], Failing()), (["client_id": "own", "proof": "unknown"], Self.clients),
    ]
    for (form, clients) in cases {
      let error = await #expect(throws: OAuthErrorResponse.self) { try await client(form, in: clients) }
      #expect(error?.code == .temporarilyUnavailable)
      #expect(error?.status == 503 && error?.retryAfter != nil)
      let endpoint = OAuthIntrospectionEndpoint(authenticate: clients.authenticate) { _, _ in nil }
      var body = form
      body.append("token", "t")
      let answer = await endpoint.respond(to: .post(body, to: "/introspect"))
      #expect(answer.status == 503)
    }
  }
}
