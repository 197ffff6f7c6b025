import JOSE

/// Reads columns of known types. Each throws ``MalformedRecord`` for a value of another type.
extension SQLValue {
  /// A whole number.
  public var int: Int64 {
    get throws(MalformedRecord) {
      guard case .integer(let number) = self else { throw MalformedRecord() }
      return number
    }
  }

  /// A number with a fraction.
  public var double: Double {
    get throws(MalformedRecord) {
      guard case .real(let number) = self else { throw MalformedRecord() }
      return number
    }
  }

  /// A text.
  public var string: String {
    get throws(MalformedRecord) {
      guard case .text(let text) = self else { throw MalformedRecord() }
      return text
    }
  }

  /// Octets.
  public var bytes: [UInt8] {
    get throws(MalformedRecord) {
      guard case .octets(let octets) = self else { throw MalformedRecord() }
      return octets
    }
  }

  /// A value that ``flag(_:)`` has written.
  public var isSet: Bool { get throws(MalformedRecord) { try int != 0 } }

  /// A value that ``date(_:)`` has written, which must not be null.
  public var date: NumericDate { get throws(MalformedRecord) { NumericDate(saturating: try double) } }

  /// A value that ``name(_:)`` has written.
  public var name: String { get throws(MalformedRecord) { String(decoding: try bytes, as: UTF8.self) } }

  /// The value itself; nil for ``null``.
  public var orNil: SQLValue? {
    if case .null = self { nil } else { self }
  }
}
