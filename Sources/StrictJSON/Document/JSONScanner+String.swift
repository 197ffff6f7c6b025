extension JSONScanner {
  /// Reads a string from its opening to its closing quotation mark and adds its entry.
  ///
  /// Text without escapes stays where it is. A string with escapes is copied without them, once, so that every later
  /// reader and comparison meets the bytes that are meant.
  @discardableResult
  mutating func scanString() throws(JSONError) -> JSONNode.Flags {
    position &+= 1
    var runStart = position
    var unescapedStart = -1
    var flags = JSONNode.Flags()
    while true {
      skipPlainASCII()
      guard unsafe position < input.count else { throw failure("the text ends within a string") }
      let byte = unsafe input[position]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        if unescapedStart < 0 { unescapedStart = unescapedText.count }
        unsafe unescapedText.append(contentsOf: UnsafeBufferPointer(rebasing: input[runStart..<position]))
        if try scanEscape() >= 0x80 { flags.insert(.hasNonASCII) }
        runStart = position
      } else if byte >= 0x80 {
        try skipNonASCII()
        flags.insert(.hasNonASCII)
      } else {
        throw failure("a control character in a string is not escaped")
      }
    }
    if unescapedStart < 0 {
      append(.string, from: runStart, to: position, flags)
    } else {
      unsafe unescapedText.append(contentsOf: UnsafeBufferPointer(rebasing: input[runStart..<position]))
      // The text without escapes will stand behind the source.
      unsafe append(
        .string, from: input.count &+ unescapedStart, to: input.count &+ unescapedText.count,
        flags.union(.isUnescaped))
    }
    position &+= 1
    return flags
  }

  /// Moves to the next quotation mark, backslash, control character, byte above 7F, or the end.
  @inline(__always)
  private mutating func skipPlainASCII() {
    guard let base = unsafe UnsafeRawPointer(input.baseAddress) else { return }
    let count = unsafe input.count
    var offset = position
    // Most strings end within these.
    var end = min(count, offset &+ 64)
    while true {
      // Loads end at offset + 8 <= end <= count.
      while offset &+ 8 <= end {
        let stops = unsafe Self.stops(base, offset)
        if stops != 0 {
          position = offset &+ stops.trailingZeroBitCount / 8
          return
        }
        offset &+= 8
      }
      if end == count { break }
      offset = unsafe Self.skipLongPlainASCII(base, from: offset, count: count)
      end = count
    }
    while offset < count {
      let byte = unsafe input[offset]
      if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      offset &+= 1
    }
    position = offset
  }

  /// The octets of a word that end a run of plain ASCII, as ``specialBytes(in:includingNonASCII:)`` marks them.
  @inline(__always)
  private static func stops(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    unsafe specialBytes(
      in: UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), includingNonASCII: true)
  }

  /// The place of the first 32 octets, or fewer at the end, that are not all plain ASCII. Out of line, where what
  /// stands around it does not decide how fast its loop is.
  @inline(never)
  private static func skipLongPlainASCII(_ base: UnsafeRawPointer, from start: Int, count: Int) -> Int {
    var offset = start
    while offset &+ 32 <= count {
      let low = unsafe stops(base, offset) | stops(base, offset &+ 8)
      let high = unsafe stops(base, offset &+ 16) | stops(base, offset &+ 24)
      if low | high != 0 { break }
      offset &+= 32
    }
    return offset
  }

  /// Passes one well-formed sequence of two to four bytes (Unicode Standard, table 3-7).
  private mutating func skipNonASCII() throws(JSONError) {
    let lead = unsafe input[position]
    var continuationCount = 1
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: break
    case 0xE0: (continuationCount, second) = (2, 0xA0...0xBF)  // no overlong forms
    case 0xED: (continuationCount, second) = (2, 0x80...0x9F)  // no surrogates
    case 0xE1...0xEF: continuationCount = 2
    case 0xF0: (continuationCount, second) = (3, 0x90...0xBF)  // no overlong forms
    case 0xF1...0xF3: continuationCount = 3
    case 0xF4: (continuationCount, second) = (3, 0x80...0x8F)  // nothing above U+10FFFF
    default: throw invalidUTF8()
    }
    guard unsafe input.count &- position > continuationCount, unsafe second.contains(input[position &+ 1]) else {
      throw invalidUTF8()
    }
    var offset = 2
    while offset <= continuationCount {
      guard unsafe input[position &+ offset] & 0xC0 == 0x80 else { throw invalidUTF8() }
      offset &+= 1
    }
    position &+= continuationCount &+ 1
  }

  /// Reads one escape from its backslash on, adds the UTF-8 of what it means, and returns the code point.
  private mutating func scanEscape() throws(JSONError) -> UInt32 {
    guard unsafe input.count &- position >= 2 else { throw failure("the text ends within an escape") }
    let letter = unsafe input[position &+ 1]
    let byte: UInt8
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = letter
    case UInt8(ascii: "b"): byte = 0x08
    case UInt8(ascii: "t"): byte = 0x09
    case UInt8(ascii: "n"): byte = 0x0A
    case UInt8(ascii: "f"): byte = 0x0C
    case UInt8(ascii: "r"): byte = 0x0D
    case UInt8(ascii: "u"): return try scanUnicodeEscape()
    default: throw failure("the escape is not one of JSON's")
    }
    position &+= 2
    unescapedText.append(byte)
    return UInt32(byte)
  }

  private mutating func scanUnicodeEscape() throws(JSONError) -> UInt32 {
    let start = position
    var code = try scanCodeUnit()
    switch code {
    case 0xD800...0xDBFF:
      guard unsafe input.count &- position >= 2, unsafe input[position] == UInt8(ascii: "\\"),
        unsafe input[position &+ 1] == UInt8(ascii: "u")
      else { throw JSONError(.invalidUTF8, "an escape names half a surrogate pair", at: start) }
      let low = try scanCodeUnit()
      guard (0xDC00...0xDFFF).contains(low) else {
        throw JSONError(.invalidUTF8, "an escape names half a surrogate pair", at: start)
      }
      // 10000 + 400·(high − D800) + (low − DC00) <= 10FFFF
      code = 0x10000 &+ (code &- 0xD800) << 10 &+ (low &- 0xDC00)
    case 0xDC00...0xDFFF:
      throw JSONError(.invalidUTF8, "an escape names half a surrogate pair", at: start)
    default: break
    }
    appendUTF8(of: code)
    return code
  }

  /// Reads `\uXXXX`.
  private mutating func scanCodeUnit() throws(JSONError) -> UInt32 {
    guard unsafe input.count &- position >= 6 else { throw failure("an escape lacks hexadecimal digits") }
    var unit: UInt32 = 0
    for offset in 2..<6 {
      let byte = unsafe input[position &+ offset]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
      default: throw failure("an escape lacks hexadecimal digits")
      }
      unit = unit << 4 | UInt32(digit)
    }
    position &+= 6
    return unit
  }

  private mutating func appendUTF8(of code: UInt32) {
    func continuation(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (code >> shift & 0x3F)) }
    switch code {
    case ..<0x80:
      unescapedText.append(UInt8(truncatingIfNeeded: code))
    case ..<0x800:
      unescapedText.append(UInt8(truncatingIfNeeded: 0xC0 | code >> 6))
      unescapedText.append(continuation(0))
    case ..<0x10000:
      unescapedText.append(UInt8(truncatingIfNeeded: 0xE0 | code >> 12))
      unescapedText.append(continuation(6))
      unescapedText.append(continuation(0))
    default:
      unescapedText.append(UInt8(truncatingIfNeeded: 0xF0 | code >> 18))
      unescapedText.append(continuation(12))
      unescapedText.append(continuation(6))
      unescapedText.append(continuation(0))
    }
  }

  private func invalidUTF8() -> JSONError {
    JSONError(.invalidUTF8, "a string is not valid UTF-8", at: position)
  }
}
