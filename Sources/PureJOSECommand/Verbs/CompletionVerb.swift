/// Completion in a shell, made of the help texts: what they don't say is not completed.
struct CompletionVerb {
  let console: Console

  static let usage = """
    jose completion bash|zsh|fish
      Writes what completes verbs and options in a shell: source <(jose completion bash), source <(jose completion zsh),
      jose completion fish | source. Put the line where the shell reads its settings.

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [])
    guard arguments.operands.count <= 1 else { throw .usage("completion is for one shell") }
    switch arguments.operands.first {
    case "bash": console.write(Self.bash)
    case "zsh": console.write(Self.zshPreamble + Self.bash)
    case "fish": console.write(Self.fish)
    case let other: throw .unknownWord(other, after: "completion", among: ["bash", "zsh", "fish"])
    }
  }

  /// zsh completes as bash does once it is told to, wherever its settings are read from.
  private static let zshPreamble = """
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    autoload -Uz bashcompinit && bashcompinit

    """

  private static var verbs: String { Verb.allCases.map(\.rawValue).joined(separator: " ") }

  /// A case for each verb, and for each word that follows one.
  private static var bash: String {
    var cases = ""
    for verb in Verb.allCases {
      let synopses = Synopsis.all(of: verb)
      let words = synopses.compactMap(\.word)
      if !words.isEmpty {
        cases += "    \(verb.rawValue)) words=\"\(unique(words).joined(separator: " "))\" ;;\n"
      }
      for word in unique(synopses.map { $0.word ?? "" }) {
        let options = unique(synopses.filter { ($0.word ?? "") == word }.flatMap(\.options))
        guard !options.isEmpty else { continue }
        let pattern = word.isEmpty ? "\(verb.rawValue):*" : "\(verb.rawValue):\(word)"
        cases += "    \(pattern)) options=\"\(options.joined(separator: " "))\" ;;\n"
      }
    }
    let (first, second) = split(cases)
    return """
      _jose() {
        local current="${COMP_WORDS[COMP_CWORD]}" verb="${COMP_WORDS[1]}" words="" options=""
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(verbs) --help --version" -- "$current"))
          return
        fi
        case "$verb" in
      \(first)  esac
        case "$verb:${COMP_WORDS[2]}" in
      \(second)  esac
        if [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ] && [[ "$current" != -* ]]; then
          COMPREPLY=($(compgen -W "$words" -- "$current"))
        elif [[ "$current" == -* ]]; then
          COMPREPLY=($(compgen -W "$options --help" -- "$current"))
        else
          COMPREPLY=($(compgen -f -- "$current"))
        fi
      }
      complete -o filenames -F _jose jose

      """
  }

  private static func split(_ cases: String) -> (String, String) {
    let lines = cases.split(separator: "\n").map { $0 + "\n" }
    return (
      lines.filter { $0.contains("words=") }.joined(), lines.filter { $0.contains("options=") }.joined()
    )
  }

  /// Whether the words so far begin with some, and whether they are these: `sign` alone is a verb, after `jwt` another
  /// thing.
  private static let fishPreamble = """
    function __jose_after
      set -l given (commandline -opc)
      string match -q -- "$argv *" "$given[2..-1] "
    end
    function __jose_expects
      set -l given (commandline -opc)
      test "$given[2..-1]" = "$argv"
    end

    """

  private static var fish: String {
    var text = fishPreamble + "complete -c jose -n __fish_use_subcommand -f -a \"\(verbs)\"\n"
    for verb in Verb.allCases {
      let synopses = Synopsis.all(of: verb)
      let words = unique(synopses.compactMap(\.word))
      if !words.isEmpty {
        text += "complete -c jose -n \"__jose_expects \(verb.rawValue)\" -f -a \"\(words.joined(separator: " "))\"\n"
      }
      for synopsis in synopses {
        let place = [verb.rawValue, synopsis.word].compactMap { $0 }.joined(separator: " ")
        for option in synopsis.options {
          let value = synopsis.flags.contains(option) ? "" : " -r"
          text += "complete -c jose -n \"__jose_after \(place)\" -l \(option.dropFirst(2))\(value)\n"
        }
      }
    }
    return text
  }

  private static func unique(_ texts: [String]) -> [String] {
    var kept: [String] = []
    for text in texts where !kept.contains(text) { kept.append(text) }
    return kept
  }
}
