import JOSE
import StrictJSON

/// A provider's revocation endpoint: lets clients end their own tokens.
///
/// A token that is unknown or over is answered like one that was revoked. Another client's is refused with
/// `invalid_grant`, and stays good.
///
/// Source: RFC 7009 §2.1, §2.2.
public struct OAuthRevocationEndpoint: Sendable {
  private let authenticate: OAuthEndpoint.Authenticate
  private let revoke: @Sendable (RevocationRequest, AuthenticatedClient) async throws -> Void

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - service: revokes refresh tokens, each with its family.
  ///   - authenticate: as in ``TokenEndpoint/init(grants:authenticate:)``.
  ///   - revokeOther: revokes what is not a refresh token of the service's, such as access tokens that can be revoked.
  ///     It must see to it that the token is the client's, and throw `ErrorCode.invalidGrant` for another client's.
  ///     Nothing, by default. ``OpenIDProvider`` has an endpoint
  ///     that knows access tokens and device secrets too.
  public init(
    service: RefreshTokenService,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?,
    revokeOther: @escaping @Sendable (RevocationRequest, AuthenticatedClient) async throws -> Void = { _, _ in }
  ) {
    self.init(authenticate: authenticate) { revocation, client in
      // The hint may be wrong, so it decides nothing.
      guard service.format.parse(revocation.token) != nil else { return try await revokeOther(revocation, client) }
      try await service.revoke(refreshToken: revocation.token, clientID: client.id)
    }
  }

  /// An endpoint that revokes by a closure alone, which must see to it that the token is the client's.
  package init(
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?,
    revoke: @escaping @Sendable (RevocationRequest, AuthenticatedClient) async throws -> Void
  ) {
    self.authenticate = authenticate
    self.revoke = revoke
  }

  /// Answers a request: 200 without a body, or an error of RFC 6749 §5.2; 503 if a store failed, so that the client
  /// comes again.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    await OAuthEndpoint.respond(to: request, TokenQuery.names, authenticate) { form, client throws(OpenIDError) in
      let revocation = try RevocationRequest(form: form)
      try await OpenIDError.asking { try await revoke(revocation, client) }
      return .unstored(200, mediaType: nil)
    }
  }
}
