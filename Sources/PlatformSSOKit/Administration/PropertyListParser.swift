import JOSE
import StrictJSON

extension PropertyListValue {
  /// Reads a property list in XML, in UTF-8 or UTF-16.
  ///
  /// - Throws: `ErrorCode.malformed`, with line and column; `ErrorCode.limitExceeded`.
  package init(xmlDocument octets: [UInt8], maximumByteCount: Int = 4 << 20) throws(JOSEError) {
    guard octets.count <= maximumByteCount else {
      throw JOSEError(.limitExceeded, "the property list is too long", name: "plist")
    }
    var parser = PropertyListParser(reader: try XMLReader(octets))
    self = try parser.document()
  }
}

extension PropertyListValue {
  /// Reads the property list of a profile: in XML or binary, and signed or not. A signature is not checked.
  ///
  /// - Throws: as ``init(xmlDocument:maximumByteCount:)``.
  package init(profile octets: [UInt8], maximumByteCount: Int = 4 << 20) throws(JOSEError) {
    let content = octets.count <= maximumByteCount ? SignedProfile.content(of: octets) ?? octets : octets
    guard BinaryPropertyList.isOne(content), content.count <= maximumByteCount else {
      try self.init(xmlDocument: content, maximumByteCount: maximumByteCount)
      return
    }
    self = try BinaryPropertyList.value(in: content)
  }
}

/// A parser of property lists.
///
/// Source: Apple, PropertyList-1.0.dtd.
struct PropertyListParser {
  private var reader: XMLReader
  private static let maximumDepth = 32

  init(reader: XMLReader) { self.reader = reader }

  mutating func document() throws(JOSEError) -> PropertyListValue {
    let start = reader.position
    guard case .opening(let root) = try reader.next(), root.name == "plist" else {
      throw reader.refusal("a property list has the root element plist", at: start)
    }
    guard !root.isEmpty, let tag = try tag(before: "plist") else {
      throw reader.refusal("the property list has no value", at: root.place)
    }
    let value = try value(tag, depth: 0)
    if let other = try self.tag(before: "plist") {
      throw reader.refusal("a property list has one value", at: other.place)
    }
    try reader.finish()
    return value
  }

  /// The next element in another one, or nil where that ends.
  private mutating func tag(before end: WireName) throws(JOSEError) -> XMLReader.Tag? {
    while true {
      let start = reader.position
      switch try reader.next() {
      case .text(let text, let place):
        guard text.utf8.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
          throw reader.refusal("text stands between elements", at: place)
        }
      case .opening(let tag): return tag
      case .closing(let tag):
        guard tag.name == end else { throw reader.refusal("the tag ends another element", at: tag.place) }
        return nil
      case .end: throw reader.refusal("the document ends within an element", at: start)
      }
    }
  }

  private mutating func value(_ tag: XMLReader.Tag, depth: Int) throws(JOSEError) -> PropertyListValue {
    guard depth < Self.maximumDepth else {
      throw JOSEError(.limitExceeded, "the property list is too deep", name: "plist")
    }
    guard tag.attributeNames.isEmpty else {
      throw reader.refusal("of a property list's elements plist alone has attributes", at: tag.place)
    }
    switch tag.name {
    case "array": return .array(tag.isEmpty ? [] : try elements(depth: depth))
    case "dict": return .dictionary(tag.isEmpty ? [] : try entries(depth: depth))
    case "string": return .string(try text(of: tag))
    case "true", "false":
      guard try text(of: tag).isEmpty else { throw reader.refusal("true and false have no text", at: tag.place) }
      return .bool(tag.name == "true")
    case "integer":
      guard let integer = Self.integer(try text(of: tag)) else {
        throw reader.refusal("an integer is decimal, or hexadecimal after 0x, and has 64 bits", at: tag.place)
      }
      return .integer(integer)
    case "real", "date": return .other(element: tag.name.text, text: try text(of: tag))
    case "data":
      let text = try text(of: tag).utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      guard let octets = try? Base64.decode(String(decoding: text, as: UTF8.self)) else {
        throw reader.refusal("data are in base64", at: tag.place)
      }
      return .data(octets)
    default: throw reader.refusal("property lists have no such element", at: tag.place)
    }
  }

  /// The text of an element without elements in it, and its end.
  private mutating func text(of tag: XMLReader.Tag) throws(JOSEError) -> String {
    var text = ""
    guard !tag.isEmpty else { return text }
    while true {
      switch try reader.next() {
      case .text(let more, _): text += more
      case .opening(let inner): throw reader.refusal("the element has text alone", at: inner.place)
      case .closing(let end):
        guard end.name == tag.name else {
          throw reader.refusal("the tag ends another element", at: end.place)
        }
        return text
      case .end: throw reader.refusal("the element has no end", at: tag.place)
      }
    }
  }

  private mutating func elements(depth: Int) throws(JOSEError) -> [PropertyListValue] {
    var values: [PropertyListValue] = []
    while let tag = try tag(before: "array") { values.append(try value(tag, depth: depth + 1)) }
    return values
  }

  private mutating func entries(depth: Int) throws(JOSEError) -> [PropertyListValue.Entry] {
    var entries: [PropertyListValue.Entry] = []
    var names: Set<WireName> = []
    while let tag = try tag(before: "dict") {
      guard tag.name == "key" else {
        throw reader.refusal("a value of a dictionary has a key", at: tag.place)
      }
      let key = try text(of: tag)
      guard names.insert(WireName(key)).inserted else {
        throw reader.refusal("the dictionary has this key twice", at: tag.place)
      }
      guard let next = try self.tag(before: "dict") else {
        throw reader.refusal("a key of a dictionary has a value", at: tag.place)
      }
      entries.append(PropertyListValue.Entry(key, try value(next, depth: depth + 1)))
    }
    return entries
  }

  /// `-12`, `0x1F`: white space around it says nothing.
  private static func integer(_ text: String) -> Int64? {
    var digits = text.utf8.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    while let last = digits.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { digits = digits.dropLast() }
    let sign = digits.first.flatMap { $0 == 0x2D ? "-" : $0 == 0x2B ? "+" : nil } ?? ""
    digits = digits.dropFirst(sign.utf8.count)
    let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    let bare = String(Substring(digits.dropFirst(isHexadecimal ? 2 : 0)))
    guard bare.utf8.first.map({ $0.hexadecimalValue != nil }) == true else { return nil }
    return Int64(sign + bare, radix: isHexadecimal ? 16 : 10)
  }
}
