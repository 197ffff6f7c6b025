import JOSE
import StrictJSON

/// The token endpoint: codes and refresh tokens, and whatever grants were added.
extension OpenIDProvider {
  func tokenEndpoint(from source: String) -> TokenEndpoint {
    TokenEndpoint { type in
      grant(of: WireName(type))
    } authenticate: {
      try await proven($0, $1, from: source).map { AuthenticatedClient($0, $1) }
    }
  }

  /// The grant of a type, if it is offered. Nothing is made for the others: most requests refresh.
  private func grant(of type: WireName) -> TokenEndpoint.Grant? {
    if policy.hasUsers {
      if type == GrantType.refreshToken { return .refreshToken(refreshTokens) { try await tokens(of: $0, $1) } }
      if type == GrantType.authorizationCode { return .authorizationCode(codes) { try await tokens(of: $0, $1) } }
    }
    return (furtherGrants + (addition?.grants(of: self) ?? [])).first { $0.type == type }
  }

  /// The grants beside those of codes and refresh tokens.
  var furtherGrants: [TokenEndpoint.Grant] { deviceGrant + clientCredentials + grants }

  /// The client of a request for tokens, with the proof of possession that it may have to send; nil if there is no such
  /// client.
  func proven(
    _ request: HTTPRequestValue, _ form: FormFields, from source: String
  ) async throws(OAuthErrorResponse) -> (RegisteredClient, VerifiedDPoPProof?)? {
    guard let client = try await authenticated(request, form) else { return nil }
    let proof = try await proof(of: request, by: client, from: source)
    guard proof != nil || !client.requiresDPoP else {
      throw OAuthErrorResponse(.invalidDPoPProof, "The client must send a DPoP proof")
    }
    return (client, proof)
  }

  /// The tokens for a code.
  func tokens(
    of code: RedeemedAuthorizationCode, _ request: TokenEndpoint.Request
  ) async throws -> TokenAnswer {
    let (clientID, userID, scopes) = (request.client.id, code.grant.subject ?? "", code.grant.scopes)
    let claims = ClaimsRequest(stored: code.grant.additionalMembers[Self.claimsMember]?.objectValue)
    var grant = AcceptedGrant(code, form: request.form)
    (grant.confirmation, grant.userInfo) = (request.client.confirmation, claims.userInfo)
    let client = try await OAuthErrorResponse.askingStore { try await clients.client(id: clientID) }
    let snapshot = code.grant.additionalMembers[Self.clientMember]?.stringValue.map { WireName($0) }
    guard snapshot == client?.snapshotName else {
      throw OpenIDError(.invalidGrant, "the client is not described as it was when its user was asked")
    }
    var consent: Consent?
    if client?.needsConsent ?? true {
      let given = try await OAuthErrorResponse.askingStore { try await sessions.consent(of: userID, at: clientID) }
      // What is given anew doesn't revive a code of before.
      let noted = code.grant.additionalMembers[Self.consentMember]?.stringValue
      guard given.covers(scopes), noted.map({ given.name ?? "" == $0 }) ?? true else {
        throw OpenIDError(.invalidGrant, "the user has withdrawn the consent")
      }
      consent = given
    }
    let names = ReleasedClaims.names(of: claims.idToken, scopes: scopes, consent: consent)
    if !names.isEmpty {
      grant.additionalClaims = try await OAuthErrorResponse.askingStore {
        try await sessions.claims(named: names, of: userID)
      }
    }
    let tokens = try await tokens(for: grant)
    await onEvent(.tokensIssued(clientID: clientID, scopes: scopes))
    return tokens
  }

  /// The names under which a code keeps the claims that its request asked for, the name of its consent, and which state
  /// of its client the user was asked about.
  static let (claimsMember, consentMember, clientMember) = ("claims", "consent", "client")

  /// The tokens for a refresh token.
  private func tokens(of renewed: RefreshedGrant, _ request: TokenEndpoint.Request) async throws -> TokenAnswer {
    let (client, confirmation) = (request.client.registered, request.client.confirmation)
    // Not checked again once the token is made, as the session is: withdrawing a consent ends its logins anyway.
    let consent = try await OAuthErrorResponse.askingStore { try await self.consent(for: renewed.grant, client) }
    guard isHonoured(renewed.grant, under: consent, by: client) else {
      throw OpenIDError(.invalidGrant, "the consent has ended, or the client now needs a stronger login")
    }
    let token = try await accessToken(
      for: renewed.grant, scope: renewed.scope, resources: renewed.resources, consent: consent,
      family: (renewed.family, renewed.generation), userInfo: consent?.claims ?? [], confirmation: confirmation)
    let made = TokenAnswer(
      accessToken: token, tokenType: confirmation == nil ? "Bearer" : "DPoP", expiresIn: renewed.accessTokenLifetime)
    // Without a device secret there is nothing that a session could add.
    guard let session = renewed.grant.sessionID, renewed.scope.wireNames.contains("device_sso") else { return made }
    return try await tokens(for: AcceptedGrant(renewed, sessionID: session, form: request.form), made: made)
  }

  // MARK: Who asks

  /// The client of a request, authenticated by its registered method; nil if that fails.
  ///
  /// - Parameter isPushing: whether it pushes an authorization request.
  func authenticated(
    _ request: HTTPRequestValue, _ form: FormFields, isPushing: Bool = false
  ) async throws(OAuthErrorResponse) -> RegisteredClient? {
    do throws(OAuthErrorResponse) {
      return try await ClientAuthenticator(clients: clients, takesLists: !isPushing).authenticate(request, form)
    } catch {
      guard error.code == .invalidClient else { throw error }
      await onEvent(.clientRefused)
      return nil
    }
  }

  /// The proof of possession of a client's request; nil if it has none.
  ///
  /// - Throws: `invalid_dpop_proof`, or `use_dpop_nonce` if it lacks a nonce of this server.
  ///
  /// Source: RFC 9449 §5, §8.
  func proof(
    of request: HTTPRequestValue, by client: RegisteredClient, from source: String
  ) async throws(OAuthErrorResponse) -> VerifiedDPoPProof? {
    let fields = request.headers.values("DPoP")
    // Counted before the proof is stored, so that strangers can't fill the database with proofs: anyone can act as a
    // public client, or as one that describes itself.
    if client.isAnybody, !fields.isEmpty { try await requireMayKeep(from: source) }
    do throws(JOSEError) {
      return try await proofs.verify(fields: fields, method: request.method, url: request.url)
    } catch {
      switch error.code {
      case .dpopNonceRequired:
        throw OAuthErrorResponse(.useDPoPNonce, "The proof must contain the nonce from the DPoP-Nonce header")
      case .replayStoreFull, .replayQuotaReached:
        throw OAuthErrorResponse(
          .temporarilyUnavailable, "The proof could not be stored; try again", status: 503, retryAfter: .seconds(1))
      default:
        guard error.fault != .unavailable else { throw .unavailable }
        throw OAuthErrorResponse(.invalidDPoPProof, "The DPoP proof is invalid")
      }
    }
  }

  /// Refuses to keep more for a client that proves nothing and whose source has sent too many.
  func requireMayKeep(from source: String) async throws(OAuthErrorResponse) {
    guard try await OAuthErrorResponse.askingStore({ try await mayKeep(source) }) else {
      throw OAuthErrorResponse(
        .temporarilyUnavailable, "Too many requests from this network; try again in a minute", status: 429,
        retryAfter: .seconds(60))
    }
  }

  /// An answer with the nonce for the next proof, if the request had one.
  func withNonce(_ response: HTTPResponseValue, to request: HTTPRequestValue) -> HTTPResponseValue {
    guard !request.headers.values("DPoP").isEmpty, let nonce = proofs.currentNonce else { return response }
    var response = response
    try? response.headers.set("DPoP-Nonce", nonce)
    return response
  }
}
