import JOSE
import StrictJSON

/// Scope values: space-delimited in a message, compared as bytes.
///
/// Source: RFC 6749 §3.3.
package enum Scope {
  /// `openid`: asks for an ID token.
  package static let openID: WireName = "openid"
  /// `device_sso`: asks for a device secret.
  package static let deviceSSO: WireName = "device_sso"

  /// The values of a scope text, each once, or nil if a character is illegal or the text is too long.
  package static func values(_ text: String) -> [String]? {
    guard text.utf8.count <= 4096,
      text.utf8.allSatisfy({ $0 == 0x20 || ($0 != 0x22 && $0 != 0x5C && (0x21...0x7E).contains($0)) })
    else { return nil }
    return text.words.distinct
  }

  static func text(_ values: [String]) -> String { values.joined(separator: " ") }
}
