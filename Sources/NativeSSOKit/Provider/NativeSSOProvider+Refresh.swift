import JOSE
import OpenIDKit

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
