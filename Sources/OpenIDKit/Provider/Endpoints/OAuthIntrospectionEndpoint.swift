import JOSE
import StrictJSON

/// A provider's introspection endpoint: tells resource servers what tokens are good for.
///
/// Source: RFC 7662, RFC 9701.
public struct OAuthIntrospectionEndpoint: Sendable {
  private let authenticate: OAuthEndpoint.Authenticate
  /// Signs an answer for the one who asks, where that one wants it signed: by `JWTClaims.introspection`, say. Nil if
  /// all answers are JSON.
  public var sign: (@Sendable (_ answer: JSONObject, AuthenticatedClient) async throws -> String)?
  private let introspect: @Sendable (IntrospectionRequest, AuthenticatedClient) async throws -> IntrospectionResponse?

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - authenticate: authenticates who asks; nil if it may not. Without that, anybody could try tokens here
  ///     (RFC 7662 §2.1, §4): a client that only names itself must be refused.
  ///   - introspect: what a token is good for, for the one who asks; nil if it is not good, unknown, or none of that
  ///     one's business. ``RefreshTokenService/isAccessTokenActive(family:generation:)`` says whether an access token
  ///     has been revoked with its family.
  public init(
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?,
    introspect:
      @escaping @Sendable (IntrospectionRequest, AuthenticatedClient) async throws ->
      IntrospectionResponse?
  ) {
    self.authenticate = authenticate
    self.introspect = introspect
  }

  /// An endpoint that knows refresh tokens, each for the client that it was issued to.
  ///
  /// One that has been replaced is treated as ``RefreshTokenService/check(_:)`` does.
  /// - Parameters:
  ///   - service: has issued the refresh tokens.
  ///   - authenticate: as in ``init(authenticate:introspect:)``.
  ///   - introspectOther: what a token is good for that is not a refresh token of the service's, as `introspect` there.
  ///   - isHonoured: whether the token endpoint gives tokens for what a refresh token of the service's stands for: what
  ///     makes them there may refuse it, where consent is over, say.
  public init(
    service: RefreshTokenService,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?,
    introspectOther:
      @escaping @Sendable (IntrospectionRequest, AuthenticatedClient) async throws ->
      IntrospectionResponse?,
    isHonoured: @escaping @Sendable (RefreshGrant) async throws -> Bool = { _ in true }
  ) {
    self.init(authenticate: authenticate) { query, client in
      // The hint may be wrong, so it decides nothing.
      guard service.format.parse(query.token) != nil else { return try await introspectOther(query, client) }
      guard let grant = try await service.grant(of: query.token, for: client), try await isHonoured(grant) else {
        return nil
      }
      return IntrospectionResponse(grant)
    }
  }

  /// Answers a request: 200 with what the token is good for, or an error of RFC 6749 §5.2; 503 if a closure threw.
  ///
  /// An answer is signed if the field `Accept` names `application/token-introspection+jwt`. One that can't be signed is
  /// none: never does a fault here look like a token that is not active.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    await OAuthEndpoint.respond(to: request, TokenQuery.names, authenticate) { form, client throws(OpenIDError) in
      let query = try IntrospectionRequest(form: form)
      let answer = try await OpenIDError.asking { try await introspect(query, client) }
      let object = (answer ?? .inactive).jsonObject
      guard let sign, MediaType.isAccepted(MediaType.tokenIntrospection, by: request.headers.values("Accept")) else {
        return .json(200, object)
      }
      let token = try await OpenIDError.asking { try await sign(object, client) }
      return .unstored(200, mediaType: MediaType.tokenIntrospection, body: Array(token.utf8))
    }
  }
}

extension IntrospectionResponse {
  /// What a refresh token is good for. It has no `token_type`, which is one of access tokens (RFC 7662 §2.2).
  fileprivate init(_ grant: RefreshGrant) {
    self = .active
    (scope, clientID, subject) = (grant.scope, grant.clientID, grant.subject)
    (authenticationContext, authenticationTime) = (grant.authenticationContext, grant.authenticationTime)
  }
}
