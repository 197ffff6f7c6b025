import JOSE
import OpenIDKit

/// An app or a website that users log in to, as it is registered. The members are those of RFC 7591.
package struct Client: Sendable {
  /// `token_endpoint_auth_method`.
  package enum Authentication: String, Sendable, CaseIterable {
    case none
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
  }

  /// `client_id`.
  package let id: String
  /// `client_name`.
  package var name: String
  package var authentication: Authentication
  /// SHA-256 of the secret.
  package var secretHash: [UInt8]?
  /// `jwks`: the keys of its client assertions.
  package var keys: JWKSet?
  package var redirectURIs: [String]
  package var postLogoutRedirectURIs: [String] = []
  package var backChannelLogoutURI: String?
  /// `id_token_signed_response_alg`.
  package var idTokenAlgorithm = "RS256"
  /// The scopes it may request.
  package var scopes = ["openid", "profile", "email", "address", "phone", "offline_access"]
  /// The scopes that it may have for itself, without a user; nil if it gets no such tokens.
  package var machineScopes: [String]?
  /// The resources that its tokens may be for, by their identifiers.
  package var resources: [String] = []
  /// `require_pushed_authorization_requests`.
  package var requiresPushedRequests = false
  /// `dpop_bound_access_tokens`.
  package var requiresDPoP = false
  /// Whether its requests need a code challenge even though it has a secret.
  package var requiresPKCE = false
  /// Whether its users must log in with two factors.
  package var requiresTwoFactors = false
  /// Whether its assertions may name the token endpoint as audience, as older software does.
  package var allowsTokenEndpointAudience = false
  /// Whether its users log in on another device, since it runs where there is no browser.
  package var isDevice = false
  /// Whether it may introspect tokens of other clients, as a resource server does.
  package var isResourceServer = false
  /// `native_sso_enabled`.
  package var isNativeSSOEnabled = false
  /// `native_sso_group`.
  package var nativeSSOGroup: String?
  package var isEnabled = true

  package init(id: String, name: String, authentication: Authentication, redirectURIs: [String]) {
    (self.id, self.name, self.authentication) = (id, name, authentication)
    self.redirectURIs = redirectURIs
  }

  /// Whether it is a public client, which can't keep a secret.
  package var isPublic: Bool { authentication == .none }

  /// The `acr` values that it accepts; empty if it accepts any login.
  var requiredContexts: [String] { requiresTwoFactors ? [AuthenticationContext.twoFactors] : [] }

  /// Replaces the secret with 256 random bits, and returns it; nil for a client without one.
  mutating func makeSecret() -> String? {
    guard authentication == .basic || authentication == .post else { return nil }
    let secret = RandomText.make()
    secretHash = RegisteredClient.Authentication.secretSHA256(secret)
    return secret
  }
}

extension Client {
  /// The form in which the database stores it.
  var document: JSONObject {
    var object: JSONObject = [
      "client_name": .string(name), "token_endpoint_auth_method": .string(authentication.rawValue),
      "redirect_uris": .strings(redirectURIs), "post_logout_redirect_uris": .strings(postLogoutRedirectURIs),
      "id_token_signed_response_alg": .string(idTokenAlgorithm), "scope": .string(scopes.joined(separator: " ")),
      "require_pushed_authorization_requests": .bool(requiresPushedRequests),
      "dpop_bound_access_tokens": .bool(requiresDPoP), "resource_server": .bool(isResourceServer),
      "native_sso_enabled": .bool(isNativeSSOEnabled), "require_two_factors": .bool(requiresTwoFactors),
      "token_endpoint_audience": .bool(allowsTokenEndpointAudience), "require_pkce": .bool(requiresPKCE),
      "device": .bool(isDevice),
    ]
    if let secretHash { object["secret_hash"] = .string(Base64URL.encode(secretHash)) }
    if let keys, let set = try? JSONObject(parsing: keys.serialized()) { object["jwks"] = .object(set) }
    if let backChannelLogoutURI { object["backchannel_logout_uri"] = .string(backChannelLogoutURI) }
    if let nativeSSOGroup { object["native_sso_group"] = .string(nativeSSOGroup) }
    if let machineScopes { object["machine_scope"] = .string(machineScopes.joined(separator: " ")) }
    if !resources.isEmpty { object["resources"] = .strings(resources) }
    return object
  }

  init(id: String, isEnabled: Bool, document: JSONObject) throws {
    guard let method = Authentication(rawValue: try document.string("token_endpoint_auth_method")) else {
      throw RuleRefusal(description: "The stored client has an unknown authentication method.")
    }
    self.init(
      id: id, name: try document.string("client_name"), authentication: method,
      redirectURIs: document.strings("redirect_uris"))
    self.isEnabled = isEnabled
    secretHash = try document.string(ifPresent: "secret_hash").map { try Base64URL.decode($0) }
    if let set = try document.object(ifPresent: "jwks") { keys = try JWKSet(parsing: set.serialized()) }
    postLogoutRedirectURIs = document.strings("post_logout_redirect_uris")
    backChannelLogoutURI = try document.string(ifPresent: "backchannel_logout_uri")
    idTokenAlgorithm = try document.string("id_token_signed_response_alg")
    scopes = try document.string("scope").split(separator: " ").map(String.init)
    requiresPushedRequests = try document.bool("require_pushed_authorization_requests")
    requiresDPoP = try document.bool("dpop_bound_access_tokens")
    isResourceServer = try document.bool("resource_server")
    isNativeSSOEnabled = try document.bool("native_sso_enabled")
    nativeSSOGroup = try document.string(ifPresent: "native_sso_group")
    // Clients that were registered before these rules existed lack these members.
    resources = document.strings("resources")
    machineScopes = document["machine_scope"]?.stringValue?.split(separator: " ").map(String.init)
    isDevice = document["device"]?.boolValue ?? false
    requiresPKCE = document["require_pkce"]?.boolValue ?? false
    requiresTwoFactors = document["require_two_factors"]?.boolValue ?? false
    allowsTokenEndpointAudience = document["token_endpoint_audience"]?.boolValue ?? false
  }
}

extension JSONValue {
  static func strings(_ list: [String]) -> JSONValue { .array(list.map { .string($0) }) }
}

extension JSONObject {
  /// The texts of an array; empty if the member is absent.
  func strings(_ name: String) -> [String] { self[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
}
