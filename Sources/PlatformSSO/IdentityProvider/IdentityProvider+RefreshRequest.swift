import JOSEHTTP
import JOSE

/// A refresh request that has been checked. Answer it with ``IdentityProvider/loginResponse(to:_:)-(RefreshRequest,_)``.
public struct RefreshRequest: Sendable {
  /// What all signed requests have in common.
  public let request: VerifiedRequest

  /// The refresh token. It was given to this device and is current, or, as ``RefreshTokenGrant/isCurrent`` of ``grant`` then denies, was
  /// replaced a moment ago.
  public let refreshToken: String

  /// To whom it was given: the request itself names no user.
  public let grant: RefreshTokenGrant

  /// The scope asked for.
  public let scope: String
}

extension IdentityProvider {
  /// Checks a refresh request: everything that is common to signed requests, then the refresh token.
  ///
  /// Source: Apple, Creating a refresh request.
  /// - Throws: ``PlatformSSOError``, each fault with a code of its own.
  public func refreshRequest(from request: HTTPRequestValue) async throws(PlatformSSOError) -> RefreshRequest {
    let verified = try await verify(
      request,
      rules: RequestRules(
        type: .refreshRequest, versions: configuration.refreshRequestVersions, audiences: { _ in refreshAudiences },
        hasClientID: true, hasProfileHeaders: false))
    let claims = MessageMembers(verified.claims)
    try claims.require("grant_type", GrantType.refreshToken)
    let scope = try claims.string("scope", optional: configuration.optionalRequestClaims) ?? ""
    _ = try AuthorizationScope(in: scope)
    let refreshToken = try claims.nonEmptyString("refresh_token")
    let grant = try await requireGrant(refreshToken, device: verified.device)
    // The message has neither; an extension that adds one must mean the same user.
    for name in ["sub", "username"] {
      if let userName = try claims.string(ifPresent: name), !userName.hasSameBytes(as: grant.userName) {
        throw claims.mismatch(name)
      }
    }
    try checkProductRules(verified, scope: scope)
    try await requireAccount(grant.userName, device: verified.device)
    return RefreshRequest(request: verified, refreshToken: refreshToken, grant: grant, scope: scope)
  }

  /// Apple's pages name the token endpoint, the sample too, and the refresh endpoint.
  private var refreshAudiences: [String] {
    configuration.tokenEndpointURLs + (configuration.refreshEndpointURL.map { [$0] } ?? [])
  }

  /// Requires that a refresh token was given to a device, is current or was replaced a moment ago, and has not expired.
  ///
  /// All faults look the same, so that nobody learns which tokens exist.
  func requireGrant(
    _ refreshToken: String, device: RegisteredDevice
  ) async throws(PlatformSSOError) -> RefreshTokenGrant {
    let grant = try await askingStore { try await store.refreshTokenGrant(refreshToken) }
    let now = clock.now
    let grace = configuration.replacedRefreshTokenGrace
    guard let grant, grant.isCurrent || (grant.replacedAt.map { now < $0.advanced(by: grace) } ?? false),
      grant.deviceID.hasSameBytes(as: device.id), Tenant(grant.tenant) == Tenant(device.tenant),
      grant.expiration.map({ $0 > now }) ?? true
    else {
      throw PlatformSSOError(
        .refreshTokenRejected, "the refresh token is not a current one of this device", name: "refresh_token")
    }
    return grant
  }
}
