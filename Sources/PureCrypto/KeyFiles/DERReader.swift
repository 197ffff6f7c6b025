/// The identifier octet of a DER element: class, primitive or constructed, and a tag number below 31.
///
/// Source: X.690 §8.1.2.
package struct DERTag: Hashable, Sendable {
  let octet: UInt8

  private init(_ octet: UInt8) {
    self.octet = octet
  }

  package static let boolean = DERTag(0x01)
  package static let integer = DERTag(0x02)
  package static let bitString = DERTag(0x03)
  package static let octetString = DERTag(0x04)
  package static let null = DERTag(0x05)
  package static let objectIdentifier = DERTag(0x06)
  package static let utf8String = DERTag(0x0c)
  package static let utcTime = DERTag(0x17)
  package static let generalizedTime = DERTag(0x18)
  package static let sequence = DERTag(0x30)
  package static let set = DERTag(0x31)

  /// [number] around an element, or in place of the tag of a constructed one.
  package static func constructed(_ number: UInt8) -> DERTag { DERTag(0xa0 | number & 0x1f) }

  /// [number] in place of the tag of a primitive element.
  package static func primitive(_ number: UInt8) -> DERTag { DERTag(0x80 | number & 0x1f) }
}

/// Reads DER elements one after another, strictly: definite and minimal lengths only, nothing beyond the end.
///
/// A reader is a view of memory that the caller keeps alive; it must not outlive that. Every failure is
/// `.malformedDER`. Nothing in it recurses or traps: nesting is as deep as the code that reads.
///
/// Timing: depends on tags and lengths, not on contents.
/// Source: X.690 §8, §10, §11.
package struct DERReader {
  private var remaining: UnsafeRawBufferPointer

  /// Reads from the beginning of `bytes`.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.remaining = bytes
  }

  /// The bytes that have not been read.
  package var bytes: UnsafeRawBufferPointer { remaining }

  /// Whether the next element has this tag.
  package func isNext(_ tag: DERTag) -> Bool { remaining.first == tag.octet }

  /// Reads an element with this tag.
  /// - Returns: a reader of its contents.
  package mutating func read(_ tag: DERTag) throws(CryptoError) -> DERReader {
    guard isNext(tag) else { throw CryptoError(.malformedDER, "an element is missing or has an unexpected tag") }
    return DERReader(try readElement())
  }

  /// Reads an element with this tag, if it is the next.
  package mutating func readOptional(_ tag: DERTag) throws(CryptoError) -> DERReader? {
    isNext(tag) ? try read(tag) : nil
  }

  /// Reads an element with this tag, identifier and length octets included.
  package mutating func readWhole(_ tag: DERTag) throws(CryptoError) -> UnsafeRawBufferPointer {
    let start = remaining
    _ = try read(tag)
    return UnsafeRawBufferPointer(rebasing: start[..<(start.count &- remaining.count)])
  }

  /// Reads an element with any tag number below 31, identifier and length octets included.
  package mutating func readAnyWhole() throws(CryptoError) -> UnsafeRawBufferPointer {
    let start = remaining
    _ = try readAny()
    return UnsafeRawBufferPointer(rebasing: start[..<(start.count &- remaining.count)])
  }

  /// Reads an element with any tag number below 31.
  /// - Returns: a reader of its contents.
  package mutating func readAny() throws(CryptoError) -> DERReader {
    guard let octet = remaining.first, octet & 0x1f != 0x1f else {
      throw CryptoError(.malformedDER, "an element is missing, or its tag has more than one octet")
    }
    return DERReader(try readElement())
  }

  /// Reads a BOOLEAN DEFAULT FALSE: DER writes no default value, and TRUE in one way.
  package mutating func readFlag() throws(CryptoError) -> Bool {
    guard let flag = try readOptional(.boolean) else { return false }
    guard flag.bytes.elementsEqual([0xff]) else {
      throw CryptoError(.malformedDER, "a boolean must be 0x00 or 0xFF, and DER omits a default value")
    }
    return true
  }

  /// Makes sure that everything has been read.
  package func finish() throws(CryptoError) {
    guard remaining.isEmpty else { throw CryptoError(.malformedDER, "bytes are left over") }
  }

  /// Reads an INTEGER that is not negative.
  /// - Returns: its bytes, most significant first and without leading zeros; none for zero.
  ///
  /// Timing: depends on the length, and on the sign and a leading zero, which the length shows.
  package mutating func readUnsignedInteger() throws(CryptoError) -> UnsafeRawBufferPointer {
    let contents = try read(.integer).bytes
    guard let first = contents.first else { throw CryptoError(.malformedDER, "an integer is empty") }
    guard !Mask(bit: UInt64(first &>> 7)).declassified else {
      throw CryptoError(.malformedDER, "an integer is negative")
    }
    guard Mask(isZero: UInt64(first)).declassified else { return contents }
    let magnitude = UnsafeRawBufferPointer(rebasing: contents.dropFirst())
    // A leading zero is there to keep the sign, or is the whole of zero.
    guard let next = magnitude.first else { return magnitude }
    guard Mask(bit: UInt64(next &>> 7)).declassified else {
      throw CryptoError(.malformedDER, "an integer has a superfluous leading zero")
    }
    return magnitude
  }

  /// Reads an INTEGER below 128, such as a version.
  package mutating func readSmallInteger() throws(CryptoError) -> UInt8 {
    let magnitude = try readUnsignedInteger()
    guard magnitude.count <= 1, magnitude.first ?? 0 < 0x80 else {
      throw CryptoError(.malformedDER, "a version is too large")
    }
    return magnitude.first ?? 0
  }

  /// Reads a BIT STRING of whole bytes.
  package mutating func readBitString(_ tag: DERTag = .bitString) throws(CryptoError) -> UnsafeRawBufferPointer {
    let contents = try read(tag).bytes
    guard contents.first == 0 else { throw CryptoError(.malformedDER, "a bit string is not made of whole bytes") }
    return UnsafeRawBufferPointer(rebasing: contents.dropFirst())
  }

  /// Reads an OBJECT IDENTIFIER and compares it.
  /// - Returns: whether it is `identifier`.
  package mutating func readObjectIdentifier(_ identifier: DERObjectIdentifier) throws(CryptoError) -> Bool {
    identifier.hasContents(try read(.objectIdentifier).bytes)
  }

  /// Reads any OBJECT IDENTIFIER.
  /// - Returns: its contents, in which every number is written with as few octets as it takes.
  package mutating func readObjectIdentifierContents() throws(CryptoError) -> [UInt8] {
    let contents = Array(try read(.objectIdentifier).bytes)
    guard let last = contents.last, last < 0x80, contents.first != 0x80,
      zip(contents, contents.dropFirst()).allSatisfy({ $0 >= 0x80 || $1 != 0x80 })
    else { throw CryptoError(.malformedDER, "an object identifier is empty, cut off or not minimal") }
    return contents
  }

  /// Reads the next element's identifier and length octets, and skips it.
  /// - Returns: its contents.
  private mutating func readElement() throws(CryptoError) -> UnsafeRawBufferPointer {
    guard remaining.count >= 2 else { throw CryptoError(.malformedDER, "the data ends within an element") }
    let initial = remaining[1]
    var header = 2
    var length = Int(initial)
    if initial >= 0x80 {
      // Long form: the number of length octets, then the length. 80 would be the indefinite form. Three octets, 16 MiB,
      // are more than any key needs and stay within `Int` on every platform.
      let octets = Int(initial & 0x7f)
      guard octets >= 1, octets <= 3, remaining.count >= 2 &+ octets else {
        throw CryptoError(.malformedDER, "a length is indefinite, too large or cut off")
      }
      length = 0
      for octet in remaining[2..<(2 &+ octets)] { length = length &<< 8 | Int(octet) }
      header = 2 &+ octets
      // Minimal: no leading zero octet, and the short form wherever it fits.
      guard remaining[2] != 0, length >= 0x80 else { throw CryptoError(.malformedDER, "a length is not minimal") }
    }
    guard length <= remaining.count &- header else {
      throw CryptoError(.malformedDER, "the data ends within an element")
    }
    let contents = UnsafeRawBufferPointer(rebasing: remaining[header..<(header &+ length)])
    remaining = UnsafeRawBufferPointer(rebasing: remaining[(header &+ length)...])
    return contents
  }
}
