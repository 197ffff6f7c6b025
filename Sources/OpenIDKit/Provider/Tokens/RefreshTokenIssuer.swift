import JOSE

/// Issues a provider's tokens by a service of refresh tokens: a family begins in the commit of its login's code.
struct RefreshTokenIssuer: TokenIssuer {
  let service: RefreshTokenService
  /// Makes an access token for a grant, that ends with a family if there is one. If it throws, no family is left.
  let makeAccessToken: @Sendable (TokenGrant, RefreshTokenFamily.ID?) async throws -> String

  func issue(_ grant: TokenGrant) async throws -> TokenAnswer {
    let type = grant.confirmation == nil ? "Bearer" : "DPoP"
    guard grant.includesRefreshToken else {
      return TokenAnswer(
        accessToken: try await makeAccessToken(grant, nil), tokenType: type,
        expiresIn: service.policy.accessTokenLifetime)
    }
    let begun =
      if let code = grant.code {
        try code.issueRefreshToken(for: grant.granted)
      } else {
        try await service.issue(grant.granted)
      }
    do {
      return TokenAnswer(
        accessToken: try await makeAccessToken(grant, begun.grant.family), tokenType: type,
        expiresIn: begun.grant.accessTokenLifetime, refreshToken: begun.refreshToken)
    } catch {
      // A family that would be stored with its code isn't, and one that is stored ends.
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

extension RefreshTokenService {
  /// Issues tokens by this service, with access tokens of one's own: for what was granted, with the resources of this
  /// token.
  package func tokenIssuer(
    makeAccessToken: @escaping @Sendable (RefreshGrant, RefreshTokenFamily.ID?) async throws -> String
  ) -> any TokenIssuer {
    RefreshTokenIssuer(service: self) { grant, family in
      var narrowed = grant.granted
      narrowed.resources = grant.accessTokenResources
      return try await makeAccessToken(narrowed, family)
    }
  }
}
