import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// The token endpoint.
///
/// Source: RFC 6749 §3.2, OpenID Connect Core 1.0 §3.1.3, RFC 9449 §5.
extension Provider {
  func addTokenRoutes(to router: Router<ProviderContext>) {
    let endpoint = tokenEndpoint
    router.post("/token") { request, context in
      let value = try await HTTPRequestValue(request, baseURL: settings.issuer)
      let source = settings.source(of: request, context)
      let response = await SourceAddress.$ofTokenRequest.withValue(source) {
        // Who shows a device secret that is not ours is counted by it, and nobody else.
        await endpoint.respond(to: value, sourceAddress: source.site)
      }
      return Response(value.headers.values("DPoP").isEmpty ? response : withNonce(response))
    }
  }

  private var tokenEndpoint: TokenEndpoint {
    let grants: [TokenEndpoint.Grant] = [
      .authorizationCode(codes) { code, request in
        let (scopes, userID) = (code.grant.scopes, code.grant.subject ?? "")
        guard try await sessions.isConsented(scopes, of: userID, at: request.client.id) else {
          throw OpenIDError(.invalidGrant, "the user's consent has been taken back")
        }
        return try await tokens(of: code, request)
      },
      .refreshToken(refreshTokens) { grant, request in try await tokens(of: grant, request) },
    ]
    return TokenEndpoint(grants: grants + extensions.flatMap(\.grants)) { request, form in
      guard let client = try await authenticated(request, form) else { return nil }
      // Only now, so that strangers fill no database with their proofs. Anybody can be a public client.
      if client.isPublic, !request.headers.values("DPoP").isEmpty { try await countKept(from: .ofTokenRequest) }
      let proof = try await proof(of: request)
      guard proof != nil || !client.requiresDPoP else {
        throw OAuthErrorResponse(.invalidDPoPProof, "The client must prove possession of a key")
      }
      return AuthenticatedClient(id: client.id, confirmation: proof?.thumbprint)
    }
  }

  /// The tokens of a code.
  private func tokens(
    of code: RedeemedAuthorizationCode, _ request: TokenEndpoint.Request
  ) async throws(OAuthErrorResponse) -> RefreshedTokens {
    let claims = ClaimsRequest(code.grant.additionalMembers["claims"]?.objectValue)
    var issuer = GrantTokenIssuer(provider: self)
    issuer.confirmation = request.client.confirmation
    issuer.userInfo = claims.userInfo
    let tokens = issuer
    let provider = try await serving { () async throws -> NativeSSOProvider in
      try await native(for: request.client.id, tokens: tokens)
    }
    var grant = AcceptedGrant(code, presentedDeviceSecret: request.form.values("device_secret").first)
    if let userID = code.grant.subject {
      grant.additionalClaims = try await serving { () async throws -> JSONObject in
        try await self.claims(named: claims.idToken, of: userID)
      }
    }
    let response = try await provider.tokens(for: grant)
    await audit.record(
      .init("token.issued", client: request.client.id, detail: code.grant.scopes.joined(separator: " ")))
    return response.issued
  }

  /// The tokens of a refresh token.
  private func tokens(of grant: RefreshedGrant, _ request: TokenEndpoint.Request) async throws -> RefreshedTokens {
    let confirmation = request.client.confirmation
    // Asked once, and not with the session before and after: a consent that is taken back ends its logins anyway.
    guard try await isHonoured(grant.grant) else {
      throw OpenIDError(.invalidGrant, "the consent is over, or the login not of a kind that is needed")
    }
    let token = try await accessToken(
      for: grant.grant, scope: grant.scope, family: grant.family, confirmation: confirmation)
    let type = confirmation == nil ? "Bearer" : "DPoP"
    guard grant.scope.contains("device_sso") else { return RefreshedTokens(accessToken: token, tokenType: type) }
    return try await native(for: request.client.id).refreshTokens(
      of: grant, request.form, accessToken: token, tokenType: type)
  }

  /// Whether a login gives its client tokens still: what came of a code rests on its user's consent, and the client may
  /// need another kind of login since then.
  func isHonoured(_ grant: RefreshGrant) async throws -> Bool {
    if grant.grantID != nil, try await !sessions.isConsented(grant.scope, of: grant.subject, at: grant.clientID) {
      return false
    }
    return try await clients.enabledClient(id: grant.clientID)?.accepts(grant.authenticationContext) ?? false
  }

  /// The provider of Native SSO as a client needs it, which has chosen what its ID tokens are signed by.
  package func native(for clientID: String, tokens: (any TokenIssuer)? = nil) async throws -> NativeSSOProvider {
    let algorithm = try await clients.enabledClient(id: clientID)?.idTokenAlgorithm ?? "RS256"
    return try await native(signingBy: algorithm, tokens: tokens)
  }

  /// The client of a request, by the way that it is registered for; nil if it is not who it says.
  func authenticated(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> Client? {
    guard let known = try await clients.authenticate(request, form) else {
      await audit.record(.init("client.refused"))
      return nil
    }
    return try await serving { try await clients.enabledClient(id: known.id) }
  }

  /// Refuses a program what is to be kept for it, if its network has had too much.
  func countKept(from source: SourceAddress) async throws(OAuthErrorResponse) {
    guard try await serving({ try await mayKeep(from: source) }) else {
      throw OAuthErrorResponse(
        .temporarilyUnavailable, "Too many requests came", status: 429, retryAfter: .seconds(60))
    }
  }

  /// Runs what may fail for reasons that are not the client's.
  func serving<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws(OAuthErrorResponse) -> Value {
    do {
      return try await body()
    } catch {
      let text = Storage.text(of: error) ?? "\(type(of: error))"
      log.error("a request could not be served", metadata: ["error": "\(text)"])
      throw OAuthErrorResponse(
        .temporarilyUnavailable, "The server could not process the request", status: 503, retryAfter: .seconds(1))
    }
  }
}
