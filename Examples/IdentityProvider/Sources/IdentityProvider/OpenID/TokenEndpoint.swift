import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit

/// The token endpoint: each grant has its own place.
///
/// Source: RFC 6749 §3.2, OpenID Connect Core 1.0 §3.1.3, RFC 9449 §5.
extension Provider {
  func addTokenRoutes(to router: Router<ProviderContext>) {
    router.post("/token") { request, context in
      let value = try await HTTPRequestValue(request, baseURL: settings.issuer)
      return Response(await tokens(value, source: settings.source(of: request, context)))
    }
  }

  private func tokens(_ request: HTTPRequestValue, source: String) async -> HTTPResponseValue {
    do throws(OAuthErrorResponse) {
      guard let form = try? request.form(acceptsDuplicates: true) else {
        throw OAuthErrorResponse(.invalidRequest, "The request is not a form")
      }
      let grants = form.values("grant_type")
      guard grants.count == 1, !grants[0].isEmpty else {
        throw OAuthErrorResponse(.invalidRequest, "The request names no grant, or several")
      }
      switch grants[0] {
      case "authorization_code":
        let proof = try await proof(of: request)
        let response = try await redeem(request, proof)
        return proof == nil ? response : withNonce(response)
      case "refresh_token":
        let proof = try await proof(of: request)
        let response = await refresh(request, proof)
        return proof == nil ? response : withNonce(response)
      default:
        for part in extensions {
          if let response = await part.tokens(for: grants[0], request, source: source) { return response }
        }
        throw OAuthErrorResponse(.unsupportedGrantType, "The grant is none of this server's")
      }
    } catch {
      let response = error.response(to: request)
      return error.code == .useDPoPNonce ? withNonce(response) : response
    }
  }

  private func redeem(
    _ request: HTTPRequestValue, _ proof: VerifiedDPoPProof?
  ) async throws(OAuthErrorResponse) -> HTTPResponseValue {
    guard let form = try? request.form(acceptsDuplicates: true) else {
      throw OAuthErrorResponse(.invalidRequest, "The request is not a form")
    }
    guard let client = try await authenticated(request, form) else {
      throw OAuthErrorResponse(.invalidClient, "The client is not who it says", status: 401)
    }
    guard proof != nil || !client.requiresDPoP else {
      throw OAuthErrorResponse(.invalidDPoPProof, "The client must prove possession of a key")
    }
    do throws(OpenIDError) {
      let redemption = try AuthorizationCodeRedemption(
        form: form, clientID: client.id, keyThumbprint: proof?.thumbprint)
      return try await codes.redeem(redemption) { code in await answer(code, client, form, proof, to: request) }
    } catch {
      return OAuthErrorResponse(error).response(to: request)
    }
  }

  /// The tokens of a code.
  private func answer(
    _ code: RedeemedAuthorizationCode, _ client: Client, _ form: FormFields, _ proof: VerifiedDPoPProof?,
    to request: HTTPRequestValue
  ) async -> HTTPResponseValue {
    let claims = ClaimsRequest(code.grant.additionalMembers["claims"]?.objectValue)
    var issuer = GrantTokenIssuer(provider: self)
    issuer.confirmation = proof?.thumbprint
    issuer.userInfo = claims.userInfo
    let tokens = issuer
    do throws(OAuthErrorResponse) {
      let provider = try await serving { () async throws -> NativeSSOProvider in
        try await native(signingBy: client.idTokenAlgorithm, tokens: tokens)
      }
      var grant = AcceptedGrant(code, presentedDeviceSecret: form.values("device_secret").first)
      if let userID = code.grant.subject {
        grant.additionalClaims = try await serving { () async throws -> JSONObject in
          try await self.claims(named: claims.idToken, of: userID)
        }
      }
      let response = try await provider.tokens(for: grant)
      await audit.record(
        .init("token.issued", client: client.id, detail: code.grant.scopes.joined(separator: " ")))
      return response.response
    } catch {
      return error.response(to: request)
    }
  }

  private func refresh(_ request: HTTPRequestValue, _ proof: VerifiedDPoPProof?) async -> HTTPResponseValue {
    let endpoint = OAuthRefreshEndpoint(service: refreshTokens) { request, form in
      guard let client = try await authenticated(request, form) else { return nil }
      return OAuthRefreshEndpoint.Client(id: client.id, confirmation: proof?.thumbprint)
    } makeTokensWithForm: { grant, form in
      let client = try await clients.enabledClient(id: grant.grant.clientID)
      guard proof != nil || !(client?.requiresDPoP ?? true) else {
        throw OpenIDError(.invalidRequest, "the client must prove possession of a key")
      }
      let token = try await accessToken(
        for: grant.grant, scope: grant.scope, family: grant.family, confirmation: proof?.thumbprint)
      let type = proof == nil ? "Bearer" : "DPoP"
      guard grant.scope.contains("device_sso") else {
        return OAuthRefreshEndpoint.Tokens(accessToken: token, tokenType: type)
      }
      return try await native(signingBy: client?.idTokenAlgorithm ?? "RS256").refreshTokens(
        of: grant, form, accessToken: token, tokenType: type)
    }
    return await endpoint.respond(to: request)
  }

  /// The client of a request, by the way that it is registered for; nil if it is not who it says.
  func authenticated(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> Client? {
    let provider = try await serving { () async throws -> NativeSSOProvider in try await native() }
    guard let known = try await provider.clients.authenticate(request, form) else {
      await audit.record(.init("client.refused"))
      return nil
    }
    return try await serving { try await clients.enabledClient(id: known.id) }
  }

  /// Runs what may fail for reasons that are not the client's.
  func serving<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws(OAuthErrorResponse) -> Value {
    do {
      return try await body()
    } catch {
      log.error("a request could not be served", metadata: ["error": "\(type(of: error))"])
      throw OAuthErrorResponse(
        .temporarilyUnavailable, "The server could not process the request", status: 503, retryAfter: .seconds(1))
    }
  }
}
