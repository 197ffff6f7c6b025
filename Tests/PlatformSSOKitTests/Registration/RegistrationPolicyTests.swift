import JOSE
import PureCrypto
import Synchronization
import Testing

@testable import PlatformSSOKit

/// Who gets a name, and who gets other keys for one: as a provider's endpoint answers.
@Suite("Registration by a policy")
struct RegistrationPolicyTests {
  private static let url = "https://idp.example.com/register"

  /// A provider with one registered Mac, whose user is logged in and has an unlock key.
  private struct World {
    let fixture: Fixture
    var policy: RegistrationPolicy
    let keys: DeviceKeys
    let mac: RegisteredDevice
    let refreshToken: String
    let unlockKey: [UInt8]
    let contexts: KeyContexts

    init(isAttested: Bool = false) async throws {
      fixture = try Fixture()
      policy = RegistrationPolicy { $0.registrationToken == "token" }
      if isAttested { policy.attestation = try AttestationWorld().policy() }
      keys = try DeviceKeys.generate()
      contexts = try KeyContexts(secret: .random(count: 32))
      let first = try await Self.request(fixture, keys, isAttested: isAttested)
      mac = try await fixture.provider.registerDevice(from: first, by: policy)
      let logins = fixture.provider.logins
      refreshToken = try #require(try await logins.makeRefreshToken(for: "jane", on: mac))
      unlockKey = try #require(try await logins.unlockKey(of: "jane", on: mac, sealedBy: contexts)).x963Representation
    }

    /// A registration under the Mac's name, unless it is changed.
    static func request(
      _ fixture: Fixture, _ keys: DeviceKeys, isAttested: Bool = false,
      _ change: (inout DeviceRegistration, inout AttestationWorld) throws -> Void = { _, _ in }
    ) async throws -> HTTPRequestValue {
      let nonce = try fixture.nonces().serverNonce
      var registration = try DeviceRegistration(
        deviceID: isAttested ? "00008103-0001" : "mac", keys: keys, registrationToken: "token")
      var attested = try AttestationWorld(point: keys.signingKeyX963Representation, nonce: nonce)
      registration.nonce = nonce
      try change(&registration, &attested)
      if isAttested { registration.attestation = attested.certificates }
      return try registration.httpRequest(to: RegistrationPolicyTests.url)
    }

    /// What the endpoint answers; the Mac's name if it is 201.
    func answer(_ request: HTTPRequestValue, _ policy: RegistrationPolicy? = nil) async -> String {
      do throws(JOSEError) {
        return "201 " + (try await fixture.provider.registerDevice(from: request, by: policy ?? self.policy)).id
      } catch {
        return "\(fixture.provider.errorResponse(for: error).status) \(error.code)"
      }
    }

    /// Whether the Mac is registered as it was, and its user has what there was.
    func isUntouched() async throws -> Bool {
      let logins = fixture.provider.logins
      let key = try await logins.unlockKey(of: "jane", on: mac, sealedBy: contexts)
      let (kept, login) = (
        try await fixture.provider.devices.device(id: mac.id, tenant: nil),
        try await logins.login(refreshToken: refreshToken)
      )
      return kept == mac && login?.device == mac && key?.x963Representation == unlockKey
    }
  }

  @Test("The same registration again changes nothing, with and without an attestation", arguments: [false, true])
  func again(isAttested: Bool) async throws {
    let world = try await World(isAttested: isAttested)
    #expect(world.mac.identity == (isAttested ? .attested : .claimed))
    let request = try await World.request(world.fixture, world.keys, isAttested: isAttested)
    for _ in 0..<2 { #expect(await world.answer(request) == "201 \(world.mac.id)") }
    #expect(try await world.isUntouched())
    // Without the token it is no answer that was lost.
    let stranger = try await World.request(world.fixture, world.keys, isAttested: isAttested) { registration, _ in
      registration.registrationToken = "guess"
    }
    #expect(await world.answer(stranger) == "403 registrationRefused")
  }

  @Test("A registered name can't be taken over by other keys, and a key can't get a second name")
  func names() async throws {
    let world = try await World()
    let fixture = world.fixture
    let others = try DeviceKeys.generate()
    #expect(await world.answer(try await World.request(fixture, others)) == "409 deviceConflict")
    // The registered public key, seen in a request, and an encryption key of one's own.
    let seen = try await World.request(fixture, others) { registration, _ in
      registration.signingKey = world.mac.signingKey
    }
    #expect(await world.answer(seen) == "409 deviceConflict")
    let renamed = try await World.request(fixture, world.keys) { registration, _ in registration.deviceID = "another" }
    #expect(await world.answer(renamed) == "409 deviceConflict")
    #expect(try await world.isUntouched())
    #expect(try await fixture.provider.devices.remove(id: "mac", tenant: nil))
    #expect(await world.answer(try await World.request(fixture, others)) == "201 mac")
  }

  @Test(
    "New names with invisible characters or outer spaces are refused, and registered ones stay",
    arguments: [
      ("mac\u{200B}", false), ("m\u{AD}ac", false), ("mac\u{E0061}", false), (" mac", false), ("mac ", false),
      ("mac\u{A0}", false), ("\u{3164}", false), ("Jane's Mac", true), ("J\u{FC}rgen", true),
      ("\u{1F469}\u{200D}\u{1F4BB} Mac", true), ("\u{2764}\u{FE0F}", true), ("\u{645}\u{627}\u{6A9}", true),
    ])
  func visibleNames(_ name: String, _ isTaken: Bool) async throws {
    let world = try await World()
    let devices = world.fixture.provider.devices
    for member in [\DeviceRegistration.deviceID, \.udid, \.serialNumber] {
      let request = try await World.request(world.fixture, .generate()) { registration, _ in
        registration.deviceID = "b"
        registration[keyPath: member] = name
      }
      let answer = await world.answer(request)
      #expect(answer == (isTaken ? "201 \(member == \.deviceID ? name : "b")" : "400 claimInvalid"))
      if isTaken { _ = try await devices.remove(id: member == \.deviceID ? name : "b", tenant: nil) }
    }
    // What was registered before.
    var old = world.mac
    old.id = name
    #expect(try await devices.remove(id: "mac", tenant: nil))
    #expect(try await devices.save(old))
    let again = try await World.request(world.fixture, world.keys) { registration, _ in registration.deviceID = name }
    #expect(await world.answer(again) == "201 \(name)")
    let other = try await World.request(world.fixture, .generate()) { registration, _ in registration.deviceID = name }
    #expect(await world.answer(other) == "409 deviceConflict")
  }

  @Test("A Mac is named by its attestation and not by what it claims")
  func attestedNames() async throws {
    let world = try await World(isAttested: true)
    let fixture = world.fixture
    func answer(
      _ change: (inout DeviceRegistration, inout AttestationWorld) throws -> Void
    ) async throws -> String {
      await world.answer(try await World.request(fixture, .generate(), isAttested: true, change))
    }
    // Another attested Mac that says it is this one, by each of its names.
    let stranger = { (attested: inout AttestationWorld) in
      attested.set("9.1", Array("C02XYZ".utf8))
      attested.set("9.2", Array("00008103-0002".utf8))
    }
    for name in [\DeviceRegistration.deviceID, \.udid, \.serialNumber] {
      let answer = try await answer { registration, attested in
        stranger(&attested)
        (registration.deviceID, registration.udid, registration.serialNumber) = (nil, nil, nil)
        registration[keyPath: name] = name == \.serialNumber ? "C02ABC123" : "00008103-0001"
      }
      #expect(answer.hasPrefix("409 "), "\(answer)")
    }
    #expect(try await world.isUntouched())
    let own = try await answer { registration, attested in
      stranger(&attested)
      registration.deviceID = "my Mac"
    }
    #expect(own == "201 00008103-0002")
    // An answer that was lost, of a Mac that has a name of its own for itself.
    let named = try await World.request(fixture, .generate(), isAttested: true) { registration, attested in
      attested.set("9.1", Array("C02ABD".utf8))
      attested.set("9.2", Array("00008103-0003".utf8))
      registration.deviceID = "my other Mac"
    }
    for _ in 0..<2 { #expect(await world.answer(named) == "201 00008103-0003") }
    // The same Mac, whose keys are lost: what belonged to the former ones is good no more.
    #expect(try await answer { _, _ in } == "201 00008103-0001")
    #expect(try await fixture.provider.logins.login(refreshToken: world.refreshToken) == nil)
  }

  @Test("An attested Mac takes a name over from a Mac that merely claimed it")
  func claimedNames() async throws {
    let fixture = try Fixture()
    let policy = RegistrationPolicy { _ in true }
    let squatter = try DeviceRegistration(deviceID: "00008103-0001", udid: "x", keys: .generate())
    let device = try await fixture.provider.registerDevice(
      from: squatter.httpRequest(to: Self.url), by: policy)
    #expect(device.id == "00008103-0001" && device.identity == .claimed)
    var attested = policy
    attested.attestation = try AttestationWorld().policy()
    let request = try await World.request(fixture, .generate(), isAttested: true)
    let mac = try await fixture.provider.registerDevice(from: request, by: attested)
    #expect(mac.id == "00008103-0001" && mac.identity == .attested)
    #expect(try await fixture.provider.devices.device(signingKeyID: device.signingKey.keyID) == nil)
  }

  @Test("A claimed name locks no attested Mac out, which may also have been registered by its word before")
  func squatters() async throws {
    let fixture = try Fixture()
    let claims = RegistrationPolicy { _ in true }
    var attested = claims
    attested.attestation = try AttestationWorld().policy()
    let squatter = try DeviceRegistration(deviceID: "8A3F", keys: .generate()).httpRequest(to: Self.url)
    let claimed = try await fixture.provider.registerDevice(from: squatter, by: claims)
    let request = try await World.request(fixture, .generate(), isAttested: true) { registration, _ in
      registration.deviceID = "8A3F"
    }
    let mac = try await fixture.provider.registerDevice(from: request, by: attested)
    #expect(mac.id == "00008103-0001" && mac.identity == .attested)
    #expect(try await fixture.provider.devices.device(id: "8A3F", tenant: nil) == claimed)
    // The very key that was registered by its word, with another encryption key.
    let keys = try DeviceKeys.generate()
    let before = try DeviceRegistration(deviceID: "old", keys: keys).httpRequest(to: Self.url)
    _ = try await fixture.provider.registerDevice(from: before, by: claims)
    let other = try DeviceKeys.generate()
    let anew = try await World.request(fixture, keys, isAttested: true) { registration, world in
      world.set("9.2", Array("00008103-0004".utf8))
      registration.deviceID = nil
      registration.encryptionKey = try RegisteredKey(x963Representation: other.encryptionKeyX963Representation)
    }
    let known = try await fixture.provider.registerDevice(from: anew, by: attested)
    #expect(known.id == "old" && known.identity == .attested && known.udid == "00008103-0004")
    #expect(known.encryptionKey.x963Representation == other.encryptionKeyX963Representation)
  }

  @Test("Saving other keys is refused unless the replaced registration is given")
  func saving() async throws {
    let world = try await World(isAttested: true)
    var changed = world.mac
    changed.encryptionKey = try RegisteredKey(x963Representation: DeviceKeys.generate().encryptionKeyX963Representation)
    #expect(try await !world.fixture.provider.devices.save(changed))
    #expect(try await world.isUntouched())
    #expect(try await world.fixture.provider.devices.save(changed, replacing: world.mac))
  }

  @Test("Signing keys are of the algorithms that the provider accepts")
  func algorithms() async throws {
    var fixture = try Fixture()
    let keys = try DeviceKeys(
      signingKey: .generate(.es384), encryptionKey: .generateForKeyAgreement(), signatureAlgorithms: [.es384])
    let registration = DeviceRegistration(
      deviceID: "es384", signingKey: try RegisteredKey(signingKey: keys.signingVerificationKey),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    let request = try registration.httpRequest(to: Self.url)
    let policy = RegistrationPolicy { _ in true }
    await #expect(throws: JOSEError.self) {
      try await fixture.provider.registerDevice(from: request, by: policy)
    }
    fixture.provider.configuration.deviceSignatureAlgorithms = [.es256, .es384]
    #expect(try await fixture.provider.registerDevice(from: request, by: policy).id == "es384")
  }

  @Test("The registered key's signature gives its Mac other keys, once, and no signature else does")
  func proofs() async throws {
    let world = try await World()
    let fixture = world.fixture
    let new = try DeviceKeys.generate()
    let (own, others) = (try #require(world.keys.signingKey), try #require(new.signingKey))
    func request(
      by key: SigningKey, _ change: (inout DeviceRegistration) throws -> Void = { _ in }
    ) async throws -> HTTPRequestValue {
      try await World.request(fixture, new) { registration, _ in
        try registration.sign(with: key, nonce: registration.nonce ?? "")
        try change(&registration)
      }
    }
    let strangers = try await request(by: others)
    #expect(await world.answer(strangers) == "409 deviceConflict")
    let other = try DeviceKeys.generate()
    for change in [
      { $0.encryptionKey = try RegisteredKey(x963Representation: other.encryptionKeyX963Representation) },
      { $0.signingKey = try RegisteredKey(x963Representation: other.signingKeyX963Representation) },
      { $0.nonce = try fixture.nonces().serverNonce }, { $0.nonce = nil }, { $0.keyProof? += "A" },
    ] as [(inout DeviceRegistration) throws -> Void] {
      #expect(await world.answer(try await request(by: own, change)) == "409 deviceConflict")
    }
    // A nonce that the provider never made, signed for.
    let forged = try await World.request(fixture, new) { registration, _ in
      try registration.sign(with: own, nonce: "made up")
    }
    #expect(await world.answer(forged) == "400 serverNonceInvalid")
    #expect(try await world.isUntouched())
    let good = try await request(by: own)
    #expect(await world.answer(good) == "201 mac")
    #expect(try await fixture.provider.logins.login(refreshToken: world.refreshToken) == nil)
    // Lost, and sent again: the keys are there. With the former keys back, the proof is used up.
    #expect(await world.answer(good) == "201 mac")
    let known = try #require(try await fixture.provider.devices.device(id: "mac", tenant: nil))
    #expect(try await fixture.provider.devices.save(world.mac, replacing: known))
    #expect(await world.answer(good) == "400 serverNonceReplayed")
  }

  @Test("An administrator lets a Mac have other keys that lost its own")
  func approval() async throws {
    let world = try await World()
    let asked = Mutex<[String]>([])
    let new = try DeviceKeys.generate()
    var policy = world.policy
    policy.approves = { registration, known in
      asked.withLock { $0.append("\(known.id) \(registration.signingKey.keyID == new.signingKeyID)") }
      return true
    }
    let request = try await World.request(world.fixture, new)
    #expect(await world.answer(request, policy) == "201 mac")
    #expect(asked.withLock { $0 } == ["mac true"])
    // A new name needs none.
    let other = try await World.request(world.fixture, .generate()) { registration, _ in registration.deviceID = "b" }
    #expect(await world.answer(other, policy) == "201 b")
    #expect(asked.withLock { $0 }.count == 1)
  }

  @Test("Of Macs that want one new name at once, one gets it and can log in, and the others are told so")
  func race() async throws {
    let fixture = try Fixture()
    let policy = RegistrationPolicy { _ in true }
    for _ in 0..<15 {
      let requests = try (0..<4).map { _ in
        try DeviceRegistration(deviceID: "new", keys: .generate()).httpRequest(to: Self.url)
      }
      let provider = fixture.provider
      let answers = await withTaskGroup(of: String.self) { group in
        for request in requests {
          group.addTask {
            do throws(JOSEError) {
              return try await provider.registerDevice(from: request, by: policy).signingKey.keyID.description
            } catch {
              return "\(error.code)"
            }
          }
        }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      let device = try #require(try await provider.devices.device(id: "new", tenant: nil))
      #expect(answers.count { $0 == "deviceConflict" } == 3)
      #expect(answers.contains(device.signingKey.keyID.description))
      #expect(try await provider.devices.remove(id: "new", tenant: nil))
    }
  }

  @Test("A format without a name leaves that of the key", arguments: [RegistrationFormat.keycloak, .authentik])
  func nameless(_ format: RegistrationFormat) async throws {
    let provider = try Fixture().provider
    let keys = try DeviceKeys.generate()
    let request = try DeviceRegistration(keys: keys).httpRequest(to: Self.url, format: format)
    let device = try await provider.registerDevice(
      from: request, format: format, by: RegistrationPolicy { _ in true })
    #expect(device.id == keys.signingKeyID.description)
    // The same signing key with another encryption key needs an administrator, as under a name.
    var registration = try DeviceRegistration(keys: keys)
    registration.encryptionKey = try RegisteredKey(
      x963Representation: DeviceKeys.generate().encryptionKeyX963Representation)
    let changed = try registration.httpRequest(to: Self.url, format: format)
    await #expect(throws: JOSEError(.deviceConflict, "", name: "device_id")) {
      try await provider.registerDevice(from: changed, format: format, by: RegistrationPolicy { _ in true })
    }
    let approved = RegistrationPolicy(admits: { _ in true }, approves: { _, known in known == device })
    let anew = try await provider.registerDevice(from: changed, format: format, by: approved)
    #expect(anew.id == device.id && anew.encryptionKey == registration.encryptionKey)
  }

  @Test("Names are bounded, and hold no control character")
  func bounds() async throws {
    for name in [\DeviceRegistration.deviceID, \.udid, \.serialNumber] {
      for (text, isGood) in [
        (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false), ("a\nb", false),
        ("\u{1b}[2J", false), ("a\u{0}", false), ("a\u{202E}b", false), ("a\u{2028}b", false), ("Zoës Mac 👩‍💻", true),
      ] {
        var registration = try DeviceRegistration(keys: .generate())
        registration[keyPath: name] = text
        let request = try registration.httpRequest(to: Self.url)
        #expect(((try? DeviceRegistration(from: request)) != nil) == isGood, "\(text.debugDescription)")
      }
    }
    let user = UserRegistration(
      userKey: try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation),
      deviceID: "a\rb")
    #expect(throws: JOSEError(.claimInvalid, "", name: "device_id")) {
      try UserRegistration(from: user.httpRequest(to: Self.url))
    }
  }

  @Test("A user's key is enrolled where the user is logged in, and on no Mac that the request names besides")
  func userKeys() async throws {
    let fixture = try Fixture()
    let (provider, user) = (fixture.provider, Fixture.user)
    let mac = try await fixture.store.device()
    let other = try await provider.devices.register(DeviceRegistration(deviceID: "other", keys: .generate()))
    let token = try #require(try await provider.logins.makeRefreshToken(for: user, on: mac))
    let key = try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation)
    func enroll(_ device: String?, _ token: String?) async throws -> String {
      let registration = UserRegistration(userKey: key, deviceID: device, accessToken: token)
      let request = try registration.httpRequest(to: Self.url)
      do throws(JOSEError) {
        return try await provider.registerUser(from: request).device.id
      } catch {
        return "\(provider.errorResponse(for: error).status) \(error.code)"
      }
    }
    #expect(try await enroll("other", token) == "409 deviceConflict")
    #expect(try await provider.logins.userKey(of: user, on: other) == nil)
    for wrong in [nil, "", "guess"] { #expect(try await enroll(nil, wrong) == "401 refreshTokenRejected") }
    #expect(try await enroll("mac-1", token) == "mac-1")
    #expect(try await enroll(nil, token) == "mac-1")
    #expect(try await provider.logins.userKey(of: user, on: mac) == key)
    #expect(try await provider.logins.userKey(of: user, on: other) == nil)
    _ = try await provider.logins.makeRefreshToken(for: user, on: mac)
    #expect(try await enroll(nil, token) == "401 refreshTokenRejected")
  }
}
