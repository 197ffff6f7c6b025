import JOSE
import StrictJSON

/// What a provider does with a ``LogoutRequest``.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0 §2, §3, §4, §6.
public struct LogoutPolicy: Sendable {
  /// Who is logged in in the browser that brought the request.
  package struct BrowserSession: Sendable, Hashable {
    /// `sub`, as the client that asks knows it.
    package var subject: String
    /// `sid`, if sessions have names.
    package var sessionID: String?

    /// The session of a user in the browser, as the client that asks knows the user.
    package init(subject: String, sessionID: String? = nil) {
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
    /// No user or another user is logged in: send the browser there, or show a page, and end nothing.
    case nothingToEnd(redirect: String?)
  }

  private let verifier: JWTVerifier
  private let redirectURIs: @Sendable (String) async throws -> [String]?

  /// A policy.
  ///
  /// - Parameters:
  ///   - issuer: the provider's identifier.
  ///   - keys: the keys of the provider's ID tokens, those included that signed before and may still be presented.
  ///   - algorithms: those of the keys.
  ///   - clock: where "now" comes from.
  ///   - redirectURIs: the `post_logout_redirect_uris` that are registered for a client; nil if there is no such
  ///     client.
  package init(
    issuer: String, keys: JWKSet, algorithms: [SignatureAlgorithm], clock: WallClock = .system,
    redirectURIs: @escaping @Sendable (_ clientID: String) async throws -> [String]?
  ) {
    var policy = JWTPolicy.idTokenHint(issuer: issuer, clock: clock)
    // Another machine of the provider may have issued the token, by a clock that is ahead.
    policy.leeway = RotationPolicy.clockSkew
    verifier = JWTVerifier(keys: keys, algorithms: algorithms, policy: policy)
    self.redirectURIs = redirectURIs
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - request: as the browser brought it.
  ///   - session: the user logged in in this browser, by its cookie; nil for no user.
  /// - Throws: `ErrorCode.invalidRequest`, with the parameter's name: show a page, redirect nowhere.
  ///   `ErrorCode.storeUnavailable` if the clients could not be looked up.
  package func decide(
    _ request: LogoutRequest, session: BrowserSession?
  ) async throws(OpenIDError) -> Decision {
    let token = try hint(request)
    let claims = token?.claims
    let clientID = try client(request, token)
    let registered: [String]?
    if let clientID {
      registered = try await OpenIDError.asking { try await redirectURIs(clientID) }
    } else {
      registered = nil
    }
    guard token == nil || registered != nil else { throw Self.foreignToken }
    let redirect = try redirect(request, registered)
    guard let session else { return .nothingToEnd(redirect: redirect) }
    // Without a token that is about this very session, a link on any page could log the user out.
    guard let claims else { return .ask(redirect: redirect) }
    guard claims["sub"] == .string(session.subject) else {
      return .nothingToEnd(redirect: redirect)
    }
    if let sessionID = session.sessionID, let named = claims["sid"]?.nameValue, named != sessionID {
      return .ask(redirect: redirect)
    }
    return .logOut(redirect: redirect)
  }

  /// The ID token of the request: one of this provider's, of any age.
  private func hint(_ request: LogoutRequest) throws(OpenIDError) -> VerifiedJWT<JSONObject>? {
    guard let token = request.idTokenHint else { return nil }
    do throws(JOSEError) {
      return try verifier.verify(token)
    } catch {
      throw Self.foreignToken
    }
  }

  private static var foreignToken: OpenIDError {
    OpenIDError(
      .invalidRequest, "the hint must be an ID token of this provider for one of its clients", name: "id_token_hint")
  }

  /// The client that asks: the one that is named, else the one that the token was made for. Nil if neither says.
  private func client(
    _ request: LogoutRequest, _ token: VerifiedJWT<JSONObject>?
  ) throws(OpenIDError) -> String? {
    guard let token else { return request.clientID }
    let audience = token.registeredClaims.audience?.wireNames ?? []
    let party = token.claims["azp"]?.nameValue
    guard let clientID = request.clientID ?? (audience.count == 1 ? audience.first : party)?.text else {
      throw Self.foreignToken
    }
    // The token of a client that asked for one to another audience names itself in azp alone.
    guard party.map({ $0 == clientID }) ?? audience.contains(clientID) else {
      guard request.clientID != nil else { throw Self.foreignToken }
      throw OpenIDError(.invalidRequest, "the ID token is for another client", name: "client_id")
    }
    return clientID
  }

  /// The address to go to, with `state`: one that is registered for the client, octet by octet, or none.
  private func redirect(_ request: LogoutRequest, _ registered: [String]?) throws(OpenIDError) -> String? {
    guard let address = request.postLogoutRedirectURI else { return nil }
    guard let registered, registered.contains(WireName(address)), let components = try? URIComponents(parsing: address)
    else {
      throw OpenIDError(
        .invalidRequest, "the redirect URI is not registered for the client", name: "post_logout_redirect_uri")
    }
    return request.state.map { components.appendingQuery(["state": $0]) } ?? address
  }
}
