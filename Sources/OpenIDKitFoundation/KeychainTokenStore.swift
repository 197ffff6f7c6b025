#if canImport(Security)
  import Foundation
  import JOSEFoundation
  import Security
  import OpenIDKit

  /// One login's record in the keychain.
  ///
  /// One generic-password item holds the whole record, so that it is never read half-updated. It is readable after the
  /// first unlock, on this device only, and does not travel in backups or through iCloud.
  ///
  /// The keychain has no compare-and-swap. The record's version is the item's label, and an update or a deletion
  /// matches only the item with the expected label, which the keychain does in one step.
  public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String
    private let accessGroup: String?

    /// A store.
    ///
    /// - Parameters:
    ///   - service: the item's service name.
    ///   - account: the login's: another one for each.
    ///   - accessGroup: the keychain access group with its team prefix, if an app and its extensions share the login;
    ///     nil for the app's own.
    public init(service: String, account: String, accessGroup: String? = nil) {
      self.service = service
      self.account = account
      self.accessGroup = accessGroup
    }

    /// The record, or nil if there is none.
    ///
    /// - Throws: ``KeychainTokenError``, `TokenRefreshError` with the code `recordMalformed`.
    public func load() throws -> TokenRecord? {
      try data().map { try TokenRecord(parsing: [UInt8]($0)) }
    }

    /// Replaces the record if it has the expected version. The item is updated in place; it is added only if there is
    /// none.
    ///
    /// - Throws: ``KeychainTokenError``.
    public func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) throws -> Bool {
      guard let expected else { return try add(record) }
      var matching = query
      matching[kSecAttrLabel as String] = Self.label(expected)
      guard let record else { return try Self.isDone(SecItemDelete(matching as CFDictionary)) }
      return try Self.isDone(SecItemUpdate(matching as CFDictionary, Self.values(record) as CFDictionary))
    }

    /// Adds an item where there is none; one that can't be read is changed, or removed, in its place.
    private func add(_ record: TokenRecord?) throws -> Bool {
      func isReadable(_ data: Data) -> Bool { (try? TokenRecord(parsing: [UInt8](data))) != nil }
      if let stored = try data() {
        if isReadable(stored) { return false }
        return try Self.isDone(
          UnreadableKeychainItem.replace(query, with: record.map(Self.values), unless: isReadable))
      }
      guard let record else { return true }
      let status = SecItemAdd(query.merging(Self.values(record)) { $1 } as CFDictionary, nil)
      if status == errSecDuplicateItem { return false }
      guard status == errSecSuccess else { throw KeychainTokenError(status: status) }
      return true
    }

    private func data() throws -> Data? {
      var query = query
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = result as? Data else { throw KeychainTokenError(status: status) }
      return data
    }

    /// Whether an item was there that matched.
    private static func isDone(_ status: OSStatus) throws -> Bool {
      if status == errSecItemNotFound { return false }
      guard status == errSecSuccess else { throw KeychainTokenError(status: status) }
      return true
    }

    /// Labels are compared as text; this one is ASCII, whatever the identifier's octets are.
    private static func label(_ version: TokenRecord.Version) -> String {
      "\(version.revision) \(Data(version.loginID.utf8).base64EncodedString())"
    }

    private static func values(_ record: TokenRecord) -> [String: Any] {
      [
        kSecValueData as String: Data(record.serialized()), kSecAttrLabel as String: label(record.version),
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
  public struct KeychainTokenError: Error, Sendable, Hashable {
    /// The status, as `SecCopyErrorMessageString` explains it.
    public let status: OSStatus
  }
#endif
