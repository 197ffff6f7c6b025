import StrictJSON

/// What the answers of token endpoints have in common, whichever protocol they belong to.
///
/// Source: RFC 6749 §5.1 and appendix A.
package enum OAuthAnswer {
  /// `expires_in` and its like: a number of seconds or, as some servers write it, a text of up to 15 digits. Nil for
  /// anything else.
  package static func seconds(_ value: JSONValue) -> Double? {
    switch value {
    case .number(let number): number.double
    case .string(let text):
      (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
    default: nil
    }
  }

  /// Whether a token, or its type, can stand in a header field: printable ASCII, and not empty.
  package static func isHeaderText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Whether `token_type` is one of these, which are written in lower case. ASCII case does not count.
  package static func isType(_ type: String, among names: String...) -> Bool {
    let folded = type.asciiLowercased
    return names.contains { $0.hasSameBytes(as: folded) }
  }
}
