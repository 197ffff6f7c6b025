/// What the command was called by. It is installed under more than one name: latchset has a `jose` too, on which
/// `clevis` rests.
struct ProgramName: Sendable {
  /// The last component of the path, or `jose` for one that a shell, a terminal or roff could take for more than a
  /// name.
  let text: String

  /// - Parameter path: `argv[0]`.
  init(path: String) {
    let name = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).last.map(Array.init) ?? []
    let isPlain = name.allSatisfy { octet in Self.isLetterOrDigit(octet) || [0x2D, 0x2E, 0x5F].contains(octet) }
    guard isPlain, name.first.map(Self.isLetterOrDigit) ?? false, name.count <= 64 else {
      text = "jose"
      return
    }
    text = String(decoding: name, as: UTF8.self)
  }

  /// The name as a part of a function's name in a shell.
  var functionName: String {
    String(decoding: text.utf8.map { Self.isLetterOrDigit($0) ? $0 : 0x5F }, as: UTF8.self)
  }

  /// A text in which the command is called `jose`, with the name it was called by: the word as it stands at the
  /// beginning of a command, before a blank or a colon.
  func replacing(in text: String) -> String {
    guard self.text != "jose" else { return text }
    var result = ""
    var previous: Character?
    var rest = text[...]
    while let character = rest.first {
      if rest.hasPrefix("jose"), previous.map({ " \n(".contains($0) }) ?? true,
        rest.dropFirst(4).first.map({ " :\n".contains($0) }) ?? true
      {
        result += self.text
        rest = rest.dropFirst(4)
        previous = "e"
      } else {
        result.append(character)
        rest = rest.dropFirst()
        previous = character
      }
    }
    return result
  }

  private static func isLetterOrDigit(_ octet: UInt8) -> Bool {
    (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
  }
}
