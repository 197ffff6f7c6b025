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
  private func provider(_ records: any RecordStore) async throws -> OpenIDProvider {
    var provider = try await World().provider
    let asserting = keys.map { id, key in
      RegisteredClient(
        id: id,
        authentication: .assertion(
          SingleUseJWTVerifier(
            JWTVerifier(
              key: key.verificationKey,
              policy: .clientAssertion(clientID: id, audience: [Self.audience], clock: .fixed(at: Self.now))),
            records: records)), isNative: false)
    }
    let secret = RegisteredClient.Authentication.secretSHA256("s3cret")
    provider.clients = StaticClientDirectory(
      asserting + [
        RegisteredClient(id: "app-post", authentication: .post(secretSHA256: secret), isNative: false),
        RegisteredClient(id: "app-public"),
      ])
    return provider
  }

  private func assertion(
    of client: String, by signer: String? = nil, subject: JSONValue? = nil, audience: JSONValue = .string(audience)
  ) throws -> String {
    let claims: JSONObject = [
      "iss": .string(client), "sub": subject ?? .string(client), "aud": audience, "jti": "1",
      "iat": .number(JSONNumber(Self.now.wholeSeconds)), "exp": .number(JSONNumber(Self.now.wholeSeconds + 60)),
    ]
    return try JWT.sign(claims, with: try #require(keys[signer ?? client]))
  }

  private func client(
    _ assertion: String, _ more: [(String, String)] = [], authorization: String? = nil,
    type: String = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    records: any RecordStore = MemoryRecordStore()
  ) async throws -> String? {
    let form = FormFields(
      [
        ("grant_type", "refresh_token"),
        ("client_assertion_type", type),
        ("client_assertion", assertion),
      ] + more)
    var request = HTTPRequestValue.post(form, to: "/token")
    if let authorization { try request.headers.append("Authorization", authorization) }
    return try await provider(records).clients.authenticate(request, form)?.id
  }

  @Test func `an assertion identifies its client, with or without client_id`() async throws {
    let own = try assertion(of: "app-jwt")
    #expect(try await client(own) == "app-jwt")
    #expect(try await client(own, [("client_id", "")]) == "app-jwt")
    #expect(try await client(own, [("client_id", "app-jwt")]) == "app-jwt")
    #expect(try await client(assertion(of: "app-other")) == "app-other")
  }

  @Test func `an assertion with another client_id, subject or signer is refused`() async throws {
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

  @Test func `clients that share a verifier can't speak for each other`() async throws {
    let key = try #require(keys["app-jwt"])
    let policy = JWTPolicy(
      issuer: .anyOf(["app-jwt", "app-other"]), audience: .anyOf([Self.audience]), requiredClaims: ["exp", "jti"],
      clock: .fixed(at: Self.now))
    let verifier = SingleUseJWTVerifier(
      JWTVerifier(key: key.verificationKey, policy: policy), records: MemoryRecordStore())
    let clients = StaticClientDirectory(
      ["app-jwt", "app-other"].map { RegisteredClient(id: $0, authentication: .assertion(verifier), isNative: false) })
    let cases: [(issuer: String, subject: String, named: String, isTaken: Bool)] = [
      ("app-jwt", "app-jwt", "app-jwt", true), ("app-jwt", "app-jwt", "app-other", false),
      ("app-jwt", "app-other", "app-other", false), ("app-other", "app-jwt", "app-other", false),
      ("app-jwt", "app-other", "app-jwt", false), ("app-other", "app-other", "app-other", true),
    ]
    for (number, one) in cases.enumerated() {
      let claims: JSONObject = [
        "iss": .string(one.issuer), "sub": .string(one.subject), "aud": .string(Self.audience),
        "jti": .string("\(number)"), "exp": .number(JSONNumber(Self.now.wholeSeconds + 60)),
      ]
      let form = FormFields([
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", try JWT.sign(claims, with: key)), ("client_id", one.named),
      ])
      let found = try await clients.authenticate(HTTPRequestValue.post(form, to: "/token"), form)
      #expect(found?.id == (one.isTaken ? one.named : nil), "\(number)")
    }
  }

  @Test func `an assertion is valid once, for one audience and without other client credentials`() async throws {
    let own = try assertion(of: "app-jwt")
    let records = MemoryRecordStore()
    #expect(try await client(own, records: records) == "app-jwt")
    #expect(try await client(own, records: records) == nil)
    // A list of one is another way to write it, a longer one isn't.
    #expect(try await client(assertion(of: "app-jwt", audience: [.string(Self.audience)])) == "app-jwt")
    let two: JSONValue = [.string(Self.audience), "https://other.example"]
    #expect(try await client(assertion(of: "app-jwt", audience: two)) == nil)
    #expect(try await client(assertion(of: "app-jwt", audience: "https://other.example")) == nil)
    #expect(try await client(own, type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer") == nil)
    #expect(try await client(own, [("client_secret", "s3cret")]) == nil)
    #expect(try await client(own, [("client_id", "app-jwt"), ("client_secret", "s3cret")]) == nil)
    let basic = "Basic " + Base64.encode(Array("app-jwt:s3cret".utf8))
    #expect(try await client(own, authorization: basic) == nil)
  }

  @Test func `a full store for assertions is answered with 503`() async throws {
    let full = MemoryRecordStore(byteLimit: 0)
    let error = await #expect(throws: OAuthErrorResponse.self) {
      try await self.client(self.assertion(of: "app-jwt"), records: full)
    }
    #expect(error?.status == 503)
  }

  #if DEBUG
    @Test func `an assertion is parsed once`() async throws {
      let own = try assertion(of: "app-jwt")
      let count = ParseCount()
      let name = try await ParseCount.$current.withValue(count) { try await client(own) }
      #expect(name == "app-jwt")
      #expect(count[.compact] == 1 && count[.json] == 2)
    }
  #endif

  @Test func `a client that is registered for secrets is not authenticated by an assertion`() async throws {
    let post = try JWT.sign(
      ["iss": "app-post", "sub": "app-post"] as JSONObject, with: try #require(keys["app-jwt"]))
    #expect(try await client(post) == nil)
    #expect(try await client(post, [("client_secret", "s3cret")]) == "app-post")
    let basic = "Basic " + Base64.encode(Array("app-post:s3cret".utf8))
    #expect(try await client(assertion(of: "app-jwt"), authorization: basic) == nil)
  }
}
