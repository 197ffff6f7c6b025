import JOSE

extension Visible {
  /// An argument, as an error or a remark shows it: escaped, and without its middle where it is long, since a path is
  /// known by its end. Nothing is shown of a key or a token that stands where a name belongs.
  static func argument(_ text: String, length: Int = 120) -> String {
    guard !isContent(text) else { return "(a key or a token, which is not repeated)" }
    let scalars = Array(text.unicodeScalars)
    guard scalars.count > length else { return self.text(text, length: length) }
    func shown(_ part: ArraySlice<UnicodeScalar>) -> String {
      self.text(String(String.UnicodeScalarView(part)), length: length)
    }
    return shown(scalars.prefix(length / 3)) + "…" + shown(scalars.suffix(length - length / 3))
  }

  /// Whether an argument is what a file holds and not its name: JSON, PEM, several lines, or a compact token.
  static func isContent(_ argument: String) -> Bool {
    let start = argument.unicodeScalars.drop { " \t\r\n\u{FEFF}".unicodeScalars.contains($0) }
    if start.first == "{" || start.first == "[" || String(start.prefix(10)) == "-----BEGIN" { return true }
    if argument.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return true }
    let segments = argument.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    // A header is an object, which in base64url begins like this; a file's name with two dots doesn't.
    return (segments.count == 3 || segments.count == 5) && segments[0].starts(with: "eyJ".utf8)
  }

  /// What to say where the content of a file was given for its name.
  static let contentRefused = CommandFailure.usage(
    "a file is wanted here, not the key itself: it is in the shell's history now, so make another one if it is secret")
}
