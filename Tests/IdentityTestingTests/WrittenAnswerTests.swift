import IdentityTesting
import JOSE
import PureCrypto
import StrictJSON
import Testing

@testable import NativeSSOKit
@testable import OpenIDKit

/// Every endpoint writes an answer alike.
///
/// Source: RFC 6749 §5.1, §5.2; RFC 7009 §2.2.1; RFC 7662 §2.3; RFC 9126 §2.3.
@Suite struct WrittenAnswerTests {
  enum Endpoint: CaseIterable { case refresh, exchange, revocation, introspection, pushedRequest }

  private static let issuer = "https://op.example.com"

  private struct Failing: ClientDirectory {
    struct Fault: Error {}
    func client(id: String) async throws -> RegisteredClient? { throw Fault() }
  }

  private static func answer(
    of endpoint: Endpoint, to request: HTTPRequestValue, clients: any ClientDirectory
  ) async throws -> HTTPResponseValue {
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: MemoryRecordStore())
    switch endpoint {
    case .refresh:
      let grant = TokenEndpoint.Grant.refreshToken(service) { _, _ in TokenAnswer(accessToken: "at") }
      return await TokenEndpoint(grants: [grant], authenticate: clients.authenticate).respond(to: request)
    case .exchange:
      var provider = try MemoryProvider(issuer: Self.issuer, clients: []).provider
      provider.clients = clients
      let grants = provider.native?.grants(of: provider) ?? []
      return await TokenEndpoint(grants: grants, authenticate: clients.authenticate).respond(to: request)
    case .revocation:
      return await OAuthRevocationEndpoint(service: service, authenticate: clients.authenticate).respond(to: request)
    case .introspection:
      return await OAuthIntrospectionEndpoint(authenticate: clients.authenticate) { _, _ in nil }.respond(to: request)
    case .pushedRequest:
      let pushed = try PushedAuthorizationEndpoint(authenticate: clients.authenticate) { _, _ in }
      return await pushed.respond(to: request)
    }
  }

  /// A request, what answers it, and whether the answer names the scheme of the `Authorization` field.
  private static let cases: [(authorization: String?, isPost: Bool, isFailing: Bool, isChallenged: Bool)] = [
    (nil, true, false, false), ("Basic YXBwOng=", true, false, true), ("Bearer t", true, false, true),
    ("Basic YXBwOng=", false, false, false), ("Basic YXBwOng=", true, true, false),
  ]

  @Test(arguments: Endpoint.allCases)
  func `each endpoint answers a wrong method or client and a failing store alike`(_ endpoint: Endpoint) async throws {
    for row in Self.cases {
      var request = HTTPRequestValue.post(["client_id": "app", "client_secret": "wrong"], to: Self.issuer + "/e")
      if !row.isPost { request.method = "GET" }
      if let field = row.authorization { try request.headers.append("Authorization", field) }
      let clients: any ClientDirectory = row.isFailing ? Failing() : StaticClientDirectory([])
      let answer = try await Self.answer(of: endpoint, to: request, clients: clients)
      let error = OAuthAnswer.error(in: answer.body)?.code
      switch (row.isPost, row.isFailing) {
      case (false, _): #expect(answer.status == 400 && error == "invalid_request")
      // Nothing was done yet: the client comes again.
      case (true, true): #expect(answer.status == 503 && error == "temporarily_unavailable")
      case (true, false): #expect(answer.status == 401 && error == "invalid_client")
      }
      Self.requireFields(of: answer, isChallenged: row.isChallenged)
      #expect(answer.headers.values("Retry-After") == (answer.status == 503 ? ["30"] : []))
    }
  }

  private static func requireFields(of answer: HTTPResponseValue, isChallenged: Bool) {
    #expect(answer.headers.values("Content-Type") == ["application/json"])
    #expect(answer.headers.values("Cache-Control") == ["no-store"])
    #expect(answer.headers.values("Pragma") == ["no-cache"])
    let challenge = "Basic realm=\"token\", charset=\"UTF-8\""
    #expect(answer.headers.values("WWW-Authenticate") == (isChallenged ? [challenge] : []))
  }
}
