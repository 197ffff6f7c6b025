import JOSE
import StrictJSON

/// The provider's own access tokens, as they come back.
extension OpenIDProvider {
  /// A token that is good, with the user whom it is about.
  @dynamicMemberLookup package struct Access: Sendable {
    /// The user, as ``SessionDirectory`` knows the subject; nil for a client's token for itself.
    package let userID: String?
    let token: AccessTokenClaims

    package subscript<Value>(dynamicMember path: KeyPath<AccessTokenClaims, Value>) -> Value { token[keyPath: path] }

    package subscript(name: String) -> WireName? { token[name] }
  }

  /// What a token says; nil if it is none of this provider's, has expired, or was revoked with its login, its family or
  /// its consent.
  ///
  /// - Throws: what stores throw.
  package func access(_ token: String) async throws -> Access? {
    // Of any audience: who asks is not always the resource server.
    var policy = JWTPolicy.accessToken(issuer: issuer, audience: issuer, bindingIsChecked: true, clock: clock)
    policy.audience = .notChecked
    // The provider's own machines wrote it, whose clocks are close. One that is further off dates its tokens ahead, or
    // finds those of the others ahead, and they are as good as any: what counts is when they end.
    policy.leeway = .seconds(5)
    policy.refusesFutureIssuedAt = false
    let verifier = JWTVerifier(keys: keys.verification, algorithms: keys.algorithms, policy: policy)
    guard let verified = try? verifier.verify(token), let claims = AccessTokenClaims(verified) else { return nil }
    return try await lasting(claims)
  }

  /// A token of the provider's that has not expired, if nothing has ended it.
  ///
  /// - Throws: what stores throw.
  func lasting(_ claims: AccessTokenClaims) async throws -> Access? {
    if claims.isMachine {
      return try await isLasting(machine: claims) ? Access(userID: nil, token: claims) : nil
    }
    guard let userID = try await sessions.userID(subject: claims.subject, clientID: claims.clientID.text) else {
      return nil
    }
    return try await isLasting(claims, of: userID) ? Access(userID: userID, token: claims) : nil
  }

  /// Whether a client may still have what its token for itself is good for.
  private func isLasting(machine access: AccessTokenClaims) async throws -> Bool {
    guard let id = access["jti"]?.text, try await !revokedTokens.isRevoked(anyOf: [.token(id)]),
      let allowed = try await clients.client(id: access.clientID.text)?.machineScopes?.wireNames
    else { return false }
    return access.scopes.wireNames.allSatisfy(allowed.contains)
  }

  /// Whether user, client, consent and session or refresh token family of a token still exist.
  private func isLasting(_ access: AccessTokenClaims, of userID: String) async throws -> Bool {
    guard let id = access["jti"]?.text else { return false }
    let grant = access[AccessTokenClaims.grant].map { [AccessTokenSelection.grant($0.text)] } ?? []
    if try await revokedTokens.isRevoked(anyOf: [.token(id)] + grant) { return false }
    guard try await sessions.isActive(userID: userID), let client = try await clients.client(id: access.clientID.text)
    else {
      return false
    }
    // A token from a code needs its user's consent.
    if !grant.isEmpty, client.needsConsent {
      let consent = try await sessions.consent(of: userID, at: access.clientID.text)
      guard consent.name == access[AccessTokenClaims.consent], consent.covers(access.scopes)
      else { return false }
    }
    if let text = access[AccessTokenClaims.family] {
      guard let family = RefreshTokenFamily.ID(text: text.text) else { return false }
      let generation = access.claims[AccessTokenClaims.generation]?.int64Value ?? 0
      return try await refreshTokens.isAccessTokenActive(family: family, generation: UInt64(max(0, generation)))
    }
    guard let session = access["sid"] else { return true }
    return try await sessions.session(id: session.text)?.isActive == true
  }
}
