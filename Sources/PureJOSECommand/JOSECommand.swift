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
    if name == "--help" || name == "help" {
      return console.write(rest.first.flatMap { Usage.text(for: $0) } ?? Usage.overview)
    }
    guard let verb = Verb(rawValue: name) else { throw .usage("unknown verb") }
    if rest.contains("--help") { return console.write(Usage.text(for: name) ?? Usage.overview) }
    switch verb {
    case .key: try KeyVerb(console: console).run(rest)
    case .sign: try SignVerb(console: console).run(rest)
    case .verify: try VerifyVerb(console: console).run(rest)
    case .encrypt: try EncryptVerb(console: console).run(rest)
    case .decrypt: try DecryptVerb(console: console).run(rest)
    case .jwt: try JWTVerb(console: console).run(rest)
    case .inspect: try InspectVerb(console: console).run(rest)
    case .vectors: try VectorsVerb(console: console).run(rest)
    case .demo: try DemoVerb(console: console).run(rest)
    case .psso: try PSSOVerb(console: console).run(rest)
    }
  }
}

/// What the command can do.
enum Verb: String, CaseIterable {
  case key, sign, verify, encrypt, decrypt, jwt, inspect, vectors, demo, psso
}
