import OpenIDKit
import PureCrypto
import JOSE

/// A request to authorize: the address that the browser is sent to.
///
/// ```swift
/// let request = try AppleAuthorizationRequest(
///   clientID: "com.example.web", redirectURI: AppleRedirectURI("https://www.example.com/apple/callback"),
///   scopes: [.name, .email])
/// redirect(to: request.url())
/// ```
///
/// Every value of this type satisfies all of Apple's rules; each violation is an error of its own before anything is
/// sent. Keep ``pending(now:)`` until the response comes.
///
/// Source: Apple, Request an authorization to the Sign in with Apple server.
package struct AppleAuthorizationRequest: Sendable {
  /// `client_id`: an App ID or a Services ID.
  package let clientID: String
  /// `redirect_uri`: where Apple sends the browser back to.
  package let redirectURI: AppleRedirectURI
  /// `response_type`: what Apple answers with.
  package let responseType: AppleResponseType
  /// `response_mode`: how the answer travels.
  package let responseMode: AppleResponseMode
  /// `scope`: what Apple tells of the user: name, e-mail address, both or neither.
  package let scopes: Set<AppleScope>
  /// `state`: 256 random bits unless the caller gave one.
  package let state: String
  /// `nonce`: 256 random bits unless the caller gave one or decided against it.
  package let nonce: AppleNonce?
  /// Further parameters, written last.
  package let additionalParameters: [(name: String, value: String)]

  /// What becomes of the nonce.
  package enum NonceChoice: Sendable {
    /// A fresh one.
    case generated(AppleNonce.Form)
    /// The caller's.
    case given(AppleNonce)
    /// None. The identity token is then not bound to this sign-in.
    case absent
  }

  /// A request.
  ///
  /// - Parameters:
  ///   - clientID: an App ID or a Services ID, without the Team ID before it.
  ///   - redirectURI: one that is registered for the client at Apple, to the byte.
  ///   - responseType: whether an identity token comes with the code, before it is exchanged.
  ///   - scopes: what to ask the user for. Apple tells the name at the first sign-in only.
  ///   - responseMode: nil for the only or the customary one: `form_post` with scopes, else `query` for a code alone
  ///     and `fragment` with an identity token.
  ///   - state: nil for a fresh one, which is right unless something else needs it.
  ///   - nonce: a fresh one by default, sent as it is; without any, a stolen identity token could be put in place of
  ///     the user's.
  ///   - teamID: the Team ID, which must not be in `clientID`.
  ///   - additionalParameters: parameters that Apple does not document.
  /// - Throws: `JOSEError`, for each rule its own code.
  package init(
    clientID: String, redirectURI: AppleRedirectURI, responseType: AppleResponseType = .code,
    scopes: Set<AppleScope> = [], responseMode: AppleResponseMode? = nil, state: String? = nil,
    nonce: NonceChoice = .generated(.exact), teamID: String? = nil,
    additionalParameters: [(name: String, value: String)] = [], random: RandomSource = .system
  ) throws(JOSEError) {
    try AppleClientID.requireValid(clientID, teamID: teamID)
    let mode = responseMode ?? (scopes.isEmpty ? .default(for: responseType) : .formPost)
    try mode.requireAllowed(for: responseType, scopes: scopes)
    let state = state ?? random.token()
    try Self.requireValid(state: state)
    let names = additionalParameters.map { WireName($0.name) }
    for name in names {
      let isPlain = name.text.isVisibleASCII(upTo: 64) && !Self.parameterNames.contains(name)
      let isOnlyOne = names.count { $0 == name } == 1
      guard isPlain, isOnlyOne else {
        throw JOSEError(.parameterUnsupported, "a further parameter would replace one of the request's own")
      }
    }
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.responseType = responseType
    self.responseMode = mode
    self.scopes = scopes
    self.state = state
    switch nonce {
    case .generated(let form): self.nonce = AppleNonce(unchecked: random.token(), form: form)
    case .given(let nonce): self.nonce = nonce
    case .absent: self.nonce = nil
    }
    self.additionalParameters = additionalParameters
  }

  package static func requireValid(state: String) throws(JOSEError) {
    guard state.isVisibleASCII(upTo: 512) else {
      throw JOSEError(.stateInvalid, "the state is not 1 to 512 visible characters", name: "state")
    }
  }

  /// The address for the browser. Spaces are written `%20`, as Apple demands.
  package func url(of service: AppleService = .apple) -> String {
    var parameters = [
      ("response_type", responseType.rawValue), ("response_mode", responseMode.rawValue), ("client_id", clientID),
      ("redirect_uri", redirectURI.text),
    ]
    if let scope = AppleScope.text(scopes) { parameters.append(("scope", scope)) }
    parameters.append(("state", state))
    if let nonce { parameters.append(("nonce", nonce.claim)) }
    parameters += additionalParameters.map { ($0.name, $0.value) }
    return service.authorizationURL + "?" + URLQuery.encode(parameters)
  }

  /// What the server keeps until the response comes.
  package func pending(now: NumericDate = WallClock.system.now) -> ApplePendingSignIn {
    ApplePendingSignIn(request: self, startedAt: now)
  }

  static let parameterNames: [WireName] = [
    "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce",
  ]
}

extension AppleAuthorizationRequest: Redacted {}
