import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// What `print`, `dump` and logs show of messages.
@Suite("Descriptions show no password, token or context")
struct SecretTextTests {
  static let user = LoginRequestTests.user

  /// Everything that is shown of a value, in every way.
  private func shown(_ value: some Any) -> String {
    var text = "\(value) \(String(reflecting: value))"
    dump(value, to: &text)
    return text
  }

  private func expectNothing(in value: some Any, _ secrets: [String], sourceLocation: SourceLocation = #_sourceLocation)
  {
    let text = shown(value)
    for secret in secrets { #expect(!text.contains(secret), "\(secret)", sourceLocation: sourceLocation) }
  }

  @Test("A Mac's side")
  func device() throws {
    let fixture = try Fixture()
    let nonces = try fixture.nonces()
    let method = LoginMethod.password("correct horse")
    expectNothing(in: method, ["correct horse"])
    let login = try fixture.device.loginRequest(of: Self.user, by: method, nonces: nonces)
    expectNothing(in: login, [login.assertion])
    let prepared = try fixture.device.prepareLoginRequest(of: Self.user, by: method, nonces: nonces)
    let input = String(decoding: prepared.signingInput, as: UTF8.self)
    expectNothing(in: prepared, [input, "\(prepared.signingInput)"])
    let assertion = try fixture.device.embeddedAssertion(
      of: Self.user, signedWith: VectorKeys.signing("user-secure-enclave"), nonces: nonces)
    expectNothing(in: assertion, [assertion.assertion])
    expectNothing(in: LoginMethod.embeddedAssertion(assertion), [assertion.assertion])
    let configuration = LoginConfiguration.authentik(
      baseURL: "https://ak.example.com", connectorID: "c", deviceID: "d", deviceToken: "device-token-1")
    expectNothing(in: configuration, ["device-token-1"])
    #expect(shown(configuration).contains("x-ak-device-token"))
    var profile = ExtensibleSSOProfile(
      for: Fixture.configuration, extensionIdentifier: "com.example.ssoe", teamIdentifier: "ABCDE12345",
      authenticationMethod: .password)
    try profile.set("RegistrationToken", to: .string("token-1"))
    expectNothing(in: profile, ["token-1"])
  }

  @Test("A provider's side, and the answers")
  func provider() async throws {
    let fixture = try Fixture()
    let secrets = ["correct horse", "rt-000001", "context-1"]
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    let checked = try await fixture.provider.loginRequest(from: login.httpRequest)
    #expect(checked.request.claims["password"] == "correct horse")
    expectNothing(in: checked, secrets)
    expectNothing(in: checked.request, secrets)
    expectNothing(in: try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest), secrets)
    let key = try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    let asked = try await fixture.provider.keyEndpointRequest(from: key.httpRequest)
    expectNothing(in: asked, secrets)
    let certificate = UnlockKey.generate().selfSignedCertificate(commonName: "k", notBefore: Fixture.now)
    let answer = try fixture.provider.keyResponse(to: asked, certificate: certificate, keyContext: "context-1")
    let opened = try fixture.device.openKeyResponse(answer, to: key)
    #expect(opened.keyContext == "context-1")
    expectNothing(in: opened, secrets)
    let exchange = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", otherPublicKey: VectorKeys.point("peer-exchange"),
      keyContext: "context-1", nonces: fixture.nonces())
    let wanted = try await fixture.provider.keyEndpointRequest(from: exchange.httpRequest)
    expectNothing(in: wanted, secrets)
    let shared = try fixture.provider.keyExchangeResponse(to: wanted, unlockKey: .generate(), keyContext: "context-1")
    let result = try fixture.device.openKeyExchangeResponse(shared, to: exchange)
    let text = result.key.withUnsafeBytes { Base64.encode($0) }
    expectNothing(in: result, secrets + [text])
  }
}
