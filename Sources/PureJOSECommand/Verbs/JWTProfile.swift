import JOSE

/// The kinds of tokens that `jose jwt verify --profile` knows.
enum JWTProfile: String, CaseIterable {
  case accessToken = "access-token"
  case idToken = "id-token"
  case logoutToken = "logout-token"
  case introspection
  case requestObject = "request-object"
  case securityEvent = "security-event"
  case clientAssertion = "client-assertion"

  /// The profile that an option names, or nil.
  init?(_ arguments: Arguments) throws(CommandFailure) {
    guard let name = arguments["profile"] else { return nil }
    guard let profile = JWTProfile(rawValue: name) else {
      throw .usage("unknown profile\(Suggestion.of(name, among: Self.allCases.map(\.rawValue)))")
    }
    self = profile
  }

  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// What a token of this kind must say. Of what a client sends, the issuer is the client and the audience this server.
  func policy(issuer: String, audience: String, nonce: String?) -> JWTPolicy {
    switch self {
    case .accessToken: .accessToken(issuer: issuer, audience: audience)
    case .idToken:
      .idToken(
        from: .openID(issuer: issuer), clientID: audience,
        answering: nonce.map { IDTokenRequest(nonce: $0) } ?? .refresh)
    case .logoutToken: .logoutToken(issuer: issuer, clientID: audience)
    case .introspection: .introspection(issuer: issuer, audience: audience)
    case .requestObject: .requestObject(clientID: issuer, audience: audience)
    case .securityEvent: .securityEvent(issuer: issuer, audience: audience)
    case .clientAssertion: .clientAssertion(clientID: issuer, audience: [audience])
    }
  }
}
