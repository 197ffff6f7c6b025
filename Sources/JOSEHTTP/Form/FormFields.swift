/// The fields of a form, `application/x-www-form-urlencoded`, in order, with repeated ones kept.
///
/// Names are compared by their UTF-8 bytes. Descriptions show names only, because values carry credentials.
public struct FormFields: Sendable {
  /// A field: its name and value, unescaped.
  public typealias Field = (name: String, value: String)

  /// What to do with a form in which a name occurs more than once.
  public struct DuplicatePolicy: Sendable, Hashable {
    let isRefusing: Bool

    /// Refuse it, as RFC 6749 §3.1 and §3.2 demand of OAuth parameters.
    public static let refused = DuplicatePolicy(isRefusing: true)
    /// Keep all fields.
    public static let kept = DuplicatePolicy(isRefusing: false)
  }

  /// The fields in order.
  public private(set) var fields: [Field]

  /// These fields in this order.
  public init(_ fields: some Sequence<(String, String)> = []) {
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  /// Adds a field behind the others.
  public mutating func append(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  /// The values of all fields of this name, in order.
  public func values(_ name: String) -> [String] {
    fields.compactMap { $0.name.hasSameBytes(as: name) ? $0.value : nil }
  }

  /// The value of the only field of this name, or nil when there is none.
  ///
  /// A field with an empty value gives `""`; RFC 6749 §3.1 treats that as if the field were absent.
  /// - Throws: ``HTTPValueError/Code/duplicateField`` when there are several.
  public func uniqueValue(_ name: String) throws(HTTPValueError) -> String? {
    let values = values(name)
    guard values.count <= 1 else { throw HTTPValueError(.duplicateField, "a form field occurs more than once") }
    return values.first
  }

  /// The value, not empty, of the only field of this name.
  /// - Throws: ``HTTPValueError/Code/missingField``, ``HTTPValueError/Code/duplicateField``.
  public func requiredValue(_ name: String) throws(HTTPValueError) -> String {
    guard let value = try uniqueValue(name), !value.isEmpty else {
      throw HTTPValueError(.missingField, "a required form field is missing or empty")
    }
    return value
  }
}

extension FormFields: ExpressibleByDictionaryLiteral {
  /// The fields of the literal in its order, repeated names included.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements)
  }
}

extension FormFields: Equatable {
  /// Whether both have the same fields in the same order.
  public static func == (lhs: FormFields, rhs: FormFields) -> Bool {
    lhs.fields.elementsEqual(rhs.fields) {
      $0.name.hasSameBytes(as: $1.name) && $0.value.hasSameBytes(as: $1.value)
    }
  }
}

extension FormFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names of the fields.
  public var description: String { "[\(fields.map(\.name).joined(separator: ", "))]" }

  /// The names of the fields.
  public var debugDescription: String { description }

  /// Shows no values.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
