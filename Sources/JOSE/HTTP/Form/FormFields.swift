import PureCrypto

/// The fields of a form, `application/x-www-form-urlencoded`, in order, with repeated ones kept.
///
/// Names are compared by their UTF-8 bytes. Descriptions show names only, because values carry credentials.
public struct FormFields: Sendable {
  /// A field: its name and value, unescaped.
  public typealias Field = (name: String, value: String)

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
    let name = WireName(name)
    return fields.compactMap { $0.name == name ? $0.value : nil }
  }

  /// The value of the only field of this name, or nil when there is none.
  ///
  /// A field with an empty value gives `""`; RFC 6749 §3.1 treats that as if the field were absent.
  /// - Throws: ``ErrorCode/fieldDuplicated`` when there are several.
  public func uniqueValue(_ name: String) throws(JOSEError) -> String? {
    let values = values(name)
    guard values.count <= 1 else { throw JOSEError(.fieldDuplicated, "a form field occurs more than once") }
    return values.first
  }

  /// The value, not empty, of the only field of this name.
  /// - Throws: ``ErrorCode/fieldMissing``, ``ErrorCode/fieldDuplicated``.
  public func requiredValue(_ name: String) throws(JOSEError) -> String {
    guard let value = try uniqueValue(name), !value.isEmpty else {
      throw JOSEError(.fieldMissing, "a required form field is missing or empty")
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
      WireName($0.name) == $1.name && WireName($0.value) == $1.value
    }
  }
}

extension FormFields: Redacted {
  /// The names of the fields.
  public var description: String { "[\(fields.map(\.name).joined(separator: ", "))]" }
}

extension FormFields {
  /// The body of a form: letters, digits and `*-._` as they are, a space as `+`, every other byte escaped.
  ///
  /// Source: RFC 6749 appendix B, URL Standard §5.2.
  public func encoded() -> [UInt8] {
    joined { text, bytes in
      PercentEncoding.append(text, to: &bytes, spaceIsPlus: true) {
        $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2A || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F  // *-._
      }
    }
  }

  /// The fields as the query of a URI: unreserved characters as they are, every other byte escaped, a space as `%20`.
  ///
  /// Both forms mean the same to a form decoder; this one also does to those who take `+` for a plus.
  public func encodedAsQuery() -> String {
    let bytes = joined { text, bytes in
      PercentEncoding.append(text, to: &bytes) { $0.isURIUnreserved }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func joined(_ append: (String, inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
    for (position, field) in fields.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: "&")) }
      append(field.name, &bytes)
      bytes.append(UInt8(ascii: "="))
      append(field.value, &bytes)
    }
    return bytes
  }
}

extension FormFields {
  /// Reads the body of a form, or the query of a URI.
  ///
  /// Fields are separated by `&`, and a field's first `=` ends its name. `+` is a space. No bytes make no fields, and
  /// one separator at the end says nothing; any other empty field, an empty name or a field without `=` is refused, as
  /// are bytes outside printable ASCII.
  /// - Parameters:
  ///   - body: the octets.
  ///   - limits: bounds on their number and on that of the fields.
  ///   - acceptsDuplicates: whether a name may occur more than once, which RFC 6749 §3.1 and §3.2 forbid OAuth's
  ///     parameters.
  /// - Throws: ``ErrorCode/limitExceeded``, ``ErrorCode/malformed``, and ``ErrorCode/fieldDuplicated`` unless
  ///   duplicates are accepted.
  public init(
    decoding body: some Collection<UInt8>, limits: Limits = .default, acceptsDuplicates: Bool = false
  ) throws(JOSEError) {
    self.init()
    for field in try Self.split(body, limits) {
      guard let nameEnd = field.firstIndex(of: UInt8(ascii: "=")), nameEnd > field.startIndex else {
        throw JOSEError(.malformed, "a form field is not of the shape name=value")
      }
      append(
        try PercentEncoding.decode(field[..<nameEnd], plusIsSpace: true),
        try PercentEncoding.decode(field[(nameEnd + 1)...], plusIsSpace: true))
    }
    if !acceptsDuplicates, !hasUniqueNames() {
      throw JOSEError(.fieldDuplicated, "a form field occurs more than once")
    }
  }

  /// Whether no name but these occurs more than once. Sorts by bytes, so that many fields cost n log n comparisons at
  /// worst.
  package func hasUniqueNames(except repeatable: [WireName] = []) -> Bool {
    let names = fields.map { WireName($0.name) }.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    return !zip(names, names.dropFirst()).contains { first, second in
      first == second && !repeatable.contains(first)
    }
  }
}
