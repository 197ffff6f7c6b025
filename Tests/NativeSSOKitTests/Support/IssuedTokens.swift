import IdentityTesting
import JOSE
import NativeSSOKit

@testable import OpenIDKit

/// The tokens of a provider in memory, and what becomes of them.
struct IssuedTokens: TokenIssuer {
  let server: MemoryProvider

  private var issuer: any TokenIssuer { server.native.tokens }

  func issue(_ grant: TokenGrant) async throws -> RefreshedTokens { try await issuer.issue(grant) }

  func revokeTokens(sessionID: String) async throws { try await issuer.revokeTokens(sessionID: sessionID) }

  func revokeTokens(deviceSecretID id: String) async throws { try await issuer.revokeTokens(deviceSecretID: id) }

  func revoke(_ token: String, clientID: String) async throws { try await issuer.revoke(token, clientID: clientID) }

  /// What a refresh token was given for; nil if its family has ended.
  func grant(refreshToken: String) async throws -> RefreshGrant? {
    guard let id = server.refreshTokens.format.parse(refreshToken)?.family,
      let family = try await server.refreshTokens.families.family(id), family.status == .active
    else { return nil }
    return family.grant
  }

  /// What an access token was given for; nil if that has ended, or the token's hour is over.
  func grant(accessToken: String) async throws -> RefreshGrant? { try await server.grant(accessToken: accessToken) }
}
