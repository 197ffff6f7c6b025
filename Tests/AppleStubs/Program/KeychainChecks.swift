import Foundation
import JOSE
import OpenIDKit
import OpenIDKitFoundation
import Security
import IdentityTesting
import Synchronization

/// Documents in the keychain: what a vendor's apps share in an access group, and one app's own.
enum KeychainChecks {
  static let group = "TEAMID.com.example.sso"
  private static let first = Array(#"{"a":1}"#.utf8)
  private static let second = Array(#"{"a":2}"#.utf8)

  static func run(_ check: inout Check) async throws {
    for accessGroup in [nil, group] {
      StubKeychain.device.reset(entitledGroups: [group])
      let findings = await StoreCase.findings(
        SecretStoreCases.all,
        in: StorePlaces<any SecretStore> { name in
          KeychainSecretStore(service: "com.example.app", account: name, accessGroup: accessGroup)
        })
      check.expect(findings.isEmpty, "documents in the keychain keep all rules: \(findings)")
    }
    try accounts(&check)
    try attributes(&check)
    try otherProcesses(&check)
    try itemsOfOthers(&check)
    try itemsFromBefore(&check)
    try failures(&check)
  }

  /// A store on a device that has just been set up.
  private static func emptyStore(group: String? = group) -> KeychainSecretStore {
    StubKeychain.device.reset(entitledGroups: [Self.group])
    return KeychainSecretStore(service: "com.example.sso", account: "https://op.example.com", accessGroup: group)
  }

  private static func item(label: String?) -> [String: Any] {
    var item: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "com.example.sso",
      kSecAttrAccount as String: "https://op.example.com", kSecAttrAccessGroup as String: group,
      kSecAttrSynchronizable as String: false, kSecUseDataProtectionKeychain as String: true,
      kSecValueData as String: Data("{".utf8),
    ]
    item[kSecAttrLabel as String] = label
    return item
  }

  /// Issuers are URLs of ASCII, each with an item of its own.
  private static func accounts(_ check: inout Check) throws {
    for (issuer, twin) in [
      ("https://op.example.com/a/b", "https://op.example.com/a/B"),
      ("https://op.example.com/", "https://op.example.com"),
      ("https://op.example.com:8443", "https://op.example.com:844"),
      ("https://op.example.com/../x", "https://op.example.com/x"),
      ("https://op.example.com/%C3%A9", "https://op.example.com/%c3%a9"),
      ("https://x/'OR'1'='1", "https://x/'OR'1'='2"),
      ("https://op.example.com", "https://OP.example.com"),
      ("https://x/" + String(repeating: "a", count: 4000), "https://x/" + String(repeating: "a", count: 3999)),
    ] {
      StubKeychain.device.reset(entitledGroups: [group])
      let (store, other) = (
        KeychainSecretStore(service: "s", account: issuer), KeychainSecretStore(service: "s", account: twin)
      )
      check.expect(try store.replace(expecting: nil, with: first) != nil, "an issuer has an entry")
      check.expect(try other.load() == nil, "and no other has it")
      check.expect(try other.replace(expecting: nil, with: second) != nil, "another issuer starts anew")
      check.expect(try store.load()?.document == first, "issuers don't share an item")
    }
  }

  /// An item is what the documentation says: one for each document, in the group, readable after the first unlock, on
  /// this device.
  private static func attributes(_ check: inout Check) throws {
    let store = emptyStore()
    for _ in 0..<3 {
      check.expect(
        try store.replace(expecting: store.load()?.version, with: first) != nil, "the writer who has read it writes")
    }
    let items = StubKeychain.device.items
    check.expect(items.count == 1, "a document has one item, whatever was written")
    for item in items {
      check.expect(
        item[kSecAttrAccessible as String] == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String,
        "it stays on this device, and can be read in the background")
      check.expect(item[kSecAttrSynchronizable as String] == "false", "iCloud doesn't get it")
      check.expect(item[kSecAttrAccessGroup as String] == group, "it is in the access group")
    }
  }

  /// Another process writes between this one's read and its write. One of them must lose, and be told.
  private static func otherProcesses(_ check: inout Check) throws {
    for writes in 0..<3 {
      for new in [first, nil] where writes > 0 || new != nil {
        let store = emptyStore()
        for _ in 0..<writes {
          check.expect(try store.replace(expecting: store.load()?.version, with: first) != nil, "written")
        }
        let version = try store.load()?.version
        StubKeychain.device.interrupt(before: writes == 0 ? .add : new == nil ? .delete : .update) {
          _ = try? store.replace(expecting: version, with: second)
        }
        check.expect(
          try store.replace(expecting: version, with: new) == nil, "who comes second after \(writes) is refused")
        check.expect(try store.load()?.document == second, "the first writer's document stays")
      }
    }
  }

  /// An item that something else made has no label: it can be replaced, and of two who do so one does.
  private static func itemsOfOthers(_ check: inout Check) throws {
    for (call, skipped) in [
      (StubKeychain.Call.copyMatching, 0), (.copyMatching, 1), (.update, 0), (.update, 1), (.delete, 0), (.add, 0),
    ] {
      for new in [first, nil] {
        let store = emptyStore()
        check.expect(SecItemAdd(item(label: nil) as CFDictionary, nil) == errSecSuccess, "added")
        let other = Mutex<Bool?>(nil)
        StubKeychain.device.interrupt(before: call, skipping: skipped) {
          other.withLock {
            $0 = (try? store.load()).flatMap { $0 }.flatMap {
              try? store.replace(expecting: $0.version, with: second) != nil
            }
          }
        }
        let found = try store.load()
        let own = try store.replace(expecting: found?.version ?? [], with: new) != nil
        if found?.document == first || found?.document == second {
          // The other process was done before this one read.
          check.expect(own, "what was read is replaced")
        } else if let other = other.withLock({ $0 }) {
          check.expect(other && !own, "of two who replace an item one does: \(call) \(skipped)")
          check.expect(try store.load()?.document == second, "the document of the one who replaced it stays")
        } else {
          check.expect(own, "an item that something else made is replaced")
          check.expect(StubKeychain.device.items.count == (new == nil ? 0 : 1), "in its place")
        }
      }
    }
  }

  /// Items that the versions before wrote have labels that say a generation, or a revision and a login.
  private static func itemsFromBefore(_ check: inout Check) throws {
    for label in ["3", "5 YQ=="] {
      let store = emptyStore()
      check.expect(SecItemAdd(item(label: label) as CFDictionary, nil) == errSecSuccess, "added")
      let found = try store.load()
      check.expect(found?.document == Array("{".utf8), "what was written before is read")
      check.expect(found?.version == Array(label.utf8), "with the label that it has")
      check.expect(try store.replace(expecting: found?.version, with: first) != nil, "and goes on")
      check.expect(try store.replace(expecting: found?.version, with: second) == nil, "under another label")
    }
  }

  private static func failures(_ check: inout Check) throws {
    let store = emptyStore()
    check.expect(try store.replace(expecting: nil, with: first) != nil, "written")
    let version = try store.load()?.version
    StubKeychain.device.setLocked(true)
    expect(&check, errSecInteractionNotAllowed, "a locked keychain is no empty one") { _ = try store.load() }
    for (version, new) in [(version, second), (version, nil), (nil, second), (nil, nil)] {
      expect(&check, errSecInteractionNotAllowed, "a locked keychain isn't written to") {
        _ = try store.replace(expecting: version, with: new)
      }
    }
    StubKeychain.device.setLocked(false)
    check.expect(try store.load()?.document == first, "what was written is there after unlocking")

    let stranger = emptyStore(group: "TEAMID.com.example.another")
    expect(&check, errSecMissingEntitlement, "without the entitlement nothing is read") { _ = try stranger.load() }
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
