import StrictJSON

/// The claim `aud` in a claims type of one's own: one name or several. One is written as a string, several as an array.
///
/// Source: RFC 7519 §4.1.3.
public struct Audience: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The names, in the order read. They are compared as bytes.
  public var names: [String] {
    get { bytes.map(\.text) }
    set { bytes = newValue.map { WireName($0) } }
  }

  private var bytes: [WireName]

  /// An audience of several names, written as an array unless there is exactly one.
  public init(_ names: [String]) { bytes = names.map { WireName($0) } }

  /// An audience of one name, written as a string.
  public init(stringLiteral name: String) { self.init([name]) }

  /// An audience of several names, as ``init(_:)``.
  public init(arrayLiteral names: String...) { self.init(names) }

  /// Whether a name is among them, compared as bytes.
  public func contains(_ name: String) -> Bool { bytes.contains(WireName(name)) }
}

extension Audience: Codable {
  /// Reads a string or an array of strings.
  ///
  /// - Throws: `DecodingError` if it is neither, or the array is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let name = try? container.decode(String.self) {
      self.init([name])
      return
    }
    self.init(try container.decode([String].self))
    guard !bytes.isEmpty else {
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
