import StrictJSON

/// A point in time: seconds since 1970-01-01T00:00:00Z, leap seconds not counted. Fractions are legal.
///
/// Source: RFC 7519 §2.
public struct NumericDate: Hashable, Comparable, Sendable {
  /// Seconds since 1970, finite and of magnitude 2⁵³ at most, so that whole seconds are exact.
  public let secondsSince1970: Double

  /// That many seconds since 1970, or nil if the number is not finite or larger than 2⁵³ in magnitude.
  public init?(secondsSince1970 seconds: Double) {
    guard abs(seconds) <= 9_007_199_254_740_992 else { return nil }
    self.secondsSince1970 = seconds
  }

  /// That many whole seconds since 1970. Beyond 2⁵³ in magnitude, the nearest date that can be held.
  public init(_ seconds: Int) {
    secondsSince1970 = Double(max(-9_007_199_254_740_992, min(9_007_199_254_740_992, seconds)))
  }

  /// That many seconds since 1970. Beyond 2⁵³ in magnitude, the nearest date that can be held: a token that some
  /// issuer dates to the end of its integers expires as late as any date says. Not a number is 1970.
  public init(saturating seconds: Double) {
    secondsSince1970 = seconds.isNaN ? 0 : max(-9_007_199_254_740_992, min(9_007_199_254_740_992, seconds))
  }

  /// The date that 1 to 15 decimal digits say: no sign, space, fraction or exponent.
  package init?(decimalDigits text: String) {
    guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text.utf8.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) })
  }

  /// This date moved by a duration, back by a negative one. A result out of range becomes the nearest date that can be
  /// held.
  public func advanced(by duration: Duration) -> NumericDate { advanced(by: duration.inSeconds) }

  /// This date moved by a number of seconds, as the wire says them.
  package func advanced(by seconds: Double) -> NumericDate {
    NumericDate(saturating: secondsSince1970 + (seconds.isNaN ? 0 : seconds))
  }

  /// The second that this date lies in, rounded towards 1970.
  public var wholeSeconds: Int { Int(secondsSince1970) }

  /// Whether the left date is earlier.
  public static func < (lhs: NumericDate, rhs: NumericDate) -> Bool { lhs.secondsSince1970 < rhs.secondsSince1970 }
}

extension NumericDate: Codable {
  /// Reads a JSON number, as ``init(saturating:)`` does.
  ///
  /// - Throws: `DecodingError` if it is not a number.
  public init(from decoder: any Decoder) throws {
    self.init(saturating: try decoder.singleValueContainer().decode(Double.self))
  }

  /// Writes ``wholeSeconds``: many peers read dates as integers.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wholeSeconds)
  }
}

extension JSONValue {
  /// A date as records keep it: a number, without a fraction if there is none.
  package init(_ date: NumericDate) {
    if let whole = Int64(exactly: date.secondsSince1970) {
      self = .number(JSONNumber(whole))
    } else {
      // Dates are finite.
      self = (try? JSONNumber(date.secondsSince1970)).map { .number($0) } ?? 0
    }
  }
}
