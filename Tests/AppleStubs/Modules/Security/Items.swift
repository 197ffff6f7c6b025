// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  guard let request = KeychainRequest(attributes, allowing: [kSecValueData]), result == nil else { return errSecParam }
  return StubKeychain.device.call(.add) { state in
    guard request.isEntitled(state) else { return errSecMissingEntitlement }
    let item = KeychainItem(attributes: request.values)
    if state.items.contains(where: item.isDuplicate) { return errSecDuplicateItem }
    state.items.append(item)
    return errSecSuccess
  }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  guard let request = KeychainRequest(query, allowing: [kSecReturnData, kSecReturnAttributes, kSecMatchLimit]),
    request[kSecMatchLimit] == nil || request[kSecMatchLimit] == .text(kSecMatchLimitOne.name)
  else { return errSecParam }
  var found: KeychainItem?
  let status = StubKeychain.device.call(.copyMatching) { state in
    guard request.isEntitled(state) else { return errSecMissingEntitlement }
    guard let item = state.items.first(where: { $0.matches(request.values) }) else { return errSecItemNotFound }
    found = item
    return errSecSuccess
  }
  guard let found else { return status }
  let data: Data? = if case .data(let data) = found.attributes[kSecValueData.name] { data } else { nil }
  // Data alone, or, with the attributes, a dictionary that has the data among them.
  switch (request[kSecReturnData] == .flag(true), request[kSecReturnAttributes] == .flag(true)) {
  case (true, false): result?.pointee = data.map { NSData(data: $0) }
  case (let hasData, true):
    var values: [String: Any] = [:]
    for (name, value) in found.attributes where name != kSecValueData.name {
      if case .text(let text) = value { values[name] = text }
    }
    if hasData { values[kSecValueData.name] = data }
    result?.pointee = values as CFDictionary
  default: break
  }
  return status
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  // The second dictionary holds new values alone: no class, and nothing about the search.
  guard let request = KeychainRequest(query, allowing: []),
    let changes = KeychainRequest.attributes(attributesToUpdate, allowing: [kSecValueData])
  else { return errSecParam }
  return StubKeychain.device.call(.update) { state in
    guard request.isEntitled(state) else { return errSecMissingEntitlement }
    let found = state.items.indices.filter { state.items[$0].matches(request.values) }
    if found.isEmpty { return errSecItemNotFound }
    for index in found {
      let changed = KeychainItem(attributes: state.items[index].attributes.merging(changes) { $1 })
      if state.items.indices.contains(where: { $0 != index && state.items[$0].isDuplicate(of: changed) }) {
        return errSecDuplicateItem
      }
      state.items[index] = changed
    }
    return errSecSuccess
  }
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  guard let request = KeychainRequest(query, allowing: []) else { return errSecParam }
  return StubKeychain.device.call(.delete) { state in
    guard request.isEntitled(state) else { return errSecMissingEntitlement }
    let count = state.items.count
    state.items.removeAll { $0.matches(request.values) }
    return state.items.count == count ? errSecItemNotFound : errSecSuccess
  }
}

/// What a call asks for.
struct KeychainRequest: Sendable {
  let values: [String: KeychainValue]

  /// Nil if it is not about a generic password of the data-protection keychain, or has a key or a type of value that it
  /// may not have.
  init?(_ query: CFDictionary, allowing names: [CFString]) {
    guard var values = Self.attributes(query, allowing: names + [kSecClass, kSecUseDataProtectionKeychain]),
      values.removeValue(forKey: kSecClass.name) == .text(kSecClassGenericPassword.name),
      // macOS has a second keychain, where access groups mean nothing.
      values.removeValue(forKey: kSecUseDataProtectionKeychain.name) == .flag(true)
    else { return nil }
    self.values = values
  }

  subscript(name: CFString) -> KeychainValue? { values[name.name] }

  /// The access group that it names is one of the process's; without a name it is the process's own.
  func isEntitled(_ state: StubKeychain.State) -> Bool {
    guard case .text(let group) = self[kSecAttrAccessGroup] else { return !state.entitledGroups.isEmpty }
    return state.entitledGroups.contains(group)
  }

  static func attributes(_ dictionary: CFDictionary, allowing names: [CFString]) -> [String: KeychainValue]? {
    let known = KeychainItem.searchable.union(names.map(\.name))
    var result: [String: KeychainValue] = [:]
    for (key, value) in dictionary {
      guard let key = key as? String, known.contains(key), let value = KeychainValue(value, of: key) else { return nil }
      result[key] = value
    }
    return result
  }
}
