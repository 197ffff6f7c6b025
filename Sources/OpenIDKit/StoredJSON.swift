import JOSE
import StrictJSON

/// What the stored forms of this module have in common.
enum StoredJSON {
  /// A finite number, whole ones without a fraction.
  static func number(_ value: Double) -> JSONValue {
    // Dates are finite; a lifetime that is not can't come from a server's JSON.
    if let whole = Int64(exactly: value) { return .number(JSONNumber(whole)) }
    return (try? JSONNumber(value)).map { .number($0) } ?? 0
  }

  static func date(_ number: JSONNumber) throws(JSONError) -> NumericDate {
    guard let date = NumericDate(secondsSince1970: number.double) else {
      throw JSONError(.numberOutOfRange, "not a date")
    }
    return date
  }

  static func counter(_ number: JSONNumber) throws(JSONError) -> UInt64 {
    guard let value = number.exactly(UInt64.self) else { throw JSONError(.numberOutOfRange, "not a counter") }
    return value
  }

  /// The strings of an array.
  static func strings(_ value: JSONValue?) throws(JSONError) -> [String] {
    guard case .array(let values)? = value else { throw JSONError(.typeMismatch, "not an array") }
    var strings: [String] = []
    for value in values {
      guard let string = value.stringValue else { throw JSONError(.typeMismatch, "not a string") }
      strings.append(string)
    }
    return strings
  }
}
