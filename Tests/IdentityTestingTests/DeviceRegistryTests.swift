import IdentityTesting
import JOSE
import PlatformSSOKit
import StrictJSON
import Testing

/// What an `IdentityProvider` relies on where its devices are registered.
@Suite struct DeviceRegistryTests {
  @Test(arguments: DeviceRegistryCases.all) func rules(rule: StoreCase<DeviceRegistry>) async throws {
    #expect(try await rule.holds(in: StorePlaces { DeviceRegistry(records: MemoryRecordStore()) }))
  }

  @Test(arguments: DeviceRegistryCases.damaged) func damage(rule: StoreCase<DeviceRegistry>) async throws {
    let kept = Kept { MemoryRecordStore() }
    let places = StorePlaces<DeviceRegistry> {
      DeviceRegistry(records: kept.store($0))
    } rewriting: { name, change in
      let records = kept.store(name)
      for tenant in [[], Array("=".utf8)] {
        for var record in await records.records(
          StoredRecord.Kind(library: "device"), where: StoredRecord.Index("tenant", tenant), limit: 100)
        {
          record.document = change(record.document)
          let outcome = try await records.commit([.replace(record)])
          #expect(outcome == .done)
        }
      }
    }
    #expect(try await rule.holds(in: places))
  }

  /// The rules see what a registry gets wrong whose records lie, lose or forget.
  @Test(
    arguments: [
      .keepsDocuments, .neverRemoves, .keepsOldIndexes, .manyRecordsForOneUnique, .neverFreesUnique,
      .findsTheRemoved,
    ] as [FaultyRecordStore.Defect])
  func faults(defect: FaultyRecordStore.Defect) async {
    let places = StorePlaces<DeviceRegistry> { DeviceRegistry(records: FaultyRecordStore(defect)) }
    let findings = await StoreCase.findings(DeviceRegistryCases.all, in: places)
    #expect(!findings.isEmpty, "\(defect)")
  }

  @Test func `a registration keeps its identifier until the device is registered anew`() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore(), clock: .fixed(at: NumericDate(7)))
    let device = try DeviceRegistryCases.device("1")
    #expect(try await registry.save(device))
    let first = try #require(try await registry.device(id: "1", tenant: nil))
    #expect(first.registrationID?.utf8.count == 22)
    #expect(try await registry.save(device))
    #expect(try await registry.device(id: "1", tenant: nil) == first)
    let rotating = try await registry.beginRotation(
      of: first, signingKey: DeviceRegistryCases.device("2").signingKey)
    let rotated = try await registry.completeRotation(of: rotating)
    #expect(rotated.registrationID == first.registrationID && rotated.signingKey != first.signingKey)
    let entries = try await registry.entries()
    #expect(entries.map(\.device) == [rotated] && entries.map(\.registeredAt) == [NumericDate(7)])
    #expect(try await registry.save(device, replacing: rotated))
    #expect(try await registry.device(id: "1", tenant: nil)?.registrationID != first.registrationID)
  }
}

enum DeviceRegistryCases {
  /// All rules.
  static let all = lookups + keys + tenants + changes + removal + texts + concurrency

  /// Whatever devices and tenants are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<DeviceRegistry>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) names a device and a tenant, and no others") { place in
      let twin = AwkwardText.twin(of: text)
      let devices = try [(text, text), (twin, text), (text, twin)].map { id, tenant in
        var device = try device(id, tenant: tenant)
        (device.serialNumber, device.udid) = (text, text)
        return device
      }
      for device in devices {
        guard try await place.open().save(device) else { return false }
      }
      let registry = try await place.open()
      guard try await registry.remove(id: text, tenant: text) else { return false }
      return try await allHold(
        registry.device(id: text, tenant: text) == nil, holds(devices[1], in: registry),
        holds(devices[2], in: registry))
    }
  }

  private static let lookups: [StoreCase<DeviceRegistry>] = [
    StoreCase("an empty registry has no device, and nothing to remove") { place in
      let (registry, device) = (try await place.open(), try device("1"))
      let isFound = try await registry.device(signingKeyID: device.signingKey.keyID) != nil
      return try await allHold(
        !isFound, registry.device(id: "1", tenant: nil) == nil, !registry.remove(id: "1", tenant: nil))
    },
    StoreCase("a device is found by its name and by its signing keys, with every member") { place in
      let (registry, device) = (try await place.open(), try full("1"))
      return try await allHold(registry.save(device), holds(device, in: registry))
    },
    StoreCase("a device with nothing but what it must have is read as it was kept") { place in
      let (registry, device) = (try await place.open(), try device("1"))
      return try await allHold(registry.save(device), holds(device, in: registry))
    },
    StoreCase("signing keys of other algorithms are kept, and find their device") { place in
      let registry = try await place.open()
      for algorithm in [SignatureAlgorithm.es384, .ed25519] {
        var device = try device("device of \(algorithm.name)")
        device.signingKey = try RegisteredKey(signingKey: SigningKey.generate(algorithm).verificationKey)
        guard try await registry.save(device), try await holds(device, in: place.open()) else { return false }
      }
      return true
    },
    StoreCase("what was kept is there when the registry is opened again") { place in
      let device = try full("1")
      _ = try await place.open().save(device)
      return try await holds(device, in: place.open())
    },
    StoreCase("a key for encryption finds no device") { place in
      let (registry, device) = (try await place.open(), try full("1"))
      _ = try await registry.save(device)
      for key in [device.encryptionKey, device.otherEncryptionKey] {
        if let key, try await registry.device(signingKeyID: key.keyID) != nil { return false }
      }
      return true
    },
  ]

  private static let keys: [StoreCase<DeviceRegistry>] =
    [(false, false), (true, false), (false, true), (true, true)].map { isOther, isOtherOfKnown in
      let (new, known) = (isOther ? "other" : "present", isOtherOfKnown ? "other" : "present")
      return StoreCase("a device whose \(new) signing key is another's \(known) one is refused, and nothing is changed")
      {
        place in
        let (registry, first) = (try await place.open(), try full("1"))
        _ = try await registry.save(first)
        var second = try device("2", tenant: "another")
        let honest = second
        _ = try await registry.save(honest)
        let taken = isOtherOfKnown ? first.otherSigningKey ?? first.signingKey : first.signingKey
        if isOther { second.otherSigningKey = taken } else { second.signingKey = taken }
        let isSaved = try await registry.save(second, replacing: honest)
        let isReplaced = try await registry.replace(honest, by: second)
        second.id = "3"
        let isAdded = try await registry.save(second)
        return try await allHold(
          !isSaved, !isReplaced, !isAdded, holds(first, in: place.open()), holds(honest, in: place.open()),
          registry.device(id: "3", tenant: "another") == nil)
      }
    }

  private static let tenants: [StoreCase<DeviceRegistry>] = [
    StoreCase("tenants have devices of one name, each its own; and who has no tenant is none of them") { place in
      let registry = try await place.open()
      let devices = [try device("1"), try device("1", tenant: ""), try device("1", tenant: "a")]
      for device in devices {
        guard try await registry.save(device) else { return false }
      }
      for device in devices {
        guard try await holds(device, in: place.open()) else { return false }
      }
      return try await registry.device(id: "1", tenant: "b") == nil
    },
    StoreCase("a tenant does not remove another's device") { place in
      let (registry, device) = (try await place.open(), try device("1", tenant: "a"))
      _ = try await registry.save(device)
      for tenant in [nil, "", "A", "b"] {
        guard try await !registry.remove(id: "1", tenant: tenant) else { return false }
      }
      return try await holds(device, in: registry)
    },
  ]

  private static let changes: [StoreCase<DeviceRegistry>] = [
    StoreCase("a name keeps its keys for whoever doesn't know the device, and a device that is there stays as it is") {
      place in
      let (registry, known) = (try await place.open(), try full("1"))
      _ = try await registry.save(known)
      let kept = try await registry.device(id: "1", tenant: nil)
      var guess = known
      guess.serialNumber = nil
      let stranger = try device("1")
      guard try await !registry.save(stranger), try await !registry.save(stranger, replacing: guess),
        try await !registry.save(stranger, replacing: stranger), try await registry.save(known)
      else { return false }
      return try await allHold(registry.device(id: "1", tenant: nil) == kept, holds(known, in: place.open()))
    },
    StoreCase("a device that is kept anew takes its own place, and its former keys are nobody's") { place in
      let (registry, former, anew) = (try await place.open(), try full("1", tenant: "a"), try device("1", tenant: "a"))
      _ = try await registry.save(former)
      let isSaved = try await registry.save(anew, replacing: former)
      for keyID in signingKeyIDs(former) where try await place.open().device(signingKeyID: keyID) != nil {
        return false
      }
      return try await allHold(isSaved, holds(anew, in: place.open()))
    },
    StoreCase("a key that a device has given up is free for another") { place in
      let (registry, former) = (try await place.open(), try device("1"))
      _ = try await registry.save(former)
      _ = try await registry.save(device("1"), replacing: former)
      var second = try device("2")
      second.signingKey = former.signingKey
      return try await allHold(registry.save(second), holds(second, in: registry))
    },
    StoreCase("a device is kept again with its own keys, in either place") { place in
      let registry = try await place.open()
      var device = try full("1")
      _ = try await registry.save(device)
      for _ in 0..<2 {
        let known = device
        device.signingKey = known.otherSigningKey ?? known.signingKey
        device.otherSigningKey = known.signingKey
        (device.encryptionKey, device.otherEncryptionKey) = (try key(), nil)
        guard try await registry.save(device, replacing: known), try await holds(device, in: place.open()) else {
          return false
        }
      }
      return true
    },
    StoreCase("what is known of a device is replaced, with every member") { place in
      let (registry, known, new) = (try await place.open(), try device("1"), try full("1"))
      _ = try await registry.save(known)
      let isReplaced = try await registry.replace(known, by: new)
      let former = try await place.open().device(signingKeyID: known.signingKey.keyID)
      return try await allHold(isReplaced, former == nil, holds(new, in: place.open()))
    },
    StoreCase("only who knows a device as it is replaces it, and a refusal changes nothing") { place in
      let (registry, device) = (try await place.open(), try full("1"))
      _ = try await registry.save(device)
      var guesses = Array(repeating: device, count: 6)
      guesses[0].otherSigningKey = nil
      guesses[1].encryptionKey = device.signingKey
      guesses[2].otherEncryptionKey = nil
      guesses[3].serialNumber = nil
      guesses[4].attestation.removeLast()
      guesses[5].signingKey = try Self.device("1").signingKey
      for guess in guesses {
        guard try await !registry.replace(guess, by: Self.device("1")) else { return false }
      }
      return try await holds(device, in: place.open())
    },
    StoreCase("a device that is not there is not replaced, and a device by no other") { place in
      let (registry, known) = (try await place.open(), try device("1", tenant: "a"))
      let isAdded = try await registry.replace(known, by: known)
      let isThere = try await registry.device(id: "1", tenant: "a") != nil
      _ = try await registry.save(known)
      for (id, tenant) in [("2", "a"), ("1", "b"), ("1", nil)] {
        let stranger = try device(id, tenant: tenant)
        guard try await !registry.replace(known, by: stranger),
          try await registry.device(id: id, tenant: tenant) == nil
        else { return false }
      }
      return try await allHold(!isAdded, !isThere, holds(known, in: registry))
    },
  ]

  private static let removal: [StoreCase<DeviceRegistry>] = [
    StoreCase("a device that was removed is found no more, and removed once") { place in
      let (registry, device) = (try await place.open(), try full("1"))
      _ = try await registry.save(device)
      guard try await registry.remove(id: "1", tenant: nil), try await !registry.remove(id: "1", tenant: nil) else {
        return false
      }
      for keyID in signingKeyIDs(device) where try await place.open().device(signingKeyID: keyID) != nil {
        return false
      }
      return try await allHold(
        place.open().device(id: "1", tenant: nil) == nil, !registry.replace(device, by: device))
    },
    StoreCase("a removed device's name and keys are free") { place in
      let registry = try await place.open()
      var device = try full("1")
      _ = try await registry.save(device)
      _ = try await registry.remove(id: "1", tenant: nil)
      device.id = "2"
      guard try await registry.save(device), try await registry.save(Self.device("1")) else { return false }
      return try await holds(device, in: place.open())
    },
  ]

  private static let concurrency: [StoreCase<DeviceRegistry>] = [
    StoreCase("of simultaneous registrations with one key one device has it") { place in
      let key = try device("1").signingKey
      let saved = try await place.successes { store, number in
        var device = try device("\(number)")
        device.signingKey = key
        return try await store.save(device)
      }
      var found = 0
      for number in 0..<32 where try await place.open().device(id: "\(number)", tenant: nil) != nil { found += 1 }
      return try await allHold(saved == 1, found == 1, place.open().device(signingKeyID: key.keyID) != nil)
    },
    StoreCase("of simultaneous registrations under one new name one is kept, and the others are told so") { place in
      let devices = try (0..<32).map { _ in try device("1") }
      let saved = try await place.successes { store, number in try await store.save(devices[number]) }
      let registry = try await place.open()
      var good: [RegisteredDevice] = []
      for device in devices {
        if let found = try await registry.device(signingKeyID: device.signingKey.keyID) { good.append(found) }
      }
      guard saved == 1, good.count == 1 else { return false }
      return try await holds(good[0], in: registry)
    },
    StoreCase("devices that are registered at once are all there") { place in
      let devices = try (0..<32).map { try full("\($0)", tenant: "\($0 % 3)") }
      let saved = try await place.successes { store, number in try await store.save(devices[number]) }
      for device in devices {
        guard try await holds(device, in: place.open()) else { return false }
      }
      return saved == 32
    },
    StoreCase("of simultaneous replacements by who knows a device one wins, and the device is that one's") { place in
      let known = try device("1")
      _ = try await place.open().save(known)
      let new = try (0..<32).map { _ in try full("1") }
      let replaced = try await place.successes { store, number in try await store.replace(known, by: new[number]) }
      guard let stored = try await place.open().device(id: "1", tenant: nil) else { return false }
      let isOne = new.contains { (try? octets($0)) == (try? octets(stored)) }
      return try await allHold(replaced == 1, isOne, holds(stored, in: place.open()))
    },
    StoreCase("a rotation that meets a new registration brings no former key back") { place in
      for _ in 0..<8 {
        let former = try device("1")
        _ = try await place.open().remove(id: "1", tenant: nil)
        _ = try await place.open().save(former)
        let anew = try device("1")
        var rotating = former
        rotating.otherSigningKey = try device("1").signingKey
        let done = try await place.successes { [rotating] store, number in
          guard number == 0 else { return try await store.replace(former, by: rotating) }
          return try await store.save(anew, replacing: former)
        }
        let registry = try await place.open()
        if done == 1, try await registry.device(id: "1", tenant: nil)?.otherSigningKey != nil {
          guard try await !registry.save(anew, replacing: former), try await registry.save(anew, replacing: rotating)
          else { return false }
        }
        for keyID in signingKeyIDs(rotating) where try await registry.device(signingKeyID: keyID) != nil {
          return false
        }
        guard try await holds(anew, in: registry) else { return false }
      }
      return true
    },
    StoreCase("a rotation doesn't go on with a registration anew, with the same keys too") { place in
      let registry = try await place.open()
      _ = try await registry.save(device("1"))
      guard let former = try await registry.device(id: "1", tenant: nil),
        try await registry.remove(id: "1", tenant: nil), try await registry.save(former)
      else { return false }
      var rotating = former
      rotating.otherSigningKey = try device("1").signingKey
      return try await !registry.replace(former, by: rotating)
    },
    StoreCase("a change that is cut off leaves the old device or the new one") { place in
      var stored = try device("1")
      _ = try await place.open().save(stored)
      for _ in 0..<16 {
        let (old, new) = (stored, try device("1"))
        let outcome = try await place.cancelled { try await $0.replace(old, by: new) }
        guard let found = try await place.open().device(id: "1", tenant: nil) else { return false }
        let isNew = try octets(found) == octets(new)
        guard try isNew || octets(found) == octets(old), outcome.map({ $0 == isNew }) ?? true,
          try await place.open().device(signingKeyID: (isNew ? old : new).signingKey.keyID) == nil
        else { return false }
        stored = found
      }
      return try await holds(stored, in: place.open())
    },
    StoreCase("registries at different places don't share devices") { place in
      let device = try device("1")
      _ = try await place.open().save(device)
      let other = try await place.other.open()
      let isFound = try await other.device(signingKeyID: device.signingKey.keyID) != nil
      return try await allHold(!isFound, other.device(id: "1", tenant: nil) == nil)
    },
  ]

  private static func key() throws -> RegisteredKey {
    try RegisteredKey(signingKey: SigningKey.generate(.es256).verificationKey)
  }

  /// What becomes of a device whose record can't be read. Devices have no versions.
  static let damaged: [StoreCase<DeviceRegistry>] = DocumentDamage.ofAnyForm.map { damage in
    StoreCase("\(damage.name) is no device and not nothing; it keeps its name until it is removed, and others stay") {
      place in
      do {
        let (damaged, sound) = (try device("damaged"), try device("sound"))
        for device in [damaged, sound] { _ = try await place.open().save(device) }
        try await place.rewrite(damage.to(documentWith: "damaged"))
        let registry = try await place.open()
        var isRead = true
        do { _ = try await registry.device(id: "damaged", tenant: nil) } catch { isRead = false }
        let found = try? await registry.device(signingKeyID: damaged.signingKey.keyID)
        guard !isRead, found == nil, try await holds(sound, in: registry) else { return false }
        let anew = try device("damaged")
        guard (try? await registry.save(anew)) == nil, try await registry.remove(id: "damaged", tenant: nil),
          try await registry.save(anew), try await holds(anew, in: place.open()),
          try await holds(sound, in: place.open()),
          try await place.open().device(signingKeyID: damaged.signingKey.keyID) == nil
        else { return false }
      }
      return true
    }
  }

  static func device(_ id: String, tenant: String? = nil) throws -> RegisteredDevice {
    RegisteredDevice(id: id, signingKey: try key(), encryptionKey: try key(), tenant: tenant)
  }

  /// A device with every member.
  private static func full(_ id: String, tenant: String? = nil) throws -> RegisteredDevice {
    RegisteredDevice(
      id: id, signingKey: try key(), encryptionKey: try key(), otherSigningKey: try key(),
      otherEncryptionKey: try key(), attestation: [Array(0...255), [0x30, 0]], serialNumber: "C02'\"\\ABC",
      udid: "\u{1F600}", tenant: tenant)
  }

  private static func signingKeyIDs(_ device: RegisteredDevice) -> [KeyIdentifier] {
    [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? [])
  }

  /// Whether a registry finds this very device, by its name and by each of its signing keys.
  static func holds(_ device: RegisteredDevice, in registry: DeviceRegistry) async throws -> Bool {
    let expected = try octets(device)
    var found = [try await registry.device(id: device.id, tenant: device.tenant)]
    for keyID in signingKeyIDs(device) { found.append(try await registry.device(signingKeyID: keyID)) }
    return try found.allSatisfy { try $0.map(octets) == expected }
  }

  /// Swift's == takes texts for the same that differ by their octets.
  private static func octets(_ device: RegisteredDevice) throws -> [UInt8] {
    var device = device
    device.registrationID = nil
    return try StrictJSONEncoder().encode(device)
  }
}
