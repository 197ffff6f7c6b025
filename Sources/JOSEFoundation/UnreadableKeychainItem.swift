#if canImport(Security)
  import Foundation
  import Security

  /// A keychain item whose content can't be read, and whose place something else takes, unless another process has
  /// repaired it meanwhile.
  ///
  /// The keychain has no compare-and-swap, and can't search for a content. So the item is first given a mark that is
  /// this writer's own; then it is looked at again; then the item with this mark is changed. Whoever repairs it at the
  /// same time gives it another mark, so that of two the last one alone still finds its own. A mark on an item that can
  /// be read by now does no harm.
  package enum UnreadableKeychainItem {
    /// Replaces the item's attributes, or removes it.
    ///
    /// - Parameters:
    ///   - query: finds this item and no other.
    ///   - values: the new attributes; nil to remove the item.
    ///   - isReadable: whether a content can be read.
    /// - Returns: `errSecItemNotFound`, with nothing but the mark changed, if there is nothing unreadable any more.
    package static func replace(
      _ query: [String: Any], with values: [String: Any]?, unless isReadable: (Data) -> Bool
    ) -> OSStatus {
      let mark = Data(UUID().uuidString.utf8)
      let status = SecItemUpdate(query as CFDictionary, [kSecAttrGeneric as String: mark] as CFDictionary)
      guard status == errSecSuccess else { return status }
      let marked = query.merging([kSecAttrGeneric as String: mark]) { $1 }
      var looking = marked
      looking[kSecReturnData as String] = true
      looking[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      let found = SecItemCopyMatching(looking as CFDictionary, &result)
      guard found == errSecSuccess, let data = result as? Data else { return found }
      if isReadable(data) { return errSecItemNotFound }
      guard let values else { return SecItemDelete(marked as CFDictionary) }
      return SecItemUpdate(marked as CFDictionary, values as CFDictionary)
    }
  }
#endif
