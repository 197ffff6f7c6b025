import JOSE
import OpenIDKit

extension RefreshTokenService {
  /// Issues a provider's refresh tokens by this service: rotation, reuse detection and a database's families for the
  /// logins of Native SSO.
  ///
  /// The service's families know session and device secret.
  /// ``NativeSSOProvider/refreshTokens(of:_:accessToken:tokenType:)`` completes the answers of the refresh grant. The
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

extension NativeSSOProvider {
  /// What a refresh is answered with beside the refresh token: an access token, and, where it is due, a device secret
  /// with the ID token that binds it. For `TokenEndpoint.Grant.refreshToken(_:makeTokens:)`.
  ///
  /// ```swift
  /// .refreshToken(service) { grant, request in
  ///   try await provider.refreshTokens(of: grant, request.form, accessToken: sign(grant))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - grant: what is redeemed. It has a session.
  ///   - form: the request's, for the `device_secret` that it may present.
  ///   - accessToken: made for the grant.
  ///   - tokenType: `Bearer` or `DPoP`.
  /// - Throws: `OAuthErrorResponse`; nothing has been rotated then.
  public func refreshTokens(
    of grant: RefreshedGrant, _ form: FormFields, accessToken: String, tokenType: String = "Bearer"
  ) async throws(OAuthErrorResponse) -> RefreshedTokens {
    guard let session = grant.grant.sessionID else {
      throw OAuthErrorResponse(.invalidGrant, "The login has no session")
    }
    var accepted = AcceptedGrant(
      .refreshToken, clientID: grant.grant.clientID, sessionID: session, scopes: grant.scope,
      presentedDeviceSecret: form.values("device_secret").first)
    accepted.formerDeviceSecretID = grant.grant.deviceSecretID
    accepted.authenticationContext = grant.grant.authenticationContext
    accepted.renewed = grant
    return try await tokens(
      for: accepted,
      made: RefreshedTokens(
        accessToken: accessToken, tokenType: tokenType, expiresIn: grant.accessTokenLifetime, refreshToken: nil)
    ).issued
  }
}
