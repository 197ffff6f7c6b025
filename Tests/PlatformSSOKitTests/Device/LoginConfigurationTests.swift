import PlatformSSOKit
import Testing

@Suite("Settings and their defaults")
struct LoginConfigurationTests {
  /// Names and addresses that have no default, and nothing else.
  private static var bare: LoginConfiguration {
    LoginConfiguration(
      clientID: "psso-client", issuer: "https://idp.example.com", audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token", jwksEndpointURL: "https://idp.example.com/jwks")
  }

  @Test("The defaults are those that Apple documents")
  func documentedDefaults() {
    let configuration = Fixture.configuration
    #expect(configuration.nonceEndpointURL == nil && configuration.keyEndpointURL == nil)
    #expect(Self.bare.refreshEndpointURL == nil)
    #expect(configuration.nonceResponseKeypath == "Nonce" && configuration.serverNonceClaimName == "request_nonce")
    #expect(configuration.additionalScopes == "urn:apple:platformsso")
    #expect(configuration.additionalAuthorizationScopes == nil)
    #expect(!configuration.includePlatformSSOAuthorizationScopes)
    #expect(!configuration.includePreviousRefreshTokenInLoginRequest)
    #expect(configuration.previousRefreshTokenClaimName == "previous_refresh_token")
    #expect(configuration.customRequestJWTParameterName == nil)
    #expect(configuration.uniqueIdentifierClaimName == "sub")
    #expect(configuration.groupRequestClaimName == nil && configuration.groupResponseClaimName == "groups")
    #expect(configuration.kerberosTicketMappings.isEmpty)
    #expect(configuration.federationUserPreauthenticationURL == nil && configuration.authorizationURL == nil)
    #expect(configuration.loginRequestEncryptionPublicKey == nil)
    #expect(configuration.loginRequestEncryptionAPVPrefix == nil)
    #expect(configuration.isInvalidCredential == nil && configuration.isFederated == nil)
    for values in [
      configuration.customNonceRequestValues, configuration.customLoginRequestValues,
      configuration.customRefreshRequestValues, configuration.customKeyRequestValues,
      configuration.customKeyExchangeRequestValues, configuration.customFederationUserPreauthenticationRequestValues,
    ] {
      #expect(values == [:])
    }
    for claims in [
      configuration.customAssertionRequestClaims, configuration.customLoginRequestClaims,
      configuration.customRefreshRequestClaims, configuration.customKeyRequestClaims,
      configuration.customKeyExchangeRequestClaims,
    ] {
      #expect(claims == CustomClaims())
    }
  }

  @Test("The defaults for what Apple leaves open are those of the articles")
  func chosenDefaults() {
    let configuration = Fixture.configuration
    #expect(!configuration.isBuiltForMacOS13 && !configuration.writesCertificateArray)
    #expect(!configuration.omitsUnsetAPVPrefix && configuration.includesAudienceInKeyRequests)
    #expect(!configuration.refreshesAtTokenEndpoint && configuration.namesTokenEndpointInRefreshRequests)
    #expect(!configuration.prefersDeviceClaims && !configuration.checksCertificateValidity)
    #expect(!configuration.indentsJSON && !configuration.ordersClaimsAsCaptured)
    #expect(configuration.clockSkew == .seconds(60) && !configuration.acceptsShortCoordinates)
    #expect(!configuration.acceptsLoginResponseTypeInKeyResponses && configuration.addsAuthorizationState)
    #expect(configuration.authorizationURLKeypath == "authorizationURL")
    let provider = Fixture.providerConfiguration
    #expect(provider.nonceResponseMember == "Nonce" && provider.requestParameterNames == ["assertion", "request"])
    #expect(!provider.acceptsJWTType && !provider.requiresAudienceInKeyRequests && provider.repeatsPartyVInfo)
    #expect(provider.clientRequestID == .required && provider.clockSkew == .seconds(60))
    #expect(provider.maximumLifetime == .seconds(600))
    #expect(provider.idTokenLifetime == .seconds(28_800) && provider.maximumBodyByteCount == 65_536)
  }

  @Test("Every endpoint falls back to the token endpoint, that of refreshes by choice")
  func endpoints() throws {
    var fixture = try Fixture()
    fixture.device.configuration = Self.bare
    fixture.device.configuration.refreshesAtTokenEndpoint = true
    let token = "https://idp.example.com/psso/token"
    func urls() throws -> [String] {
      let nonces = RequestNonces(serverNonce: "n")
      let user = LoginRequestTests.user
      return [
        fixture.device.serverNonceRequest().url,
        try fixture.device.loginRequest(of: user, by: .password("p"), nonces: nonces).httpRequest.url,
        try fixture.device.refreshRequest(refreshToken: "r", nonces: nonces).httpRequest.url,
        try fixture.device.keyRequest(of: user, refreshToken: "r", nonces: nonces).httpRequest.url,
        try fixture.device.keyRequest(
          of: user, refreshToken: "r", otherPublicKey: VectorKeys.point("peer-exchange"), keyContext: nil,
          nonces: nonces
        ).httpRequest.url,
      ]
    }
    #expect(try urls() == [token, token, token, token, token])
    fixture.device.configuration.nonceEndpointURL = "https://idp.example.com/n"
    fixture.device.configuration.refreshEndpointURL = "https://idp.example.com/r"
    fixture.device.configuration.keyEndpointURL = "https://idp.example.com/k"
    #expect(
      try urls() == [
        "https://idp.example.com/n", token, "https://idp.example.com/r", "https://idp.example.com/k",
        "https://idp.example.com/k",
      ])
  }
}
