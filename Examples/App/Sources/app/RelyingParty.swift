import JOSE
import JOSEHTTP
import NativeSSO
import TokenRefresh

/// A client of the provider: begins logins, and finishes them when the browser comes back.
struct RelyingParty: Sendable {
  let provider: Provider
  let clientID: String
  /// Proves who the client is (`private_key_jwt`); its public half is registered.
  let key: SigningKey
  let redirectURI: String

  /// What has to be remembered while the user is at the provider, for one browser.
  struct PendingLogin: Sendable {
    let state = RandomName.make()
    let nonce = RandomName.make()
    let pkce = PKCE()
    /// This login's tokens are good only with a proof by this key (DPoP).
    let proofKey: SigningKey
  }

  /// Why the browser's return is no login.
  enum Refused: Error {
    /// The answer belongs to no login of this browser, or came from another provider.
    case notAnswered
    /// The provider's error, such as `access_denied`.
    case byProvider(String)
    /// The token endpoint gave no tokens.
    case noTokens(RefreshFailure.Kind?)
  }

  /// An assertion for each request, good for a minute.
  var authentication: OAuthTokenRefresher.ClientAuthentication {
    .fields { [clientID, key, issuer = provider.issuer] in
      [
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", try JWT.sign(.clientAssertion(clientID: clientID, audience: issuer), with: key)),
      ]
    }
  }

  /// A login to remember, and where to send the browser. The parameters go to the provider directly, where it takes
  /// them (PAR).
  func begin() async throws -> (login: PendingLogin, url: String) {
    let login = PendingLogin(proofKey: try .generate(.es256))
    let parameters: FormFields = [
      "client_id": clientID, "response_type": "code", "redirect_uri": redirectURI, "state": login.state,
      "scope": "openid profile email offline_access", "nonce": login.nonce, "code_challenge": login.pkce.challenge,
      "code_challenge_method": "S256",
    ]
    let authorize = try provider.endpoint("authorization_endpoint")
    guard let endpoint = provider.optionalEndpoint("pushed_authorization_request_endpoint") else {
      return (login, authorize + "?" + parameters.encodedAsQuery())
    }
    let client = OAuthClient(clientID: clientID, authentication: authentication, transport: provider.send)
    return (login, try await client.push(parameters, to: endpoint).url(of: authorize))
  }

  /// Takes the browser's return: a code for this login, tokens for the code, and an ID token that says who it is.
  func finish(_ login: PendingLogin, query: String) async throws -> Visit {
    let answer = try FormFields(decoding: Array(query.utf8))
    guard try answer.requiredValue("state") == login.state, try answer.requiredValue("iss") == provider.issuer else {
      throw Refused.notAnswered
    }
    if let error = try answer.uniqueValue("error") { throw Refused.byProvider(error) }
    let tokens = try await redeem(try answer.requiredValue("code"), of: login)
    guard let idToken = tokens.idToken else { throw Refused.noTokens(nil) }
    var request = IDTokenRequest(nonce: login.nonce)
    request.accessToken = tokens.accessToken
    let verified = try await verifier(answering: request).verify(idToken)
    guard let subject = verified.registeredClaims.subject else { throw Refused.noTokens(nil) }
    let manager = try TokenManager(
      store: InMemoryTokenStore(),
      refresher: OAuthTokenRefresher(
        tokenEndpoint: try provider.endpoint("token_endpoint"), clientID: clientID, authentication: authentication,
        revocationEndpoint: provider.optionalEndpoint("revocation_endpoint"), proofKey: login.proofKey,
        transport: provider.send),
      idTokenCheck: IDTokenCheck { try await verifier(answering: IDTokenRequest(nonce: nil)).verify($0).claims })
    try await manager.logIn(tokens, subject: subject)
    return Visit(
      subject: subject, sessionID: verified.claims["sid"]?.stringValue, idToken: idToken, manager: manager,
      api: RequestAuthorizer(manager: manager, proofKey: login.proofKey, transport: provider.send))
  }

  /// Tokens for a code, bound to the login's key. A server that wants a nonce in the proof is asked once more.
  private func redeem(_ code: String, of login: PendingLogin) async throws -> RefreshedTokens {
    let url = try provider.endpoint("token_endpoint")
    var nonce: String?
    for _ in 1...2 {
      var form: FormFields = [
        "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "client_id": clientID,
        "code_verifier": login.pkce.verifier,
      ]
      if case .fields(let make) = authentication {
        for field in try await make() { form.append(field.name, field.value) }
      }
      var headers = HTTPHeaderFields()
      try headers.set("DPoP", DPoP.proof(method: "POST", url: url, key: login.proofKey, nonce: nonce))
      let response = try await provider.send(.post(form, to: url, headers: headers))
      switch OAuthTokenResponse.outcome(of: response) {
      case .tokens(let tokens): return tokens
      case .failed(let failure):
        guard nonce == nil, case .dpopNonceRequired(let wanted) = failure.kind else {
          throw Refused.noTokens(failure.kind)
        }
        nonce = wanted
      }
    }
    throw Refused.noTokens(nil)
  }

  private func verifier(answering request: IDTokenRequest) -> RemoteJWTVerifier {
    RemoteJWTVerifier(
      keys: provider.keys, algorithms: [.es256, .rs256],
      policy: .idToken(from: .openID(issuer: provider.issuer), clientID: clientID, answering: request))
  }
}
