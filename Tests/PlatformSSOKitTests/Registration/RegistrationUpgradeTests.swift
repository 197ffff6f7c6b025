import JOSE
import PureCrypto
import PureJOSETestSupport
import Testing

@testable import PlatformSSOKit

/// Every registration of a Mac that a provider knows already, or does not: what is answered, and what becomes of the
/// registration that was there.
@Suite("Registrations that meet others")
struct RegistrationUpgradeTests {
  private static let (udid, serial) = ("00008103-000A11112222001E", "C02ABC1DEF23")
  private static let (otherUDID, otherSerial) = ("00008103-000B33334444002E", "C02XYZ9WVU87")

  /// What is registered before.
  enum Before: String, CaseIterable, Sendable {
    case nothing, claimedUDID, claimedSerial, claimedOther, claimedHost, attested, attestedOther

    var name: String {
      switch self {
      case .nothing, .claimedUDID, .attested: RegistrationUpgradeTests.udid
      case .claimedSerial: RegistrationUpgradeTests.serial
      case .claimedOther, .attestedOther: RegistrationUpgradeTests.otherUDID
      case .claimedHost: "janes-mac"
      }
    }
  }

  /// Which keys come: those that are registered, or new ones.
  enum Keys: String, CaseIterable, Sendable { case same, signing, encryption, both }

  /// What comes with them. Apple attests to providers that ask for it alone.
  enum Proof: String, CaseIterable, Sendable {
    case token, signed, approved, attested, attestedOther, nameless, nonsense
  }

  /// Each row has a proof, and its cells the keys in the order of `Keys`: the status, the name that the device got, and
  /// what the registration before is now: kept as it was, raised to an attested one, or ended.
  private static let table: [Before: String] = [
    .nothing: """
    token:         201 udid claimed | 201 udid claimed | 201 udid claimed | 201 udid claimed
    signed:        201 udid claimed | 201 udid claimed | 201 udid claimed | 201 udid claimed
    approved:      201 udid claimed | 201 udid claimed | 201 udid claimed | 201 udid claimed
    attested:      201 udid attested | 201 udid attested | 201 udid attested | 201 udid attested
    attestedOther: 201 other attested | 201 other attested | 201 other attested | 201 other attested
    nameless:      201 udid claimed | 201 udid claimed | 201 udid claimed | 201 udid claimed
    nonsense:      400 | 400 | 400 | 400
    """,
    .claimedUDID: """
    token:         201 udid claimed, kept | 409, kept | 409, kept | 409, kept
    signed:        201 udid claimed, kept | 201 udid claimed, ended | 201 udid claimed, ended | 201 udid claimed, ended
    approved:      201 udid claimed, kept | 201 udid claimed, ended | 201 udid claimed, ended | 201 udid claimed, ended
    attested:      201 udid attested, raised | 201 udid attested, ended | 201 udid attested, ended | 201 udid attested, ended
    attestedOther: 409, kept | 201 other attested, kept | 201 other attested, ended | 201 other attested, kept
    nameless:      201 udid claimed, kept | 409, kept | 409, kept | 409, kept
    nonsense:      400, kept | 400, kept | 400, kept | 400, kept
    """,
    .claimedSerial: """
    token:         201 serial claimed, kept | 409, kept | 409, kept | 409, kept
    signed:        201 serial claimed, kept | 201 serial claimed, ended | 201 serial claimed, ended | 201 serial claimed, ended
    approved:      201 serial claimed, kept | 201 serial claimed, ended | 201 serial claimed, ended | 201 serial claimed, ended
    attested:      201 serial attested, raised | 201 udid attested, ended | 201 serial attested, ended | 201 udid attested, ended
    attestedOther: 409, kept | 201 other attested, kept | 201 other attested, ended | 201 other attested, kept
    nameless:      201 serial claimed, kept | 409, kept | 409, kept | 409, kept
    nonsense:      400, kept | 400, kept | 400, kept | 400, kept
    """,
    .claimedOther: """
    token:         201 other claimed, kept | 409, kept | 409, kept | 409, kept
    signed:        201 other claimed, kept | 201 other claimed, ended | 201 other claimed, ended | 201 other claimed, ended
    approved:      201 other claimed, kept | 201 other claimed, ended | 201 other claimed, ended | 201 other claimed, ended
    attested:      409, kept | 201 udid attested, kept | 201 udid attested, ended | 201 udid attested, kept
    attestedOther: 201 other attested, raised | 201 other attested, ended | 201 other attested, ended | 201 other attested, ended
    nameless:      201 other claimed, kept | 409, kept | 409, kept | 409, kept
    nonsense:      400, kept | 400, kept | 400, kept | 400, kept
    """,
    .claimedHost: """
    token:         201 host claimed, kept | 409, kept | 409, kept | 409, kept
    signed:        201 host claimed, kept | 201 host claimed, ended | 201 host claimed, ended | 201 host claimed, ended
    approved:      201 host claimed, kept | 201 host claimed, ended | 201 host claimed, ended | 201 host claimed, ended
    attested:      201 host attested, raised | 201 udid attested, kept | 201 host attested, ended | 201 udid attested, kept
    attestedOther: 201 host attested, raised | 201 other attested, kept | 201 host attested, ended | 201 other attested, kept
    nameless:      201 host claimed, kept | 409, kept | 409, kept | 409, kept
    nonsense:      400, kept | 400, kept | 400, kept | 400, kept
    """,
    .attested: """
    token:         201 udid attested, kept | 409, kept | 409, kept | 409, kept
    signed:        201 udid attested, kept | 201 udid claimed, ended | 201 udid claimed, ended | 201 udid claimed, ended
    approved:      201 udid attested, kept | 201 udid claimed, ended | 201 udid claimed, ended | 201 udid claimed, ended
    attested:      201 udid attested, kept | 201 udid attested, ended | 201 udid attested, ended | 201 udid attested, ended
    attestedOther: 201 udid attested, kept | 409, kept | 409, kept | 409, kept
    nameless:      201 udid attested, kept | 409, kept | 409, kept | 409, kept
    nonsense:      201 udid attested, kept | 400, kept | 400, kept | 400, kept
    """,
    .attestedOther: """
    token:         201 other attested, kept | 409, kept | 409, kept | 409, kept
    signed:        201 other attested, kept | 201 other claimed, ended | 201 other claimed, ended | 201 other claimed, ended
    approved:      201 other attested, kept | 201 other claimed, ended | 201 other claimed, ended | 201 other claimed, ended
    attested:      201 other attested, kept | 409, kept | 409, kept | 409, kept
    attestedOther: 201 other attested, kept | 201 other attested, ended | 201 other attested, ended | 201 other attested, ended
    nameless:      201 other attested, kept | 409, kept | 409, kept | 409, kept
    nonsense:      201 other attested, kept | 400, kept | 400, kept | 400, kept
    """,
  ]

  private func outcome(_ before: Before, _ keys: Keys, _ proof: Proof) async throws -> String {
    let fixture = try Fixture()
    let provider = fixture.provider
    let first = try DeviceKeys.generate()
    let second = try DeviceKeys.generate()
    let contexts = try KeyContexts(secret: .random(count: 32))
    var known: (device: RegisteredDevice, token: String, unlockKey: [UInt8])?
    if before != .nothing {
      var policy = RegistrationPolicy { _ in true }
      var request = try DeviceRegistration(deviceID: before.name, keys: first)
      if before == .attested || before == .attestedOther {
        policy.attestation = try AttestationWorld().policy()
        try attest(&request, of: before == .attested ? .attested : .attestedOther, fixture)
      }
      let device = try await provider.registerDevice(
        from: request.httpRequest(to: "https://idp.example.com/register"), by: policy)
      #expect(device.id == before.name)
      known = (
        device, try #require(try await provider.logins.makeRefreshToken(for: "jane", on: device)),
        try #require(try await provider.logins.unlockKey(of: "jane", on: device, sealedBy: contexts))
          .x963Representation
      )
    }
    var registration = try DeviceRegistration(deviceID: before.name, keys: first)
    if keys == .signing || keys == .both {
      registration.signingKey = try RegisteredKey(x963Representation: second.signingKeyX963Representation)
    }
    if keys == .encryption || keys == .both {
      registration.encryptionKey = try RegisteredKey(x963Representation: second.encryptionKeyX963Representation)
    }
    var policy = RegistrationPolicy(admits: { _ in true }, approves: { _, _ in proof == .approved })
    switch proof {
    case .token, .approved: break
    case .signed:
      try registration.sign(with: #require(first.signingKey), nonce: fixture.nonces().serverNonce)
    case .attested, .attestedOther, .nameless, .nonsense:
      policy.attestation = try AttestationWorld().policy()
      try attest(&registration, of: proof, fixture)
    }
    let request = try registration.httpRequest(to: "https://idp.example.com/register")
    let answer = await self.answer(provider, request, policy)
    // An answer that was lost.
    if answer.hasPrefix("201") { #expect(await self.answer(provider, request, policy) == answer) }
    guard let known else { return answer }
    let login = try await provider.logins.login(refreshToken: known.token)
    let now = try await provider.devices.device(id: known.device.id, tenant: nil)
    guard let login else { return answer + ", ended" }
    let key = try await provider.logins.unlockKey(of: "jane", on: login.device, sealedBy: contexts)
    #expect(key?.x963Representation == known.unlockKey && login.device.registrationID == known.device.registrationID)
    #expect(login.device.id == known.device.id && login.device == now)
    if login.device == known.device { return answer + ", kept" }
    #expect(login.device.identity == .attested && known.device.identity == .claimed)
    return answer + ", raised"
  }

  private func attest(_ registration: inout DeviceRegistration, of proof: Proof, _ fixture: Fixture) throws {
    let nonce = try fixture.nonces().serverNonce
    registration.nonce = nonce
    var world = try AttestationWorld(point: registration.signingKey.x963Representation, nonce: nonce)
    let isOther = proof == .attestedOther
    world.set("9.1", proof == .nameless ? nil : Array((isOther ? Self.otherSerial : Self.serial).utf8))
    world.set("9.2", proof == .nameless ? nil : Array((isOther ? Self.otherUDID : Self.udid).utf8))
    registration.attestation = proof == .nonsense ? [Array("nonsense".utf8)] : world.certificates
  }

  private func answer(
    _ provider: IdentityProvider, _ request: HTTPRequestValue, _ policy: RegistrationPolicy
  ) async -> String {
    do throws(JOSEError) {
      let device = try await provider.registerDevice(from: request, by: policy)
      // It is found by all that Apple attests.
      let attested = [device.udid, device.serialNumber].compactMap { $0 }
      for name in attested where device.identity == .attested {
        let found = try? await provider.devices.device(id: name, tenant: nil)
        #expect(found == device)
      }
      let names = [Self.udid: "udid", Self.serial: "serial", Self.otherUDID: "other", "janes-mac": "host"]
      return "201 \(names[device.id] ?? device.id) \(device.identity)"
    } catch {
      return "\(provider.errorResponse(for: error).status)"
    }
  }

  @Test(
    "Each combination of former registration, keys and proof has the outcome of the table", arguments: Before.allCases)
  func cells(_ before: Before) async throws {
    let rows = try #require(Self.table[before]).split(separator: "\n")
    #expect(rows.count == Proof.allCases.count)
    for (row, proof) in zip(rows, Proof.allCases) {
      var cells: [String] = []
      for keys in Keys.allCases { cells.append(try await outcome(before, keys, proof)) }
      let name = "\(proof):"
      #expect(row == name + String(repeating: " ", count: 15 - name.count) + cells.joined(separator: " | "))
    }
  }

  // MARK: Records of versions that knew fewer names

  /// A provider whose records a former version wrote: each is found by the provider's name for the device alone.
  private func old(_ devices: [RegisteredDevice]) async throws -> (Fixture, DeviceRegistry) {
    let fixture = try Fixture()
    let registry = fixture.provider.devices
    for entry in try await registry.entries() { #expect(try await registry.remove(id: entry.device.id, tenant: nil)) }
    try await registry.records.remove(DeviceRegistry.indexing, key: DeviceRecord.name("", nil).value)
    for device in devices {
      let record = DeviceRecord.record(device, key: SystemRandom.bytes(count: 16), now: AttestationWorld.now)
      var stored = record
      stored.indexes = [
        DeviceRecord.name(device.id, nil), DeviceRecord.index(nil as String?),
        DeviceRecord.index(device.signingKey.keyID),
      ]
      #expect(try await registry.records.commit([.insert(stored)]) == .done)
    }
    return (fixture, registry)
  }

  private func device(
    _ id: String, udid: String? = nil, serial: String? = nil, isAttested: Bool = false
  ) throws -> RegisteredDevice {
    let keys = try DeviceKeys.generate()
    var device = RegisteredDevice(
      id: id, signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation),
      serialNumber: serial, udid: udid)
    if isAttested { device.identity = .attested }
    return device
  }

  private func attestedRequest(_ fixture: Fixture) throws -> (HTTPRequestValue, RegistrationPolicy) {
    var registration = try DeviceRegistration(deviceID: "janes-mac-2", keys: .generate())
    try attest(&registration, of: .attested, fixture)
    var policy = RegistrationPolicy { _ in true }
    policy.attestation = try AttestationWorld().policy()
    return (try registration.httpRequest(to: "https://idp.example.com/register"), policy)
  }

  @Test("Claims of an attested Mac's names end, a former version's too, and those of others stay")
  func claims() async throws {
    let (fixture, registry) = try await old([
      device("a", udid: Self.udid), device("b", serial: Self.serial), device("c", udid: Self.serial),
      device("d", udid: Self.otherUDID, serial: Self.otherSerial), device("e"), device(Self.serial),
    ])
    // This version's.
    #expect(try await registry.save(device("f", udid: Self.udid)))
    #expect(try await registry.save(device("g", udid: Self.otherUDID)))
    let (request, policy) = try attestedRequest(fixture)
    #expect(await answer(fixture.provider, request, policy) == "201 udid attested")
    #expect(try await registry.entries().map(\.device.id).sorted() == [Self.udid, "d", "e", "g"].sorted())
  }

  @Test("A former version's attested Macs are found by all their names, and nobody else gets one")
  func formerAttestations() async throws {
    let (fixture, registry) = try await old([
      device("host", udid: Self.udid, serial: Self.serial, isAttested: true),
      // Raised under another Mac's name.
      device(Self.udid, udid: Self.otherUDID, serial: Self.otherSerial, isAttested: true),
    ])
    let claims = RegistrationPolicy { _ in true }
    for name in [Self.udid, Self.serial, "host"] {
      let claim = try DeviceRegistration(deviceID: name, keys: .generate())
      let request = try claim.httpRequest(to: "https://idp.example.com/register")
      #expect(await answer(fixture.provider, request, claims) == "409")
    }
    for (claimed, serial) in [(Self.udid, nil), (nil, Self.serial)] as [(String?, String?)] {
      let claim = try DeviceRegistration(deviceID: "x", serialNumber: serial, udid: claimed, keys: .generate())
      let request = try claim.httpRequest(to: "https://idp.example.com/register")
      #expect(await answer(fixture.provider, request, claims) == "409")
    }
    for name in [Self.udid, Self.serial] {
      #expect(try await registry.device(id: name, tenant: nil)?.id == "host")
    }
    #expect(try await registry.entries().map(\.device.id) == ["host"])
    // The names stay while keys rotate.
    let mac = try #require(try await registry.device(id: Self.serial, tenant: nil))
    let key = try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation)
    let rotating = try await registry.beginRotation(of: mac, signingKey: key)
    _ = try await registry.completeRotation(of: rotating)
    #expect(try await registry.device(id: Self.udid, tenant: nil)?.signingKey == key)
  }

  @Test("A tenant's names are its own")
  func tenants() async throws {
    let registry = try Fixture().provider.devices
    for tenant in ["a", "b"] {
      var device = try device("h", udid: Self.udid, isAttested: true)
      device.tenant = tenant
      #expect(try await registry.save(device))
    }
    for tenant in ["a", "b"] { #expect(try await registry.device(id: Self.udid, tenant: tenant)?.tenant == tenant) }
    #expect(try await registry.device(id: Self.udid, tenant: nil) == nil)
  }

  @Test("An attested Mac keeps its names, whatever others claim in whatever order", arguments: 0..<UInt64(40))
  func walk(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try Fixture()
    let provider = fixture.provider
    let claims = RegistrationPolicy { _ in true }
    var attests = claims
    attests.attestation = try AttestationWorld().policy()
    let names = [Self.udid, Self.serial, Self.otherUDID, Self.otherSerial, "host", nil]
    var keys: [DeviceKeys] = try (0..<3).map { _ in try .generate() }
    var mine: [UInt8]?
    for _ in 0..<40 {
      let isMine = Bool.random(using: &random)
      // The first keys are the Mac's, the others a stranger's, or new ones.
      let place = isMine ? 0 : Int.random(in: 1...2, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 { keys[place] = try .generate() }
      var registration = try DeviceRegistration(
        deviceID: isMine ? "host-1" : names.randomElement(using: &random) ?? nil,
        serialNumber: isMine ? nil : names.randomElement(using: &random) ?? nil,
        udid: isMine ? nil : names.randomElement(using: &random) ?? nil, keys: keys[place])
      if Int.random(in: 0..<4, using: &random) == 0 {
        registration.encryptionKey = try RegisteredKey(
          x963Representation: DeviceKeys.generate().encryptionKeyX963Representation)
      }
      let isAttested = Bool.random(using: &random)
      if isAttested {
        let proofs: [Proof] = isMine ? [.attested] : [.attestedOther, .nameless]
        try attest(&registration, of: proofs.randomElement(using: &random) ?? .attested, fixture)
      }
      let answer = await self.answer(
        provider, try registration.httpRequest(to: "https://idp.example.com/register"), isAttested ? attests : claims)
      if isMine, isAttested {
        #expect(answer.hasPrefix("201") && answer.hasSuffix("attested"), "\(answer)")
        mine = registration.signingKey.x963Representation
      }
      guard let mine else { continue }
      for name in [Self.udid, Self.serial] {
        let holder = try await provider.devices.device(id: name, tenant: nil)
        #expect(holder?.signingKey.x963Representation == mine && holder?.identity == .attested, "\(name)")
      }
      for device in try await provider.devices.entries().map(\.device) where device.identity == .attested {
        let names = [device.id, device.udid ?? "", device.serialNumber ?? ""]
        let isNamed = names.contains(Self.udid) || names.contains(Self.serial)
        #expect(!isNamed || device.signingKey.x963Representation == mine)
      }
    }
  }
}
