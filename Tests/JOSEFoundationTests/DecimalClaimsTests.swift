import Foundation
import JOSE
import JOSEFoundation
import StrictJSON
import Testing

@Suite("Decimal in claims")
struct DecimalClaimsTests {
  struct Invoice: Codable, Equatable {
    var total: Decimal
    var discount: Decimal?
    var absent: Decimal?
    var lines: [Decimal]
    var optionals: [Decimal?]
    var taxes: [String: Decimal]
    var nested: Nested
    // What numbers of other types become is as before.
    var count: Int
    var ratio: Double
    var large: UInt64

    struct Nested: Codable, Equatable {
      var amounts: [[Decimal]]
    }
  }

  private static func decimal(_ text: String) throws -> Decimal {
    try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
  }

  private static func written(_ value: some Encodable) throws -> String {
    String(decoding: try StrictJSONEncoder().encode(value), as: UTF8.self)
  }

  private static func read(_ text: String) throws -> Decimal {
    try #require(try StrictJSONDecoder().decode([Decimal].self, from: Array("[\(text)]".utf8)).first)
  }

  @Test("decimals are JSON numbers in both directions, wherever they stand")
  func claims() throws {
    let invoice = Invoice(
      total: try Self.decimal("1234.56"), discount: try Self.decimal("0.1"), absent: nil,
      lines: [try Self.decimal("0.30"), -1], optionals: [nil, try Self.decimal("2.5")],
      taxes: ["vat": try Self.decimal("99999999999999999999999999999999999999")],
      nested: Invoice.Nested(amounts: [[try Self.decimal("-0.001")], []]), count: -3, ratio: 0.1, large: .max)
    let key = try SigningKey.generate(.es256)
    let token = try JWT.sign(invoice, with: key)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [])
    let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
    #expect(try verifier.verify(token, as: Invoice.self).claims == invoice)
    let json = String(decoding: try verifier.verify(token).claims.serialized(), as: UTF8.self)
    #expect(
      json
        == #"{"total":1234.56,"discount":0.1,"lines":[0.3,-1],"optionals":[null,2.5],"#
        + #""taxes":{"vat":99999999999999999999999999999999999999},"nested":{"amounts":[[-0.001],[]]},"#
        + #""count":-3,"ratio":0.1,"large":18446744073709551615}"#)
  }

  @Test(
    "each number comes out as it went in, none by way of Double",
    arguments: [
      ("0", "0"), ("-0", "0"), ("0.0e5", "0"), ("1", "1"), ("1.0", "1"), ("1e3", "1000"), ("-1E-2", "-0.01"),
      ("0.1", "0.1"), ("0.30000000000000004", "0.30000000000000004"), ("9007199254740993", "9007199254740993"),
      ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
      ("18446744073709551616", "18446744073709551616"), ("1.8446744073709551616", "1.8446744073709551616"),
      ("12345678901234567890123456789.012345678", "12345678901234567890123456789.012345678"),
      ("12.500e1", "125"), ("1e127", "1" + String(repeating: "0", count: 127)),
      (
        "34028236692093846346337460743176821145.5e128",
        "340282366920938463463374607431768211455" + String(repeating: "0", count: 127)
      ),
      ("-25e-128", "-0." + String(repeating: "0", count: 126) + "25"),
    ])
  func exact(text: String, expected: String) throws {
    let value = try Self.read(text)
    #expect(value.description == expected)
    #expect(try Self.written(value) == expected)
    #expect(try Self.read(Self.written(value)) == value)
  }

  @Test(
    "a value that isn't a number or that Decimal can't hold exactly is refused",
    arguments: [
      "340282366920938463463374607431768211456", "1234567890123456789012345678901234567890.5", "1e-129", "1.5e-128",
      "1e128", "1e166", "1e308", "\"1\"", "null", "true", "{}", #"{"exponent":0,"length":1}"#,
    ])
  func refused(text: String) {
    #expect(throws: DecodingError.self) { try Self.read(text) }
  }

  @Test("the greatest and the least decimals survive a round trip, and NaN is refused")
  func extremes() throws {
    for value in [
      Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude, Decimal(UInt64.max),
      .pi,
    ] {
      #expect(try Self.read(Self.written(value)) == value)
    }
    #expect(throws: EncodingError.self) { try Self.written(["amount": Decimal.nan]) }
  }

  @Test("random decimals are read as Foundation reads them, and survive a round trip")
  func random() throws {
    for _ in 0..<2000 {
      let digits = (0..<Int.random(in: 1...38)).map { _ in String(Int.random(in: 0...9)) }.joined()
      let trimmed = String(digits.drop { $0 == "0" })
      let text = (Bool.random() ? "-" : "") + (trimmed.isEmpty ? "0" : trimmed) + "e\(Int.random(in: -120...120))"
      let value = try Self.read(text)
      // Foundation's own reading of the same digits.
      #expect(value == Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), "\(text)")
      #expect(try Self.read(Self.written(value)) == value, "\(text)")
    }
  }
}
