/// How a JSON text is laid out.
///
/// Whatever the layout: strings are written as UTF-8 with only `"`, `\` and control characters escaped
/// (`\b \t \n \f \r`, others as `\u001f` in lower case), `/` stands as it is, numbers keep their text, and no line feed
/// ends the text.
public struct JSONSerializationOptions: Sendable, Hashable {
  /// Whether the members of objects are sorted by the UTF-16 code units of their names, as RFC 8785 §3.2.3 sorts.
  public var sortsMembers: Bool

  /// Whether every member and element has a line of its own, as Foundation prints: two spaces for each level,
  /// `"name" : value`.
  public var isPretty: Bool

  /// A layout made of its parts.
  public init(sortsMembers: Bool = false, isPretty: Bool = false) {
    self.sortsMembers = sortsMembers
    self.isPretty = isPretty
  }

  /// No white space, members in the order given.
  public static let compact = JSONSerializationOptions()

  /// No white space, members in the order of RFC 8785.
  ///
  /// This is that RFC's form except for numbers, which keep their text: `1.0` and `1e2` are not rewritten to `1` and
  /// `100`, and whole numbers beyond 2⁵³ stay exact. A ``JSONNumber`` made from an integer below 2⁵³ or from a
  /// `Double` other than −0 has the RFC's form already.
  public static let canonical = JSONSerializationOptions(sortsMembers: true)

  /// One member or element in a line, indented by two spaces for each level.
  public static let pretty = JSONSerializationOptions(isPretty: true)
}
