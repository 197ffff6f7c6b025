import JOSE
import StrictJSON

/// Tokens that clients get for themselves: machines, without a user.
///
/// Source: RFC 6749 §4.4, RFC 9068 §2.2 and §5, RFC 9700 §4.15.
extension OpenIDProvider {
  /// The grant `client_credentials`, where it is offered.
  var clientCredentials: [TokenEndpoint.Grant] {
    guard let audience = policy.machineAudience else { return [] }
    return [TokenEndpoint.Grant(GrantType.clientCredentials) { try await machineTokens($0, audience) }]
  }

  /// - Parameter audience: what the token is for if the request doesn't say.
  private func machineTokens(
    _ request: TokenEndpoint.Request, _ audience: [String]
  ) async throws(OAuthErrorResponse) -> TokenAnswer {
    let (id, form) = (request.client.id, request.form)
    guard let client = try await OAuthErrorResponse.askingStore({ try await clients.client(id: id) }),
      !client.isPublic, let allowed = client.machineScopes
    else { throw OAuthErrorResponse(.unauthorizedClient, "The client gets no tokens for itself") }
    let asked = form.values("scope").first?.words.distinct ?? []
    let scopes = asked.isEmpty ? allowed : asked
    // Both are about users.
    let never: [WireName] = ["openid", "offline_access", "device_sso"]
    guard scopes.wireNames.allSatisfy({ allowed.wireNames.contains($0) && !never.contains($0) }) else {
      throw OAuthErrorResponse(.invalidScope, "The client may not have this scope for itself")
    }
    let resources = form.values("resource").filter { !$0.isEmpty }.distinct
    guard resources.wireNames.allSatisfy((client.resources + audience).wireNames.contains) else {
      throw OAuthErrorResponse(.invalidTarget, "The client may not have tokens for this resource")
    }
    let wanted = resources.isEmpty ? audience : resources
    guard !wanted.isEmpty else { throw OAuthErrorResponse(.invalidTarget, "The request must name a resource") }
    let grant = RefreshGrant(subject: "", clientID: client.id, sessionID: nil, scope: scopes, resources: wanted)
    let lifetime = policy.rotation.lifetime(asked: nil)
    var draft = AccessTokenDraft(
      grant: grant, subject: Self.machineSubject(of: client.id), audience: wanted, scope: scopes, lifetime: lifetime)
    draft.confirmation = request.client.confirmation
    let token = try await signed(draft)
    await onEvent(.tokensIssued(clientID: client.id, scopes: scopes))
    return TokenAnswer(
      accessToken: token, tokenType: draft.confirmation == nil ? "Bearer" : "DPoP", expiresIn: lifetime,
      scope: scopes.joined(separator: " "))
  }

  // MARK: Subjects

  /// `sub` of a client's token for itself. No user's may begin so: else who registers a client under a user's name
  /// would be that user to every server that looks at `sub` alone.
  static func machineSubject(of clientID: String) -> String { machinePrefix + clientID }

  private static let machinePrefix = "client:"

  /// `sub` of a user towards a client.
  ///
  /// - Throws: `server_error` for one that no client takes, or that could be a machine's.
  func subject(of userID: String, at clientID: String) async throws(OAuthErrorResponse) -> String {
    let subject = try await OAuthErrorResponse.askingStore {
      try await sessions.subject(userID: userID, clientID: clientID)
    }
    guard JWTPolicy.isSubject(subject), !subject.utf8.starts(with: Self.machinePrefix.utf8) else {
      throw .serverFault
    }
    return subject
  }
}
