/// What a mistyped word may have meant.
enum Suggestion {
  /// ` (did you mean X?)` if a word is near, and nothing if none is.
  static func of(_ text: String, among words: [String]) -> String {
    guard !text.isEmpty, text.utf8.count <= 40 else { return "" }
    let ranked = words.map { (word: $0, distance: distance(text, $0)) }
    guard let nearest = ranked.min(by: { $0.distance < $1.distance }),
      nearest.word != text, nearest.distance <= max(1, min(2, nearest.word.utf8.count / 2))
    else { return "" }
    return " (did you mean \(nearest.word)?)"
  }

  /// A word from the command line, as a message shows it: its beginning, with nothing that moves the cursor, and
  /// nothing of what is a key or a token.
  static func shown(_ word: String) -> String {
    Visible.isContent(word) ? Visible.argument(word) : Visible.text(word, length: 40)
  }

  /// How many letters, large or small, must be added, left out, replaced or exchanged with the next.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.lowercased().utf8), Array(b.lowercased().utf8))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
