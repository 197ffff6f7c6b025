import JOSE

/// An identity provider's names and addresses, and the rules where Apple leaves a choice.
public struct IdentityProviderConfiguration: Sendable {
  /// `iss` of `id_token`.
  public var issuer: String
  /// The client identifiers that are served: `client_id` and `iss` of requests.
  public var clientIDs: [String]
  /// Further client identifiers, which depend on the device: some extensions name the client after the Mac.
  public var deviceClientIDs: (@Sendable (RegisteredDevice) -> [String])?
  /// `aud` of embedded assertions and key requests: the login configuration's `audience`.
  public var audience: String
  /// `aud` of embedded assertions in place of ``audience``, where names depend on the device: `{ [$0.id] }`.
  public var assertionAudiences: (@Sendable (RegisteredDevice) -> [String])?
  /// `aud` of key requests in place of what embedded assertions must have.
  package var keyRequestAudiences: (@Sendable (RegisteredDevice) -> [String])?
  /// `aud` of login requests: every address that the token endpoint has.
  public var tokenEndpointURLs: [String]
  /// A further `aud` that refresh requests may have. Apple's table names the token endpoint, which is always accepted.
  public var refreshEndpointURL: String?
  /// Where Macs ask how a user logs in, the one address that answers GET. If nil, any but those of tokens is.
  public var preauthenticationURL: String?

  /// The member of the nonce response. Default `Nonce`.
  package var nonceResponseMember = "Nonce"
  /// The claim that carries the server nonce. Default `request_nonce`.
  package var serverNonceClaimName = "request_nonce"
  /// The form fields that may carry the signed request, exactly one of which must be there. Default `assertion` and
  /// `request`.
  package var requestParameterNames = ["assertion", "request"]
  /// The claim that asks for groups. If nil, `claims.id_token.groups.values`.
  package var groupRequestClaimName: String?
  /// The claim that carries the previous refresh token in a login request. Default `previous_refresh_token`.
  package var previousRefreshTokenClaimName = "previous_refresh_token"
  /// Items of a preauthentication request's query that may name the user. Apple's is `user`; default `user` and
  /// `login_hint`.
  package var preauthenticationUserNames = ["user", "login_hint"]
  /// Where a preauthentication response has the authorization URL. Default `authorizationURL`, as in Apple's sample.
  package var authorizationURLMember = "authorizationURL"

  /// Whether `typ` may be `JWT` where the message has a type of its own: extensions built with the first SDK and
  /// Entra's have it. Default false.
  package var acceptsJWTType = false
  /// Whether key requests must name their audience. Captured ones do not, so the default checks it only if it is there.
  package var requiresAudienceInKeyRequests = false
  /// What `platform_sso_version` of a refresh request's form may be, which Apple's page leaves out. Default `1.0` and
  /// `1`.
  package var refreshRequestVersions = ["1.0", "1"]
  /// What is asked of `client-request-id`. Default: it must be there.
  package var clientRequestID = ClientRequestIDRule.required
  /// Whether responses repeat `apv` in their header. Devices need it not; general JOSE libraries do. Default true.
  package var repeatsPartyVInfo = true
  /// The first field of an encrypted assertion's PartyVInfo: the login configuration's
  /// `loginRequestEncryptionAPVPrefix`.
  package var loginRequestEncryptionAPVPrefix: [UInt8]?
  /// The private keys for encrypted embedded assertions. Several, while they are being replaced.
  public var loginRequestDecryptionKeys: [DecryptionKey] = []

  /// Claims that a signed request may lack: of `iss`, `client_id`, `aud`, `exp`, `sub`, `username` and `scope`. What is
  /// there is checked all the same. Default: none. Macs with the first release of Platform SSO lack `iss`, `exp` and
  /// `sub`.
  package var optionalRequestClaims: [String] = []
  /// Claims that an embedded assertion may lack: of `iss`, `sub`, `aud`, `iat`, `exp`, `nonce`, `request_nonce` and
  /// `scope`. What is there is checked all the same, and a signed assertion has one of the nonces in any case. Default:
  /// none.
  package var optionalAssertionClaims: [String] = []
  /// Whether the form of a signed request must have `grant_type` and `platform_sso_version`. What is there is checked
  /// all the same. Default true; requests that an extension makes itself may have neither.
  package var requiresFormFields = true
  /// What PartyVInfo of an encrypted assertion must be, on which Apple's table and its sample differ. Default: the
  /// sample's form.
  package var assertionPartyVInfo = AssertionPartyVInfoRule.sample
  /// Whether an encrypted assertion may hold a JWT that the device signed, in place of the claims themselves, as
  /// Apple's sample has them. Default false.
  package var acceptsSignedClaimsInAssertions = false
  /// Whether PartyVInfo of `jwe_crypto` may be any octets, which enter the key derivation; then the answer is encrypted
  /// for the device's present key. Default false: it names the registered encryption key and the request's nonce.
  package var acceptsOpaquePartyVInfo = false
  /// Whether a device may use each nonce of its own once only. Apple asks for no such check. Default true.
  package var refusesReusedClientNonces = true
  /// Whether `other_publickey` may be base64url or lack its padding, where Apple's sample has padded base64. Default
  /// false.
  package var acceptsAnyBase64InKeyExchange = false
  /// Whether login and refresh requests must name the device's keys in `signKeyId` and `encKeyId`, as one known server
  /// demands. Default false.
  package var checksKeyIdentifierClaims = false
  /// Scopes that login and refresh requests must ask for. Default: none.
  package var requiredScopes: [String] = []
  /// Header fields of the profile that requests must have, refresh requests aside. Default: none.
  public var requiredHTTPHeaders = AdditionalHTTPHeaders.none
  /// What device keys may sign with. Default: ES256, the one algorithm whose name on the wire Apple gives. ES384 and
  /// Ed25519 are there for extensions that choose them; their names follow RFC 7518 and RFC 9864.
  public var deviceSignatureAlgorithms: [SignatureAlgorithm] = [.es256]

  /// How long a refresh token that has been replaced is still good, an hour at most. The default is a minute: an answer
  /// that got lost then costs no user a password.
  public var replacedRefreshTokenGrace = Duration.seconds(60)
  /// By how much a device's clock may be ahead, at most 10 minutes. The default is a minute.
  public var clockSkew = Duration.seconds(60)
  /// The longest time between `iat` and `exp`. macOS has 5 minutes; the default is 10.
  package var maximumLifetime = Duration.seconds(600)
  /// How long an `id_token` is good, in whole seconds. The default is 8 hours.
  public var idTokenLifetime = Duration.seconds(28_800)
  /// The longest body of a request, in octets. Default 64 KiB.
  public var maximumBodyByteCount = 64 * 1024
  /// Bounds on tokens.
  package var limits = Limits.default

  /// What is asked of the header `client-request-id`.
  package enum ClientRequestIDRule: Sendable, Hashable {
    /// The header may be absent, and is not looked at.
    case notChecked
    /// It must be there, 1 to 128 characters.
    case required
    /// It must be the one of the nonce request, ASCII case aside. The server nonce carries it.
    case boundToServerNonce
  }

  /// What PartyVInfo of an encrypted assertion must be.
  package enum AssertionPartyVInfoRule: Sendable, Hashable {
    /// Prefix, the provider's key and the server nonce, as in Apple's sample.
    case sample
    /// That, or the `apv` of the request around it, as in Apple's table. An assertion is good once on all devices, for
    /// which the provider's records must be durable: see ``eitherNonce``.
    case sampleOrTable
    /// One of these, or any prefix, the provider's key and one of the request's two nonces: an extension that makes
    /// logins of its own may take the device's.
    ///
    /// An assertion is good once on all devices. That is noted for ten years, so ``IdentityProvider/records`` must be
    /// durable: with a store that forgets, an eavesdropper may log in with an assertion again.
    case eitherNonce
  }

  /// A provider with the documented defaults.
  public init(issuer: String, clientIDs: [String], audience: String, tokenEndpointURL: String) {
    self.issuer = issuer
    self.clientIDs = clientIDs
    self.audience = audience
    tokenEndpointURLs = [tokenEndpointURL]
  }

  /// The first of ``tokenEndpointURLs``.
  package var tokenEndpointURL: String {
    get { tokenEndpointURLs.first ?? "" }
    set { tokenEndpointURLs = [newValue] + tokenEndpointURLs.dropFirst() }
  }

  /// Whether a server nonce is good only with the `client-request-id` that it was given to. Default false: that header
  /// must be there.
  public var bindsServerNonces: Bool {
    get { clientRequestID == .boundToServerNonce }
    set { clientRequestID = newValue ? .boundToServerNonce : .required }
  }

  /// The types accepted for a message.
  func types(_ type: MessageType) -> [MessageType] {
    acceptsJWTType ? [type, .jwt] : [type]
  }

  /// The client identifiers that a device may have.
  func clientIDs(of device: RegisteredDevice) -> [String] {
    clientIDs + (deviceClientIDs?(device) ?? [])
  }

  /// `aud` of a device's embedded assertions.
  func assertionAudiences(of device: RegisteredDevice) -> [String] {
    assertionAudiences?(device) ?? [audience]
  }

  /// `aud` of a device's key requests.
  func keyRequestAudiences(of device: RegisteredDevice) -> [String] {
    keyRequestAudiences?(device) ?? assertionAudiences(of: device)
  }
}
