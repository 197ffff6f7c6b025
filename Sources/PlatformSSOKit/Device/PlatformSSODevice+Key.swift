import JOSE
import PureCrypto
import StrictJSON

extension PlatformSSODevice {
  /// Asks for a certificate of the user's unlock key, whose private half the provider keeps. The device wraps its
  /// secrets for it.
  ///
  /// Source: Apple, Supporting key requests and key exchange requests.
  /// - Parameters:
  ///   - user: whose key it is: `sub` and `username`.
  ///   - refreshToken: the user's last one, by which the provider knows that he may ask.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the request is for, sent if the configuration wants it (macOS 27).
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`, and
  ///   `ErrorCode.callerMisuse` if the signing key answers later.
  public func keyRequest(
    of user: UserLoginConfiguration, refreshToken: String, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .unlock
  ) throws(PlatformSSOError) -> DeviceRequest {
    try signed(
      keyDraft(user, refreshToken: refreshToken, exchange: nil, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// As ``keyRequest(of:refreshToken:nonces:authorizationScope:)``, for a device key that answers later.
  ///
  /// - Throws: `ErrorCode.customClaimReserved`.
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
  /// - Throws: `ErrorCode.keyInvalid` if the other key is not a point of P-256; otherwise as
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

  /// As ``keyExchangeRequest(of:refreshToken:otherPublicKey:keyContext:nonces:authorizationScope:)``, for a device key
  /// that answers later.
  ///
  /// - Throws: `ErrorCode.keyInvalid` if the other key is not a point of P-256,
  ///   `ErrorCode.customClaimReserved`.
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

/// The answer to a key request.
public struct KeyResponse: Sendable {
  /// The certificate of the unlock key, in DER. Its signature is not checked, and its dates only under
  /// ``LoginConfiguration/checksCertificateValidity``.
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
  ) throws(PlatformSSOError) -> KeyResponse {
    let message = try keyMessage(response, to: request, message: .key)
    return try keyResponse(try open(message, to: request))
  }

  /// As ``openKeyResponse(_:to:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the
  ///   rest.
  public func prepareKeyResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> PreparedResponse<KeyResponse> {
    let prepared = try prepareOpening(try keyMessage(response, to: request, message: .key), to: request)
    return PreparedResponse(prepared) { opened throws(PlatformSSOError) in try keyResponse(opened.plaintext) }
  }

  private func keyResponse(_ plaintext: [UInt8]) throws(PlatformSSOError) -> KeyResponse {
    let members = try keyResponseMembers(plaintext)
    let text = try members.string("certificate")
    guard let certificate = AnyBase64.decode(text) else { throw members.invalid("certificate") }
    if configuration.checksCertificateValidity {
      guard try Certificate.validity(of: certificate).contains(clock.now) else {
        throw PlatformSSOError(.certificateInvalid, "the certificate is not valid now", name: "certificate")
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
  ) throws(PlatformSSOError) -> KeyExchangeResponse {
    let message = try keyMessage(response, to: request, message: .keyExchange)
    return try keyExchangeResponse(try open(message, to: request))
  }

  /// As ``openKeyExchangeResponse(_:to:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the
  ///   rest.
  public func prepareKeyExchangeResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> PreparedResponse<KeyExchangeResponse> {
    let prepared = try prepareOpening(try keyMessage(response, to: request, message: .keyExchange), to: request)
    return PreparedResponse(prepared) { opened throws(PlatformSSOError) in try keyExchangeResponse(opened.plaintext) }
  }

  private func keyExchangeResponse(_ plaintext: [UInt8]) throws(PlatformSSOError) -> KeyExchangeResponse {
    let members = try keyResponseMembers(plaintext)
    let text = try members.string("key")
    let lengths = configuration.shortCoordinates == .leftPadded ? 30...32 : 32...32
    guard let key = AnyBase64.decode(text), lengths.contains(key.count) else { throw members.invalid("key") }
    return KeyExchangeResponse(
      key: SecretBytes(copying: EphemeralKeyMember.leftPadded(key)),
      keyContext: try members.string(ifPresent: "key_context"),
      additional: members.object(without: ["key", "key_context"]))
  }

  private func keyMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest, message expected: DeviceRequest.Message
  ) throws(PlatformSSOError) -> EncryptedMessage {
    guard request.message == expected else {
      throw PlatformSSOError(.callerMisuse, "the request is of another kind", name: "request")
    }
    let types =
      [.keyResponse] + (configuration.acceptsLoginResponseTypeInKeyResponses ? [MessageType.loginResponse] : [])
    return try encryptedMessage(response, types: types + configuration.acceptedKeyResponseTypes)
  }

  private func keyResponseMembers(_ plaintext: [UInt8]) throws(PlatformSSOError) -> MessageMembers {
    let members = try MessageMembers(parsing: plaintext, limits: limits)
    let now = clock.now
    let isRequired = configuration.requiresKeyResponseTimes
    let issuedAt = isRequired ? try members.time("iat") : try members.time(ifPresent: "iat")
    if let issuedAt, issuedAt > now.advanced(by: configuration.clockSkew) {
      throw PlatformSSOError(.claimNotYetValid, "the response was made in the future", name: "iat")
    }
    let expiration = isRequired ? try members.time("exp") : try members.time(ifPresent: "exp")
    if let expiration, expiration <= now {
      throw PlatformSSOError(.claimExpired, "the response has expired", name: "exp")
    }
    return members
  }
}

extension MessageMembers {
  /// The members but for some.
  func object(without names: [String]) -> JSONObject {
    JSONObject(object.members.filter { !names.containsBytes(of: $0.name) }.map { ($0.name, $0.value) })
  }
}

extension KeyResponse: Redacted {}

extension KeyExchangeResponse: Redacted {}
