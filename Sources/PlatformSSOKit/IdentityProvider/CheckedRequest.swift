import JOSE

/// A request that a provider has checked, of whichever kind it was. A login configuration may send all to one address.
public enum CheckedRequest: Sendable {
  /// Answer it with ``IdentityProvider/preauthenticationResponse(to:_:)``.
  case preauthentication(PreauthenticationRequest)
  /// Answer it with a page where the user logs in.
  case authorization(AuthorizationRequest)
  /// Needs nothing from outside: this is the answer.
  case serverNonce(HTTPResponseValue)
  /// A login or a refresh: answer it with ``IdentityProvider/loginResponse(to:_:unlockKey:keyContext:)``.
  case tokenEndpoint(TokenEndpointRequest)
  /// Answer it with a certificate of the unlock key, or with the key that it agrees on.
  case keyEndpoint(KeyEndpointRequest)
}

extension IdentityProvider {
  /// Tells which kind of request this is, and checks it. Each part is parsed once.
  ///
  /// - Throws: `JOSEError`, each fault with a code of its own.
  public func checkedRequest(_ request: HTTPRequestValue) async throws(JOSEError) -> CheckedRequest {
    if request.hasMethod("GET") {
      try requirePreauthenticationAddress(request)
      return .preauthentication(try preauthenticationRequest(from: request))
    }
    let form = try PostedForm(request, configuration: configuration)
    guard let (kind, signed) = try kind(of: form) else { return .serverNonce(try serverNonceResponse(in: form)) }
    switch kind {
    case .login: return .tokenEndpoint(try await loginRequest(in: signed))
    case .refresh: return .tokenEndpoint(try await refreshRequest(in: signed))
    case .keyEndpoint: return .keyEndpoint(try await keyEndpointRequest(in: signed))
    case .authorization: return .authorization(try await authorizationRequest(in: signed))
    }
  }

  /// A GET is a preauthentication, and everything else is posted.
  private func requirePreauthenticationAddress(_ request: HTTPRequestValue) throws(JOSEError) {
    let path = { (url: String) in
      let known = (try? URIComponents(parsing: url))?.path ?? url
      return Array(known.utf8.prefix { $0 != 0x3F })
    }
    let posted = (configuration.tokenEndpointURLs + [configuration.refreshEndpointURL].compactMap { $0 }).map(path)
    let isThere =
      configuration.preauthenticationURL.map { path($0) == path(request.url) }
      ?? (!posted.contains(path(request.url)) && namesUser(request))
    guard isThere else { throw JOSEError(.methodNotAllowed, "the request's method is not POST") }
  }

  /// What a form with a signed request seems to be. Nothing has been verified: it says only which check comes next, and
  /// that check refuses every other kind.
  enum FormKind {
    case login, refresh, keyEndpoint, authorization
  }

  /// Which kind a form seems to be, and the form with its request parsed; nil for a request for a server nonce, in
  /// which nothing is signed.
  func kind(of form: PostedForm) throws(JOSEError) -> (kind: FormKind, form: SignedForm)? {
    if let grantType = try form.only("grant_type"), WireName(grantType) == GrantType.serverChallenge {
      return nil
    }
    // An authorization request is always in `request`.
    let names = configuration.requestParameterNames
    let signed = try form.signed(
      parameterNames: names.wireNames.contains("request") ? names : names + ["request"], limits: configuration.limits)
    return (try kind(of: signed.message), signed)
  }

  private func kind(of unverified: UnverifiedJWS) throws(JOSEError) -> FormKind {
    if let type = unverified.unverifiedHeader.type {
      if MessageType.loginRequest.matches(type) { return .login }
      if MessageType.refreshRequest.matches(type) { return .refresh }
      if MessageType.keyRequest.matches(type) { return .keyEndpoint }
      if MessageType.authorizationRequest.matches(type) { return .authorization }
    }
    // Extensions override `typ`; then the claims tell.
    let claims = MessageMembers(try unverified.claimsObject())
    if claims.object["request_type"] != nil { return .keyEndpoint }
    return try claims.name("grant_type") == GrantType.refreshToken ? .refresh : .login
  }
}
