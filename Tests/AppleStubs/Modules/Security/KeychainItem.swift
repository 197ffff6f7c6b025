// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A value in a dictionary of the keychain's.
enum KeychainValue: Hashable, Sendable, CustomStringConvertible {
  case text(String)
  case flag(Bool)
  case data(Data)

  /// Nil if an attribute can't have such a value.
  init?(_ value: Any, of name: String) {
    switch name {
    case kSecValueData.name, kSecAttrGeneric.name:
      guard let data = value as? Data else { return nil }
      self = .data(data)
    case kSecReturnData.name, kSecReturnAttributes.name, kSecUseDataProtectionKeychain.name,
      kSecAttrSynchronizable.name:
      guard let flag = value as? Bool else { return nil }
      self = .flag(flag)
    default:
      guard let text = value as? String else { return nil }
      self = .text(text)
    }
  }

  var description: String {
    switch self {
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    case .data(let data): "\(data)"
    }
  }
}

extension CFString {
  /// The constant as Swift's own string, for patterns.
  var name: String { self as String }
}

/// A generic password of ``StubKeychain``.
struct KeychainItem: Sendable {
  var attributes: [String: KeychainValue]

  /// What no two items have in common: Apple's documentation of `errSecDuplicateItem` names these for generic
  /// passwords. The label is not among them.
  static var primaryKey: [String] {
    [kSecAttrAccount, kSecAttrService, kSecAttrAccessGroup, kSecAttrSynchronizable].map(\.name)
  }

  /// Attributes that can be searched for, and set.
  static var searchable: Set<String> {
    Set(primaryKey + [kSecAttrLabel, kSecAttrAccessible, kSecAttrGeneric].map(\.name))
  }

  func isDuplicate(of other: KeychainItem) -> Bool {
    Self.primaryKey.allSatisfy { attributes[$0] == other.attributes[$0] }
  }

  /// Whether a query finds it. One that doesn't speak of synchronizable items means the others.
  func matches(_ query: [String: KeychainValue]) -> Bool {
    Self.searchable.allSatisfy { name in
      let wanted = query[name] ?? (name == kSecAttrSynchronizable.name ? .flag(false) : nil)
      return wanted == nil || attributes[name] == wanted
    }
  }
}
