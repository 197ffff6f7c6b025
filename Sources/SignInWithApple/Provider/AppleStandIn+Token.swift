import JOSEHTTP
import JOSE
import StrictJSON

extension AppleStandIn {
  /// Answers a request to the token endpoint.
  public func token(_ request: HTTPRequestValue) -> HTTPResponseValue {
    guard let fields = try? FormBody.posted(by: request, limit: 64 * 1024) else {
      return Self.refusal("invalid_request")
    }
    guard let client = authenticatedClient(fields) else { return Self.refusal("invalid_client") }
    guard let grantType = fields["grant_type"] else { return Self.refusal("invalid_request") }
    if grantType.hasSameBytes(as: "authorization_code") { return redeemCode(fields, client) }
    if grantType.hasSameBytes(as: "refresh_token") { return refresh(fields, client) }
    if grantType.hasSameBytes(as: "client_credentials") { return migrationToken(fields, client) }
    return Self.refusal("unsupported_grant_type")
  }

  /// Answers a request to the revocation endpoint: 200 for any token, known or not.
  public func revoke(_ request: HTTPRequestValue) -> HTTPResponseValue {
    guard let fields = try? FormBody.posted(by: request, limit: 64 * 1024) else {
      return Self.refusal("invalid_request")
    }
    guard let client = authenticatedClient(fields) else { return Self.refusal("invalid_client") }
    guard let token = fields["token"] else { return Self.refusal("invalid_request") }
    if let issued = refreshTokens[Array(token.utf8)], issued.client.clientID.hasSameBytes(as: client.clientID) {
      withdraw(issued.user, from: client)
    }
    return HTTPResponseValue(status: 200)
  }

  func authenticatedClient(_ fields: FormBody) -> AppleStandInClient? {
    guard let clientID = fields["client_id"], let secret = fields["client_secret"] else { return nil }
    // An app that changes teams is there twice.
    return clients.first { $0.clientID.hasSameBytes(as: clientID) && isValid(secret, of: $0) }
  }

  /// Whether a client secret is the client's: signed with a key of its team, for this service, and short-lived enough.
  private func isValid(_ secret: String, of client: AppleStandInClient) -> Bool {
    guard let header = try? UnverifiedToken(parsing: secret).unverifiedHeader,
      let keyID = header.keyID,
      let key = client.secretKeys.first(where: { $0.keyID?.hasSameBytes(as: keyID) ?? false }),
      key.algorithm == .es256
    else { return false }
    let policy = JWTPolicy(
      issuer: .anyOf([client.teamID]), audience: .anyOf([service.issuer]), subject: client.clientID,
      requiredClaims: ["exp", "iat"], clock: clock)
    guard let claims = try? JWTVerifier(key: key, policy: policy).verify(secret).registeredClaims,
      let expiration = claims.expiration, let issuedAt = claims.issuedAt
    else { return false }
    let now = clock.now.secondsSince1970
    return expiration.secondsSince1970 - now <= AppleClientSecretSigner.maximumLifetime
      && issuedAt.secondsSince1970 <= now + 30
  }

  private func redeemCode(_ fields: FormBody, _ client: AppleStandInClient) -> HTTPResponseValue {
    guard let code = fields["code"] else { return Self.refusal("invalid_request") }
    let key = Array(code.utf8)
    guard let issued = codes[key] else { return Self.refusal("invalid_grant") }
    let age = clock.now.secondsSince1970 - issued.issuedAt.secondsSince1970
    guard !issued.isUsed, age <= Self.codeLifetime, issued.client.clientID.hasSameBytes(as: client.clientID) else {
      return Self.refusal("invalid_grant")
    }
    switch (issued.redirectURI, fields["redirect_uri"]) {
    case (nil, nil): break
    case (let registered?, let given?) where registered.text.hasSameBytes(as: given): break
    default: return Self.refusal("invalid_grant")
    }
    let accessToken = "a" + random.token()
    guard
      let token = identityToken(
        issued.user, client, nonce: issued.nonce,
        further: ["at_hash": .string(AppleTokenHash.leftHalf(of: accessToken))])
    else { return Self.refusal("server_error") }
    codes[key]?.isUsed = true
    let refreshToken = "r" + random.token()
    refreshTokens[Array(refreshToken.utf8)] = IssuedRefreshToken(client: client, user: issued.user)
    return Self.json(
      200,
      [
        "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": 3600,
        "refresh_token": .string(refreshToken), "id_token": .string(token),
      ])
  }

  private func refresh(_ fields: FormBody, _ client: AppleStandInClient) -> HTTPResponseValue {
    guard let token = fields["refresh_token"] else { return Self.refusal("invalid_request") }
    guard let issued = refreshTokens[Array(token.utf8)], issued.client.clientID.hasSameBytes(as: client.clientID) else {
      return Self.refusal("invalid_grant")
    }
    return Self.json(
      200, ["access_token": .string("a" + random.token()), "token_type": "Bearer", "expires_in": 3600])
  }
}
