@_spi(_Unicode) import Swift

/// Text from outside that other users will see.
enum UntrustedText {
  /// The text in Unicode normalization form C, without characters that hide or reorder others, white space collapsed
  /// and trimmed, cut after `maximumLength` scalars.
  static func cleaned(_ text: String, maximumLength: Int) -> String {
    var cleaned = String.UnicodeScalarView()
    var length = 0
    var spaceIsDue = false
    for scalar in text._nfc {
      if scalar.properties.isWhitespace {
        spaceIsDue = length > 0
        continue
      }
      if isForbidden(scalar), !joinsLetters(scalar, after: cleaned.last) { continue }
      let needed = spaceIsDue ? 2 : 1
      guard length + needed <= maximumLength else { break }
      if spaceIsDue { cleaned.append(" ") }
      cleaned.append(scalar)
      length += needed
      spaceIsDue = false
    }
    while let last = cleaned.last, isForbidden(last) { cleaned.removeLast() }
    return String(cleaned)
  }

  /// Controls, line and paragraph separators, marks of the writing direction, and other invisible characters: two names
  /// that look the same would be different ones, and a name could be empty to the eye.
  static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    // Braille's blank pattern is a symbol by its category, and blank.
    if scalar.properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800 { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: return true
    default: return false
    }
  }

  /// Whether a scalar is one of the two joiners, where Persian and the scripts of India need them: within a word of
  /// letters beyond Latin, Greek and Cyrillic.
  private static func joinsLetters(_ scalar: Unicode.Scalar, after last: Unicode.Scalar?) -> Bool {
    guard scalar.value == 0x200C || scalar.value == 0x200D, let last, last.value >= 0x0590 else { return false }
    switch last.properties.generalCategory {
    case .otherLetter, .nonspacingMark, .spacingMark: return true
    default: return false
    }
  }
}
