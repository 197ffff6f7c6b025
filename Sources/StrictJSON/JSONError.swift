/// Why a JSON text, a JSON value or a conversion between them was refused.
///
/// Two errors are equal when their codes are. The reason is for people; it never holds any part of the text.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong. More codes may be added; compare, don't switch exhaustively.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's stable name.
    public let description: String

    private init(_ name: StaticString) {
      self.description = "\(name)"
    }

    /// The text breaks the grammar of RFC 8259.
    public static let malformed = Code("malformed")
    /// The text is not valid UTF-8, or an escape names half a surrogate pair.
    public static let invalidUTF8 = Code("invalidUTF8")
    /// An object has two members of one name.
    public static let duplicateMember = Code("duplicateMember")
    /// The text is larger, deeper or has more parts than the limits allow.
    public static let limitExceeded = Code("limitExceeded")
    /// A number is outside what the type asked for can hold, or is not a whole number where one is needed.
    public static let numberOutOfRange = Code("numberOutOfRange")
    /// A value has another JSON type than the one asked for.
    public static let typeMismatch = Code("typeMismatch")
    /// An object lacks a member that was asked for.
    public static let missingMember = Code("missingMember")
  }

  /// What went wrong.
  public let code: Code

  /// One sentence for people, without any part of the text.
  public var reason: String { text.map { "\($0)" } ?? composed }

  /// The reason as it stands in the source, for an error of another layer that says the same; nil for one that holds
  /// a name.
  package let text: StaticString?
  private let composed: String

  /// Where in the text, counted in bytes from 0, when that is known.
  public let byteOffset: Int?

  package init(_ code: Code, _ reason: StaticString, at byteOffset: Int? = nil) {
    (self.code, self.text, self.composed, self.byteOffset) = (code, reason, "", byteOffset)
  }

  /// - Parameter reason: a text with the name of a member or type, which the caller knows.
  package init(_ code: Code, composed reason: String, at byteOffset: Int? = nil) {
    (self.code, self.text, self.composed, self.byteOffset) = (code, nil, reason, byteOffset)
  }

  /// The code, the reason and the place.
  public var description: String {
    guard let byteOffset else { return "\(code): \(reason)" }
    return "\(code): \(reason) (byte \(byteOffset))"
  }

  /// Compares codes only.
  public static func == (lhs: JSONError, rhs: JSONError) -> Bool { lhs.code == rhs.code }

  /// Hashes the code only.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
