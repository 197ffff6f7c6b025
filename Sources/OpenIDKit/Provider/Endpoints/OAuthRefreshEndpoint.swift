import PureCrypto
import JOSE
import StrictJSON

/// The refresh grant of a token endpoint: reads the form, redeems, and answers.
///
/// Source: RFC 6749 §5, §6.
public struct OAuthRefreshEndpoint: Sendable {
  /// Who asks.
  public struct Client: Sendable {
    /// `client_id`.
    public var id: String
    /// The key that the client has proved possession of with this request.
    public var confirmation: String?

    /// A client.
    public init(id: String, confirmation: String? = nil) {
      self.id = id
      self.confirmation = confirmation
    }
  }

  /// What goes into the answer beside the refresh token.
  public struct Tokens: Sendable {
    /// `access_token`.
    public var accessToken: String
    /// `token_type`.
    public var tokenType: String
    /// `id_token`, with the original `auth_time`.
    public var idToken: String?
    /// `device_secret` (Native SSO), which `idToken` binds. Without an `idToken` it is not sent.
    public var deviceSecret: String?

    /// Tokens.
    public init(
      accessToken: String, tokenType: String = "Bearer", idToken: String? = nil, deviceSecret: String? = nil
    ) {
      (self.accessToken, self.tokenType, self.idToken) = (accessToken, tokenType, idToken)
      self.deviceSecret = deviceSecret
    }
  }

  private let service: RefreshTokenService
  private let authenticate: @Sendable (HTTPRequestValue, FormFields) async throws -> Client?
  private let makeTokens: @Sendable (RefreshedGrant, FormFields) async throws -> Tokens

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - service: redeems the tokens. Logins that it issues them for are begun elsewhere.
  ///   - authenticate: authenticates or, for public clients, identifies the client; nil if there is no such client or
  ///     it does not prove itself. If it throws, the client is told to come again: 503. The form may have several
  ///     fields `resource`; all others are unique.
  ///   - makeTokens: makes the access token, and the ID token if there is one.
  public init(
    service: RefreshTokenService,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> Client?,
    makeTokens: @escaping @Sendable (RefreshedGrant) async throws -> Tokens
  ) {
    self.init(
      service: service, authenticate: authenticate,
      makeTokensWithForm: { grant, _ in try await makeTokens(grant) })
  }

  /// An endpoint whose tokens depend on the form, such as on the `device_secret` that a client of Native SSO presents.
  ///
  /// - Parameters:
  ///   - service: redeems the tokens.
  ///   - authenticate: as in ``init(service:authenticate:makeTokens:)``.
  ///   - makeTokensWithForm: makes the access token, and the ID token and device secret if there are any.
  public init(
    service: RefreshTokenService,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> Client?,
    makeTokensWithForm: @escaping @Sendable (RefreshedGrant, FormFields) async throws -> Tokens
  ) {
    self.service = service
    self.authenticate = authenticate
    makeTokens = makeTokensWithForm
  }

  /// Answers a request.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    do throws(OpenIDError) {
      return .json(200, try await redeem(request))
    } catch {
      return OAuthErrorResponse(error).response(to: request)
    }
  }

  private func redeem(_ request: HTTPRequestValue) async throws(OpenIDError) -> JSONObject {
    let (fields, client) = try await OAuthEndpoint.accept(request, repeatable: ["resource"], authenticate)
    guard let grantType = fields.values("grant_type").first, !grantType.isEmpty else {
      throw OpenIDError(.invalidRequest, "the request names no grant", name: "grant_type")
    }
    guard grantType.hasSameBytes(as: GrantType.refreshToken) else {
      throw OpenIDError(.unsupportedGrantType, "grant_type must be refresh_token", name: "grant_type")
    }
    guard let refreshToken = fields.values("refresh_token").first, !refreshToken.isEmpty else {
      throw OpenIDError(.invalidRequest, "the request has no refresh token", name: "refresh_token")
    }
    let redemption = RefreshRedemption(
      refreshToken: refreshToken, clientID: client.id,
      scope: fields.values("scope").first.map(\.words).flatMap { $0.isEmpty ? nil : $0 },
      resources: fields.values("resource").filter { !$0.isEmpty }, confirmation: client.confirmation)
    let result = try await service.redeem(redemption) { try await makeTokens($0, fields) }
    var object: JSONObject = [
      "access_token": .string(result.artefacts.accessToken), "token_type": .string(result.artefacts.tokenType),
      "expires_in": .number(JSONNumber(Int(result.grant.accessTokenLifetime))),
      "refresh_token": .string(result.refreshToken),
    ]
    if !result.grant.scope.isEmpty { object["scope"] = .string(result.grant.scope.joined(separator: " ")) }
    if let idToken = result.artefacts.idToken {
      object["id_token"] = .string(idToken)
      object["device_secret"] = result.artefacts.deviceSecret.map { .string($0) }
    }
    return object
  }
}

extension OAuthRefreshEndpoint.Tokens: Redacted {}
