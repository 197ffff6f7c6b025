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
        console.writeError("jose: \(reason)")
        return .invalid
      case .usage(let reason):
        console.writeError("jose: \(reason); see jose --help")
        return .usage
      }
    }
  }

  private func dispatch(_ arguments: [String]) throws(CommandFailure) {
    guard let name = arguments.first else { throw .usage("no verb given") }
    let rest = Array(arguments.dropFirst())
    if name == "--version" { return console.write("jose \(Version.text)\n") }
    if name == "--help" || name == "-h" || name == "help" {
      if rest.first == "--man" { return console.write(ManualPage.text) }
      return console.write(rest.first.flatMap { Usage.text(for: $0) } ?? Usage.overview)
    }
    guard let verb = Verb(rawValue: name) else {
      throw .usage("unknown verb" + Suggestion.of(name, among: Verb.allCases.map(\.rawValue)))
    }
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return console.write(Usage.text(for: name) ?? Usage.overview)
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
    case .completion: try CompletionVerb(console: console).run(rest)
    }
  }
}

/// What the command can do.
enum Verb: String, CaseIterable {
  case key, sign, verify, encrypt, decrypt, jwt, inspect, vectors, demo, psso
  case dpop, jwks, completion, certificate
}
