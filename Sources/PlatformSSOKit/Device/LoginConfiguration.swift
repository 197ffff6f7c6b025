import StrictJSON

/// What an SSO extension tells macOS about its identity provider, with Apple's names and defaults.
///
/// Only ``clientID``, ``issuer``, ``audience``, ``tokenEndpointURL`` and ``jwksEndpointURL`` have no default. WS-Trust
/// is XML and left out. Source: Apple, ASAuthorizationProviderExtensionLoginConfiguration.
public struct LoginConfiguration: Sendable {
  /// The OpenID client identifier: `client_id` and `iss` of requests.
  public var clientID: String
  /// `iss` that the `id_token` must have.
  public var issuer: String
  /// `aud` of embedded assertions and of key requests. Not the token URL.
  public var audience: String
  /// Where login requests go, and their `aud`.
  public var tokenEndpointURL: String
  /// Where the key set for `id_token` is found. Nothing here fetches it.
  public var jwksEndpointURL: String

  /// Where server nonces come from. The token endpoint if nil.
  public var nonceEndpointURL: String?
  /// Where refresh requests go, and their `aud`. If nil, the token endpoint, or no refresh at all: see
  /// ``refreshWithoutEndpoint``.
  public var refreshEndpointURL: String?
  /// Where key requests go. The token endpoint if nil.
  public var keyEndpointURL: String?

  /// Where the nonce stands in the nonce response: member names joined by dots. Default `Nonce`.
  public var nonceResponseKeypath = "Nonce"
  /// The claim that carries the server nonce. Default `request_nonce`.
  public var serverNonceClaimName = "request_nonce"
  /// The form field that carries the signed request. If nil, `assertion`, or `request` with the SDK of macOS 13.
  public var customRequestJWTParameterName: String?

  /// Scopes appended to `openid offline_access`, joined by spaces. Default `urn:apple:platformsso`.
  public var additionalScopes = "urn:apple:platformsso"
  /// Scopes added to the authorization request of web-based authentication, joined by spaces.
  public var additionalAuthorizationScopes: String?
  /// Whether every login, refresh, key and key exchange request says what it is for by an ``AuthorizationScope`` (macOS
  /// 27). Those of web-based authentication do in any case. Default false.
  public var includePlatformSSOAuthorizationScopes = false

  /// Further fields of the nonce request's form.
  public var customNonceRequestValues: [CustomValue] = []
  /// Further fields of the login request's form.
  public var customLoginRequestValues: [CustomValue] = []
  /// Further fields of the refresh request's form.
  public var customRefreshRequestValues: [CustomValue] = []
  /// Further fields of the key request's form.
  public var customKeyRequestValues: [CustomValue] = []
  /// Further fields of the key exchange request's form.
  public var customKeyExchangeRequestValues: [CustomValue] = []
  /// Further items of the preauthentication request's query.
  public var customFederationUserPreauthenticationRequestValues: [CustomValue] = []

  /// Header fields that a profile adds to nonce, preauthentication, login, key and key exchange requests (macOS 27.2).
  public var additionalHTTPHeaders = AdditionalHTTPHeaders.none

  /// Custom claims of both kinds of embedded assertion.
  public var customAssertionRequestClaims = CustomClaims()
  /// Custom claims of the login request.
  public var customLoginRequestClaims = CustomClaims()
  /// Custom claims of the refresh request.
  public var customRefreshRequestClaims = CustomClaims()
  /// Custom claims of the key request.
  public var customKeyRequestClaims = CustomClaims()
  /// Custom claims of the key exchange request.
  public var customKeyExchangeRequestClaims = CustomClaims()

  /// Whether a login request carries the last refresh token, if there is one.
  public var includePreviousRefreshTokenInLoginRequest = false
  /// The claim that carries it. The default is what real requests have; Apple names none.
  public var previousRefreshTokenClaimName = "previous_refresh_token"
  /// The claim that asks for groups. If nil, `claims.id_token.groups.values`.
  public var groupRequestClaimName: String?
  /// The `id_token` claim that answers it. Default `groups`.
  public var groupResponseClaimName = "groups"
  /// The `id_token` claim that names the user for good. Default `sub`.
  public var uniqueIdentifierClaimName = "sub"
  /// Where login responses have Kerberos tickets.
  public var kerberosTicketMappings: [KerberosTicketMapping] = []
  /// Whether an incomplete or malformed Kerberos ticket fails the login. Default false: it is no ticket, and
  /// the login is good without.
  public var refusesIncompleteKerberosTickets = false

  /// The identity provider's public key for passwords, as 65 octets `04 ‖ X ‖ Y`. If set, a password travels in an
  /// encrypted embedded assertion and never in the request itself.
  public var loginRequestEncryptionPublicKey: [UInt8]?
  /// The first field of the encrypted assertion's PartyVInfo.
  public var loginRequestEncryptionAPVPrefix: [UInt8]?
  /// What stands there if ``loginRequestEncryptionAPVPrefix`` is nil, which Apple does not say. Default: a field of no
  /// octets.
  public var unsetAPVPrefix = EmbeddedAssertionPartyVInfo.UnsetPrefix.emptyField
  /// How the embedded assertion is encrypted. Everything but the default is refused with
  /// `ErrorCode.hpkeUnsupported`.
  public var loginRequestEncryptionAlgorithm = LoginRequestEncryptionAlgorithm.ecdheA256GCM

  /// How it is found out whether a user logs in by a browser. Default: none does.
  public var federationType = FederationType.none
  /// Where the preauthentication request goes.
  public var federationUserPreauthenticationURL: String?
  /// Which preauthentication response means that the user logs in by a browser. Stands for `federationPredicate`.
  public var isFederated: ResponsePredicate?
  /// Where the preauthentication response has the authorization URL: member names joined by dots. Apple names no
  /// default; this is the sample's name.
  public var authorizationURLKeypath = "authorizationURL"
  /// Where every user logs in by a browser, if ``federationType`` is ``FederationType/openID``.
  public var authorizationURL: String?
  /// `redirect_uri` of authorization requests. Default ``AuthorizationParameters/callbackURL``; early systems write
  /// capitals, and one known server wants them.
  public var authorizationRedirectURI = AuthorizationParameters.callbackURL
  /// Whether an authorization request is signed and posted also where the provider named no parameters for it: they are
  /// taken from the address then. Default false, as Apple's page has it.
  public var signsEveryAuthorizationRequest = false
  /// Whether an authorization URL without `state` is given a fresh one, which Apple leaves open. Default true: without
  /// it anybody's callback would pass for this one's.
  public var addsAuthorizationState = true

  /// Which response of 400 or 401 with a JSON body means a wrong credential. If nil, 401 alone does. Stands for
  /// `invalidCredentialPredicate`.
  public var isInvalidCredential: ResponsePredicate?

  /// The SDK that the extension was built with, on which macOS changes its requests. Default: macOS 14 or later.
  public var extensionSDK = ExtensionSDK.macOS14OrLater
  /// How `x5c` is written. Default: one string, as Apple's samples of token and key requests have it.
  public var certificateForm = CertificateForm.string
  /// Whether key requests have `aud`: Apple's table says yes, its samples and captured requests have none. Default
  /// false, as Macs do.
  public var includesAudienceInKeyRequests = false
  /// `aud` of key requests, if they have one. ``audience`` if nil.
  public var keyRequestAudience: String?
  /// Whether a login by a password says so, `"amr": ["pwd"]`, as captured requests do; Apple's pages have no such
  /// claim. Default true.
  public var includesAuthenticationMethods = true
  /// How the JSON of signed messages is written. Default: without white space.
  public var messageText = MessageText.compact
  /// In which order the claims of requests stand. Default: Apple's tables'.
  public var memberOrder = MemberOrder.documented
  /// What the absence of ``refreshEndpointURL`` means, on which Apple's pages differ. Default: requests go to the token
  /// endpoint.
  public var refreshWithoutEndpoint = RefreshWithoutEndpoint.tokenEndpoint
  /// `platform_sso_version` of a refresh request's form, which Apple's page leaves out. Default `1.0`, as in a login
  /// request's.
  public var refreshRequestVersion = "1.0"
  /// What `aud` of refresh requests names, on which Apple's table and its explanation differ. Default: the refresh
  /// endpoint.
  public var refreshAudience = RefreshAudience.refreshEndpoint
  /// Which of two custom claims of one name counts, the device's or the user's, which Apple does not say. Default: the
  /// user's.
  public var customClaimPrecedence = CustomClaimPrecedence.user
  /// Whether the certificate of a key response must be valid now, which Apple does not say. Default false: known
  /// servers issue them for a day, and what is wrapped for the key must stay.
  public var checksCertificateValidity = false
  /// Seconds by which the provider's clock may be ahead of the device's when `iat` and `nbf` are checked. Default 60;
  /// Apple names none.
  public var clockSkew = 60.0
  /// Whether responses of peers that drop leading zeros are opened. Default: refused. See ``ShortCoordinates``.
  public var shortCoordinates = ShortCoordinates.refused
  /// Whether a key response may have the `typ` of a login response, as one known server writes. Default false.
  public var acceptsLoginResponseTypeInKeyResponses = false
  /// Further `typ` that a key response may have, for servers that write their own.
  public var acceptedKeyResponseTypes: [MessageType] = []
  /// Whether a key response must say when it was made and until when it is good, as Apple's table has it. Default true.
  public var requiresKeyResponseTimes = true
  /// Whether the `id_token` must repeat the request's nonce, as Apple says. Default true. Without it a stolen token of
  /// the same user passes for a fresh one; one that is there is checked all the same.
  public var requiresIDTokenNonce = true
  /// Whether a response may have an initialization vector of more than 12 octets, as those of one known server, which
  /// Macs take. Default false: JOSE knows no others.
  public var acceptsLongInitializationVectors = false

  /// A configuration with Apple's defaults.
  public init(
    clientID: String, issuer: String, audience: String, tokenEndpointURL: String, jwksEndpointURL: String
  ) {
    (self.clientID, self.issuer, self.audience) = (clientID, issuer, audience)
    (self.tokenEndpointURL, self.jwksEndpointURL) = (tokenEndpointURL, jwksEndpointURL)
  }

  /// The scope of a token request: `openid offline_access`, the additional ones, and what the request is for.
  func scope(_ authorizationScope: AuthorizationScope?) -> String {
    var scopes = ["openid offline_access"]
    if !additionalScopes.isEmpty { scopes.append(additionalScopes) }
    if let authorizationScope { scopes.append(authorizationScope.description) }
    return scopes.joined(separator: " ")
  }

  /// An authorization scope if requests are to have one.
  func included(_ authorizationScope: AuthorizationScope) -> AuthorizationScope? {
    includePlatformSSOAuthorizationScopes ? authorizationScope : nil
  }

  /// The form field of the signed request.
  package var requestParameterName: String {
    customRequestJWTParameterName ?? (extensionSDK == .macOS13 ? "request" : "assertion")
  }

  /// The `typ` of a message, which extensions built with the first SDK do not have.
  func type(_ type: MessageType) -> MessageType {
    extensionSDK == .macOS13 ? .jwt : type
  }
}
