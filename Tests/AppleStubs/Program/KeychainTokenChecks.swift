import Foundation
import JOSE
import Security
import IdentityTesting
import Synchronization
import OpenIDKit
import OpenIDKitFoundation

/// A login's record in the keychain.
enum KeychainTokenChecks {
  private static let group = "TEAMID.com.example.app"

  static func run(_ check: inout Check) async throws {
    for accessGroup in [nil, group] {
      StubKeychain.device.reset(entitledGroups: [group])
      let findings = await StoreCase.findings(
        TokenStoreCases.all,
        in: StorePlaces<any TokenStore> { name in
          KeychainTokenStore(service: "com.example.app", account: name, accessGroup: accessGroup)
        })
      check.expect(findings.isEmpty, "tokens in the keychain keep all rules: \(findings)")
    }
    for item in StubKeychain.device.items {
      check.expect(
        item[kSecAttrAccessible as String] == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String,
        "tokens stay on this device, and can be read in the background")
      check.expect(item[kSecAttrSynchronizable as String] == "false", "iCloud doesn't get tokens")
    }
    try damaged(&check)
    try locked(&check)
  }

  private static func record(_ revision: UInt64) throws -> TokenRecord {
    let document =
      #"{"version":1,"loginID":"a","revision":\#(revision),"generation":1,"kind":"refreshable","tokenType":"Bearer","#
      + #""issuedAt":0,"lifetime":3600,"lastFullLogin":0}"#
    return try TokenRecord(parsing: document.utf8)
  }

  private static func damaged(_ check: inout Check) throws {
    StubKeychain.device.reset(entitledGroups: [group])
    let store = KeychainTokenStore(service: "s", account: "a")
    let item: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s", kSecAttrAccount as String: "a",
      kSecAttrSynchronizable as String: false, kSecUseDataProtectionKeychain as String: true,
      kSecValueData as String: Data("{".utf8),
    ]
    check.expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess, "added")
    do {
      _ = try store.load()
      check.expect(false, "a record that can't be read is said to be one")
    } catch {
      check.expect(
        (error as? TokenRefreshError)?.code == .recordMalformed, "a record that can't be read is said to be one")
    }
    check.expect(try !store.replace(record(1).version, with: record(2)), "what can't be read has no version")
    check.expect(try store.replace(nil, with: record(3)), "what can't be read is written over")
    check.expect(try store.load()?.revision == 3, "by the new record")
    check.expect(StubKeychain.device.items.count == 1, "in its place")
    try repairs(&check, item)
    // Another process adds an item between this one's look and its own.
    StubKeychain.device.reset(entitledGroups: [group])
    StubKeychain.device.interrupt(before: .add) { _ = try? store.replace(nil, with: record(7)) }
    check.expect(try !store.replace(nil, with: record(8)), "who comes second is refused")
    check.expect(try store.load()?.revision == 7, "the first record stays")
  }

  /// Another process repairs the item, too, before any of this one's calls: one of them does, and its record stays.
  private static func repairs(_ check: inout Check, _ item: [String: Any]) throws {
    let store = KeychainTokenStore(service: "s", account: "a")
    for (call, skipped) in KeychainChecks.placesOfInterruption {
      for new in [try record(8), nil] {
        StubKeychain.device.reset(entitledGroups: [group])
        _ = SecItemAdd(item as CFDictionary, nil)
        let other = Mutex<Bool?>(nil)
        StubKeychain.device.interrupt(before: call, skipping: skipped) {
          other.withLock { $0 = try? store.replace(nil, with: record(7)) }
        }
        let own = try store.replace(nil, with: new)
        guard let other = other.withLock({ $0 }) else { continue }
        // After a removal there is room for another record.
        check.expect(other && !own, "of two who repair an item one does: \(call) \(skipped)")
        check.expect(try store.load()?.revision == 7, "the record of whoever repaired it stays: \(call) \(skipped)")
      }
    }
  }

  private static func locked(_ check: inout Check) throws {
    StubKeychain.device.reset(entitledGroups: [group])
    let store = KeychainTokenStore(service: "s", account: "a")
    check.expect(try store.replace(nil, with: record(1)), "written")
    StubKeychain.device.setLocked(true)
    for attempt in [
      { _ = try store.load() }, { _ = try store.replace(nil, with: record(2)) },
      { _ = try store.replace(record(1).version, with: nil) },
    ] {
      do {
        try attempt()
        check.expect(false, "a locked keychain is no empty one")
      } catch {
        check.expect(
          (error as? KeychainTokenError)?.status == errSecInteractionNotAllowed, "a locked keychain is no empty one")
      }
    }
    StubKeychain.device.setLocked(false)
    check.expect(try store.load()?.revision == 1, "what was written is there after unlocking")
  }
}
