import JOSE
import PureCrypto
import StrictJSON

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
  /// `id_token_signed_response_alg`; nil if the client takes what the provider prefers.
  public var idTokenAlgorithm: SignatureAlgorithm?
  /// `post_logout_redirect_uris`: where the browser may go after a logout, compared as bytes.
  public var postLogoutRedirectURIs: [String] = []
  /// `backchannel_logout_uri`: where the client is told that a session has ended.
  public var backChannelLogoutURI: String?
  /// Whether its authorization requests need a code challenge although it authenticates. Those of a client that doesn't
  /// always do.
  public var requiresPKCE = false
  /// `require_pushed_authorization_requests` (RFC 9126 §6).
  public var requiresPushedRequests = false
  /// `dpop_bound_access_tokens` (RFC 9449 §5.2).
  public var requiresDPoP = false
  /// The scopes that it may have for itself, without a user (`client_credentials`, RFC 6749 §4.4); nil if it gets no
  /// such tokens. Only a client that authenticates gets them.
  public var machineScopes: [String]?
  /// Whether its users log in on another device (RFC 8628): it runs where there is no browser.
  public var isDevice = false
  /// Whether `aud` of its assertions may be a list of one audience. FAPI 2.0 forbids it. At pushed requests it may not
  /// in any case.
  public var takesAudienceLists = true
  /// Whether each of its logins has a refresh token, or none has; nil if that is as
  /// ``ProviderPolicy/refreshTokenScopes`` says.
  public var refreshTokens: Bool?
  /// Whether a redirect to `localhost` may have another port than the registered one, as one to `127.0.0.1` may.
  public var allowsLocalhost = false
  /// What names the registration as it is, where that can change between two requests: a code is good as long as it is
  /// the one that the user was asked about. A client that doesn't prove who it is has its user asked each time then.
  public var snapshot: String?
  /// Whether it may introspect the tokens of other clients.
  public var isResourceServer = false
  /// Whether its users are asked what it may have. Leave it out for apps of the provider's own alone.
  public var needsConsent = true

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

  /// ``snapshot``, to be compared.
  var snapshotName: WireName? { snapshot.map { WireName($0) } }

  /// Whether it can keep no secret.
  package var isPublic: Bool { if case .none = authentication { true } else { false } }

  /// Whether anybody can act as such a client: it proves nothing, or nothing but that it is who it says.
  var isAnybody: Bool { isPublic || snapshot != nil }

  /// The scopes that it may ask for.
  package var askableScopes: [WireName] { allowedScopes.wireNames + (nativeSSOEnabled ? ["device_sso"] : []) }

  /// Whether a login of a kind will do for the client.
  package func accepts(_ context: String?) -> Bool {
    requiredContexts.isEmpty || context.map { requiredContexts.contains(WireName($0)) } ?? false
  }
}

extension RegisteredClient.Authentication: Redacted {}
