import JOSE
import NativeSSOKit
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
  /// `jwks`: the keys of its assertions.
  package var keys: JWKSet?
  package var redirectURIs: [String]
  package var postLogoutRedirectURIs: [String] = []
  package var backChannelLogoutURI: String?
  /// `id_token_signed_response_alg`.
  package var idTokenAlgorithm = "RS256"
  /// The scopes it may ask for.
  package var scopes = ["openid", "profile", "email", "address", "phone", "offline_access"]
  /// `require_pushed_authorization_requests`.
  package var requiresPushedRequests = false
  /// `dpop_bound_access_tokens`.
  package var requiresDPoP = false
  /// Whether its requests need a code challenge though it has a secret.
  package var requiresPKCE = false
  /// Whether its users must have logged in by two factors.
  package var requiresTwoFactors = false
  /// Whether its assertions may name the token endpoint as audience, as older software does.
  package var allowsTokenEndpointAudience = false
  /// Whether it may ask about tokens of others, as a resource server does.
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

  /// Whether it can keep no secret.
  package var isPublic: Bool { authentication == .none }

  /// The kinds of login (`acr`) of which it needs one; none if it takes any.
  var requiredContexts: [String] { requiresTwoFactors ? [AuthenticationContext.twoFactors] : [] }

  /// Whether a login of a kind will do for it.
  func accepts(_ context: String?) -> Bool { requiredContexts.isEmpty || requiredContexts.contains(context ?? "") }

  /// Makes a secret of 256 random bits in place of the one before; nil for a client that has none.
  mutating func makeSecret() -> String? {
    guard authentication == .basic || authentication == .post else { return nil }
    let secret = RandomText.make()
    secretHash = RegisteredClient.Authentication.secretSHA256(secret)
    return secret
  }
}

extension Client {
  /// As the database keeps it.
  var document: JSONObject {
    var object: JSONObject = [
      "client_name": .string(name), "token_endpoint_auth_method": .string(authentication.rawValue),
      "redirect_uris": .strings(redirectURIs), "post_logout_redirect_uris": .strings(postLogoutRedirectURIs),
      "id_token_signed_response_alg": .string(idTokenAlgorithm), "scope": .string(scopes.joined(separator: " ")),
      "require_pushed_authorization_requests": .bool(requiresPushedRequests),
      "dpop_bound_access_tokens": .bool(requiresDPoP), "resource_server": .bool(isResourceServer),
      "native_sso_enabled": .bool(isNativeSSOEnabled), "require_two_factors": .bool(requiresTwoFactors),
      "token_endpoint_audience": .bool(allowsTokenEndpointAudience), "require_pkce": .bool(requiresPKCE),
    ]
    if let secretHash { object["secret_hash"] = .string(Base64URL.encode(secretHash)) }
    if let keys, let set = try? JSONObject(parsing: keys.serialized()) { object["jwks"] = .object(set) }
    if let backChannelLogoutURI { object["backchannel_logout_uri"] = .string(backChannelLogoutURI) }
    if let nativeSSOGroup { object["native_sso_group"] = .string(nativeSSOGroup) }
    return object
  }

  init(id: String, isEnabled: Bool, document: JSONObject) throws {
    guard let method = Authentication(rawValue: try document.string("token_endpoint_auth_method")) else {
      throw RuleRefusal(description: "There is no such way to authenticate.")
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
    // Clients that were registered before there were these rules have none of them.
    requiresPKCE = document["require_pkce"]?.boolValue ?? false
    requiresTwoFactors = document["require_two_factors"]?.boolValue ?? false
    allowsTokenEndpointAudience = document["token_endpoint_audience"]?.boolValue ?? false
  }
}

extension JSONValue {
  static func strings(_ list: [String]) -> JSONValue { .array(list.map { .string($0) }) }
}

extension JSONObject {
  /// The texts of an array; none if there is no such member.
  func strings(_ name: String) -> [String] { self[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
}
