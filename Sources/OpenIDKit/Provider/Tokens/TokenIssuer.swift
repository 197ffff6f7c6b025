import JOSE

/// What access and refresh tokens are for.
package struct TokenGrant: Sendable {
  /// What was granted to whom: tokens end with its session, and with the device secret that they came from or with.
  package let granted: RefreshGrant
  /// Whether a refresh token is wanted.
  package var includesRefreshToken = true
  /// When the tokens are issued, by the provider's clock: their `iat`.
  package let issuedAt: NumericDate
  /// The resources of this access token: some of those that were granted, or all.
  package let accessTokenResources: [String]
  /// The authorization code that the tokens are for: refresh tokens begin with its use, in one commit, and all tokens
  /// end if it comes again.
  package let code: RedeemedAuthorizationCode?
  /// The thumbprint of the key that the access token is bound to.
  package var confirmation: String?
  /// The claims that the userinfo endpoint was asked for by name.
  package var userInfo: [String] = []

  package init(
    _ granted: RefreshGrant, includesRefreshToken: Bool = true, issuedAt: NumericDate,
    accessTokenResources: [String]? = nil, code: RedeemedAuthorizationCode? = nil
  ) {
    (self.granted, self.includesRefreshToken, self.issuedAt) = (granted, includesRefreshToken, issuedAt)
    (self.accessTokenResources, self.code) = (accessTokenResources ?? granted.resources, code)
  }
}

/// Makes and ends access and refresh tokens: those of ``RefreshTokenService``, or a test's.
package protocol TokenIssuer: Sendable {
  /// Makes tokens.
  func issue(_ grant: TokenGrant) async throws -> TokenAnswer

  /// Ends every refresh token of a session, in whatever app.
  func revokeTokens(sessionID: String) async throws

  /// Ends every refresh token that came of a device secret or with it, in whatever app and session.
  ///
  /// - Parameter id: the name of the device secret's record: ``RefreshGrant/deviceSecretID``.
  func revokeTokens(deviceSecretID id: String) async throws

  /// Ends one token, as a client may that has it. A token that is not known is passed over.
  func revoke(_ token: String, clientID: String) async throws
}
