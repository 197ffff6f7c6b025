@_spi(_Unicode) import Swift

/// Text that somebody else will see and that somebody else wrote.
enum UntrustedText {
  /// The text in Unicode normalization form C, without characters that hide or reorder others, white space collapsed
  /// and trimmed, cut after
  /// `maximumLength` scalars.
  static func cleaned(_ text: String, maximumLength: Int) -> String {
    var cleaned = String.UnicodeScalarView()
    var length = 0
    var spaceIsDue = false
    for scalar in text._nfc {
      if scalar.properties.isWhitespace {
        spaceIsDue = length > 0
        continue
      }
      if isForbidden(scalar) { continue }
      let needed = spaceIsDue ? 2 : 1
      guard length + needed <= maximumLength else { break }
      if spaceIsDue { cleaned.append(" ") }
      cleaned.append(scalar)
      length += needed
      spaceIsDue = false
    }
    return String(cleaned)
  }

  /// Controls (C0, C1), line and paragraph separators, and overrides of the writing direction.
  static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
