import OpenIDKit

extension OAuthAuthorizationRequest.Client {
  /// What the authorization endpoint must know of a client of Native SSO, which may ask for `device_sso` if that is on
  /// for it.
  public init(_ client: RegisteredClient) {
    let isPublic = if case .none = client.authentication { true } else { false }
    self.init(
      id: client.id, redirectURIs: client.redirectURIs,
      scopes: client.allowedScopes + (client.nativeSSOEnabled ? [Scope.deviceSSO.text] : []),
      resources: client.resources, isPublic: isPublic, requiredContexts: client.requiredContexts)
  }
}
