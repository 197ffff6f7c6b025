/// The `jose` command: finds the verb, runs it, and turns its outcome into an exit status.
struct JOSECommand {
  let console: Console

  /// Runs the command with the arguments that follow its name.
  func run(_ arguments: [String]) -> ExitStatus {
    do throws(CommandFailure) {
      try dispatch(arguments)
      return .done
    } catch {
      switch error {
      case .invalid(let reason):
        console.writeError("\(name): \(reason)")
        return .invalid
      case .usage(let reason):
        console.writeError(
          "\(name): \(reason); see \(name) \(Usage.place(of: arguments))--help")
        return .usage
      }
    }
  }

  private var name: String { console.program.text }

  private func show(_ text: String) { console.write(HelpLayout.text(text, program: console.program)) }

  /// The help of a verb, of a word that follows one, or of all.
  private func showHelp(_ words: [String]) {
    let ofWord = words.count > 1 ? Usage.text(for: words[1], after: words[0]) : nil
    show(ofWord ?? words.first.flatMap { Usage.text(for: $0) } ?? Usage.overview)
  }

  private func dispatch(_ arguments: [String]) throws(CommandFailure) {
    guard let name = arguments.first else { throw .usage("no verb given") }
    let rest = Array(arguments.dropFirst())
    if name == "--version" { return console.write("\(self.name) \(Version.text)\n") }
    if name == "--help" || name == "-h" || name == "help" {
      if rest.first == "--man" { return console.write(ManualPage.text(program: console.program)) }
      return showHelp(rest)
    }
    guard let verb = Verb(rawValue: name) else {
      throw .usage("unknown verb \(Suggestion.shown(name))" + Suggestion.of(name, among: Verb.allCases.map(\.rawValue)))
    }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return showHelp(arguments)
    }
    switch verb {
    case .key: try KeyVerb(console: console).run(rest)
    case .sign: try SignVerb(console: console).run(rest)
    case .verify: try VerifyVerb(console: console).run(rest)
    case .encrypt: try EncryptVerb(console: console).run(rest)
    case .decrypt: try DecryptVerb(console: console).run(rest)
    case .jwt: try JWTVerb(console: console).run(rest)
    case .certificate: try CertificateVerb(console: console).run(rest)
    case .inspect: try InspectVerb(console: console).run(rest)
    case .vectors: try VectorsVerb(console: console).run(rest)
    case .demo: try DemoVerb(console: console).run(rest)
    case .psso: try PSSOVerb(console: console).run(rest)
    case .dpop: try DPoPVerb(console: console).run(rest)
    case .jwks: try JWKSVerb(console: console).run(rest)
    case .login: try LoginVerb(console: console).run(rest)
    case .sdJWT: try SDJWTVerb(console: console).run(rest)
    case .statusList: try StatusListVerb(console: console).run(rest)
    case .completion: try CompletionVerb(console: console).run(rest)
    }
  }
}

/// What the command can do.
enum Verb: String, CaseIterable {
  case key, sign, verify, encrypt, decrypt, jwt, inspect, vectors, demo, psso
  case dpop, jwks, login, completion, certificate
  case sdJWT = "sd-jwt"
  case statusList = "status-list"
}
