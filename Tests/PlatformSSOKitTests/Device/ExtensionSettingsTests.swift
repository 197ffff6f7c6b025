import JOSE
import PlatformSSOKit
import Testing

@Suite("What an extension calls members and adds to messages")
struct ExtensionSettingsTests {
  @Test("Both sides take one value, and what a preset set stays")
  func bothSides() async throws {
    let settings = ExtensionSettings(
      nonceResponseKeypath: "server", serverNonceClaimName: "srv", customRequestJWTParameterName: "jwt",
      previousRefreshTokenClaimName: "last", groupRequestClaimName: "asked",
      additionalScopes: "urn:apple:platformsso more", includePreviousRefreshTokenInLoginRequest: true,
      customNonceRequestValues: ["tid": "1"], customLoginRequestValues: ["tid": "2"],
      customLoginRequestClaims: CustomClaims(body: ["tenant": "t"]))
    var fixture = try await PresetTests().fixture(.keycloak)
    fixture.device.configuration.customize(settings)
    #expect(fixture.device.configuration.findings(for: fixture.provider.configuration).count == 5)
    fixture.provider.configuration.customize(settings)
    #expect(fixture.device.configuration.findings(for: fixture.provider.configuration).isEmpty)
    #expect(try fixture.device.serverNonceRequest().form().values("tid") == ["1"])
    let nonces = try fixture.nonces()
    let request = try fixture.device.loginRequest(
      of: PresetTests.user, by: .password("correct horse"), nonces: nonces, previousRefreshToken: "rt-000001",
      groups: ["staff"])
    let form = try request.httpRequest.form()
    #expect(try form.requiredValue("jwt") == request.assertion && form.values("tid") == ["2"])
    let login = try await fixture.provider.loginRequest(from: request.httpRequest)
    #expect(login.previousRefreshToken == "rt-000001" && login.requestedGroups == ["staff"])
    #expect(login.scope == "openid offline_access urn:apple:platformsso more")
    let claims = login.request.claims
    #expect(claims["tenant"]?.stringValue == "t" && claims["srv"]?.stringValue == nonces.serverNonce)
    #expect(claims["last"]?.stringValue == "rt-000001")
    #expect(claims["signKeyId"]?.stringValue == fixture.device.keys.signingKeyID.text)
  }

  @Test("The prefix of encrypted passwords is the same on both sides")
  func prefix() async throws {
    var fixture = try await PresetTests().fixture(.fleet)
    let settings = ExtensionSettings(loginRequestEncryptionAPVPrefix: Array("Fleet".utf8))
    fixture.device.configuration.customize(settings)
    let key = fixture.device.configuration.findings(for: fixture.provider.configuration).map(\.key)
    #expect(key == ["loginRequestEncryptionAPVPrefix"])
    fixture.provider.configuration.customize(settings)
    #expect(fixture.device.configuration.findings(for: fixture.provider.configuration).isEmpty)
    let request = try fixture.device.loginRequest(
      of: PresetTests.user, by: .password("correct horse"), nonces: fixture.nonces())
    #expect(await fixture.refusal(of: request.httpRequest) == nil)
  }

  @Test("Tickets are looked for where the preset and the settings say, and the settings tell a wrong credential")
  func answers() throws {
    var configuration = LoginConfiguration.entra(tenant: "t")
    configuration.customize(
      ExtensionSettings(
        kerberosTicketMappings: [KerberosTicketMapping(ticketKeyPath: "tgt")],
        isInvalidCredential: { $0["code"]?.stringValue == "wrong" }))
    #expect(configuration.kerberosTicketMappings.map(\.ticketKeyPath) == ["tgt_cloud", "tgt_ad", "tgt"])
    let isInvalid = try #require(configuration.isInvalidCredential)
    #expect(isInvalid(["code": "wrong"]) && !isInvalid(["error": "invalid_grant"]))
  }

  @Test("Empty settings leave the preset unchanged")
  func nothing() {
    var configuration = LoginConfiguration.entra(tenant: "t")
    configuration.customize(ExtensionSettings())
    #expect(configuration.isInvalidCredential != nil && configuration.kerberosTicketMappings.count == 2)
    #expect(configuration.customRequestJWTParameterName == "request" && configuration.nonceResponseKeypath == "Nonce")
    #expect(configuration.includePreviousRefreshTokenInLoginRequest)
    #expect(configuration.customLoginRequestValues.fields.count == 4)
    #expect(configuration.customLoginRequestClaims == CustomClaims(type: "JWT"))
    #expect(configuration.additionalScopes.hasPrefix("aza "))
  }
}
