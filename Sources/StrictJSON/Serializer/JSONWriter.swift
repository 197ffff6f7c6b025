/// Builds a JSON text.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  mutating func reserveCapacity(_ capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func write(_ byte: UInt8) { bytes.append(byte) }

  mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func write(_ bytes: ArraySlice<UInt8>) { self.bytes.append(contentsOf: bytes) }

  /// Writes text that is JSON already.
  mutating func write(literal: String) { bytes.append(contentsOf: literal.utf8) }

  /// Writes a whole number.
  mutating func write<Integer: FixedWidthInteger>(integer: Integer) {
    guard Integer.bitWidth <= 64 else { return write(literal: String(integer)) }
    var rest = UInt64(integer.magnitude)
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    // Digits come out last first, and 2⁶⁴ has 20 of them.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      repeat {
        start &-= 1
        unsafe digits[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      unsafe bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start..<20]))
    }
  }

  /// Writes a string with its quotation marks, in runs between the characters that need an escape.
  mutating func write(string: String) {
    // runStart <= position <= count throughout.
    unsafe string.withUTF8Bytes { text in
      bytes.append(UInt8(ascii: "\""))
      var runStart = 0
      var position = unsafe Self.firstSpecialByte(in: text, from: 0)
      while position < text.count {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart..<position]))
        unsafe writeEscape(of: text[position])
        runStart = position &+ 1
        position = unsafe Self.firstSpecialByte(in: text, from: runStart)
      }
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart...]))
      bytes.append(UInt8(ascii: "\""))
    }
  }

  private mutating func writeEscape(of byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x00..<0x20:
      let digit = byte & 0xF
      write("u00")
      bytes.append(UInt8(ascii: "0") &+ byte >> 4)
      bytes.append(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10)
    default: bytes.append(byte)  // " and \
    }
  }

  /// The position of the first byte from `start` on that needs an escape, or the end.
  private static func firstSpecialByte(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard let base = unsafe UnsafeRawPointer(text.baseAddress) else { return text.count }
    var offset = start
    // Loads end at offset + 8 <= count.
    while offset &+ 8 <= text.count {
      let marks = unsafe specialBytes(
        in: UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), includingNonASCII: false)
      if marks != 0 { return offset &+ marks.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < text.count {
      let byte = unsafe text[offset]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      offset &+= 1
    }
    return offset
  }
}

extension JSONValue {
  /// The value as JSON text in UTF-8.
  ///
  /// The same value and options give the same bytes, everywhere and always.
  public func serialized(options: JSONSerializationOptions = .compact) -> [UInt8] {
    var writer = JSONWriter()
    writer.reserveCapacity(256)
    writer.write(self, options: options, level: 0)
    return writer.bytes
  }
}

extension JSONObject {
  /// The object as JSON text in UTF-8, as ``JSONValue/serialized(options:)`` writes it.
  public func serialized(options: JSONSerializationOptions = .compact) -> [UInt8] {
    JSONValue.object(self).serialized(options: options)
  }
}

extension JSONWriter {
  /// Writes a value. One call per level of nesting.
  mutating func write(_ value: JSONValue, options: JSONSerializationOptions, level: Int) {
    switch value {
    case .null: write("null")
    case .bool(let value): write(value ? "true" : "false")
    case .number(let value): write(literal: value.literal)
    case .string(let value): write(string: value)
    case .array(let elements):
      write(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        startLine(options, level: level + 1, isFirst: position == 0)
        write(element, options: options, level: level + 1)
      }
      endContainer(UInt8(ascii: "]"), options, level: level, isEmpty: elements.isEmpty)
    case .object(let object):
      write(UInt8(ascii: "{"))
      let members = options.sortsMembers ? object.canonicallyOrderedMembers : object.members
      for (position, member) in members.enumerated() {
        startLine(options, level: level + 1, isFirst: position == 0)
        write(string: member.name)
        write(options.isPretty ? " : " : ":")
        write(member.value, options: options, level: level + 1)
      }
      endContainer(UInt8(ascii: "}"), options, level: level, isEmpty: members.isEmpty)
    }
  }

  private mutating func startLine(_ options: JSONSerializationOptions, level: Int, isFirst: Bool) {
    if !isFirst { write(UInt8(ascii: ",")) }
    if options.isPretty { breakLine(level: level) }
  }

  private mutating func endContainer(_ bracket: UInt8, _ options: JSONSerializationOptions, level: Int, isEmpty: Bool) {
    if options.isPretty {
      // Foundation puts an empty line between the brackets of an empty container.
      if isEmpty { write(UInt8(ascii: "\n")) }
      breakLine(level: level)
    }
    write(bracket)
  }

  private mutating func breakLine(level: Int) {
    write(UInt8(ascii: "\n"))
    for _ in 0..<level { write("  ") }
  }
}
