#if canImport(Security)
  import Foundation
  import JOSEFoundation
  import NativeSSOKit
  import Security

  /// A shared store in the keychain, in an access group that all of the vendor's apps have among their entitlements.
  ///
  /// One generic-password item per issuer holds the whole entry, so that it is never read half-updated. It is readable
  /// after the first unlock, on this device only, and does not travel in backups or through iCloud.
  ///
  /// The keychain has no compare-and-swap. The item's generation is its label, and an update matches only the item with
  /// the expected label, which the keychain does in one step.
  public struct KeychainSSOPairStore: SSOPairStore {
    private let service: String
    private let accessGroup: String

    /// A store.
    ///
    /// - Parameters:
    ///   - service: the items' service name, the same in all apps.
    ///   - accessGroup: the keychain access group with its team prefix, such as `TEAMID.com.example.sso`.
    public init(service: String, accessGroup: String) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// The entry of an issuer.
    ///
    /// - Throws: ``KeychainError``, ``NativeSSOKit/NativeSSOError``.
    public func read(issuer: String) throws -> SSOPairEntry {
      var query = query(issuer)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return .empty }
      guard status == errSecSuccess, let data = result as? Data else { throw KeychainError(status: status) }
      return try SSOPairEntry(parsing: [UInt8](data))
    }

    /// Writes if the generation is still this one. The item is updated in place, also one that can't be read; it is
    /// added only if there is none.
    ///
    /// - Throws: ``KeychainError``, ``NativeSSOKit/NativeSSOError``.
    public func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) throws -> Bool {
      let entry: SSOPairEntry
      do {
        entry = try read(issuer: issuer)
      } catch let error as NativeSSOError where error.code == .recordMalformed {
        guard generation == 0 else { return false }
        return try Self.isDone(
          UnreadableKeychainItem.replace(query(issuer), with: Self.values(SSOPairEntry.empty.next(pair))) {
            (try? SSOPairEntry(parsing: [UInt8]($0))) != nil
          })
      }
      guard entry.generation == generation else { return false }
      let values = Self.values(entry.next(pair))
      if generation == 0 {
        let status = SecItemAdd(query(issuer).merging(values) { $1 } as CFDictionary, nil)
        if status == errSecDuplicateItem { return false }
        guard status == errSecSuccess else { throw KeychainError(status: status) }
        return true
      }
      var matching = query(issuer)
      matching[kSecAttrLabel as String] = String(generation)
      return try Self.isDone(SecItemUpdate(matching as CFDictionary, values as CFDictionary))
    }

    /// Whether an item was there that matched.
    private static func isDone(_ status: OSStatus) throws -> Bool {
      if status == errSecItemNotFound { return false }
      guard status == errSecSuccess else { throw KeychainError(status: status) }
      return true
    }

    private static func values(_ entry: SSOPairEntry) -> [String: Any] {
      [
        kSecValueData as String: Data(entry.serialized), kSecAttrLabel as String: String(entry.generation),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
    }

    private func query(_ issuer: String) -> [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: issuer, kSecAttrAccessGroup as String: accessGroup,
        kSecAttrSynchronizable as String: false, kSecUseDataProtectionKeychain as String: true,
      ]
    }
  }

  /// A status of the keychain other than success.
  public struct KeychainError: Error, Sendable, Hashable {
    /// The status, as `SecCopyErrorMessageString` explains it.
    public let status: OSStatus
  }
#endif
