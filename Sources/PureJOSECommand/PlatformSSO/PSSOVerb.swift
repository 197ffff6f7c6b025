/// Single messages of Platform SSO, for either side to be tested from a shell.
struct PSSOVerb {
  let console: Console

  /// What can be done.
  enum Name: String, CaseIterable {
    case nonceRequest = "nonce-request"
    case preauthenticationRequest = "preauthentication-request"
    case authorizationRequest = "authorization-request"
    case loginRequest = "login-request"
    case refreshRequest = "refresh-request"
    case keyRequest = "key-request"
    case keyExchangeRequest = "key-exchange-request"
    case openResponse = "open-response"
    case checkRequest = "check-request"
    case respond
    case curl
    case doctor
    case profile
    case checkProfile = "check-profile"
    case serve
  }

  func run(_ arguments: [String]) throws(CommandFailure) {
    guard let word = arguments.first, let name = Name(rawValue: word) else {
      throw .usage("psso needs \(Name.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let rest = Array(arguments.dropFirst())
    switch name {
    case .nonceRequest: try nonceRequest(rest)
    case .preauthenticationRequest: try preauthenticationRequest(rest)
    case .authorizationRequest: try authorizationRequest(rest)
    case .loginRequest: try loginRequest(rest)
    case .refreshRequest: try refreshRequest(rest)
    case .keyRequest: try keyRequest(rest)
    case .keyExchangeRequest: try keyExchangeRequest(rest)
    case .openResponse: try openResponse(rest)
    case .checkRequest: try checkRequest(rest)
    case .respond: try respond(rest)
    case .curl: try curl(rest)
    case .doctor: try doctor(rest)
    case .profile: try profile(rest)
    case .checkProfile: try checkProfile(rest)
    case .serve: throw Self.serverIsElsewhere
    }
  }

  /// A server needs an HTTP library, and this package has no dependencies.
  private static let serverIsElsewhere = CommandFailure.usage(
    """
    psso serve is a package of its own, Examples/PlatformSSOServer, since it needs an HTTP server. In the repository:
      swift run --package-path Examples/PlatformSSOServer psso-serve --settings FILE --state FOLDER [--port 8080]
    """)

  /// Options of a subcommand that takes no operands.
  func options(_ arguments: [String], _ known: [String]) throws(CommandFailure) -> Arguments {
    let arguments = try Arguments(arguments, options: known)
    try arguments.requireNoOperands()
    return arguments
  }

  private func curl(_ arguments: [String]) throws(CommandFailure) {
    _ = try options(arguments, [])
    console.write(HTTPText.curlConfiguration(try HTTPRecord.request(try console.readInput())))
  }
}
