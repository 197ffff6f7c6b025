import JOSE

/// An identity provider's names and addresses, and the rules where Apple leaves a choice.
public struct IdentityProviderConfiguration: Sendable {
  /// `iss` of `id_token`.
  public var issuer: String
  /// The client identifiers that are served: `client_id` and `iss` of requests.
  public var clientIDs: [String]
  /// `aud` of embedded assertions and key requests: the login configuration's `audience`.
  public var audience: String
  /// `aud` of login requests.
  public var tokenEndpointURL: String
  /// `aud` of refresh requests. Since Apple's pages differ, the token endpoint is accepted too.
  public var refreshEndpointURL: String?

  /// The member of the nonce response. Default `Nonce`.
  public var nonceResponseMember = "Nonce"
  /// The claim that carries the server nonce. Default `request_nonce`.
  public var serverNonceClaimName = "request_nonce"
  /// The form fields that may carry the signed request, exactly one of which must be there. Default `assertion` and `request`.
  public var requestParameterNames = ["assertion", "request"]
  /// The claim that asks for groups. If nil, `claims.id_token.groups.values`.
  public var groupRequestClaimName: String?
  /// The claim that carries the previous refresh token in a login request. Default `previous_refresh_token`.
  public var previousRefreshTokenClaimName = "previous_refresh_token"

  /// Whether `typ` may be `JWT` where the message has a type of its own: extensions built with the first SDK and Entra's have it.
  /// Default false.
  public var acceptsJWTType = false
  /// Whether key requests must name their audience. Captured ones do not, so the default checks it only if it is there.
  public var requiresAudienceInKeyRequests = false
  /// What `platform_sso_version` of a refresh request's form may be, which Apple's page leaves out. Default `1.0` and `1`.
  public var refreshRequestVersions = ["1.0", "1"]
  /// What is asked of `client-request-id`. Default: it must be there.
  public var clientRequestID = ClientRequestIDRule.required
  /// Whether responses repeat `apv` in their header. Devices need it not; general JOSE libraries do. Default true.
  public var repeatsPartyVInfo = true
  /// The first field of an encrypted assertion's PartyVInfo: the login configuration's `loginRequestEncryptionAPVPrefix`.
  public var loginRequestEncryptionAPVPrefix: [UInt8]?
  /// The private keys for encrypted embedded assertions. Several, while they are being replaced.
  public var loginRequestDecryptionKeys: [DecryptionKey] = []

  /// Seconds by which a device's clock may be ahead, 0 to 600. Default 60.
  public var clockSkew = 60.0
  /// The longest time between `iat` and `exp`, in seconds. macOS has 300; default 600.
  public var maximumLifetime = 600.0
  /// Seconds until an `id_token` expires. Default 28 800.
  public var idTokenLifetime = 28_800
  /// The longest body of a request, in octets. Default 64 KiB.
  public var maximumBodyByteCount = 64 * 1024
  /// Bounds on tokens.
  public var limits = Limits.default

  /// What is asked of the header `client-request-id`.
  public enum ClientRequestIDRule: Sendable, Hashable {
    /// Nothing.
    case notChecked
    /// It must be there, 1 to 128 characters.
    case required
    /// It must be the one of the nonce request, ASCII case aside. The server nonce carries it.
    case boundToServerNonce
  }

  /// A provider with the documented defaults.
  public init(issuer: String, clientIDs: [String], audience: String, tokenEndpointURL: String) {
    self.issuer = issuer
    self.clientIDs = clientIDs
    self.audience = audience
    self.tokenEndpointURL = tokenEndpointURL
  }

  /// The types accepted for a message.
  func types(_ type: MessageType) -> [MessageType] {
    acceptsJWTType ? [type, .jwt] : [type]
  }
}
