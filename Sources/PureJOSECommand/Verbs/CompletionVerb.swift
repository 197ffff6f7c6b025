import JOSE

/// Completion in a shell, made of the help texts: what they don't say is not completed.
struct CompletionVerb {
  let console: Console

  static let usage = """
    jose completion bash|zsh|fish
      Writes what completes verbs and options in a shell. Put into its settings source <(jose completion bash), or the
      same with zsh; of fish, the line of the example writes a file that it reads.
      Example  jose completion fish > ~/.config/fish/completions/jose.fish

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [])
    guard arguments.operands.count <= 1 else { throw .usage("completion needs the name of one shell") }
    switch arguments.operands.first {
    case "bash": console.write(bash)
    case "zsh": console.write(Self.zshPreamble + bash)
    case "fish": console.write(fish)
    case let other: throw .unknownWord(other, after: "completion", among: ["bash", "zsh", "fish"])
    }
  }

  private var name: String { console.program.text }
  private var function: String { console.program.functionName }

  /// zsh completes as bash does once it is told to, wherever its settings are read from.
  private static let zshPreamble = """
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    autoload -Uz bashcompinit && bashcompinit

    """

  private static var verbs: String { Verb.allCases.map(\.rawValue).joined(separator: " ") }

  /// The curves that a key for agreement may be on.
  static let agreementCurves = ["P-256", "P-384", "P-521", "X25519"]

  /// The algorithms that keys are made for.
  static var keyAlgorithms: [String] {
    SignatureAlgorithm.allCases.map(\.description) + KeyManagementAlgorithm.allCases.map(\.description)
      + ContentEncryptionAlgorithm.allCases.map(\.description)
  }

  /// The words that an option's value can be, as far as help names them.
  private static func values(_ name: String, of option: String, after verb: Verb) -> [String] {
    switch name {
    case "ALG" where verb == .key || verb == .jwks: keyAlgorithms
    case "ALG" where [.encrypt, .decrypt].contains(verb) && option == "--alg":
      KeyManagementAlgorithm.allCases.map(\.description)
    case "ALG": SignatureAlgorithm.allCases.map(\.description)
    case "ENC": ContentEncryptionAlgorithm.allCases.map(\.description)
    case "CURVE": agreementCurves
    case "PROFILE": JWTProfile.allCases.map(\.rawValue)
    default: name.contains("|") ? name.split(separator: "|").map(String.init) : []
    }
  }

  /// The cases of a shell's two questions: which words follow a verb, which options a call has, and which values an
  /// option.
  private struct Cases {
    var words = ""
    var options = ""
    var values = ""
  }

  private static var cases: Cases {
    var cases = Cases()
    cases.words += "    help) words=\"\(verbs)\" ;;\n"
    cases.options += "    help:*) options=\"--man\" ;;\n"
    for verb in Verb.allCases {
      let synopses = Synopsis.all(of: verb)
      let words = synopses.compactMap(\.word)
      if !words.isEmpty {
        cases.words += "    \(verb.rawValue)) words=\"\(unique(words).joined(separator: " "))\" ;;\n"
      }
      // What holds after any word comes last: a shell takes the first pattern that matches.
      for word in unique(words) + [""] {
        let calls = synopses.filter { ($0.word ?? "") == word }
        let options = unique(calls.flatMap(\.options))
        let pattern = "\(verb.rawValue):\(word.isEmpty ? "*" : word)"
        if !options.isEmpty { cases.options += "    \(pattern)) options=\"\(options.joined(separator: " "))\" ;;\n" }
        for option in options {
          let names = unique(calls.compactMap { $0.values[option] })
          let values = unique(names.flatMap { Self.values($0, of: option, after: verb) })
          guard !values.isEmpty else { continue }
          cases.values += "    \(pattern):\(option)) values=\"\(values.joined(separator: " "))\" ;;\n"
        }
      }
    }
    return cases
  }

  private var bash: String {
    let cases = Self.cases
    return """
      _\(function)() {
        local current="${COMP_WORDS[COMP_CWORD]}" verb="${COMP_WORDS[1]}" words="" options="" values=""
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(Self.verbs) help --help --version" -- "$current"))
          return
        fi
        case "$verb" in
      \(cases.words)  esac
        case "$verb:${COMP_WORDS[2]}" in
      \(cases.options)  esac
        case "$verb:${COMP_WORDS[2]}:${COMP_WORDS[COMP_CWORD-1]}" in
      \(cases.values)  esac
        if [ -n "$values" ]; then
          COMPREPLY=($(compgen -W "$values" -- "$current"))
        elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ] && [[ "$current" != -* ]]; then
          COMPREPLY=($(compgen -W "$words" -- "$current"))
        elif [[ "$current" == -* ]]; then
          COMPREPLY=($(compgen -W "$options --help" -- "$current"))
        else
          COMPREPLY=($(compgen -f -- "$current"))
        fi
      }
      complete -o filenames -F _\(function) \(name)

      """
  }

  /// Whether the words so far begin with some, and whether they are these: `sign` alone is a verb, after `jwt` another
  /// thing.
  private var fishPreamble: String {
    """
    function __\(function)_after
      set -l given (commandline -opc)
      string match -q -- "$argv *" "$given[2..-1] "
    end
    function __\(function)_expects
      set -l given (commandline -opc)
      test "$given[2..-1]" = "$argv"
    end

    """
  }

  private var fish: String {
    let begin = "complete -c \(name) -n"
    var text = fishPreamble + "\(begin) __fish_use_subcommand -f -a \"\(Self.verbs) help\"\n"
    text += "\(begin) \"__\(function)_expects help\" -f -a \"\(Self.verbs)\"\n"
    text += "\(begin) \"__\(function)_after help\" -l man\n"
    for verb in Verb.allCases {
      let synopses = Synopsis.all(of: verb)
      let words = Self.unique(synopses.compactMap(\.word))
      if !words.isEmpty {
        text += "\(begin) \"__\(function)_expects \(verb.rawValue)\" -f -a \"\(words.joined(separator: " "))\"\n"
      }
      for synopsis in synopses {
        let place = [verb.rawValue, synopsis.word].compactMap { $0 }.joined(separator: " ")
        for option in synopsis.options {
          let values = synopsis.values[option].map { Self.values($0, of: option, after: verb) } ?? []
          let list = values.isEmpty ? " -r" : " -x -a \"\(values.joined(separator: " "))\""
          let value = synopsis.flags.contains(option) ? "" : list
          text += "\(begin) \"__\(function)_after \(place)\" -l \(option.dropFirst(2))\(value)\n"
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
