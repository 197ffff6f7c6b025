extension Usage {
  /// The help of one word that follows a verb, or nil if the verb has no such word: its calls, and what is said of
  /// them.
  static func text(for word: String, after verb: String) -> String? {
    guard !word.hasPrefix("-"), let whole = text(for: verb) else { return nil }
    var section: [Substring] = []
    var calls: [(line: Substring, isWanted: Bool)] = []
    var isDescribed = false
    func finish() {
      isDescribed = false
      calls = []
    }
    for line in whole.split(separator: "\n", omittingEmptySubsequences: false) {
      let indentation = line.prefix { $0 == " " }.count
      let content = line.dropFirst(indentation)
      if content.hasPrefix("jose \(verb) "), indentation <= 2 {
        if isDescribed { finish() }
        let called = content.split(separator: " ").dropFirst(2).first?.split(separator: "|") ?? []
        calls.append((line, called.contains { $0 == word }))
        if calls.last?.isWanted ?? false { section.append(line) }
      } else if content.isEmpty || indentation == 0 {
        finish()
      } else if !isDescribed, calls.last != nil, indentation > 4, "[-<".contains(content.prefix(1)) {
        if calls.last?.isWanted ?? false { section.append(line) }
      } else {
        isDescribed = true
        if calls.contains(where: \.isWanted) { section.append(line) }
      }
    }
    guard !section.isEmpty else { return nil }
    // The verbs whose words stand among others start two columns in.
    let margin = section[0].prefix { $0 == " " }.count
    let more = verb == Verb.psso.rawValue ? "\nThe files and messages: jose psso --help\n" : ""
    return section.map { $0.dropFirst(margin) + "\n" }.joined() + more
  }

  /// The words that lead to the help of what was meant, as far as they are known.
  static func place(of arguments: [String]) -> String {
    guard let name = arguments.first, let verb = Verb(rawValue: name) else { return "" }
    guard arguments.count > 1, text(for: arguments[1], after: name) != nil else { return "\(verb.rawValue) " }
    return "\(verb.rawValue) \(arguments[1]) "
  }
}
