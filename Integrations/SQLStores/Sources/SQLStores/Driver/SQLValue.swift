import JOSE

/// A value of a column, or for a `?` in a statement.
public enum SQLValue: Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction.
  case real(Double)
  /// A text without NUL.
  case text(String)
  /// Octets.
  case octets([UInt8])

  /// A name, which is compared as octets.
  public static func name(_ name: String) -> SQLValue { .octets(Array(name.utf8)) }

  /// A date in seconds since 1970, or null.
  public static func date(_ date: NumericDate?) -> SQLValue { date.map { .real($0.secondsSince1970) } ?? .null }

  /// A text, or null.
  public static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

  /// 1 or 0, in columns of whole numbers.
  public static func flag(_ isSet: Bool) -> SQLValue { .integer(isSet ? 1 : 0) }
}

/// The result of a statement.
public struct SQLResult: Sendable {
  /// The selected or returned values, by row and column.
  public let rows: [[SQLValue]]
  /// The number of changed or selected rows.
  public let count: Int

  /// Makes a result from a driver's answer.
  public init(rows: [[SQLValue]] = [], count: Int) { (self.rows, self.count) = (rows, count) }
}
