/// Sets help texts for a terminal: paragraphs, calls and tables are written as they come, and are broken here at the
/// last column, since the command's own name, which may be longer than `jose`, stands in them.
enum HelpLayout {
  /// The last column of a line.
  static let width = 80

  /// A text of ``Usage``, as it is shown by a program of this name.
  static func text(_ text: String, program: ProgramName) -> String {
    var blocks: [Block] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let indentation = line.prefix { $0 == " " }.count
      let content = String(line.dropFirst(indentation))
      if let last = blocks.last, last.continues(with: content, indentation) {
        blocks[blocks.count - 1].content += " " + content
      } else {
        blocks.append(Block(content, indentation))
      }
    }
    return blocks.map { $0.lines(program).joined(separator: "\n") }.joined(separator: "\n")
  }

  /// Lines broken at the last column, between words where there are any, and further in from the second on.
  static func folded(_ text: String) -> String {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let margin = String(repeating: " ", count: min(line.prefix { $0 == " " }.count + 4, width / 2))
      var rest = line
      while rest.count > width {
        let indentation = rest.prefix { $0 == " " }.count
        let head = rest.prefix(width + 1)
        let end = head.dropFirst(indentation).lastIndex(of: " ") ?? head.index(before: head.endIndex)
        lines.append(String(rest[..<end]))
        rest = Substring(margin + rest[end...].drop { $0 == " " })
      }
      lines.append(String(rest))
    }
    return lines.joined(separator: "\n")
  }

  /// A paragraph, a call of the command, or a row of a table.
  private struct Block {
    let indentation: Int
    /// What stands in the left column of a row with the blanks after it, and nothing in another block.
    let label: String
    var content: String

    init(_ text: String, _ indentation: Int) {
      self.indentation = indentation
      guard let gap = text.range(of: "  ") else {
        (label, content) = ("", text)
        return
      }
      let right = text[gap.lowerBound...].drop { $0 == " " }
      (label, content) = (String(text[..<right.startIndex]), String(right))
    }

    private var isCall: Bool { label.isEmpty && content.hasPrefix("jose ") && indentation <= 2 }

    func continues(with text: String, _ indentation: Int) -> Bool {
      // A JSON object is an alternative to the one before it.
      guard !content.isEmpty, !text.isEmpty, text.range(of: "  ") == nil, !text.hasPrefix("{") else { return false }
      if isCall { return indentation > self.indentation + 2 && "[-<".contains(text.prefix(1)) }
      guard !text.hasPrefix("jose ") else { return false }
      return indentation == self.indentation + label.count
    }

    func lines(_ program: ProgramName) -> [String] {
      guard !content.isEmpty else { return [""] }
      let label = program.replacing(in: label)
      let margin = indentation + (isCall ? 4 : label.count)
      var lines: [String] = []
      var line = String(repeating: " ", count: indentation) + label
      var isEmpty = true
      for word in words(of: program.replacing(in: content)) {
        if !isEmpty, line.count + 1 + word.count > HelpLayout.width {
          lines.append(line)
          line = String(repeating: " ", count: margin) + word
        } else {
          line += (isEmpty ? "" : " ") + word
        }
        isEmpty = false
      }
      return lines + [line]
    }

    /// The words. A call's brackets with their contents count as one word, and so do an option and its value.
    private func words(of text: String) -> [String] {
      let parts = text.split(separator: " ").map(String.init)
      guard isCall else { return parts }
      var words: [String] = []
      var depth = 0
      for part in parts {
        let isValue =
          words.last.map { $0.hasPrefix("--") && !$0.contains(" ") } ?? false && !"[-<".contains(part.first ?? "-")
        if let last = words.last, depth > 0 || isValue || part == "…" || last == "<" {
          words[words.count - 1] = last + " " + part
        } else {
          words.append(part)
        }
        depth += part.count { $0 == "[" } - part.count { $0 == "]" }
      }
      return words
    }
  }
}

extension String {
  /// Where a text first occurs.
  fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
