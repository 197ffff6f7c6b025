import JOSE

/// A value of a column, or for a place in a statement.
public enum SQLValue: Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction.
  case real(Double)
  /// A text without NUL.
  case text(String)
  /// Octets, which are compared as such.
  case octets([UInt8])

  /// A name, which is compared as octets.
  public static func name(_ name: String) -> SQLValue { .octets(Array(name.utf8)) }

  /// A date in seconds since 1970, or none.
  public static func date(_ date: NumericDate?) -> SQLValue { date.map { .real($0.secondsSince1970) } ?? .null }

  /// A text, or none.
  public static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

  /// 1 or 0, in columns of whole numbers.
  public static func flag(_ isSet: Bool) -> SQLValue { .integer(isSet ? 1 : 0) }
}

/// What came of a statement.
public struct SQLResult: Sendable {
  /// What was selected or returned, by row and place.
  public let rows: [[SQLValue]]
  /// How many rows were changed, or selected.
  public let count: Int

  /// What a driver was answered.
  public init(rows: [[SQLValue]] = [], count: Int) { (self.rows, self.count) = (rows, count) }
}
