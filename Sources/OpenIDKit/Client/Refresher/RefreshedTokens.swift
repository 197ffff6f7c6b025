import PureCrypto

/// Tokens that a server issued, at a login or at a refresh.
public struct RefreshedTokens: Sendable {
  /// `access_token`.
  public var accessToken: String
  /// `token_type`.
  public var tokenType: String
  /// `expires_in`, in seconds; nil if the server does not say.
  public var expiresIn: Double?
  /// `refresh_token`. If nil at a refresh, the old one stays good.
  public var refreshToken: String?
  /// `refresh_token_expires_in`, in seconds, if the server says so.
  public var refreshTokenExpiresIn: Double?
  /// `scope`, if it differs from what was asked for.
  public var scope: String?
  /// `id_token`.
  public var idToken: String?

  /// Tokens.
  public init(
    accessToken: String, tokenType: String = "Bearer", expiresIn: Double?, refreshToken: String?,
    refreshTokenExpiresIn: Double? = nil, scope: String? = nil, idToken: String? = nil
  ) {
    (self.accessToken, self.tokenType, self.expiresIn) = (accessToken, tokenType, expiresIn)
    (self.refreshToken, self.refreshTokenExpiresIn, self.scope) = (refreshToken, refreshTokenExpiresIn, scope)
    self.idToken = idToken
  }
}

extension RefreshedTokens: Redacted {}
