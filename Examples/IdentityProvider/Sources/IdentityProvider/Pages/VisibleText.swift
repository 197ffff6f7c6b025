extension String {
  /// A name that a device or a user chose, as a list shows it: what can't be seen is escaped as `\u{200B}`, so that
  /// two names that differ by it differ in the list. So are blanks at the ends or after a blank, and the backslash.
  ///
  /// - Parameter asASCII: whether all that isn't ASCII is escaped, as in a terminal.
  package func visible(asASCII: Bool = false) -> String {
    let scalars = Array(unicodeScalars.prefix(201))
    let shown = scalars.indices.prefix(200).map { place in
      let scalar = scalars[place]
      // Browsers show several blanks as one, and those at the ends not at all.
      let isLostBlank =
        scalar == " " && (place == 0 || scalars[place - 1] == " " || place == scalars.count - 1)
      let isEscaped = scalar == "\\" || !scalar.isSeen || isLostBlank
      guard isEscaped || asASCII && !scalar.isASCII else { return String(scalar) }
      return scalar == "\\" ? "\\\\" : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
    return shown.joined() + (scalars.count > 200 ? "…" : "")
  }
}

extension Unicode.Scalar {
  /// Whether it leaves a mark of its own, or is the space.
  fileprivate var isSeen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    case .spaceSeparator: self == " "
    // The Braille pattern without dots is a symbol.
    default: !properties.isDefaultIgnorableCodePoint && self != "\u{2800}"
    }
  }
}
