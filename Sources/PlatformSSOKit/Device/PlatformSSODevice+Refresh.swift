import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// Asks for new tokens with the last refresh token, so that the user need not log in again.
  ///
  /// The request names no user: the provider finds the user by the token.
  ///
  /// Source: Apple, Creating a refresh request.
  /// - Parameters:
  ///   - refreshToken: the last one that the provider gave.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the refresh is for, sent if the configuration wants it (macOS 27).
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`, and
  ///   `ErrorCode.callerMisuse` if there is no refresh endpoint or the signing key answers later.
  public func refreshRequest(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(PlatformSSOError) -> DeviceRequest {
    try signed(refreshDraft(refreshToken: refreshToken, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// As ``refreshRequest(refreshToken:nonces:authorizationScope:)``, for a signer that answers later.
  ///
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.callerMisuse` if there is no
  ///   refresh endpoint.
  public func prepareRefreshRequest(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(PlatformSSOError) -> PreparedDeviceRequest {
    try prepared(refreshDraft(refreshToken: refreshToken, nonces: nonces, authorizationScope: authorizationScope))
  }

  private func refreshDraft(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(PlatformSSOError) -> DeviceRequestDraft {
    guard let url = configuration.effectiveRefreshEndpointURL else {
      throw PlatformSSOError(.callerMisuse, "the configuration has no refresh endpoint", name: "refreshEndpointURL")
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
        "aud": .string(configuration.refreshAudience == .tokenEndpoint ? configuration.tokenEndpointURL : url),
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
    return refreshWithoutEndpoint == .tokenEndpoint ? tokenEndpointURL : nil
  }
}

extension PlatformSSODevice {
  /// The JWE of a response, if the provider sent one.
  func encryptedMessage(
    _ response: HTTPResponseValue, types: [MessageType]
  ) throws(PlatformSSOError) -> EncryptedMessage {
    try requireSuccess(response)
    guard response.body.count <= limits.tokenByteCount else {
      throw PlatformSSOError(.limitExceeded, "the response is too long", name: "body")
    }
    guard let token = String(validating: response.body, as: UTF8.self), !token.isEmpty else {
      throw PlatformSSOError(.malformed, "the response is empty or no text")
    }
    // The response's type may be absent; the SDK of macOS 13 wants `JWT`.
    return try EncryptedMessage(
      parsing: token, types: types + [.jwt], shortCoordinates: configuration.shortCoordinates,
      acceptsLongVectors: configuration.acceptsLongInitializationVectors, limits: limits)
  }

  /// Requires status 200.
  ///
  /// A wrong credential is 401, or what ``LoginConfiguration/isInvalidCredential`` says of a 400 or 401 with a JSON
  /// body. Source: Apple, Authentication process; platform SSO's error behaviour has no other codes.
  private func requireSuccess(_ response: HTTPResponseValue) throws(PlatformSSOError) {
    guard response.status != 200 else { return }
    var isInvalidCredential = response.status == 401
    if let predicate = configuration.isInvalidCredential, response.status == 400 || response.status == 401,
      let body = try? JSONObject(parsing: response.body, limits: limits.claimsJSON)
    {
      isInvalidCredential = predicate(body)
    }
    guard !isInvalidCredential else {
      throw PlatformSSOError(.credentialRejected, "the provider refused the credential")
    }
    throw PlatformSSOError(.serverUnavailable, "the provider did not answer with status 200")
  }

  /// The plaintext of a response, opened with the device's key and the PartyVInfo of the request.
  func open(_ message: EncryptedMessage, to request: DeviceRequest) throws(PlatformSSOError) -> [UInt8] {
    guard let key = keys.encryptionKey else {
      throw PlatformSSOError(
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
  ) throws(PlatformSSOError) -> PreparedDecryption {
    guard !message.hasLongVector else {
      throw PlatformSSOError(
        .initializationVectorUnsupported, "such a response opens with a key in this process only", name: "iv")
    }
    let partyVInfo = request.agreementPartyVInfo.octets
    try message.requirePartyVInfo(partyVInfo)
    return try message.message.preparedDecryption(
      contentEncryption: [.a256gcm], agreedParties: AgreedParties(partyVInfo: partyVInfo))
  }
}

/// An `id_token` whose signature and claims have been checked for one request. Only that check makes a value of this
/// type.
public struct VerifiedIDToken: Sendable {
  /// All claims.
  public let claims: JSONObject

  /// The claim that names the user for good: `sub`, or the one configured.
  public let uniqueIdentifier: String

  /// The user's groups, if the token has any.
  public let groups: [String]?

  /// `iat`.
  public let issuedAt: NumericDate

  /// `exp`.
  public let expiration: NumericDate

  /// The header.
  public let header: ProtectedHeader
}

extension PlatformSSODevice {
  /// Checks the `id_token` of the response to a request.
  ///
  /// ES256 or RS256 with a key of the provider's set; any other algorithm is
  /// `ErrorCode.algorithmNotAllowed`. A Mac demands two things more than the rules of ID tokens: `exp` has
  /// no leeway, and a list of audiences needs `azp`. Source: Apple, Processing the JSON Web Encryption (JWE) login
  /// response.
  func verifiedIDToken(
    _ token: String, clientNonce: String, keys: JWKSet
  ) throws(PlatformSSOError) -> VerifiedIDToken {
    var request = IDTokenRequest(nonce: clientNonce)
    request.requiresNonce = configuration.requiresIDTokenNonce
    request.requiresSubject = configuration.uniqueIdentifierClaimName.hasSameBytes(as: "sub")
    var policy = JWTPolicy.idToken(
      issuer: .anyOf([configuration.issuer]), clientIDs: [configuration.clientID], answering: request,
      leeway: configuration.clockSkew, clock: clock, limits: limits)
    policy.datesMayBeText = true
    let verified = try JWTVerifier(keys: keys, algorithms: IDTokenRules.algorithms, policy: policy).verify(token)
    let claims = MessageMembers(verified.claims)
    if case .array? = claims.object["aud"] { try claims.require("azp", configuration.clientID) }
    let (issuedAt, expiration) = (try claims.time("iat"), try claims.time("exp"))
    guard expiration > clock.now else {
      throw PlatformSSOError(.claimExpired, "the token has expired", name: "exp")
    }
    return VerifiedIDToken(
      claims: claims.object,
      uniqueIdentifier: try claims.nonEmptyString(configuration.uniqueIdentifierClaimName),
      groups: try groups(claims), issuedAt: issuedAt, expiration: expiration, header: verified.header)
  }

  /// The user's groups. A server in Go writes null for a list that it does not have.
  private func groups(_ claims: MessageMembers) throws(PlatformSSOError) -> [String]? {
    let name = configuration.groupResponseClaimName
    return claims.object[name] == .null ? nil : try claims.strings(ifPresent: name)
  }
}

extension MessageMembers {
  /// An array of strings, if the member is there.
  func strings(ifPresent name: String) throws(PlatformSSOError) -> [String]? {
    guard let value = object[name] else { return nil }
    guard case .array(let elements) = value else { throw invalid(name) }
    var strings: [String] = []
    for element in elements {
      guard case .string(let string) = element else { throw invalid(name) }
      strings.append(string)
    }
    return strings
  }
}
