import JOSE
import OpenIDKit
import StrictJSON

extension RegisteredClient {
  /// Takes the members of client registration metadata that concern Native SSO.
  ///
  /// - Throws: `ErrorCode.metadataInvalid` if one has another type.
  public mutating func apply(_ metadata: JSONObject) throws(JOSEError) {
    func flag(_ name: String) throws(JOSEError) -> Bool {
      guard let value = metadata[name] else { return false }
      guard case .bool(let flag) = value else {
        throw JOSEError(.metadataInvalid, "the member is not true or false", name: name)
      }
      return flag
    }
    nativeSSOEnabled = try flag("native_sso_enabled")
    allowsCrossClient = try flag("allow_cross_client_native_sso")
    switch metadata["native_sso_group"] {
    case .string(let name)?: group = name
    case nil: group = nil
    default: throw JOSEError(.metadataInvalid, "the member is not a string", name: "native_sso_group")
    }
  }
}

extension OAuthAuthorizationRequest.Client {
  /// What the authorization endpoint must know of a client of Native SSO, which may ask for `device_sso` if that is on
  /// for it.
  public init(_ client: RegisteredClient) {
    let isPublic = if case .none = client.authentication { true } else { false }
    self.init(
      id: client.id, redirectURIs: client.redirectURIs,
      scopes: client.allowedScopes + (client.nativeSSOEnabled ? [Scope.deviceSSO] : []), resources: client.resources,
      isPublic: isPublic)
  }
}
