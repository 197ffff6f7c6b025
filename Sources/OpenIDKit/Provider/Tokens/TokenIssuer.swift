import JOSE

/// What access and refresh tokens are for.
public struct TokenGrant: Sendable {
  /// What was granted to whom: tokens end with its session, and with the device secret that they came from or with.
  public let granted: RefreshGrant
  /// Whether a refresh token is wanted.
  public let includesRefreshToken: Bool
  /// When the tokens are issued, by the provider's clock: their `iat`.
  public let issuedAt: NumericDate
  /// The resources of this access token: some of those that were granted, or all.
  public let accessTokenResources: [String]
  /// The authorization code that the tokens are for: refresh tokens begin with its use, in one commit, by
  /// `RedeemedAuthorizationCode.issueRefreshToken(for:)`, and all tokens end if it comes again.
  public let code: RedeemedAuthorizationCode?

  package init(
    _ granted: RefreshGrant, includesRefreshToken: Bool = true, issuedAt: NumericDate,
    accessTokenResources: [String]? = nil, code: RedeemedAuthorizationCode? = nil
  ) {
    (self.granted, self.includesRefreshToken, self.issuedAt) = (granted, includesRefreshToken, issuedAt)
    (self.accessTokenResources, self.code) = (accessTokenResources ?? granted.resources, code)
  }
}

/// Makes and ends access and refresh tokens.
public protocol TokenIssuer: Sendable {
  /// Makes tokens.
  ///
  /// - Throws: anything; the request that needed it is answered with `server_error`.
  func issue(_ grant: TokenGrant) async throws -> RefreshedTokens

  /// Ends every refresh token of a session, in whatever app.
  ///
  /// - Throws: anything. `NativeSSOProvider.endSession(_:reason:)` throws it on; the device secrets are revoked by
  ///   then.
  func revokeTokens(sessionID: String) async throws

  /// Ends every refresh token that came of a device secret or with it, in whatever app and session.
  ///
  /// - Parameter id: the name of the device secret's record: `RefreshGrant.deviceSecretID`.
  /// - Throws: anything. The caller that revokes the device secret is told, and does it again.
  func revokeTokens(deviceSecretID id: String) async throws

  /// Ends a token of a client. Does nothing if there is none.
  ///
  /// - Throws: anything; the request that needed it is answered with `server_error`.
  func revoke(_ token: String, clientID: String) async throws
}
