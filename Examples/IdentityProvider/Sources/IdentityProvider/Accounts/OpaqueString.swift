import Foundation

/// The form in which passwords are compared: keyboards and systems write the same letter as one character or as two,
/// and some put other spaces in the place of the ordinary one. Letters keep their case, and no character is refused.
///
/// Source: RFC 8265 §4.2.1.
enum OpaqueString {
  /// Whether a text is mapped. Normalization takes time that grows with the square of the number of combining marks,
  /// and 1024 characters, the most that a password has, need no more code points.
  static func isShort(_ text: String) -> Bool { text.unicodeScalars.count <= 8192 }

  /// A password with ordinary spaces, in composed form (NFC).
  static func mapped(_ typed: String) -> String {
    guard isShort(typed) else { return typed }
    var scalars = String.UnicodeScalarView()
    for scalar in typed.unicodeScalars {
      scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
    }
    return String(scalars).precomposedStringWithCanonicalMapping
  }

  /// A password as systems with decomposed texts (NFD) send it.
  static func decomposed(_ typed: String) -> String {
    isShort(typed) ? typed.decomposedStringWithCanonicalMapping : typed
  }
}
