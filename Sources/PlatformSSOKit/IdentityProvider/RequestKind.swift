import JOSE

/// The kinds of request that a provider answers. A login configuration may send all of them to one address.
public enum RequestKind: Sendable, Hashable {
  /// Read with ``IdentityProvider/preauthenticationRequest(from:)``.
  case preauthentication
  /// Check with ``IdentityProvider/authorizationRequest(from:)``.
  case authorization
  /// Answer with ``IdentityProvider/serverNonceResponse(to:)``.
  case serverNonce
  /// Check with ``IdentityProvider/loginRequest(from:)``.
  case login
  /// Check with ``IdentityProvider/refreshRequest(from:)``.
  case refresh
  /// Check with ``IdentityProvider/keyEndpointRequest(from:)``.
  case keyEndpoint
}

extension IdentityProvider {
  /// Which kind of request this seems to be, for providers with one address for all.
  ///
  /// Nothing has been verified: the answer says only which check comes next, and that check refuses every other kind.
  ///
  /// - Throws: ``PlatformSSOError`` for what is not a request of the protocol.
  public func kind(of request: HTTPRequestValue) throws(PlatformSSOError) -> RequestKind {
    if request.method.hasSameBytes(as: "GET") { return .preauthentication }
    var form = try PostedForm(request, configuration: configuration)
    return try kind(of: &form)
  }

  /// The same of a form, which keeps what had to be parsed.
  func kind(of form: inout PostedForm) throws(PlatformSSOError) -> RequestKind {
    if let grantType = try form.only("grant_type"), grantType.hasSameBytes(as: GrantType.serverChallenge) {
      return .serverNonce
    }
    // An authorization request is always in `request`.
    let names = configuration.requestParameterNames
    let token = try form.token(parameterNames: names.containsBytes(of: "request") ? names : names + ["request"])
    let unverified = try form.parse(token, limits: configuration.limits)
    if let type = unverified.unverifiedHeader.type {
      if MessageType.loginRequest.matches(type) { return .login }
      if MessageType.refreshRequest.matches(type) { return .refresh }
      if MessageType.keyRequest.matches(type) { return .keyEndpoint }
      if MessageType.authorizationRequest.matches(type) { return .authorization }
    }
    // Extensions override `typ`; then the claims tell.
    let claims = MessageMembers(try PlatformSSOError.reporting(unverified.claimsObject()))
    if claims.object["request_type"] != nil { return .keyEndpoint }
    return try claims.string("grant_type").hasSameBytes(as: GrantType.refreshToken) ? .refresh : .login
  }
}
