/// The claim `aud` in a claims type of one's own: one name or several. One is written as a string, several as an array.
///
/// Source: RFC 7519 §4.1.3.
public struct Audience: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The names, in the order read.
  public var names: [String]

  /// These names.
  public init(_ names: [String]) { self.names = names }

  /// One name.
  public init(stringLiteral name: String) { names = [name] }

  /// These names.
  public init(arrayLiteral names: String...) { self.names = names }

  /// Whether a name is among them, compared as bytes.
  public func contains(_ name: String) -> Bool { names.containsBytes(of: name) }
}

extension Audience: Hashable {
  /// Whether both have the same names in the same order, compared as bytes.
  public static func == (lhs: Audience, rhs: Audience) -> Bool {
    lhs.names.count == rhs.names.count && zip(lhs.names, rhs.names).allSatisfy { $0.hasSameBytes(as: $1) }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    for name in names { hasher.combine(Array(name.utf8)) }
  }
}

extension Audience: Codable {
  /// Reads a string or an array of strings.
  ///
  /// - Throws: `DecodingError` if it is neither, or the array is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let name = try? container.decode(String.self) {
      names = [name]
      return
    }
    names = try container.decode([String].self)
    guard !names.isEmpty else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The array is empty.")
    }
  }

  /// Writes a string for one name, and otherwise an array.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if names.count == 1 { try container.encode(names[0]) } else { try container.encode(names) }
  }
}
