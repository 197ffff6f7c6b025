import JOSE

extension RefreshTokenService {
  /// Issues a provider's refresh tokens by this service: rotation, reuse detection and a database's families.
  ///
  /// The service's families know session and device secret.
  /// `NativeSSOProvider.refreshTokens(of:_:accessToken:tokenType:)` completes the answers of the refresh grant. The
  /// service of authorization codes has the same service, and a login's family begins in the commit of its code.
  /// - Parameters:
  ///   - tokenType: `Bearer` or `DPoP`.
  ///   - makeAccessToken: makes an access token for what was granted to whom, with the resources of this token, and
  ///     names the family that it ends with, if there is one. If it throws, no family is left.
  public func tokenIssuer(
    tokenType: String = "Bearer",
    makeAccessToken: @escaping @Sendable (RefreshGrant, RefreshTokenFamily.ID?) async throws -> String
  ) -> any TokenIssuer {
    RefreshTokenIssuer(service: self, tokenType: tokenType, makeAccessToken: makeAccessToken)
  }
}

private struct RefreshTokenIssuer: TokenIssuer {
  let service: RefreshTokenService
  let tokenType: String
  let makeAccessToken: @Sendable (RefreshGrant, RefreshTokenFamily.ID?) async throws -> String

  func issue(_ grant: TokenGrant) async throws -> RefreshedTokens {
    var narrowed = grant.granted
    narrowed.resources = grant.accessTokenResources
    guard grant.includesRefreshToken else {
      return RefreshedTokens(
        accessToken: try await makeAccessToken(narrowed, nil), tokenType: tokenType,
        expiresIn: service.policy.accessTokenLifetime, refreshToken: nil)
    }
    let begun =
      if let code = grant.code {
        try code.issueRefreshToken(for: grant.granted)
      } else {
        try await service.issue(grant.granted)
      }
    do {
      return RefreshedTokens(
        accessToken: try await makeAccessToken(narrowed, begun.grant.family), tokenType: tokenType,
        expiresIn: begun.grant.accessTokenLifetime, refreshToken: begun.refreshToken)
    } catch {
      grant.code?.withdraw(begun.grant.family)
      try await service.revoke(begun.grant.family, .notIssued)
      throw error
    }
  }

  func revokeTokens(sessionID: String) async throws {
    try await service.endSession(sessionID)
  }

  func revokeTokens(deviceSecretID id: String) async throws {
    try await service.revoke(.deviceSecret(id), .sessionEnded)
  }

  func revoke(_ token: String, clientID: String) async throws {
    try await service.revoke(refreshToken: token, clientID: clientID)
  }
}
