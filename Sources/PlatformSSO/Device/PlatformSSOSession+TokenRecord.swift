import TokenRefresh

extension PlatformSSOSession {
  /// The session of a login that a token manager keeps, for ``TokenRenewal`` to decide about.
  ///
  /// It ends with the refresh token where that one's life is known, else with the access token.
  ///
  /// - Parameter record: what is in the manager's store.
  /// - Returns: nil if it holds nothing that can be refreshed.
  public init?(_ record: TokenRecord) {
    guard record.isRefreshable else { return nil }
    self.init(
      received: record.issuedAt, expiration: record.refreshTokenExpiration ?? record.expiration,
      lastFullLogin: record.lastFullLogin)
  }
}
