import DeviceLogins
import Hummingbird
import HummingbirdTesting
import IdentityProvider
import JOSE
import PlatformSSOKit
import PureCrypto
import SQLStores
import Testing

/// Macs in front of the provider, each request over HTTP.
@Suite(.timeLimit(.minutes(60))) struct MacTests {
  @Test func `a Mac is registered, logs in by password and key, refreshes, and uses an unlock key`() async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      #expect(try await mac.register(as: "mac-1").status == 201)
      var login = try await mac.logIn()
      #expect(login.uniqueIdentifier == world.jane.id)
      #expect(login.idToken.claims["preferred_username"] == "jane" && login.idToken.claims["name"] == "Jane Example")
      let key = try SigningKey.generate(.es256)
      #expect(try await mac.enrol(key, login.response.refreshToken).status == 201)
      login = try await mac.logIn(.userSecureEnclaveKey(key))
      let former = login.response.refreshToken
      login = try await mac.refresh(former)
      // What was replaced is good for a minute: an answer may have got lost. Then it is not.
      _ = try await mac.refresh(former)
      world.clock.advance(61)
      await #expect(throws: JOSEError.self) { try await mac.refresh(former) }

      login = try await mac.logIn()
      let unlock = try await mac.unlockKey(login.response.refreshToken)
      let other = P256AgreementPrivateKey()
      let point = other.publicKey.x963Representation
      let exchanged = try await mac.exchange(login.response.refreshToken, point, unlock.keyContext)
      let expected = try other.sharedSecret(
        with: P256AgreementPublicKey(x963Representation: unlock.publicKeyX963Representation))
      #expect(expected.isSame(as: exchanged.key))
      let again = try await mac.unlockKey(login.response.refreshToken)
      #expect(again.publicKeyX963Representation == unlock.publicKeyX963Representation)

      for event in ["device.registered", "device.login", "device.refreshed", "device.user.enrolled", "device.key"] {
        #expect(try await !world.events(event).isEmpty, "\(event)")
      }
      let methods = try await world.events("device.login").map { $0.event.detail?.split(separator: ", ").last ?? "" }
      #expect(methods == ["password", "user key", "password"])
      #expect(try await world.events("device.login").allSatisfy { $0.event.user == world.jane.id })
    }
  }

  @Test func `a registration needs the profile's token, and a taken name or key is refused`() async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      #expect(try await mac.register(as: "mac-1", token: "another").status == 403)
      await #expect(throws: JOSEError.self) { try await mac.logIn() }
      #expect(try await mac.register(as: "mac-1").status == 201)
      let token = try await mac.logIn().response.refreshToken
      // Who has the token could otherwise push another Mac out.
      let thief = try Mac(world, Visitor(client))
      #expect(try await thief.register(as: "mac-1").status == 409)
      _ = try await mac.refresh(token)
      // Nor does a key go to two Macs.
      #expect(try await mac.register(as: "mac-2").status == 409)
      #expect(try await world.events("device.refused").count >= 3)
    }
  }

  @Test func `a Mac that is revoked gets nothing more, and a user who is logged out logs in again`() async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      _ = try await mac.register(as: "mac-1")
      let token = try await mac.logIn().response.refreshToken
      let shown = try #require(try await world.devices.devices(of: world.jane.id).first)
      #expect(shown.kind == "Platform SSO" && shown.isActive && shown.userID == world.jane.id)
      #expect(try await world.devices.devices(of: nil).map(\.id) == [shown.id])
      #expect(try await world.devices.devices(of: world.admin.id).isEmpty)
      // Nobody ends another's login.
      #expect(try await !world.devices.revokeDevice(shown.id, of: world.admin.id))
      #expect(try await world.devices.revokeDevice(shown.id, of: world.jane.id))
      await #expect(throws: JOSEError.self) { try await mac.refresh(token) }
      #expect(try await world.devices.devices(of: world.jane.id).isEmpty)
      let later = try await mac.logIn().response.refreshToken

      #expect(try await world.devices.revokeDevice(shown.id, of: nil))
      #expect(try await !world.devices.revokeDevice(shown.id, of: nil))
      await #expect(throws: JOSEError.self) { try await mac.refresh(later) }
      await #expect(throws: JOSEError.self) { try await mac.logIn() }
    }
  }

  @Test func `a Mac can be attested after its registration, and its tokens and unlock keys stay good`() async throws {
    let world = try await World()
    var settings = MacSettings()
    settings.attestationRoots = TestAttestation.roots
    let later = try await World(after: world, settings)
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      #expect(try await mac.register(as: "mac-1").status == 201)
      let token = try await mac.logIn().response.refreshToken
      let unlock = try await mac.unlockKey(token)
      let claimed = "claimed, key \(try mac.registration(as: "mac-1").signingKey.keyID)"
      #expect(try await world.devices.claimedMacsRemark() == nil)
      try await later.test { client in
        var mac = mac
        mac.visitor = Visitor(client)
        let remark = try #require(try await later.devices.claimedMacsRemark())
        #expect(remark.hasPrefix("1 of 1 Macs "))
        #expect(try await later.identities() == ["Mac mac-1: \(claimed)"])
        #expect(try await later.adminPage(Visitor(client)).contains("<td>\(claimed)</td>"))

        let nonsense = try await mac.attested(as: "mac-1") { _ in [Array("nonsense".utf8)] }
        #expect(try await mac.visitor.send(nonsense).status == 400)
        let refusal = try #require(try await later.events("device.refused").first?.event.detail)
        #expect(refusal.hasPrefix("attestationInvalid"))
        #expect(try await later.identities() == ["Mac mac-1: \(claimed)"])
        _ = try await mac.logIn()

        let request = try await mac.attested(as: "mac-1") { registration in
          try TestAttestation.certificates(
            of: registration.signingKey.x963Representation, nonce: registration.nonce ?? "",
            serialNumber: "C02ABC1DEF23", udid: "00008103-000A11112222001E")
        }
        let attested = "attested, key \(try mac.registration(as: "mac-1").signingKey.keyID)"
        // The second time, as after an answer that got lost.
        for _ in 0..<2 {
          let answer = try await mac.visitor.send(request)
          #expect(answer.status == 201 && answer["device_id"] == "mac-1")
          #expect(try await later.identities() == ["Mac C02ABC1DEF23: \(attested)"])
          #expect(try await later.adminPage(Visitor(client)).contains("<td>\(attested)</td>"))
          #expect(try await later.devices.claimedMacsRemark() == nil)
        }
        let renewed = try await mac.refresh(token).response.refreshToken
        let other = P256AgreementPrivateKey()
        let exchanged = try await mac.exchange(renewed, other.publicKey.x963Representation, unlock.keyContext)
        let expected = try other.sharedSecret(
          with: P256AgreementPublicKey(x963Representation: unlock.publicKeyX963Representation))
        #expect(expected.isSame(as: exchanged.key))
      }
    }
  }

  @Test func `a Mac with a strange name is found by what the list shows`() async throws {
    let world = try await World()
    try await world.test { client in
      for (name, shown) in [("caf\u{E9} \\\u{200B}", #"mac.caf\u{E9} \\\u{200B}"#), ("mac-1", "mac.mac-1")] {
        // As a former version took it: a name that looks like another is refused now.
        let keys = try DeviceKeys.generate()
        let device = RegisteredDevice(
          id: name, signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
          encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
        #expect(try await DeviceRegistry(records: world.provider.database.records).save(device))
        let id = try #require(try await world.devices.deviceID(shownAs: shown))
        #expect(id.utf8.elementsEqual("mac.\(name)".utf8))
        #expect(try await world.devices.revokeDevice(id, of: nil))
        #expect(try await world.devices.deviceID(shownAs: shown) == nil)
      }
      #expect(try await Mac(world, Visitor(client)).register(as: "mac\u{200B}").status == 400)
      // Those that the list cuts off alike.
      for end in ["1", "2"] {
        let name = String(repeating: "a", count: 200) + end
        #expect(try await Mac(world, Visitor(client)).register(as: name).status == 201)
      }
      let shown = ("mac." + String(repeating: "a", count: 200)).visible(asASCII: true)
      #expect(try await world.devices.deviceID(shownAs: shown) == nil)
    }
  }

  @Test func `passwords go through the one check, with its limit and its rows`() async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      _ = try await mac.register(as: "mac-1")
      for _ in 0..<world.provider.settings.loginAttemptsPerMinute {
        do {
          _ = try await mac.logIn(.password("wrong"))
          Issue.record("a wrong password was taken")
        } catch let error as JOSEError {
          #expect(error.code == .credentialRejected)
        }
      }
      #expect(try await world.events("login.failed").count == world.provider.settings.loginAttemptsPerMinute)
      // The right one has to wait as well, and the Mac is not told to ask for another.
      do {
        _ = try await mac.logIn()
        Issue.record("there was no limit")
      } catch let error as JOSEError {
        #expect(error.code != .credentialRejected)
      }
      #expect(try await !world.events("login.blocked").isEmpty)
      world.clock.advance(Double(world.provider.settings.loginBlockDuration) + 61)
      _ = try await mac.logIn()
    }
  }

  @Test func `a password typed at a Mac matches in any Unicode composition and with any kind of space`() async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      #expect(try await mac.register(as: "mac-1").status == 201)
      var change = UserChange()
      change.password = "Cafe\u{301}, dann Wo\u{308}rter"
      try await world.provider.change(world.jane, change)
      _ = try await mac.logIn(.password("Caf\u{E9},\u{A0}dann W\u{F6}rter"))
      await #expect(throws: (any Error).self) { try await mac.logIn(.password("caf\u{E9}, dann W\u{F6}rter")) }
    }
  }

  @Test func `tokens and user keys on Macs are refused for a disabled user and after a new password`() async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      _ = try await mac.register(as: "mac-1")
      let token = try await mac.logIn().response.refreshToken
      let key = try SigningKey.generate(.es256)
      _ = try await mac.enrol(key, token)
      try await world.provider.users.setEnabled(false, of: world.jane.id)
      await #expect(throws: JOSEError.self) { try await mac.refresh(token) }
      await #expect(throws: JOSEError.self) { try await mac.logIn(.userSecureEnclaveKey(key)) }
      // Not 401: asking again for the credential would not help.
      #expect(try await mac.enrol(key, token).status == 400)
      try await world.provider.users.setEnabled(true, of: world.jane.id)
      _ = try await mac.logIn(.userSecureEnclaveKey(key))
      try await world.devices.credentialsDidChange(of: world.jane.id)
      await #expect(throws: JOSEError.self) { try await mac.refresh(token) }
      await #expect(throws: JOSEError.self) { try await mac.logIn(.userSecureEnclaveKey(key)) }
      _ = try await mac.logIn()
    }
  }

  @Test(arguments: ["/admin/users/sign-out", "/admin/users/change"])
  func `an administrator ends a user's logins on Macs, too`(path: String) async throws {
    let world = try await World()
    try await world.test { client in
      let mac = try Mac(world, Visitor(client))
      _ = try await mac.register(as: "mac-1")
      let token = try await mac.logIn().response.refreshToken
      let key = try SigningKey.generate(.es256)
      _ = try await mac.enrol(key, token)
      let browser = Visitor(client)
      _ = try await browser.follow(browser.logIn(browser.get("/login"), "root", World.password))
      let page = try await browser.get("/admin/users")
      #expect(page.status == 200)
      // To replace the account's password is to replace who has it.
      let form = FormFields([
        ("csrf", browser.hidden("csrf", in: page)), ("user", world.jane.id), ("username", "jane"),
        ("email", world.jane.email), ("password", "on"), ("sure", "yes"),
      ])
      let answer = try await browser.post(path, form)
      #expect(answer.status == 200 || answer.status == 303)
      await #expect(throws: JOSEError.self) { try await mac.refresh(token) }
      await #expect(throws: JOSEError.self) { try await mac.logIn(.userSecureEnclaveKey(key)) }
      #expect(try await world.devices.devices(of: world.jane.id).isEmpty)
    }
  }

  @Test func `HEAD asks for the browser's page as GET does`() async throws {
    var settings = MacSettings()
    settings.method = .openID
    let world = try await World(settings)
    try await Application(router: world.provider.router()).test(.router) { client in
      let mac = try Mac(world, Visitor(client), method: .openID)
      _ = try await mac.register(as: "mac-1")
      var asked = try mac.device.preauthenticationRequest(of: mac.user)
      let get = try await mac.visitor.send(asked)
      asked.method = "HEAD"
      let head = try await mac.visitor.send(asked)
      #expect(get.status == 200 && head.status == 200 && head.body.isEmpty)
    }
  }

  @Test func `a user logs in by the Mac's browser, through the provider's own page`() async throws {
    var settings = MacSettings()
    settings.method = .openID
    let world = try await World(settings)
    try await world.test { client in
      let mac = try Mac(world, Visitor(client), method: .openID)
      _ = try await mac.register(as: "mac-1")
      let browser = Visitor(client)
      func request() async throws -> WebAuthorizationRequest {
        let asked = try mac.device.preauthenticationRequest(of: mac.user)
        let answer = try await mac.visitor.send(asked)
        guard let endpoint = try mac.device.preauthentication(from: answer) else {
          throw NoBrowserLogin()
        }
        return try mac.device.webAuthorizationRequest(of: mac.user, at: endpoint)
      }
      var opened = try await request()
      let page = try await browser.follow(browser.send(opened.httpRequest))
      #expect(page.status == 200)
      #expect(String(decoding: page.body, as: UTF8.self).contains("name=\"username\" type=\"text\" value=\"jane\""))
      let wrong = try await browser.logIn(page, "jane", "wrong")
      #expect(wrong.status == 401)
      let end = try await browser.follow(browser.logIn(wrong, "jane", World.password))
      var callback = try AuthorizationCallback(url: try #require(end.location), answering: opened)
      let login = try await mac.logIn(.webAuthorization(callback))
      #expect(login.uniqueIdentifier == world.jane.id)
      await #expect(throws: JOSEError.self) { try await mac.logIn(.webAuthorization(callback)) }

      // Who was logged in before is asked again: the Mac wants to know who sits there now.
      world.clock.advance(10)
      opened = try await request()
      #expect(try await browser.follow(browser.send(opened.httpRequest)).status == 200)
      // The code of one is no other user's.
      opened = try await request()
      let again = try await browser.follow(browser.send(opened.httpRequest))
      let other = try await browser.follow(browser.logIn(again, "root", World.password))
      callback = try AuthorizationCallback(url: try #require(other.location), answering: opened)
      await #expect(throws: JOSEError.self) { try await mac.logIn(.webAuthorization(callback)) }
      #expect(try await browser.get("/psso/continue?login=forged").status == 400)
    }
  }

  private struct NoBrowserLogin: Error {}

  @Test(arguments: ExtensibleSSOProfile.AuthenticationMethod.allCases.filter { $0 != .smartCard })
  func `the profile agrees with the provider and the association file`(
    method: ExtensibleSSOProfile.AuthenticationMethod
  ) async throws {
    var settings = MacSettings()
    settings.method = method
    let world = try await World(settings)
    let profile = try world.profile()
    #expect(profile.authenticationMethod == method && profile["RegistrationToken"]?.text?.isEmpty == false)
    #expect(profile.findings(inConfigurationProfile: true).isEmpty, "\(profile.findings())")
    // A Mac replaces the profile that it has.
    #expect(try world.devices.profileFile == world.devices.profileFile)
    try await world.test { client in
      let mac = try Mac(world, Visitor(client), method: method)
      #expect(profile.findings(for: mac.device.configuration).isEmpty)
      let association = try await mac.visitor.get("/.well-known/apple-app-site-association")
      #expect(
        profile.findings(appSiteAssociation: association, hostApplicationIdentifier: "com.example.mac").isEmpty)
      // Who has the profile may register Macs: administrators alone.
      #expect(try await mac.visitor.get("/devices/profile.mobileconfig").status == 403)
      for (name, status) in [("jane", 403), ("root", 200)] {
        let browser = Visitor(client)
        _ = try await browser.logIn(browser.get("/login"), name, World.password)
        #expect(try await browser.get("/devices/profile.mobileconfig").status == status)
      }
    }
  }
}
