/// A Name: relative names, each a set of attributes, from the widest to the narrowest.
///
/// Source: RFC 5280 §4.1.2.4.
package struct X509Name: Sendable, Hashable {
  /// An attribute: what it is, and its value as it is encoded.
  package struct Attribute: Sendable, Hashable {
    package let identifier: DERObjectIdentifier
    /// The identifier octet of the value.
    package let tag: UInt8
    /// The contents octets of the value.
    package let contents: [UInt8]
  }

  /// The Name in DER.
  package let derRepresentation: [UInt8]
  /// All attributes in the order of the encoding.
  package let attributes: [Attribute]
  /// The relative names, each a SET in DER.
  let relativeNames: [[UInt8]]

  /// More than any name needs.
  private static let maximumCount = 64

  /// Reads Name ::= SEQUENCE OF SET OF SEQUENCE { OBJECT IDENTIFIER, value }, with 64 attributes at most.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    var sequence = try reader.read(.sequence)
    try reader.finish()
    var attributes: [Attribute] = []
    var relativeNames: [[UInt8]] = []
    while !sequence.bytes.isEmpty {
      let whole = try sequence.readWhole(.set)
      var outer = DERReader(whole)
      var set = try outer.read(.set)
      var last: [UInt8]?
      repeat {
        let element = try set.readWhole(.sequence)
        // DER sorts a SET OF (X.690 §11.6).
        guard last.map({ !element.lexicographicallyPrecedes($0) }) ?? true else {
          throw CryptoError(.malformedDER, "the attributes of a name are not sorted")
        }
        last = Array(element)
        attributes.append(try Self.attribute(element))
        guard attributes.count <= Self.maximumCount else {
          throw CryptoError(.malformedDER, "the name has too many attributes")
        }
      } while !set.bytes.isEmpty
      relativeNames.append(Array(whole))
    }
    derRepresentation = Array(bytes)
    self.attributes = attributes
    self.relativeNames = relativeNames
  }

  private static func attribute(_ element: UnsafeRawBufferPointer) throws(CryptoError) -> Attribute {
    var reader = DERReader(element)
    var attribute = try reader.read(.sequence)
    let identifier = try attribute.readObjectIdentifierContents()
    let value = try attribute.readAnyWhole()
    try attribute.finish()
    var contents = DERReader(value)
    return Attribute(
      identifier: DERObjectIdentifier(contents: identifier), tag: value.first ?? 0,
      contents: Array(try contents.readAny().bytes))
  }

  /// Whether the name begins with all relative names of another, to the octet.
  func isWithin(_ other: X509Name) -> Bool {
    relativeNames.count >= other.relativeNames.count && relativeNames.starts(with: other.relativeNames)
  }
}

extension X509Name.Attribute {
  /// The value as text; nil for what is no text, or has control characters.
  package var text: String? {
    let text: String?
    switch tag {
    // UTF8String; NumericString, PrintableString, IA5String and VisibleString are ASCII.
    case 0x0C: text = String(validating: contents, as: UTF8.self)
    case 0x12, 0x13, 0x16, 0x1A: text = String(validating: contents, as: Unicode.ASCII.self)
    // BMPString and UniversalString, most significant octet first.
    case 0x1E: text = Self.units(contents, of: 2).flatMap { String(validating: $0.map(UInt16.init), as: UTF16.self) }
    case 0x1C: text = Self.units(contents, of: 4).flatMap { String(validating: $0, as: UTF32.self) }
    default: text = nil
    }
    guard let text, !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }) else {
      return nil
    }
    return text
  }

  private static func units(_ octets: [UInt8], of size: Int) -> [UInt32]? {
    guard octets.count % size == 0 else { return nil }
    return stride(from: 0, to: octets.count, by: size).map { start in
      octets[start..<(start &+ size)].reduce(0) { $0 &<< 8 | UInt32($1) }
    }
  }
}
