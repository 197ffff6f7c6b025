public import Hummingbird
public import JOSE

/// The verified access token of a request. Only ``BearerTokens`` makes one.
public struct AccessToken: Sendable {
  enum Scheme: String, Sendable {
    case bearer, dpop

    var name: String { self == .bearer ? "Bearer" : "DPoP" }
  }

  /// The token, with all of its claims.
  public let token: VerifiedJWT<JSONObject>
  /// The proof of possession that came with it; nil for a bearer token.
  public let proof: VerifiedDPoPProof?
  /// The scopes that it permits.
  public let scopes: [String]

  init(_ token: VerifiedJWT<JSONObject>, proof: VerifiedDPoPProof?) {
    (self.token, self.proof) = (token, proof)
    scopes = token.claims["scope"]?.stringValue?.split(separator: " ").map(String.init) ?? []
  }

  /// The user, or the client itself for a token without a user. Empty if the token has no `sub` and the policy requires
  /// none.
  public var subject: String { token.registeredClaims.subject ?? "" }

  /// Whether the token has a scope. Names are compared octet by octet.
  public func permits(_ scope: String) -> Bool { scopes.contains { $0.utf8.elementsEqual(scope.utf8) } }

  var scheme: Scheme { proof == nil ? .bearer : .dpop }
}

/// A context in which ``BearerTokens`` hands the access token to routes.
public protocol AccessTokenContext: RequestContext {
  /// The request's token; nil before ``BearerTokens`` has let it pass.
  var accessToken: AccessToken? { get set }
}

extension AccessTokenContext {
  /// The request's token.
  ///
  /// - Throws: `HTTPError` with status 500 if the route lacks the middleware ``BearerTokens``, so that such a mistake
  ///   lets no request pass.
  public func requireAccessToken() throws(HTTPError) -> AccessToken {
    guard let accessToken else { throw HTTPError(.internalServerError) }
    return accessToken
  }
}

/// A context with an access token and nothing else of its own.
public struct AccessTokenRequestContext: AccessTokenContext {
  /// The storage that every Hummingbird context has.
  public var coreContext: CoreRequestContextStorage
  /// The request's token; nil before ``BearerTokens`` has let it pass.
  public var accessToken: AccessToken?

  /// A context without a token, as Hummingbird makes it for each request.
  public init(source: Source) { coreContext = .init(source: source) }
}
