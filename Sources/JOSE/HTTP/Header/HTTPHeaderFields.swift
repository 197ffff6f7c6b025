import PureCrypto

/// The header fields of an HTTP message, in order, with repeated ones kept.
///
/// Names are compared by ASCII bytes without regard to case. Every field is checked when it comes in, so that none can
/// break out of its line. Descriptions show names only, because values carry credentials.
public struct HTTPHeaderFields: Sendable {
  /// A field: its name as given, and its value without spaces around it.
  public typealias Field = (name: String, value: String)

  /// The fields in order.
  public private(set) var fields: [Field] = []

  /// An empty list of fields.
  public init() {}

  /// These fields in this order.
  /// - Throws: ``ErrorCode/fieldInvalid``, see ``append(_:_:)``.
  public init(_ fields: some Sequence<(String, String)>) throws(JOSEError) {
    for (name, value) in fields { try append(name, value) }
  }

  /// Fields whose names and values are legal by construction; one that is not would be left out.
  package init(known fields: [(String, String)]) {
    for (name, value) in fields { try? append(name, value) }
  }

  /// Adds a field behind the others.
  /// - Throws: ``ErrorCode/fieldInvalid`` when the name is not a token (RFC 9110 §5.6.2) or the value
  ///   holds a control character other than a tab within it.
  public mutating func append(_ name: String, _ value: String) throws(JOSEError) {
    fields.append(try Self.checked(name, value))
  }

  /// Makes this the only field of its name, in the place of the first one or else behind the others.
  /// - Throws: ``ErrorCode/fieldInvalid``, see ``append(_:_:)``.
  public mutating func set(_ name: String, _ value: String) throws(JOSEError) {
    set(try Self.checked(name, value))
  }

  /// Sets a field that is known to be well-formed.
  mutating func set(_ field: Field) {
    let name = field.name
    guard let first = fields.firstIndex(where: { $0.name.hasSameBytesIgnoringASCIICase(as: name) }) else {
      fields.append(field)
      return
    }
    remove(name)
    fields.insert(field, at: first)
  }

  /// Removes all fields of this name.
  public mutating func remove(_ name: String) {
    fields.removeAll { $0.name.hasSameBytesIgnoringASCIICase(as: name) }
  }

  /// The values of all fields of this name, in order.
  public func values(_ name: String) -> [String] {
    fields.compactMap { $0.name.hasSameBytesIgnoringASCIICase(as: name) ? $0.value : nil }
  }

  /// The value of the only field of this name, or nil when there is none.
  /// - Throws: ``ErrorCode/fieldDuplicated`` when there are several.
  public func uniqueValue(_ name: String) throws(JOSEError) -> String? {
    let values = values(name)
    guard values.count <= 1 else { throw JOSEError(.fieldDuplicated, "a header field occurs more than once") }
    return values.first
  }

  private static func checked(_ name: String, _ value: String) throws(JOSEError) -> Field {
    guard !name.isEmpty, name.utf8.allSatisfy(\.isToken) else {
      throw JOSEError(.fieldInvalid, "a header field's name is not a token")
    }
    let trimmed = value.utf8[...].trimmingOptionalWhitespace()
    guard trimmed.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
      throw JOSEError(.fieldInvalid, "a header field's value holds a control character")
    }
    return (name, String(decoding: trimmed, as: UTF8.self))
  }
}

extension HTTPHeaderFields: Equatable {
  /// Whether both have the same fields in the same order.
  public static func == (lhs: HTTPHeaderFields, rhs: HTTPHeaderFields) -> Bool {
    lhs.fields.elementsEqual(rhs.fields) {
      $0.name.hasSameBytesIgnoringASCIICase(as: $1.name) && WireName($0.value) == $1.value
    }
  }
}

extension HTTPHeaderFields: Redacted {
  /// The names of the fields.
  public var description: String { "[\(fields.map(\.name).joined(separator: ", "))]" }
}

extension HTTPHeaderFields {
  /// Asks for a body as it is. Without the field a server may compress it (RFC 9110 §12.5.3), and what reads it here
  /// takes nothing but text.
  package static let uncoded = (name: "Accept-Encoding", value: "identity")

  /// Whether the body is compressed, or coded in another way (RFC 9110 §8.4).
  package var isCoded: Bool {
    values("Content-Encoding").contains { !$0.isEmpty && !$0.hasSameBytesIgnoringASCIICase(as: "identity") }
  }
}
