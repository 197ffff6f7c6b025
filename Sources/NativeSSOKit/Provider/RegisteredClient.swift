import JOSE
import PureCrypto
import StrictJSON
import OpenIDKit

/// A client as it is registered with the provider.
public struct RegisteredClient: Sendable {
  /// How the client must authenticate.
  public enum Authentication: Sendable {
    /// Not at all: a public native app.
    case none
    /// By `Authorization: Basic`, against the SHA-256 of its secret.
    case basic(secretSHA256: [UInt8])
    /// By `client_secret` in the form, against the SHA-256 of its secret.
    case post(secretSHA256: [UInt8])
    /// In another way, such as `private_key_jwt` or mutual TLS, as the closure finds. If it can't find out, because
    /// keys can't be had, it throws: the client then comes again.
    case custom(@Sendable (HTTPRequestValue, FormFields) async throws -> Bool)

    /// SHA-256 of a client secret, for registration.
    public static func secretSHA256(_ secret: String) -> [UInt8] { Array(SHA2.SHA256.hash(secret.utf8)) }
  }

  /// `client_id`.
  public let id: String
  /// How the client must authenticate.
  public var authentication: Authentication
  /// Whether the client is an installed app. Only such a client may do without authentication.
  public var isNative: Bool
  /// `native_sso_enabled`: whether the client may get a device secret and exchange.
  public var nativeSSOEnabled: Bool
  /// `native_sso_group`: clients of one group, not empty, may share logins.
  public var group: String?
  /// `allow_cross_client_native_sso`: the client's consent to sharing under ``SharingPolicy/pairwiseConsent``.
  public var allowsCrossClient: Bool
  /// Where the browser may be sent back to, compared as bytes.
  public var redirectURIs: [String]
  /// The scopes that the client may have.
  public var allowedScopes: [String]
  /// The resources that the client may ask for (RFC 8707), compared as bytes. Others are refused with `invalid_target`.
  public var resources: [String]
  /// The scopes that an exchange without `scope` asks for.
  public var defaultScopes: [String]

  /// A client. Native SSO is off unless said otherwise.
  public init(
    id: String, authentication: Authentication = .none, isNative: Bool = true, nativeSSOEnabled: Bool = false,
    group: String? = nil, allowsCrossClient: Bool = false, redirectURIs: [String] = [],
    allowedScopes: [String] = ["openid"],
    defaultScopes: [String] = ["openid"], resources: [String] = []
  ) {
    self.resources = resources
    (self.id, self.authentication, self.isNative) = (id, authentication, isNative)
    (self.nativeSSOEnabled, self.group, self.allowsCrossClient) = (nativeSSOEnabled, group, allowsCrossClient)
    (self.redirectURIs, self.allowedScopes, self.defaultScopes) = (redirectURIs, allowedScopes, defaultScopes)
  }

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

extension RegisteredClient.Authentication: Redacted {}

/// Where the provider's clients are registered.
public protocol ClientDirectory: Sendable {
  /// The client of this name, compared as bytes, or nil.
  ///
  /// - Throws: anything; the request that needed it is answered with `server_error`.
  func client(id: String) async throws -> RegisteredClient?
}

/// Clients that are known when the server starts.
public struct StaticClientDirectory: ClientDirectory {
  private let clients: [[UInt8]: RegisteredClient]

  /// These clients. Of two with one name, the later one.
  public init(_ clients: [RegisteredClient]) {
    self.clients = Dictionary(clients.map { (Array($0.id.utf8), $0) }) { $1 }
  }

  /// The client of this name.
  public func client(id: String) -> RegisteredClient? { clients[Array(id.utf8)] }
}

/// Which clients may share a login, other than a client with itself.
public enum SharingPolicy: Sendable {
  /// Those with the same `native_sso_group`.
  case group
  /// If the setting `allowCrossClientNativeSSO` is on and both have `allow_cross_client_native_sso`.
  case pairwiseConsent
  /// Those whose names stand in one of these lists.
  case lists([[String]])

  /// Whether `client` may use a login of `original`.
  func allows(_ client: RegisteredClient, loginOf original: RegisteredClient, _ settings: NativeSSOSettings) -> Bool {
    switch self {
    case .group:
      guard let mine = client.group, let theirs = original.group, !mine.isEmpty else { return false }
      return mine.hasSameBytes(as: theirs)
    case .pairwiseConsent:
      return settings.allowCrossClientNativeSSO && client.allowsCrossClient && original.allowsCrossClient
    case .lists(let lists):
      return lists.contains { $0.containsBytes(of: client.id) && $0.containsBytes(of: original.id) }
    }
  }
}
