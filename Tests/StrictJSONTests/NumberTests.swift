import PureJOSETestSupport
import StrictJSON
import Testing

@Suite("Numbers, exact and never trapping")
struct NumberTests {
  static let integers: [(String, Int64?)] = [
    ("0", 0), ("-0", 0), ("0.0", 0), ("0e9", 0), ("-0.000e-999999999999999999999", 0), ("1", 1), ("-1", -1), ("1.0", 1),
    ("1.000", 1), ("-1.0", -1), ("1e3", 1000), ("1E+3", 1000), ("1.5e1", 15), ("1.5", nil), ("0.1", nil), ("1e-1", nil),
    ("100e-2", 1), ("100e-3", nil), ("120.50e2", 12050), ("0.001e3", 1), ("0.0015e3", nil), ("10.0e-1", 1),
    ("9223372036854775807", .max), ("9223372036854775808", nil), ("-9223372036854775808", .min),
    ("-9223372036854775809", nil), ("9223372036854775807.0", .max), ("9223372036854775807.5", nil),
    ("9.223372036854775807e18", .max), ("922337203685477580700e-2", .max),
    ("999999999999999999", 999_999_999_999_999_999),
    ("-999999999999999999", -999_999_999_999_999_999), ("1000000000000000000", 1_000_000_000_000_000_000),
    ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("1e38", nil), ("1e39", nil), ("1e300", nil), ("1e-300", nil),
    ("1" + String(repeating: "0", count: 300), nil), ("1" + String(repeating: "0", count: 300) + "e-300", 1),
    ("0." + String(repeating: "0", count: 299) + "7e300", 7), ("0e99999999999999999999999999", 0),
    ("1e-99999999999999999999999999", nil), ("18446744073709551616", nil),
    ("340282366920938463463374607431768211456", nil), ("340282366920938463463374607431768211455", nil),
    ("-340282366920938463463374607431768211455", nil),
  ]

  @Test("Exact integers in a tree and through the decoder", arguments: integers)
  func exactInteger(_ text: String, _ expected: Int64?) throws {
    let value = try parsed(text)
    #expect(value.int64Value == expected)
    #expect(value.numberValue?.literal == text)
    #expect((try? StrictJSONDecoder().decode(Int64.self, from: text.utf8)) == expected)
    #expect(try StrictJSONDecoder().decode(JSONNumber.self, from: text.utf8).literal == text)
    #expect((try? JSONDocument(parsing: text.utf8).root.integer(Int64.self)) == expected)
  }

  @Test("The edges of every integer type")
  func integerEdges() throws {
    func check<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws {
      let decoder = StrictJSONDecoder()
      #expect(try decoder.decode(type, from: String(Integer.max).utf8) == .max)
      #expect(try decoder.decode(type, from: String(Integer.min).utf8) == .min)
      #expect(try decoder.decode(type, from: "\(Integer.max).0".utf8) == .max)
      // One past the edge, by adding one to the last digit: no maximum ends in 9 and no minimum below 0 does.
      func oneMore(_ text: String) -> String {
        var bytes = Array(text.utf8)
        bytes[bytes.count - 1] += 1
        return String(decoding: bytes, as: UTF8.self)
      }
      #expect(throws: DecodingError.self) { try decoder.decode(type, from: oneMore(String(Integer.max)).utf8) }
      let belowMinimum = Integer.isSigned ? oneMore(String(Integer.min)) : "-1"
      #expect(throws: DecodingError.self) { try decoder.decode(type, from: belowMinimum.utf8) }
      #expect(JSONNumber(Integer.max).exactly(type) == .max)
      #expect(try JSONNumber(literal: belowMinimum).exactly(type) == nil)
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(Int.self)
    try check(Int128.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(UInt.self)
    try check(UInt128.self)
  }

  static let doubles: [(String, Double)] = [
    ("0", 0), ("1", 1), ("-1.5", -1.5), ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23), ("1e-22", 1e-22),
    ("1e-23", 1e-23),
    ("123456789012345", 123_456_789_012_345), ("1234567890123456", 1_234_567_890_123_456),
    ("9007199254740992", 9_007_199_254_740_992), ("9007199254740993", 9_007_199_254_740_992),
    ("9007199254740995", 9_007_199_254_740_996), ("9007199254740993.0000000000000000000001", 9_007_199_254_740_994),
    ("18446744073709551615", 18_446_744_073_709_551_616), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ("1.7976931348623158e308", .greatestFiniteMagnitude), ("2.2250738585072014e-308", .leastNormalMagnitude),
    ("4.9e-324", .leastNonzeroMagnitude), ("2e-324", 0), ("1e-400", 0), ("4102444800.5", 4_102_444_800.5),
    ("0.3", 0.3), ("2.5e-1", 0.25), ("6.02214076e23", 6.02214076e23), ("100000e-5", 1),
    ("179769313486231570000000000000000000000e270", .greatestFiniteMagnitude),
  ]

  @Test("Nearest Double", arguments: doubles)
  func nearestDouble(_ text: String, _ expected: Double) throws {
    #expect(try parsed(text).doubleValue == expected)
    #expect(try StrictJSONDecoder().decode(Double.self, from: text.utf8) == expected)
    #expect(
      try StrictJSONDecoder().decode(Double.self, from: "-\(text.drop { $0 == "-" })".utf8).magnitude
        == expected.magnitude)
  }

  @Test("Negative zero keeps its sign as Double and is 0 as an integer")
  func negativeZero() throws {
    for text in ["-0", "-0.0", "-0e5", "-1e-999"] {
      #expect(try parsed(text).doubleValue?.sign == .minus)
      #expect(try StrictJSONDecoder().decode(Double.self, from: text.utf8).sign == .minus)
      #expect(try StrictJSONDecoder().decode(Float.self, from: text.utf8).sign == .minus)
    }
    #expect(try StrictJSONDecoder().decode(UInt8.self, from: "-0".utf8) == 0)
    #expect(try JSONNumber(-0.0).literal == "-0")
  }

  @Test("Random Doubles agree with the standard library, in every way of writing them")
  func randomDoubles() throws {
    var generator = SeededGenerator(seed: 1)
    var count = 0
    while count < 20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      count += 1
      let number = try JSONNumber(value)
      #expect(number.double == value, "\(value)")
      #expect(Double(number.literal) == value)
      #expect(try parsed(number.literal).doubleValue == value)
      let small = Double(Int64.random(in: -999_999...999_999, using: &generator)) / 1000
      let text =
        "\(Int64.random(in: -99_999...99_999, using: &generator)).\(UInt64.random(in: 0...99_999, using: &generator))"
      #expect(try JSONNumber(small).double == small)
      #expect(try parsed(text).doubleValue == Double(text), "\(text)")
    }
  }

  static let written: [(Double, String)] = [
    (0, "0"), (1, "1"), (-1, "-1"), (1.5, "1.5"), (0.1, "0.1"), (100, "100"), (1e15, "1000000000000000"),
    (1e16, "10000000000000000"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.5e21, "1.5e+21"),
    (1.2345678901234568e20, "123456789012345680000"), (0.001, "0.001"), (0.000001, "0.000001"),
    (0.0000015, "0.0000015"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (333333333.33333329, "333333333.3333333"),
    (1e30, "1e+30"), (4.50, "4.5"), (2e-3, "0.002"), (1e-27, "1e-27"), (.leastNonzeroMagnitude, "5e-324"),
    (-.leastNonzeroMagnitude, "-5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (9_007_199_254_740_992, "9007199254740992"), (2.9514790517935283e20, "295147905179352830000"),
    (9.999999999999997e20, "999999999999999700000"), (9.999999999999997e22, "9.999999999999997e+22"),
    (1e23, "1e+23"), (12.34, "12.34"), (-12.034, "-12.034"),
  ]

  @Test("Doubles are written in the form of RFC 8785", arguments: written)
  func writtenForm(_ value: Double, _ text: String) throws {
    #expect(try JSONNumber(value).literal == text)
    #expect(String(decoding: try StrictJSONEncoder().encode(value), as: UTF8.self) == text)
  }

  @Test("Floats are written and read at their own precision")
  func floats() throws {
    #expect(try JSONNumber(Float(0.1)).literal == "0.1")
    #expect(String(decoding: try StrictJSONEncoder().encode(Float(16_777_216)), as: UTF8.self) == "16777216")
    // Halfway between two Floats plus a little that a Double can't hold: through Double it would round down.
    #expect(try StrictJSONDecoder().decode(Float.self, from: "1.00000005960464477540".utf8) == Float(1).nextUp)
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode(Float.self, from: "1e39".utf8) }
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode(Float.self, from: "-1e39".utf8) }
    #expect(try StrictJSONDecoder().decode(Float.self, from: "1e-60".utf8) == 0)
  }

  @Test("A number is made only from the text of one")
  func literals() throws {
    for text in ["0", "-0", "12345678901234567890.10", "1E5", "0.1e-2"] {
      #expect(try JSONNumber(literal: text).literal == text)
      #expect(try JSONNumber(literal: text).description == text)
    }
    for text in ["", " 1", "1 ", "\n1", "+1", "01", "1.", ".5", "NaN", "0x1", "1,2", "[1]", "\"1\"", "null", "1\u{0}"] {
      #expect(throws: JSONError(.malformed, "")) { try JSONNumber(literal: text) }
    }
    #expect(throws: JSONError(.numberOutOfRange, "")) { try JSONNumber(literal: "1e400") }
    #expect(throws: JSONError(.numberOutOfRange, "")) { try JSONNumber(Double.infinity) }
    #expect(throws: JSONError(.numberOutOfRange, "")) { try JSONNumber(Double.nan) }
    #expect(throws: JSONError(.numberOutOfRange, "")) { try JSONNumber(-Float.infinity) }
  }

  @Test("Equality is that of the text")
  func equality() throws {
    #expect(JSONNumber(1) == JSONNumber(UInt8(1)))
    #expect(try JSONNumber(literal: "1.0") != JSONNumber(1))
    #expect(try JSONNumber(literal: "1.0").int64 == JSONNumber(1).int64)
  }
}
