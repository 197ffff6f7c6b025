import IdentityTesting
import JOSE
import NativeSSOKit

@testable import OpenIDKit

/// The tokens of a provider in memory, and what becomes of them.
struct IssuedTokens: TokenIssuer {
  let server: MemoryProvider

  private var issuer: any TokenIssuer { server.provider.tokens }

  func issue(_ grant: TokenGrant) async throws -> TokenAnswer { try await issuer.issue(grant) }

  func revokeTokens(sessionID: String) async throws { try await issuer.revokeTokens(sessionID: sessionID) }

  func revokeTokens(deviceSecretID id: String) async throws { try await issuer.revokeTokens(deviceSecretID: id) }

  func revoke(_ token: String, clientID: String) async throws { try await issuer.revoke(token, clientID: clientID) }

  /// What a refresh token was given for; nil if its family has ended.
  func grant(refreshToken: String) async throws -> RefreshGrant? {
    guard let id = refreshTokens.format.parse(refreshToken)?.family else { return nil }
    return try await grant(of: id)
  }

  /// What an access token was given for; nil if that has ended, or the token's hour is over.
  func grant(accessToken: String) async throws -> RefreshGrant? {
    guard let text = try await server.provider.access(accessToken)?["family"],
      let id = RefreshTokenFamily.ID(text: text.text)
    else { return nil }
    return try await grant(of: id)
  }

  private var refreshTokens: RefreshTokenService { server.provider.refreshTokens }

  private func grant(of id: RefreshTokenFamily.ID) async throws -> RefreshGrant? {
    let family = try await refreshTokens.families.family(id)
    return family?.status == .active ? family?.grant : nil
  }
}
