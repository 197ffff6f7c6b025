import JOSE
import NativeSSOKit
import StrictJSON
import Testing
import OpenIDKit

/// A client that is named by its assertion alone (RFC 7521 §4.2). What the assertion says is looked up, and then
/// verified.
@Suite struct AssertedClientTests {
  private static let audience = "https://op.example.com"
  private static let now = NumericDate(1_760_001_000)

  private let keys: [String: SigningKey]

  init() throws {
    keys = [
      "app-jwt": try SigningKey.generate(.es256, keyID: "1"), "app-other": try SigningKey.generate(.es256, keyID: "2"),
    ]
  }

  /// Two clients that authenticate by assertions, and one with a secret.
  private func provider() async throws -> NativeSSOProvider {
    var provider = try await World().provider
    let asserting = keys.map { id, key in
      RegisteredClient(
        id: id,
        authentication: .custom { _, form in
          let verifier = JWTVerifier(
            key: key.verificationKey,
            policy: .clientAssertion(clientID: id, audience: [Self.audience], clock: .fixed(at: Self.now)))
          return (try? verifier.verify(form.values("client_assertion").first ?? "")) != nil
        }, isNative: false)
    }
    let secret = RegisteredClient.Authentication.secretSHA256("s3cret")
    provider.clients = StaticClientDirectory(
      asserting + [
        RegisteredClient(id: "app-post", authentication: .post(secretSHA256: secret), isNative: false),
        RegisteredClient(id: "app-public"),
      ])
    return provider
  }

  private func assertion(of client: String, by signer: String? = nil, subject: JSONValue? = nil) throws -> String {
    let claims: JSONObject = [
      "iss": .string(client), "sub": subject ?? .string(client), "aud": .string(Self.audience), "jti": "1",
      "iat": .number(JSONNumber(Self.now.wholeSeconds)), "exp": .number(JSONNumber(Self.now.wholeSeconds + 60)),
    ]
    return try JWT.sign(claims, with: try #require(keys[signer ?? client]))
  }

  private func client(
    _ assertion: String, _ more: [(String, String)] = [], authorization: String? = nil
  ) async throws -> String? {
    let form = FormFields(
      [
        ("grant_type", "refresh_token"),
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", assertion),
      ] + more)
    var request = HTTPRequestValue.post(form, to: "/token")
    if let authorization { try request.headers.append("Authorization", authorization) }
    return try await provider().clients.authenticate(request, form)?.id
  }

  @Test func `its assertion names a client, with client_id beside it or without`() async throws {
    let own = try assertion(of: "app-jwt")
    #expect(try await client(own) == "app-jwt")
    #expect(try await client(own, [("client_id", "")]) == "app-jwt")
    #expect(try await client(own, [("client_id", "app-jwt")]) == "app-jwt")
    #expect(try await client(assertion(of: "app-other")) == "app-other")
  }

  @Test func `nobody is another client by an assertion`() async throws {
    let own = try assertion(of: "app-jwt")
    // Another's name beside it, another's signature, and names that are nobody's or none.
    #expect(try await client(own, [("client_id", "app-other")]) == nil)
    #expect(try await client(assertion(of: "app-jwt", by: "app-other")) == nil)
    for subject in ["app-other", "nobody", "", 1, .null, ["app-jwt"]] as [JSONValue] {
      #expect(try await client(assertion(of: "app-jwt", subject: subject)) == nil)
    }
    for text in [
      "", "a", "..", "e30.e30.AA", String(own.dropLast(2)), own + ".", String(repeating: "a", count: 100_000),
    ] {
      #expect(try await client(text) == nil, "\(text.prefix(20))")
    }
  }

  @Test func `who has another way to prove itself is not taken at an assertion's word`() async throws {
    let post = try JWT.sign(
      ["iss": "app-post", "sub": "app-post"] as JSONObject, with: try #require(keys["app-jwt"]))
    #expect(try await client(post) == nil)
    #expect(try await client(post, [("client_secret", "s3cret")]) == "app-post")
    let basic = "Basic " + Base64.encode(Array("app-post:s3cret".utf8))
    #expect(try await client(assertion(of: "app-jwt"), authorization: basic) == nil)
  }
}
