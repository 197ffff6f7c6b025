import JOSE
import AppleSignInKit
import StrictJSON

extension AppleStandIn {
  /// Answers a request to the token endpoint.
  public func token(_ request: HTTPRequestValue) -> HTTPResponseValue {
    guard let fields = try? FormBody.posted(by: request, limit: 64 * 1024) else {
      return Self.refusal("invalid_request")
    }
    guard let client = authenticatedClient(fields) else { return Self.refusal("invalid_client") }
    guard let grantType = fields["grant_type"].map({ WireName($0) }) else { return Self.refusal("invalid_request") }
    if grantType == GrantType.authorizationCode { return redeemCode(fields, client) }
    if grantType == GrantType.refreshToken { return refresh(fields, client) }
    if grantType == GrantType.clientCredentials { return migrationToken(fields, client) }
    return Self.refusal("unsupported_grant_type")
  }

  /// Answers a request to the revocation endpoint: 200 for any token, known or not.
  public func revoke(_ request: HTTPRequestValue) -> HTTPResponseValue {
    guard let fields = try? FormBody.posted(by: request, limit: 64 * 1024) else {
      return Self.refusal("invalid_request")
    }
    guard let client = authenticatedClient(fields) else { return Self.refusal("invalid_client") }
    guard let token = fields["token"] else { return Self.refusal("invalid_request") }
    if let issued = refreshTokens[Array(token.utf8)], issued.client.isCalled(client.clientID) {
      withdraw(issued.user, from: client)
    }
    return HTTPResponseValue(status: 200)
  }

  func authenticatedClient(_ fields: FormBody) -> AppleStandInClient? {
    guard let clientID = fields["client_id"], let secret = fields["client_secret"] else { return nil }
    // An app that changes teams is there twice.
    return clients.first { $0.isCalled(clientID) && isValid(secret, of: $0) }
  }

  /// Whether a client secret is the client's: signed with a key of its team, for this service, and short-lived enough.
  private func isValid(_ secret: String, of client: AppleStandInClient) -> Bool {
    guard let token = try? UnverifiedJWS(parsing: secret), let keyID = token.unverifiedHeader.keyName,
      let key = client.secretKeys.first(where: { $0.keyID.map { WireName($0) } == keyID }),
      key.algorithm == .es256
    else { return false }
    let policy = JWTPolicy(
      issuer: .anyOf([client.teamID]), audience: .anyOf([service.issuer]), subject: client.clientID,
      requiredClaims: ["exp", "iat"], clock: clock)
    guard let claims = try? JWTVerifier(key: key, policy: policy).verify(parsed: token).registeredClaims,
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
    guard !issued.isUsed, age <= Self.codeLifetime, issued.client.isCalled(client.clientID) else {
      return Self.refusal("invalid_grant")
    }
    switch (issued.redirectURI, fields["redirect_uri"]) {
    case (nil, nil): break
    case (let registered?, let given?) where WireName(registered.text) == given: break
    default: return Self.refusal("invalid_grant")
    }
    let accessToken = "a" + random.token()
    guard
      let token = identityToken(issued.user, client, nonce: issued.nonce, accessToken: accessToken)
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
    guard let issued = refreshTokens[Array(token.utf8)], issued.client.isCalled(client.clientID) else {
      return Self.refusal("invalid_grant")
    }
    return Self.json(
      200, ["access_token": .string("a" + random.token()), "token_type": "Bearer", "expires_in": 3600])
  }
}

extension AppleStandIn {
  /// An identity token for a user of a client.
  func identityToken(
    _ user: AppleStandInUser, _ client: AppleStandInClient, nonce: String?, accessToken: String? = nil,
    code: String? = nil
  ) -> String? {
    var draft = IDTokenDraft(
      issuer: service.issuer, clientID: client.clientID, subject: user.subject(teamID: client.teamID),
      issuedAt: clock.now, lifetime: .seconds(86_400))
    (draft.nonce, draft.authenticationTime) = (nonce, clock.now)
    (draft.accessToken, draft.code) = (accessToken, code)
    var claims: JSONObject = [:]
    if let consent = consents[client.consentKey(user)], consent.scopes.contains(.email) {
      claims["email"] = .string(user.sharedAddress(teamID: client.teamID, isRelay: consent.sharesRelayAddress))
      claims["email_verified"] = boolean(true)
      // Absent when it would be false.
      if consent.sharesRelayAddress { claims["is_private_email"] = boolean(true) }
    }
    claims["nonce_supported"] = .bool(true)
    try? draft.add(claims)
    return try? draft.signed(with: signingKey, type: nil)
  }

  private func boolean(_ value: Bool) -> JSONValue {
    writesBooleansAsText ? .string(value ? "true" : "false") : .bool(value)
  }

  /// The request that notifies a client's server of an event.
  ///
  /// - Parameters:
  ///   - type: `consent-revoked`, `account-delete`, `email-disabled` or `email-enabled`.
  ///   - user: named as the client's team knows the user.
  ///   - client: becomes `aud`.
  ///   - url: of the client's server. Nothing is sent there: that is the caller's to do.
  /// - Throws: `ErrorCode.externalKeyFailed`.
  public func notification(
    _ type: String, of user: AppleStandInUser, to client: AppleStandInClient, url: String
  ) throws(JOSEError) -> HTTPRequestValue {
    let now = clock.now
    let isAsDocumented = writesBooleansAsText
    let time = isAsDocumented ? Int64(now.wholeSeconds) : Int64(now.secondsSince1970 * 1000)
    let event: JSONObject = [
      "type": .string(type), "sub": .string(user.subject(teamID: client.teamID)),
      "event_time": .number(JSONNumber(time)),
    ]
    var claims: JSONObject = [
      "iss": .string(service.issuer), "aud": .string(client.clientID), "iat": .number(JSONNumber(now.wholeSeconds)),
      "jti": .string(random.token()),
    ]
    if isAsDocumented {
      claims["events"] = .object(event)
    } else {
      claims["exp"] = .number(JSONNumber(now.wholeSeconds + 86_400))
      // JSON text in a string, as Apple sends it.
      claims["events"] = .string(String(decoding: event.serialized(), as: UTF8.self))
    }
    let token = try JWT.sign(claims, with: signingKey, type: nil)
    let body: JSONObject = ["payload": .string(token)]
    return HTTPRequestValue(
      method: "POST", url: url, headers: HTTPHeaderFields(known: [("Content-Type", "application/json")]),
      body: body.serialized())
  }
}

/// The transfer of an app's users to another team. An app that changes teams is two clients of one identifier here, one
/// of each team, in two stand-ins that share their transfers, or in one.
extension AppleStandIn {
  func migrationToken(_ fields: FormBody, _ client: AppleStandInClient) -> HTTPResponseValue {
    guard fields["scope"].map({ WireName($0) }) == "user.migration" else { return Self.refusal("invalid_scope") }
    let token = "m" + random.token()
    migrationTokens[Array(token.utf8)] = client
    return Self.json(200, ["access_token": .string(token), "token_type": "Bearer", "expires_in": 3600])
  }

  /// Answers a request to the migration address, of the team that gives an app away or of the one that takes it.
  func migrate(_ request: HTTPRequestValue) -> HTTPResponseValue {
    guard let fields = try? FormBody.posted(by: request, limit: 64 * 1024) else {
      return Self.refusal("invalid_request")
    }
    guard let client = authenticatedClient(fields) else { return Self.refusal("invalid_client") }
    let credentials = request.headers.values("Authorization").first.flatMap { AuthorizationCredentials($0) }
    guard let credentials, credentials.hasScheme("Bearer"),
      let owner = migrationTokens[Array(credentials.token.utf8)], owner.isCalled(client.clientID),
      owner.isOf(team: client.teamID)
    else { return Self.json(401, ["error": "invalid_token"]) }
    if let subject = fields["sub"], let team = fields["target"] { return leave(subject, team, client) }
    if let subject = fields["transfer_sub"] { return arrive(subject, client) }
    return Self.refusal("invalid_request")
  }

  private func leave(_ subject: String, _ team: String, _ client: AppleStandInClient) -> HTTPResponseValue {
    let known = refreshTokens.values.first {
      $0.client.isOf(team: client.teamID) && WireName($0.user.subject(teamID: client.teamID)) == subject
    }
    guard let user = known?.user else { return Self.refusal("invalid_request") }
    let name = "t" + user.subject(teamID: client.teamID + team)
    transfers[Array(name.utf8)] = Transfer(user: user, team: team, clientID: client.clientID)
    return Self.json(200, ["transfer_sub": .string(name)])
  }

  private func arrive(_ name: String, _ client: AppleStandInClient) -> HTTPResponseValue {
    guard let transfer = transfers[Array(name.utf8)], client.isOf(team: transfer.team) else {
      return Self.refusal("invalid_request")
    }
    let isRelay = transfer.user.hidesEmail
    return Self.json(
      200,
      [
        "sub": .string(transfer.user.subject(teamID: client.teamID)),
        "email": .string(transfer.user.sharedAddress(teamID: client.teamID, isRelay: isRelay)),
        "is_private_email": .bool(isRelay),
      ])
  }
}
