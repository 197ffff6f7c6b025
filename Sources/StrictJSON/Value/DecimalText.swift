/// The text of a number in JSON's grammar, read as sign · digits · 10^exponent without rounding.
///
/// Lengths and exponents are `Int64`. A text is shorter than 2³¹ bytes, and an exponent gains no more digits once it
/// has passed 2⁴⁰, far beyond what a text of that length can make up for; so no sum below overflows.
@safe struct DecimalText {
  // Lent for as long as the value lives, which is within one call. Every position that is read is below its count: a
  // loop compares, and the ranges below are places of digits that a loop has passed.
  private let text: UnsafeBufferPointer<UInt8>
  let isNegative: Bool
  /// The digits before the point, as positions in the text.
  private let integerDigits: Range<Int>
  /// The digits after the point.
  private let fractionDigits: Range<Int>
  /// The number after `e`, below 2⁴⁴ in magnitude.
  private let exponent: Int64

  /// Takes a text that the scanner, or `init(checking:)`, has found to be a number.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    unsafe self.text = text
    var position = 0
    isNegative = unsafe text.first == UInt8(ascii: "-")
    if isNegative { position = 1 }
    let integerStart = position
    while position < text.count, unsafe isDigit(text[position]) { position &+= 1 }
    integerDigits = integerStart..<position
    if position < text.count, unsafe text[position] == UInt8(ascii: ".") {
      position &+= 1
      let fractionStart = position
      while position < text.count, unsafe isDigit(text[position]) { position &+= 1 }
      fractionDigits = fractionStart..<position
    } else {
      fractionDigits = position..<position
    }
    var exponent: Int64 = 0
    if position < text.count {
      position &+= 1
      var isExponentNegative = false
      if position < text.count, unsafe !isDigit(text[position]) {
        isExponentNegative = unsafe text[position] == UInt8(ascii: "-")
        position &+= 1
      }
      while position < text.count {
        if exponent < 1 << 40 { exponent = unsafe exponent &* 10 &+ Int64(text[position] &- UInt8(ascii: "0")) }
        position &+= 1
      }
      if isExponentNegative { exponent = 0 &- exponent }
    }
    self.exponent = exponent
  }

  /// The digits that count, without zeros at either end, and the exponent of the last one; nil for zero.
  private struct Significand {
    /// Positions in the text of the first and last digit that is not 0. A point may stand between them.
    var first: Int
    var last: Int
    /// How many digits there are from first to last.
    var digitCount: Int64
    /// The value is the digits, read as an integer, times 10^exponent.
    var exponent: Int64
  }

  private var significand: Significand? {
    var first = integerDigits.lowerBound
    while first < fractionDigits.upperBound, unsafe !isNonzeroDigit(text[first]) { first &+= 1 }
    guard first < fractionDigits.upperBound else { return nil }
    var last = fractionDigits.upperBound &- 1
    // Ends at `first`, if not before.
    while unsafe !isNonzeroDigit(text[last]) { last &-= 1 }
    var digitCount = Int64(last &- first &+ 1)
    if first < integerDigits.upperBound, last >= fractionDigits.lowerBound, !fractionDigits.isEmpty { digitCount &-= 1 }
    // The digit before the point has place 0, the first one after it place −1.
    let place =
      last < integerDigits.upperBound
      ? Int64(integerDigits.upperBound &- 1 &- last) : Int64(fractionDigits.lowerBound &- 1 &- last)
    return Significand(first: first, last: last, digitCount: digitCount, exponent: place &+ exponent)
  }

  /// Whether the nearest `Double` is finite.
  ///
  /// With 10^d <= |value| < 10^(d+1): finite for d <= 307, infinite for d >= 309, and only at 308 a matter of digits
  /// (the largest `Double` is 1.797…·10³⁰⁸).
  var isFinite: Bool {
    guard let significand else { return true }
    let leadingPlace = significand.exponent &+ significand.digitCount &- 1
    if leadingPlace <= 307 { return true }
    if leadingPlace >= 309 { return false }
    return parsed(as: Double.self).isFinite
  }

  /// The value as an integer type.
  enum IntegerReading<Integer> {
    case exactly(Integer)
    case outOfRange
    case hasFraction
  }

  /// The exact integer value: `1.0` and `1e3` are integers, `1.5` is not.
  func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> IntegerReading<Integer> {
    guard let significand else { return .exactly(0) }
    guard significand.exponent >= 0 else { return .hasFraction }
    guard significand.exponent <= 38, var magnitude = magnitude(significand) else { return .outOfRange }
    for _ in 0..<significand.exponent {
      guard appendDigit(0, to: &magnitude) else { return .outOfRange }
    }
    if !isNegative {
      guard let value = Integer(exactly: magnitude) else { return .outOfRange }
      return .exactly(value)
    }
    // −2¹²⁷ is the lowest value of any type that comes here, so −magnitude as two's complement is exact.
    guard magnitude <= 1 << 127, let value = Integer(exactly: Int128(truncatingIfNeeded: 0 &- magnitude)) else {
      return .outOfRange
    }
    return .exactly(value)
  }

  /// The digits that count as an integer; nil if they need more than 128 bits.
  private func magnitude(_ significand: Significand) -> UInt128? {
    // 39 digits are what UInt128 can hold.
    guard significand.digitCount <= 39 else { return nil }
    var magnitude: UInt128 = 0
    for position in significand.first...significand.last where unsafe text[position] != UInt8(ascii: ".") {
      guard unsafe appendDigit(text[position] &- UInt8(ascii: "0"), to: &magnitude) else { return nil }
    }
    return magnitude
  }

  /// The value as ±magnitude · 10^exponent, the magnitude without zeros at its end; nil if it needs more than 128
  /// bits.
  var scaledInteger: (isNegative: Bool, magnitude: UInt128, exponent: Int)? {
    guard let significand else { return (isNegative, 0, 0) }
    return magnitude(significand).map { (isNegative, $0, Int(significand.exponent)) }
  }

  private func appendDigit(_ digit: UInt8, to magnitude: inout UInt128) -> Bool {
    let (product, productOverflows) = magnitude.multipliedReportingOverflow(by: 10)
    let (sum, sumOverflows) = product.addingReportingOverflow(UInt128(digit))
    magnitude = sum
    return !productOverflows && !sumOverflows
  }

  /// The nearest `Double`, ties to even; −0 keeps its sign.
  var double: Double {
    guard let significand else { return isNegative ? -0.0 : 0 }
    // Digits below 2⁵³ and powers of ten up to 10²² are exact, so one multiplication or division rounds once.
    if significand.digitCount <= 15, significand.exponent.magnitude <= 22 {
      var digits: Int64 = 0
      for position in significand.first...significand.last where unsafe text[position] != UInt8(ascii: ".") {
        digits = unsafe digits &* 10 &+ Int64(text[position] &- UInt8(ascii: "0"))
      }
      let power = powersOfTen[Int(significand.exponent.magnitude)]
      let magnitude = significand.exponent < 0 ? Double(digits) / power : Double(digits) * power
      return isNegative ? -magnitude : magnitude
    }
    return parsed(as: Double.self)
  }

  /// The nearest `Float`, directly and not through `Double`, which would round twice. Infinite when out of range.
  var float: Float { parsed(as: Float.self) }

  private func parsed<Value: BinaryFloatingPoint & LosslessStringConvertible>(as _: Value.Type) -> Value {
    // The standard library rounds correctly and takes all of JSON's grammar.
    unsafe Value(String(decoding: text, as: UTF8.self)) ?? .infinity
  }
}

@inline(__always)
private func isNonzeroDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "1") < 9 }

/// 10⁰ … 10²², all exact.
private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]
