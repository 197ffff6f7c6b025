import JOSE

extension OpenIDClient {
  /// Begins a login.
  ///
  /// - Parameters:
  ///   - maximumAge: `max_age`: the user must have proved who they are at most so long ago, in whole seconds, which the
  ///     ID token is checked for; zero for just now. Nil for whenever.
  ///   - parameters: further ones, such as `prompt`, `login_hint` or `resource`. They can't replace those that are set.
  /// - Returns: what to keep for this browser, and where to send it.
  /// - Throws: `ErrorCode.settingInvalid`, with the name of a parameter that is set already, or without a redirect URI.
  ///   What ``OAuthClient/push(_:to:)`` throws, if the provider takes pushed requests.
  public func begin(
    maximumAge: Duration? = nil, parameters: FormFields = [:]
  ) async throws(OpenIDError) -> (login: PendingLogin, url: String) {
    try await begin(CodeRequest(), maximumAge: maximumAge, parameters: parameters)
  }

  /// The same with values given, for reproducing an example.
  package func begin(
    _ request: CodeRequest, maximumAge: Duration?, parameters: FormFields
  ) async throws(OpenIDError) -> (login: PendingLogin, url: String) {
    guard let redirectURI else {
      throw OpenIDError(.settingInvalid, "a browser must have where to come back to", name: "redirectURI")
    }
    if let maximumAge, maximumAge < .zero {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: "max_age")
    }
    var (proofKey, thumbprint): (JWK?, String?)
    switch binding {
    case .none: break
    case .freshKey:
      let key = JWK.generate(.es256)
      (proofKey, thumbprint) = (key, try? key.thumbprint())
    case .key(let key): thumbprint = try? key.verificationKey.publicJWK?.thumbprint()
    }
    let seconds = maximumAge?.wholeSeconds
    let login = PendingLogin(
      issuer: provider.issuer, expiration: clock.wall.now.advanced(by: loginLifetime), clientID: clientID,
      redirectURI: redirectURI, request: request, scopes: scopes, maximumAge: seconds, proofKey: proofKey)
    var others = FormFields()
    if let seconds { others.append("max_age", "\(seconds)") }
    // The code is then useless without the key (RFC 9449 §10).
    if let thumbprint { others.append("dpop_jkt", thumbprint) }
    let all: FormFields
    do throws(CodeRequest.Replaced) {
      all = try login.parameters(others: others, additional: parameters)
    } catch {
      throw OpenIDError(
        .settingInvalid, "an additional parameter would replace one that is set", name: error.name)
    }
    return (login, try await url(all))
  }

  private func url(_ parameters: FormFields) async throws(OpenIDError) -> String {
    guard let endpoint = provider.pushedAuthorizationEndpoint else {
      guard let address = try? URIComponents(parsing: provider.authorizationEndpoint) else {
        throw OpenIDError(.settingInvalid, "the endpoint is not a URL", name: "authorization_endpoint")
      }
      return address.appendingQuery(parameters)
    }
    let client = OAuthClient(
      clientID: clientID, authentication: authentication, plainHTTP: provider.plainHTTP, clock: clock.wall,
      transport: transport)
    return try await client.push(parameters, to: endpoint).url(of: provider.authorizationEndpoint)
  }
}
