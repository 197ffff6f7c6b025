import JOSE
import PureCrypto

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
    /// By an assertion (`private_key_jwt`, `client_secret_jwt`) that names one audience. The verifier has the client's
    /// keys, and a policy such as `JWTPolicy.clientAssertion`. `iss` and `sub` have to be the client in any case.
    ///
    /// Source: RFC 7523 §3, OpenID Connect Core 1.0 §9.
    case assertion(SingleUseJWTVerifier)
    /// In another way, such as mutual TLS, as the closure finds. If it can't find out, because keys can't be had, it
    /// throws: the client then comes again.
    case custom(@Sendable (HTTPRequestValue, FormFields) async throws -> Bool)

    /// SHA-256 of a client secret, for registration.
    public static func secretSHA256(_ secret: String) -> [UInt8] { Array(SHA2.SHA256.hash(secret.utf8)) }
  }

  /// `client_id`: the identifier that the client is registered under, compared as bytes.
  public let id: String
  /// How the client must authenticate.
  public var authentication: Authentication
  /// Whether the client is an installed app. Only such a client may do without authentication.
  public var isNative: Bool
  /// `native_sso_enabled`: whether the client may get a device secret and exchange.
  public var nativeSSOEnabled: Bool
  /// `native_sso_group`: clients of one group, not empty, may share logins.
  public var group: String?
  /// `allow_cross_client_native_sso`: the client's consent, where the provider shares logins of clients that both
  /// consent.
  public var allowsCrossClient: Bool
  /// Where the browser may be sent back to, compared as bytes.
  public var redirectURIs: [String]
  /// The scopes that the client may have.
  public var allowedScopes: [String]
  /// The resources that the client may ask for (RFC 8707), compared as bytes. Others are refused with `invalid_target`.
  public var resources: [String]
  /// The scopes that an exchange without `scope` asks for.
  public var defaultScopes: [String]
  /// The acceptable kinds of login (`acr`), compared as bytes; empty if it takes any.
  public var requiredContexts: [String] = []

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

  /// Whether a login of a kind will do for the client.
  package func accepts(_ context: String?) -> Bool {
    requiredContexts.isEmpty || context.map { requiredContexts.contains(WireName($0)) } ?? false
  }
}

extension RegisteredClient.Authentication: Redacted {}
