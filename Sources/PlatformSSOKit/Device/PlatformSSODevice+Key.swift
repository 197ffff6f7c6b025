import JOSE
import PureCrypto
import StrictJSON

extension PlatformSSODevice {
  /// Asks for a certificate of the user's unlock key, whose private half the provider keeps, and for which the device
  /// wraps its secrets; or, with another public key, for the shared secret of both, with which it unwraps them.
  ///
  /// Source: Apple, Supporting key requests and key exchange requests.
  /// - Parameters:
  ///   - user: whose key it is: `sub` and `username`.
  ///   - refreshToken: the user's last one, by which the provider knows that he may ask.
  ///   - otherPublicKey: of a key exchange request, as 65 octets `04 ‖ X ‖ Y`; nil for a key request.
  ///   - keyContext: the newest that the provider gave, if it gave one, sent with a key exchange request.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the request is for, sent if the configuration wants it (macOS 27).
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`, `ErrorCode.keyInvalid` if the other key
  ///   is not a point of P-256, and `ErrorCode.callerMisuse` if the signing key answers later.
  public func keyRequest(
    of user: UserLoginConfiguration, refreshToken: String, otherPublicKey: [UInt8]? = nil, keyContext: String? = nil,
    nonces: RequestNonces, authorizationScope: AuthorizationScope = .unlock
  ) throws(JOSEError) -> DeviceRequest {
    try signed(keyDraft(user, refreshToken, otherPublicKey, keyContext, nonces, authorizationScope))
  }

  /// As ``keyRequest(of:refreshToken:otherPublicKey:keyContext:nonces:authorizationScope:)``, for a device key that
  /// answers later.
  ///
  /// - Throws: as that method; the signing key may answer later.
  public func prepareKeyRequest(
    of user: UserLoginConfiguration, refreshToken: String, otherPublicKey: [UInt8]? = nil, keyContext: String? = nil,
    nonces: RequestNonces, authorizationScope: AuthorizationScope = .unlock
  ) throws(JOSEError) -> PreparedMessage<DeviceRequest> {
    try prepared(keyDraft(user, refreshToken, otherPublicKey, keyContext, nonces, authorizationScope))
  }

  /// Both requests are of one type; `request_type` tells them apart.
  private func keyDraft(
    _ user: UserLoginConfiguration, _ refreshToken: String, _ otherPublicKey: [UInt8]?, _ keyContext: String?,
    _ nonces: RequestNonces, _ authorizationScope: AuthorizationScope
  ) throws(JOSEError) -> DeviceRequestDraft {
    let isExchange = otherPublicKey != nil
    let (issuedAt, expiration) = lifetime()
    var claims: JSONObject = [
      // Not the version of the form, which is 2.0.
      "version": .string(KeyRequestMembers.version),
      "request_type": .string(isExchange ? KeyRequestMembers.keyExchange : KeyRequestMembers.keyRequest),
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
    try append(otherPublicKey: otherPublicKey, keyContext: keyContext, to: &claims)
    return DeviceRequestDraft(
      message: isExchange ? .keyExchange : .key, type: .keyRequest, responseType: .keyResponse,
      url: configuration.keyEndpointURL ?? configuration.tokenEndpointURL, version: "2.0", nonces: nonces,
      claims: claims, reservedClaims: ["other_publickey", "key_context", "scope"],
      customClaims: isExchange ? configuration.customKeyExchangeRequestClaims : configuration.customKeyRequestClaims,
      customValues: isExchange ? configuration.customKeyExchangeRequestValues : configuration.customKeyRequestValues,
      additionalHTTPHeaders: configuration.additionalHTTPHeaders)
  }

  /// The other public key, which is checked to be on the curve, and the context that goes with it.
  func append(
    otherPublicKey: [UInt8]?, keyContext: String?, to claims: inout JSONObject
  ) throws(JOSEError) {
    guard let otherPublicKey else { return }
    _ = try RegisteredKey(x963Representation: otherPublicKey)
    claims["other_publickey"] = .string(Base64.encode(otherPublicKey))
    if let keyContext { claims["key_context"] = .string(keyContext) }
  }
}

/// The answer to a key request.
public struct KeyResponse: Sendable {
  /// The certificate of the unlock key, in DER. Neither its signature nor, by default, its dates are checked.
  public let certificate: [UInt8]

  /// The certificate's public key, as 65 octets `04 ‖ X ‖ Y`. It is on the curve.
  public let publicKeyX963Representation: [UInt8]

  /// What the next key exchange request repeats, if the provider gave it.
  public let keyContext: String?

  /// Every other member of the response.
  public let additional: JSONObject
}

/// The answer to a key exchange request.
public struct KeyExchangeResponse: Sendable {
  /// The shared secret: the x-coordinate of the product of unlock key and other public key, 32 octets. No key
  /// derivation has been applied.
  public let key: SecretBytes

  /// What replaces the key context that the device has, if the provider gave it.
  public let keyContext: String?

  /// Every other member of the response.
  public let additional: JSONObject
}

extension PlatformSSODevice {
  /// Opens the answer to a key request.
  ///
  /// - Throws: as ``openLoginResponse(_:to:idTokenKeys:)``, and `ErrorCode.certificateInvalid`.
  public func openKeyResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> KeyResponse {
    let message = try keyMessage(response, to: request, message: .key)
    return try keyResponse(try open(message, to: request))
  }

  /// As ``openKeyResponse(_:to:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the
  ///   rest.
  public func prepareKeyResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> PreparedResponse<KeyResponse> {
    let prepared = try prepareOpening(try keyMessage(response, to: request, message: .key), to: request)
    return PreparedResponse(prepared) { opened throws(JOSEError) in try keyResponse(opened.plaintext) }
  }

  private func keyResponse(_ plaintext: [UInt8]) throws(JOSEError) -> KeyResponse {
    try keyResponse(keyResponseMembers(plaintext))
  }

  /// The certificate among the members of an answer.
  func keyResponse(_ members: MessageMembers) throws(JOSEError) -> KeyResponse {
    let text = try members.string("certificate")
    guard let certificate = AnyBase64.decode(text) else { throw members.invalid("certificate") }
    if configuration.checksCertificateValidity {
      guard try Certificate.validity(of: certificate).contains(clock.now) else {
        throw JOSEError(.certificateInvalid, "the certificate is not valid now", name: "certificate")
      }
    }
    return KeyResponse(
      certificate: certificate, publicKeyX963Representation: try Certificate.p256PublicKey(of: certificate),
      keyContext: try members.string(ifPresent: "key_context"),
      additional: members.object(without: ["certificate", "key_context"]))
  }

  /// Opens the answer to a key exchange request.
  ///
  /// - Throws: as ``openLoginResponse(_:to:idTokenKeys:)``.
  public func openKeyExchangeResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> KeyExchangeResponse {
    let message = try keyMessage(response, to: request, message: .keyExchange)
    return try keyExchangeResponse(try open(message, to: request))
  }

  /// As ``openKeyExchangeResponse(_:to:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the
  ///   rest.
  public func prepareKeyExchangeResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> PreparedResponse<KeyExchangeResponse> {
    let prepared = try prepareOpening(try keyMessage(response, to: request, message: .keyExchange), to: request)
    return PreparedResponse(prepared) { opened throws(JOSEError) in try keyExchangeResponse(opened.plaintext) }
  }

  private func keyExchangeResponse(_ plaintext: [UInt8]) throws(JOSEError) -> KeyExchangeResponse {
    try keyExchangeResponse(keyResponseMembers(plaintext))
  }

  /// The secret among the members of an answer.
  func keyExchangeResponse(_ members: MessageMembers) throws(JOSEError) -> KeyExchangeResponse {
    let text = try members.string("key")
    let lengths = configuration.acceptsShortCoordinates ? 30...32 : 32...32
    guard let key = AnyBase64.decode(text), lengths.contains(key.count) else { throw members.invalid("key") }
    return KeyExchangeResponse(
      key: SecretBytes(copying: EphemeralKeyMember.leftPadded(key)),
      keyContext: try members.string(ifPresent: "key_context"),
      additional: members.object(without: ["key", "key_context"]))
  }

  private func keyMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest, message expected: DeviceRequest.Message
  ) throws(JOSEError) -> EncryptedMessage {
    guard request.message == expected else {
      throw JOSEError(.callerMisuse, "the request is of another kind", name: "request")
    }
    let types =
      [.keyResponse] + (configuration.acceptsLoginResponseTypeInKeyResponses ? [MessageType.loginResponse] : [])
    return try encryptedMessage(
      response, to: request, types: types + configuration.acceptedKeyResponseTypes.map { MessageType($0) })
  }

  private func keyResponseMembers(_ plaintext: [UInt8]) throws(JOSEError) -> MessageMembers {
    let members = try MessageMembers(parsing: plaintext, limits: limits)
    let now = clock.now
    let isRequired = configuration.requiresKeyResponseTimes
    let issuedAt = isRequired ? try members.time("iat") : try members.time(ifPresent: "iat")
    if let issuedAt, issuedAt > now.advanced(by: configuration.clockSkew) {
      throw JOSEError(.claimNotYetValid, "the response was made in the future", name: "iat")
    }
    let expiration = isRequired ? try members.time("exp") : try members.time(ifPresent: "exp")
    if let expiration, expiration <= now {
      throw JOSEError(.claimExpired, "the response has expired", name: "exp")
    }
    return members
  }
}

extension KeyResponse: Redacted {}

extension KeyExchangeResponse: Redacted {}
