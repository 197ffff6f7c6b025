import JOSEHTTP
import StrictJSON

/// A provider's revocation endpoint: lets clients end their own tokens.
///
/// A token that is unknown, over, or another client's is answered like one that was revoked: nothing can be learned here.
///
/// Source: RFC 7009.
public struct OAuthRevocationEndpoint: Sendable {
  private let service: RefreshTokenService
  private let authenticate: OAuthEndpoint.Authenticate
  private let revokeOther: @Sendable (RevocationRequest, OAuthRefreshEndpoint.Client) async throws -> Void

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - service: revokes refresh tokens, each with its family.
  ///   - authenticate: as in ``OAuthRefreshEndpoint/init(service:authenticate:makeTokens:)``.
  ///   - revokeOther: revokes what is not a refresh token of the service's: access tokens that can be revoked, device
  ///     secrets. It must see to it that the token is the client's. Nothing, by default.
  public init(
    service: RefreshTokenService,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> OAuthRefreshEndpoint.Client?,
    revokeOther: @escaping @Sendable (RevocationRequest, OAuthRefreshEndpoint.Client) async throws -> Void = { _, _ in }
  ) {
    self.service = service
    self.authenticate = authenticate
    self.revokeOther = revokeOther
  }

  /// Answers a request: 200 without a body, or an error of RFC 6749 §5.2; 503 if a store failed, so that the client
  /// comes again.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    do throws(TokenRefreshError) {
      let (form, client) = try await OAuthEndpoint.accept(request, authenticate)
      let revocation = try RevocationRequest(form: form)
      // The hint may be wrong, so it decides nothing.
      if service.format.parse(revocation.token) != nil {
        try await service.revoke(refreshToken: revocation.token, clientID: client.id)
      } else {
        try await OAuthEndpoint.serving { try await revokeOther(revocation, client) }
      }
      return OAuthEndpoint.json(200, nil)
    } catch {
      return OAuthRefreshEndpoint.response(for: error)
    }
  }
}
