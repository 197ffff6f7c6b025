import JOSE
import OpenIDKit

/// The refresh grant of a token endpoint.
struct RefreshEndpoint {
  let service: RefreshTokenService
  let endpoint: TokenEndpoint

  /// - Parameters:
  ///   - key: 32 secret octets, the same on every server.
  ///   - sessions: knows which users and sessions are active.
  ///   - records: the database.
  ///   - makeAccessToken: signs an access token for a grant.
  init(
    key: [UInt8], sessions: any SessionDirectory, records: any RecordStore,
    makeAccessToken: @escaping @Sendable (RefreshedGrant) async throws -> String
  ) throws {
    service = try RefreshTokenService(format: RefreshTokenFormat(key: key), sessions: sessions, records: records)
    endpoint = TokenEndpoint(grants: [
      .refreshToken(service) { grant, _ in
        TokenAnswer(accessToken: try await makeAccessToken(grant))
      }
    ]) { _, fields in
      fields.values("client_id").first.map { AuthenticatedClient(id: $0) }
    }
  }

  /// After a login: the first refresh token of a family.
  func begin(user: String, client: String) async throws -> String {
    try await service.issue(RefreshGrant(subject: user, clientID: client, scope: ["openid"])).refreshToken
  }

  func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    await endpoint.respond(to: request)
  }
}
