// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// Who may use an item, and when.
public final class SecAccessControl {
  fileprivate init() {}
}

/// What the user must do first, and what a key is for.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static var userPresence: Self { Self(rawValue: 1 << 0) }
  public static var biometryAny: Self { Self(rawValue: 1 << 1) }
  public static var biometryCurrentSet: Self { Self(rawValue: 1 << 3) }
  public static var devicePasscode: Self { Self(rawValue: 1 << 4) }
  public static var privateKeyUsage: Self { Self(rawValue: 1 << 30) }
}

public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  SecAccessControl()
}
