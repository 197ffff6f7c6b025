/// A JSON number, kept as the text that stood in the document.
///
/// Nothing is lost on the way through: `12345678901234567890.10` is written again as it was read. Two numbers are equal
/// when their texts are; compare ``int64`` or ``double`` to compare values.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The text, in JSON's grammar, with a finite nearest `Double`.
  public let literal: String

  init(validLiteral: String) {
    literal = validLiteral
  }

  /// A number from its text.
  /// - Throws: ``JSONError/Code/malformed`` when the text is not a JSON number,
  ///   ``JSONError/Code/numberOutOfRange`` when no finite `Double` is near it.
  public init(literal: String) throws(JSONError) {
    let tape = try JSONDocument(parsing: literal.utf8, limits: .ownText).tape
    // A number that spans the whole text has no white space around it.
    guard tape.node(at: 0).kind == .number, tape.node(at: 0).end &- tape.node(at: 0).start == literal.utf8.count else {
      throw JSONError(.malformed, "the text is not a number")
    }
    self.literal = literal
  }

  /// A whole number.
  public init(_ value: some BinaryInteger) {
    literal = String(value)
  }

  /// A floating-point number, written with the fewest digits that give it back, in the form of RFC 8785 §3.2.2.3.
  ///
  /// Negative zero is written as `-0`, where that RFC has `0`.
  /// - Throws: ``JSONError/Code/numberOutOfRange`` for infinities and NaN.
  public init(_ value: Double) throws(JSONError) {
    guard value.isFinite else { throw JSONError(.numberOutOfRange, "a number must be finite") }
    literal = shortestText(description: value.description)
  }

  /// A floating-point number of single precision, written with the fewest digits that give it back.
  /// - Throws: ``JSONError/Code/numberOutOfRange`` for infinities and NaN.
  package init(_ value: Float) throws(JSONError) {
    guard value.isFinite else { throw JSONError(.numberOutOfRange, "a number must be finite") }
    literal = shortestText(description: value.description)
  }

  /// The exact value, when the number is whole and fits: `1.0` and `1e3` are whole, `1.5` is not.
  public var int64: Int64? { exactly(Int64.self) }

  /// The exact value as an integer type, when the number is whole and fits.
  package func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    unsafe literal.withUTF8Bytes { text in
      if case .exactly(let value) = unsafe DecimalText(text).integer(type) { value } else { nil }
    }
  }

  /// The exact value as ±magnitude · 10^exponent, the magnitude without zeros at its end; nil if it needs more than
  /// 128 bits.
  package var scaledInteger: (isNegative: Bool, magnitude: UInt128, exponent: Int)? {
    unsafe literal.withUTF8Bytes { unsafe DecimalText($0).scaledInteger }
  }

  /// The nearest `Double`, always finite.
  public var double: Double {
    unsafe literal.withUTF8Bytes { unsafe DecimalText($0).double }
  }

  /// The number as it was written.
  public var description: String { literal }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
  /// A whole number.
  public init(integerLiteral value: Int64) { self.init(value) }
}

/// Rewrites Swift's shortest text of a finite number as ECMAScript, and so RFC 8785, writes the same digits.
///
/// Swift gives the fewest digits that identify the value, in one of the forms `12.5`, `1.25e+20`, `5e-324`.
func shortestText(description: String) -> String {
  var digits: [UInt8] = []
  var isNegative = false
  var pointPlace: Int?
  var exponent = 0
  var rest = description.utf8[...]
  while let byte = rest.popFirst() {
    switch byte {
    case UInt8(ascii: "-"): isNegative = true
    case UInt8(ascii: "."): pointPlace = digits.count
    case UInt8(ascii: "e"):
      exponent = Int(Substring(rest)) ?? 0
      rest = rest.suffix(0)
    default: digits.append(byte)
    }
  }
  // The value is 0.d₁d₂… · 10^place.
  var place = (pointPlace ?? digits.count) &+ exponent
  let leadingZeroCount = digits.prefix { $0 == UInt8(ascii: "0") }.count
  digits.removeFirst(leadingZeroCount)
  place &-= leadingZeroCount
  while digits.last == UInt8(ascii: "0") { digits.removeLast() }

  var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
  let zero = UInt8(ascii: "0")
  let point = UInt8(ascii: ".")
  switch place {
  case _ where digits.isEmpty:
    text.append(zero)
  case digits.count...21:
    text += digits
    text.append(contentsOf: repeatElement(zero, count: place - digits.count))
  case 1...21:
    text += digits[..<place]
    text.append(point)
    text += digits[place...]
  case -5...0:
    text += [zero, point]
    text.append(contentsOf: repeatElement(zero, count: -place))
    text += digits
  default:
    text.append(digits[0])
    if digits.count > 1 {
      text.append(point)
      text += digits[1...]
    }
    text += "e\(place > 0 ? "+" : "")\(place - 1)".utf8
  }
  return String(decoding: text, as: UTF8.self)
}
