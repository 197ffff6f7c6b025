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
        // Unknown device secrets are counted for the source's site, so that clients elsewhere aren't slowed.
        await endpoint.respond(to: value, sourceAddress: source.site)
      }
      return Response(value.headers.values("DPoP").isEmpty ? response : withNonce(response))
    }
  }

  private var tokenEndpoint: TokenEndpoint {
    let grants: [TokenEndpoint.Grant] = [
      .authorizationCode(codes) { code, request in
        let (scopes, userID) = (code.grant.scopes, code.grant.subject ?? "")
        // What is given anew doesn't revive a code of before.
        let noted = code.grant.additionalMembers["consent"]?.stringValue
        let isConsented = try await serving { () async throws -> Bool in
          let consent = try await sessions.consent(of: userID, at: request.client.id)
          return consent.covers(scopes) && noted.map { $0 == consent.name ?? "" } ?? true
        }
        guard isConsented else {
          throw OpenIDError(.invalidGrant, "the user has withdrawn the consent")
        }
        return try await tokens(of: code, request)
      },
      .refreshToken(refreshTokens) { grant, request in try await tokens(of: grant, request) },
    ]
    return TokenEndpoint(grants: grants + extensions.flatMap(\.grants)) { request, form in
      guard let client = try await authenticated(request, form) else { return nil }
      // Counted before the proof is stored, so that strangers can't fill the database with proofs: anyone can act as a
      // public client.
      if client.isPublic, !request.headers.values("DPoP").isEmpty { try await countKept(from: .ofTokenRequest) }
      let proof = try await proof(of: request)
      guard proof != nil || !client.requiresDPoP else {
        throw OAuthErrorResponse(.invalidDPoPProof, "The client must send a DPoP proof")
      }
      return AuthenticatedClient(id: client.id, confirmation: proof?.thumbprint)
    }
  }

  /// The tokens for a code.
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
      let (clientID, scopes) = (request.client.id, code.grant.scopes)
      grant.additionalClaims = try await serving { () async throws -> JSONObject in
        let consent = try await sessions.consent(of: userID, at: clientID)
        return try await self.claims(
          named: ReleasedClaims.names(of: claims.idToken, scopes: scopes, consent: consent), of: userID)
      }
    }
    let response = try await provider.tokens(for: grant)
    await audit.record(
      .init("token.issued", client: request.client.id, detail: code.grant.scopes.joined(separator: " ")))
    return response.issued
  }

  /// The tokens for a refresh token.
  private func tokens(of grant: RefreshedGrant, _ request: TokenEndpoint.Request) async throws -> RefreshedTokens {
    let confirmation = request.client.confirmation
    // Not checked again once the token is made, as the session is: withdrawing a consent ends its logins anyway.
    let (consent, isHonoured) = try await serving { () async throws -> (Consent?, Bool) in
      let consent = try await self.consent(for: grant.grant)
      return (consent, try await self.isHonoured(grant.grant, under: consent))
    }
    guard isHonoured else {
      throw OpenIDError(.invalidGrant, "the consent has ended, or the client now needs a stronger login")
    }
    let token = try await serving { () async throws -> String in
      try await accessToken(
        for: grant.grant, scope: grant.scope, consent: consent, family: grant.family, userInfo: consent?.claims ?? [],
        confirmation: confirmation)
    }
    let type = confirmation == nil ? "Bearer" : "DPoP"
    guard grant.scope.contains("device_sso") else { return RefreshedTokens(accessToken: token, tokenType: type) }
    let provider = try await serving { () async throws -> NativeSSOProvider in
      try await native(for: request.client.id)
    }
    return try await provider.refreshTokens(of: grant, request.form, accessToken: token, tokenType: type)
  }

  /// The consent that a grant needs: one that came from a code does.
  func consent(for grant: RefreshGrant) async throws -> Consent? {
    guard grant.grantID != nil else { return nil }
    return try await sessions.consent(of: grant.subject, at: grant.clientID)
  }

  /// Whether a grant still gives its client tokens: its consent must cover it, and the client may have come to need a
  /// stronger login.
  func isHonoured(_ grant: RefreshGrant, under consent: Consent?) async throws -> Bool {
    if let consent, !consent.covers(grant.scope) { return false }
    return try await clients.enabledClient(id: grant.clientID)?.accepts(grant.authenticationContext) ?? false
  }

  /// The Native SSO provider for a client, with the algorithm of that client's ID tokens.
  package func native(for clientID: String, tokens: (any TokenIssuer)? = nil) async throws -> NativeSSOProvider {
    let algorithm = try await clients.enabledClient(id: clientID)?.idTokenAlgorithm ?? "RS256"
    return try await native(signingBy: algorithm, tokens: tokens)
  }

  /// The client of a request, authenticated by its registered method; nil if that fails.
  func authenticated(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> Client? {
    guard let known = try await clients.authenticate(request, form) else {
      await audit.record(.init("client.refused", address: .ofTokenRequest))
      return nil
    }
    return try await serving { try await clients.enabledClient(id: known.id) }
  }

  /// Refuses to store more for a client whose network has reached the limit.
  func countKept(from source: SourceAddress) async throws(OAuthErrorResponse) {
    guard try await serving({ try await mayKeep(from: source) }) else {
      throw OAuthErrorResponse(
        .temporarilyUnavailable, "Too many requests from this network; try again in a minute", status: 429,
        retryAfter: .seconds(60))
    }
  }

  /// Runs a closure whose failures aren't the client's fault, and answers them with 503.
  func serving<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws(OAuthErrorResponse) -> Value {
    do {
      return try await body()
    } catch {
      log.error("a request could not be served", metadata: ["error": "\(Storage.reason(of: error))"])
      throw OAuthErrorResponse(
        .temporarilyUnavailable, "The server could not process the request", status: 503, retryAfter: .seconds(1))
    }
  }
}
