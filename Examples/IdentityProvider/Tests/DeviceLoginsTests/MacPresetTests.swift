import IdentityProvider
import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

@testable import DeviceLogins

/// Macs whose extension is a product's.
@Suite(.timeLimit(.minutes(60))) struct MacPresetTests {
  @Test(arguments: [PlatformSSOPreset.macOS, .macOS13, .entra, .keycloak, .fleet])
  func `Macs of a product's extension register, log in and get keys in its way`(preset: PlatformSSOPreset) async throws
  {
    var settings = MacSettings()
    settings.preset = preset
    let world = try await World(settings)
    let format = settings.registrationFormat
    let base = MacAddresses(issuer: World.issuer).loginConfiguration(settings)
    try await world.test { client in
      var mac = try Mac(world, Visitor(client))
      var configuration = base
      if preset == .keycloak { configuration.includeKeyIdentifiers(of: mac.device.keys) }
      mac.device.configuration = configuration
      let registration = try DeviceRegistration(
        deviceID: "mac-1", keys: mac.device.keys, registrationToken: mac.token)
      let answer = try await mac.visitor.send(
        registration.httpRequest(to: World.issuer + MacAddresses.registration, format: format))
      #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
      let token = try await mac.logIn().response.refreshToken
      let key = try SigningKey.generate(.es256)
      let enrolled = try await mac.visitor.send(
        UserRegistration(userKey: RegisteredKey(signingKey: key.verificationKey), accessToken: token)
          .httpRequest(to: World.issuer + MacAddresses.userRegistration, format: format))
      #expect(enrolled.status == 201)
      let login = try await mac.logIn(.userSecureEnclaveKey(key)).response.refreshToken
      let unlock = try await mac.unlockKey(login)
      let other = P256AgreementPrivateKey()
      _ = try await mac.exchange(login, other.publicKey.x963Representation, unlock.keyContext)
    }
  }

  @Test(arguments: [PlatformSSOPreset.authentik, .twocanoes])
  func `a preset whose registrations carry no proof registers no Mac`(preset: PlatformSSOPreset) async throws {
    var settings = MacSettings()
    settings.preset = preset
    let world = try await World(settings)
    let format = settings.registrationFormat
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      let registration = try DeviceRegistration(
        deviceID: "mac-1", keys: mac.device.keys, registrationToken: mac.token)
      let answer = try await mac.visitor.send(
        registration.httpRequest(
          to: World.issuer + MacAddresses.registration, format: format))
      #expect(answer.status == 403)
    }
  }
}
