import PureJOSEBenchmarking
import JOSE
import StrictJSON
import OpenIDKit

/// A provider's refresh tokens, in memory: each redemption ends one token and makes the next.
enum TokenRefreshWorkloads {
  static func all() async throws -> [Workload] {
    let format = try RefreshTokenFormat(key: [UInt8](repeating: 7, count: 32))
    let service = try RefreshTokenService(format: format, sessions: EndlessSessions())
    let single = Login(token: try await issue(service))
    let posted = Login(token: try await issue(service))
    let endpoint = TokenEndpoint(grants: [
      .refreshToken(service) { grant, _ in
        TokenAnswer(accessToken: "at-\(grant.generation)")
      }
    ]) { _, form in
      form.values("client_id").first.map { AuthenticatedClient(id: $0) }
    }
    // Half of them for each of two tasks: as many requests are under way at once as this machine's two cores can serve.
    let both = Logins(tokens: [try await tokens(32, service), try await tokens(32, service)])
    return [
      Workload(asynchronous: "token-refresh.redeem") { single.token = try await redeem(single.token, service) },
      Workload(asynchronous: "token-refresh.endpoint") { posted.token = try await post(posted.token, endpoint) },
      Workload(asynchronous: "token-refresh.redeem.two-tasks", operationsPerCall: 64) {
        both.tokens = try await withThrowingTaskGroup(of: [String].self) { group in
          for tokens in both.tokens {
            group.addTask {
              var next: [String] = []
              for token in tokens { next.append(try await redeem(token, service)) }
              return next
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      },
    ]
  }

  /// What the benchmark's one task hands from call to call.
  private final class Login {
    var token: String
    init(token: String) { self.token = token }
  }

  private final class Logins {
    var tokens: [[String]]
    init(tokens: [[String]]) { self.tokens = tokens }
  }

  private struct Refused: Error {}

  private static func issue(_ service: RefreshTokenService) async throws -> String {
    try await service.issue(RefreshGrant(subject: "jane", clientID: "app", scope: ["openid", "profile"])).refreshToken
  }

  private static func tokens(_ count: Int, _ service: RefreshTokenService) async throws -> [String] {
    var tokens: [String] = []
    for number in 0..<count {
      let grant = RefreshGrant(subject: "user \(tokens.count) \(number)", clientID: "app", scope: ["openid"])
      tokens.append(try await service.issue(grant).refreshToken)
    }
    return tokens
  }

  private static func redeem(_ token: String, _ service: RefreshTokenService) async throws -> String {
    try await service.redeem(RefreshRedemption(refreshToken: token, clientID: "app")) { $0.generation }.refreshToken
  }

  private static func post(_ token: String, _ endpoint: TokenEndpoint) async throws -> String {
    let form: FormFields = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": token]
    let response = await endpoint.respond(to: .post(form, to: "https://idp.example.com/token"))
    guard let next = try JSONObject(parsing: response.body)["refresh_token"]?.stringValue else { throw Refused() }
    return next
  }
}

/// Every user is active, so that refresh tokens are measured alone.
private struct EndlessSessions: SessionDirectory {
  func session(id: String) -> AuthenticationSession? {
    AuthenticationSession(id: id, userID: "", authenticatedAt: NumericDate(0))
  }

  func isActive(userID: String) -> Bool { true }

  func grantedScopes(userID: String, clientID: String) -> [String] { [] }
}
