import Foundation
import JOSE
import PlatformSSOKit
import Synchronization
import Testing

@Suite("The articles")
struct ArticleTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let articles = tests.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/PlatformSSOKit/PlatformSSOKit.docc")

  private func article(_ name: String) throws -> String {
    try String(contentsOf: Self.articles.appending(path: name), encoding: .utf8)
  }

  @Test(
    "show the samples that this target compiles",
    arguments: [
      ("DeviceSide.md", "DeviceSample"), ("IdentityProviderSide.md", "ProviderSample"),
      ("IdentityProviderSide.md", "StoreSample"), ("IdentityProviderSide.md", "AttestationSample"),
    ])
  func samples(_ article: String, _ name: String) throws {
    let sample = try String(contentsOf: Self.tests.appending(path: "Samples/\(name).swift"), encoding: .utf8)
    #expect(try self.article(article).contains("```swift\n\(sample)```"))
  }

  @Test("Each statement of Apple's pages has a test that is there")
  func statements() throws {
    let rows = try article("RefreshAndNonce.md").split(separator: "\n").filter { $0.hasSuffix("` |") }
    #expect(rows.count == 36)
    let files = FileManager.default.enumerator(atPath: Self.tests.path)?.allObjects.compactMap { $0 as? String } ?? []
    for row in rows {
      let name = try #require(row.dropLast(3).split(separator: "`").last).split(separator: "/")
      let file = try #require(files.first { $0.hasSuffix("/\(name[0]).swift") }, "\(row)")
      let text = try String(contentsOf: Self.tests.appending(path: file), encoding: .utf8)
      #expect(text.contains("func \(name[1])("), "\(row)")
    }
  }

  @Test("Every line of code in the article of the server stands in the example, which the nightly run builds")
  func server() throws {
    let folder = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Examples/PlatformSSOServer/Sources/psso-serve")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { try String(contentsOf: $0, encoding: .utf8) }
    let blocks = try article("ProviderFromNothing.md").components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 3)
    for block in blocks { #expect(files.contains { $0.contains(block) }, "\(block.prefix(60))") }
  }

  @Test("A Mac is registered by the sample with the names that Apple attests")
  func attestedRegistration() async throws {
    let fixture = try Fixture()
    let nonce = try fixture.nonces().serverNonce
    let world = try AttestationWorld(nonce: nonce)
    var root = "-----BEGIN CERTIFICATE-----\n"
    root += Data(world.root.certificate).base64EncodedString(options: .lineLength64Characters)
    root += "\n-----END CERTIFICATE-----\n"
    let sample = try AttestedRegistration(provider: fixture.provider, appleRoot: root) {
      $0.registrationToken.map { WireName($0) } == "for C02ABC123"
    }
    #expect(try await fixture.provider.devices.remove(id: "mac-1", tenant: nil))
    var registration = try DeviceRegistration(keys: fixture.device.keys, registrationToken: "for C02ABC123")
    registration.nonce = nonce
    registration.attestation = world.certificates
    let request = try registration.httpRequest(to: "https://idp.example.com/register")
    let device = try await sample.register(request)
    #expect(device.id == "00008103-0001" && device.serialNumber == "C02ABC123" && device.identity == .attested)
    // An answer that was lost: the same registration changes nothing.
    #expect(try await sample.register(request) == device)
    registration.registrationToken = "for another Mac"
    let other = try registration.httpRequest(to: "https://idp.example.com/register")
    await #expect(throws: JOSEError(.registrationRefused, "")) { try await sample.register(other) }
  }

  @Test("The Mac of one sample and the provider of the other understand each other")
  func samplesTogether() async throws {
    let fixture = try Fixture()
    let contexts = try KeyContexts(secret: .random(count: 32))
    let answers = LoginAnswers(keyContexts: contexts)
    let endpoint = LoginEndpoint(provider: fixture.provider, answers: answers)
    let mac = TestMac(
      device: fixture.device, user: LoginRequestTests.user, idTokenKeys: fixture.idTokenKeys,
      send: { request in await endpoint.respond(to: request) })
    let login = try await mac.logIn(password: "correct horse")
    let session = PlatformSSOSession(of: login.response, at: Fixture.now)
    let refreshed = try #require(await mac.refresh(login, in: session))
    #expect(refreshed.uniqueIdentifier == Fixture.user)
    let key = try await fixture.provider.logins.unlockKey(
      of: Fixture.user, on: fixture.store.device(), sealedBy: contexts)
    #expect(try await mac.unlockKey(refreshed).publicKeyX963Representation == key?.x963Representation)
    await #expect(throws: JOSEError(.credentialRejected, "")) { try await mac.logIn(password: "guess") }
  }

  @Test("From an empty store to a Mac that is registered, logged in and refreshed, also after a lost answer")
  func fromNothing() async throws {
    let users = UserDirectory { password, user in
      password == "correct horse" && user == Fixture.user ? .accepted : .wrong
    }
    let (endpoint, keySet) = try makeEndpoint(users: users)
    let keys = try DeviceKeys.generate()
    let posted = try DeviceRegistration(deviceID: "mac-1", keys: keys)
      .httpRequest(to: "https://idp.example.com/register")
    _ = try await endpoint.provider.devices.register(DeviceRegistration(from: posted))
    let device = PlatformSSODevice(configuration: Fixture.configuration, keys: keys)
    let mac = TestMac(
      device: device, user: LoginRequestTests.user, idTokenKeys: keySet,
      send: { request in await endpoint.respond(to: request) })
    let login = try await mac.logIn(password: "correct horse")
    let session = PlatformSSOSession(of: login.response, at: WallClock.system.now)
    // The first answer gets lost; the second refresh has the same token.
    _ = try #require(await mac.refresh(login, in: session))
    let again = try #require(await mac.refresh(login, in: session))
    #expect(again.response.refreshToken != login.response.refreshToken)
    let key = try await mac.unlockKey(again)
    #expect(try await mac.unlockKey(again).publicKeyX963Representation == key.publicKeyX963Representation)
    await #expect(throws: JOSEError(.credentialRejected, "")) { try await mac.logIn(password: "guess") }
  }

  /// Every option of a configuration, every code for a quirk: what the articles list is what there is.
  @Test("name every option that stands for something Apple leaves open")
  func options() throws {
    let text = try article("OpenQuestions.md")
    let device = LoginConfiguration(
      clientID: "", issuer: "", audience: "", tokenEndpointURL: "", jwksEndpointURL: "")
    let names = Mirror(reflecting: device).children.compactMap(\.label)
    for option in [
      "omitsUnsetAPVPrefix", "refreshesAtTokenEndpoint", "namesTokenEndpointInRefreshRequests",
      "refreshRequestVersion", "prefersDeviceClaims",
      "clockSkew",
      "includesAudienceInKeyRequests", "acceptsLoginResponseTypeInKeyResponses", "checksCertificateValidity",
      "acceptsShortCoordinates", "writesCertificateArray", "addsAuthorizationState", "authorizationURLKeypath",
      "previousRefreshTokenClaimName", "includesAuthenticationMethods", "indentsJSON", "keyRequestAudience",
      "requiresIDTokenNonce", "requiresKeyResponseTimes", "acceptedKeyResponseTypes",
      "acceptsLongInitializationVectors", "signsEveryAuthorizationRequest", "authorizationRedirectURI",
    ] {
      let isNamed = [
        "``LoginConfiguration/\(option)``", "`loginConfiguration.\(option)`", "`\(option)` of ``ExtensionSettings``",
      ].contains { text.contains($0) }
      #expect(names.contains(option) && isNamed, "\(option)")
    }
    let provider = Mirror(reflecting: Fixture.providerConfiguration).children.compactMap(\.label)
    for option in [
      "assertionPartyVInfo", "acceptsOpaquePartyVInfo", "optionalRequestClaims", "optionalAssertionClaims",
      "requiresFormFields", "acceptsSignedClaimsInAssertions", "refusesReusedClientNonces",
      "acceptsAnyBase64InKeyExchange", "deviceSignatureAlgorithms", "replacedRefreshTokenGrace", "maximumLifetime",
      "assertionAudiences", "keyRequestAudiences", "deviceClientIDs", "tokenEndpointURLs", "preauthenticationUserNames",
    ] {
      let isNamed = ["``IdentityProviderConfiguration/\(option)``", "`identityProvider.\(option)`"]
        .contains { text.contains($0) }
      #expect(provider.contains(option) && isNamed, "\(option)")
    }
  }
}
