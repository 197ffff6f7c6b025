/// Text that another party wrote, for a terminal or a log.
package enum VisibleText {
  /// The text with what is not visible ASCII escaped, so that it can neither move the cursor, begin a line nor pass for
  /// another, and cut off after `length` characters.
  package static func escaped(_ text: String, length: Int = 200) -> String {
    // Counted in scalars: one character may have any number of them.
    let shown = text.unicodeScalars.prefix(length)
    return shown.map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
      + (shown.endIndex == text.unicodeScalars.endIndex ? "" : "…")
  }
}
