// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What Core Foundation's C types look like from Swift on a system of Apple's: classes that Foundation's own bridge to.
// Like there, a `CFString` is no `String`, and `as` goes from one to the other.
import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError

/// An allocator. Nobody has one but nil.
public final class CFAllocator {
  private init() {}
}

public typealias OSStatus = Int32
