import JOSE
import StrictJSON

/// Booleans as Apple has written them over the years: `true`, `"true"`, and tolerated `1`.
///
/// A text is true only if it says so: any non-empty string would be a trap.
enum AppleBoolean {
  /// The value, or nil if it is none of these forms.
  static func read(_ value: JSONValue) -> Bool? {
    switch value {
    case .bool(let bool): bool
    case .string(let text):
      if text.hasSameBytesIgnoringASCIICase(as: "true") {
        true
      } else if text.hasSameBytesIgnoringASCIICase(as: "false") {
        false
      } else {
        nil
      }
    case .number(let number):
      switch number.int64 {
      case 1: true
      case 0: false
      default: nil
      }
    default: nil
    }
  }
}
