/// The identifier octet of a DER element: class, primitive or constructed, and a tag number below 31.
///
/// Source: X.690 §8.1.2.
package struct DERTag: Hashable, Sendable {
  let octet: UInt8

  private init(_ octet: UInt8) {
    self.octet = octet
  }

  package static let integer = DERTag(0x02)
  package static let bitString = DERTag(0x03)
  package static let octetString = DERTag(0x04)
  package static let null = DERTag(0x05)
  package static let objectIdentifier = DERTag(0x06)
  package static let sequence = DERTag(0x30)

  /// [number] around an element, or in place of the tag of a constructed one.
  package static func constructed(_ number: UInt8) -> DERTag { DERTag(0xa0 | number & 0x1f) }

  /// [number] in place of the tag of a primitive element.
  package static func primitive(_ number: UInt8) -> DERTag { DERTag(0x80 | number & 0x1f) }
}
