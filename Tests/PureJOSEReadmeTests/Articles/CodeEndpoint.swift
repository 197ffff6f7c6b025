import JOSE
import OpenIDKit

/// The codes of a provider: made after a login, redeemed at the token endpoint.
struct CodeEndpoint {
  let codes: AuthorizationCodeService
  let makeAccessToken: @Sendable (RefreshedGrant) async throws -> String

  /// - Parameters:
  ///   - records: the database, which the refresh tokens have too.
  ///   - refreshTokens: begins and ends what comes of a code.
  ///   - makeAccessToken: signs an access token for a grant.
  init(
    records: any RecordStore, refreshTokens: RefreshTokenService,
    makeAccessToken: @escaping @Sendable (RefreshedGrant) async throws -> String
  ) throws {
    codes = try AuthorizationCodeService(
      refreshTokens: refreshTokens, revokedTokens: RevokedTokens(records: records))
    self.makeAccessToken = makeAccessToken
  }

  /// After a login: where the browser goes with a code.
  func answer(_ asked: OAuthAuthorizationRequest, user: String, issuer: String) async throws -> String {
    asked.answerURL(code: try await codes.issue(AuthorizationCodeGrant(asked, subject: user)), issuer: issuer)
  }

  /// The grant of a code, for the provider's token endpoint.
  var grant: TokenEndpoint.Grant {
    .authorizationCode(codes) { code, _ in
      let login = try code.issueRefreshToken()
      return TokenAnswer(
        accessToken: try await makeAccessToken(login.grant), expiresIn: login.grant.accessTokenLifetime,
        refreshToken: login.refreshToken)
    }
  }
}
