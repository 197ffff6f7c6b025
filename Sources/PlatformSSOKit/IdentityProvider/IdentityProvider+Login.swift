import PureCrypto
import JOSE
import StrictJSON

extension IdentityProvider {
  /// Checks a login request: everything that is common to signed requests, then the credential.
  ///
  /// Source: Apple, Creating and validating a login request.
  package func loginRequest(from request: HTTPRequestValue) async throws(JOSEError) -> TokenEndpointRequest {
    try await loginRequest(in: signedForm(request))
  }

  func loginRequest(in form: SignedForm) async throws(JOSEError) -> TokenEndpointRequest {
    let verified = try await verify(
      form,
      rules: RequestRules(
        type: .loginRequest, versions: PostedForm.tokenVersions, audiences: { _ in configuration.tokenEndpointURLs },
        hasClientID: true))
    let claims = verified.members
    let scope = try claims.string("scope", optional: configuration.optionalRequestClaims) ?? ""
    let authorizationScope = try AuthorizationScope(in: scope)
    try checkProductRules(verified, scope: scope)
    let userName = try checkedUserName(claims)
    let groups = try requestedGroups(claims)
    let previousRefreshToken = try claims.string(ifPresent: configuration.previousRefreshTokenClaimName)
    let otherPublicKey =
      claims.object["other_publickey"] == nil
      ? nil : try KeyEndpointRequest.otherPublicKey(claims, inAnyBase64: configuration.acceptsAnyBase64InKeyExchange)
    let keyContext = otherPublicKey == nil ? nil : try claims.string(ifPresent: "key_context")
    let credential = try await credential(
      claims, userName: userName, request: verified, scope: authorizationScope)
    try await requireAccount(userName, device: verified.device)
    return TokenEndpointRequest(
      request: verified, userName: userName, credential: credential, scope: scope,
      authorizationScope: authorizationScope, requestedGroups: groups,
      previousRefreshToken: previousRefreshToken,
      unlock: otherPublicKey.map {
        KeyEndpointRequest(
          request: verified, userName: userName, refreshToken: previousRefreshToken ?? "", keyContext: keyContext,
          otherPublicKey: $0)
      })
  }

  private func credential(
    _ claims: MessageMembers, userName: String, request: VerifiedRequest, scope: AuthorizationScope?
  ) async throws(JOSEError) -> LoginCredential {
    let grantType = try claims.name("grant_type")
    if grantType == GrantType.password {
      try await requirePassword(try claims.string("password"), of: userName, on: request.device)
      return .password
    }
    if grantType == GrantType.tokenExchange {
      try claims.require("subject_token_type", GrantType.authorizationCodeResponse)
      let callback = try AuthorizationCallback(received: try claims.nonEmptyString("subject_token"))
      let isRedeemed = try await JOSEError.askingStore {
        try await logins.redeem(callback, of: userName, on: request.device, scope: scope)
      }
      guard isRedeemed else {
        throw JOSEError(
          .authorizationCodeRejected, "the code was not given to this user, device, state and scope",
          name: "subject_token")
      }
      return .webAuthorization(callback)
    }
    guard grantType == GrantType.jwtBearer else {
      // SAML assertions of WS-Trust among them, which are XML.
      throw JOSEError(.grantUnsupported, "grant_type must be one that the provider supports", name: "grant_type")
    }
    let assertion = try claims.string("assertion")
    if assertion.utf8.count(where: { $0 == 0x2E }) == 4 {
      let password = try await encryptedPassword(assertion, outer: claims, userName: userName, request: request)
      try await requirePassword(password, of: userName, on: request.device)
      return .encryptedPassword
    }
    return try await signedAssertion(assertion, outer: claims, userName: userName, device: request.device)
  }

  private func requirePassword(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws(JOSEError) {
    let verdict = try await JOSEError.askingStore {
      try await users.passwordVerdict(password, of: userName, on: device)
    }
    if let error = verdict.error("password") { throw error }
  }

  /// Requires that a user's account is in order, whatever proved who the user is.
  func requireAccount(_ userName: String, device: RegisteredDevice) async throws(JOSEError) {
    let verdict = try await JOSEError.askingStore { try await users.accountVerdict(of: userName, on: device) }
    if let error = verdict.error("sub") { throw error }
  }

  /// `claims.id_token.groups.values`, or the configured claim.
  private func requestedGroups(_ claims: MessageMembers) throws(JOSEError) -> [String] {
    let name = configuration.groupRequestClaimName ?? "claims"
    var value = claims.object[name]
    if configuration.groupRequestClaimName == nil {
      for member in ["id_token", "groups", "values"] { value = value?.objectValue?[member] }
    }
    guard let value else { return [] }
    let groups = try MessageMembers([name: value]).strings(ifPresent: name) ?? []
    guard groups.count <= 100 else { throw claims.invalid(name) }
    return groups
  }
}

extension IdentityProvider {
  /// Answers a login or a refresh with tokens, encrypted for the device.
  ///
  /// - Parameters:
  ///   - request: what is answered.
  ///   - response: the tokens.
  ///   - unlockKey: the user's on this device, for the shared secret that ``TokenEndpointRequest/unlock`` asks for; nil
  ///     answers with the tokens alone.
  ///   - keyContext: text that replaces the one that the device has.
  /// - Throws: `ErrorCode.callerMisuse` if the tokens have no lifetime, or for a key that wasn't asked for;
  ///   `ErrorCode.keyInvalid` if no secret can be shared.
  public func loginResponse(
    to request: TokenEndpointRequest, _ response: LoginResponse, unlockKey: UnlockKey? = nil, keyContext: String? = nil
  ) throws(JOSEError) -> HTTPResponseValue {
    var response = response
    if let unlockKey {
      guard let unlock = request.unlock else {
        throw JOSEError(.callerMisuse, "the login doesn't ask for a key", name: "unlockKey")
      }
      var members: JSONObject = ["key": .string(try unlock.sharedSecret(of: unlockKey))]
      if let keyContext { members["key_context"] = .string(keyContext) }
      try response.additional.append(members, reserved: [])
    }
    return try encryptedResponse(try response.jsonObject(), to: request.request, type: .loginResponse)
  }

  /// A JWE for the device with Apple's party infos, a fresh ephemeral key and a fresh initialization vector.
  func encryptedResponse(
    _ body: JSONObject, to request: VerifiedRequest, type: MessageType
  ) throws(JOSEError) -> HTTPResponseValue {
    let recipient = try request.encryptionKey.recipient
    let partyVInfo = request.agreementPartyVInfo.octets
    let token = try JWE.encrypt(
      body.serialized(), to: recipient, contentEncryption: .a256gcm, header: HeaderParameters(type: type.name),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: configuration.repeatsPartyVInfo ? .octets(partyVInfo) : .agreed(partyVInfo))
    return .unstored(200, mediaType: type.mediaType, body: Array(token.utf8))
  }

  /// An `id_token` for the user of a login or a refresh, whose `aud` and `nonce` are the request's.
  ///
  /// - Parameters:
  ///   - request: the login or refresh.
  ///   - subject: `sub`: the user's name for good, as `JWTPolicy.isSubject(_:)` has it.
  ///   - additional: what is to be said of the user, such as `preferred_username`, `name` and `groups`, and of the
  ///     login: `acr`, `amr`, `auth_time` and `sid`. What else OpenID Connect has an ID token say is the provider's.
  /// - Throws: `ErrorCode.callerMisuse` for a subject or a claim that OpenID Connect forbids,
  ///   `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`, and `ErrorCode.keyMismatch` if
  ///   ``IdentityProvider/idTokenKey`` was replaced by one of another algorithm.
  public func idToken(
    for request: TokenEndpointRequest, subject: String, additional: JSONObject = [:]
  ) throws(JOSEError) -> String {
    try Self.requireSuitable(idTokenKey)
    var draft = IDTokenDraft(
      issuer: configuration.issuer, clientID: request.request.clientID, subject: subject, issuedAt: clock.now,
      lifetime: configuration.idTokenLifetime)
    draft.nonce = request.request.clientNonce
    try draft.add(try draft.takeLogin(from: additional), code: .customClaimReserved)
    return try draft.signed(with: idTokenKey)
  }

  /// What the provider publishes at `/.well-known/openid-configuration`, for Macs whose extension is configured by it.
  ///
  /// - Parameters:
  ///   - jwksEndpointURL: where the provider publishes its keys.
  ///   - authorizationURL: the page of logins by a browser; nil without one.
  /// - Throws: `ErrorCode.callerMisuse` if the configuration names no token endpoint.
  /// Source: OpenID Connect Discovery 1.0 §3.
  public func discoveryMetadata(
    jwksEndpointURL: String, authorizationURL: String? = nil
  ) throws(JOSEError) -> JSONObject {
    guard let tokenEndpoint = configuration.tokenEndpointURLs.first else {
      throw JOSEError(.callerMisuse, "the provider has no token endpoint", name: "tokenEndpointURLs")
    }
    var metadata: JSONObject = ["issuer": .string(configuration.issuer)]
    if let authorizationURL { metadata["authorization_endpoint"] = .string(authorizationURL) }
    metadata["token_endpoint"] = .string(tokenEndpoint)
    metadata["jwks_uri"] = .string(jwksEndpointURL)
    metadata["response_types_supported"] = ["code"]
    metadata["subject_types_supported"] = ["public"]
    metadata["id_token_signing_alg_values_supported"] = [.string(idTokenKey.algorithm.name)]
    return metadata
  }
}

extension IdentityProvider {
  /// Answers a key request, encrypted for its device.
  ///
  /// - Parameters:
  ///   - request: what is answered.
  ///   - certificate: of the user's unlock key on this device, in DER: always for the same key.
  ///   - keyContext: opaque text that the device will repeat. It keeps it without protection.
  /// - Throws: `ErrorCode.certificateInvalid`, and `ErrorCode.callerMisuse` for a key exchange request.
  public func keyResponse(
    to request: KeyEndpointRequest, certificate: [UInt8], keyContext: String? = nil
  ) throws(JOSEError) -> HTTPResponseValue {
    guard request.otherPublicKey == nil else {
      throw JOSEError(.callerMisuse, "a key exchange request must be answered with a key", name: "request")
    }
    _ = try Certificate.p256PublicKey(of: certificate)
    return try keyResponse(
      to: request.request, ["certificate": .string(Base64URL.encode(certificate))], keyContext: keyContext)
  }

  /// Answers a key exchange request with the shared secret of unlock key and other public key, encrypted for its
  /// device.
  ///
  /// - Parameters:
  ///   - request: what is answered.
  ///   - unlockKey: the one whose certificate answered this user's key request on this device.
  ///   - keyContext: text that replaces the one that the device has.
  /// - Throws: `ErrorCode.callerMisuse` for a key request; `ErrorCode.keyInvalid` if no secret can be shared.
  public func keyExchangeResponse(
    to request: KeyEndpointRequest, unlockKey: UnlockKey, keyContext: String? = nil
  ) throws(JOSEError) -> HTTPResponseValue {
    let key = try request.sharedSecret(of: unlockKey)
    return try keyResponse(to: request.request, ["key": .string(key)], keyContext: keyContext)
  }

  private func keyResponse(
    to request: VerifiedRequest, _ members: JSONObject, keyContext: String?
  ) throws(JOSEError) -> HTTPResponseValue {
    var body = members
    let now = clock.now.wholeSeconds
    body["iat"] = .number(JSONNumber(now))
    body["exp"] = .number(JSONNumber(now + 300))
    if let keyContext { body["key_context"] = .string(keyContext) }
    return try encryptedResponse(body, to: request, type: .keyResponse)
  }
}
