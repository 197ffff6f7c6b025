import JOSE
import OpenIDKit

/// Issues a provider's refresh tokens by a `RefreshTokenService`: rotation, reuse detection and a database's families
/// for the logins of Native SSO.
///
/// The service's families know session and device secret.
/// ``NativeSSOProvider/refreshTokens(of:_:accessToken:tokenType:)`` completes the answers of the refresh grant.
public struct RefreshTokenIssuer: TokenIssuer {
  private let service: RefreshTokenService
  private let tokenType: String
  private let makeAccessToken: @Sendable (RefreshGrant, RefreshTokenFamily.ID?) async throws -> String

  /// An issuer.
  ///
  /// - Parameters:
  ///   - service: makes the refresh tokens, the same one that the service of authorization codes has. It redeems them
  ///     too.
  ///   - tokenType: `Bearer` or `DPoP`.
  ///   - makeAccessToken: makes an access token for what was granted to whom, with the resources of this token, and
  ///     names the family that it ends with, if there is one.
  public init(
    service: RefreshTokenService, tokenType: String = "Bearer",
    makeAccessToken: @escaping @Sendable (RefreshGrant, RefreshTokenFamily.ID?) async throws -> String
  ) {
    self.service = service
    self.tokenType = tokenType
    self.makeAccessToken = makeAccessToken
  }

  /// Makes tokens; with a refresh token, a family begins.
  ///
  /// - Throws: `TokenRefreshError`, and what the closure throws: no family is left then.
  public func issue(_ grant: TokenGrant) async throws -> IssuedTokens {
    let granted = RefreshGrant(grant)
    var narrowed = granted
    narrowed.resources = grant.accessTokenResources
    guard grant.includesRefreshToken else {
      return IssuedTokens(
        accessToken: try await makeAccessToken(narrowed, nil), tokenType: tokenType,
        expiresIn: Int(service.policy.accessTokenLifetime), refreshToken: nil)
    }
    let begun =
      if let code = grant.code { try code.issueRefreshToken(for: granted) } else { try await service.issue(granted) }
    do {
      return IssuedTokens(
        accessToken: try await makeAccessToken(narrowed, begun.grant.family), tokenType: tokenType,
        expiresIn: Int(begun.grant.accessTokenLifetime), refreshToken: begun.refreshToken)
    } catch {
      grant.code?.withdraw(begun.grant.family)
      try await service.revoke(begun.grant.family, .notIssued)
      throw error
    }
  }

  /// Revokes the families of a session.
  ///
  /// - Throws: `TokenRefreshError`: `storage`.
  public func revokeTokens(sessionID: String) async throws {
    try await service.revoke(.session(sessionID), .sessionEnded)
  }

  /// Revokes the families of a device secret.
  ///
  /// - Throws: `TokenRefreshError`: `storage`.
  public func revokeTokens(deviceSecretID id: String) async throws {
    try await service.revoke(.deviceSecret(id), .sessionEnded)
  }

  /// Revokes the family of a client's refresh token.
  ///
  /// - Throws: `TokenRefreshError`: `storage`.
  public func revoke(_ token: String, clientID: String) async throws {
    try await service.revoke(refreshToken: token, clientID: clientID)
  }
}

extension RefreshGrant {
  /// What a provider of Native SSO has granted, as a family of refresh tokens keeps it.
  public init(_ grant: TokenGrant, confirmation: String? = nil) {
    self.init(
      subject: grant.userID, clientID: grant.clientID, sessionID: grant.sessionID, scope: grant.scopes,
      resources: grant.resources, confirmation: confirmation, deviceSecretID: grant.deviceSecretID,
      authenticationTime: grant.authenticationTime, grantID: grant.code?.grant.id)
  }
}

extension NativeSSOProvider {
  /// What a refresh is answered with beside the refresh token: an access token, and, where it is due, a device secret
  /// with the ID token that binds it. For `OAuthRefreshEndpoint(service:authenticate:makeTokensWithForm:)`.
  ///
  /// ```swift
  /// let endpoint = OAuthRefreshEndpoint(service: service, authenticate: authenticate) { grant, form in
  ///   try await provider.refreshTokens(of: grant, form, accessToken: sign(grant))
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
  ) async throws(OAuthErrorResponse) -> OAuthRefreshEndpoint.Tokens {
    guard let session = grant.grant.sessionID else {
      throw OAuthErrorResponse(.invalidGrant, "The login has no session")
    }
    var provider = self
    provider.tokens = MadeTokens(
      tokens: IssuedTokens(
        accessToken: accessToken, tokenType: tokenType, expiresIn: Int(grant.accessTokenLifetime), refreshToken: nil),
      issuer: tokens)
    let response = try await provider.tokens(
      for: AcceptedGrant(
        .refreshToken, clientID: grant.grant.clientID, sessionID: session, scopes: grant.scope,
        presentedDeviceSecret: form.values("device_secret").first))
    return OAuthRefreshEndpoint.Tokens(
      accessToken: response.accessToken, tokenType: response.tokenType, idToken: response.idToken,
      deviceSecret: response.deviceSecret?.reveal())
  }

  /// Which client sends a request, by the way that it is registered for; nil if it is not who it says. For the
  /// endpoints of OpenIDKit, which ask for just that.
  ///
  /// - Throws: `server_error` if the clients could not be looked up.
  public func client(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> OAuthRefreshEndpoint.Client? {
    do throws(OAuthErrorResponse) {
      let client = try await ClientAuthenticator(clients: clients).authenticate(request, form)
      return OAuthRefreshEndpoint.Client(id: client.id)
    } catch {
      guard error.code == .invalidClient else { throw error }
      return nil
    }
  }

  /// Tokens that were made before; the rest is the issuer's.
  private struct MadeTokens: TokenIssuer {
    let tokens: IssuedTokens
    let issuer: any TokenIssuer

    func issue(_ grant: TokenGrant) -> IssuedTokens { tokens }
    func revokeTokens(sessionID: String) async throws { try await issuer.revokeTokens(sessionID: sessionID) }
    func revokeTokens(deviceSecretID id: String) async throws { try await issuer.revokeTokens(deviceSecretID: id) }
    func revoke(_ token: String, clientID: String) async throws {
      try await issuer.revoke(token, clientID: clientID)
    }
  }
}
