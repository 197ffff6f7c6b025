import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// A transport by which a client of OAuth 2.0, such as OpenIDKit's refresher, renews a login of Platform SSO: its
  /// refresh request is sent as Platform SSO's, and the encrypted answer comes back as an answer of OAuth 2.0.
  ///
  /// Each refresh asks for a server nonce, sends one signed refresh request and opens the answer. Keys must answer in
  /// this process. Of the form `refresh_token` alone is read. Without a refresh endpoint each answer is
  /// `login_required`.
  ///
  /// Source: Apple, Creating a refresh request; RFC 6749.
  /// - Parameters:
  ///   - idTokenKeys: the provider's key set. Asked before the refresh token is sent.
  ///   - transport: must not follow redirects, and throws `RequestNotSent` if the request certainly did not leave.
  /// - Returns: throws `RequestNotSent` for what fails before the refresh token leaves, and what `transport` throws
  ///   after.
  public func refreshTransport(
    idTokenKeys: @escaping @Sendable () async throws -> JWKSet, sending transport: @escaping HTTPTransport
  ) -> HTTPTransport {
    let renewal = RefreshTransport(device: self, idTokenKeys: idTokenKeys, transport: transport)
    return { try await renewal.response(to: $0) }
  }

  /// Asks for new tokens with the last refresh token, by which the provider finds the user: the request names none.
  ///
  /// Source: Apple, Creating a refresh request.
  /// - Parameters:
  ///   - refreshToken: the last one that the provider gave.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the refresh is for, sent if the configuration wants it (macOS 27).
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`, and `ErrorCode.callerMisuse` if there is
  ///   no refresh endpoint or the signing key answers later.
  public func refreshRequest(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(JOSEError) -> DeviceRequest {
    try signed(refreshDraft(refreshToken: refreshToken, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// As ``refreshRequest(refreshToken:nonces:authorizationScope:)``, for a signer that answers later.
  ///
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.callerMisuse` if there is no
  ///   refresh endpoint.
  public func prepareRefreshRequest(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(JOSEError) -> PreparedMessage<DeviceRequest> {
    try prepared(refreshDraft(refreshToken: refreshToken, nonces: nonces, authorizationScope: authorizationScope))
  }

  private func refreshDraft(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(JOSEError) -> DeviceRequestDraft {
    guard let url = configuration.effectiveRefreshEndpointURL else {
      throw JOSEError(.callerMisuse, "the configuration has no refresh endpoint", name: "refreshEndpointURL")
    }
    let (issuedAt, expiration) = lifetime()
    return DeviceRequestDraft(
      message: .refresh, type: .refreshRequest, responseType: .loginResponse, url: url,
      version: configuration.refreshRequestVersion, nonces: nonces,
      claims: [
        "client_id": .string(configuration.clientID),
        "iss": .string(configuration.clientID),
        "iat": issuedAt,
        "exp": expiration,
        "scope": .string(configuration.scope(configuration.included(authorizationScope))),
        "nonce": .string(nonces.clientNonce),
        "aud": .string(configuration.namesTokenEndpointInRefreshRequests ? configuration.tokenEndpointURL : url),
        "grant_type": .string(GrantType.refreshToken),
        "refresh_token": .string(refreshToken),
      ],
      reservedClaims: [], customClaims: configuration.customRefreshRequestClaims,
      // Apple names the requests that have the profile's header fields, and this one is not among them.
      customValues: configuration.customRefreshRequestValues, additionalHTTPHeaders: .none)
  }
}

extension LoginConfiguration {
  /// Where refresh requests go, or nil if there are none.
  var effectiveRefreshEndpointURL: String? {
    if let refreshEndpointURL { return refreshEndpointURL }
    return refreshesAtTokenEndpoint ? tokenEndpointURL : nil
  }
}

extension PlatformSSODevice {
  /// The JWE of a response, if the provider sent one.
  func encryptedMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest, types: [MessageType]
  ) throws(JOSEError) -> EncryptedMessage {
    try requireSuccess(response, to: request)
    guard response.body.count <= limits.tokenByteCount else {
      throw JOSEError(.limitExceeded, "the response is too long", name: "body")
    }
    guard let token = String(validating: response.body, as: UTF8.self), !token.isEmpty else {
      throw UnexpectedResponse(response: response).adding(
        expected: "a JWE", to: JOSEError(.malformed, "the response is empty or no text"))
    }
    do throws(JOSEError) {
      // The response's type may be absent; the SDK of macOS 13 wants `JWT`.
      return try EncryptedMessage(
        parsing: token, types: types + [.jwt], acceptsShortCoordinates: configuration.acceptsShortCoordinates,
        acceptsLongVectors: configuration.acceptsLongInitializationVectors, limits: limits)
    } catch {
      guard error.code == .malformed, error.name == nil else { throw error }
      let unexpected = UnexpectedResponse(response: response, withheld: request.withheld)
      if let error = unexpected.errorAsAnswer(expected: "a JWE") { throw error }
      throw UnexpectedResponse(response: response).adding(expected: "a JWE", to: error)
    }
  }

  /// Requires status 200.
  ///
  /// A wrong credential is 401, or what `isInvalidCredential` of ``ExtensionSettings`` says of a 400 or 401 with a JSON
  /// body.
  ///
  /// Source: Apple, Authentication process; platform SSO's error behaviour has no other codes.
  func requireSuccess(_ response: HTTPResponseValue, to request: DeviceRequest) throws(JOSEError) {
    guard response.status != 200 else { return }
    var isInvalidCredential = response.status == 401
    if let predicate = configuration.isInvalidCredential, response.status == 400 || response.status == 401,
      let body = try? JSONObject(parsing: response.body, limits: limits.claimsJSON)
    {
      isInvalidCredential = predicate(body)
    }
    let unexpected = UnexpectedResponse(response: response, withheld: request.withheld)
    guard !isInvalidCredential else {
      throw JOSEError(.credentialRejected, "the provider refused the credential", detail: unexpected.detail)
    }
    throw unexpected.notSuccess("the provider did not answer with status 200")
  }

  /// The plaintext of a response, opened with the device's key and the PartyVInfo of the request.
  func open(_ message: EncryptedMessage, to request: DeviceRequest) throws(JOSEError) -> [UInt8] {
    guard let key = keys.encryptionKey else {
      throw JOSEError(
        .callerMisuse, "the encryption key answers later: prepare the response and finish it", name: "keys")
    }
    let partyVInfo = request.agreementPartyVInfo.octets
    try message.requirePartyVInfo(partyVInfo)
    if message.hasLongVector { return try openLongVector(message, partyVInfo: partyVInfo, key: key) }
    let opened = try message.message.decrypted(
      with: key, contentEncryption: [.a256gcm], agreedParties: AgreedParties(partyVInfo: partyVInfo),
      ephemeralKey: message.ephemeralKey)
    return opened.plaintext
  }

  /// Begins to open a response for a key that answers later.
  func prepareOpening(
    _ message: EncryptedMessage, to request: DeviceRequest
  ) throws(JOSEError) -> PreparedDecryption {
    guard !message.hasLongVector else {
      throw JOSEError(
        .initializationVectorUnsupported, "a response with this initialization vector needs a private key in memory",
        name: "iv")
    }
    let partyVInfo = request.agreementPartyVInfo.octets
    try message.requirePartyVInfo(partyVInfo)
    return try message.message.preparedDecryption(
      contentEncryption: [.a256gcm], agreedParties: AgreedParties(partyVInfo: partyVInfo))
  }
}

extension PlatformSSODevice {
  /// Checks the `id_token` of the response to a request, as a Mac does.
  ///
  /// ES256 or RS256 with a key of the provider's set; any other algorithm is
  /// `ErrorCode.algorithmNotAllowed`.
  ///
  /// Source: Apple, Processing the JSON Web Encryption (JWE) login response.
  func verifiedIDToken(
    _ token: String, clientNonce: String, keys: JWKSet
  ) throws(JOSEError) -> VerifiedJWT<JSONObject> {
    let policy = JWTPolicy.idTokenAsMacsTakeIt(
      issuer: configuration.issuer, clientID: configuration.clientID, nonce: clientNonce,
      requiresNonce: configuration.requiresIDTokenNonce, leeway: configuration.clockSkew, clock: clock, limits: limits)
    let verified = try JWTVerifier(keys: keys, algorithms: SigningRules.idToken, policy: policy).verify(token)
    // The claim by which the Mac knows the user for good.
    _ = try MessageMembers(verified.claims).nonEmptyString(configuration.uniqueIdentifierClaimName)
    return verified
  }

  /// What a strict client would refuse in an `id_token` that a Mac takes; nil if it is as OpenID Connect has it.
  package func strictFault(of idToken: String, clientNonce: String, keys: JWKSet) -> JOSEError? {
    let policy = JWTPolicy.idToken(
      issuer: .anyOf([configuration.issuer]), clientIDs: [configuration.clientID],
      answering: IDTokenRequest(nonce: clientNonce), leeway: configuration.clockSkew, clock: clock, limits: limits)
    do throws(JOSEError) {
      _ = try JWTVerifier(keys: keys, algorithms: SigningRules.idToken, policy: policy).verify(idToken)
      return nil
    } catch {
      return error
    }
  }

  /// The user's groups. A server in Go writes null for a list that it does not have.
  func groups(_ claims: MessageMembers) throws(JOSEError) -> [String]? {
    let name = configuration.groupResponseClaimName
    return claims.object[name] == .null ? nil : try claims.strings(ifPresent: name)
  }
}
