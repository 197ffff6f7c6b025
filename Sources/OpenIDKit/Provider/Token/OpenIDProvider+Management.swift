import JOSE
import StrictJSON

/// What clients do with tokens that they have, and requests that they push.
///
/// Source: RFC 7662, RFC 7009, RFC 9126, RFC 9701.
extension OpenIDProvider {
  var introspectionEndpoint: OAuthIntrospectionEndpoint {
    var endpoint = OAuthIntrospectionEndpoint(service: refreshTokens) { request, form in
      // A public client could try out tokens here.
      guard let client = try await authenticated(request, form), !client.isPublic else { return nil }
      return AuthenticatedClient(id: client.id)
    } introspectOther: { query, asking in
      try await introspection(of: query.token, for: asking.id)
    } isHonoured: { grant in
      let client = try await clients.client(id: grant.clientID)
      return isHonoured(grant, under: try await consent(for: grant, client), by: client)
    }
    // For the one who has proved who it is, whatever the token says.
    endpoint.sign = { answer, asking in
      var claims = JWTClaims.introspection(issuer: issuer, audience: asking.id, answer: answer)
      claims.clock = clock
      return try JWT.sign(claims, with: accessTokenKey)
    }
    return endpoint
  }

  /// What is said of an access token to a client that asks; nil if it is not good, or none of that client's business.
  private func introspection(of token: String, for clientID: String) async throws -> IntrospectionResponse? {
    guard let access = try await access(token), let asking = try await clients.client(id: clientID),
      access.clientID == clientID || asking.isResourceServer
    else { return nil }
    var answer = IntrospectionResponse.active
    (answer.scope, answer.clientID, answer.subject) = (access.scopes, access.clientID.text, access.subject)
    (answer.issuer, answer.audience, answer.tokenID) = (issuer, access.audience, access["jti"]?.text)
    answer.keyThumbprint = access.keyThumbprint
    answer.tokenType = access.keyThumbprint == nil ? "Bearer" : "DPoP"
    answer.authenticationContext = access["acr"]?.text
    func date(_ name: String) -> NumericDate? { access.claims[name]?.doubleValue.map { NumericDate(saturating: $0) } }
    (answer.expiration, answer.issuedAt, answer.authenticationTime) = (date("exp"), date("iat"), date("auth_time"))
    if let userID = access.userID {
      let known = try await sessions.claims(named: ["preferred_username"], of: userID)
      answer.username = known["preferred_username"]?.stringValue
    }
    return answer
  }

  /// Ends refresh tokens, device secrets and access tokens, each for its own client.
  package var revocationEndpoint: OAuthRevocationEndpoint {
    OAuthRevocationEndpoint { request, form in
      try await authenticated(request, form).map { AuthenticatedClient(id: $0.id) }
    } revoke: { query, client in
      // The hint may be wrong, so it decides nothing.
      if try await addition?.revoke(query.token, by: client.id, of: self) == true { return }
      try await tokens.revoke(query.token, clientID: client.id)
      guard let access = try await access(query.token), let id = access["jti"]?.text else { return }
      guard access.clientID == client.id else {
        throw OpenIDError(.invalidGrant, "the access token belongs to another client")
      }
      try await revokedTokens.revoke(
        .token(id), until: clock.now.advanced(by: policy.rotation.maximumAccessTokenLifetime))
      await onEvent(.accessTokenRevoked(clientID: client.id, userID: access.userID))
    }
  }

  /// Takes authorization requests that clients push.
  func pushedRequests(from source: String) throws(OpenIDError) -> PushedAuthorizationEndpoint {
    try PushedAuthorizationEndpoint(records: records, clock: clock) { request, form in
      guard let client = try await authenticated(request, form, isPushing: true) else { return nil }
      // A request with a proof is counted with that.
      if client.isAnybody, request.headers.values("DPoP").isEmpty { try await requireMayKeep(from: source) }
      let proof = try await proof(of: request, by: client, from: source)
      return AuthenticatedClient(client, proof)
    } validate: { form, _ in
      _ = try await authorizationRequest(form, isPushed: true)
    }
  }
}
