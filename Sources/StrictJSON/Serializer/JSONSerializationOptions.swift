/// How a JSON text is laid out.
///
/// Whatever the layout: strings are written as UTF-8 with only `"`, `\` and control characters escaped
/// (`\b \t \n \f \r`, others as `\u001f` in lower case), `/` stands as it is, numbers keep their text, and no line feed
/// ends the text.
public struct JSONSerializationOptions: Sendable, Hashable {
  /// In which order the members of objects are written.
  public struct MemberOrder: Sendable, Hashable {
    private let isSorted: Bool

    private init(isSorted: Bool) {
      self.isSorted = isSorted
    }

    /// The order that the object has.
    public static let asGiven = MemberOrder(isSorted: false)
    /// By the UTF-16 code units of the names, as RFC 8785 §3.2.3 sorts.
    public static let utf16CodeUnits = MemberOrder(isSorted: true)
  }

  /// In which order the members of objects are written.
  public var memberOrder: MemberOrder

  /// Whether every member and element has a line of its own, as Foundation prints: two spaces for each level,
  /// `"name" : value`.
  public var isPretty: Bool

  /// A layout made of its parts.
  public init(memberOrder: MemberOrder = .asGiven, isPretty: Bool = false) {
    self.memberOrder = memberOrder
    self.isPretty = isPretty
  }

  /// No white space, members in the order given.
  public static let compact = JSONSerializationOptions()

  /// No white space, members in the order of RFC 8785.
  ///
  /// This is that RFC's form except for numbers, which keep their text: `1.0` and `1e2` are not rewritten to `1` and
  /// `100`, and whole numbers beyond 2⁵³ stay exact. A ``JSONNumber`` made from an integer below 2⁵³ or from a
  /// `Double` other than −0 has the RFC's form already.
  public static let canonical = JSONSerializationOptions(memberOrder: .utf16CodeUnits)

  /// One member or element in a line, indented by two spaces for each level.
  public static let pretty = JSONSerializationOptions(isPretty: true)
}
