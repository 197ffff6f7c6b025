import JOSE
import OpenIDKit

/// The codes of a provider: made after a login, redeemed at the token endpoint.
struct CodeEndpoint {
  let codes: AuthorizationCodeService

  /// - Parameters:
  ///   - records: the database, which the refresh tokens have too.
  ///   - refreshTokens: begins and ends what comes of a code.
  init(records: any RecordStore, refreshTokens: RefreshTokenService) throws {
    codes = try AuthorizationCodeService(
      refreshTokens: refreshTokens, revokedTokens: RevokedTokens(records: records))
  }

  /// After a login: where the browser goes with a code.
  func answer(_ asked: OAuthAuthorizationRequest, user: String, issuer: String) async throws -> String {
    asked.answerURL(code: try await codes.issue(AuthorizationCodeGrant(asked, subject: user)), issuer: issuer)
  }

  /// The tokens of a code, from a client that has been authenticated or identified.
  func tokens(_ form: FormFields, client: String) async throws -> String {
    let request = try AuthorizationCodeRedemption(form: form, clientID: client)
    return try await codes.redeem(request) { code in try code.issueRefreshToken().refreshToken }
  }
}
