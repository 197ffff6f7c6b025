import JOSE
import StrictJSON

/// What an SSO extension tells macOS about its identity provider, with Apple's names and defaults.
///
/// Only ``clientID``, ``issuer``, ``audience``, ``tokenEndpointURL`` and ``jwksEndpointURL`` have no default. WS-Trust
/// is XML and left out. Names of members, scopes and what the extension adds to messages are ``ExtensionSettings``.
/// What Apple leaves open, ``apply(_:)`` sets as a product has it.
///
/// Source: Apple, ASAuthorizationProviderExtensionLoginConfiguration.
public struct LoginConfiguration: Sendable {
  /// The OpenID client identifier: `client_id` and `iss` of requests.
  public var clientID: String
  /// `iss` that the `id_token` must have.
  public var issuer: String
  /// `aud` of embedded assertions and of key requests. Not the token URL.
  public var audience: String
  /// Where login requests go. It is their `aud`, and that of refresh requests.
  public var tokenEndpointURL: String
  /// Where the key set for `id_token` is found. Nothing here fetches it.
  public var jwksEndpointURL: String

  /// Where server nonces come from. The token endpoint if nil.
  public var nonceEndpointURL: String?
  /// Where refresh requests go. If nil, there are none and each renewal is a full login, but under a preset whose
  /// product refreshes at the token endpoint.
  public var refreshEndpointURL: String?
  /// Where key requests go. The token endpoint if nil.
  public var keyEndpointURL: String?

  /// Where the nonce stands in the nonce response: member names joined by dots. Default `Nonce`.
  package var nonceResponseKeypath = "Nonce"
  /// The claim that carries the server nonce. Default `request_nonce`.
  package var serverNonceClaimName = "request_nonce"
  /// The form field that carries the signed request. If nil, `assertion`, or `request` with the SDK of macOS 13.
  package var customRequestJWTParameterName: String?

  /// Scopes appended to `openid offline_access`, joined by spaces. Default `urn:apple:platformsso`.
  package var additionalScopes = "urn:apple:platformsso"
  /// Scopes added to the authorization request of web-based authentication, joined by spaces.
  package var additionalAuthorizationScopes: String?
  /// Whether every login, refresh, key and key exchange request says what it is for by an ``AuthorizationScope`` (macOS
  /// 27). Those of web-based authentication do in any case. Default false.
  package var includePlatformSSOAuthorizationScopes = false

  /// Further fields of the nonce request's form.
  package var customNonceRequestValues = FormFields()
  /// Further fields of the login request's form.
  package var customLoginRequestValues = FormFields()
  /// Further fields of the refresh request's form.
  package var customRefreshRequestValues = FormFields()
  /// Further fields of the key request's form.
  package var customKeyRequestValues = FormFields()
  /// Further fields of the key exchange request's form.
  package var customKeyExchangeRequestValues = FormFields()
  /// Further items of the preauthentication request's query.
  package var customFederationUserPreauthenticationRequestValues = FormFields()

  /// Header fields that a profile adds to nonce, preauthentication, login, key and key exchange requests (macOS 27.2).
  public var additionalHTTPHeaders = AdditionalHTTPHeaders.none

  /// Custom claims of both kinds of embedded assertion.
  package var customAssertionRequestClaims = CustomClaims()
  /// What the SSO extension adds to the claims of the login request.
  package var customLoginRequestClaims = CustomClaims()
  /// The same for the refresh request.
  package var customRefreshRequestClaims = CustomClaims()
  /// The same for the key request.
  package var customKeyRequestClaims = CustomClaims()
  /// The same for the key exchange request.
  package var customKeyExchangeRequestClaims = CustomClaims()

  /// Whether a login request carries the last refresh token, if there is one.
  package var includePreviousRefreshTokenInLoginRequest = false
  /// The claim that carries it. The default is what real requests have; Apple names none.
  package var previousRefreshTokenClaimName = "previous_refresh_token"
  /// The claim that asks for groups. If nil, `claims.id_token.groups.values`.
  package var groupRequestClaimName: String?
  /// The `id_token` claim that answers it. Default `groups`.
  package var groupResponseClaimName = "groups"
  /// The `id_token` claim that names the user for good. Default `sub`.
  public var uniqueIdentifierClaimName = "sub"
  /// Where login responses have Kerberos tickets.
  package var kerberosTicketMappings: [KerberosTicketMapping] = []
  /// Whether an incomplete or malformed Kerberos ticket fails the login. Default false: it is no ticket, and
  /// the login is good without.
  package var refusesIncompleteKerberosTickets = false

  /// The identity provider's public key for passwords, as 65 octets `04 ‖ X ‖ Y`. If set, a password travels in an
  /// encrypted embedded assertion and never in the request itself.
  public var loginRequestEncryptionPublicKey: [UInt8]?
  /// The first field of the encrypted assertion's PartyVInfo.
  package var loginRequestEncryptionAPVPrefix: [UInt8]?
  /// Whether the key comes first if ``loginRequestEncryptionAPVPrefix`` is nil, which Apple does not say. Default
  /// false: a field of no octets, `00 00 00 00`, comes first.
  package var omitsUnsetAPVPrefix = false

  /// Where a preauthentication request tells whether a user logs in by a browser, and where (macOS 27): Apple's
  /// federation type `dynamicOpenID`. Nil for no such request. The federation types of WS-Trust are left out.
  public var federationUserPreauthenticationURL: String?
  /// Which preauthentication response means that the user logs in by a browser. Stands for `federationPredicate`.
  public var isFederated: (@Sendable (JSONObject) -> Bool)?
  /// Where the preauthentication response has the authorization URL: member names joined by dots. Apple names no
  /// default; this is the sample's name.
  package var authorizationURLKeypath = "authorizationURL"
  /// Where every user logs in by a browser: Apple's federation type `openID`. Nil for nowhere.
  public var authorizationURL: String?
  /// `redirect_uri` of authorization requests. Default ``AuthorizationParameters/callbackURL``; early systems write
  /// capitals, and one known server wants them.
  package var authorizationRedirectURI = AuthorizationParameters.callbackURL
  /// Whether an authorization request is signed and posted also where the provider named no parameters for it: they are
  /// taken from the address then. Default false, as Apple's page has it.
  package var signsEveryAuthorizationRequest = false
  /// Whether an authorization URL without `state` is given a fresh one, which Apple leaves open. Default true: without
  /// it anybody's callback would pass for this one's.
  package var addsAuthorizationState = true

  /// Which response of 400 or 401 with a JSON body means a wrong credential. If nil, 401 alone does. Stands for
  /// `invalidCredentialPredicate`.
  package var isInvalidCredential: (@Sendable (JSONObject) -> Bool)?

  /// Whether the extension was built with the SDK of macOS 13: then `typ` is `JWT` in login requests and assertions,
  /// and the form field is `request`. Default false: messages have types of their own, and the field is `assertion`.
  package var isBuiltForMacOS13 = false
  /// Whether `x5c` is written as an array, as RFC 7515 defines it and Apple's samples for macOS 27 show. Default false:
  /// one string, as in its samples of token and key requests. Receivers here accept both.
  package var writesCertificateArray = false
  /// Whether key requests have `aud`: Apple's table says yes, its samples and captured requests have none. Default
  /// false, as Macs do.
  package var includesAudienceInKeyRequests = false
  /// `aud` of key requests, if they have one. ``audience`` if nil.
  package var keyRequestAudience: String?
  /// Whether a login by a password says so, `"amr": ["pwd"]`, as captured requests do; Apple's pages have no such
  /// claim. Default true.
  package var includesAuthenticationMethods = true
  /// Whether the JSON of signed messages is indented by two spaces, with a space on either side of a colon, as a Mac
  /// writes it. Default false: without white space. Receivers must not care.
  package var indentsJSON = false
  /// Whether the claims of requests stand in the order of those captured from macOS 14.4: `jwe_crypto` first and `iat`
  /// last. Default false: as in Apple's tables and samples. Receivers must not care.
  package var ordersClaimsAsCaptured = false
  /// Whether refresh requests go to the token endpoint without ``refreshEndpointURL``, as the SDK header says. Default
  /// false: then there is no refresh, as Apple's article says.
  package var refreshesAtTokenEndpoint = false
  /// `platform_sso_version` of a refresh request's form, which Apple's page leaves out. Default `1.0`, as in a login
  /// request's.
  package var refreshRequestVersion = "1.0"
  /// Whether `aud` of refresh requests names the token endpoint, wherever they go, as Apple's table has it. Default
  /// true; false names the address that the request goes to, as the note beside the table says.
  package var namesTokenEndpointInRefreshRequests = true
  /// Whether the device's custom claim counts where the user's has the same name, which Apple does not say. Default
  /// false: the user's.
  package var prefersDeviceClaims = false
  /// Whether the certificate of a key response must be valid now, which Apple does not say. Default false: known
  /// servers issue them for a day, and what is wrapped for the key must stay.
  package var checksCertificateValidity = false
  /// By how much the provider's clock may be ahead of the device's when `iat` and `nbf` are checked. The default is a
  /// minute; Apple names none.
  package var clockSkew = Duration.seconds(60)
  /// Whether coordinates and shared secrets without leading zeros are filled up on the left to 32 octets, as about one
  /// in 150 responses of a known server lacks them. The point is checked as always, and PartyUInfo enters the key
  /// derivation as received. Default false: such responses are refused.
  package var acceptsShortCoordinates = false
  /// Whether a key response may have the `typ` of a login response, as one known server writes. Default false.
  package var acceptsLoginResponseTypeInKeyResponses = false
  /// Further `typ` that a key response may have, for servers that write their own.
  package var acceptedKeyResponseTypes: [String] = []
  /// Whether a key response must say when it was made and until when it is good, as Apple's table has it. Default true.
  package var requiresKeyResponseTimes = true
  /// Whether the `id_token` must repeat the request's nonce, as Apple says. Default true. Without it a stolen token of
  /// the same user passes for a fresh one; one that is there is checked all the same.
  package var requiresIDTokenNonce = true
  /// Whether a response may have an initialization vector of more than 12 octets, as those of one known server, which
  /// Macs take. Default false: JOSE knows no others.
  package var acceptsLongInitializationVectors = false

  /// A configuration with Apple's defaults.
  public init(
    clientID: String, issuer: String, audience: String, tokenEndpointURL: String, jwksEndpointURL: String
  ) {
    (self.clientID, self.issuer, self.audience) = (clientID, issuer, audience)
    (self.tokenEndpointURL, self.jwksEndpointURL) = (tokenEndpointURL, jwksEndpointURL)
  }

  /// A configuration with what an issuer publishes about itself: the token endpoint, the place of its keys, and the
  /// page of logins by a browser if it names one. Server nonces and keys come from the token endpoint until another
  /// address is set.
  ///
  /// - Parameters:
  ///   - clientID: the client identifier of the Macs.
  ///   - metadata: the issuer's, as it was fetched from `/.well-known/openid-configuration`.
  ///   - audience: nil for the issuer.
  /// - Throws: `ErrorCode.claimMissing` or `ErrorCode.claimInvalid`, named `token_endpoint` or
  ///   `authorization_endpoint`.
  public init(clientID: String, metadata: IssuerMetadata, audience: String? = nil) throws(JOSEError) {
    func endpoint(_ name: String) throws(JOSEError) -> String? {
      guard let text = try metadata.members.string(ifPresent: name, orThrow: .claimInvalid) else { return nil }
      guard PlainHTTP.refused.permits(text) else {
        throw JOSEError(.claimInvalid, "the endpoint is not an https URL", name: name)
      }
      return text
    }
    guard let tokenEndpoint = try endpoint("token_endpoint") else {
      throw JOSEError(.claimMissing, "the metadata has no token endpoint", name: "token_endpoint")
    }
    self.init(
      clientID: clientID, issuer: metadata.issuer, audience: audience ?? metadata.issuer,
      tokenEndpointURL: tokenEndpoint, jwksEndpointURL: metadata.keySetURL)
    authorizationURL = try endpoint("authorization_endpoint")
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
    customRequestJWTParameterName ?? (isBuiltForMacOS13 ? "request" : "assertion")
  }

  /// The `typ` of a message, which extensions built with the first SDK do not have.
  func type(_ type: MessageType) -> MessageType {
    isBuiltForMacOS13 ? .jwt : type
  }
}
