extension JSONScanner {
  /// Reads a number and adds its entry. A number too large for a finite `Double` is refused here already.
  ///
  /// Grammar: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`. What follows the number is the caller's concern.
  mutating func scanNumber() throws(JSONError) {
    let start = position
    if unsafe input[position] == UInt8(ascii: "-") { position &+= 1 }

    let integerStart = position
    guard let first = peek(), isDigit(first) else { throw failure("a number lacks digits") }
    if first == UInt8(ascii: "0") { position &+= 1 } else { skipDigits() }
    let integerDigitCount = position &- integerStart

    var flags: JSONNode.Flags = .isPlainInteger
    var needsRangeCheck = integerDigitCount > 308
    if peek() == UInt8(ascii: ".") {
      flags = .init()
      position &+= 1
      guard let digit = peek(), isDigit(digit) else { throw failure("a number lacks digits after the point") }
      skipDigits()
    }
    if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
      flags = .init()
      needsRangeCheck = true
      position &+= 1
      if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position &+= 1 }
      guard let digit = peek(), isDigit(digit) else { throw failure("a number lacks digits in its exponent") }
      skipDigits()
    }
    // Without exponent and with at most 308 integer digits the value is below 10³⁰⁸, and so finite.
    if needsRangeCheck, unsafe !DecimalText(UnsafeBufferPointer(rebasing: input[start..<position])).isFinite {
      throw JSONError(.numberOutOfRange, "a number is larger than a Double can be", at: start)
    }
    append(.number, from: start, to: position, flags)
  }

  @inline(__always)
  private mutating func skipDigits() {
    while unsafe position < input.count, unsafe isDigit(input[position]) { position &+= 1 }
  }
}

@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
