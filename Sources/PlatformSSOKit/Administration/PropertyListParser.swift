import JOSE

extension PropertyListValue {
  /// Reads a property list in XML, in UTF-8.
  ///
  /// What a property list needs of XML is read: elements, text, the five named and the numeric character references,
  /// comments, and a declaration and a document type that are passed over. Entities of the document's own, CDATA and
  /// attributes other than the version are refused, as `ErrorCode.malformed`.
  package init(xmlDocument octets: [UInt8], maximumByteCount: Int = 4 << 20) throws(JOSEError) {
    guard octets.count <= maximumByteCount else {
      throw JOSEError(.limitExceeded, "the property list is too long", name: "plist")
    }
    var parser = PropertyListParser(octets)
    self = try parser.document()
  }
}

/// A parser of property lists in XML, over octets.
struct PropertyListParser {
  private let octets: [UInt8]
  private var position = 0
  private static let maximumDepth = 32

  init(_ octets: [UInt8]) {
    self.octets = octets
    if octets.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  private var malformed: JOSEError { JOSEError(.malformed, "the property list must be XML", name: "plist") }

  mutating func document() throws(JOSEError) -> PropertyListValue {
    try skipMisc(allowsDeclarations: true)
    let root = try tag()
    guard root.name == "plist", root.kind == .opening else { throw malformed }
    let value = try element(depth: 0)
    try skipMisc(allowsDeclarations: false)
    let end = try tag()
    guard end.name == "plist", end.kind == .closing else { throw malformed }
    try skipMisc(allowsDeclarations: false)
    guard position == octets.count else { throw malformed }
    return value
  }

  private enum Kind { case opening, closing, empty }

  private struct Tag {
    let name: WireName
    let kind: Kind
  }

  private mutating func element(depth: Int) throws(JOSEError) -> PropertyListValue {
    guard depth < Self.maximumDepth else {
      throw JOSEError(.limitExceeded, "the property list is too deep", name: "plist")
    }
    try skipMisc(allowsDeclarations: false)
    return try element(try tag(), depth: depth)
  }

  private mutating func element(_ tag: Tag, depth: Int) throws(JOSEError) -> PropertyListValue {
    guard tag.kind != .closing else { throw malformed }
    switch (tag.name, tag.kind) {
    case ("true", .empty): return .bool(true)
    case ("false", .empty): return .bool(false)
    case ("array", .empty): return .array([])
    case ("dict", .empty): return .dictionary([])
    case ("true", .opening), ("false", .opening):
      guard try text(until: tag.name).isEmpty else { throw malformed }
      return .bool(tag.name == "true")
    case ("string", _): return .string(try text(of: tag))
    case ("integer", .opening):
      guard let integer = Int64(try text(until: "integer")) else { throw malformed }
      return .integer(integer)
    case ("real", .opening), ("date", .opening): return .other(element: tag.name.text, text: try text(until: tag.name))
    case ("data", _):
      let text = try text(of: tag).utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      guard let octets = try? Base64.decode(String(decoding: text, as: UTF8.self)) else { throw malformed }
      return .data(octets)
    case ("array", .opening): return .array(try elements(depth: depth))
    case ("dict", .opening): return .dictionary(try entries(depth: depth))
    default: throw malformed
    }
  }

  /// The next tag, or nil where it closes the element of this name.
  private mutating func tag(before end: WireName) throws(JOSEError) -> Tag? {
    try skipMisc(allowsDeclarations: false)
    let tag = try tag()
    guard tag.kind == .closing else { return tag }
    guard tag.name == end else { throw malformed }
    return nil
  }

  private mutating func elements(depth: Int) throws(JOSEError) -> [PropertyListValue] {
    var values: [PropertyListValue] = []
    while true {
      guard let tag = try tag(before: "array") else { return values }
      guard depth + 1 < Self.maximumDepth else { throw malformed }
      values.append(try element(tag, depth: depth + 1))
    }
  }

  private mutating func entries(depth: Int) throws(JOSEError) -> [PropertyListValue.Entry] {
    var entries: [PropertyListValue.Entry] = []
    var names: Set<[UInt8]> = []
    while true {
      guard let tag = try tag(before: "dict") else { return entries }
      guard tag.name == "key", tag.kind == .opening else { throw malformed }
      let key = try text(until: "key")
      guard names.insert(Array(key.utf8)).inserted else { throw malformed }
      entries.append(PropertyListValue.Entry(key, try element(depth: depth + 1)))
    }
  }

  /// White space and comments; before the root also the declaration and the document type.
  private mutating func skipMisc(allowsDeclarations: Bool) throws(JOSEError) {
    while position < octets.count {
      if [0x20, 0x09, 0x0A, 0x0D].contains(octets[position]) {
        position += 1
      } else if starts(with: "<!--") {
        try skip(past: "-->")
      } else if allowsDeclarations, starts(with: "<?xml") {
        try skip(past: "?>")
      } else if allowsDeclarations, starts(with: "<!DOCTYPE") {
        let start = position
        try skip(past: ">")
        // An internal subset could define entities.
        guard !octets[start..<position].contains(0x5B) else { throw malformed }
      } else {
        return
      }
    }
  }

  private func starts(with text: StaticString) -> Bool {
    octets[position...].starts(with: "\(text)".utf8)
  }

  private mutating func skip(past text: String) throws(JOSEError) {
    let pattern = Array(text.utf8)
    while position + pattern.count <= octets.count {
      if octets[position..<(position + pattern.count)].elementsEqual(pattern) {
        position += pattern.count
        return
      }
      position += 1
    }
    throw malformed
  }

  private mutating func tag() throws(JOSEError) -> Tag {
    guard position < octets.count, octets[position] == 0x3C,
      let end = octets[position...].firstIndex(of: 0x3E)
    else { throw malformed }
    var body = octets[(position + 1)..<end]
    position = end + 1
    var kind = Kind.opening
    if body.first == 0x2F {
      kind = .closing
      body = body.dropFirst()
    } else if body.last == 0x2F {
      kind = .empty
      body = body.dropLast()
    }
    let name = body.prefix { (0x61...0x7A).contains($0) }
    let rest = body.dropFirst(name.count)
    let text = WireName(String(decoding: name, as: UTF8.self))
    let isBare = rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard !name.isEmpty, isBare || (text == "plist" && kind == .opening && rest.first == 0x20) else { throw malformed }
    return Tag(name: text, kind: kind)
  }

  private mutating func text(of tag: Tag) throws(JOSEError) -> String {
    tag.kind == .empty ? "" : try text(until: tag.name)
  }

  /// The text of an element without elements in it, and its end.
  private mutating func text(until name: WireName) throws(JOSEError) -> String {
    var content: [UInt8] = []
    while position < octets.count, octets[position] != 0x3C {
      if octets[position] == 0x26 {
        content += try reference()
      } else {
        content.append(octets[position])
        position += 1
      }
    }
    let end = try tag()
    guard end.kind == .closing, end.name == name, let text = String(validating: content, as: UTF8.self) else {
      throw malformed
    }
    return text
  }

  private mutating func reference() throws(JOSEError) -> [UInt8] {
    guard let end = octets[position...].prefix(12).firstIndex(of: 0x3B) else { throw malformed }
    let name = String(decoding: octets[(position + 1)..<end], as: UTF8.self)
    position = end + 1
    switch WireName(name) {
    case "amp": return [0x26]
    case "lt": return [0x3C]
    case "gt": return [0x3E]
    case "quot": return [0x22]
    case "apos": return [0x27]
    default:
      let value =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      guard let value, let scalar = Unicode.Scalar(value) else { throw malformed }
      return Array(String(scalar).utf8)
    }
  }
}
