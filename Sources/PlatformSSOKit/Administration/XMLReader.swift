import JOSE
import StrictJSON

/// Reads what property lists need of XML 1.0: elements with attributes, text, CDATA sections, character references and
/// the five named ones. Comments and processing instructions are passed over, and so are the declaration and a document
/// type without declarations of its own.
///
/// Source: Extensible Markup Language (XML) 1.0, fifth edition.
struct XMLReader {
  /// What comes next.
  enum Token {
    case opening(Tag)
    case closing(Tag)
    /// Text up to the next tag, with references replaced.
    case text(String, at: Int)
    case end
  }

  /// The beginning or the end of an element. An element without content has both in one.
  struct Tag {
    let name: WireName
    var attributeNames: [String] = []
    var isEmpty = false
    /// Where it stands.
    let place: Int
  }

  /// The document in UTF-8.
  private let octets: [UInt8]
  private(set) var position = 0

  /// - Throws: `ErrorCode.malformed` for what is no text in UTF-8 or UTF-16, or has a character that XML doesn't have.
  init(_ document: [UInt8]) throws(JOSEError) {
    if document.starts(with: Array("bplist".utf8)) {
      throw Self.refusal("this is a binary property list: plutil -convert xml1 writes it as XML")
    }
    if document.first == 0x30, document.count > 1, document[1] >= 0x80 {
      throw Self.refusal("this is a signed profile (CMS): openssl smime -verify -noverify -inform DER takes it out")
    }
    let isUTF16 = document.starts(with: [0xFE, 0xFF]) || document.starts(with: [0xFF, 0xFE])
    octets = isUTF16 ? try Self.utf8(fromUTF16: document) : document
    if octets.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    try requireCharacters()
    try readProlog(isUTF16: isUTF16)
  }

  // MARK: Characters

  /// Whether XML has a character.
  static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  private static func utf8(fromUTF16 document: [UInt8]) throws(JOSEError) -> [UInt8] {
    let isBigEndian = document[0] == 0xFE
    guard document.count.isMultiple(of: 2) else { throw refusal("the document is UTF-16, and ends within a character") }
    let units = stride(from: 2, to: document.count, by: 2).map { place in
      let (first, second) = (UInt16(document[place]), UInt16(document[place + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw refusal("the document is UTF-16 with half a character")
    }
    return Array(text.utf8)
  }

  private func requireCharacters() throws(JOSEError) {
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw Self.refusal("the document is neither UTF-8 nor UTF-16")
    }
    var place = 0
    for scalar in text.unicodeScalars {
      guard Self.isCharacter(scalar) else { throw refusal("XML has no such character", at: place) }
      place += String(scalar).utf8.count
    }
  }

  // MARK: Errors

  private static func refusal(_ text: StaticString) -> JOSEError { JOSEError(.malformed, text, name: "plist") }

  /// An error with line and column of a place.
  func refusal(_ text: StaticString, at place: Int) -> JOSEError {
    let before = octets.prefix(place)
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // Octets that go on with a character are no column of their own.
    let column = octets[start..<min(place, octets.count)].count { $0 & 0xC0 != 0x80 } + 1
    return Self.refusal(text).adding(detail: "line \(line), column \(column)")
  }

  // MARK: Before and after the root

  private mutating func readProlog(isUTF16: Bool) throws(JOSEError) {
    if starts(with: "<?xml"), position + 5 < octets.count, Self.isSpace(octets[position + 5]) {
      try readDeclaration(isUTF16: isUTF16)
    }
    try skipMisc()
    if starts(with: "<!DOCTYPE") {
      try readDocumentType()
      try skipMisc()
    }
  }

  private mutating func readDeclaration(isUTF16: Bool) throws(JOSEError) {
    let start = position
    position += 5
    let attributes = try readAttributes()
    guard take("?>") else { throw refusal("the XML declaration doesn't end with ?>", at: position) }
    let names = attributes.map(\.name)
    let known = ["version", "encoding", "standalone"]
    guard names.first == "version", names == known.filter({ names.contains($0) }),
      attributes[0].value.utf8.starts(with: "1.".utf8),
      attributes.allSatisfy({ $0.name != "standalone" || ["yes", "no"].contains($0.value) })
    else { throw refusal("the XML declaration is not of its form", at: start) }
    guard let encoding = attributes.first(where: { $0.name == "encoding" })?.value else { return }
    let names16 = ["utf-16", "utf-16le", "utf-16be"]
    let accepted = isUTF16 ? names16 : ["utf-8", "us-ascii"]
    guard accepted.contains(where: { $0.hasSameBytesIgnoringASCIICase(as: encoding) }) else {
      throw refusal("the document must be in the encoding that it declares, UTF-8 or UTF-16", at: start)
    }
  }

  /// `<!DOCTYPE plist PUBLIC "…" "…">`. One with declarations of its own could define entities.
  private mutating func readDocumentType() throws(JOSEError) {
    let start = position
    position += 9
    guard skipSpace(), readName() != nil else { throw refusal("the document type has no name", at: position) }
    _ = skipSpace()
    let literals = take("PUBLIC") ? 2 : take("SYSTEM") ? 1 : 0
    for _ in 0..<literals {
      guard skipSpace(), try readLiteral() != nil else {
        throw refusal("an identifier of the document type stands in quotes, \" or '", at: position)
      }
    }
    _ = skipSpace()
    guard position < octets.count, octets[position] != 0x5B else {
      throw refusal("a document type with declarations of its own is not read", at: start)
    }
    guard take(">") else { throw refusal("the document type is not of its form", at: position) }
  }

  /// White space, comments and processing instructions.
  private mutating func skipMisc() throws(JOSEError) {
    repeat { _ = skipSpace() } while try skipComment()
  }

  /// A comment or a processing instruction. False where none begins.
  private mutating func skipComment() throws(JOSEError) -> Bool {
    let start = position
    if take("<!--") {
      guard skip(past: "--"), take(">") else {
        throw refusal("a comment ends with --> and has no other two hyphens in it", at: start)
      }
      return true
    }
    guard take("<?") else { return false }
    guard let name = readName(), !name.hasSameBytesIgnoringASCIICase(as: "xml"), skip(past: "?>") else {
      throw refusal("an XML declaration stands at the beginning alone, and an instruction ends with ?>", at: start)
    }
    return true
  }

  /// What follows the root: nothing but comments.
  mutating func finish() throws(JOSEError) {
    try skipMisc()
    guard position == octets.count else {
      throw refusal(
        octets[position] == 0x3C ? "a document has one root element" : "text follows the root element", at: position)
    }
  }

  // MARK: Tags and text

  /// The next tag, or the text before it.
  mutating func next() throws(JOSEError) -> Token {
    let start = position
    let text = try readText()
    if !text.isEmpty { return .text(String(decoding: text, as: UTF8.self), at: start) }
    let place = position
    guard position < octets.count else { return .end }
    position += 1
    let isClosing = take("/")
    guard let name = readName() else { throw refusal("< begins a tag, and is written &lt; in text", at: place) }
    var tag = Tag(name: WireName(name), place: place)
    if isClosing {
      _ = skipSpace()
    } else {
      tag.attributeNames = try readAttributes().map(\.name)
      tag.isEmpty = take("/")
    }
    guard take(">") else { throw refusal("the tag is not of its form", at: place) }
    return isClosing ? .closing(tag) : .opening(tag)
  }

  private mutating func readText() throws(JOSEError) -> [UInt8] {
    var content: [UInt8] = []
    while position < octets.count {
      let octet = octets[position]
      if octet == 0x26 {
        content += try readReference()
      } else if octet == 0x3C {
        let start = position
        if take("<![CDATA[") {
          let first = position
          guard skip(past: "]]>") else { throw refusal("a CDATA section ends with ]]>", at: start) }
          content += Self.withLineFeeds(octets[first..<(position - 3)])
        } else if try !skipComment() {
          return content
        }
      } else {
        guard !starts(with: "]]>") else {
          throw refusal("]]> stands at the end of a CDATA section alone", at: position)
        }
        let end = octets[position...].firstIndex { $0 == 0x26 || $0 == 0x3C || $0 == 0x5D } ?? octets.count
        // A bracket that ends no section is text.
        let next = max(end, position + 1)
        content += Self.withLineFeeds(octets[position..<next])
        position = next
      }
    }
    return content
  }

  /// A line ends with a line feed, however it is written (§2.11).
  private static func withLineFeeds(_ octets: ArraySlice<UInt8>) -> [UInt8] {
    guard octets.contains(0x0D) else { return Array(octets) }
    return octets.indices.compactMap { place in
      guard octets[place] == 0x0D else { return octets[place] }
      return place + 1 < octets.endIndex && octets[place + 1] == 0x0A ? nil : 0x0A
    }
  }

  private mutating func readReference() throws(JOSEError) -> [UInt8] {
    let start = position
    guard let end = octets[position...].prefix(12).firstIndex(of: 0x3B) else {
      throw refusal("& begins a reference, and is written &amp; in text", at: start)
    }
    let name = octets[(position + 1)..<end]
    position = end + 1
    for (known, octet) in [("amp", 0x26), ("lt", 0x3C), ("gt", 0x3E), ("quot", 0x22), ("apos", 0x27)]
      as [(String, UInt8)]
    where name.elementsEqual(known.utf8) { return [octet] }
    let isHexadecimal = name.starts(with: "#x".utf8)
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard name.first == 0x23, !digits.isEmpty,
      digits.allSatisfy({ isHexadecimal ? $0.hexadecimalValue != nil : $0.isASCIIDigit }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
      let scalar = Unicode.Scalar(value), Self.isCharacter(scalar)
    else { throw refusal("a reference names amp, lt, gt, quot, apos or a character of XML", at: start) }
    return Array(String(scalar).utf8)
  }

  private mutating func readAttributes() throws(JOSEError) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    while skipSpace() {
      let start = position
      guard let name = readName() else { break }
      _ = skipSpace()
      guard take("=") else { throw refusal("an attribute has a value", at: start) }
      _ = skipSpace()
      guard let value = try readLiteral() else {
        throw refusal("the value of an attribute stands in quotes, \" or '", at: position)
      }
      guard !value.utf8.contains(0x3C), !attributes.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw refusal("an attribute stands once, and has no < in its value", at: start)
      }
      attributes.append((name, value))
    }
    return attributes
  }

  private mutating func readLiteral() throws(JOSEError) -> String? {
    guard position < octets.count, [0x22, 0x27].contains(octets[position]),
      let end = octets[(position + 1)...].firstIndex(of: octets[position])
    else { return nil }
    defer { position = end + 1 }
    return String(decoding: octets[(position + 1)..<end], as: UTF8.self)
  }

  /// A name. Names of property lists are ASCII.
  private mutating func readName() -> String? {
    let isStart = { (octet: UInt8) in octet.isASCIILetter || octet == 0x5F || octet == 0x3A || octet >= 0x80 }
    let name = octets[position...].prefix { isStart($0) || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E }
    guard let first = name.first, isStart(first) else { return nil }
    position = name.endIndex
    return String(decoding: name, as: UTF8.self)
  }

  // MARK: Octets

  private static func isSpace(_ octet: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(octet) }

  /// Whether there was white space, which is passed over.
  private mutating func skipSpace() -> Bool {
    let start = position
    while position < octets.count, Self.isSpace(octets[position]) { position += 1 }
    return position > start
  }

  private func starts(with text: StaticString) -> Bool { octets[position...].starts(with: "\(text)".utf8) }

  /// Whether a text stood here, which is passed over.
  private mutating func take(_ text: StaticString) -> Bool {
    guard starts(with: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// Goes on behind the next occurrence of a text. False if there is none.
  private mutating func skip(past text: StaticString) -> Bool {
    let pattern = Array("\(text)".utf8)
    while let found = octets[position...].firstIndex(of: pattern[0]) {
      position = found
      if octets[position...].starts(with: pattern) {
        position += pattern.count
        return true
      }
      position += 1
    }
    return false
  }
}
