/// How one verb is called, read from its help: the word that follows it, if there is one, and its options.
struct Synopsis {
  let word: String?
  let options: [String]
  /// Those of the options that take no value.
  let flags: [String]
  /// What each option's value is called: a kind, such as `ALG`, or words with bars between them.
  let values: [String: String]

  /// The ways to call a verb.
  static func all(of verb: Verb) -> [Synopsis] {
    guard let text = Usage.text(for: verb.rawValue) else { return [] }
    var calls: [String] = []
    for line in text.split(separator: "\n") {
      let indentation = line.prefix { $0 == " " }.count
      let content = line.dropFirst(indentation)
      if content.hasPrefix("jose \(verb.rawValue)"), indentation <= 2 {
        calls.append(String(content))
      } else if indentation >= 8, content.first.map({ "[-<".contains($0) }) ?? false, let last = calls.popLast() {
        calls.append(last + " " + content)
      }
    }
    return calls.flatMap { Self.each($0, of: verb) }
  }

  /// One call; several where alternatives stand in its word's place.
  private static func each(_ call: String, of verb: Verb) -> [Synopsis] {
    let tokens = call.split(whereSeparator: { " []()".contains($0) }).dropFirst(2)
    var options: [String] = []
    for token in tokens where token.hasPrefix("--") && !options.contains(String(token)) {
      options.append(String(token))
    }
    let all = Array(tokens)
    var values: [String: String] = [:]
    for (option, value) in zip(all, all.dropFirst()) where option.hasPrefix("--") && !value.hasPrefix("--") {
      values[String(option)] = String(value)
    }
    // What takes a value has it before the bracket closes.
    let flags = options.filter { call.contains("[\($0)]") }
    let isWord = tokens.first.map {
      $0.allSatisfy { ("a"..."z").contains($0) || "-|".contains($0) } && !$0.hasPrefix("-")
    }
    guard isWord ?? false, let words = tokens.first?.split(separator: "|") else {
      return [Synopsis(word: nil, options: options, flags: flags, values: values)]
    }
    return words.map { Synopsis(word: String($0), options: options, flags: flags, values: values) }
  }
}
