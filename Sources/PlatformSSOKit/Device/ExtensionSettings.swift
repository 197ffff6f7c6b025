import JOSE
import StrictJSON

/// What an SSO extension calls the members of messages, and what it adds to them, with Apple's names.
///
/// A provider has to know the names too: ``IdentityProviderConfiguration/customize(_:)`` takes the same value.
///
/// ```swift
/// let settings = ExtensionSettings(serverNonceClaimName: "srv_nonce", customLoginRequestValues: ["tid": "1"])
/// configuration.customize(settings)
/// ```
///
/// Source: Apple, ASAuthorizationProviderExtensionLoginConfiguration.
public struct ExtensionSettings: Sendable {
  package let nonceResponseKeypath: String?
  package let serverNonceClaimName: String?
  package let customRequestJWTParameterName: String?
  package let previousRefreshTokenClaimName: String?
  package let groupRequestClaimName: String?
  package let groupResponseClaimName: String?
  package let authorizationURLKeypath: String?
  package let additionalScopes: String?
  package let additionalAuthorizationScopes: String?
  package let includePlatformSSOAuthorizationScopes: Bool
  package let includePreviousRefreshTokenInLoginRequest: Bool
  package let kerberosTicketMappings: [KerberosTicketMapping]
  package let isInvalidCredential: (@Sendable (JSONObject) -> Bool)?
  package let loginRequestEncryptionAPVPrefix: [UInt8]?
  package let customNonceRequestValues: FormFields
  package let customLoginRequestValues: FormFields
  package let customRefreshRequestValues: FormFields
  package let customKeyRequestValues: FormFields
  package let customKeyExchangeRequestValues: FormFields
  package let customFederationUserPreauthenticationRequestValues: FormFields
  package let customAssertionRequestClaims: CustomClaims
  package let customLoginRequestClaims: CustomClaims
  package let customRefreshRequestClaims: CustomClaims
  package let customKeyRequestClaims: CustomClaims
  package let customKeyExchangeRequestClaims: CustomClaims

  /// Settings, each optional: what is not given stays as the defaults or a preset have it.
  ///
  /// - Parameters:
  ///   - nonceResponseKeypath: where the nonce stands in the nonce response: member names joined by dots. Apple's
  ///     default is `Nonce`.
  ///   - serverNonceClaimName: the claim that carries the server nonce. Apple's default is `request_nonce`.
  ///   - customRequestJWTParameterName: the form field that carries the signed request. Apple's default is
  ///     `assertion`.
  ///   - previousRefreshTokenClaimName: the claim that carries the last refresh token in a login request. Apple names
  ///     no default; it is `previous_refresh_token`, as in real requests.
  ///   - groupRequestClaimName: the claim that asks for groups. Apple's default is `claims.id_token.groups.values`.
  ///   - groupResponseClaimName: the `id_token` claim that answers it. Apple's default is `groups`.
  ///   - authorizationURLKeypath: where the preauthentication response has the authorization URL: member names joined
  ///     by dots. Apple names no default; it is `authorizationURL`, as in the sample.
  ///   - additionalScopes: scopes appended to `openid offline_access`, joined by spaces. Apple's default is
  ///     `urn:apple:platformsso`.
  ///   - additionalAuthorizationScopes: scopes added to the authorization request of web-based authentication, joined
  ///     by spaces.
  ///   - includePlatformSSOAuthorizationScopes: whether every login, refresh, key and key exchange request says what
  ///     it is for by an ``AuthorizationScope`` (macOS 27). Those of web-based authentication do in any case.
  ///   - includePreviousRefreshTokenInLoginRequest: whether a login request carries the last refresh token, if there
  ///     is one.
  ///   - kerberosTicketMappings: where login responses have Kerberos tickets, besides where a preset looks for them.
  ///   - isInvalidCredential: which response of 400 or 401 with a JSON body means a wrong credential. By default 401
  ///     alone does. Stands for Apple's `invalidCredentialPredicate`.
  ///   - loginRequestEncryptionAPVPrefix: the first field of an encrypted assertion's PartyVInfo.
  ///   - customNonceRequestValues: further fields of the nonce request's form.
  ///   - customLoginRequestValues: further fields of the login request's form.
  ///   - customRefreshRequestValues: further fields of the refresh request's form.
  ///   - customKeyRequestValues: further fields of the key request's form.
  ///   - customKeyExchangeRequestValues: further fields of the key exchange request's form.
  ///   - customFederationUserPreauthenticationRequestValues: further items of the preauthentication request's query.
  ///   - customAssertionRequestClaims: custom claims of both kinds of embedded assertion.
  ///   - customLoginRequestClaims: custom claims of the login request.
  ///   - customRefreshRequestClaims: custom claims of the refresh request.
  ///   - customKeyRequestClaims: custom claims of the key request.
  ///   - customKeyExchangeRequestClaims: custom claims of the key exchange request.
  public init(
    nonceResponseKeypath: String? = nil, serverNonceClaimName: String? = nil,
    customRequestJWTParameterName: String? = nil, previousRefreshTokenClaimName: String? = nil,
    groupRequestClaimName: String? = nil, groupResponseClaimName: String? = nil,
    authorizationURLKeypath: String? = nil, additionalScopes: String? = nil,
    additionalAuthorizationScopes: String? = nil, includePlatformSSOAuthorizationScopes: Bool = false,
    includePreviousRefreshTokenInLoginRequest: Bool = false, kerberosTicketMappings: [KerberosTicketMapping] = [],
    isInvalidCredential: (@Sendable (JSONObject) -> Bool)? = nil, loginRequestEncryptionAPVPrefix: [UInt8]? = nil,
    customNonceRequestValues: FormFields = [:], customLoginRequestValues: FormFields = [:],
    customRefreshRequestValues: FormFields = [:], customKeyRequestValues: FormFields = [:],
    customKeyExchangeRequestValues: FormFields = [:],
    customFederationUserPreauthenticationRequestValues: FormFields = [:],
    customAssertionRequestClaims: CustomClaims = CustomClaims(),
    customLoginRequestClaims: CustomClaims = CustomClaims(),
    customRefreshRequestClaims: CustomClaims = CustomClaims(), customKeyRequestClaims: CustomClaims = CustomClaims(),
    customKeyExchangeRequestClaims: CustomClaims = CustomClaims()
  ) {
    self.nonceResponseKeypath = nonceResponseKeypath
    self.serverNonceClaimName = serverNonceClaimName
    self.customRequestJWTParameterName = customRequestJWTParameterName
    self.previousRefreshTokenClaimName = previousRefreshTokenClaimName
    self.groupRequestClaimName = groupRequestClaimName
    self.groupResponseClaimName = groupResponseClaimName
    self.authorizationURLKeypath = authorizationURLKeypath
    self.additionalScopes = additionalScopes
    self.additionalAuthorizationScopes = additionalAuthorizationScopes
    self.includePlatformSSOAuthorizationScopes = includePlatformSSOAuthorizationScopes
    self.includePreviousRefreshTokenInLoginRequest = includePreviousRefreshTokenInLoginRequest
    self.kerberosTicketMappings = kerberosTicketMappings
    self.isInvalidCredential = isInvalidCredential
    self.loginRequestEncryptionAPVPrefix = loginRequestEncryptionAPVPrefix
    self.customNonceRequestValues = customNonceRequestValues
    self.customLoginRequestValues = customLoginRequestValues
    self.customRefreshRequestValues = customRefreshRequestValues
    self.customKeyRequestValues = customKeyRequestValues
    self.customKeyExchangeRequestValues = customKeyExchangeRequestValues
    self.customFederationUserPreauthenticationRequestValues = customFederationUserPreauthenticationRequestValues
    self.customAssertionRequestClaims = customAssertionRequestClaims
    self.customLoginRequestClaims = customLoginRequestClaims
    self.customRefreshRequestClaims = customRefreshRequestClaims
    self.customKeyRequestClaims = customKeyRequestClaims
    self.customKeyExchangeRequestClaims = customKeyExchangeRequestClaims
  }
}

extension LoginConfiguration {
  /// Sets what the settings give, and adds their fields and claims to those that a preset set.
  public mutating func customize(_ settings: ExtensionSettings) {
    nonceResponseKeypath = settings.nonceResponseKeypath ?? nonceResponseKeypath
    serverNonceClaimName = settings.serverNonceClaimName ?? serverNonceClaimName
    customRequestJWTParameterName = settings.customRequestJWTParameterName ?? customRequestJWTParameterName
    previousRefreshTokenClaimName = settings.previousRefreshTokenClaimName ?? previousRefreshTokenClaimName
    groupRequestClaimName = settings.groupRequestClaimName ?? groupRequestClaimName
    groupResponseClaimName = settings.groupResponseClaimName ?? groupResponseClaimName
    authorizationURLKeypath = settings.authorizationURLKeypath ?? authorizationURLKeypath
    additionalScopes = settings.additionalScopes ?? additionalScopes
    additionalAuthorizationScopes = settings.additionalAuthorizationScopes ?? additionalAuthorizationScopes
    loginRequestEncryptionAPVPrefix = settings.loginRequestEncryptionAPVPrefix ?? loginRequestEncryptionAPVPrefix
    if settings.includePlatformSSOAuthorizationScopes { includePlatformSSOAuthorizationScopes = true }
    if settings.includePreviousRefreshTokenInLoginRequest { includePreviousRefreshTokenInLoginRequest = true }
    kerberosTicketMappings += settings.kerberosTicketMappings
    isInvalidCredential = settings.isInvalidCredential ?? isInvalidCredential
    let queryItems = settings.customFederationUserPreauthenticationRequestValues
    let forms: [(WritableKeyPath<LoginConfiguration, FormFields>, FormFields)] = [
      (\.customNonceRequestValues, settings.customNonceRequestValues),
      (\.customLoginRequestValues, settings.customLoginRequestValues),
      (\.customRefreshRequestValues, settings.customRefreshRequestValues),
      (\.customKeyRequestValues, settings.customKeyRequestValues),
      (\.customKeyExchangeRequestValues, settings.customKeyExchangeRequestValues),
      (\.customFederationUserPreauthenticationRequestValues, queryItems),
    ]
    for (form, values) in forms {
      for value in values.fields { self[keyPath: form].append(value.name, value.value) }
    }
    let messages: [(WritableKeyPath<LoginConfiguration, CustomClaims>, CustomClaims)] = [
      (\.customAssertionRequestClaims, settings.customAssertionRequestClaims),
      (\.customLoginRequestClaims, settings.customLoginRequestClaims),
      (\.customRefreshRequestClaims, settings.customRefreshRequestClaims),
      (\.customKeyRequestClaims, settings.customKeyRequestClaims),
      (\.customKeyExchangeRequestClaims, settings.customKeyExchangeRequestClaims),
    ]
    for (message, claims) in messages {
      self[keyPath: message] = self[keyPath: message].merged(with: claims, prefersDevice: false)
    }
  }
}

extension IdentityProviderConfiguration {
  /// Reads and writes members under the names that a Mac with these settings has for them, and expects its prefix.
  public mutating func customize(_ settings: ExtensionSettings) {
    nonceResponseMember = settings.nonceResponseKeypath ?? nonceResponseMember
    serverNonceClaimName = settings.serverNonceClaimName ?? serverNonceClaimName
    if let name = settings.customRequestJWTParameterName { requestParameterNames = [name] }
    previousRefreshTokenClaimName = settings.previousRefreshTokenClaimName ?? previousRefreshTokenClaimName
    groupRequestClaimName = settings.groupRequestClaimName ?? groupRequestClaimName
    authorizationURLMember = settings.authorizationURLKeypath ?? authorizationURLMember
    loginRequestEncryptionAPVPrefix = settings.loginRequestEncryptionAPVPrefix ?? loginRequestEncryptionAPVPrefix
  }
}
