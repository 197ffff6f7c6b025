import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// What the token endpoint does before a grant is asked, and with what a grant throws.
@Suite struct TokenEndpointTests {
  private struct Fault: Error {}

  private static func endpoint(
    authenticate: @escaping @Sendable (FormFields) async throws -> AuthenticatedClient? = { form in
      form.values("client_id").first.map { AuthenticatedClient(id: $0, confirmation: "thumbprint") }
    },
    answer: @escaping @Sendable (TokenEndpoint.Request) async throws -> TokenAnswer = {
      TokenAnswer(accessToken: "\($0.client.id) \($0.client.confirmation ?? "") \($0.sourceAddress)")
    }
  ) -> TokenEndpoint {
    TokenEndpoint(
      grants: [
        TokenEndpoint.Grant("urn:example:own", repeatable: ["audience"], answer: answer),
        TokenEndpoint.Grant("plain") { _ in TokenAnswer(accessToken: "plain") },
      ]) { _, form in try await authenticate(form) }
  }

  private static func post(_ body: String) -> HTTPRequestValue {
    var request = HTTPRequestValue.post([:], to: "https://op.example.com/token")
    request.body = Array(body.utf8)
    return request
  }

  private static func error(_ response: HTTPResponseValue) throws -> String? {
    try JSONObject(parsing: response.body)["error"]?.stringValue
  }

  @Test func `a grant is found by its octets and learns who asks from where`() async throws {
    let endpoint = Self.endpoint()
    let answer = await endpoint.respond(
      to: Self.post("grant_type=urn:example:own&client_id=app&audience=a&audience=b"), sourceAddress: "192.0.2.9")
    let object = try JSONObject(parsing: answer.body)
    #expect(answer.status == 200 && object["access_token"] == "app thumbprint 192.0.2.9")
    for (body, status, code) in [
      ("grant_type=plain&client_id=app&audience=a&audience=b", 400, "invalid_request"),
      ("grant_type=urn:example:OWN&client_id=app", 400, "unsupported_grant_type"),
      ("grant_type=refresh_token&client_id=app", 400, "unsupported_grant_type"),
      ("grant_type=plain&grant_type=plain&client_id=app", 400, "invalid_request"),
      ("grant_type=&client_id=app", 400, "invalid_request"), ("client_id=app", 400, "invalid_request"),
      ("grant_type=plain", 401, "invalid_client"), ("grant_type=unknown", 401, "invalid_client"),
    ] {
      let refused = await endpoint.respond(to: Self.post(body))
      #expect(try refused.status == status && Self.error(refused) == code, "\(body)")
    }
  }

  @Test func `fields without a value are absent, and those that are no parameters may be anything`() async throws {
    let endpoint = Self.endpoint()
    let good = "grant_type=plain&client_id=app"
    for more in [
      "&client_secret=&code=", "&client_secret", "&scope=&scope=", "&flag", "&&", "&%E4", "&x=%zz", "&x=&x=", "&x=ä",
    ] {
      #expect(await endpoint.respond(to: Self.post(good + more)).status == 200, "\(more)")
    }
    for (more, code) in [
      ("&client_id=%E4", "invalid_request"), ("&scope=%zz", "invalid_request"), ("&client_secret=%", "invalid_request"),
      ("&scope=a&scope=b", "invalid_request"), ("&x=1&x=2", "invalid_request"),
      (String(repeating: "&flag", count: 127), "invalid_request"),
    ] {
      let response = await endpoint.respond(to: Self.post(good + more))
      #expect(try response.status == 400 && Self.error(response) == code, "\(more)")
    }
    // What is absent is demanded all the same.
    for (body, status) in [("grant_type=&client_id=app", 400), ("grant_type=plain&client_id=", 401)] {
      #expect(await endpoint.respond(to: Self.post(body)).status == status)
    }
  }

  @Test func `a client's refusal is told as it is, a fault is the server's`() async throws {
    for (thrown, status, code) in [
      (OAuthErrorResponse(.useDPoPNonce, "a nonce is needed"), 400, "use_dpop_nonce"),
      (OAuthErrorResponse(.serverError, "down", status: 500), 500, "server_error"),
      (Fault(), 503, "temporarily_unavailable"),
    ] as [(any Error, Int, String)] {
      let asked = Mutex(false)
      let endpoint = Self.endpoint(authenticate: { _ in throw thrown }) { _ in
        asked.withLock { $0 = true }
        return TokenAnswer(accessToken: "at")
      }
      let response = await endpoint.respond(to: Self.post("grant_type=urn:example:own&client_id=app"))
      #expect(try response.status == status && Self.error(response) == code)
      #expect(asked.withLock { !$0 })
    }
  }

  @Test(
    arguments: [
      (0.0, "0"), (0.4, "1"), (1, "1"), (1.9, "2"), (29.000001, "30"), (-1, "0"), (1e12, "1000000000"),
    ] as [(Double, String)])
  func `a client never comes again too early`(_ pause: Double, _ told: String) {
    let refusal = OAuthErrorResponse(.slowDown, "later", status: 429, retryAfter: .seconds(pause))
    #expect(refusal.response(to: Self.post("")).headers.values("Retry-After") == [told])
    let unavailable = OAuthErrorResponse(OpenIDError(.temporarilyUnavailable, "", retryAfter: .seconds(pause)))
    #expect(unavailable.response(to: Self.post("")).headers.values("Retry-After") == [told])
  }

  @Test func `what a grant throws is told without its text`() async throws {
    for (thrown, status, code) in [
      (OAuthErrorResponse(.accessDenied, "no"), 400, "access_denied"),
      (OpenIDError(.invalidGrant, "a reason that nobody may know"), 400, "invalid_grant"),
      (OpenIDError(.storeUnavailable, "down"), 503, "temporarily_unavailable"), (Fault(), 500, "server_error"),
    ] as [(any Error, Int, String)] {
      let response = await Self.endpoint(answer: { _ in throw thrown })
        .respond(to: Self.post("grant_type=urn:example:own&client_id=app"))
      #expect(try response.status == status && Self.error(response) == code)
      #expect(!String(decoding: response.body, as: UTF8.self).contains("nobody may know"))
    }
  }

  @Test func `a refusal while a code's tokens are made begins no family, and uses the code up`() async throws {
    let provider = try CodeProvider()
    let proof = "&redirect_uri=https://app.example/cb&code_verifier=" + CodeProvider.verifier
    let code = try await provider.codes.issue(CodeProvider.grant)
    let refuses = Mutex(true)
    let endpoint = TokenEndpoint(grants: [
      .authorizationCode(provider.codes) { code, _ in
        let login = try code.issueRefreshToken()
        if refuses.withLock({ $0 }) { throw OAuthErrorResponse(.invalidGrant, "The session is over") }
        return TokenAnswer(accessToken: "at", refreshToken: login.refreshToken)
      }
    ]) { _, _ in AuthenticatedClient(id: CodeProvider.grant.clientID) }
    let form = "grant_type=authorization_code&code=\(code)" + proof
    #expect(try Self.error(await endpoint.respond(to: Self.post(form))) == "invalid_grant")
    #expect(try await provider.logins().isEmpty)
    refuses.withLock { $0 = false }
    #expect(try Self.error(await endpoint.respond(to: Self.post(form))) == "invalid_grant")
    let next = try await provider.codes.issue(CodeProvider.grant)
    let answer = await endpoint.respond(
      to: Self.post("grant_type=authorization_code&code=\(next)" + proof))
    #expect(answer.status == 200)
  }

  @Test func `who can't be answered now comes again with the code`() async throws {
    let faults: [any Error & Sendable] = [
      OpenIDError(.storeUnavailable, "down"), OAuthErrorResponse(.temporarilyUnavailable, "down", status: 503),
    ]
    for fault in faults {
      let provider = try CodeProvider()
      let code = try await provider.codes.issue(CodeProvider.grant)
      let isDown = Mutex(true)
      let endpoint = TokenEndpoint(grants: [
        .authorizationCode(provider.codes) { code, _ in
          let login = try code.issueRefreshToken()
          if isDown.withLock({ $0 }) { throw fault }
          return TokenAnswer(accessToken: "at", refreshToken: login.refreshToken)
        }
      ]) { _, _ in AuthenticatedClient(id: CodeProvider.grant.clientID) }
      let form =
        "grant_type=authorization_code&code=\(code)&redirect_uri=https://app.example/cb&code_verifier="
        + CodeProvider.verifier
      let failed = await endpoint.respond(to: Self.post(form))
      #expect(try failed.status == 503 && Self.error(failed) == "temporarily_unavailable")
      #expect(try await provider.logins().isEmpty && provider.log.kinds.isEmpty)
      isDown.withLock { $0 = false }
      #expect(await endpoint.respond(to: Self.post(form)).status == 200)
      // Then it is used up.
      #expect(try Self.error(await endpoint.respond(to: Self.post(form))) == "invalid_grant")
    }
  }

  @Test func `a refusal while a refresh is answered rotates nothing`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    let refusal = Mutex<OAuthErrorResponse?>(OAuthErrorResponse(.invalidGrant, "The session is over"))
    let endpoint = TokenEndpoint(grants: [
      .refreshToken(provider.service) { _, _ in
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        return TokenAnswer(accessToken: "at")
      }
    ]) { _, _ in AuthenticatedClient(id: "app-a") }
    let form = "grant_type=refresh_token&refresh_token=\(token)"
    #expect(try Self.error(await endpoint.respond(to: Self.post(form))) == "invalid_grant")
    #expect(try await provider.family(token)?.generation == 1)
    refusal.withLock { $0 = nil }
    #expect(await endpoint.respond(to: Self.post(form)).status == 200)
  }
}
