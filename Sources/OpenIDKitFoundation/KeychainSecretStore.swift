#if canImport(Security)
  import Foundation
  import OpenIDKit
  import Security

  /// A document in the keychain: one login's tokens, or what a vendor's apps share in an access group of theirs.
  ///
  /// One generic-password item holds the whole document, so that it is never read half-updated. It is readable after
  /// the first unlock, on this device only, and does not travel in backups or through iCloud.
  ///
  /// The keychain has no compare-and-swap. The version is the item's label, new with each write, and an update or a
  /// deletion matches only the item with the expected label, which the keychain does in one step.
  public struct KeychainSecretStore: SecretStore {
    private let service: String
    private let account: String
    private let accessGroup: String?

    /// A store.
    ///
    /// - Parameters:
    ///   - service: the item's service name.
    ///   - account: the document's: another one for each login, and the issuer for a vendor's pair.
    ///   - accessGroup: the keychain access group with its team prefix, such as `TEAMID.com.example.sso`, if several
    ///     apps, or an app and its extensions, share the document; nil for the app's own.
    public init(service: String, account: String, accessGroup: String? = nil) {
      self.service = service
      self.account = account
      self.accessGroup = accessGroup
    }

    /// The document with its version, or nil if there is none.
    ///
    /// - Throws: ``KeychainError``.
    public func load() throws -> StoredSecret? {
      guard let (document, label) = try item() else { return nil }
      if let label { return StoredSecret(document: document, version: Array(label.utf8)) }
      // An item that something else made has no label. It gets one, so that it can be replaced.
      let newLabel: [String: Any] = [kSecAttrLabel as String: UUID().uuidString]
      guard try Self.isDone(SecItemUpdate(query as CFDictionary, newLabel as CFDictionary)),
        let (document, label) = try item()
      else { return nil }
      return StoredSecret(document: document, version: Array((label ?? "").utf8))
    }

    /// Replaces the document if it has the expected version. The item is updated in place; it is added only if it
    /// doesn't exist.
    ///
    /// - Returns: the new item's label, or nil if another version is stored.
    /// - Throws: ``KeychainError``.
    public func replace(expecting version: [UInt8]?, with document: [UInt8]?) throws -> [UInt8]? {
      let label = UUID().uuidString
      guard try isReplaced(version, by: document, label) else { return nil }
      return Array(label.utf8)
    }

    private func isReplaced(_ version: [UInt8]?, by document: [UInt8]?, _ newLabel: String) throws -> Bool {
      guard let version else { return try isAdded(document, newLabel) }
      guard let label = String(validating: version, as: UTF8.self) else { return false }
      let matching = query.merging([kSecAttrLabel as String: label]) { $1 }
      guard let document else { return try Self.isDone(SecItemDelete(matching as CFDictionary)) }
      return try Self.isDone(SecItemUpdate(matching as CFDictionary, Self.values(document, newLabel) as CFDictionary))
    }

    private func isAdded(_ document: [UInt8]?, _ label: String) throws -> Bool {
      guard let document else { return try item() == nil }
      let status = SecItemAdd(query.merging(Self.values(document, label)) { $1 } as CFDictionary, nil)
      if status == errSecDuplicateItem { return false }
      guard status == errSecSuccess else { throw KeychainError(status: status) }
      return true
    }

    /// The item's content and label.
    private func item() throws -> (document: [UInt8], label: String?)? {
      var query = query
      query[kSecReturnData as String] = true
      query[kSecReturnAttributes as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      // The keychain writes one reference and keeps no pointer.
      let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let item = result as? [String: Any] else { throw KeychainError(status: status) }
      // An item without a content is one that can't be read.
      let document = item[kSecValueData as String] as? Data ?? Data()
      return ([UInt8](document), item[kSecAttrLabel as String] as? String)
    }

    /// Whether an item was there that matched.
    private static func isDone(_ status: OSStatus) throws -> Bool {
      if status == errSecItemNotFound { return false }
      guard status == errSecSuccess else { throw KeychainError(status: status) }
      return true
    }

    private static func values(_ document: [UInt8], _ label: String) -> [String: Any] {
      [
        kSecAttrLabel as String: label, kSecValueData as String: Data(document),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
    }

    private var query: [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account, kSecAttrSynchronizable as String: false,
        kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
      return query
    }
  }

  /// A status of the keychain other than success.
  public struct KeychainError: Error, Sendable, Hashable {
    /// The status, as `SecCopyErrorMessageString` explains it.
    public let status: OSStatus
  }
#endif
