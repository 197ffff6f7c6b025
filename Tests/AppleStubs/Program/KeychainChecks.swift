import Foundation
import JOSE
import NativeSSOKit
import NativeSSOKitFoundation
import Security
import IdentityTesting
import StrictJSON
import Synchronization

/// The shared store in the keychain.
enum KeychainChecks {
  static let group = "TEAMID.com.example.sso"
  static let issuer = "https://op.example.com"

  static func run(_ check: inout Check) async throws {
    let first = try pair("app-a"), second = try pair("app-b")
    _ = emptyStore()
    let findings = await StoreCase.findings(
      SSOPairStoreCases.all,
      in: StorePlaces<any SSOPairStore> { name in
        KeychainSSOPairStore(service: "com.example." + name, accessGroup: group)
      })
    check.expect(findings.isEmpty, "the store in the keychain keeps all rules: \(findings)")
    try attributes(&check, first)
    try otherProcesses(&check, first, second)
    try repairs(&check, first, second)
    try failures(&check, first)
  }

  /// Before which calls another process may do something: those that a repair makes, and more.
  static let placesOfInterruption: [(StubKeychain.Call, Int)] = [
    (.copyMatching, 0), (.copyMatching, 1), (.update, 0), (.update, 1), (.delete, 0), (.add, 0),
  ]

  /// A store on a device that has just been set up.
  private static func emptyStore(group: String = group) -> KeychainSSOPairStore {
    StubKeychain.device.reset(entitledGroups: [Self.group])
    return KeychainSSOPairStore(service: "com.example.sso", accessGroup: group)
  }

  private static func pair(_ writer: String) throws -> SSOPair {
    let document: JSONObject = [
      "v": 1, "gen": 1, "issuer": .string(issuer), "sub": "jane", "client_id": "app-a", "device_secret": "c2VjcmV0",
      "id_token": "e30.e30.AA", "stored_at": 1_760_000_000, "id_token_exp": 1_760_003_600,
      "id_token_iat": 1_760_000_000,
      "writer": .string(writer),
    ]
    guard let pair = try SSOPairEntry(parsing: document.serialized()).pair else { throw NoPair() }
    return pair
  }

  struct NoPair: Error {}

  /// An item is what the documentation says: one for each issuer, in the group, readable after the first unlock, on
  /// this device.
  private static func attributes(_ check: inout Check, _ pair: SSOPair) throws {
    let store = emptyStore()
    for generation in UInt64(0)..<3 {
      check.expect(
        try store.replace(issuer: issuer, expecting: generation, with: pair), "the writer who read it writes")
    }
    check.expect(try store.replace(issuer: issuer + "/other", expecting: 0, with: pair), "another issuer starts anew")
    let items = StubKeychain.device.items
    check.expect(items.count == 2, "an issuer has one item, whatever was written")
    for item in items {
      check.expect(
        item[kSecAttrAccessible as String] == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String,
        "it stays on this device, and can be read in the background")
      check.expect(item[kSecAttrSynchronizable as String] == "false", "iCloud doesn't get it")
      check.expect(item[kSecAttrAccessGroup as String] == group, "it is in the access group")
    }
    check.expect(items.first?[kSecAttrLabel as String] == "3", "the label is the generation")
  }

  /// Another process writes between this one's read and its write. One of them must lose, and be told.
  private static func otherProcesses(_ check: inout Check, _ first: SSOPair, _ second: SSOPair) throws {
    for generation in UInt64(0)..<3 {
      let store = emptyStore()
      for earlier in 0..<generation {
        check.expect(try store.replace(issuer: issuer, expecting: earlier, with: earlier == 1 ? nil : first), "written")
      }
      StubKeychain.device.interrupt(before: generation == 0 ? .add : .update) {
        _ = try? store.replace(issuer: issuer, expecting: generation, with: second)
      }
      check.expect(
        try !store.replace(issuer: issuer, expecting: generation, with: first),
        "who comes second at generation \(generation) is refused")
      check.expect(try store.read(issuer: issuer).pair?.writer == "app-b", "the first writer's pair stays")
    }
  }

  /// Another process repairs a damaged item, too, before any of this one's calls: one of them does, and its pair stays.
  private static func repairs(_ check: inout Check, _ first: SSOPair, _ second: SSOPair) throws {
    // Items whose content was damaged keep their label, here the one that a repaired item has.
    for label in ["1", nil] {
      for (call, skipped) in placesOfInterruption {
        let store = emptyStore()
        var item: [String: Any] = [
          kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "com.example.sso",
          kSecAttrAccount as String: issuer, kSecAttrAccessGroup as String: group,
          kSecAttrSynchronizable as String: false, kSecUseDataProtectionKeychain as String: true,
          kSecValueData as String: Data("{".utf8),
        ]
        item[kSecAttrLabel as String] = label
        check.expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess, "added")
        let other = Mutex<Bool?>(nil)
        StubKeychain.device.interrupt(before: call, skipping: skipped) {
          other.withLock { $0 = try? store.replace(issuer: issuer, expecting: 0, with: second) }
        }
        let own = try store.replace(issuer: issuer, expecting: 0, with: first)
        let writer = try store.read(issuer: issuer).pair?.writer
        if let other = other.withLock({ $0 }) {
          check.expect(other && !own && writer == "app-b", "of two who repair an item one does: \(call) \(skipped)")
        } else {
          check.expect(own && writer == "app-a", "what can't be read is written over")
        }
        check.expect(try store.replace(issuer: issuer, expecting: 1, with: nil), "what was repaired goes on")
      }
    }
  }

  private static func failures(_ check: inout Check, _ pair: SSOPair) throws {
    let store = emptyStore()
    check.expect(try store.replace(issuer: issuer, expecting: 0, with: pair), "written")
    StubKeychain.device.setLocked(true)
    expect(&check, errSecInteractionNotAllowed, "a locked keychain is no empty one") {
      _ = try store.read(issuer: issuer)
    }
    expect(&check, errSecInteractionNotAllowed, "a locked keychain isn't written to") {
      _ = try store.replace(issuer: issuer, expecting: 1, with: nil)
    }
    StubKeychain.device.setLocked(false)
    check.expect(try store.read(issuer: issuer).pair?.writer == "app-a", "what was written is there after unlocking")

    let stranger = emptyStore(group: "TEAMID.com.example.another")
    expect(&check, errSecMissingEntitlement, "without the entitlement nothing is read") {
      _ = try stranger.read(issuer: issuer)
    }
  }

  /// The body must throw the keychain's status.
  private static func expect(_ check: inout Check, _ status: OSStatus, _ rule: String, body: () throws -> Void) {
    do {
      try body()
      check.expect(false, rule)
    } catch {
      check.expect((error as? KeychainError)?.status == status, "\(rule); it was \(error)")
    }
  }
}
