// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AppleTypes
import Foundation

// On a system of Apple's the values are four-letter codes and nobody's business. Here each is its own name, which the
// messages of failed tests then show.
//
// Foundation's string is a reference, but one that never changes.
private func constant(_ name: StaticString) -> CFString { NSString(string: "\(name)") }

public nonisolated(unsafe) let kSecClass = constant("class")
public nonisolated(unsafe) let kSecClassGenericPassword = constant("generic password")
public nonisolated(unsafe) let kSecClassKey = constant("key")

public nonisolated(unsafe) let kSecAttrAccessGroup = constant("access group")
public nonisolated(unsafe) let kSecAttrAccessible = constant("accessible")
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock = constant("after first unlock")
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = constant(
  "after first unlock, this device only")
public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked = constant("when unlocked")
public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly = constant(
  "when unlocked, this device only")
public nonisolated(unsafe) let kSecAttrAccount = constant("account")
public nonisolated(unsafe) let kSecAttrGeneric = constant("generic")
public nonisolated(unsafe) let kSecAttrLabel = constant("label")
public nonisolated(unsafe) let kSecAttrService = constant("service")
public nonisolated(unsafe) let kSecAttrSynchronizable = constant("synchronizable")
public nonisolated(unsafe) let kSecAttrSynchronizableAny = constant("synchronizable or not")

public nonisolated(unsafe) let kSecMatchLimit = constant("match limit")
public nonisolated(unsafe) let kSecMatchLimitAll = constant("all")
public nonisolated(unsafe) let kSecMatchLimitOne = constant("one")
public nonisolated(unsafe) let kSecReturnAttributes = constant("return attributes")
public nonisolated(unsafe) let kSecReturnData = constant("return data")
public nonisolated(unsafe) let kSecUseDataProtectionKeychain = constant("use data protection keychain")
public nonisolated(unsafe) let kSecValueData = constant("value data")

public var errSecSuccess: OSStatus { 0 }
public var errSecParam: OSStatus { -50 }
public var errSecDuplicateItem: OSStatus { -25299 }
public var errSecItemNotFound: OSStatus { -25300 }
public var errSecInteractionNotAllowed: OSStatus { -25308 }
public var errSecMissingEntitlement: OSStatus { -34018 }
