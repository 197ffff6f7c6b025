import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// Introspection and revocation of tokens, and pushed authorization requests.
///
/// Source: RFC 7662, RFC 7009, RFC 9126.
extension Provider {
  func addTokenManagementRoutes(to router: Router<ProviderContext>) {
    let introspection = OAuthIntrospectionEndpoint(service: refreshTokens) { request, form in
      // A public client could try out tokens here.
      guard let client = try await authenticated(request, form), !client.isPublic else { return nil }
      return AuthenticatedClient(id: client.id)
    } introspectOther: { query, asking in
      try await introspect(query.token, for: asking.id)
    } isHonoured: {
      try await isHonoured($0, under: try await consent(for: $0))
    }
    router.post("/introspect") { request, context in
      let value = try await HTTPRequestValue(request, baseURL: settings.issuer)
      return await SourceAddress.$ofTokenRequest.withValue(settings.source(of: request, context)) {
        Response(await introspection.respond(to: value))
      }
    }
    router.post("/revoke") { request, context in
      let endpoint = try await revocationEndpoint()
      let value = try await HTTPRequestValue(request, baseURL: settings.issuer)
      return await SourceAddress.$ofTokenRequest.withValue(settings.source(of: request, context)) {
        Response(await endpoint.respond(to: value))
      }
    }
    router.post("/par") { request, context in
      let value = try await HTTPRequestValue(request, baseURL: settings.issuer)
      let source = settings.source(of: request, context)
      let endpoint = try pushedRequests(from: source)
      let response = await SourceAddress.$ofTokenRequest.withValue(source) { await endpoint.respond(to: value) }
      return Response(value.headers.values("DPoP").isEmpty ? response : withNonce(response))
    }
  }

  /// Ends refresh tokens, device secrets and access tokens, each for its own client.
  private func revocationEndpoint() async throws -> OAuthRevocationEndpoint {
    try await native().revocationEndpoint { request, form in
      guard let client = try await authenticated(request, form) else { return nil }
      return AuthenticatedClient(id: client.id)
    } revokeOther: { query, client in
      guard let access = try await access(query.token), let id = access.claims["jti"]?.stringValue else { return }
      guard access.clientID.utf8.elementsEqual(client.id.utf8) else {
        throw OpenIDError(.invalidGrant, "the access token belongs to another client")
      }
      try await revokedTokens.revoke(
        .token(id), until: clock.now.advanced(by: .seconds(settings.accessTokenLifetime)))
      await audit.record(.init("token.revoked", user: access.userID, client: client.id))
    }
  }

  /// The pushed authorization request endpoint.
  func pushedRequests(from source: SourceAddress = SourceAddress("")) throws -> PushedAuthorizationEndpoint {
    try PushedAuthorizationEndpoint(records: database.records, clock: clock) { request, form in
      guard let client = try await authenticated(request, form) else { return nil }
      if client.isPublic { try await countKept(from: source) }
      return AuthenticatedClient(id: client.id, confirmation: try await proof(of: request)?.thumbprint)
    } validate: { form, _ in
      _ = try await AuthorizationRequest(form, isPushed: true, clients: clients)
    }
  }

  /// The introspection answer about an access token, for the client that asks.
  private func introspect(_ token: String, for clientID: String) async throws -> IntrospectionResponse? {
    guard let access = try await access(token) else { return nil }
    let isResourceServer = try await clients.enabledClient(id: clientID)?.isResourceServer ?? false
    guard access.clientID.utf8.elementsEqual(clientID.utf8) || isResourceServer else { return nil }
    var answer = IntrospectionResponse.active
    answer.scope = access.scopes
    answer.clientID = access.clientID
    answer.subject = access.userID
    answer.username = try await users.user(id: access.userID)?.username
    answer.keyThumbprint = access.keyThumbprint
    answer.tokenType = access.keyThumbprint == nil ? "Bearer" : "DPoP"
    answer.issuer = settings.issuer
    answer.audience = [settings.issuer]
    answer.tokenID = access.claims["jti"]?.stringValue
    answer.authenticationContext = access.claims["acr"]?.stringValue
    func date(_ name: String) -> NumericDate? { access.claims[name]?.numberValue?.int64.map { NumericDate(Int($0)) } }
    (answer.expiration, answer.issuedAt, answer.authenticationTime) = (date("exp"), date("iat"), date("auth_time"))
    return answer
  }
}
