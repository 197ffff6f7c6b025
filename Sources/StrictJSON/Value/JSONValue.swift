/// A JSON value.
///
/// Strings are compared by their UTF-8 bytes, so `é` in two normal forms are two values; numbers by their text;
/// objects by their members in any order.
public enum JSONValue: Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number, with its text kept exactly.
  case number(JSONNumber)
  /// A string: Unicode text without lone surrogates.
  case string(String)
  /// An array: values in their order.
  case array([JSONValue])
  /// An object, with the order of its members kept.
  case object(JSONObject)

  /// Parses a JSON text: one value, white space around it, nothing else.
  ///
  /// The grammar is that of RFC 8259 without any leniency: UTF-8 only, no byte order mark, no comments or trailing
  /// commas, no lone surrogates, and no object with two members of one name (compared as bytes, escapes resolved).
  /// - Throws: ``JSONError/Code/malformed``, ``JSONError/Code/invalidUTF8``, ``JSONError/Code/duplicateMember``,
  ///   ``JSONError/Code/numberOutOfRange`` for a number beyond `Double`, or ``JSONError/Code/limitExceeded``.
  public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
    self = try JSONDocument(parsing: bytes, limits: limits).root.value
  }

  /// Whether the value is `null`.
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The boolean, if it is one.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number, if it is one.
  public var numberValue: JSONNumber? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The exact integer, if the value is a whole number that fits.
  package var int64Value: Int64? { numberValue?.int64 }

  /// The nearest `Double`, if the value is a number.
  package var doubleValue: Double? { numberValue?.double }

  /// The string, if it is one.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The string, if it is one, to be compared with others.
  package var nameValue: WireName? { stringValue.map { WireName($0) } }

  /// The elements, if the value is an array.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The object, if it is one.
  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }
}

extension JSONValue: Hashable {
  /// Compares strings by bytes, numbers by text, objects by members in any order.
  public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null:
      hasher.combine(0)
    case .bool(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .number(let value):
      hasher.combine(2)
      hasher.combine(value)
    case .string(let value):
      hasher.combine(3)
      value.hashBytes(into: &hasher)
    case .array(let value):
      hasher.combine(4)
      hasher.combine(value)
    case .object(let value):
      hasher.combine(5)
      hasher.combine(value)
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral {
  /// `null`
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  /// `true` or `false`
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
}

extension JSONValue: ExpressibleByFloatLiteral {
  /// A number. A literal that overflows `Double` (the compiler warns of it) becomes `null`, as JSON has no infinity.
  public init(floatLiteral value: Double) {
    self = (try? JSONNumber(value)).map(JSONValue.number) ?? .null
  }
}

extension JSONValue: ExpressibleByStringInterpolation {
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// An object with the members in the order given. Of two members of one name the later value stays.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}
