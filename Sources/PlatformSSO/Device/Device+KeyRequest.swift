import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// Asks for a certificate of the user's unlock key, whose private half the provider keeps. The device wraps its secrets for it.
  ///
  /// Source: Apple, Supporting key requests and key exchange requests.
  /// - Parameters:
  ///   - user: whose key it is: `sub` and `username`.
  ///   - refreshToken: the user's last one, by which the provider knows that he may ask.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the request is for, sent if the configuration wants it (macOS 27).
  /// - Throws: ``PlatformSSOErrorCode/customClaimReserved``, ``PlatformSSOErrorCode/externalKeyFailed``, and
  ///   ``PlatformSSOErrorCode/callerMisuse`` if the signing key answers later.
  public func keyRequest(
    of user: UserLoginConfiguration, refreshToken: String, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .unlock
  ) throws(PlatformSSOError) -> DeviceRequest {
    try signed(
      keyDraft(user, refreshToken: refreshToken, exchange: nil, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// As ``keyRequest(of:refreshToken:nonces:authorizationScope:)``, for a device key that answers later.
  ///
  /// - Throws: ``PlatformSSOErrorCode/customClaimReserved``.
  public func prepareKeyRequest(
    of user: UserLoginConfiguration, refreshToken: String, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .unlock
  ) throws(PlatformSSOError) -> PreparedDeviceRequest {
    try prepared(
      keyDraft(user, refreshToken: refreshToken, exchange: nil, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// Asks for the shared secret of the unlock key and another public key, with which the device unwraps its secrets.
  ///
  /// - Parameters:
  ///   - user: whose key it is: `sub` and `username`.
  ///   - refreshToken: the user's last one, by which the provider knows that he may ask.
  ///   - otherPublicKey: as 65 octets `04 ‖ X ‖ Y`.
  ///   - keyContext: the newest that the provider gave, if it gave one.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the request is for, sent if the configuration wants it (macOS 27).
  /// - Throws: ``PlatformSSOErrorCode/keyInvalid`` if the other key is no point of P-256; otherwise as
  ///   ``keyRequest(of:refreshToken:nonces:authorizationScope:)``.
  public func keyExchangeRequest(
    of user: UserLoginConfiguration, refreshToken: String, otherPublicKey: [UInt8], keyContext: String?,
    nonces: RequestNonces, authorizationScope: AuthorizationScope = .unlock
  ) throws(PlatformSSOError) -> DeviceRequest {
    let exchange = try KeyExchangeMembers(otherPublicKey: otherPublicKey, keyContext: keyContext)
    return try signed(
      keyDraft(
        user, refreshToken: refreshToken, exchange: exchange, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// As ``keyExchangeRequest(of:refreshToken:otherPublicKey:keyContext:nonces:authorizationScope:)``, for a device key that answers later.
  ///
  /// - Throws: ``PlatformSSOErrorCode/keyInvalid`` if the other key is no point of P-256, ``PlatformSSOErrorCode/customClaimReserved``.
  public func prepareKeyExchangeRequest(
    of user: UserLoginConfiguration, refreshToken: String, otherPublicKey: [UInt8], keyContext: String?,
    nonces: RequestNonces, authorizationScope: AuthorizationScope = .unlock
  ) throws(PlatformSSOError) -> PreparedDeviceRequest {
    let exchange = try KeyExchangeMembers(otherPublicKey: otherPublicKey, keyContext: keyContext)
    return try prepared(
      keyDraft(
        user, refreshToken: refreshToken, exchange: exchange, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// What a key exchange request has beyond a key request.
  private struct KeyExchangeMembers {
    let otherPublicKey: [UInt8]
    let keyContext: String?

    init(otherPublicKey: [UInt8], keyContext: String?) throws(PlatformSSOError) {
      _ = try RegisteredKey(x963Representation: otherPublicKey)
      self.otherPublicKey = otherPublicKey
      self.keyContext = keyContext
    }
  }

  /// Both requests are of one type; `request_type` tells them apart.
  private func keyDraft(
    _ user: UserLoginConfiguration, refreshToken: String, exchange: KeyExchangeMembers?, nonces: RequestNonces,
    authorizationScope: AuthorizationScope
  ) -> DeviceRequestDraft {
    let (issuedAt, expiration) = lifetime()
    var claims: JSONObject = [
      // Not the version of the form, which is 2.0.
      "version": .string(KeyRequestMembers.version),
      "request_type": .string(exchange == nil ? KeyRequestMembers.keyRequest : KeyRequestMembers.keyExchange),
      "key_purpose": .string(KeyRequestMembers.userUnlock),
      "iss": .string(configuration.clientID),
      "iat": issuedAt,
      "exp": expiration,
      "nonce": .string(nonces.clientNonce),
      "username": .string(user.loginUserName),
      "sub": .string(user.loginUserName),
      "refresh_token": .string(refreshToken),
    ]
    if let scope = configuration.included(authorizationScope) { claims["scope"] = .string(scope.description) }
    if configuration.includesAudienceInKeyRequests {
      claims["aud"] = .string(configuration.keyRequestAudience ?? configuration.audience)
    }
    if let exchange {
      claims["other_publickey"] = .string(Base64.encode(exchange.otherPublicKey))
      if let keyContext = exchange.keyContext { claims["key_context"] = .string(keyContext) }
    }
    return DeviceRequestDraft(
      message: exchange == nil ? .key : .keyExchange, type: .keyRequest, responseType: .keyResponse,
      url: configuration.keyEndpointURL ?? configuration.tokenEndpointURL, version: "2.0", nonces: nonces,
      claims: claims, reservedClaims: ["other_publickey", "key_context", "scope"],
      customClaims: exchange == nil
        ? configuration.customKeyRequestClaims : configuration.customKeyExchangeRequestClaims,
      customValues: exchange == nil
        ? configuration.customKeyRequestValues : configuration.customKeyExchangeRequestValues,
      additionalHTTPHeaders: configuration.additionalHTTPHeaders)
  }
}
