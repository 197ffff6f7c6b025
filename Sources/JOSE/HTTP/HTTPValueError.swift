/// Why an HTTP message, a form or a URI was refused.
///
/// Two errors are equal when their codes are. The reason is for people; it never holds any part of the message.
public struct HTTPValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong. More codes may be added; compare, don't switch exhaustively.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's stable name.
    public let description: String

    private init(_ name: StaticString) {
      self.description = "\(name)"
    }

    /// A form is not fields of the shape `name=value`, joined by `&`.
    public static let malformedForm = Code("malformedForm")
    /// A `%` is not followed by two hexadecimal digits, or a byte stands unescaped that may not.
    public static let malformedPercentEncoding = Code("malformedPercentEncoding")
    /// Unescaped bytes are not valid UTF-8.
    public static let invalidUTF8 = Code("invalidUTF8")
    /// A form or header field occurs more than once where it must be unique.
    public static let duplicateField = Code("duplicateField")
    /// A form or header field is missing that is required.
    public static let missingField = Code("missingField")
    /// The input is larger, or has more fields, than the limits allow.
    public static let limitExceeded = Code("limitExceeded")
    /// A header field's name is not a token, or its value holds a line break or another control character.
    public static let invalidHeaderField = Code("invalidHeaderField")
    /// A message does not have the media type that is expected.
    public static let unexpectedMediaType = Code("unexpectedMediaType")
    /// A URI breaks the grammar of RFC 3986, or has no scheme.
    public static let malformedURI = Code("malformedURI")
  }

  /// What went wrong.
  public let code: Code

  /// One sentence for people, without any part of the message.
  public let reason: String

  package init(_ code: Code, _ reason: StaticString) {
    self.code = code
    self.reason = "\(reason)"
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Compares codes only.
  public static func == (lhs: HTTPValueError, rhs: HTTPValueError) -> Bool { lhs.code == rhs.code }

  /// Hashes the code only.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
