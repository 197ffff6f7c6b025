import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto
import StrictJSON

/// A whole authorization server in memory around a `NativeSSOProvider`: authorization codes with proof keys, refresh
/// tokens, the token exchange and revocation. For development, tests and demonstrations; it forgets everything when the
/// process ends.
///
/// Source: RFC 6749, RFC 7636, RFC 9207.
public actor InMemoryAuthorizationServer {
  /// The provider of Native SSO.
  public let provider: NativeSSOProvider
  private let tokens: OpaqueTokenIssuer
  private var codes: [[UInt8]: PendingCode] = [:]

  /// How many codes wait to be exchanged. For tests.
  package var codeCount: Int { codes.count }

  /// An authorization code lives that many seconds.
  private static let codeLifetime = 60.0

  private struct PendingCode {
    let clientID: String
    let redirectURI: String
    let sessionID: String
    let scopes: [String]
    let nonce: String?
    let challenge: String
    let expiresAt: NumericDate
  }

  /// A server.
  ///
  /// - Parameters:
  ///   - provider: answers the token exchange, and completes the answers to codes and refresh tokens.
  ///   - tokens: the same issuer that the provider was made with.
  public init(provider: NativeSSOProvider, tokens: OpaqueTokenIssuer) {
    self.provider = provider
    self.tokens = tokens
  }

  /// Answers an authorization request after the user has authenticated and agreed: the URL to send the browser back to.
  ///
  /// - Throws: `invalid_request` or `invalid_scope` if the request must not be answered by a redirect with a code.
  public func authorize(url: String, sessionID: String) async throws(OAuthErrorResponse) -> String {
    guard let uri = try? URIComponents(parsing: url), let query = uri.query,
      let fields = try? FormFields(decoding: Array(query.utf8)),
      let clientID = try? fields.requiredValue("client_id"),
      let redirectURI = try? fields.requiredValue("redirect_uri"),
      let state = try? fields.requiredValue("state"), let challenge = try? fields.requiredValue("code_challenge"),
      fields.values("response_type").first?.hasSameBytes(as: "code") == true,
      fields.values("code_challenge_method").first?.hasSameBytes(as: "S256") == true,
      let client = try? await provider.clients.client(id: clientID),
      client.redirectURIs.containsBytes(of: redirectURI), let location = try? URIComponents(parsing: redirectURI)
    else { throw .malformed }
    guard let requested = fields.values("scope").first.flatMap(Scope.values), requested.containsBytes(of: Scope.openID)
    else { throw OAuthErrorResponse(.invalidScope, "openid is required") }
    let scopes = requested.filter {
      client.allowedScopes.containsBytes(of: $0) || (client.nativeSSOEnabled && $0.hasSameBytes(as: Scope.deviceSSO))
    }
    let now = provider.clock.now
    // Browsers that never come back leave their codes here.
    if codes.count >= 1024 { codes = codes.filter { now < $0.value.expiresAt } }
    let code = DeviceSecret.random().reveal()
    codes[Array(code.utf8)] = PendingCode(
      clientID: clientID, redirectURI: redirectURI, sessionID: sessionID, scopes: scopes,
      nonce: fields.values("nonce").first, challenge: challenge,
      expiresAt: now.advanced(by: Self.codeLifetime))
    return location.appendingQuery(["code": code, "state": state, "iss": provider.issuer])
  }

  /// Answers a request to the token endpoint, whatever its grant.
  public func token(_ request: HTTPRequestValue, sourceAddress: String) async -> HTTPResponseValue {
    // A request that is not legal, or whose grant is another, is the exchange's to refuse.
    let form = try? request.form(acceptsDuplicates: true)
    let grantType = form?.values("grant_type").first ?? ""
    guard let form, [GrantType.authorizationCode, GrantType.refreshToken].containsBytes(of: grantType) else {
      return await provider.tokenExchange(request, sourceAddress: sourceAddress)
    }
    do throws(OAuthErrorResponse) {
      guard form.hasUniqueNames() else { throw .malformed }
      let client = try await ClientAuthenticator(clients: provider.clients).authenticate(request, form)
      guard grantType.hasSameBytes(as: GrantType.authorizationCode) else {
        return try await refresh(form, client).response
      }
      return try await provider.tokens(for: try redeem(form, client)).response
    } catch {
      return error.response(to: request)
    }
  }

  private func redeem(_ form: FormFields, _ client: RegisteredClient) throws(OAuthErrorResponse) -> AcceptedGrant {
    let refused = OAuthErrorResponse(.invalidGrant, "The code is not valid")
    guard let code = try? form.requiredValue("code"), let verifier = try? form.requiredValue("code_verifier") else {
      throw .malformed
    }
    // A code serves once, whatever comes of it.
    guard let pending = codes.removeValue(forKey: Array(code.utf8)), provider.clock.now < pending.expiresAt,
      pending.clientID.hasSameBytes(as: client.id),
      form.values("redirect_uri").first?.hasSameBytes(as: pending.redirectURI) == true,
      PKCE.isValid(verifier: verifier, forChallenge: pending.challenge)
    else { throw refused }
    return AcceptedGrant(
      .authorizationCode, clientID: client.id, sessionID: pending.sessionID, scopes: pending.scopes,
      nonce: pending.nonce, presentedDeviceSecret: form.values("device_secret").first)
  }

  private func refresh(
    _ form: FormFields, _ client: RegisteredClient
  ) async throws(OAuthErrorResponse) -> TokenResponse {
    guard let token = try? form.requiredValue("refresh_token") else { throw .malformed }
    guard let grant = await tokens.grant(refreshToken: token), grant.granted.clientID.hasSameBytes(as: client.id) else {
      // One that was used ends what came of it.
      _ = await tokens.take(refreshToken: token, clientID: client.id)
      throw OAuthErrorResponse(.invalidGrant, "The refresh token is not valid")
    }
    // Never more than was granted (RFC 6749 §6).
    let scopes = form.values("scope").first.flatMap(Scope.values) ?? grant.granted.scope
    guard scopes.allSatisfy({ grant.granted.scope.containsBytes(of: $0) }) else {
      throw OAuthErrorResponse(.invalidScope, "The scope was not granted")
    }
    guard await tokens.take(refreshToken: token, clientID: client.id) != nil else {
      throw OAuthErrorResponse(.invalidGrant, "The refresh token is not valid")
    }
    do throws(OAuthErrorResponse) {
      return try await provider.tokens(
        for: AcceptedGrant(
          .refreshToken, clientID: client.id, sessionID: grant.granted.sessionID ?? "", scopes: scopes,
          presentedDeviceSecret: form.values("device_secret").first))
    } catch {
      // A fault of ours must not cost the user the login.
      if error.code == .serverError { await tokens.restore(refreshToken: token, grant) }
      throw error
    }
  }
}

extension InMemoryAuthorizationServer: Redacted {
  /// The type's name. No code.
  public nonisolated var description: String { "InMemoryAuthorizationServer" }
}
