import JOSEHTTP
import StrictJSON

/// What a provider does with a ``LogoutRequest``.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0 §2, §3, §4, §6.
public struct LogoutPolicy: Sendable {
  /// Who is logged in in the browser that brought the request.
  public struct BrowserSession: Sendable, Hashable {
    /// `sub`, as the client that asks knows it.
    public var subject: String
    /// `sid`, if sessions have names.
    public var sessionID: String?

    /// A session.
    public init(subject: String, sessionID: String? = nil) {
      self.subject = subject
      self.sessionID = sessionID
    }
  }

  /// What to do.
  public enum Decision: Sendable, Hashable {
    /// End the session, then send the browser there, or show a page.
    case logOut(redirect: String?)
    /// Ask the user first: anybody could have sent the browser here. Then the same.
    case ask(redirect: String?)
    /// Nobody is logged in, or somebody else: send the browser there, or show a page, and end nothing.
    case nothingToEnd(redirect: String?)
  }

  private let verify: @Sendable (String) async throws -> JSONObject
  private let redirectURIs: @Sendable (String) async throws -> [String]?

  /// A policy.
  ///
  /// - Parameters:
  ///   - verify: verifies signature and issuer of one of the provider's own ID tokens, whether it has expired or not, and
  ///     returns its claims, or throws.
  ///   - redirectURIs: the `post_logout_redirect_uris` that are registered for a client; nil if there is no such client.
  public init(
    verify: @escaping @Sendable (_ idToken: String) async throws -> JSONObject,
    redirectURIs: @escaping @Sendable (_ clientID: String) async throws -> [String]?
  ) {
    self.verify = verify
    self.redirectURIs = redirectURIs
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - request: as the browser brought it.
  ///   - session: who is logged in in this browser, by its cookie; nil for nobody.
  /// - Throws: ``TokenRefreshErrorCode/invalidRequest``, with the parameter's name: show a page, redirect nowhere.
  ///   ``TokenRefreshErrorCode/storage`` if the clients could not be looked up.
  public func decide(
    _ request: LogoutRequest, session: BrowserSession?
  ) async throws(TokenRefreshError) -> Decision {
    let claims = try await hint(request)
    let clientID = request.clientID ?? claims.flatMap(Self.onlyAudience)
    let redirect = try await redirect(request, clientID)
    guard let session else { return .nothingToEnd(redirect: redirect) }
    // Without a token that is about this very session, a link on any page could log the user out.
    guard let claims else { return .ask(redirect: redirect) }
    guard claims["sub"]?.stringValue?.hasSameBytes(as: session.subject) == true else {
      return .nothingToEnd(redirect: redirect)
    }
    if let sessionID = session.sessionID, let named = claims["sid"]?.stringValue, !named.hasSameBytes(as: sessionID) {
      return .ask(redirect: redirect)
    }
    return .logOut(redirect: redirect)
  }

  private func hint(_ request: LogoutRequest) async throws(TokenRefreshError) -> JSONObject? {
    guard let token = request.idTokenHint else { return nil }
    guard let claims = try? await verify(token) else {
      throw TokenRefreshError(.invalidRequest, "the ID token is not one of this provider", name: "id_token_hint")
    }
    if let clientID = request.clientID, !Self.audience(claims).contains(where: { $0.hasSameBytes(as: clientID) }) {
      throw TokenRefreshError(.invalidRequest, "the ID token is another client's", name: "client_id")
    }
    return claims
  }

  /// The address to go to, with `state`: one that is registered for the client, octet by octet, or none.
  private func redirect(_ request: LogoutRequest, _ clientID: String?) async throws(TokenRefreshError) -> String? {
    guard let address = request.postLogoutRedirectURI else { return nil }
    let refusal = TokenRefreshError(
      .invalidRequest, "the address is not registered for the client", name: "post_logout_redirect_uri")
    guard let clientID else { throw refusal }
    let registered = try await OAuthEndpoint.serving { try await redirectURIs(clientID) }
    guard let registered, registered.contains(where: { $0.hasSameBytes(as: address) }),
      let components = try? URIComponents(parsing: address)
    else { throw refusal }
    return request.state.map { components.appendingQuery(["state": $0]) } ?? address
  }

  private static func audience(_ claims: JSONObject) -> [String] {
    switch claims["aud"] {
    case .string(let name)?: [name]
    case .array(let names)?: names.compactMap(\.stringValue)
    default: []
    }
  }

  private static func onlyAudience(_ claims: JSONObject) -> String? {
    let audience = audience(claims)
    return audience.count == 1 ? audience[0] : claims["azp"]?.stringValue
  }
}
